"""Read samples from any source, all rows checked before the first is scored."""

from __future__ import annotations

import gc
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import Annotated, Any, TypeAlias

import numpy as np
import pyarrow as pa

from ragauge.core.arrow import to_arrow, whole
from ragauge.core.batch import Dataset
from ragauge.core.hashing import HashArray
from ragauge.core.messages import Joined, Message
from ragauge.core.options import Range, checked_value
from ragauge.core.sample import SCHEMA, ByColumn
from ragauge.errors import ColumnError, DataError, at
from ragauge.formats.absent_words import notes_on_absent_words
from ragauge.formats.column_names import RELEVANT_IDS, as_map, check_mapping, folded, known_name, resolve
from ragauge.formats.convert import NO_ID, Converted, converted
from ragauge.formats.encodings import Encoding
from ragauge.formats.fields import each, text
from ragauge.formats.file_formats import opened_source
from ragauge.formats.frames import with_frame
from ragauge.formats.inferred import Understood, notes_on
from ragauge.formats.joined_texts import joined_notes
from ragauge.formats.opening import changed, file_state
from ragauge.formats.other_names import under_one_name
from ragauge.formats.proposals import known_by_fields
from ragauge.formats.question_sheet import MARKS, as_samples
from ragauge.formats.rows import SPOOL_ABOVE, Batches, Segment, Spool, cast, conformed, wider
from ragauge.formats.shapes import shaped
from ragauge.formats.source import (
    MOST_ABSENT,
    MOST_COLUMNS,
    TEXT,
    TOO_MANY_ABSENT,
    TOO_MANY_COLUMNS,
    Chunk,
    Problem,
    Source,
    of_rows,
)
from ragauge.formats.splitting import by_known_name, check_split, check_split_columns, split_ids, split_passages
from ragauge.formats.wrong_rows import advice_on_rows

MOST_PROBLEMS = 10_000
"""Rows with problems after which reading stops: more of them tell nothing new and fill memory."""
_ROWS_OF_A_BATCH = 8192
_Rows: TypeAlias = Annotated[Annotated[int, Range(1)] | None, "a whole number from 1 on"]
_OBJECTS = 100_000
"""New objects between two looks for unreachable cycles. With 700, Python's own, that took a third of reading."""


def read(
    source: Any,
    *,
    mapping: Mapping[str, str] | None = None,
    split: Mapping[str, str] | None = None,
    limit: int | None = None,
    format: str | None = None,  # noqa: A002 - the word that other libraries use
    encoding: str | None = None,
    batch_size: int = _ROWS_OF_A_BATCH,
    spool_above: int = SPOOL_ABOVE,
) -> Dataset:
    """Read samples and check every row of them.

    Args:
        source: a path to JSON Lines, JSON (a list of rows, an object of columns, RAGChecker's results, mlflow's rows),
            CSV, TSV, Parquet or Arrow, each also compressed (``.gz``, ``.zst``); a pattern that names several of one
            format (``parts/*.jsonl``); ``-`` for JSON from standard input;
            a list of dicts or of `Sample`; a dict of columns; one row; or a table of pandas, Polars, DuckDB, pyarrow,
            datasets. Other file formats: see `register_format`.
        mapping: known column -> its name in the source, for names that are not recognised or are ambiguous. A dotted
            name (``inputs.question``) points into an object. A name that is mapped to itself stays as it is.
        split: column of texts -> the separator between the texts, where a field holds them all in one.
        limit: the greatest number of rows to read.
        format: the name of a file's format; None: by the suffix, else by the first bytes. See `register_format`. Of a
            workbook also the sheet, as in ``xlsx:Answers``.
        encoding: of a file of texts, such as ``big5``; None: UTF-8, or what its first bytes show, with a note (UTF-16
            by its mark, GB 18030).
        batch_size: the greatest number of rows in a batch.
        spool_above: bytes above which rows go to a temporary file.

    Raises:
        DataError: rows are wrong; the message names each of them with its line.
        ColumnError: several columns could be the same known column.
        ColumnError: ``mapping`` or ``split`` names a column that the data do not have.
        OptionError: ``limit`` or ``batch_size`` is less than 1, ``split`` names no column of texts, ``encoding`` is
            not known, or ``format`` or ``encoding`` is given for data that are not a file.
        UnknownNameError: no format is named ``format``.

    Known columns have the types of the data contract, whatever the source; all others are kept. Rows without an id
    get one that is made from their content and is the same in any order of the rows.

    >>> data = read([{"user_input": "Who?", "response": "Anna."}])
    >>> data.rows, data.columns, dict(data.mapping)
    (1, ('id', 'question', 'answer'), {'question': 'user_input', 'answer': 'response'})
    """
    checked_value("read", "limit", limit, _Rows)
    checked_value("read", "batch_size", batch_size, _Rows)
    checked_value("read", "mapping", mapping, ByColumn)
    checked_value("read", "split", split, ByColumn)
    checked_value("read", "encoding", encoding, Encoding)
    check_split(split or {})
    before = file_state(source)
    with opened_source(source, format, encoding) as opened:
        spool = Spool(math.inf if opened.resident else spool_above)
        reading = Reading(opened, mapping or {}, split or {}, spool)
        collected = gc.get_threshold()
        gc.set_threshold(max(_OBJECTS, collected[0]) if collected[0] else 0, *collected[1:])
        try:
            for chunk in opened.chunks:
                rows = as_samples(chunk, written=opened.written) if chunk.columns.keys() >= MARKS else chunk
                reading.add(rows if limit is None else rows.head(limit - reading.count))
                if len(reading.problems) >= MOST_PROBLEMS or reading.count == limit:
                    break
        except Exception as error:
            if reading.count:
                error.add_note(f"(after {reading.count} rows that could be read)")
            raise
        finally:
            gc.set_threshold(*collected)
        if reading.count != limit and file_state(source) != before:
            # Its last row may be half of one, and parts of it from before and after the change.
            raise changed(opened.name)
        reading.check()
        return reading.dataset(batch_size)


def read_known(rows: Sequence[Mapping[str, Any]], name: str) -> Dataset:
    """Return rows whose columns are known already: none is taken for another, and no rows for a framework's export.

    Args:
        rows: all with the same keys, known columns under their own names; at least one.
        name: of the source, for messages.

    Raises:
        DataError: rows are wrong; the message names each of them.

    >>> read_known([{"answer": "Anna.", "source_nodes": 2, "response": "?"}], "answers").columns
    ('id', 'answer', 'source_nodes', 'response')
    """
    reading = Reading(Source(name, iter(())), {}, {}, Spool())
    for first in range(0, len(rows), _ROWS_OF_A_BATCH):
        part = rows[first : first + _ROWS_OF_A_BATCH]
        chunk = of_rows(part, range(first + 1, first + 1 + len(part)))
        reading.keep(converted(chunk, {column: column for column in chunk.columns}, written=False, split={}))
    reading.check()
    return reading.dataset()


class Reading:
    """The rows of a source that are read so far.

    ``count``: their number. ``problems``: those that have been found so far. ``absent``: fields that they lack.
    ``split``: known column -> the separator at which its fields are split.
    """

    def __init__(
        self,
        source: Source,
        mapping: Mapping[str, str],
        split: Mapping[str, str],
        spool: Spool,
        names: Sequence[str] = (),
        by_values: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Begin; or go on after rows with the columns ``names``, of which ``by_values`` were known by their fields."""
        self._source = source
        self._mapping = mapping
        self._asked = split
        self._found: dict[str, str] = {}
        self._spool = spool
        self._columns = resolve(names, mapping, by_values)
        self._source_names: dict[str, None] = dict.fromkeys(names)
        self._by_values: dict[str, str] = dict(by_values)
        self._origins: dict[str, str] = {}
        self._merged: dict[str, set[str]] = {}
        self._notes: list[str] = []
        self._types: dict[str, pa.DataType] = {}
        self._ids: list[HashArray] = []
        self._places: list[Sequence[int]] = []
        self._inferred: Counter[Understood] = Counter()
        self.split = by_known_name(split, self._columns.sources)
        self.absent = 0
        self.count = 0
        self.problems: list[Problem] = []

    def add(self, chunk: Chunk) -> None:
        """Convert and keep the rows of ``chunk``; ColumnError where several columns could be the same known one."""
        rows = self.understood(chunk)
        if rows is not None:
            self.keep(rows)

    def understood(self, chunk: Chunk) -> Converted | None:
        """Convert the rows of ``chunk``, None where it has none; errors as of `add`."""
        self._notes += chunk.notes
        self._origins |= chunk.origins
        asked = [*self._mapping.values(), *self._asked]
        chunk = self._named(shaped(chunk, asked, written=self._source.written))
        self._origins |= chunk.origins
        self.problems += chunk.problems
        if not chunk.places:
            return None
        apart = {*self._source_names, *asked}
        chunk, merged = under_one_name(chunk, self._columns.sources, self._merged, apart, self._mapping)
        if not self._source_names.keys() >= chunk.columns.keys():
            self._resolve(chunk)
        for one in merged:
            self._merged.setdefault(str(known_name(one.column)), set()).add(one.example)
        of_ids = not RELEVANT_IDS.isdisjoint(map(folded, self._mapping))
        rows = converted(chunk, self._columns.sources, written=self._source.written, split=self.split, of_ids=of_ids)
        return rows._replace(inferred={**rows.inferred, **merged, **chunk.inferred})

    def keep(self, rows: Converted, segment: Segment | None = None) -> None:
        """Keep converted rows, whose columns may lie in a ``segment``, in the types that columns have by now."""
        self.problems += rows.problems
        self._inferred.update(rows.inferred)
        self._ids.append(rows.ids)
        self._places.append(rows.places)
        self.count += len(rows.places)
        for name, kind in rows.types.items():
            before = self._types.get(name, kind)
            self._types[name] = kind if before == kind else wider(before, kind)
        if segment is not None:
            if all(self._types[name] == kind for name, kind in rows.types.items()):
                self._spool.adopt(segment)
                return
            table = segment.mapped()
            rows = rows._replace(columns={name: whole(table[name]) for name in rows.types})
        for name, column in rows.columns.items():
            # The other columns of CSV stay text until all of it is read.
            if not (self._source.written and name not in SCHEMA):
                try:
                    rows.columns[name] = cast(column, self._types[name])
                except pa.ArrowInvalid:
                    # Integers that no float64 holds, in a column that has floats as well.
                    self._types[name] = TEXT
                    rows.columns[name] = cast(column, TEXT)
        # Arrow counts rows by their columns, and these may have none.
        columns = rows.columns or {"id": pa.nulls(len(rows.places))}
        self._spool.add(pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns)))

    def _named(self, chunk: Chunk) -> Chunk:
        """Return ``chunk`` without columns whose names are not valid text, which become problems; or without any rows.

        Columns, and fields that rows lack, are counted over all chunks.
        """
        places = chunk.places
        self.absent += chunk.absent
        too_many = len(self._source_names.keys() | chunk.columns.keys()) > MOST_COLUMNS
        if places and (too_many or self.absent > MOST_ABSENT):
            what = TOO_MANY_COLUMNS if too_many else TOO_MANY_ABSENT
            return Chunk({}, (), [*chunk.problems, Problem(places[0], what)])
        _, wrong = each(list(chunk.columns), "the name of a column", text)
        if not wrong:
            return chunk
        names = list(chunk.columns)
        bad = {names[index]: what for index, what in wrong}
        problems = [
            Problem(next((places[row] for row, one in enumerate(chunk.columns[name]) if one is not None), 0), what)
            for name, what in bad.items()
        ]
        columns = {name: values for name, values in chunk.columns.items() if name not in bad}
        return Chunk(columns, places, [*chunk.problems, *problems])

    def _resolve(self, chunk: Chunk) -> None:
        """Recognise the columns again; ColumnError where a late one shows that an earlier one was misread."""
        new = {name: values for name, values in chunk.columns.items() if name not in self._source_names}
        self._by_values |= known_by_fields(new, written=self._source.written)
        self._source_names.update(dict.fromkeys(chunk.columns))
        before, self._columns = self._columns, resolve(list(self._source_names), self._mapping, self._by_values)
        for name, source in before.sources.items():
            now = self._columns.sources.get(name)
            if now != source:
                maps = Joined([Message("  {map}", as_map(name, one)) for one in (source, now) if one], "\n")
                template = "RG-DATA-047 {source} was read as {name} until column {now} came; choose one:\n{maps}"
                raise ColumnError(template, source, name, now, maps)
        asked = by_known_name(self._asked, self._columns.sources)
        found, notes = split_ids(new, self._columns.sources, {**self._found, **asked})
        passages, of_passages = split_passages(new, self._columns.sources, {**self._found, **asked})
        self._found, self._notes = self._found | found | passages, [*self._notes, *notes, *of_passages]
        self.split = {**self._found, **asked}

    def known_so_far(self) -> tuple[tuple[str, ...], Mapping[str, str], Mapping[str, str]]:
        """Return the names of all columns, those that were recognised by their fields, and known column -> its name."""
        return tuple(self._source_names), self._by_values, self._columns.sources

    def check(self) -> None:
        """Raise DataError for wrong rows or none, ColumnError where an option names a column that no row has."""
        if self._source_names:
            check_mapping(self._mapping, list(self._source_names))
            check_split_columns(self._asked, self._columns.sources, self._spool.tables())
        problems = sorted(self.problems + self._id_problems(), key=lambda one: one.place)
        if problems:
            what = [one.what for one in problems]
            advice = advice_on_rows(what, self._source_names, self._columns.sources, self._spool.tables())
            wrong = [at(self._source.unit, *one) for one in problems]
            raise DataError.of(self._source.name, wrong, advice=with_frame(advice, self._source.frame))
        if not self.count:
            why = "".join(f" ({note})" for note in self._notes)
            raise DataError("RG-DATA-045 {name}: has no rows; give at least one{why}", self._source.name, why)
        if not self._types:
            raise DataError("RG-DATA-046 {name}: the rows have no columns; give at least one", self._source.name)

    def _id_problems(self) -> list[Problem]:
        """Return the rows whose id another row has; where some rows have an id, also those without one."""
        hashes = np.concatenate(self._ids) if self._ids else np.empty(0, dtype=np.uint64)
        has_id = hashes != NO_ID
        distinct, firsts, groups = np.unique(hashes, return_index=True, return_inverse=True)
        if not has_id.any() or (has_id.all() and len(distinct) == len(hashes)):
            return []
        places = list(chain.from_iterable(self._places))
        what = Message("RG-DATA-112 has no id, but other rows have one; give every row an id, or none")
        problems = [Problem(places[row], what) for row in np.flatnonzero(~has_id)]
        firsts = firsts[groups]
        again = np.flatnonzero(has_id & (firsts != np.arange(len(hashes))))
        ids = pa.concat_tables([conformed(table, {"id": TEXT}) for table in self._spool.tables()])["id"]
        for row, name in zip(again.tolist(), ids.take(to_arrow(again)).to_pylist(), strict=True):
            first = Message(self._source.unit + " {place}", places[firsts[row]])
            what = Message("RG-DATA-111 id {name!r} is already that of {first}", name, first)
            problems.append(Problem(places[row], what))
        return problems

    def dataset(self, batch_size: int = _ROWS_OF_A_BATCH) -> Dataset:
        """Return all rows; nothing can be added after this."""
        has_ids = bool((np.concatenate(self._ids) != NO_ID).any())
        known = [name for name in SCHEMA if name in self._types and (name != "id" or has_ids)]
        others = [name for name in self._types if name not in SCHEMA]
        tables = self._spool.tables()
        batches = Batches(tables, {name: self._types[name] for name in known + others}, batch_size)
        renamed = {name: source for name, source in self._columns.sources.items() if name != source}
        origins = {name: origin for name, origin in self._origins.items() if name in known}
        said = joined_notes(tables, self.split, self._origins, self._columns.sources, written=self._source.written)
        joined = [with_frame(one, self._source.frame) for one in said]
        absent = notes_on_absent_words(tables)
        notes = (*self._notes, *self._columns.notes, *notes_on(self._inferred), *absent, *joined)
        merged = {
            known: ", ".join([self._columns.sources[known], *sorted(more)]) for known, more in self._merged.items()
        }
        mapping = MappingProxyType(origins | renamed | merged)
        return Dataset(self._source.name, self.count, batches.columns, batches, mapping, notes, self.split)
