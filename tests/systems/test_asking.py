"""How a system is asked is checked when it is said."""

from __future__ import annotations

from typing import Any

import pytest

from ragauge.errors import OptionError
from ragauge.systems.pace import Asking, seconds_between_calls


@pytest.mark.parametrize(("rate", "interval"), [("10/s", 0.1), ("600 / min", 0.1), ("0.5/s", 2.0), ("3600/hour", 1.0)])
def test_rates(rate: str, interval: float) -> None:
    assert Asking(rate=rate).rate == rate
    assert seconds_between_calls(rate) == interval


@pytest.mark.parametrize(
    "options",
    [
        {"rate": "10"}, {"rate": "10/day"}, {"rate": "0/s"}, {"rate": 10}, {"concurrency": 0}, {"concurrency": 1025},
        {"concurrency": 2.5}, {"retries": -1}, {"retries": True}, {"timeout": 0}, {"timeout": "5"}, {"timeout": True},
        {"timeout": float("inf")},
    ],
)  # fmt: skip
def test_wrong_options_are_refused(options: dict[str, Any]) -> None:
    [name] = options
    with pytest.raises(OptionError, match=f"option '{name}' of evaluate must be"):
        Asking(**options)
