"""Tables that Phoenix and promptfoo write, in which a header alone does not say what a column holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragauge.formats.column_names import CONTEXT, folded, known_name
from ragauge.formats.fields import is_missing, plain
from ragauge.formats.source import Values

_OF_PHOENIX = "context.span_id"
"""The index of the frames of Phoenix, in which ``reference`` is what was retrieved (``get_retrieved_documents``)."""
_OF_PROMPTFOO = frozenset({"Status", "Score", "Named Scores", "Grader Reason"})
"""Headers behind each prompt's answers, whose own header is the prompt (``promptfoo eval -o results.csv``)."""


def of_tables(columns: Mapping[str, Values]) -> dict[str, tuple[list[Any], str]]:
    """Return known column -> its values and the column that it is made of, of tables as tools write them.

    >>> of_tables({"context.span_id": ["s1"], "input": ["Who?"], "reference": ["Anna."]})
    {'contexts': ([['Anna.']], 'reference')}
    """
    if _OF_PHOENIX in columns and "reference" in columns:
        return {"contexts": (_passages(columns["reference"]), "reference")}
    return _of_promptfoo(columns) if columns.keys() >= _OF_PROMPTFOO else {}


def _of_promptfoo(columns: Mapping[str, Values]) -> dict[str, tuple[list[Any], str]]:
    """Return the answers, which are in front of their status; those of errors have none, but a failure."""
    names = list(columns)
    place = names.index("Status") - 1
    if place < 0 or known_name(names[place]) is not None:
        return {}
    fields = zip(*[plain(columns[name]) for name in (names[place], "Status", "Grader Reason")], strict=True)
    rows = [(answer, status == "ERROR", why) for answer, status, why in fields]
    made: dict[str, tuple[list[Any], str]] = {
        "answer": ([None if has_failed else answer for answer, has_failed, _ in rows], names[place])
    }
    if any(has_failed for _, has_failed, _ in rows):
        made["failure"] = (
            [str(why or answer or "ERROR") if is_one else None for answer, is_one, why in rows],
            "Status",
        )
    contexts = [name for name in names if folded(name) in CONTEXT]
    return made | ({"contexts": (_passages(columns[contexts[0]]), contexts[0])} if len(contexts) == 1 else {})


def _passages(values: Values) -> list[list[Any] | None]:
    return [None if is_missing(one) or one == "" else [one] for one in plain(values)]
