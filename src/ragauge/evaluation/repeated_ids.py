"""Rows that share an id: equal ones are read once; several answers to a question, and other questions, are samples."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from ragauge.core.arrow import to_arrow
from ragauge.core.batch import Batch, Dataset
from ragauge.core.messages import Argument, Counted, Message, codes_in
from ragauge.errors import DataError
from ragauge.evaluation.request import QUESTION_ID, RunRequest
from ragauge.formats.wrong_rows import ID_ADVICE, REPEATED_ID
from ragauge.results.fingerprint import TASK

_ONCE = "RG-NOTE-305 {rows} equal in every column to an earlier one with the same {id}, and read once: row {places}"
_ANSWERS = (
    "RG-NOTE-306 rows with the same {id} are several answers to one question: each is a sample, and intervals are by "
    "question; for those of several systems, pass {by}"
)
_APART = (
    "RG-NOTE-307 rows with the same {id} have different questions, so it does not identify them: each row is a sample, "
    "and intervals are by {id}"
)
_MOST_NAMED = 5

Rows = Sequence[Mapping[str, Any]]


def rows_apart(
    request: RunRequest, error: DataError, samples: Callable[[RunRequest], Dataset]
) -> tuple[RunRequest, Dataset] | None:
    """Return how rows that share ids are read, where there is one sensible way, with a note; None for other errors.

    Rows that are equal in every column are read once. Where rows with one id have the same question, references and
    judgements, and answers differ, they are samples ``q1#1``, ``q1#2`` with a column ``question_id``,
    as `evaluate` makes them with ``repeats``. Where all their questions differ, they are samples with ids of their own,
    and a column ``group_id``. Intervals are by that column unless the request names another.

    Args:
        request: read from a file, a list or a table in one process.
        error: of its data.
        samples: returns the samples of a request.
    """
    codes = [codes_in(problem) for problem in error.problems]
    once = isinstance(request.data, Iterator) or (isinstance(request.data, str) and request.data == "-")
    if once or request.strict or request.turns or request.system is not None or request.workers is not None:
        return None
    if not codes or not all(REPEATED_ID in one for one in codes) or ID_ADVICE not in codes_in(error.message):
        return None
    first = samples(replace(request, limit=1))
    name = first.mapping.get("id", "id")
    if {QUESTION_ID, "group_id", "repeat"} & {*first.columns} - {name}:
        return None
    mapped = {known: source for known, source in (request.map or {}).items() if known != "id"}
    data = samples(replace(request, map={**mapped, QUESTION_ID: name}))
    table = pa.concat_tables([batch.table() for batch in data.batches()], promote_options="permissive")
    found = _read(table, name)
    if found is None:
        return None
    table, cluster, note = found
    mapping = {known: source for known, source in data.mapping.items() if known != QUESTION_ID}
    known = cluster or "id"
    mapping |= {known: name} if known != name else {}
    read = Dataset.of(Batch(table), data.source, mapping=mapping, notes=(*data.notes, note))
    own = request if cluster is None else replace(request, cluster=request.cluster or cluster)
    return own, replace(read, split=data.split)


def _read(table: pa.Table, name: str) -> tuple[pa.Table, str | None, Message] | None:
    """Return the rows apart, the column that their intervals are by, and a note; None where they contradict."""
    ids = [str(one) for one in table[QUESTION_ID].to_pylist()]
    rows = table.drop_columns(["id"]).to_pylist()
    places: dict[str, list[int]] = {}
    for place, one in enumerate(ids):
        places.setdefault(one, []).append(place)
    several = [[rows[place] for place in own] for own in places.values() if len(own) > 1]
    if all(row == own[0] for own in several for row in own):
        kept = [own[0] for own in places.values()]
        again = [place for own in places.values() for place in own[1:]]
        named = ", ".join(str(place + 1) for place in sorted(again)[:_MOST_NAMED])
        named += ", ..." if len(again) > _MOST_NAMED else ""
        taken = table.take(kept).drop_columns(["id", QUESTION_ID])
        note = Message(_ONCE, Counted(len(again), "row is", "rows are"), name, named)
        return _with_ids(taken, [ids[place] for place in kept]), None, note
    if "question" not in table.column_names:
        return None
    if not any(_differ(own, TASK) for own in several) and any(_differ(own, ("answer",)) for own in several):
        numbers = {place: number for own in places.values() for number, place in enumerate(own, 1)}
        made = _with_ids(table.drop_columns(["id"]), [f"{one}#{numbers[place]}" for place, one in enumerate(ids)])
        note = Message(_ANSWERS, name, Argument("by", "COLUMN"))
        repeat = to_arrow([numbers[place] for place in range(len(ids))])
        return made.append_column("repeat", repeat), QUESTION_ID, note
    if all(len({row["question"] for row in own}) == len(own) for own in several):
        renamed = ["group_id" if column == QUESTION_ID else column for column in table.column_names]
        return table.rename_columns(renamed), "group_id", Message(_APART, name)
    return None


def _with_ids(table: pa.Table, ids: Sequence[str]) -> pa.Table:
    return table.add_column(0, "id", to_arrow(ids, pa.string()))


def _differ(rows: Rows, columns: Sequence[str]) -> bool:
    """Return whether rows differ in any of the ``columns``."""
    return any(row.get(name) != rows[0].get(name) for name in columns for row in rows)
