"""Lists as Python writes them: what pandas puts into a CSV file."""

from __future__ import annotations

import ast
import io
import tokenize
from itertools import pairwise
from typing import Any

from ragauge.formats._cells import BadCellError

_JSON = "write lists as JSON: frame[column] = frame[column].map(lambda cell: json.dumps(list(cell)))"


def python_value(text: str) -> Any:
    """Return the list or object that ``text`` writes in Python's notation.

    Raises:
        BadCellError: it is none, or the print of a NumPy array, whose texts have no comma between them.

    >>> python_value("['tea', None]")
    ['tea', None]
    """
    stripped = text.strip()
    try:
        value = ast.literal_eval(stripped)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise BadCellError(f"looks like a list but is not JSON; {_JSON}") from None
    if _joins_texts(stripped):
        raise BadCellError(f"looks like a NumPy array, whose items cannot be told apart; {_JSON}")
    return value


def _joins_texts(source: str) -> bool:
    """Say whether two texts stand side by side, which Python joins to one."""
    kinds = [
        token.type
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type not in (tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT)
    ]
    return any(pair == (tokenize.STRING, tokenize.STRING) for pair in pairwise(kinds))
