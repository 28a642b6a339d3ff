"""What comparisons and gates say of small runs: ``python -m tests.comparison.stood`` writes stood.txt anew."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import ragauge
from ragauge.display.text import plain_text
from ragauge.gates.gate import error_lines
from ragauge.results.result import Result
from tests.stood import Case, Stood, rounded

from .runs import given, rows, scored

STOOD = Stood(Path(__file__).with_name("stood.txt"))
FEW: dict[str, Any] = {"trials": 200, "resamples": 60}


@cache
def runs() -> dict[str, Result]:
    """Return runs by name: two on the same samples, one on fewer, one of other ids, and some with few scores."""
    texts = [{**row, "latency": None if i == 5 else row["latency"]} for i, row in enumerate(rows(24, 1))]
    return {
        "old": scored(texts),
        "new": scored(rows(24, 2, skill=0.8)),
        "fewer": scored(rows(24, 3, skill=0.3)[:15]),
        "renamed": scored([{**row, "id": f"other {row['id']}"} for row in rows(24, 2)]),
        "clustered": scored(rows(24, 4), cluster="document"),
        "quality": scored(rows(24, 5), "column:name=quality"),
        "marks": given([1.0, 0.0, 1.0, None, 1.0, 0.0]),
        "other marks": given([0.0, 0.0, 1.0, 1.0, 0.0, 0.0]),
        "equal": given([0.5] * 6),
        "one": given([0.5]),
    }


PAIRS = [
    ("old", "new"),
    ("new", "old"),
    ("old", "fewer"),
    ("old", "renamed"),
    ("old", "old"),
    ("old", "quality"),
    ("clustered", "new"),
    ("marks", "other marks"),
    ("equal", "marks"),
    ("one", "one"),
    ("old", "marks"),
]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"test": "bootstrap"},
    {"test": "wilcoxon"},
    {"test": "mcnemar"},
    {"test": "t"},
    {"interval": "bca"},
    {"correction": "bh"},
    {"correction": "none", "level": 0.8},
    {"by": "language"},
    {"cluster": "document"},
    {"on": "question"},
    {"metrics": "bleu"},
    {"metrics": ["bleu", "column:name=quality"], "by": ["language", "document"]},
    {"seed": 3},
    {"alpha": 0.5},
]


def compared(names: tuple[str, ...], options: dict[str, Any]) -> Any:
    """Return the text of a comparison, its samples that fell, and all of it as JSON."""
    base, *candidates = (runs()[name] for name in names)
    found = ragauge.compare(base, *candidates, **FEW, **options)
    text = plain_text(found.blocks(worst=3))
    return [text, rounded(found.to_dict(worst=2))]


@STOOD.group
def comparisons() -> Iterator[Case]:
    for pair in PAIRS:
        for options in OPTIONS if pair == ("old", "new") else OPTIONS[:6]:
            yield f"{' and '.join(pair)} {options}", partial(compared, pair, options)
    yield "three", partial(compared, ("old", "new", "fewer"), {})
    yield "three by language", partial(compared, ("new", "old", "fewer"), {"by": "language"})


RULES: list[dict[str, Any]] = [
    *(
        {kind: {metric: limit}}
        for kind in ("min", "max", "max_drop")
        for metric in ("bleu", "column:name=quality", "column:name=latency,direction=lower", "column:name=x", "nothing")
        for limit in (0.0, 0.5, 1.0)
    ),
    *({"max_failed": share} for share in (0.0, 0.1, 1.0)),
    *({"min_scored": count} for count in (1, 24, 25)),
    *({"min": {"bleu": 0.1}, "min_coverage": share} for share in (0.5, 1.0, "90 %", 2)),
    {"min": {"column:name=x": 0.5}, "min_coverage": 0.5},
    {},
    {"min": {"bleu": "x"}},
    {"max_drop": {"bleu": 0.1, "column:name=quality": 0.1}, "confident": True},
    {"min": {"column:name=quality": 0.3}, "confident": True, "level": 0.5},
]


def gated(name: str, baseline: str | None, rules: dict[str, Any]) -> Any:
    """Return the text of a gate, its lines for CI, and all of it as JSON."""
    gate = ragauge.gate(runs()[name], None if baseline is None else runs()[baseline], **rules)
    return [gate.passed, plain_text(gate.blocks()), error_lines(gate), rounded(gate.to_dict())]


@STOOD.group
def gates() -> Iterator[Case]:
    for name, baseline in (("old", None), ("old", "new"), ("new", "old"), ("marks", "other marks"), ("fewer", "new")):
        for rules in RULES:
            yield f"{name}, {baseline}: {rules}", partial(gated, name, baseline, rules)


if __name__ == "__main__":
    STOOD.write()
