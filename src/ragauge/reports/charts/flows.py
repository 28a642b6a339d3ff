"""The figure of a flow: how many samples went from each of some states to each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ragauge.reports.charts.canvas import Canvas, coordinate
from ragauge.reports.texts import Texts, message

_WIDTH, _LABEL, _NODE = 340, 96, 7
"""Pixels of the figure, which a phone shows whole, of the labels on each side, and of the bar of a state."""
_TOP, _BODY, _GAP = 22, 72, 16
"""Pixels above the bars, of all samples together, and between two bars, so that no two labels meet."""


@dataclass(frozen=True)
class Stream:
    """The samples that went from a state to another; ``address`` lists them. The first state is the best."""

    before: int
    after: int
    count: int
    address: str

    @property
    def change(self) -> str:
        """``better`` where they came into the first state, ``worse`` where they left it, else ``same``."""
        if bool(self.before) == bool(self.after):
            return "same"
        return "better" if self.before else "worse"


def flows(texts: Texts, bands: Sequence[Stream], states: Sequence[str], runs: Sequence[str]) -> Markup:
    """Draw ``bands`` between the ``states``, keys of texts about n samples, of the two ``runs``; a click lists one."""
    total = sum(band.count for band in bands)
    canvas = Canvas(texts, (_WIDTH, _TOP + _BODY + _GAP * (len(states) - 1) + 8), "")
    scale = _BODY / max(total, 1)
    ends = (_LABEL + _NODE, _WIDTH - _LABEL - _NODE)
    for side, run in enumerate(runs):
        x, anchor = (0, "start") if side == 0 else (_WIDTH, "end")
        canvas.name((x, 11), run, _WIDTH / 2 - 10, anchor, "label")
    tops = [_bars(canvas, bands, states, side, scale) for side in range(2)]
    for band in sorted(bands, key=lambda one: (one.before, one.after)):
        height = band.count * scale
        old, new = tops[0][band.before], tops[1][band.after]
        tops[0][band.before] += height
        tops[1][band.after] += height
        start, end, middle = *map(coordinate, ends), coordinate(_WIDTH / 2)
        y = [coordinate(value) for value in (old, new, new + height, old + height)]
        there = f"M{start} {y[0]}C{middle} {y[0]} {middle} {y[1]} {end} {y[1]}"
        back = f"V{y[2]}C{middle} {y[2]} {middle} {y[3]} {start} {y[3]}Z"
        canvas.add("path", d=there + back, class_=f"stream {band.change}").set("data-show", band.address)
    return canvas.markup


def _bars(canvas: Canvas, bands: Sequence[Stream], states: Sequence[str], side: int, scale: float) -> list[float]:
    """Draw the bars of the states on one side with their labels, and return where each begins."""
    x, at, anchor = [(_LABEL, _LABEL - 6, "end"), (_WIDTH - _LABEL - _NODE, _WIDTH - _LABEL + 6, "start")][side]
    tops, y = [], float(_TOP)
    for place, state in enumerate(states):
        count = sum(band.count for band in bands if (band.before, band.after)[side] == place)
        tops.append(y)
        if count:
            kind = "same" if place else "right"
            canvas.add("rect", x=x, y=y, width=_NODE, height=max(count * scale, 1), class_=f"node {kind}")
            canvas.text((at, y + count * scale / 2 + 4), message(state, n=f"{count:,}"), "label", anchor)
        y += count * scale + _GAP
    return tops
