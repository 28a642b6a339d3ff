"""The layout of a saved run: what its manifest holds, the columns of its tables, and the error of a damaged one."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import file_digest
from pathlib import Path
from typing import Any, Protocol, get_args

import pyarrow as pa

from ragauge.core.protocol import STAGES, Average, Direction
from ragauge.errors import DataError


class JsonShape(Protocol):
    """What a value of JSON must be."""

    def problems(self, value: Any, place: str) -> Iterator[str]:
        """Yield all that is wrong with ``value``, each in words that begin with ``place``."""
        ...


@dataclass(frozen=True)
class JsonValue:
    """A value that has no parts: ``words`` say what it must be, ``fits`` returns whether it is that."""

    words: str
    fits: Callable[[Any], bool]

    def problems(self, value: Any, place: str) -> Iterator[str]:
        """See `JsonShape`."""
        if not self.fits(value):
            yield f"{place} must be {self.words}; got {_shown(value)}"


@dataclass(frozen=True)
class JsonList:
    """A list whose items have one shape."""

    item: JsonShape

    def problems(self, value: Any, place: str) -> Iterator[str]:
        """See `JsonShape`."""
        if not isinstance(value, list):
            yield f"{place} must be a list; got {_shown(value)}"
            return
        for number, item in enumerate(value):
            yield from self.item.problems(item, f"{place}[{number}]")


@dataclass(frozen=True)
class JsonMapping:
    """An object with any keys, whose values have one shape."""

    item: JsonShape

    def problems(self, value: Any, place: str) -> Iterator[str]:
        """See `JsonShape`."""
        if not isinstance(value, dict):
            yield f"{place} must be an object; got {_shown(value)}"
            return
        for name, item in value.items():
            yield from self.item.problems(item, f"{place}.{name}")


@dataclass(frozen=True)
class JsonObject:
    """An object: ``keys`` that it must have, and ``optional`` ones; others are refused where it is ``closed``."""

    keys: Mapping[str, JsonShape]
    optional: Mapping[str, JsonShape] = field(default_factory=dict)
    closed: bool = False

    def problems(self, value: Any, place: str) -> Iterator[str]:
        """See `JsonShape`."""
        if not isinstance(value, dict):
            yield f"{place or 'the manifest'} must be an object; got {_shown(value)}"
            return
        shapes = {**self.keys, **self.optional}
        for name in {**self.keys, **value}:
            inside = f"{place}.{name}" if place else name
            if name not in value:
                yield f"{inside} is missing"
            elif name in shapes:
                yield from shapes[name].problems(value[name], inside)
            elif self.closed:
                yield f"{inside} is not a known key"


def _is_number(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, int | float) and abs(value) <= sys.float_info.max


def _is_count(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, int) and 0 <= value < 1 << 63


def _one_of(choices: tuple[str, ...]) -> JsonValue:
    return JsonValue(f"one of {', '.join(choices)}", choices.__contains__)


_TEXT = JsonValue("a text", lambda value: isinstance(value, str))
_NAME = JsonValue("a text or null", lambda value: value is None or isinstance(value, str))
_NUMBER = JsonValue("a number or null", lambda value: value is None or _is_number(value))
_COUNT = JsonValue("a whole number from 0", _is_count)
_LEVEL = JsonValue("a number between 0 and 1", lambda value: _is_number(value) and 0 < value < 1)
_SEED = JsonValue("a whole number", lambda value: isinstance(value, int) and not isinstance(value, bool))
_BOUNDS = JsonValue(
    "two numbers or null",
    lambda value: value is None or (isinstance(value, list) and len(value) == 2 and all(map(_NUMBER.fits, value))),
)
_GROUP = JsonValue(
    "a column with its value, or null",
    lambda value: (
        value is None
        or (
            isinstance(value, dict)
            and len(value) == 1
            and all(one is None or isinstance(one, str | int | float) for one in value.values())
        )
    ),
)

_SCORE = JsonObject(
    {
        "metric": _TEXT,
        **dict.fromkeys(("value", "low", "high"), _NUMBER),
        "parts": JsonMapping(_NUMBER),
        "group": _GROUP,
        **dict.fromkeys(("scored", "total", "undefined", "missing", "failed", "undefined_scored"), _COUNT),
        "bounds": _BOUNDS,
        "average": _one_of(get_args(Average)),
        "stage": _one_of(STAGES),
        "direction": _one_of(get_args(Direction)),
        "signature": _TEXT,
    },
    {"notes": JsonList(_TEXT), "noted": JsonMapping(_COUNT)},
    closed=True,
)
_MANIFEST = JsonObject(
    {
        "run": JsonObject(
            {"format": _COUNT, "ragauge": _TEXT, "created": _TEXT, "metrics": JsonMapping(_TEXT)},
            {"files": JsonMapping(_TEXT)},
        ),
        "metrics": JsonList(_SCORE),
        "data": JsonObject(
            {
                "source": _TEXT,
                "samples": _COUNT,
                "columns": JsonList(_TEXT),
                "mapping": JsonMapping(_TEXT),
                "notes": JsonList(_TEXT),
                "task": _TEXT,
                "output": _TEXT,
            }
        ),
        "options": JsonObject(
            {"by": JsonList(_TEXT), "cluster": _NAME, "level": _LEVEL, "resamples": _COUNT, "seed": _SEED},
            {"interval": _TEXT},
        ),
    }
)


def manifest_problems(manifest: Any) -> list[str]:
    """Return all that is wrong with the manifest of a run, each in words that begin with its place."""
    problems = list(_MANIFEST.problems(manifest, ""))
    if problems:
        return problems
    metrics, columns = manifest["run"]["metrics"], manifest["data"]["columns"]
    whole = [score["metric"] for score in manifest["metrics"] if score["group"] is None]
    named = {score["metric"] for score in manifest["metrics"]}
    if not metrics or sorted(whole) != sorted(metrics) or not named <= set(metrics):
        problems.append("metrics must hold one score of all samples for each of run.metrics")
    if "id" not in columns or len(set(columns)) != len(columns):
        problems.append(f"data.columns must hold id, and each name once; got {', '.join(columns)}")
    for place, score in enumerate(manifest["metrics"]):
        if score["total"] != sum(score[state] for state in ("scored", "undefined", "missing", "failed")):
            problems.append(f"metrics[{place}].total must be the sum of scored, undefined, missing and failed")
    return problems


def _shown(value: Any) -> str:
    """Return a value of JSON in at most about forty characters."""
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    if isinstance(value, int) and abs(value) > sys.float_info.max:
        return "a number that is too large"
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}..."


def table_problems(schema: pa.Schema, rows: int, manifest: Mapping[str, Any], *, samples: bool) -> list[str]:
    """Return all that is wrong with the columns and the number of rows of a run's table of samples, or of scores."""
    wanted = manifest["data"]["samples"]
    problems = [] if rows == wanted else [f"it has {rows} rows; the manifest says {wanted}"]
    columns = manifest["data"]["columns"] if samples else list(manifest["run"]["metrics"])
    missing = [name for name in columns if schema.names.count(name) != 1]
    problems += [f"column {name!r} must be there once" for name in missing]
    if samples:
        ids = ["id"] if "id" not in missing and not pa.types.is_string(schema.field("id").type) else []
        return problems + [f"column {name!r} must hold texts; it holds {schema.field(name).type}" for name in ids]
    for name in columns:
        if name not in missing and not _is_scores(schema.field(name).type):
            problems.append(f"column {name!r} does not hold the scores of a metric")
    return problems


def evidence_problems(schema: pa.Schema) -> list[str]:
    """Return all that is wrong with the columns of a run's evidence."""
    texts = [(name, "texts", "string") for name in ("metric", "id", "what", "text", "best")]
    wanted = [*texts, ("similarity", "numbers", "double"), ("supported", "booleans", "bool")]
    types = {field.name: str(field.type) for field in schema}
    return [
        f"column {name!r} must hold {words}" for name, words, kind in wanted if types.get(name) not in (kind, "null")
    ]


def _is_scores(kind: pa.DataType) -> bool:
    """Return whether a column's type is that of the scores of a metric, with all fields."""
    fields = {"score": pa.float64(), "status": pa.string(), "defaulted": pa.bool_(), "reason": pa.string()}
    if not pa.types.is_struct(kind) or len({field.name for field in kind}) != kind.num_fields:
        return False
    types = {field.name: field.type for field in kind}
    numbers = [types.get("statistics"), types.get("parts", pa.struct([]))]
    return all(types.get(name) == wanted for name, wanted in fields.items()) and all(
        part is not None and pa.types.is_struct(part) and all(_holds_numbers(field.type) for field in part)
        for part in numbers
    )


def _holds_numbers(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def damaged(file: Path, problems: Sequence[str]) -> DataError:
    """Return the error of a file of a saved run with everything that is wrong with it."""
    return DataError.of(f"{file} is damaged", problems, advice="score the data again, or restore the folder")


def opened(path: Path) -> Path | pa.BufferReader:
    """Return what pyarrow reads: a path, or the content of the file where its name is not UTF-8."""
    import pyarrow as pa

    try:
        str(path).encode()
    except UnicodeEncodeError:
        return pa.BufferReader(path.read_bytes())
    return path


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Raise DataError in place of the errors by which pyarrow refuses a file."""
    try:
        yield
    except FileNotFoundError:
        raise damaged(path, ["the file is missing"]) from None
    except (OSError, pa.ArrowException, LookupError, TypeError, ValueError) as error:
        raise damaged(path, [f"it cannot be read: {' '.join(str(error).split())}"]) from error


def digest(path: Path) -> str:
    """Return the SHA-256 of a file as hexadecimal digits."""
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def check_digest(path: Path, manifest: Mapping[str, Any]) -> None:
    """Raise DataError where a file is missing or its content has changed; runs of earlier versions have no digests."""
    saved = digests_of(manifest).get(path.name)
    try:
        same = saved is None or digest(path) == saved
    except FileNotFoundError:
        raise damaged(path, ["the file is missing"]) from None
    if not same:
        raise damaged(path, ["its content is not what was saved"])


def digests_of(manifest: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the SHA-256 of each file of a run, by its name."""
    digests: Mapping[str, str] = manifest["run"].get("files", {})
    return digests
