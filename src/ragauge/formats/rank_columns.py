"""Columns that say where a row's document ranks and how relevant it is: which is which, and pandas' code for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ragauge.core.lazy import lazy_pattern
from ragauge.core.messages import Joined, Message
from ragauge.formats.column_names import OF_A_DOCUMENT, folded, known_name
from ragauge.formats.fields import is_missing, is_number
from ragauge.formats.written_lists import number_in

_HIGHEST_GRADE = 4
"""Of the collections of TREC."""
_FIRST_NUMBER = r"([-+]?\d*\.?\d+(?:[eE][-+]?\d+)?)"
_MARKS = (("\u2212", "-"), ("\u066b", "."))
"""The minus, and Arabic's decimal mark, which Python does not read in numbers."""
_THOUSANDS = lazy_pattern(r"[^\d,]*[1-9]\d{0,2}(?:,\d{3})+(?!\d).*")
_UNCLEAR = (
    "{column} was taken for a score, which orders the documents; if it is the relevance grade, in pandas: {code}; then "
    "score samples.jsonl"
)
_UNSORTABLE = "{column} is not read as numbers, as in {example!r}; if it ranks the documents, sort the rows by it first"


class Roles(NamedTuple):
    """What the columns of a row's document are for.

    ``order``: the one that ranks documents, the lowest first if ``ascending``. ``grade``: their relevance. ``unclear``:
    that of ``order`` where it may be the grade. ``numbers``: column of texts -> pandas' code of its numbers.
    ``unsortable``: a column that should rank them, and one of its texts, where these are not numbers. ``fits``: those
    that say how well documents fit, and do not rank them.
    """

    order: str | None
    ascending: bool
    grade: str | None
    unclear: str | None
    numbers: Mapping[str, str]
    unsortable: tuple[str, str] | None
    fits: tuple[str, ...]

    @property
    def other(self) -> Roles:
        """The same with the column that is unclear as the grade."""
        return self._replace(order=None, grade=self.order)

    @property
    def code(self) -> str:
        """Code behind ``frame`` that orders its rows, and makes numbers of texts."""
        used = {name: code for name, code in self.numbers.items() if name in (self.order, self.grade)}
        made = ", ".join([f"{name!r}: {code}" for name, code in used.items()])
        ordered = (
            "" if self.order is None else f".sort_values({self.order!r}, ascending={self.ascending}, kind='stable')"
        )
        return (f".assign(**{{{made}}})" if made else "") + ordered

    @property
    def lists(self) -> dict[str, str]:
        """Columns of samples with a number for each document -> their names in the rows."""
        graded = {} if self.grade is None else {"relevance": self.grade}
        return {**graded, **{one: one for one in self.fits if one.isidentifier() and one != self.grade}}


def roles_of(columns: Mapping[str, Sequence[Any]]) -> Roles:
    """Return what columns, header -> fields, are for.

    A header for points, as "score" or Russian "оценка", is a grade where its fields are a few whole numbers from 0 to 4
    and another column ranks the documents; it is a score where some have a fraction or another column is the grade.
    Else it is unclear. How well a document fits ranks it where nothing else does, and a grade with a fraction is that.

    >>> roles_of({"rank": [1, 2], "оценка": [0, 3]})[:4]
    ('rank', True, 'оценка', None)
    >>> roles_of({"оценка": ["0,5", "0,9"]}).code.partition(").sort")[2], roles_of({"оценка": [0, 3]}).unclear
    ("_values('оценка', ascending=False, kind='stable')", 'оценка')
    """
    kinds = {name: kind for name in columns if (kind := OF_A_DOCUMENT.get(folded(name))) is not None}
    read = {name: _numbers_of(name, columns[name] or ()) for name in kinds}
    by = {kind: [name for name, own in kinds.items() if own == kind] for kind in set(OF_A_DOCUMENT.values())}
    # A known column of grades may have fractions.
    fits = [one for one in by["grade"] if known_name(one) is None and read[one].has_fractions] + by["fit"]
    grade = next((name for name in by["grade"] if name not in fits), None)
    certain = [one for one in by["points"] if grade is not None or not read[one].may_be_grades(None)]
    ranking = [*by["rank"], *by["score"], *certain, *by["distance"]]
    unclear = []
    for name in [one for one in by["points"] if one not in certain]:
        if ranking and grade is None and read[name].may_be_grades(_HIGHEST_GRADE):
            grade = name
        else:
            unclear.append(name)
    ranking = [*ranking, *unclear]
    ranking += [] if ranking else [one for one in fits if read[one].has_fractions]
    order = next((one for one in ranking if read[one].numbers is not None), None)
    unsortable = next(((one, read[one].example) for one in ranking[:1] if one != order), None)
    code = {name: one.code for name, one in read.items() if one.code and one.numbers is not None}
    ascending = order is not None and kinds[order] in ("rank", "distance")
    doubt = order if order in unclear else None
    return Roles(order, ascending, grade, doubt, code, unsortable, tuple(one for one in fits if one != order))


def remarks_on(roles: Roles, code: Callable[[Roles], str]) -> str:
    """Return what is not certain of ``roles``, "" if all is; ``code``: makes samples with other roles."""
    remarks = []
    if roles.unclear is not None:
        remarks.append(Message(_UNCLEAR, roles.unclear, code(roles.other)))
    if roles.unsortable is not None:
        remarks.append(Message(_UNSORTABLE, *roles.unsortable))
    return Joined(remarks, ". ") if remarks else ""


def with_remarks(message: Message, remarks: str) -> Message:
    """Return ``message`` with `remarks_on` its code behind."""
    return Message("{advice}. {remarks}", message, remarks) if remarks else message


class _FieldsAsNumbers(NamedTuple):
    """Fields as numbers, None where they are something else; pandas' code of it, "" where it reads them as numbers."""

    numbers: list[float] | None
    code: str = ""
    example: str = ""

    @property
    def has_fractions(self) -> bool:
        """Whether a number is not whole."""
        return any(one % 1 for one in self.numbers or ())

    def may_be_grades(self, highest: int | None) -> bool:
        """Return whether fields may be grades: whole numbers from 0 on, up to ``highest`` if there is such."""
        numbers = self.numbers or [-1.0]
        return min(numbers) >= 0 and not self.has_fractions and (highest is None or max(numbers) <= highest)


def _numbers_of(name: str, fields: Sequence[Any]) -> _FieldsAsNumbers:
    given = [one for one in fields if not is_missing(one) and one != ""]
    texts = [one for one in given if isinstance(one, str)]
    if all(is_number(one) or isinstance(one, bool) or (isinstance(one, str) and _is_plain(one)) for one in given):
        return _FieldsAsNumbers([float(one) for one in given])
    marked = next((one for one in given if not (isinstance(one, str) and _is_plain(one))), "")
    code, thousands = f"frame[{name!r}].astype(str)", _are_thousands(texts)
    # Decimal commas become full stops; those between thousands go.
    changes = [(",", "" if thousands else "."), *_MARKS]
    changed = [_changed(one, changes) for one in texts]
    numbers = [re.search(_FIRST_NUMBER, one) for one in changed]
    alone = [number_in(one) for one in changed]
    read = [float(one[1]) for one in numbers if one is not None]
    in_percent = {one.rstrip()[-1:] in ("%", "\uff05", "\u066a") for one in texts}
    if len(texts) < len(given) or read != alone or len(in_percent) > 1:
        return _FieldsAsNumbers(None, example=str(marked))
    code += "".join([f".str.replace({mark!r}, {to!r})" for mark, to in changes if any(mark in one for one in texts)])
    # A share of a hundred is no grade.
    read = [one / 100 for one in read] if in_percent == {True} else read
    return _FieldsAsNumbers(read, f"{code}.str.extract(r'{_FIRST_NUMBER}')[0].astype(float)")


def _is_plain(text: str) -> bool:
    """Return whether pandas reads a text in CSV as a number."""
    return re.fullmatch(r"\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\s*", text, re.ASCII) is not None


def _are_thousands(texts: Sequence[str]) -> bool:
    """Return whether commas part thousands: three digits follow each, and some texts have none."""
    within = [one for one in texts if "," in one]
    return 0 < len(within) < len(texts) and all(map(_THOUSANDS.fullmatch, within))


def _changed(text: str, changes: Sequence[tuple[str, str]]) -> str:
    for mark, to in changes:
        text = text.replace(mark, to)
    return text
