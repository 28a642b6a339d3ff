"""Columns that say where a row's document ranks and how relevant it is: which is which, and pandas' code for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from ragauge.core.lazy import lazy_pattern
from ragauge.core.messages import Joined, Message
from ragauge.formats.column_names import OF_A_DOCUMENT, folded, known_name, suggests_right
from ragauge.formats.fields import is_missing, is_number
from ragauge.formats.grade_words import grades_of_words
from ragauge.formats.recognised_ids import are_names
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
_MOST_WORDS = 10
"""More different words are no labels."""
_IN_WORDS = "{column}: its words are read as these grades; if they mean others, change the numbers"
_BY_FIELDS = "{column} was taken for the relevance grade, as it has 0 and 1; if it is none, leave it out"
_UNKNOWN_WORDS = (
    "{column}: write a number for each word in place of GRADE, 0 for what is not relevant; grades of these words are "
    "not known"
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
    words: Message | None = None
    filled: Mapping[str, str] = MappingProxyType({})

    @property
    def other(self) -> Roles:
        """The same with the column that is unclear as the grade."""
        return self._replace(order=None, grade=self.order, words=None)

    @property
    def code(self) -> str:
        """Code behind ``frame`` that fills and orders its rows, and makes numbers of texts."""
        used = {**self.filled} | {name: code for name, code in self.numbers.items() if name in (self.order, self.grade)}
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


def roles_of(
    columns: Mapping[str, Sequence[Any]], differing: Collection[str] = (), labels: Collection[str] = ()
) -> Roles:
    """Return what columns, header -> fields, are for; ``differing``: those that differ among the rows of a question.

    A header for points, as "score" or Russian "оценка", is a grade where its fields are a few whole numbers from 0 to 4
    and another column ranks the documents; it is a score where some have a fraction or another column is the grade.
    Else it is unclear. How well a document fits ranks it where nothing else does, and a grade with a fraction is that;
    in a few whole numbers it is a grade. A header for what is right is a grade where its fields are grades, or words
    such as yes and no, and differ; ``labels`` are such headers, beside those that are known.

    >>> roles_of({"rank": [1, 2], "оценка": [0, 3]})[:4]
    ('rank', True, 'оценка', None)
    >>> roles_of({"оценка": ["0,5", "0,9"]}).code.partition(").sort")[2], roles_of({"оценка": [0, 3]}).unclear
    ("_values('оценка', ascending=False, kind='stable')", 'оценка')
    >>> roles_of({"正解": ["はい", "いいえ"]}, ["正解"]).code
    ".assign(**{'正解': frame['正解'].str.strip().str.lower().map({'はい': 1, 'いいえ': 0})})"
    """
    kinds = {name: kind for name in columns if (kind := OF_A_DOCUMENT.get(folded(name))) is not None}
    others = [name for name in columns if name in differing and name not in kinds]
    right = [name for name in others if name in labels or suggests_right(folded(name)) or grades_of_words([name])]
    # Right answers are other words, too.
    labels = {name for name in differing if kinds.get(name) == "grade"}
    read = {name: _numbers_of(name, columns[name] or (), differs=name in labels) for name in [*kinds, *right]}
    kinds |= {name: "grade" for name in right if read[name].may_be_grades(_HIGHEST_GRADE)}
    worded = [name for name, kind in kinds.items() if kind in ("points", "fit") and read[name].in_words]
    kinds |= {} if "grade" in kinds.values() else dict.fromkeys(worded[:1], "grade")
    # Words rank nothing.
    read |= {
        name: _FieldsAsNumbers(None, example=read[name].example)
        for name in kinds
        if kinds[name] != "grade" and read[name].in_words
    }
    by = {kind: [name for name, own in kinds.items() if own == kind] for kind in set(OF_A_DOCUMENT.values())}
    # A known column of grades may have fractions.
    fits = [one for one in by["grade"] if known_name(one) is None and read[one].has_fractions] + by["fit"]
    grades = [name for name in by["grade"] if name not in fits and not read[name].is_unreadable]
    grade = next(
        (name for name in (*grades, *by["fit"]) if name in grades or read[name].may_be_grades(_HIGHEST_GRADE)), None
    )
    fits = [name for name in fits if name != grade]
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
    words = read[grade].in_words if grade is not None else None
    if grade is not None and read[grade].numbers and any(is_missing(one) or one == "" for one in columns[grade]):
        # A list of grades has one for each document.
        code[grade] = code.get(grade, f"frame[{grade!r}]") + ".fillna(0)"
    return Roles(order, ascending, grade, doubt, code, unsortable, tuple(one for one in fits if one != order), words)


def roles_in_rows(columns: Mapping[str, Sequence[Any]], differing: Collection[str]) -> Roles:
    """Return `roles_of` columns; where none is the grade, the only one of words for grades, or of 0 and 1, is it.

    Only columns that differ among the rows of a question are looked at.

    >>> roles_in_rows({"rank": [1, 2], "판정": ["관련", "무관"]}, ["rank", "판정"]).grade
    '판정'
    >>> roles_in_rows({"rank": [1, 2], "page": [4, 7]}, ["rank", "page"]).grade
    """
    roles = roles_of(columns, differing)
    others = [name for name in columns if name in differing and known_name(name) is None]
    labels = [name for name in others if folded(name) not in OF_A_DOCUMENT and _are_labels(columns[name])]
    if roles.grade is not None or roles.unclear is not None or len(labels) != 1:
        return roles
    roles = roles_of(columns, differing, labels)
    return roles._replace(words=roles.words or Message(_BY_FIELDS, labels[0]))


def _are_labels(fields: Sequence[Any]) -> bool:
    given = {str(one).strip() for one in fields if not is_missing(one) and one != ""}
    return given == {"0", "1"} or (len(given) > 1 and grades_of_words(given) is not None)


def remarks_on(roles: Roles, code: Callable[[Roles], str]) -> str:
    """Return what is not certain of ``roles``, "" if all is; ``code``: makes samples with other roles."""
    remarks = []
    if roles.unclear is not None:
        remarks.append(Message(_UNCLEAR, roles.unclear, code(roles.other)))
    if roles.unsortable is not None:
        remarks.append(Message(_UNSORTABLE, *roles.unsortable))
    if roles.words is not None:
        remarks.append(roles.words)
    return Joined(remarks, ". ") if remarks else ""


def with_remarks(message: Message, remarks: str) -> Message:
    """Return ``message`` with `remarks_on` its code behind."""
    return Message("{advice}. {remarks}", message, remarks) if remarks else message


class _FieldsAsNumbers(NamedTuple):
    """Fields as numbers, None where they are something else; pandas' code of it, "" where it reads them as numbers.

    ``in_words``: what is to know of words that are read as numbers.
    """

    numbers: list[float] | None
    code: str = ""
    example: str = ""
    in_words: Message | None = None

    @property
    def is_unreadable(self) -> bool:
        """Whether fields are many texts that are no grades."""
        return self.numbers is None and bool(self.example)

    @property
    def has_fractions(self) -> bool:
        """Whether a number is not whole."""
        return any(one % 1 for one in self.numbers or ())

    def may_be_grades(self, highest: int | None) -> bool:
        """Return whether fields may be grades: whole numbers from 0 on, up to ``highest`` if there is such."""
        numbers = self.numbers or [-1.0]
        return min(numbers) >= 0 and not self.has_fractions and (highest is None or max(numbers) <= highest)


def _numbers_of(name: str, fields: Sequence[Any], *, differs: bool) -> _FieldsAsNumbers:
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
        in_words = len(texts) == len(given) and not any(one is not None for one in alone)
        words = _words_of(name, texts, differs=differs, has_empty=len(given) < len(fields)) if in_words else None
        return words or _FieldsAsNumbers(None, example=str(marked))
    code += "".join([f".str.replace({mark!r}, {to!r})" for mark, to in changes if any(mark in one for one in texts)])
    # A share of a hundred is no grade.
    read = [one / 100 for one in read] if in_percent == {True} else read
    return _FieldsAsNumbers(read, f"{code}.str.extract(r'{_FIRST_NUMBER}')[0].astype(float)")


def _words_of(name: str, texts: Sequence[str], *, differs: bool, has_empty: bool) -> _FieldsAsNumbers | None:
    """Return words for grades as numbers, each 1 where they are not known but differ; None where they are no words.

    One word beside empty fields is a mark of what is relevant, also a cross.
    """
    words = list(dict.fromkeys(text.strip().lower() for text in texts))
    grades = grades_of_words(words)
    if has_empty and len(words) == 1 and (grades is None or words == ["x"]):
        grades = {words[0]: 1.0}
    if grades is None and (not differs or len(words) > min(_MOST_WORDS, len(texts) - 1) or are_names(words)):
        return None
    shown = ", ".join([f"{word!r}: {'GRADE' if grades is None else f'{grades[word]:g}'}" for word in words])
    code = f"frame[{name!r}].str.strip().str.lower().map({{{shown}}})"
    told = Message(_UNKNOWN_WORDS if grades is None else _IN_WORDS, name)
    numbers = [1.0 if grades is None else grades[one.strip().lower()] for one in texts]
    return _FieldsAsNumbers(numbers, code, str(texts[0]), told)


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
