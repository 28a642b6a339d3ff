"""How a system is asked: how many questions at once, how often, how long, and how many times again."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

from ragauge.core.options import Range, checked

_UNITS = {"s": 1.0, "sec": 1.0, "second": 1.0, "m": 60.0, "min": 60.0, "minute": 60.0, "h": 3600.0, "hour": 3600.0}
_RATE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*/\s*([a-z]+)\s*")


def seconds_between_calls(rate: str) -> float:
    """Return the seconds between the starts of two calls at a rate; ValueError where the text is not a rate.

    >>> seconds_between_calls("600/min")
    0.1
    """
    match = _RATE.fullmatch(rate) if isinstance(rate, str) else None
    if match is None or match[2] not in _UNITS or not float(match[1]):
        raise ValueError(rate)
    return _UNITS[match[2]] / float(match[1])


def _rate(value: Any) -> Any:
    seconds_between_calls(value)
    return value


Concurrency: TypeAlias = Annotated[int, Range(1, 1024)]
"""Questions at once: each takes a thread."""
Timeout: TypeAlias = Annotated[Annotated[float, Range(0, above=True)] | None, "a number of seconds above 0"]
Retries: TypeAlias = Annotated[int, Range(0, 20)]
Rate: TypeAlias = Annotated[
    Annotated[str, _rate] | None,
    "a number of calls per second, minute or hour, as in '10/s', '600/min' or '1000/hour'",
]


@checked("evaluate")
@dataclass(frozen=True)
class Asking:
    """How a system is asked.

    Args:
        concurrency: questions at once, 1 to 1024.
        timeout: seconds for each call; None: no limit.
        retries: further tries after a failure that looks temporary, see `ragauge.systems.pace.is_temporary`; 0 to 20.
        rate: calls at most, as in ``10/s`` or ``600/min``; None: no limit.

    Raises:
        OptionError: an argument is wrong.
    """

    concurrency: Concurrency = 1
    timeout: Timeout = None
    retries: Retries = 2
    rate: Rate = None
