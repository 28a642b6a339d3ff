"""Numbers, intervals, p-values and texts of the data as they are printed everywhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite, isnan
from typing import Any
from unicodedata import category


def number(value: float) -> str:
    """Return a score with four decimals; a small one with four significant digits.

    >>> [number(value) for value in (0.81234, 1234.5678, 0.000123456, 0.0, float("nan"))]
    ['0.8123', '1234.57', '0.0001235', '0.0000', '–']
    """
    if isnan(value):
        return "–"
    if abs(value) >= 100:
        return f"{value:.2f}"
    return f"{value:.4g}" if 0 < abs(value) < 0.001 else f"{value:.4f}"


def short_number(value: float) -> str:
    """Return a score in five characters where it fits, for tables with many columns.

    >>> short_number(0.81234), short_number(48.2134), short_number(0.000412), short_number(-0.0)
    ('0.812', '48.21', '0.0004', '0.000')
    """
    if isnan(value):
        return "–"
    # Adding 0 removes the sign of a negative zero, which a drop of 0 has.
    value += 0.0
    if 0 < abs(value) < 0.001:
        return f"{value:.1g}"
    return f"{value:.3f}" if abs(value) < 10 else f"{value:.2f}" if abs(value) < 1000 else f"{value:.1f}"


def signed(value: float) -> str:
    """Return a difference with its sign, in about six characters.

    >>> signed(0.0351), signed(-12.5), signed(0.0)
    ('+0.035', '-12.50', '0.000')
    """
    return f"+{short_number(value)}" if value > 0 else short_number(value)


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


def interval(low: float, high: float, form: Callable[[float], str] = number) -> str:
    """Return an interval as text; empty where there is none (NaN).

    >>> interval(0.25, 0.75), interval(-0.1, 0.1, signed), interval(float("nan"), float("nan"))
    ('[0.2500, 0.7500]', '[-0.100, +0.100]', '')
    """
    return "" if isnan(low) else f"[{form(low)}, {form(high)}]"


def percentage(share: float) -> str:
    """Return a share as text.

    >>> percentage(0.95), percentage(0.999)
    ('95 %', '99.9 %')
    """
    return f"{100 * share:g} %"


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


def printable(text: str) -> str:
    r"""Return the text with control characters and line breaks escaped, so that data cannot steer a terminal.

    >>> print(printable("a\nb\x1b[31m"))
    a\x0ab\x1b[31m
    """
    return "".join(f"\\x{ord(char):02x}" if category(char) in ("Cc", "Zl", "Zp") else char for char in text)
