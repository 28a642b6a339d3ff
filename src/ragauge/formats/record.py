"""One record of a CSV file as cells (RFC 4180)."""

from __future__ import annotations

import re
from typing import TypeAlias

Cells: TypeAlias = "list[str | None]"

_QUOTED = r'[^"]*+(?:""[^"]*+)*+'
_OPEN = re.compile(f'"{_QUOTED}\\Z')


class Splitter:
    """Cuts records at a delimiter.

    Unlike the csv module of Python before 3.12 it tells an empty cell (null) from a quoted empty cell (a text), and
    it has no limit on the length of a cell.

    >>> Splitter(",")('a,,"",5" disk,"the ""same"", twice"')
    ['a', None, '', '5" disk', 'the "same", twice']
    >>> Splitter(",")('a,"goes on in the next line')
    """

    def __init__(self, delimiter: str) -> None:
        self._delimiter = delimiter
        bare = f'[^"{delimiter}][^{delimiter}]*+'
        self._cell = re.compile(f'(?:"({_QUOTED})"|({bare})?)({delimiter}|\\Z)')

    def __call__(self, text: str) -> Cells | None:
        """Return the cells, one without anything as None; or None where a quoted cell goes on after ``text``.

        Raises:
            ValueError: there is text between a closing quote and the delimiter.
        """
        if '"' not in text:
            return [cell or None for cell in text.split(self._delimiter)]
        cells: Cells = []
        position, more = 0, True
        while more:
            match = self._cell.match(text, position)
            if match is None:
                _check_open(text, position)
                return None
            quoted, bare, delimiter = match.groups()
            cells.append(bare if quoted is None else quoted.replace('""', '"'))
            position, more = match.end(), delimiter != ""
        return cells


def _check_open(text: str, position: int) -> None:
    """Accept the cell at ``position`` as the start of one that goes on.

    Raises:
        ValueError: its quote is closed.
    """
    if _OPEN.match(text, position) is None:
        raise ValueError("has text after a closing quote; double the quotes in a cell")
