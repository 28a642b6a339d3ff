"""SVG figures: elements, names cut to a width, scales and axes. All text is escaped."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor, isfinite, log10
from xml.etree import ElementTree as ET

from markupsafe import Markup
from rich.cells import cell_len

from ragauge.display.numbers import printable
from ragauge.display.text import shortened
from ragauge.reports.texts import PageText, Texts, message

CELL = 7.0  # width of a narrow letter in the figures' type, in pixels; wide letters take two
_LEGEND_WIDTH = 1000
RUNS = 6  # number of runs with a colour and a shape of their own; further runs use them again

_SHAPES = ("circle", "M0-5L5 0L0 5L-5 0Z", "M-4-4H4V4H-4Z", "M0-5L5 4H-5Z", "M0 5L5-4H-5Z", "M-5-1.5H5V1.5H-5Z")


class Canvas:
    """A figure of ``width`` by ``height`` pixels, with a title and a description for screen readers."""

    def __init__(
        self, texts: Texts, size: tuple[float, float], title: PageText | str, description: PageText | str = ""
    ) -> None:
        self._texts = texts
        width, height = map(coordinate, size)
        box = {"viewBox": f"0 0 {width} {height}", "width": width, "height": height}
        self.root = ET.Element("svg", {"role": "img", **box} if title else {**box, "aria-hidden": "true"})
        if title:
            self.add("title", text=title)
        if description:
            self.add("desc", text=description)

    def add(
        self, tag: str, parent: ET.Element | None = None, text: PageText | str | None = None, **attributes: float | str
    ) -> ET.Element:
        """Add an element to the figure or to ``parent``; ``stroke_width`` becomes stroke-width, ``class_`` class."""
        named = {key.rstrip("_").replace("_", "-"): coordinate(value) for key, value in attributes.items()}
        element = ET.SubElement(self.root if parent is None else parent, tag, named)
        if isinstance(text, PageText):
            element.attrib.update({name: printable(value) for name, value in text.attributes.items()})
        if text is not None:
            element.text = printable(self._texts.text(text))
        return element

    def line(self, ends: tuple[float, float, float, float], class_: str) -> ET.Element:
        """Draw a line from x, y to x, y."""
        return self.add("line", x1=ends[0], y1=ends[1], x2=ends[2], y2=ends[3], class_=class_)

    def text(
        self, at: tuple[float, float], text: PageText | str, class_: str = "", anchor: str = "start"
    ) -> ET.Element:
        """Write ``text`` with its base line at x, y."""
        element = self.add("text", text=text, x=at[0], y=at[1], text_anchor=anchor)
        if class_:
            element.set("class", class_)
        return element

    def name(
        self, at: tuple[float, float], text: PageText | str, width: float, anchor: str = "start", class_: str = ""
    ) -> None:
        """Write a name from the data, cut to ``width`` pixels; a tooltip shows the whole name."""
        if isinstance(text, PageText):
            self.text(at, text, class_, anchor)
            return
        element = self.text(at, fitted(text, width), class_, anchor)
        if element.text != printable(text):
            self.add("title", element, text)

    def marker(self, run: int, at: tuple[float, float], title: PageText | str = "") -> ET.Element:
        """Draw the mark of a run, which has its own shape and colour."""
        return self.shape(run % RUNS, at, f"mark run-{run % RUNS}", title)

    def shape(self, shape: int, at: tuple[float, float], class_: str, title: PageText | str = "") -> ET.Element:
        """Draw a mark of one of the shapes: circle, diamond, square, triangle up, triangle down, bar."""
        if not shape:
            element = self.add("circle", cx=at[0], cy=at[1], r=4.2, class_=class_)
        else:
            place = f"translate({coordinate(at[0])} {coordinate(at[1])})"
            element = self.add("path", d=_SHAPES[shape], transform=place, class_=class_)
        if title:
            self.add("title", element, title)
        return element

    @property
    def markup(self) -> Markup:
        """The figure as HTML."""
        return Markup(ET.tostring(self.root, encoding="unicode"))  # noqa: S704 - ElementTree has escaped it


def coordinate(value: float | str) -> str:
    """Return a coordinate as text, to a hundredth of a pixel.

    >>> coordinate(12.0), coordinate(1.23456), coordinate("none")
    ('12', '1.23', 'none')
    """
    return value if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")


def fitted(text: str, width: float) -> str:
    """Return ``text`` cut to ``width`` pixels.

    >>> fitted("a long name of a metric", 80), fitted("short", 80)
    ('a long nam…', 'short')
    """
    return shortened(printable(text), max(2, int(width // CELL)))


def text_width(text: str) -> float:
    """Return about how many pixels ``text`` takes."""
    return CELL * cell_len(text)


def mark(texts: Texts, run: int) -> Markup:
    """Return the mark of a run alone."""
    canvas = Canvas(texts, (12, 12), "")
    canvas.marker(run, (6, 6))
    return canvas.markup


def legend(texts: Texts, names: list[str]) -> Markup:
    """Return the marks of all runs with their names, in one line or several; empty for one run."""
    if len(names) < 2:
        return Markup()
    widths = [min(text_width(name), 320) + 40 for name in names]
    places, x, y = [], 8.0, 14.0
    for width in widths:
        if x > 8 and x + width > _LEGEND_WIDTH:
            x, y = 8.0, y + 20
        places.append((x, y))
        x += width
    size = (min(sum(widths) + 16, _LEGEND_WIDTH), y + 8)
    canvas = Canvas(texts, size, message("page.legend"), " · ".join(names))
    for run, (name, at) in enumerate(zip(names, places, strict=True)):
        canvas.marker(run, (at[0], at[1] - 4))
        canvas.name((at[0] + 11, at[1]), name, 320)
    return canvas.markup


@dataclass(frozen=True)
class Scale:
    """Maps ``low`` to the pixel ``start`` and ``high`` to ``end``.

    >>> Scale(0, 2, 100, 200)(0.5)
    125.0
    """

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the pixel of ``value``, moved to the nearer end if it lies outside."""
        share = (value - self.low) / (self.high - self.low)
        return self.start + min(max(share, 0.0), 1.0) * (self.end - self.start)


def span(values: Iterable[float], ends: tuple[float, float] = (float("-inf"), float("inf"))) -> tuple[float, float]:
    """Return the least and the greatest of ``values``, widened to round numbers, or ``ends`` if both are finite.

    >>> span([0.13, 0.87]), span([0.2], (0.0, 1.0)), span([]), span([3.0, 3.0])
    ((0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (2.0, 4.0))
    """
    if isfinite(ends[0]) and isfinite(ends[1]):
        return ends
    finite = [value for value in values if isfinite(value)]
    low, high = (min(finite), max(finite)) if finite else (0.0, 1.0)
    if low == high:
        low, high = low - (abs(low) / 3 or 1), high + (abs(high) / 3 or 1)
    step = _step(low, high, 5)
    return floor(low / step) * step, ceil(high / step) * step


def ticks(low: float, high: float, count: int = 5) -> list[float]:
    """Return round numbers from ``low`` to ``high``, about ``count`` of them.

    >>> ticks(0, 1), ticks(-0.3, 0.1, 4)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [-0.3, -0.2, -0.1, 0.0, 0.1])
    """
    step = _step(low, high, count)
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return [round(place * step, 12) + 0.0 for place in range(first, last + 1)]


def tick(value: float) -> str:
    """Return a number of an axis as text.

    >>> tick(0.0), tick(0.25), tick(1500.0), tick(1e-7)
    ('0', '0.25', '1500', '1e-07')
    """
    return f"{value:.6g}"


def _step(low: float, high: float, count: int) -> float:
    rough = (high - low) / count
    power: float = 10.0 ** floor(log10(rough))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= rough * 0.999)


def horizontal_axis(canvas: Canvas, scale: Scale, top: float, bottom: float, count: int = 5, gap: float = 14) -> None:
    """Draw vertical grid lines from ``top`` to ``bottom``, with their numbers ``gap`` below."""
    for value in ticks(scale.low, scale.high, count):
        canvas.line((scale(value), top, scale(value), bottom), "zero" if value == 0 and scale.low < 0 else "grid")
        canvas.text((scale(value), bottom + gap), tick(value), "tick", "middle")


def vertical_axis(canvas: Canvas, scale: Scale, left: float, right: float, gap: float = 6) -> None:
    """Draw horizontal grid lines from ``left`` to ``right``, with their numbers ``gap`` to the left."""
    for value in ticks(scale.low, scale.high, 4):
        canvas.line((left, scale(value), right, scale(value)), "grid")
        canvas.text((left - gap, scale(value) + 4), tick(value), "tick", "end")
