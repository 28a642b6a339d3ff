"""Hostile texts of 1 MB in each column of each metric: ``python -m tests.fuzz.grid`` prints the costs.

Each case is a sample of one megabyte, scored in a process of its own. It must take at most ten seconds, and the process
at most 500 MB; what a metric cannot score within that, it must refuse with a reason.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import Any

import ragauge
from ragauge.core.registry import entries
from ragauge.errors import OptionError, RagaugeError
from ragauge.metrics.parse import parse

MB = 1_000_000
MOST_SECONDS, MOST_BYTES = 10.0, 500 * MB
_HANG_S = 60
# More than any case may need, so that a defect does not take all of the machine's memory.
_ADDRESS_SPACE = 6 << 30

_SMALL: Mapping[str, Any] = {
    "question": "Who wrote it?",
    "answer": "Anna wrote it.",
    "language": "en",
    "answerable": True,
    "is_answerable": True,
    "is_impossible": False,
    "unanswerable": False,
    "nuggets": ["Anna wrote it."],
    "subtopics": [["d1"]],
    "retrieved_spans": [[0, 90]],
    "reference_spans": [[50, 100]],
    "tool_calls": ['{"name": "search"}'],
    "reference_tool_calls": ['{"name": "search"}'],
    "references": ["Anna wrote it."],
    "contexts": ["Anna wrote it in 1990.", "It is a book."],
    "reference_contexts": ["It is a book."],
    "earlier_contexts": ["Anna lives in Bonn."],
    "retrieved": ["d1", "d2"],
    "relevance": {"d1": 1.0},
    "questions": ["Who wrote the book?"],
    "generated_questions": ["Who wrote the book?"],
}
_PASSAGES = "passages"


def texts(size: int) -> dict[str, str]:
    """Return the hostile texts, each of about ``size`` bytes of UTF-8."""
    random = Random(0)  # noqa: S311 - no secret is drawn
    letters = "".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=size))
    words = "".join(f"{letters[place : place + random.randint(1, 9)]} " for place in range(0, size, 7))
    scripts = [
        "the cat",
        "猫坐在",
        "東京タワー",
        "고양이",
        "кошка",
        "القط",
        "แมวนั่ง",
        "बिल्ली",
        "é\u0301",
        "3.14",
        "!?",
        "\n",
    ]
    units = {
        "letters": "a",
        "spaces": " ",
        "punctuation": ".",
        "newlines": "\n",
        "digits": "1",
        "chinese": "中",
        "japanese": "カ",
        "korean": "가",
        "thai": "ก",
        "marks": "\u0301",
        "unordered marks": "\u0301\u0316",
        "emoji": "\U0001f468\u200d\U0001f469\u200d\U0001f467 ",
        "direction": "\u202e\u200f",
        "dashes": "-\n",
        "one word each": "a. ",
        "questions": "Who? ",
        "abbreviations": "Mr. ",
        "enumeration": "1. ",
        "quotes": "“",
        "escapes": "\\ud800",
        "markup": "<b>&amp;",
    }
    made = {name: unit * (size // len(unit.encode())) for name, unit in units.items()}
    return {
        **made,
        "brackets": "(" * (size // 2) + ")" * (size // 2),
        "one word": letters,
        "words": words[:size],
        "sentences": "".join(f"{words[place : place + 40]}. " for place in range(0, size, 42))[:size],
        "mixed": "".join(f"{random.choice(scripts)} " for _ in range(size // 9)),
        _PASSAGES: "\n".join(f"passage {number:05}" for number in range(size // 14)),
    }


@dataclass(frozen=True)
class Case:
    """What one sample cost. ``outcome``: a status, or a refusal; the text of a traceback where it is a defect."""

    metric: str
    text: str
    columns: tuple[str, ...]
    seconds: float
    size: int
    outcome: str
    ended: bool

    @property
    def holds(self) -> bool:
        """Whether it kept the limits."""
        return self.ended and self.seconds <= MOST_SECONDS and self.size <= MOST_BYTES

    def __str__(self) -> str:
        where = f"{self.text} in {' + '.join(self.columns)}"
        return f"{self.seconds:5.1f} s {self.size / MB:5.0f} MB  {where}: {self.outcome}"


def metrics() -> list[str]:
    """Return the names of all metrics, each once, but for those that need a model or a column of numbers."""
    named = {}
    for name in sorted(entries("metric"), reverse=True):
        with suppress(OptionError):
            named[str(parse(name))] = name
    return sorted(named.values())


def cases(metric: str, size: int, chosen: Iterable[str], *, alone: bool = True) -> Iterator[Case]:
    """Yield the case of each text in all columns together that a metric reads, and, unless not ``alone``, in each."""
    ways = parse(metric).needs
    for columns in {columns: None for way in ways for columns in (tuple(way), *[(one,) for one in way if alone])}:
        whole = {one: _SMALL[one] for one in next(way for way in ways if set(columns) <= set(way))}
        for name, text in texts(size // len(columns)).items():
            if name in chosen:
                row = {**whole, **{one: _value(one, text, place, name) for place, one in enumerate(columns)}}
                yield _measured(metric, name, columns, row)


def _value(column: str, text: str, place: int, name: str) -> Any:
    # Equal texts may take a short cut.
    text = f"{text[place:]}{place}"
    if isinstance(_SMALL[column], str | bool):
        return text
    items = text.split("\n") if name == _PASSAGES else [text]
    if column == "subtopics":
        return [items]
    return dict.fromkeys(items, 1.0) if column == "relevance" else items


def _measured(spec: str, name: str, columns: tuple[str, ...], row: Mapping[str, Any]) -> Case:
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        os._exit(_scored(spec, row, writing))
    os.close(writing)
    _, status, usage = os.wait4(child, 0)
    outcome = os.read(reading, 4096).decode("utf-8", "replace")
    os.close(reading)
    if os.WIFSIGNALED(status):
        outcome = f"ends by signal {signal.Signals(os.WTERMSIG(status)).name}"
    seconds = usage.ru_utime + usage.ru_stime
    return Case(spec, name, columns, seconds, usage.ru_maxrss * 1024, outcome, ended=status == 0)


def _scored(spec: str, row: Mapping[str, Any], writing: int) -> int:
    """Score one sample, write the outcome, and return the status with which the process ends."""
    resource.setrlimit(resource.RLIMIT_CPU, (_HANG_S, _HANG_S))
    resource.setrlimit(resource.RLIMIT_AS, (_ADDRESS_SPACE, _ADDRESS_SPACE))
    code = 0
    try:
        result = ragauge.evaluate([row], spec, resamples=0, evidence=True)
        outcome = str(result.statuses(spec)[0])
        reason = result.reasons(spec).get(0)
        outcome += f" ({reason})" if reason else ""
    except RagaugeError as error:
        outcome = f"{type(error).__name__}: {error}"
    except BaseException as error:  # noqa: BLE001 - whatever escapes is a defect
        outcome, code = f"{type(error).__name__}: {error}", 1
    os.write(writing, outcome[:200].encode("utf-8", "replace"))
    return code


def main() -> int:
    """Print a line for each metric and each case beyond the limits; return 1 if there is one."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.grid", description=__doc__)
    parser.add_argument("metrics", nargs="*", help="names; default: all")
    parser.add_argument("--size", type=int, default=MB, help="bytes of text in a sample")
    parser.add_argument("--text", action="append", choices=list(texts(100)), help="default: all")
    parser.add_argument("--all", action="store_true", help="print every case")
    options = parser.parse_args()
    if len(options.metrics) != 1:
        # Each metric has a process of its own, so that its memory is not that of others.
        more = [word for name in options.text or () for word in ("--text", name)] + ["--all"] * options.all
        command = [sys.executable, "-m", "tests.fuzz.grid", "--size", str(options.size), *more]
        names = options.metrics or metrics()
        return max(subprocess.run([*command, name], check=False).returncode for name in names)
    [metric] = options.metrics
    with warnings.catch_warnings(action="ignore"):
        ragauge.evaluate([_SMALL], metric, resamples=0)
        found = list(cases(metric, options.size, options.text or texts(100)))
    slowest, largest = max(found, key=lambda one: one.seconds), max(found, key=lambda one: one.size)
    print(f"{metric}: {len(found)} cases\n  slowest {slowest}\n  largest {largest}", flush=True)
    for one in found:
        if options.all or not one.holds:
            print(f"  {'' if one.holds else 'BEYOND '}{one}", flush=True)
    return int(not all(one.holds for one in found))


if __name__ == "__main__":
    sys.exit(main())
