"""Notes on the cost of a run of a system: time, tokens, money, and further tries."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

import numpy as np

from ragauge.core.messages import Counted, Message
from ragauge.display.numbers import short_number
from ragauge.systems.answers import SystemAnswer

_SHARES = (0.5, 0.9, 0.95, 0.99)
_LATENCY = (
    "RG-NOTE-020 latency of {answers} in seconds: half within {half}, 90 % {of_90}, 95 % {of_95}, 99 % {of_99}, "
    "slowest {slowest}"
)
_SPENT = {
    "input_tokens": "RG-NOTE-021 tokens in: {total}{each}{unknown}",
    "output_tokens": "RG-NOTE-022 tokens out: {total}{each}{unknown}",
    "cost": "RG-NOTE-023 cost: {total}{each}{unknown}",
}


def notes_on(answers: Sequence[SystemAnswer]) -> list[str]:
    """Return notes on latency, tokens, cost and further tries of ``answers``; failed ones have no latency here.

    A share of the answers came within a time that was measured: nothing is interpolated between two times.

    >>> notes_on([SystemAnswer("a", "?", {"answer": "x", "cost": 0.5}, latency=0.25)])
    ['latency of 1 answer in seconds: half within 0.25, 90 % 0.25, 95 % 0.25, 99 % 0.25, slowest 0.25', 'cost: 0.5']
    """
    notes: list[str] = []
    seconds = _numbers(answers, "latency")
    if seconds:
        within = np.quantile(seconds, _SHARES, method="inverted_cdf").tolist()
        values = [Counted(len(seconds), "answer"), *map(_short, [*within, max(seconds)])]
        notes.append(Message(_LATENCY, *values))
    for name, template in _SPENT.items():
        numbers = _numbers(answers, name)
        if numbers:
            # Exact sums do not depend on the order in which answers came.
            total = fsum(numbers)
            each = Message(", {mean} an answer", _short(total / len(numbers))) if len(numbers) > 1 else ""
            without = len([one for one in answers if one.columns is not None]) - len(numbers)
            unknown = Message("; unknown for {answers}", Counted(without, "answer")) if without else ""
            notes.append(Message(template, _short(total), each, unknown))
    repeated = [answer for answer in answers if answer.attempts > 1]
    if repeated:
        calls = sum(answer.attempts - 1 for answer in repeated)
        template = "RG-NOTE-024 {tries} for {questions}, after failures that looked temporary"
        tries = Counted(calls, "further try", "further tries")
        notes.append(Message(template, tries, Counted(len(repeated), "question")))
    return notes


def _numbers(answers: Sequence[SystemAnswer], name: str) -> list[float]:
    """Return the numbers of those answers that have one: the system's own latency wins over the measured one."""
    own = [{"latency": one.latency, **one.columns}.get(name) for one in answers if one.columns is not None]
    return [float(number) for number in own if number is not None]


def _short(number: float) -> str:
    if number >= 10_000:
        return f"{number:,.0f}"
    return f"{number:.4g}" if number >= 0.0001 or not number else short_number(number)
