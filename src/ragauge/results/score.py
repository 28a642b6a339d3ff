"""A score with everything that it takes to trust it, the scores of samples, and scores as tables.

`score_table` is the one flat form of scores: CSV, Excel and the exporters read its columns. `score_tables` has the same
as texts, for terminals, notebooks and Markdown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import inf, isfinite
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ragauge.core.arrow import to_arrow
from ragauge.core.messages import Counted, Joined, Message
from ragauge.core.protocol import FEATURES, LIMITS, STAGES, Average, Direction, Stage
from ragauge.core.ragged import FloatArray, IntArray
from ragauge.core.spec import parse_spec
from ragauge.core.statistics import Status, StatusArray
from ragauge.display.html import Displayed
from ragauge.display.numbers import Span, finite, interval, json_fields, label, number, with_direction, with_half_width
from ragauge.display.pivot import GroupCell, pivots
from ragauge.display.table import Bar, Block, Cell, Paragraph, Table, TableColumn, TableRow, Words
from ragauge.errors import worded

Label: TypeAlias = Any
"""The value of a grouping column: text, a finite number, a boolean or None."""


def shown_name(metric: str) -> str:
    """Return the name of a metric for readers: that of its column where it reads one and has no label.

    >>> shown_name("column:name=latency,direction=lower"), shown_name("ndcg@10")
    ('latency (column)', 'ndcg@10')
    """
    if not metric.startswith("column:"):
        return metric
    return f"{parse_spec(metric).options.get('name', metric)} (column)"


@dataclass(frozen=True, kw_only=True)
class Score(Displayed):
    """A metric over a corpus or one group of it.

    ``total = scored + undefined + missing + failed``.
    """

    metric: str
    """Its name in the call."""
    value: float
    """NaN where no sample was scored."""
    low: float
    """Lower end of the confidence interval; NaN where there is none."""
    high: float
    parts: Mapping[str, float]
    """Precision and recall beside F, BLEU's brevity penalty."""
    group: Mapping[str, Any] | None
    """Grouping column and value; None for the whole."""
    scored: int
    total: int
    undefined: int
    """Samples on which the metric has no value, for a reason on the side of the reference."""
    missing: int
    """Samples with null where the metric needs a value."""
    failed: int
    """Samples for which the judge, the embedder or the system under test did not answer."""
    undefined_scored: int
    """Scored samples that have no value, and count as 0 by ``undefined=zero``."""
    bounds: tuple[float, float] | None
    """The values if all failed samples had scored the worst, and the best; None where that is not finite or pooled."""
    average: Average
    stage: Stage
    direction: Direction
    signature: str
    notes: tuple[str, ...] = ()
    """Words that must be read beside the value, as ``direct``."""
    noted: Mapping[str, int] = field(default_factory=dict)
    """Counts that must be read beside it, as that of texts that were cut."""
    compared_by: str = ""
    """How the metric compares texts, as ``lexical`` or ``nli``; empty for metrics that do not tell."""
    unit: str = ""
    """The unit of the value, as ``s``; empty where it has none, or is not known."""

    @property
    def title(self) -> str:
        """The name for readers, with the word that says how texts are compared: ``context-relevancy (lexical)``.

        The default of support, ``features``, is not named here: its limits are shown below the table.
        """
        name = shown_name(self.metric) if ":" in self.metric else self.metric
        return name if self.compared_by in ("", FEATURES) else f"{name} ({self.compared_by})"

    def blocks(self) -> list[Block]:
        """Return the score as a table of one row with what must be read beside it, and its signature."""
        return [*score_tables([self], "interval", lambda _: (-inf, inf)), Paragraph(self.signature)]

    def to_dict(self) -> dict[str, Any]:
        """Return the score as JSON types; NaN as None, and what is read beside it where it is not empty."""
        plain = json_fields(asdict(self))
        plain["bounds"] = self.bounds and [finite(bound) for bound in self.bounds]
        plain["parts"] = json_fields(self.parts)
        plain["notes"] = list(self.notes)
        if_any = ("notes", "noted", "compared_by", "unit")
        return {name: value for name, value in plain.items() if value or name not in if_any}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Score:
        """Undo `to_dict`."""
        numbers = {name: _from_number(plain[name]) for name in ("value", "low", "high")}
        parts = {name: _from_number(part) for name, part in plain["parts"].items()}
        bounds = None if plain["bounds"] is None else tuple(_from_number(bound) for bound in plain["bounds"])
        notes = tuple(plain.get("notes", ()))
        return cls(**{**plain, **numbers, "parts": parts, "bounds": bounds, "notes": notes})


def group_label(value: Any) -> Label:
    """Return a value that samples share as JSON can hold it: infinity as text.

    >>> group_label(float("-inf")), group_label(1.5)
    ('-inf', 1.5)
    """
    return str(value) if isinstance(value, float) and not isfinite(value) else value


def _from_number(value: float | None) -> float:
    return float("nan") if value is None else value


@dataclass(frozen=True, eq=False)
class SampleScores:
    """Per-sample results of one metric. Shapes: all (n,).

    ``statistics`` are those that add up, by name, each in the narrowest type that holds it exactly: see `narrowed`.
    """

    scores: FloatArray
    status: StatusArray
    defaulted: npt.NDArray[np.bool_]
    parts: Mapping[str, FloatArray]
    statistics: Mapping[str, npt.NDArray[Any]]
    reasons: Mapping[int, str] = field(default_factory=dict)

    def badness(self, direction: Direction) -> FloatArray:
        """Return how bad each sample is, (n,): inf if it failed, -inf if it has no score for another reason."""
        signed = self.scores if direction == "lower" else -self.scores
        return np.where(self.status == Status.FAILED, np.inf, np.where(np.isnan(self.scores), -np.inf, signed))

    def imperfect(self, direction: Direction, ends: tuple[float, float]) -> IntArray:
        """Return the places of samples that failed, or have another score than the best of the range ``ends``, (k,).

        Failed ones come first, then the worst scores; equal ones are in their order.
        """
        badness = self.badness(direction)
        places = np.flatnonzero((badness > -np.inf) & (self.scores != ends[0 if direction == "lower" else 1]))
        return places[np.argsort(-badness[places], kind="stable")]


def narrowed(values: FloatArray) -> npt.NDArray[Any]:
    """Return ``values`` (n,) in the narrowest of uint8, uint16 and float64 that holds each of them exactly.

    Most statistics are small counts; of a million samples, eight bytes for each would be most of the memory.

    >>> [narrowed(np.array(values)).dtype.name for values in ([0.0, 9.0], [0.0, 300.0], [0.5, 1.0], [-1.0, 1.0])]
    ['uint8', 'uint16', 'float64', 'float64']
    """
    if len(values) == 0 or not 0 <= values.min() <= values.max() < 1 << 16:
        return np.ascontiguousarray(values)
    narrow = values.astype(np.uint8 if values.max() < 1 << 8 else np.uint16)
    return narrow if np.array_equal(narrow, values) else np.ascontiguousarray(values)


SCORE_TABLE = pa.schema(
    [
        *((name, pa.string()) for name in ("metric", "by", "group")),
        *((name, pa.float64()) for name in ("value", "low", "high")),
        *((name, pa.int64()) for name in ("scored", "total", "undefined", "missing", "failed", "undefined_scored")),
        *((name, pa.float64()) for name in ("bound_low", "bound_high")),
        *((name, pa.string()) for name in ("average", "stage", "direction", "signature", "notes")),
        ("coverage", pa.float64()),
        ("compared_by", pa.string()),
        ("parts", pa.map_(pa.string(), pa.float64())),
        ("noted", pa.map_(pa.string(), pa.int64())),
    ]
)
"""The columns of `score_table`."""


def score_table(scores: Iterable[Score]) -> pa.Table:
    """Return scores as one table, a row for each, with the columns of `SCORE_TABLE`; unknown numbers are null.

    ``by`` and ``group`` are the grouping column and its value, null for all samples. ``notes`` are the metric's own
    remarks in words.
    """
    rows = [_row(score) for score in scores]
    columns = [_column([row[field.name] for row in rows], field.type) for field in SCORE_TABLE]
    return pa.Table.from_arrays(columns, schema=SCORE_TABLE)


def _row(score: Score) -> dict[str, Any]:
    by, group = next(iter(score.group.items())) if score.group else (None, None)
    low, high = score.bounds or (None, None)
    plain = {name: value for name, value in vars(score).items() if name in SCORE_TABLE.names}
    return {
        **json_fields(plain),
        "by": by,
        "group": group if group is None else str(group),
        "bound_low": low,
        "bound_high": high,
        "coverage": score.scored / score.total if score.total else None,
        "parts": json_fields(score.parts),
        "notes": remarks(score),
    }


def _column(values: list[Any], kind: pa.DataType) -> pa.Array:
    if not pa.types.is_map(kind):
        return to_arrow(values, kind)
    starts = np.cumsum([0, *map(len, values)], dtype=np.int32)
    names = [name for value in values for name in value]
    items = [item for value in values for item in value.values()]
    return pa.MapArray.from_arrays(to_arrow(starts), to_arrow(names, kind.key_type), to_arrow(items, kind.item_type))


def score_tables(scores: Sequence[Score], interval: str | None, range_of: Callable[[str], Span]) -> list[Table]:
    """Return the tables of scores, by stage in the order of a RAG system.

    ``interval`` is the heading of intervals, None where there are none. ``range_of`` returns the least and the
    greatest value of a metric.
    """
    columns = [TableColumn("metric", "name"), TableColumn("value", "number")]
    columns += [] if interval is None else [TableColumn(interval)]
    columns += [TableColumn("scored", "number"), TableColumn("", "bar"), TableColumn("notes", "words")]
    parts: dict[tuple[Stage, str | None], list[Score]] = {}
    for score in sorted(scores, key=lambda score: STAGES.index(score.stage)):
        by = next(iter(score.group)) if score.group else None
        parts.setdefault((score.stage, by), []).append(score)
    tables = []
    for (stage, by), together in parts.items():
        rows, named = [], None
        for score in together:
            cells = _cells(score, range_of(score.metric), intervals=interval is not None)
            if by is not None:
                group = label(score.group)
                cells, named = ("" if group == named else group, *cells), group  # it is named in its first row
            rows.append(TableRow(cells))
        title = stage if by is None else Message("{stage} by {column}", worded(stage), by)
        first = [] if by is None else [TableColumn(by, "group")]
        lower = ("↓ lower is better",) if "lower" in [score.direction for score in together] else ()
        shorter = () if by is None else _by_group(title, together, lower)
        tables.append(Table(title, (*first, *columns), tuple(rows), lower, shorter=shorter))
    if tables:
        limits = [Message("{metrics}: {note}", name, worded(LIMITS[word])) for name, word in limits_of(scores)]
        shorter = tuple([replace(one, notes=(*one.notes, *limits)) for one in tables[-1].shorter])
        tables[-1] = replace(tables[-1], notes=(*tables[-1].notes, *limits), shorter=shorter)
    return tables


def _by_group(title: str, scores: Sequence[Score], notes: Iterable[str]) -> tuple[Table, ...]:
    """Return the scores of groups with groups as columns: with intervals, with half their widths, and alone."""
    cells = []
    for one in scores:
        name, value, ends, *_ = score_texts(one)
        texts = (f"{value} {ends}".strip(), with_half_width(one.value, one.low, one.high), value)
        cells.append(GroupCell(label(one.group), name, texts, one.scored, without_score(one), one.total))
    return pivots(title, cells, notes)


def limits_of(scores: Iterable[Score]) -> list[tuple[str, str]]:
    """Return the words of `LIMITS` that these scores need, each after its name: the word, or the metrics' names."""
    metrics: dict[str, dict[str, None]] = {}
    for score in scores:
        metrics.setdefault(score.compared_by, {})[score.metric] = None
    return [(", ".join(metrics[word]) if word == FEATURES else word, word) for word in metrics if word in LIMITS]


def _cells(score: Score, span: Span, *, intervals: bool = True) -> tuple[Cell, ...]:
    name, value, ends, scored, words = score_texts(score)
    description = f"{value}{ends and f', {ends}'} on {span[0]:g} to {span[1]:g}"
    bar = Bar(score.value, (score.low, score.high), span, description)
    return (name, value, *((ends,) if intervals else ()), scored, bar, words)


def score_texts(score: Score) -> tuple[str, str, str, str, Words]:
    """Return a score as readers see it: name, value, interval, scored of all samples, and notes."""
    value, ends = number(score.value, score.low, score.high), interval(score.low, score.high)
    name = with_direction(score.title, score.direction, score.unit)
    return name, value, ends, f"{score.scored:,}/{score.total:,}", notes(score)


def without_score(score: Score) -> str:
    """Return how many samples have no score, by status, as ``2 failed, 1 missing``; empty where all have one."""
    return Joined([counted_note(name, count) for name in NO_SCORE if (count := getattr(score, name))])


NO_SCORE = ("failed", "missing", "undefined")
"""The statuses of samples without a score, in the order in which they are shown."""


def notes(score: Score) -> Words:
    """Return the notes of a score: samples that were not scored and what they could change; extra: its components."""
    problems = [without_score(score)]
    if score.bounds is not None and score.bounds[0] < score.bounds[1]:
        problems.append(Message("bounds {low}–{high}", *map(number, score.bounds)))
    if score.undefined_scored:
        problems.append(Message("{n} undefined scored 0", score.undefined_scored))
    parts = {name: part_note(name, component(part)) for name, part in score.parts.items()}
    problems += [note for name, note in parts.items() if name in _CAUTIONS and score.parts[name]]
    extra = Joined([note for name, note in parts.items() if name not in _CAUTIONS])
    return Words(Joined(filter(None, [*problems, remarks(score)])), extra)


_CAUTIONS = ("unjudged",)
"""Parts that are a reason to doubt a score."""


def remarks(score: Score) -> str:
    """Return the metric's own notes on a score: counts, as of texts that were cut, and words, as ``direct``."""
    return Joined([*[counted_note(name, count) for name, count in score.noted.items()], *map(worded, score.notes)])


def counted_note(name: str, count: int) -> Message:
    """Return a count with the name of what is counted, of which one is in the singular.

    >>> counted_note("texts read in windows", 1200), counted_note("texts read in windows", 1), part_note("recall", "1")
    ('1,200 texts read in windows', '1 text read in windows', 'recall 1')
    """
    if counted := re.match(r"(answer|citation|claim|nugget|refusal|sample|sentence|text|tool call)s\b", name):
        place = counted[0].replace(" ", "_")
        return Message(f"{{{place}}}{_escaped(name[counted.end() :])}", Counted(count, counted[1]))
    return Message(f"{{n}} {_escaped(name)}", f"{count:,}")


def part_note(name: str, value: str) -> Message:
    """Return the name of a part of a score, with its value."""
    return Message(f"{_escaped(name)} {{value}}", value)


def _escaped(name: str) -> str:
    return name.replace("{", "{{").replace("}", "}}")


def component(value: float) -> str:
    """Return a component, such as precision beside F; a count, such as a length, without decimals."""
    return f"{value:.0f}" if value >= 2 and value.is_integer() else number(value)
