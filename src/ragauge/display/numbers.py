"""Numbers, intervals and p-values as text, and intervals as bars of text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import floor, isfinite, isnan, log10, nan
from typing import Any, TypeAlias
from unicodedata import category

from ragauge.core.messages import Message


def number(value: float, low: float = nan, high: float = nan) -> str:
    """Return a score to two digits of half the width of its interval; without one with four decimals or digits.

    >>> number(0.81234, 0.7712, 0.8541), number(48.2134, 44.1, 52.9), number(1234.5, 1100, 1300)
    ('0.812', '48.2', '1,230')
    >>> [number(value) for value in (0.81234, 1234.5678, 0.000123456, 0.0, 3e-12, float("nan"))]
    ['0.8123', '1,234.57', '0.0001235', '0.0000', '3e-12', '–']
    """
    if isnan(value):
        return "–"
    if rounded := _to_width(value, low, high):
        return rounded
    if abs(value) >= 100:
        return f"{value:,.2f}"
    decimals = 3 - floor(log10(abs(value))) if 0 < abs(value) < 0.001 else 4
    return f"{value:.{decimals}f}" if decimals <= _MOST else f"{value:.4g}"


def _to_width(value: float, low: float, high: float) -> str:
    """Return a value to two digits of half the width of its interval; empty where there is no interval, or no width."""
    half = (high - low) / 2
    if not isfinite(half) or half < 10**-_MOST:
        return ""
    decimals = 1 - floor(log10(half))
    # Adding 0 removes the sign of a negative zero.
    return f"{round(value, decimals) + 0.0:,.{max(decimals, 0)}f}"


_ROUNDING = 1e-12  # what is left of sums that should be 0

_MOST = 10
"""Decimals that are still easier to read than an exponent."""


def short_number(value: float, low: float = nan, high: float = nan) -> str:
    """Return a score as `number` does; without an interval in five characters where it fits.

    >>> short_number(0.81234), short_number(48.2134), short_number(0.00004), short_number(-0.0)
    ('0.812', '48.21', '0.00004', '0.000')
    """
    if isnan(value):
        return "–"
    if rounded := _to_width(value, low, high):
        return rounded
    # Adding 0 removes the sign of a negative zero, which a drop of 0 has.
    value = 0.0 if abs(value) < _ROUNDING else value + 0.0
    if 0 < abs(value) < 0.001:
        return f"{value:.{-floor(log10(abs(value)))}f}" if abs(value) >= 10**-_MOST else f"{value:.1g}"
    return f"{value:.3f}" if abs(value) < 10 else f"{value:.2f}" if abs(value) < 1000 else f"{value:,.1f}"


def signed(value: float, low: float = nan, high: float = nan) -> str:
    """Return a difference with its sign, as `short_number` writes it.

    >>> signed(0.0351), signed(-12.5), signed(0.0), signed(0.0951, -0.004, 0.206)
    ('+0.035', '-12.50', '0.000', '+0.10')
    """
    return f"+{short_number(value, low, high)}" if value > 0 else short_number(value, low, high)


def probability(p: float) -> str:
    """Return a p-value in five characters.

    >>> probability(0.00004), probability(0.04219), probability(0.99995), probability(float("nan"))
    ('<.0001', '.0422', '1', '–')
    """
    if isnan(p):
        return "–"
    if p < 0.0001:
        return "<.0001"
    return "1" if p >= 0.99995 else f"{p:.4f}"[1:]


def interval(
    low: float, high: float, form: Callable[[float, float, float], str] = number, *, without_0: bool = False
) -> str:
    """Return an interval as text, to two digits of half its width; empty where there is none (NaN).

    ``without_0``: an end that reads as 0 has one digit more, and a round bracket where it is 0 still.

    >>> interval(0.25, 0.75), interval(-0.1, 0.1, signed), interval(0.5, 0.5), interval(float("nan"), float("nan"))
    ('[0.25, 0.75]', '[-0.10, +0.10]', '[0.5000, 0.5000]', '')
    >>> interval(0.0, 0.05, signed, without_0=True), interval(-0.05, -0.0004, signed, without_0=True)
    ('(0, +0.050]', '[-0.050, -0.0004]')
    """
    if isnan(low):
        return ""
    ends = [form(one, low, high) for one in (low, high)]
    brackets = ["[", "]"]
    near = 0 if abs(low) < abs(high) else 1
    if without_0 and not _NOT_0.search(ends[near]):
        finer = form((low, high)[near], 0, (high - low) / 10)
        ends[near], brackets[near] = (finer, brackets[near]) if _NOT_0.search(finer) else ("0", "()"[near])
    return f"{brackets[0]}{ends[0]}, {ends[1]}{brackets[1]}"


_NOT_0 = re.compile("[1-9]")


def with_half_width(value: float, low: float, high: float) -> str:
    """Return a score with half the width of its interval, both to two digits of that; without one, the score alone.

    >>> with_half_width(0.375, 0.1368, 0.6943), with_half_width(1234.5, 1100, 1300), with_half_width(0.5, 0.5, 0.5)
    ('0.38 ±.28', '1,230 ±100', '0.500')
    """
    half = _to_width((high - low) / 2, low, high)
    return f"{short_number(value, low, high)} ±{half.removeprefix('0')}" if half else short_number(value)


def percentage(share: float) -> str:
    """Return a share as text.

    >>> percentage(0.95), percentage(0.999)
    ('95 %', '99.9 %')
    """
    return Message("{n} %", f"{100 * share:g}")


def finite(value: float) -> float | None:
    """Return ``value`` as JSON has it: None in place of NaN and infinity."""
    return value if isfinite(value) else None


def json_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a dataclass as JSON has them: None in place of NaN and infinity."""
    return {name: finite(value) if isinstance(value, float) else value for name, value in fields.items()}


def label(group: Mapping[str, Any] | None) -> str:
    """Return the value that a group of samples shares; empty for all samples.

    >>> label({"language": "zh"}), label({"language": None}), label(None)
    ('zh', '(none)', '')
    """
    if not group:
        return ""
    value = next(iter(group.values()))
    return "(none)" if value is None else printable(str(value))


def with_direction(name: str, direction: str, unit: str = "") -> str:
    """Return the name of a metric with its unit, and an arrow where lower is better.

    >>> with_direction("latency", "lower", "s"), with_direction("recall", "higher")
    ('latency, s ↓', 'recall')
    """
    named = f"{name}, {unit}" if unit else name
    return named if direction == "higher" else f"{named} ↓"


def first_of(ids: Sequence[str]) -> str:
    """Return the first three ids in words.

    >>> first_of(["a", "b", "c", "d"])
    "'a', 'b', 'c', ..."
    """
    return ", ".join([*map(repr, ids[:3]), *(["..."] if len(ids) > 3 else [])])


def printable(text: str) -> str:
    r"""Return the text with control characters and line breaks escaped, so that data cannot steer a terminal.

    So are the characters that turn the direction of text, by which it can be made to read as another one.

    >>> print(printable("a\nb\x1b[31m"), printable("\u202egpj.exe"))
    a\x0ab\x1b[31m \u202egpj.exe
    """
    if text.isprintable():
        return text
    return "".join([_escaped(char) if category(char) in _CONTROLS or char in _TURNS else char for char in text])


def printable_lines(text: str) -> str:
    """Return `printable` lines; the ends of lines and tabs stay."""
    if text.isprintable():
        return text
    return re.sub(r"[^\n\t]+", lambda match: printable(match[0]), text)


_CONTROLS = ("Cc", "Zl", "Zp")
_TURNS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def _escaped(char: str) -> str:
    return f"\\x{ord(char):02x}" if ord(char) < 0x100 else f"\\u{ord(char):04x}"


Span: TypeAlias = tuple[float, float]
"""The ends of a scale, from low to high."""


@dataclass(frozen=True)
class Strokes:
    """The characters that a bar is drawn with, one column wide each."""

    ground: str
    left: str
    line: str
    right: str
    mark: str
    zero: str


# Terminals of the older East Asian encodings draw these two columns wide; they get ASCII.
DRAWN = Strokes("·", "├", "─", "┤", "●", "│")
ASCII = Strokes(".", "[", "-", "]", "o", "|")


def bar(value: float, interval: Span, span: Span, width: int, strokes: Strokes = DRAWN, *, zero: bool = False) -> str:
    """Draw a value and its interval on a scale; what lies beyond an end is drawn at it.

    Nothing is drawn where the value is NaN or an end of the scale is infinite, and no interval where that is NaN.
    ``zero``: draw a line in the middle of the scale, where 0 is; the bar then has an odd number of columns.

    >>> bar(0.5, (0.25, 0.75), (0, 1), 9)
    '··├─●─┤··'
    >>> bar(0.0, (0.0, 0.25), (0, 1), 9, ASCII), bar(0.5, (0.0, 1.0), (0, float("inf")), 9)
    ('o-]......', '')
    >>> bar(0.2, (0.1, 0.3), (-0.4, 0.4), 17, zero=True), bar(-0.4, (-0.4, 0.1), (-0.4, 0.4), 9, ASCII, zero=True)
    ('········│·├─●─┤··', 'o---|]...')
    """
    if not width or not has_scale(span) or not isfinite(value):
        return ""
    width -= zero and width % 2 == 0
    cells = [strokes.ground] * width
    if all(map(isfinite, interval)):
        first, last = _cell(interval[0], span, width), _cell(interval[1], span, width)
        cells[first : last + 1] = strokes.line * (last + 1 - first)
        cells[first], cells[last] = strokes.left, strokes.right
    if zero and cells[width // 2] in (strokes.ground, strokes.line):
        cells[width // 2] = strokes.zero
    cells[_cell(value, span, width)] = strokes.mark
    return "".join(cells)


def has_scale(span: Span) -> bool:
    """Return whether a scale has two ends."""
    return all(map(isfinite, span)) and span[0] < span[1]


_HEIGHTS = "▁▂▃▄▅▆▇█"
_MOST_POINTS = 24
"""Values that a sparkline has room for; of more, so many at equal steps, the first and the last among them."""


def sparkline(values: Sequence[float], span: Span) -> str:
    """Draw values as blocks whose heights are on a scale; NaN leaves a gap.

    >>> sparkline([0.0, 0.5, float("nan"), 1.0], (0, 1)), sparkline([0.5, 0.5], (0.5, 0.5))
    ('▁▅ █', '▄▄')
    """
    steps = min(len(values), _MOST_POINTS)
    places = [round(place * (len(values) - 1) / max(1, steps - 1)) for place in range(steps)]
    last = len(_HEIGHTS) - 1
    return "".join(
        " "
        if not isfinite(values[place])
        else _HEIGHTS[_cell(values[place], span, last + 1) if has_scale(span) else last // 2]
        for place in places
    )


def ends(span: Span, width: int) -> str:
    """Write the ends of a scale over its bars.

    >>> ends((0, 1), 9), ends((-1, 1), 9)
    ('0       1', '-1      1')
    """
    low = f"{span[0]:g}"
    return low + f"{span[1]:g}".rjust(width - len(low))


def _cell(value: float, span: Span, width: int) -> int:
    share = (value - span[0]) / (span[1] - span[0])
    return min(width - 1, max(0, round(share * (width - 1))))
