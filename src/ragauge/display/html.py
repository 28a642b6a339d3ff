"""Blocks as HTML for a notebook, in whatever colours it has; and the base class of objects that show themselves."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from functools import cache
from math import isfinite
from typing import TYPE_CHECKING, Any

from ragauge.display.numbers import Span, printable
from ragauge.display.table import Bar, Block, markdown
from ragauge.display.text import plain_text

if TYPE_CHECKING:
    from jinja2 import Template

ROWS = 100
"""The most rows of a table that are shown, because thousands make a notebook slow."""


def html(blocks: Iterable[Block]) -> str:
    """Return blocks as HTML; at most `ROWS` rows of each table, and all texts of the data escaped."""
    return _template().render(blocks=[(type(block).__name__.lower(), block) for block in blocks], most=ROWS)


@cache
def _template() -> Template:
    from jinja2 import Environment, PackageLoader

    environment = Environment(
        loader=PackageLoader("ragauge.display", "."), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"printable": printable, "drawing": _drawing}
    environment.globals |= {"zip": zip, "width": _WIDTH, "height": _HEIGHT, "margin": _MARGIN}
    return environment.get_template("notebook.html.j2")


_WIDTH, _HEIGHT, _MARGIN = 120, 14, 4


def _drawing(cell: object) -> dict[str, Any] | None:
    """Return the places of the shapes of a bar, in pixels; None unless the cell is a bar with a value and a scale."""
    if not isinstance(cell, Bar) or not cell.drawable or not isfinite(cell.value):
        return None
    interval = None
    if all(map(isfinite, cell.interval)):
        left, right = (_place(end, cell.span) for end in cell.interval)
        interval = (left, max(1.0, round(right - left, 1)))
    zero = _place(0.0, cell.span) if cell.zero else None
    return {"value": _place(cell.value, cell.span), "zero": zero, "interval": interval}


def _place(value: float, span: Span) -> float:
    share = min(1.0, max(0.0, (value - span[0]) / (span[1] - span[0])))
    return round(_MARGIN + share * (_WIDTH - 2 * _MARGIN), 1)


class Displayed:
    """A result that is shown as blocks: lines, tables and notes."""

    @abstractmethod
    def blocks(self) -> Iterable[Block]:
        """Return the tables, lines and notes that are shown."""

    def __str__(self) -> str:
        return plain_text(self.blocks())

    def __repr__(self) -> str:
        return str(self)

    def _repr_markdown_(self) -> str:
        return markdown(self.blocks())

    def _repr_html_(self) -> str:
        return html(self.blocks())
