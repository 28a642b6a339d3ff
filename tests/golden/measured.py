"""The numbers that must not change: every metric, with each choice and other numbers as options, on small data sets."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import MISSING
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args, get_origin, get_type_hints

from ragauge import evaluate
from ragauge.core.options import default_of, option_fields
from ragauge.core.protocol import columns_read, signature_of
from ragauge.core.registry import Entry, entries
from ragauge.core.spec import write
from ragauge.errors import ColumnError, UsageError
from ragauge.formats import read, read_retrieval
from ragauge.metrics.parse import parse
from ragauge.results.result import Result

HERE = Path(__file__).parent
FILE = HERE / "golden.json"
TEA_HOUSE = HERE.parents[1] / "corpora" / "tea-house.jsonl"
RUN, QRELS = HERE / "run.txt", HERE / "qrels.txt"
# Empty and missing fields, ties, grades below 0, long rankings, scripts without spaces.
HARD = HERE / "hard.jsonl"
# Citations: right, wrong, missing, superfluous, of no passage, and beside the text.
CITED = HERE / "cited.jsonl"

Number: TypeAlias = dict[str, Any]
"""``revisions`` of the metric and its ingredients, ``value``, ``parts``."""
Golden: TypeAlias = dict[str, dict[str, Number]]
"""Data set -> spec -> number."""


_JUDGED = "ragauge.metrics.judged."
NEEDS_A_MODEL = {
    "bertscore",
    "comet",
    *(name for name, entry in entries("metric").items() if entry.cls.__module__.startswith(_JUDGED)),
}
"""What runs on a model of the user's own; its numbers are those of the model."""


def specs() -> list[str]:
    """Every registered metric as it is, cut at 3, with each other choice of an option, and with other numbers."""
    found = []
    for name, entry in entries("metric").items():
        if entry.alias_of is None and entry.instance is None and name not in NEEDS_A_MODEL:
            plain = f"{name}:name=latency" if name == "column" else name
            found += [plain, *(spec for spec in varied(plain, entry) if _can_be_made(spec))]
    return found


def varied(plain: str, entry: Entry) -> Iterator[str]:
    """Yield the specs with a cutoff, with each preset, and with each other choice of one option."""
    joint = "," if ":" in plain else ":"
    if entry.at == "k":
        yield f"{plain}@3"
    yield from (f"{plain}{joint}compat={preset}" for preset in entry.compat)
    hints = get_type_hints(entry.cls)
    for field in option_fields(entry.cls):
        for value in _choices(hints[field.name]):
            if value != default_of(field) and field.name not in entry.fixed:
                yield f"{plain}{joint}{field.name}={write(value)}"
    yield from (f"{plain}{joint}{name}={write(value)}" for name, value in _other_numbers(entry))
    if any(field.name == "matcher" for field in option_fields(entry.cls)):
        named = [matcher for matcher in entries("matcher") if matcher not in ("contains", "function")]
        yield from (f"{plain}{joint}matcher={matcher}" for matcher in named)


def _other_numbers(entry: Entry) -> Iterator[tuple[str, float]]:
    """Yield options that are numbers, each with numbers beside its default."""
    for field in option_fields(entry.cls):
        needed = field.default is MISSING and field.default_factory is MISSING
        # The data have grades up to the highest that err takes by itself.
        left_out = needed or field.name in entry.fixed or field.name == "max_grade"
        default = None if left_out else default_of(field)
        if isinstance(default, int | float) and not isinstance(default, bool):
            yield from ((field.name, other) for other in (default + 1, default / 2, 0))


def _choices(hint: Any) -> tuple[Any, ...]:
    if hint is bool:
        return (False, True)
    if get_origin(hint) is Literal:
        return get_args(hint)
    return tuple(choice for inner in get_args(hint) for choice in _choices(inner))


def _can_be_made(spec: str) -> bool:
    try:
        parse(spec)
    except UsageError:
        return False
    return True


def measured() -> Golden:
    """Compute all numbers."""
    all_specs = specs()
    data = read(HARD), read(TEA_HOUSE), read_retrieval(str(RUN), str(QRELS))
    of_hard, of_texts, of_ranks = ([spec for spec in all_specs if _reads(spec, one.columns)] for one in data)
    of_cited = [spec for spec in all_specs if spec.startswith("citation")]
    return {
        "tea-house": _numbers(evaluate(TEA_HOUSE, of_texts, resamples=0), of_texts),
        "ranking": _numbers(evaluate(metrics=of_ranks, run=RUN, qrels=QRELS, resamples=0), of_ranks),
        "hard": _numbers(evaluate(HARD, of_hard, resamples=0), of_hard),
        "cited": _numbers(evaluate(CITED, of_cited, resamples=0), of_cited),
    }


def _reads(spec: str, columns: tuple[str, ...]) -> bool:
    try:
        columns_read(parse(spec), columns)
    except ColumnError:
        return False
    return True


def _numbers(result: Result, wanted: list[str]) -> dict[str, Number]:
    """Return the numbers of each spec; specs of equal metrics, which are scored once, have the same."""
    return {
        spec: {
            "revisions": re.findall(r"revision=(\d+)", signature_of(parse(spec)).identity),
            "value": result[spec].to_dict()["value"],
            "parts": result[spec].to_dict()["parts"],
        }
        for spec in wanted
    }


def known() -> Golden:
    """Read the file."""
    golden: Golden = json.loads(FILE.read_text(encoding="utf-8"))
    return golden


def written(golden: Golden) -> str:
    """Write one number a line, so that a change is a line of a diff."""
    blocks = []
    for data, numbers in golden.items():
        lines = [f"  {json.dumps(spec)}: {json.dumps(number)}" for spec, number in sorted(numbers.items())]
        blocks.append(f" {json.dumps(data)}: {{\n" + ",\n".join(lines) + "\n }")
    return "{\n" + ",\n".join(blocks) + "\n}\n"


def differs(old: Number, new: Number) -> bool:
    """Whether a number is another, beyond what another mathematical library may round otherwise."""
    return old["parts"].keys() != new["parts"].keys() or any(
        (left is None) != (right is None) or (left is not None and abs(left - right) > 1e-12 * max(1.0, abs(left)))
        for left, right in [(old["value"], new["value"]), *_pairs(old["parts"], new["parts"])]
    )


def _pairs(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[tuple[Any, Any]]:
    return [(old[name], new[name]) for name in old]
