"""An SVG figure under construction. Whatever is written on it is escaped."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor, isfinite, log10
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from rich.cells import cell_len, set_cell_size

from ragauge.reports.texts import Said, Texts
from ragauge.results.tables import printable

if TYPE_CHECKING:
    from markupsafe import Markup

CELL = 7.0
"""Width of a narrow letter in the figures' type, in pixels; wide letters take two."""
_LINE = 1000
RUNS = 6
"""So many runs have a colour and a shape of their own; further ones take them in turn."""

_SHAPES = ("circle", "M0-5L5 0L0 5L-5 0Z", "M-4-4H4V4H-4Z", "M0-5L5 4H-5Z", "M0 5L5-4H-5Z", "M-5-1.5H5V1.5H-5Z")


class Canvas:
    """A figure of ``width`` by ``height`` pixels, with a title and a description for who does not see it."""

    def __init__(
        self, texts: Texts, size: tuple[float, float], title: Said | str, description: Said | str = ""
    ) -> None:
        self._texts = texts
        width, height = size
        self.width, self.height = width, height
        self.root = ET.Element(
            "svg",
            {
                "role": "img",
                "viewBox": f"0 0 {number(width)} {number(height)}",
                "width": number(width),
                "height": number(height),
            },
        )
        if title:
            self.add("title", text=title)
        else:
            self.root.attrib.update({"aria-hidden": "true"})
            del self.root.attrib["role"]
        if description:
            self.add("desc", text=description)

    def add(
        self, tag: str, parent: ET.Element | None = None, text: Said | str | None = None, **attributes: float | str
    ) -> ET.Element:
        """Put an element on the figure; ``stroke_width`` is the attribute stroke-width, ``class_`` is class."""
        named = {key.rstrip("_").replace("_", "-"): number(value) for key, value in attributes.items()}
        made = ET.SubElement(self.root if parent is None else parent, tag, named)
        if isinstance(text, Said):
            made.attrib.update({name: printable(value) for name, value in text.attributes.items()})
        if text is not None:
            made.text = printable(self._texts.plain(text))
        return made

    def line(self, ends: tuple[float, float, float, float], class_: str) -> ET.Element:
        """Draw a line from x, y to x, y."""
        return self.add("line", x1=ends[0], y1=ends[1], x2=ends[2], y2=ends[3], class_=class_)

    def text(self, at: tuple[float, float], text: Said | str, class_: str = "", anchor: str = "start") -> ET.Element:
        """Write ``text``, its base line at x, y."""
        made = self.add("text", text=text, x=at[0], y=at[1], text_anchor=anchor)
        if class_:
            made.set("class", class_)
        return made

    def name(
        self, at: tuple[float, float], text: Said | str, width: float, anchor: str = "start", class_: str = ""
    ) -> None:
        """Write a name from the data, cut to ``width`` pixels; the whole of it is its tooltip."""
        if isinstance(text, Said):
            self.text(at, text, class_, anchor)
            return
        made = self.text(at, fitted(text, width), class_, anchor)
        if made.text != printable(text):
            self.add("title", made, text)

    def marker(self, run: int, at: tuple[float, float], title: Said | str = "") -> ET.Element:
        """Draw the mark of a run: each has a shape and a colour of its own."""
        shape, class_ = _SHAPES[run % RUNS], f"mark run-{run % RUNS}"
        if shape == "circle":
            made = self.add("circle", cx=at[0], cy=at[1], r=4.2, class_=class_)
        else:
            made = self.add("path", d=shape, transform=f"translate({number(at[0])} {number(at[1])})", class_=class_)
        if title:
            self.add("title", made, title)
        return made

    @property
    def markup(self) -> Markup:
        """The figure, to stand in the page."""
        from markupsafe import Markup

        return Markup(ET.tostring(self.root, encoding="unicode"))  # noqa: S704 - ElementTree has escaped it


def number(value: float | str) -> str:
    """Write a coordinate to a hundredth of a pixel.

    >>> number(12.0), number(1.23456), number("none")
    ('12', '1.23', 'none')
    """
    return value if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")


def fitted(text: str, width: float) -> str:
    """Cut ``text`` to ``width`` pixels.

    >>> fitted("a long name of a metric", 80), fitted("short", 80)
    ('a long nam…', 'short')
    """
    cells = max(2, int(width // CELL))
    text = printable(text)
    return text if cell_len(text) <= cells else set_cell_size(text, cells - 1).rstrip() + "…"


def wide(text: str) -> float:
    """Estimate how many pixels ``text`` takes."""
    return CELL * cell_len(text)


def mark(texts: Texts, run: int) -> Markup:
    """Return the mark of a run alone, to stand before its name."""
    canvas = Canvas(texts, (12, 12), "")
    canvas.marker(run, (6, 6))
    return canvas.markup


def legend(texts: Texts, names: list[str]) -> Markup:
    """Return the marks of all runs with their names, in one line or several; nothing for one run."""
    from markupsafe import Markup

    if len(names) < 2:
        return Markup()
    widths = [min(wide(name), 320) + 40 for name in names]
    places, x, y = [], 8.0, 14.0
    for width in widths:
        if x > 8 and x + width > _LINE:
            x, y = 8.0, y + 20
        places.append((x, y))
        x += width
    size = (min(sum(widths) + 16, _LINE), y + 8)
    canvas = Canvas(texts, size, Said("page.legend", {}), " · ".join(names))
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
        """Return the pixel of ``value``; what lies outside stands at the end."""
        share = (value - self.low) / (self.high - self.low)
        return self.start + min(max(share, 0.0), 1.0) * (self.end - self.start)


def span(values: Iterable[float], ends: tuple[float, float] = (float("-inf"), float("inf"))) -> tuple[float, float]:
    """Return the least and the greatest of ``values``, widened to round numbers; known ``ends`` of a range as they are.

    >>> span([0.13, 0.87]), span([0.2], (0.0, 1.0)), span([]), span([3.0, 3.0])
    ((0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (2.0, 4.0))
    """
    finite = [value for value in values if isfinite(value)]
    if isfinite(ends[0]) and isfinite(ends[1]):
        return ends
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
    """Write a number of an axis.

    >>> tick(0.0), tick(0.25), tick(1500.0), tick(1e-7)
    ('0', '0.25', '1500', '1e-07')
    """
    return f"{value:.6g}"


def _step(low: float, high: float, count: int) -> float:
    rough = (high - low) / count
    power: float = 10.0 ** floor(log10(rough))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= rough * 0.999)


def across(canvas: Canvas, scale: Scale, top: float, bottom: float, count: int = 5, gap: float = 14) -> None:
    """Draw upright grid lines from ``top`` to ``bottom``, with their numbers ``gap`` below."""
    for value in ticks(scale.low, scale.high, count):
        canvas.line((scale(value), top, scale(value), bottom), "zero" if value == 0 and scale.low < 0 else "grid")
        canvas.text((scale(value), bottom + gap), tick(value), "tick", "middle")


def upright(canvas: Canvas, scale: Scale, left: float, right: float, count: int = 4, gap: float = 6) -> None:
    """Draw level grid lines from ``left`` to ``right``, with their numbers ``gap`` to the left."""
    for value in ticks(scale.low, scale.high, count):
        canvas.line((left, scale(value), right, scale(value)), "grid")
        canvas.text((left - gap, scale(value) + 4), tick(value), "tick", "end")
