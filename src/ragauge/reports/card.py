"""What is sent on from a report: a card, an SVG of 1200 x 630 pixels, and paper with the ten worst samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np
from markupsafe import Markup

from ragauge.comparison.comparison import Comparison
from ragauge.comparison.difference import change_texts
from ragauge.comparison.verdict import MARKS, Decision, Verdict
from ragauge.core.arrow import to_arrow
from ragauge.core.messages import Counted, Face, Joined, Message, own_words
from ragauge.core.ragged import IntArray
from ragauge.display.html import html
from ragauge.display.numbers import interval, number, printable, short_number
from ragauge.display.table import Block, Table, Verbatim, worded_block
from ragauge.display.text import shortened, wrapped
from ragauge.reports.charts.canvas import Canvas
from ragauge.reports.runs import AlignedMetric, Page
from ragauge.reports.sections.summary import Card

SIZE = (1200, 630)
_MARGIN, _TILES, _WORST = 56, 4, 10
_GAP, _FIGURE = 14, 0.6
"""Pixels between tiles, and the width of a figure in the size of its letters, which is that of wide fonts."""
_INK, _MUTED, _GOOD, _BAD = "#1b1f23", "#59636e", "#0072b2", "#d55e00"
_COLOURS: dict[Decision, str] = {
    "ship": _GOOD,
    "better at a price": _GOOD,
    "cannot tell yet": _INK,
    "do not ship": _BAD,
}
_STYLE = (
    "text { font-family: system-ui, 'Noto Sans', 'Noto Sans CJK SC', 'DejaVu Sans', sans-serif; "
    "font-variant-numeric: tabular-nums; }"
)


_PAPER = Markup("""<!doctype html>
<html lang="{}"><head><meta charset="utf-8"><title>{}</title><style>
@page {{ size: A4; margin: 14mm; }}
body {{ margin: 0; font: 8.5pt/1.4 system-ui, "Noto Sans", "Noto Sans CJK SC", sans-serif; }}
body > svg {{ display: block; inline-size: 100%; block-size: auto; border: 1px solid #d8dee4; margin-block-end: 6mm; }}
pre {{ white-space: pre-wrap; overflow-wrap: anywhere; break-before: page; font: inherit; margin: 0; }}
.ragauge table.ragauge-table :is(td, th) {{ padding-inline-end: 0.6em; }}
</style></head><body>{}{}</body></html>
""")


@dataclass(frozen=True)
class Forwarded:
    """What a report says in short: the run at ``shown``, its verdict against the first run, and its cards.

    ``verdict`` and ``comparison`` are None for one run, and where runs cannot be compared; ``said`` is then its first
    sentence.
    """

    page: Page
    cards: Sequence[Card]
    shown: int
    said: str
    verdict: Verdict | None = None
    comparison: Comparison | None = None

    def card(self) -> str:
        """Return the card: verdict, at most four numbers, samples, project, date and tag; a file of SVG."""
        canvas = Canvas(self.page.texts, SIZE, self._title)
        canvas.root.set("xmlns", "http://www.w3.org/2000/svg")
        canvas.add("style", text=_STYLE)
        canvas.add("rect", width=SIZE[0], height=SIZE[1], fill="#ffffff")
        self._write(canvas, (_MARGIN, 84), shortened(self._title, 60), 28, _MUTED)
        self._write(canvas, (SIZE[0] - _MARGIN, 84), "ragauge", 26, _MUTED, anchor="end")
        mark, colour, head, lines = self._head()
        self._write(canvas, (_MARGIN, 180), f"{mark} {head}".strip(), 66, colour, weight="bold")
        for place, line in enumerate(lines):
            self._write(canvas, (_MARGIN, 238 + 38 * place), line, 27, _INK)
        width = (SIZE[0] - 2 * _MARGIN) / _TILES
        for place, one in enumerate(self._first()):
            self._tile(canvas, one, _MARGIN + place * width, width)
        canvas.add("line", x1=_MARGIN, x2=SIZE[0] - _MARGIN, y1=548, y2=548, stroke="#d8dee4", stroke_width=2)
        self._write(canvas, (_MARGIN, 594), " · ".join(self._foot()), 26, _MUTED)
        return f"{canvas.markup}\n"

    def paper(self) -> str:
        """Return HTML for paper: the card, the scores or differences, and the ten worst samples."""
        language, texts = self.page.texts.language, Face(self.page.texts.language)
        blocks = [worded_block(block, texts) for block in self._blocks()]
        return str(_PAPER.format(language, self._title, Markup(self.card()), Markup(html(blocks))))  # noqa: S704

    @property
    def _title(self) -> str:
        return printable(" → ".join([self.page.names[0], *([self.page.names[self.shown]] if self.shown else [])]))

    def _words(self, text: str) -> str:
        return own_words(text, Face(self.page.texts.language))

    def _write(self, canvas: Canvas, at: tuple[float, float], text: str, size: int, fill: str, **named: str) -> None:
        element = canvas.text(at, text, anchor=named.pop("anchor", "start"))
        element.attrib.update({"font-size": str(size), "fill": fill})
        if "weight" in named:
            element.set("font-weight", named["weight"])

    def _head(self) -> tuple[str, str, str, list[str]]:
        """Return the mark of the verdict, its colour, its words, and the lines of its reasons, at most three."""
        if self.verdict is None:
            count = Message("{samples}", Counted(self.page.runs[self.shown].result.data.rows, "sample"))
            mark, colour, head, said = "", _INK, self._words(count), self.said
        else:
            mark, colour = MARKS[self.verdict.decision], _COLOURS[self.verdict.decision]
            head, said = self._words(self.verdict.headline), self._words(Joined(self.verdict.reasons, "; "))
        lines = wrapped(said, 80)
        return mark, colour, head, [*lines[:2], *([shortened(" ".join(lines[2:]), 80)] if lines[2:] else [])]

    def _first(self) -> list[Card]:
        """Return the cards of the primary metrics, and then others, at most four."""
        return sorted(self.cards, key=lambda one: not one.primary)[:_TILES]

    def _tile(self, canvas: Canvas, one: Card, left: float, width: float) -> None:
        columns = int(width / 13.5)
        named = f"{one.score.title}, {one.score.unit}" if one.score.unit else one.score.title
        self._write(canvas, (left, 392), shortened(named, columns), 23, _MUTED)
        score = one.score
        value = number(score.value, score.low, score.high)
        self._write(canvas, (left, 446), value, _fitting(value, 46, width), _INK, weight="bold")
        if one.change is None or not isfinite(one.change.difference):
            ends = interval(score.low, score.high)
            self._write(canvas, (left, 482), ends, _fitting(ends, 22, width), _MUTED)
            return
        difference, ends, outcome = change_texts(one.change)
        colour = {"better": _GOOD, "worse": _BAD}.get(one.change.outcome, _INK)
        change = f"{difference} {ends}".strip()
        self._write(canvas, (left, 482), change, _fitting(change, 22, width), _INK)
        self._write(canvas, (left, 514), self._words(outcome), 22, colour)

    def _foot(self) -> Iterator[str]:
        run = self.page.runs[self.shown].manifest.get("run", {})
        if self.verdict is not None:
            yield self._words(Message("{paired}", Counted(len(self.page.samples), "paired sample")))
        yield from filter(None, [self.page.project, str(run.get("created", ""))[:10], run.get("tag")])

    def _blocks(self) -> Iterator[Block]:
        """Yield what stands below the card; the worst samples come last."""
        if self.comparison is not None:
            # One page has no room for groups.
            yield from filter(_on_paper, self.comparison.blocks(_WORST, details=False))
            return
        result = self.page.runs[self.shown].result
        yield from filter(_on_paper, result.blocks())
        # By the metric of the card under which the most samples fall short; the range of latency has no best end.
        ranged = [one.metric for one in self._first() if one.metric.bounded]
        places = {metric: self._short(metric) for metric in ranged}
        if by := max(ranged, key=lambda metric: len(places[metric]), default=None):
            yield Verbatim(tuple(self._worst(by, places[by][:_WORST])))

    def _short(self, metric: AlignedMetric) -> IntArray:
        column = metric.column(self.shown)
        return np.empty(0, np.int64) if column is None else column.imperfect(metric.direction, metric.range)

    def _worst(self, by: AlignedMetric, places: IntArray) -> Iterator[str]:
        """Yield the lines of the samples at ``places`` of the run."""
        result = self.page.runs[self.shown].result
        names = [name for name in ("question", "answer", "references") if name in result.data.columns]
        texts = {name: result.column(name).take(to_arrow(places)).to_pylist() for name in names}
        ids, scores = result.sample_ids().take(to_arrow(places)).to_pylist(), by.scores(self.shown)
        yield self._words(Message("worst samples by {metric}:", by.title))
        for row, name in enumerate(ids):
            score = np.nan if scores is None else float(scores[places[row]])
            yield f"  {name}  {short_number(score)}"
            yield from (f"    {self._words(title)}  {_text(some[row])}" for title, some in texts.items())


def _fitting(text: str, size: int, width: float) -> int:
    """Return the size of letters, at most ``size``, in which a text of figures leaves a gap to the next tile."""
    return min(size, int((width - _GAP) / (_FIGURE * max(len(text), 1))))


def _on_paper(block: Block) -> bool:
    return isinstance(block, Verbatim) or (isinstance(block, Table) and block.columns[0].kind != "group")


def _text(value: object) -> str:
    text = " | ".join(map(str, value)) if isinstance(value, list) else str("" if value is None else value)
    return shortened(printable(" ".join(text.split())), 300)
