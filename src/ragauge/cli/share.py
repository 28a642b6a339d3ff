"""The type of options that are shares."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import click
from click.types import FloatParamType


class Share(FloatParamType):
    """A share as a number such as 0.71 or as text such as 71%; who uses it checks its range.

    >>> Share().convert("71%", None, None), Share().convert(0.5, None, None)
    (0.71, 0.5)
    """

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number; click's own error where it is none."""
        text = str(value).strip()
        if text.endswith("%"):
            with suppress(ValueError):
                value = float(text.removesuffix("%")) / 100
        return float(super().convert(value, param, ctx))


class _Within(Share, click.FloatRange):
    """A share within a range."""


SHARE, UP_TO_ONE = Share(), _Within(0, 1)
"""Of shares, levels and probabilities; the second from 0 to 1."""
