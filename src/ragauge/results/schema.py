"""The layout of a saved run: what its manifest holds, the columns of its tables, and the error of a damaged one."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from hashlib import file_digest
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, get_args

import pyarrow as pa

from ragauge.core.messages import Counted, Message
from ragauge.core.protocol import STAGES, Average, Direction
from ragauge.core.sample import SCHEMA
from ragauge.errors import DataError, excerpt, worded
from ragauge.formats.convert import TYPES
from ragauge.formats.source import TEXT, TEXTS
from ragauge.results.replacing import regular_file

if TYPE_CHECKING:
    import pyarrow.parquet as pq

SAMPLES, SCORES, EVIDENCE = "samples.parquet", "scores.parquet", "evidence.parquet"
"""The tables of a run."""


class JsonValue(NamedTuple):
    """A value without parts: what it must be in ``words``, and whether it ``fits``."""

    words: str
    fits: Callable[[Any], bool]


class IfAny(NamedTuple):
    """The shape of a key that may be left out."""

    shape: Any


JsonShape: TypeAlias = Any
"""A JsonValue, a list of the shape of all items, or a dict of the shapes of keys, where ``...`` stands for others."""


def _problems(value: Any, shape: JsonShape, place: str) -> Iterator[str]:
    """Yield all that is wrong with a value of JSON, each in words that begin with its place."""
    if isinstance(shape, IfAny):
        shape = shape.shape
    if isinstance(shape, JsonValue):
        if not shape.fits(value):
            yield Message("{place} must be {allowed}; got {got}", place, worded(shape.words), _shown(value))
    elif not isinstance(value, type(shape)):
        shown = place or Message("the manifest")
        yield Message("{place} must be {allowed}; got {got}", shown, _shown(shape), _shown(value))
    elif isinstance(shape, list):
        for number, item in enumerate(value):
            yield from _problems(item, shape[0], f"{place}[{number}]")
    else:
        required = {key: None for key, part in shape.items() if key is not ... and not isinstance(part, IfAny)}
        for name in required | value:
            inside = f"{place}.{name}" if place else name
            if name not in value:
                yield Message("{place} is missing", inside)
            elif name not in shape and ... not in shape:
                yield Message("{place} is not a known key", inside)
            else:
                yield from _problems(value[name], shape.get(name, shape.get(...)), inside)


def _is_number(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, int | float) and abs(value) <= sys.float_info.max


def _is_count(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, int) and 0 <= value < 1 << 63


def _is_group(value: Any) -> bool:
    if not isinstance(value, dict):
        return value is None
    return len(value) == 1 and all(one is None or isinstance(one, str | int | float) for one in value.values())


def _one_of(choices: tuple[str, ...]) -> JsonValue:
    return JsonValue(f"one of {', '.join(choices)}", choices.__contains__)


_ANYTHING = JsonValue("anything", lambda _: True)
_TEXT = JsonValue("a text", lambda value: isinstance(value, str))
_NUMBER = JsonValue("a number or null", lambda value: value is None or _is_number(value))
_COUNT = JsonValue("a whole number from 0", _is_count)
_BOUNDS = JsonValue(
    "two numbers or null",
    lambda value: value is None or (isinstance(value, list) and len(value) == 2 and all(map(_NUMBER.fits, value))),
)

_SCORE: JsonShape = {
    "metric": _TEXT,
    **dict.fromkeys(("value", "low", "high"), _NUMBER),
    "parts": {...: _NUMBER},
    "group": JsonValue("a column with its value, or null", _is_group),
    **dict.fromkeys(("scored", "total", "undefined", "missing", "failed", "undefined_scored"), _COUNT),
    "bounds": _BOUNDS,
    "average": _one_of(get_args(Average)),
    "stage": _one_of(STAGES),
    "direction": _one_of(get_args(Direction)),
    "signature": _TEXT,
    "notes": IfAny([_TEXT]),
    "noted": IfAny({...: _COUNT}),
    "compared_by": IfAny(_TEXT),
    "unit": IfAny(_TEXT),
}
_MANIFEST: JsonShape = {
    "run": {
        "format": _COUNT,
        **dict.fromkeys(("ragauge", "created"), _TEXT),
        "metrics": {...: _TEXT},
        "files": {...: _TEXT},
        **dict.fromkeys(("tag", "commit"), IfAny(_TEXT)),
        "left_out": IfAny([dict.fromkeys(("id", "why", "who", "when"), _TEXT)]),
        ...: _ANYTHING,
    },
    "metrics": [_SCORE],
    # Before the first sample was left out.
    "whole": IfAny({"metrics": [_SCORE], "samples": _COUNT, **dict.fromkeys(("task", "output"), _TEXT)}),
    "data": {
        "source": _TEXT,
        "samples": _COUNT,
        "columns": [_TEXT],
        "mapping": {...: _TEXT},
        "notes": [_TEXT],
        **dict.fromkeys(("task", "output"), _TEXT),
        ...: _ANYTHING,
    },
    "options": {
        "by": [_TEXT],
        "cluster": JsonValue("a text or null", lambda value: value is None or isinstance(value, str)),
        "level": JsonValue("a number between 0 and 1", lambda value: _is_number(value) and 0 < value < 1),
        "resamples": _COUNT,
        "seed": JsonValue("a whole number", lambda value: isinstance(value, int) and not isinstance(value, bool)),
        "interval": _TEXT,
        ...: _ANYTHING,
    },
    ...: _ANYTHING,
}


def manifest_problems(manifest: Any) -> list[str]:
    """Return all that is wrong with the manifest of a run, each in words that begin with its place."""
    problems = list(_problems(manifest, _MANIFEST, ""))
    if problems:
        return problems
    metrics, columns = manifest["run"]["metrics"], manifest["data"]["columns"]
    whole = [score["metric"] for score in manifest["metrics"] if score["group"] is None]
    named = {score["metric"] for score in manifest["metrics"]}
    if not metrics or sorted(whole) != sorted(metrics) or not named <= set(metrics):
        problems.append(Message("metrics must hold one score of all samples for each of run.metrics"))
    if "id" not in columns or len(set(columns)) != len(columns):
        problems.append(Message("data.columns must hold id, and each name once; got {names}", ", ".join(columns)))
    left_out = [one["id"] for one in manifest["run"].get("left_out", ())]
    kept = manifest["data"]["samples"] + len(left_out)
    if manifest.get("whole", {"samples": kept})["samples"] != kept or ("whole" in manifest) != bool(left_out):
        problems.append(Message("run.left_out, whole and data.samples must agree on how many samples there are"))
    if len(set(left_out)) != len(left_out):
        problems.append(Message("run.left_out must name each sample once"))
    options = manifest["options"]
    absent = {*options["by"], options["cluster"]} - {None, *columns}
    if absent:
        problems.append(Message("options must name columns of the data; got {names}", ", ".join(sorted(absent))))
    for place, score in enumerate(manifest["metrics"]):
        if score["total"] != sum(score[state] for state in ("scored", "undefined", "missing", "failed")):
            template = "metrics[{place}].total must be the sum of scored, undefined, missing and failed"
            problems.append(Message(template, place))
    return problems


def manifest_bytes(manifest: Mapping[str, Any]) -> bytes:
    """Return a manifest as the content of its file."""
    text = json.dumps(manifest, ensure_ascii=False, indent=1, allow_nan=False)
    # Names of files that are not UTF-8 become the escapes of JSON.
    return text.encode("utf-8", "backslashreplace") + b"\n"


def _shown(value: Any) -> str:
    """Return a value of JSON in at most about forty characters."""
    if isinstance(value, dict | list):
        return Message("an object") if isinstance(value, dict) else Message("a list")
    if isinstance(value, int) and abs(value) > sys.float_info.max:
        return Message("a number that is too large")
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}..."


def table_problems(name: str, schema: pa.Schema, rows: int, manifest: Mapping[str, Any]) -> list[str]:
    """Return all that is wrong with the columns and the number of rows of the file ``name`` of a run."""
    if name == EVIDENCE:
        return _evidence_problems(schema)
    wanted = manifest["data"]["samples"] + len(manifest["run"].get("left_out", ()))
    problems: list[str] = (
        [] if rows == wanted else [Message("it has {rows}; the manifest says {n}", Counted(rows, "row"), wanted)]
    )
    columns = manifest["data"]["columns"] if name == SAMPLES else list(manifest["run"]["metrics"])
    missing = [column for column in columns if schema.names.count(column) != 1]
    problems += [Message("column {column!r} must be there once", column) for column in missing]
    types = {column: schema.field(column).type for column in columns if column not in missing}
    if name == SCORES:
        wrong = [column for column, kind in types.items() if not _is_scores(kind)]
        what = "column {column!r} does not hold the scores of a metric"
        return [*problems, *[Message(what, column) for column in wrong]]
    if not pa.types.is_string(types.get("id", pa.string())):
        problems.append(Message("column 'id' must hold texts; it holds {kind}", types["id"]))
    for column, kind in types.items():
        known = TYPES[SCHEMA[column]] if column in SCHEMA and column != "id" else kind
        # A text may be a list of its tokens.
        if kind not in (known, pa.null()) and not (kind == pa.list_(known) and known in (TEXT, TEXTS)):
            template = "column {column!r} must be of type {known}; it is of type {kind}"
            problems.append(Message(template, column, known, kind))
    return problems


def _evidence_problems(schema: pa.Schema) -> list[str]:
    texts = [(name, "texts", "string") for name in ("metric", "id", "what", "text", "best")]
    wanted = [*texts, ("similarity", "numbers", "double"), ("supported", "booleans", "bool")]
    types = {field.name: str(field.type) for field in schema}
    # Runs that were saved by earlier versions have no such column.
    wanted += [("why", "texts", "string")] if "why" in types else []
    return [
        Message("column {name!r} must hold {kind}", name, Message(words))
        for name, words, kind in wanted
        if types.get(name) not in (kind, "null")
    ]


def _is_scores(kind: pa.DataType) -> bool:
    """Return whether a column's type is that of the scores of a metric, with all fields."""
    fields = {"score": pa.float64(), "status": pa.string(), "defaulted": pa.bool_(), "reason": pa.string()}
    if not pa.types.is_struct(kind) or len({field.name for field in kind}) != kind.num_fields:
        return False
    types = {field.name: field.type for field in kind}
    structs = [types.get("statistics", pa.null()), types.get("parts", pa.struct([]))]
    if not all(map(pa.types.is_struct, structs)) or any(types.get(name) != wanted for name, wanted in fields.items()):
        return False
    numbers = [field.type for struct in structs for field in struct]
    return all(pa.types.is_integer(kind) or pa.types.is_floating(kind) for kind in numbers)


def damaged(file: Path, problems: Sequence[str]) -> DataError:
    """Return the error of a file of a saved run with everything that is wrong with it."""
    return DataError.of(
        Message("RG-RUN-017 {file} is damaged", file), problems, advice="score the data again, or restore the folder"
    )


@contextmanager
def readable(path: Path) -> Iterator[Path | pa.BufferReader]:
    """Yield what pyarrow reads of a file, and raise DataError in place of the errors by which it refuses the file."""
    try:
        yield _source(path)
    except FileNotFoundError:
        raise damaged(path, [Message("the file is missing")]) from None
    except (OSError, pa.ArrowException, LookupError, TypeError, ValueError) as error:
        raise damaged(path, [Message("it cannot be read: {reason}", excerpt(str(error)))]) from error


def _source(path: Path) -> Path | pa.BufferReader:
    """Return a path, or the content of the file where its name is not UTF-8."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return pa.BufferReader(path.read_bytes())
    return path


def open_table(path: Path, manifest: Mapping[str, Any]) -> pq.ParquetFile:
    """Return an open table of a run whose content is what was saved, with the columns that it must have."""
    import pyarrow.parquet as pq

    check_digest(path, manifest)
    with readable(path) as source:
        file = pq.ParquetFile(source)
        problems = table_problems(path.name, file.schema_arrow, file.metadata.num_rows, manifest)
    if problems:
        raise damaged(path, problems)
    return file


def digest(path: Path) -> str:
    """Return the SHA-256 of a file as hexadecimal digits."""
    with regular_file(path).open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def check_digest(path: Path, manifest: Mapping[str, Any]) -> None:
    """Raise DataError where a file is missing or its content has changed."""
    with readable(path):
        same = digest(path) == manifest["run"]["files"].get(path.name)
    if not same:
        raise damaged(path, [Message("its content is not what was saved")])


def write_tables(tables: Iterable[pa.Table], path: Path) -> None:
    """Write tables one after the other to a Parquet file."""
    import pyarrow.parquet as pq

    with ExitStack() as files:
        writer = None
        for table in tables:
            if writer is None:
                file = files.enter_context(path.open("wb"))
                writer = files.enter_context(pq.ParquetWriter(file, table.schema, compression="zstd"))
            writer.write_table(table.cast(writer.schema))
