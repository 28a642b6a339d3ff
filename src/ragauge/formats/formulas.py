"""Texts that spreadsheets would run as formulas, in CSV files that people open."""

from __future__ import annotations

import re
from typing import Any

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
# Spreadsheets drop white space before a formula, and read the full-width forms of its first character.
_FORMULA = re.compile(r"'*(?:\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r])")


def guarded(value: Any) -> Any:
    """Return a field of CSV: texts that spreadsheets would run as formulas get a ' in front, as OWASP advises.

    So do those with a ' before a formula: no two texts become one.

    >>> guarded("=1+1"), guarded("-1.5"), guarded("tea")
    ("'=1+1", '-1.5', 'tea')
    """
    return f"'{value}" if isinstance(value, str) and _is_formula(value) else value


def unguarded(value: Any) -> Any:
    """Return what `guarded` made a field of.

    >>> unguarded("'=1+1"), unguarded("'tea'")
    ('=1+1', "'tea'")
    """
    is_guarded = isinstance(value, str) and value.startswith("'") and _is_formula(value[1:])
    return value[1:] if is_guarded else value


def _is_formula(text: str) -> bool:
    return bool(_FORMULA.match(text)) and not _NUMBER.fullmatch(text)
