"""A finished run as Markdown for a pull request: the gate first, then scores and differences, the worst samples folded.

Whatever comes from data stands in code: there it is no markup, notifies nobody, and is no command of the service.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import takewhile
from math import isnan
from typing import Any

import numpy as np

from ragauge._version import __version__
from ragauge.comparison.difference import change_texts, signs
from ragauge.core.arrow import to_arrow
from ragauge.core.hashing import hash_strings
from ragauge.core.messages import Face, Message, own_words, wording_of
from ragauge.core.protocol import LIMITS
from ragauge.core.ragged import IntArray
from ragauge.display.numbers import number, percentage, printable, printable_lines, with_direction
from ragauge.display.table import Table, TableColumn, TableRow, fenced, inline_code, markdown, worded_block
from ragauge.errors import worded
from ragauge.gates.gate import Check
from ragauge.results.left_out import left_out_in
from ragauge.results.score import Score, limits_of, score_texts
from ragauge.writers.differences import Differences, differences
from ragauge.writers.writer import FinishedRun

_TEXTS = ("question", "answer", "references", "contexts", "retrieved", "relevance")


@dataclass(frozen=True)
class WorstSample:
    """A sample with its score, or why it has none, and its texts by the name of their column."""

    id: str
    score: float
    """NaN where it has none."""
    reason: str
    """Why it failed; empty where it did not."""
    texts: dict[str, str]


def worst_samples(run: FinishedRun, metric: str, count: int) -> list[WorstSample]:
    """Return up to ``count`` samples, the worst first: those that failed, then those with the worst scores.

    Samples that are missing or undefined are left out, and so are those with the best value that the metric has. Equal
    ones are in the order of a hash of their ids, so that the order of the data does not decide.

    >>> import ragauge
    >>> from ragauge.writers.writer import finished
    >>> rows = [{"id": answer, "answer": answer, "references": ["茶"]} for answer in ("茶", "酒", "茶水")]
    >>> run = finished(ragauge.evaluate(rows, "token-f1"))
    >>> [(one.id, round(one.score, 2)) for one in worst_samples(run, "token-f1", 5)]
    [('酒', 0.0), ('茶水', 0.67)]
    """
    result = run.result
    column, direction = result.columns[metric], result[metric].direction
    chosen = column.imperfect(direction, result.range(metric))
    ids = result.sample_ids()
    keys = hash_strings(ids.take(to_arrow(chosen)))
    places = chosen[np.lexsort((keys, -column.badness(direction)[chosen]))][:count]
    texts = _texts(run, places)
    return [
        WorstSample(ids[place].as_py(), float(column.scores[place]), column.reasons.get(place, ""), of_it)
        for place, of_it in zip(places.tolist(), texts, strict=True)
    ]


def _texts(run: FinishedRun, places: IntArray) -> list[dict[str, str]]:
    """Return the texts of the samples at ``places`` (m,), m dicts without those that are null."""
    names = [name for name in _TEXTS if name in run.result.data.columns]
    columns = {name: run.result.column(name).take(to_arrow(places)).to_pylist() for name in names}
    return [{name: text for name in names if (text := _joined(columns[name][row]))} for row in range(len(places))]


def _joined(value: Any) -> str:
    """Return a text, or those of a list below each other, judgements as ``id: grade``; empty for null."""
    if not isinstance(value, list):
        return "" if value is None else str(value)
    return "\n".join(f"{one['id']}: {one['grade']:g}" if isinstance(one, dict) else str(one) for one in value)


SHORTEST = 2_000
"""Characters in which the heading and what was scored always fit."""
_LONGEST_NAME, _LONGEST_TEXT = 300, 600
"""Characters of a name or a reason, and of a text of a sample, that are shown."""


@dataclass(frozen=True)
class Comment:
    """The Markdown of a run, and what did not fit into it."""

    text: str
    left_out: tuple[str, ...] = ()


@dataclass
class _Part:
    """Lines or rows of one kind, of which the first ``kept`` are shown."""

    name: str
    lines: list[Any]
    kept: int = 0

    def __post_init__(self) -> None:
        self.kept = len(self.lines)

    @property
    def shown(self) -> list[Any]:
        return self.lines[: self.kept]

    @property
    def left_out(self) -> str:
        """How many lines are not shown, in words; empty where all are."""
        count = len(self.lines) - self.kept
        return f"{count:,} {self.name}{'' if count == 1 else 's'}" if count else ""


def comment_of(run: FinishedRun, longest: int, samples: int = 5, language: str = "en") -> Comment:
    """Return ``run`` as Markdown of at most ``longest`` characters, with up to ``samples`` of its worst samples.

    The gate, the verdict with its causes, and tables are in ``language``, as a terminal shows them.
    The worst samples are those of the first metric that failed a check, or else of the first metric. Where the text
    would be longer, samples are left out first, then signatures, notes and metrics, and at last checks that passed; the
    text says how many.

    >>> import ragauge
    >>> from ragauge.writers.writer import finished
    >>> result = ragauge.evaluate([{"answer": "林婉", "references": ["林婉"]}], "exact-match")
    >>> run = finished(result, "今天", gate=ragauge.gate(result, min={"exact-match": 0.9}))
    >>> print(comment_of(run, 65_536).text.partition("<details>")[0].strip())
    ## Gate passed: 1 check
    <BLANKLINE>
    | outcome | rule | value | scored | why |
    | --- | --- | --- | ---: | --- |
    | pass | `exact-match at least 0.9` | 1.000 | 1/1 |  |
    <BLANKLINE>
    `今天`, 1 sample
    <BLANKLINE>
    | metric | value | 95 % interval | scored | notes |
    | --- | ---: | --- | ---: | --- |
    | `exact-match` | 1.0000 |  | 1/1 |  |
    """
    compared, face = differences(run), Face(language)
    scores = [score for score in run.result.table if score.group is None]
    checks = sorted(run.gate.checks, key=lambda check: check.passed) if run.gate is not None else []
    failed = [check.metric for check in takewhile(lambda check: not check.passed, checks)]
    metric = next((name for name in failed if name in run.result.metrics), scores[0].metric)
    parts = (
        _Part("worst sample", list(map(_sample, worst_samples(run, metric, samples) if samples else ()))),
        _Part("signature", [f"- {inline_code(score.signature)}" for score in scores]),
        _Part("note", list(_notes(run, scores, compared))),
        _Part("metric", [_metric_row(score, compared) for score in scores]),
        _Part("check", [_check_row(check, face) for check in checks]),
    )
    text = _text(run, compared, metric, parts, face)
    for part in parts:
        while part.kept and len(text) > longest:
            part.kept -= 1
            text = _text(run, compared, metric, parts, face)
    short = ", ".join(part.left_out for part in parts if part.left_out)
    return Comment(text, (f"left out, so that it has at most {longest:,} characters: {short}",) if short else ())


def _text(run: FinishedRun, compared: Differences, metric: str, parts: Sequence[_Part], face: Face) -> str:
    worst, signatures, notes_, metrics, checks = parts
    blocks = [
        f"## {own_words(run.gate.heading if run.gate is not None else 'Scores', face)}",
        "\n".join(inline_code(_cut(wording_of(line, face), _LONGEST_TEXT)) for line in compared.verdict),
        _table(_CHECKS, checks, face),
        _of_what(run),
        _table(_metric_columns(run, compared), metrics, face),
        "\n".join(notes_.shown),
        _folded(f"Worst samples by <code>{escape(printable(_cut(metric, _LONGEST_NAME)))}</code>", worst),
        _folded(f"Signatures (ragauge {__version__})", signatures),
        "\n".join(f"{part.left_out} left out: this text may not be longer." for part in parts if part.left_out),
    ]
    return "\n\n".join(filter(None, blocks)) + "\n"


def _table(columns: tuple[TableColumn, ...], rows: _Part, face: Face) -> str:
    return markdown([worded_block(Table("", columns, tuple(rows.shown)), face)]) if rows.shown else ""


def _folded(title: str, part: _Part) -> str:
    lines = "\n".join(part.shown)
    return f"<details>\n<summary>{title}</summary>\n\n{lines}\n\n</details>" if lines else ""


_CHECKS = (*map(TableColumn, ("outcome", "rule", "value")), TableColumn("scored", "number"), TableColumn("why"))


def _check_row(check: Check, face: Face) -> TableRow:
    coverage = f"{check.scored}/{check.total}"
    outcome, why = (worded("pass"), "") if check.passed else (worded("**FAIL**"), _code(wording_of(check.why, face)))
    return TableRow((outcome, _code(wording_of(check.rule, face)), check.value_text, coverage, why))


def _of_what(run: FinishedRun) -> str:
    samples = f"{run.result.samples:,} sample{'' if run.result.samples == 1 else 's'}"
    made_of = [f"{name} {_code(str(run.manifest[name]))}" for name in ("tag", "commit") if run.manifest.get(name)]
    return ", ".join([_code(run.name), samples, *made_of])


def _metric_columns(run: FinishedRun, compared: Differences) -> tuple[TableColumn, ...]:
    level = Message("{level} interval", percentage(run.result.options["level"]))
    heads = ["metric", "value", level, "scored"]
    heads += ["baseline", "difference", "its interval", "outcome"] if compared.by_metric else []
    numbers = ("value", "scored", "baseline", "difference")
    return tuple([TableColumn(head, "number" if head in numbers else "text") for head in [*heads, "notes"]])


def _metric_row(score: Score, compared: Differences) -> TableRow:
    _, *cells, notes = score_texts(score)
    if compared.by_metric:
        one = compared.by_metric.get(score.metric)
        known = one is not None and not isnan(one.difference)
        cells += (
            [number(one.base, one.low, one.high), *change_texts(one)]
            if one and known
            else ["–", "–", "", worded("not compared")]
        )
    name = with_direction(_code(score.title), score.direction, score.unit)
    return TableRow((name, *cells, _code(str(notes)) if str(notes) else ""))


def _notes(run: FinishedRun, scores: Sequence[Score], compared: Differences) -> Iterator[str]:
    """Yield what a reader must know of the tables, each a line."""
    if any(score.direction == "lower" for score in scores):
        yield f"- {next(iter(signs(compared.by_metric.values())), '↓ lower is better')}"
    yield from (f"- {_code(names)}: {LIMITS[word]}" for names, word in limits_of(scores))
    if compared.method:
        yield f"- differences from the baseline: {compared.method}"
    reasons = run.result.failures()
    of_gate = run.gate.notes if run.gate is not None else ()
    left_out = left_out_in(run.result.data.notes)
    yield from (f"- {_code(note)}" for note in dict.fromkeys((*left_out, *reasons, *of_gate, *compared.notes)))


def _sample(sample: WorstSample) -> str:
    """Return a sample as a line with its id and score, and its texts as they are."""
    score = f"failed: {_code(sample.reason)}" if sample.reason else number(sample.score)
    lines = [line for name, text in sample.texts.items() for line in _lines(name, text)]
    return f"{_code(sample.id)}: {score}\n\n{fenced(lines)}\n"


def _lines(name: str, text: str) -> list[str]:
    return [f"{name}:", *[f"  {line}" for line in printable_lines(_cut(text, _LONGEST_TEXT)).splitlines()]]


def _code(text: str) -> str:
    # Two backticks with nothing between them would begin code that ends somewhere else.
    return inline_code(_cut(text, _LONGEST_NAME) or " ")


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
