"""How long a server asks to wait; without the library of requests, which takes a while to import."""

from __future__ import annotations

import math
import time
from contextlib import suppress

LONG_WAIT_S = 5.0
"""Waits of at least so many seconds are logged."""


def seconds_of(retry_after: str | None) -> float | None:
    """Return the seconds that a header ``Retry-After`` asks to wait, a number or a date; None for any other."""
    with suppress(ValueError):
        seconds = float(retry_after or "")
        return seconds if math.isfinite(seconds) else None
    from email.utils import parsedate_to_datetime

    with suppress(ValueError, OverflowError):
        return parsedate_to_datetime(retry_after or "").timestamp() - time.time()
    return None
