"""Addresses on the page that list some of its samples: those of a bar, of a point, of a group."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote


def listing(*pairs: tuple[str, str]) -> str:
    """Return what the page's script reads behind ``#``; `assets/README.md` has the names.

    >>> listing(("metric", "ndcg@5"), ("sort", "worst"))
    'metric=ndcg%405&sort=worst'
    """
    return "&".join(f"{_quoted(name)}={_quoted(value)}" for name, value in pairs)


def _quoted(text: str) -> str:
    return quote(text, safe=".", errors="replace")


def within(run: int, metric: str, low: float, high: float, *, last: bool) -> tuple[str, str]:
    """Return the pair that lists scores of a run from ``low`` to ``high``, without ``high`` unless the bin is the last.

    >>> within(1, "mrr", 0.5, 0.75, last=False)
    ('within', '[0.5,0.75) 1 mrr')
    """
    return "within", f"[{low!r},{high!r}{']' if last else ')'} {run} {metric}"


def in_group(column: str, value: Any) -> tuple[str, str]:
    """Return the pair that lists the samples with ``value`` in ``column``; None lists those without a value.

    >>> in_group("topic", "tea"), in_group("language", "zh"), in_group("answered", True), in_group("year", 1990.0)
    (('in.topic', 'tea'), ('language', 'zh'), ('in.answered', 'true'), ('in.year', '1990'))
    >>> in_group("topic", None)
    ('without.topic', '1')
    """
    if value is None:
        return ("without-language" if column == "language" else f"without.{column}"), "1"
    return ("language" if column == "language" else f"in.{column}"), _as_script(value)


def _as_script(value: Any) -> str:
    """Return a value as JavaScript makes it a text."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.0f}" if isinstance(value, float) and value.is_integer() else str(value)
