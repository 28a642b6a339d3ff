"""Notes on the cost of a run of a system: time, tokens, money, and further tries."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

import numpy as np

from ragauge.display.numbers import short_number
from ragauge.systems.answers import SystemAnswer

_SHARES = {"half": 0.5, "90 %": 0.9, "95 %": 0.95, "99 %": 0.99}


def notes_on(answers: Sequence[SystemAnswer]) -> list[str]:
    """Return notes on latency, tokens, cost and further tries of ``answers``; failed ones have no latency here.

    A share of the answers came within a time that was measured: nothing is interpolated between two times.

    >>> notes_on([SystemAnswer("a", "?", {"answer": "x", "cost": 0.5}, latency=0.25)])
    ['latency of 1 answer in seconds: half within 0.25, 90 % 0.25, 95 % 0.25, 99 % 0.25, slowest 0.25', 'cost: 0.5']
    """
    notes = []
    seconds = _numbers(answers, "latency")
    if seconds:
        within = np.quantile(seconds, list(_SHARES.values()), method="inverted_cdf").tolist()
        first, *others = [f"{share} {_short(time)}" for share, time in zip(_SHARES, within, strict=True)]
        count = f"{len(seconds)} answer{'' if len(seconds) == 1 else 's'}"
        shares = ", ".join([first.replace("half", "half within"), *others, f"slowest {_short(max(seconds))}"])
        notes.append(f"latency of {count} in seconds: {shares}")
    for name, words in (("input_tokens", "tokens in"), ("output_tokens", "tokens out"), ("cost", "cost")):
        numbers = _numbers(answers, name)
        if numbers:
            # Exact sums do not depend on the order in which answers came.
            total = fsum(numbers)
            each = f", {_short(total / len(numbers))} an answer" if len(numbers) > 1 else ""
            without = len([one for one in answers if one.columns is not None]) - len(numbers)
            unknown = f"; {without} answers do not say theirs" if without else ""
            notes.append(f"{words}: {_short(total)}{each}{unknown}")
    repeated = [answer for answer in answers if answer.attempts > 1]
    if repeated:
        calls = sum(answer.attempts - 1 for answer in repeated)
        notes.append(f"{calls} further tries for {len(repeated)} questions, after failures that looked temporary")
    return notes


def _numbers(answers: Sequence[SystemAnswer], name: str) -> list[float]:
    """Return the numbers of those answers that have one: the system's own latency wins over the measured one."""
    own = [{"latency": one.latency, **one.columns}.get(name) for one in answers if one.columns is not None]
    return [float(number) for number in own if number is not None]


def _short(number: float) -> str:
    if number >= 10_000:
        return f"{number:,.0f}"
    return f"{number:.4g}" if number >= 0.0001 or not number else short_number(number)
