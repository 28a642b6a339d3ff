"""A task of a cluster: it reads rows as the driver understood their columns, scores them and adds them up."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import pyarrow as pa

from ragauge import errors
from ragauge.core import compute as pc
from ragauge.core.arrow import to_arrow
from ragauge.core.arrow import whole as whole_array
from ragauge.core.batch import Batch, Dataset
from ragauge.core.hashing import hash_strings
from ragauge.core.messages import Counted, Message, codes_in, packed, unpacked
from ragauge.engines.part import GrowingSums, ScoredPart, score_part
from ragauge.engines.plan import Plan
from ragauge.errors import DataError, RagaugeError, UsageError, at
from ragauge.evaluation.citation_numbers import counted_on
from ragauge.formats import read
from ragauge.formats.wrong_rows import REPEATED_ID, advice_on_ids

SUMS = pa.schema([("part", pa.binary()), ("problems", pa.list_(pa.string())), ("error", pa.string())])
"""Rows that tasks send: serialised sums, or the problems of an error, packed as JSON, and the name of its class."""
ROWS = 1 << 14
"""Rows that a task scores at a time."""
SAMPLE = "sample"
"""The column of a sample's own columns, beside those of its scores."""
_DIGITS = 16
"""Of an id that is made from content; later digits number the rows of equal content."""
_EXCERPT = 40
_MOST_PROBLEMS = DataError.shown
_ROW = at("row", 1, "").template


@dataclass(frozen=True, eq=False)
class Task:
    """How to read and score a share of the rows; it pickles.

    Args:
        plan: the metrics, groups and cluster.
        mapping: every column that is read -> its name in the source, so that no task guesses.
        split: column of texts -> the separator between the texts of a field.
        kinds: the columns of every batch, and their types.
        scores: the schema of `ScoredPart.scores`, where the scores of samples are wanted.
        samples: the struct of a sample's columns, where these are wanted beside the scores.
        cites_from_zero: whether numbers of passages in the column ``citations`` count from 0.
    """

    plan: Plan
    mapping: Mapping[str, str]
    split: Mapping[str, str]
    kinds: Mapping[str, pa.DataType]
    scores: pa.Schema | None = None
    samples: pa.DataType | None = None
    cites_from_zero: bool = False

    @property
    def schema(self) -> pa.Schema:
        """The schema of the batches of `rows`."""
        more = [] if self.samples is None else [pa.field(SAMPLE, self.samples)]
        return SUMS if self.scores is None else pa.schema([*SUMS, *self.scores, *more])

    def to_bytes(self) -> bytes:
        """Return the task for other processes; see `task_of`. UsageError for a metric that these could not import."""
        content = pickle.dumps(replace(self, mapping=dict(self.mapping), split=dict(self.split)))
        if b"__main__" in content:
            raise UsageError(
                "RG-ENG-035 a metric is defined in the script or notebook itself, which workers cannot import; "
                "put it in a module of its own, and import it from there"
            )
        return content

    def batches(self, table: pa.Table) -> Iterator[Batch]:
        """Yield rows of the source as batches; DataError names wrong rows by their ids, or by their first text."""
        ids = table[self.mapping["id"]] if "id" in self.mapping else None
        if ids is not None and ids.null_count:
            raise DataError.of(
                "rows",
                [
                    Message(
                        "RG-ENG-037 {rows} no id; give every row an id of its own",
                        Counted(ids.null_count, "row has", "rows have"),
                    )
                ],
            )
        try:
            data = read(table, mapping=self.mapping, split=self.split)
        except DataError as error:
            problems = error.problems or [error.message]
            named = [by_text(one, table) if ids is None else by_id(one, ids) for one in problems]
            raise DataError.of("rows", named) from None
        for batch in data.batches():
            conformed = Batch(self._conformed(batch.table()))
            yield counted_on(conformed) if self.cites_from_zero else conformed

    def _conformed(self, table: pa.Table) -> pa.Table:
        """Return ``table`` with the columns `kinds`: implied ones that no row here has are null."""
        late = [name for name in table.column_names if name not in self.kinds]
        if late:
            template = (
                "RG-ENG-038 column {name} is in some rows only, and not in the first; leave it out, or name it in all"
            )
            raise DataError.of("rows", [Message(template, late[0])])
        columns = [
            table[name] if name in table.column_names else pa.nulls(table.num_rows, kind)
            for name, kind in self.kinds.items()
        ]
        return pa.Table.from_arrays(columns, names=list(self.kinds))

    def rows(self, source: Iterable[pa.RecordBatch], number: int | None = None) -> Iterator[pa.RecordBatch]:
        """Score a share of the rows, and yield the scores of samples if they are wanted, then the sums as one row.

        Wrong rows are sent instead of the sums: after an exception a cluster would try the task again.

        Args:
            source: the rows, as many at a time as the engine likes.
            number: of the share; None: a number made from the ids of its rows, the same whenever it is scored.
        """
        sums = GrowingSums()
        problems: list[str] = []
        error = ""
        for step, table in enumerate(_tables(source)):
            try:
                batches = list(self.batches(table))
                if problems:
                    continue
                own = _content_number(batches) if number is None else (number << 32) + step
                part = score_part(self._in_sessions(batches), self.plan, own)
            except RagaugeError as caught:
                error = error or type(caught).__name__
                problems += getattr(caught, "problems", ()) or [getattr(caught, "message", str(caught))]
                if len(problems) >= _MOST_PROBLEMS:
                    break
                continue
            if self.scores is not None:
                yield from _with_nulls(self._with_samples(part.scores().cast(self.scores), batches), self.schema)
            sums.add(part)
        total = sums.total()
        if total is not None or problems:
            row = sums_row(total, {error: problems} if problems else {})
            yield from _with_nulls(pa.Table.from_batches([row]), self.schema)

    def _in_sessions(self, batches: list[Batch]) -> Iterable[Batch]:
        """Return ``batches``; where a judge is asked about them, in such parts that their questions fit in memory."""
        if not any(hasattr(metric, "judge") for metric in self.plan.evaluator.metrics.values()):
            return batches
        from ragauge.judges.question import with_session
        from ragauge.judges.session import Session

        return with_session(Dataset("", 0, (), lambda: iter(batches)), Session()).batches()

    def _with_samples(self, scores: pa.Table, batches: Iterable[Batch]) -> pa.Table:
        """Return ``scores`` with the columns of the samples, where these are wanted."""
        if self.samples is None:
            return scores
        columns = pa.concat_tables([batch.table() for batch in batches], promote_options="permissive")
        target = pa.schema(list(self.samples))
        return scores.append_column(SAMPLE, columns.select(target.names).cast(target).to_struct_array())

    def made_ids(self, source: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the ids that are made from the content of rows, the same for the same content; none of wrong rows."""
        for table in _tables(source):
            with suppress(RagaugeError):
                for batch in self.batches(table):
                    ids = pc.utf8_slice_codeunits(batch.column("id"), 0, _DIGITS)
                    yield pa.RecordBatch.from_arrays([whole_array(ids)], names=["id"])


@lru_cache(maxsize=4)
def task_of(content: bytes) -> Task:
    """Return the task of `Task.to_bytes`, once per process: its embedders and models are loaded once."""
    # The engine runs a task on each core; Arrow's own threads would only get in their way.
    pa.set_cpu_count(1)
    task: Task = pickle.loads(content)  # noqa: S301 - the driver's own bytes
    return task


def sums_row(part: ScoredPart | None, problems: Mapping[str, Sequence[str]]) -> pa.RecordBatch:
    """Return the row of `SUMS` of a part, or of the ``problems`` by the class of their error."""
    error, found = next(iter(problems.items()), (None, None))
    lines = None if found is None else [json.dumps(packed(one)) for one in found]
    content = part.to_bytes() if part is not None and lines is None else None
    columns = [to_arrow([value], field.type) for value, field in zip((content, lines, error), SUMS, strict=True)]
    return pa.RecordBatch.from_arrays(columns, schema=SUMS)


def merged_rows(rows: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield one row of `SUMS` for all ``rows`` of them: a node of the tree of sums; none for none.

    Parts are added as they come, so that no more of them are in memory than buckets call for.
    """
    part, problems = _merged(row for batch in rows for row in batch.select(SUMS.names).to_pylist())
    if part is not None or problems:
        yield sums_row(part, problems)


def whole(rows: Iterable[Mapping[str, Any]], source: str) -> ScoredPart:
    """Return the part of all samples from rows of `SUMS`.

    Raises:
        RagaugeError: the error that tasks met, with the lines of all of its kind.
        DataError: there are no rows.
    """
    part, all_problems = _merged(rows)
    for name, problems in all_problems.items():
        kind = getattr(errors, name, DataError)
        distinct = list(dict.fromkeys(problems))
        if issubclass(kind, DataError):
            raise kind.of(source, distinct)
        raise kind(distinct[0])
    if part is None:
        raise DataError("RG-ENG-033 {source}: has no rows; give at least one", source)
    return part


def _merged(rows: Iterable[Mapping[str, Any]]) -> tuple[ScoredPart | None, dict[str, list[str]]]:
    """Return the sum of the parts in ``rows``, and the lines of errors by their class."""
    sums, problems = GrowingSums(), dict[str, list[str]]()
    for row in rows:
        if row["error"] is not None:
            found = [unpacked(json.loads(one)) for one in row["problems"]]
            problems.setdefault(str(row["error"]), []).extend(found)
        elif row["part"] is not None:
            sums.add(ScoredPart.from_bytes(bytes(row["part"])))
    return sums.total(), problems


def _tables(source: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Yield rows of ``source``, `ROWS` or more at a time but for the last."""
    batches: list[pa.RecordBatch] = []
    for batch in source:
        if batch.num_rows:
            batches.append(batch)
        if sum(one.num_rows for one in batches) >= ROWS:
            yield pa.Table.from_batches(batches)
            batches = []
    if batches:
        yield pa.Table.from_batches(batches)


def _with_nulls(table: pa.Table, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    columns = [
        table[field.name] if field.name in table.column_names else pa.nulls(table.num_rows, field.type)
        for field in schema
    ]
    yield from pa.Table.from_arrays(columns, schema=schema).to_batches()


def _content_number(batches: Iterable[Batch]) -> int:
    """Return a number of 63 bits that the same samples always have."""
    return sum(sum(hash_strings(batch.column("id")).tolist()) for batch in batches) % (1 << 63)


def by_id(problem: str, ids: pa.ChunkedArray) -> str:
    """Return a problem with the id of its row: the number of a row means nothing in a share of the rows.

    >>> by_id(at("row", 2, "answer must be a text"), pa.chunked_array([["q1", "q7"]]))
    "the row with id 'q7': answer must be a text"
    """
    row, what = _row_and_problem(problem)
    if row is None or row > len(ids):
        return problem
    name = ids[row - 1].as_py()
    if REPEATED_ID in codes_in(what):
        return Message("RG-ENG-040 two rows have the id {name!r}; ids must be unique", name)
    return Message("the row with id {name!r}: {what}", name, what)


def _row_and_problem(problem: str) -> tuple[int | None, str]:
    """Return the number of the row that a problem is of, and what is wrong; None where it is of no row."""
    if not isinstance(problem, Message) or problem.template != _ROW:
        return None, problem
    return problem.values["place"], problem.values["what"]


def repeated_ids(source: str, ids: Iterable[object], name: str, *, has_own: bool) -> DataError:
    """Return the error of ids that several rows have; ``has_own``: of the column ``name``, not made from content."""
    if not has_own:
        same = "RG-ENG-041 several rows have the same content (its hash is {hash})"
        what = [Message(same, one) for one in sorted(map(str, ids))]
        return DataError.of(source, what, advice="They are told apart by ids alone: add a column of ids, each its own")
    twice = [Message("RG-ENG-042 several rows have the id {name!r}", one) for one in sorted(map(str, ids))]
    return DataError.of(source, twice, advice=advice_on_ids(name))


def by_text(problem: str, table: pa.Table) -> str:
    """Return a problem with the first text of its row, where rows have no ids.

    >>> by_text(at("row", 2, "answer must be a text"), pa.table({"topic": [1, 2], "question": ["Who?", "谁写的？"]}))
    "the row with question '谁写的？': answer must be a text"
    """
    place, what = _row_and_problem(problem)
    if place is None or place > table.num_rows:
        return problem
    row = table.slice(place - 1, 1).to_pylist()[0]
    name, text = next(((name, one) for name, one in row.items() if isinstance(one, str)), ("no text", ""))
    return Message("the row with {name} {text!r}: {what}", name, text[:_EXCERPT], what)
