"""Data that have rows or columns already: lists, dicts, samples, tables of any library, Parquet and Arrow files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from ragauge.core.messages import Message
from ragauge.core.sample import SCHEMA, Sample
from ragauge.errors import DataError, RagaugeError, excerpt, worded
from ragauge.formats.column_names import DEEPEVAL_RETRIEVED, known_name
from ragauge.formats.dict_of_columns import is_columns, singular_names
from ragauge.formats.fields import is_list, items, kind_of, plain
from ragauge.formats.header_rows import named_rows
from ragauge.formats.objects import own_fields, plain_values, rows_within
from ragauge.formats.opening import Opened
from ragauge.formats.source import Chunk, Problem, Source, of_rows
from ragauge.formats.sources import export_of
from ragauge.formats.wrapped_rows import unwrapped, within

if TYPE_CHECKING:
    import pyarrow.parquet as pq

    from ragauge.formats.sources.export import Export

_ROWS = 1 << 14
"""Rows per chunk: the work per chunk is small beside that per row, and a chunk of Python objects is some megabytes."""
PARQUET = b"PAR1"
ARROW = b"ARROW1"


def opened_object(source: Any) -> Source:
    """Open data in memory; DataError for a type that cannot be read."""
    if isinstance(source, pa.Table):
        return Source("pyarrow.Table", from_batches(source.to_batches(), "pyarrow.Table"), resident=True)
    if isinstance(source, Mapping):
        return Source("dict", _from_mapping(source))
    if isinstance(source, np.ndarray | np.void) and source.dtype.names:
        records = np.array([source], source.dtype) if isinstance(source, np.void) else source
        columns = {name: records[name].tolist() for name in source.dtype.names}
        return Source(_name(source), from_columns(columns, _name(source)))
    if hasattr(source, "with_format") and hasattr(source, "iter"):
        # Hugging Face's datasets: this way alone applies their selection and order of rows.
        parts = source.with_format("arrow").iter(batch_size=_ROWS)
        batches = (batch for table in parts for batch in table.to_batches())
        return Source(_name(source), from_batches(batches, _name(source)))
    if type(source).__module__.startswith("polars.") and hasattr(source, "collect"):
        source = source.collect()
    if hasattr(source, "__arrow_c_stream__"):
        return Source(_name(source), _from_stream(source))
    rows: Iterable[Any] | None = [source] if isinstance(source, Sample) else rows_within(source)
    if rows is None and isinstance(source, Iterable) and not isinstance(source, str | bytes):
        rows = source
    if rows is not None:
        return Source("list of dicts" if isinstance(source, list) else _name(source), from_rows(iter(rows)))
    advice = Message("; call .collect() first") if hasattr(source, "collect") else ""
    template = (
        "RG-DATA-064 cannot read data of type {kind}{advice}: give a path, a list of dicts or of Sample, a dict of "
        "columns, or a table (pandas, Polars, DuckDB, pyarrow, datasets)"
    )
    raise DataError(template, _name(source), advice)


def _name(source: object) -> str:
    kind = type(source)
    package = kind.__module__.partition(".")[0]
    return kind.__name__ if package == "builtins" else f"{package}.{kind.__name__}"


def _from_mapping(source: Mapping[str, Any]) -> Iterator[Chunk]:
    if source and all(hasattr(value, "with_format") for value in source.values()):
        raise DataError(
            "RG-DATA-053 the data have the splits {source}; give one of them: data[{source2!r}]",
            ", ".join(source),
            next(iter(source)),
        )
    is_own = any(known_name(str(name)) or not isinstance(name, str) for name in source)
    return _from_fields(source, "dict") if is_own else from_document(source, "dict")


def from_document(document: Mapping[str, Any], name: str) -> Iterator[Chunk]:
    """Return the rows within a document, its columns, or itself as one row."""
    found = within(document, name)
    if found is None:
        return _from_fields(document, name)
    return chain(from_rows(iter(found.rows)), [Chunk({}, (), notes=found.notes)])


def _from_fields(source: Mapping[str, Any], name: str) -> Iterator[Chunk]:
    columns = is_columns(source) and export_of(source) is None
    return from_columns(source, name) if columns else from_rows(iter([source]))


def _from_stream(source: Any) -> Iterator[Chunk]:
    try:
        reader = pa.RecordBatchReader.from_stream(source)
    except (pa.ArrowException, TypeError, ValueError) as error:
        # pandas has columns of mixed objects, which Arrow has no type for.
        if not hasattr(source, "to_dict") or not hasattr(source, "columns"):
            raise DataError(
                "RG-DATA-056 {name}: cannot be read as Arrow data: {reason}", _name(source), excerpt(str(error))
            ) from None
        _check_once(list(source.columns), _name(source))
        yield from from_columns({str(name): _pandas_values(source[name]) for name in source.columns}, _name(source))
    else:
        yield from from_batches(reader, _name(source))


def _pandas_values(series: Any) -> Any:
    """Return a column of pandas, which has several kinds of missing values."""
    try:
        return pa.array(series, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError):
        return [None if missing else value for value, missing in zip(series, series.isna(), strict=True)]


def from_batches(batches: Iterable[pa.RecordBatch], name: str) -> Iterator[Chunk]:
    """Return a chunk for each Arrow batch of the source ``name``; nothing is copied."""
    remaining = iter(batches)
    taken = list(islice(remaining, 1))
    export = export_of(taken[0].schema.names) if taken else None
    if export is not None:
        yield from exported(export, chain.from_iterable(batch.to_pylist() for batch in chain(taken, remaining)))
        return
    first = 1
    for batch in chain(taken, remaining):
        if batch.num_rows:
            columns = dict(zip(batch.schema.names, batch.columns, strict=True))
            _check_once(batch.schema.names, name)
            # pandas adds its index under such a name; it is not content of the row.
            columns = {name: column for name, column in columns.items() if not name.startswith("__index_level_")}
            yield Chunk(columns, range(first, first + batch.num_rows))
        first += batch.num_rows


def _check_once(names: Sequence[Any], source: str) -> None:
    """Raise DataError where a table has two columns of one name."""
    if len(set(names)) < len(names):
        [(repeated, _)] = Counter(names).most_common(1)
        raise DataError("RG-DATA-057 {name}: two columns are named {repeated}; rename one", source, repeated)


def from_rows(rows: Iterator[Any]) -> Iterator[Chunk]:
    """Return chunks of rows that are dicts, Samples or objects with fields; of a framework's export, its samples."""
    notes: list[str] = []
    rows = unwrapped(named_rows(rows), notes)
    leading = list(islice(rows, 1))
    fields = own_fields(leading[0]) if leading else None
    export = None if fields is None else export_of(fields)
    if export is not None:
        yield from exported(export, (own_fields(one) or one for one in chain(leading, rows)))
    else:
        yield from _chunks(chain(leading, rows))
    yield from [Chunk({}, (), notes=notes)] if notes else []


def exported(export: Export, rows: Iterable[Any]) -> Iterator[Chunk]:
    """Return chunks of the samples in rows of a framework's ``export``, and notes on them."""
    yield Chunk({}, (), notes=[Message("RG-NOTE-003 read as {name}", export.name)])
    notes: list[str] = []
    place = 0

    def numbered() -> Iterator[Any]:
        nonlocal place
        for place, row in enumerate(rows, 1):  # noqa: B007 - it says which row was read last
            yield row

    try:
        for chunk in _chunks(iter(export.samples(numbered(), notes))):
            origins = {known: origin for known, origin in export.origins.items() if known in chunk.columns}
            yield replace(chunk, origins=origins)
    except (RagaugeError, UnicodeDecodeError):
        raise
    except _OF_ANOTHER_FORM:
        what = Message("RG-DATA-115 is not as {export} are: {advice}", export.name, worded(_EXPORT_AGAIN))
        yield Chunk({}, (), problems=[Problem(place, what)])
    yield Chunk({}, (), notes=notes)


_OF_ANOTHER_FORM = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""Errors of the readers of exports where a value has another type."""
_EXPORT_AGAIN = "a value is of another kind, or is missing; export it again, or write rows with question and answer"


def _chunks(rows: Iterator[Any]) -> Iterator[Chunk]:
    first = 1
    while taken := list(islice(rows, _ROWS)):
        yield _chunk(taken, first)
        first += len(taken)


def _chunk(taken: Sequence[Any], first: int) -> Chunk:
    converted = [_as_row(one) for one in taken]
    places = range(first, first + len(taken))
    if None not in converted:
        return _plain(of_rows(converted, places))  # type: ignore[arg-type]
    problems = [
        Problem(place, Message("RG-DATA-116 a row must be an object with columns; got {kind}", kind_of(one)))
        for place, one, row in zip(places, taken, converted, strict=True)
        if row is None
    ]
    kept = [(place, row) for place, row in zip(places, converted, strict=True) if row is not None]
    return _plain(of_rows([row for _, row in kept], [place for place, _ in kept], problems))


def _plain(chunk: Chunk) -> Chunk:
    """Return rows with the objects of other libraries in their fields as plain values."""
    columns = {
        name: values if isinstance(values, pa.Array) else plain_values(values) for name, values in chunk.columns.items()
    }
    return replace(chunk, columns=columns)


def _as_row(one: Any) -> Mapping[str, Any] | None:
    if isinstance(one, Mapping):
        return one if all(type(name) is str for name in one) else {str(name): value for name, value in one.items()}
    if isinstance(one, Sample):
        columns = {name: getattr(one, name) for name in SCHEMA if getattr(one, name) is not None}
        return {**one.tags, **columns}
    fields = own_fields(one)
    if fields is None:
        return None
    # Where an object has a field for what was retrieved, which is empty, its `context` is what should have been.
    is_wanted = any(name in fields and fields[name] is None for name in DEEPEVAL_RETRIEVED)
    names = {"context": "reference_contexts"} if is_wanted else {}
    return {names.get(str(name), str(name)): value for name, value in fields.items() if value is not None}


def from_columns(columns: Mapping[str, Any], name: str) -> Iterator[Chunk]:
    """Return the rows of a dict of columns; DataError where they differ in length."""
    export = export_of(list(columns))
    values = {str(column): _values(one) for column, one in columns.items()}
    lengths = {column: len(one) for column, one in values.items()}
    if len(set(lengths.values())) > 1:
        sizes = ", ".join(f"{column} {length}" for column, length in lengths.items())
        raise DataError("RG-DATA-054 {name}: columns must be equally long; got {sizes}", name, sizes)
    if export is not None:
        each = zip(*[plain(one) for one in values.values()], strict=True)
        yield from exported(export, (dict(zip(values, row, strict=True)) for row in each))
        return
    rows = next(iter(lengths.values()))
    origins = singular_names(values)
    plurals = {plural: singular for singular, plural in origins.items()}
    for start in range(0, rows, _ROWS):
        end = min(start + _ROWS, rows)
        part = {plurals.get(column, column): one[start:end] for column, one in values.items()}
        yield _plain(Chunk(part, range(start + 1, end + 1), origins=origins))


def _values(column: Any) -> Any:
    if isinstance(column, pa.ChunkedArray):
        return column.combine_chunks()
    if isinstance(column, pa.Array):
        return column
    return items(column) if is_list(column) else column.to_list()


def parquet(file: Opened) -> Iterator[Chunk]:
    """Read a Parquet file, some rows at a time."""
    return from_batches(parquet_batches(file), file.name)


def parquet_batches(file: Opened) -> Iterator[pa.RecordBatch]:
    """Return the rows of a Parquet file as Arrow batches; DataError where it is damaged."""
    import pyarrow.parquet as pq

    def batches() -> Iterator[pa.RecordBatch]:
        with file.in_any_order() as whole, pq.ParquetFile(whole) as table:
            yield from _of_row_groups(table, file.name)

    return sound(batches(), file.name)


def _of_row_groups(table: pq.ParquetFile, name: str) -> Iterator[pa.RecordBatch]:
    """Yield all rows; DataError names the row group that is damaged."""
    batches, done = table.iter_batches(batch_size=_ROWS), 0
    while True:
        try:
            batch = next(batches, None)
        except Exception as error:
            where = _damaged_rows(table, done)
            if where is None:
                raise
            why = excerpt(str(error))
            raise DataError(
                "RG-DATA-058 {name}: {where} cannot be read: {why} Copy or write the file again", name, where, why
            ) from None
        if batch is None:
            return
        done += batch.num_rows
        yield batch


def _damaged_rows(table: pq.ParquetFile, done: int) -> str | None:
    """Return the first row group with rows after the first ``done`` that cannot be read, in words; None for none."""
    first = 1
    for group in range(table.num_row_groups):
        last = first - 1 + table.metadata.row_group(group).num_rows
        if last > done:
            try:
                for _ in table.iter_batches(batch_size=_ROWS, row_groups=[group]):
                    pass
            except Exception:  # noqa: BLE001 - of any class, as where all of it is read
                return f"row group {group + 1} of {table.num_row_groups} (rows {first} to {last})"
        first = last + 1
    return None


def arrow(file: Opened) -> Iterator[Chunk]:
    """Read an Arrow IPC file (Feather) or stream."""

    def batches() -> Iterator[pa.RecordBatch]:
        if not file.head.startswith(ARROW):
            yield from pa.ipc.open_stream(file.stream)
            return
        with file.in_any_order() as whole, pa.ipc.open_file(whole) as table:
            yield from (table.get_batch(number) for number in range(table.num_record_batches))

    yield from from_batches(sound(batches(), file.name), file.name)


def sound(batches: Iterator[pa.RecordBatch], name: str) -> Iterator[pa.RecordBatch]:
    """Check every offset and text of batches from a file, since Arrow trusts them: a wrong one ends the process."""
    try:
        for batch in batches:
            batch.validate(full=True)
            _check_names(batch.schema)
            yield batch
    except (RagaugeError, OSError):
        raise
    except Exception as error:  # noqa: BLE001 - pyarrow raises SystemError, IndexError, MemoryError and more
        what = excerpt(str(error)).rstrip(".")
        raise DataError(
            "RG-DATA-055 {name}: cannot be read: {what}; it is damaged, or is not of the format that its name says",
            name,
            what,
        ) from None


def _check_names(fields: Iterable[pa.Field]) -> None:
    """Raise UnicodeDecodeError where a name of ``fields``, or of those within them, is not UTF-8."""
    for field in fields:
        _ = field.name
        _check_names([field.type.field(place) for place in range(field.type.num_fields)])
