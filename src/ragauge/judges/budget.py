"""Limits on the requests of a run and on their cost."""

from __future__ import annotations

from threading import Condition

from ragauge.core.options import Range, check_whole
from ragauge.errors import OptionError, UsageError
from ragauge.judges.prices import Price


class Budget:
    """Lets requests through until ``max_calls`` are sent, or until the next could cost more than ``max_cost`` in all.

    A request that is under way counts with the most that it may cost. Where that leaves too little for the next one, it
    waits until the cost of those under way is known.
    """

    def __init__(self, max_calls: int | None = None, max_cost: float | None = None) -> None:
        if max_calls is not None:
            check_whole("Session", "max_calls", "a whole number from 0", max_calls, 0)
        number = isinstance(max_cost, int | float) and not isinstance(max_cost, bool)
        if max_cost is not None and not (number and max_cost in Range(0)):
            raise OptionError.value("Session", "max_cost", "a number of at least 0", max_cost)
        self.max_calls, self.max_cost = max_calls, max_cost
        self.calls, self.cost = 0, 0.0
        self._reserved, self._under_way = 0.0, 0
        self._changed = Condition()

    def reserve(self, price: Price | None, prompt: int, completion: int) -> str | None:
        """Let one request of at most so many tokens through; or return why it may not be sent.

        Raises:
            UsageError: there is a limit on the cost, and no price is known.
        """
        if self.max_cost is not None and price is None:
            raise UsageError(
                "RG-JUDGE-001 max_cost needs prices, and none is known for this judge: give price_in and price_out, "
                "those of a million tokens of questions and of replies, as in price_in=0.15, price_out=0.6"
            )
        most = price.of(prompt, completion) if price is not None else 0.0
        with self._changed:
            while True:
                if self.max_calls is not None and self.calls >= self.max_calls:
                    return f"the limit of {self.max_calls} requests is reached (max_calls)"
                if self.max_cost is None or self.cost + self._reserved + most <= self.max_cost:
                    break
                if not self._under_way:
                    return f"the next request may cost more than is left of {self.max_cost:g} (max_cost)"
                self._changed.wait()
            self.calls += 1
            self._under_way += 1
            self._reserved += most
        return None

    def settle(self, price: Price | None, reserved: tuple[int, int], used: tuple[int, int] | None) -> None:
        """Replace the tokens that were ``reserved`` by those ``used``; None: no answer came, and none cost anything."""
        with self._changed:
            self._under_way -= 1
            if price is not None:
                self._reserved -= price.of(*reserved)
                self.cost += price.of(*used) if used is not None else 0.0
            self._changed.notify_all()

    def again(self, price: Price | None, tokens: tuple[int, int], *, late: bool) -> str | None:
        """Let a request through once more that has reserved ``tokens``; or return why it may not be sent again.

        A request whose answer was ``late`` may have been answered all the same, so it counts with the most that it may
        cost.
        """
        most = price.of(*tokens) if price is not None else 0.0
        with self._changed:
            self.cost += most if late else 0.0
            if self.max_calls is not None and self.calls >= self.max_calls:
                return f"the limit of {self.max_calls} requests is reached (max_calls), before it could be sent again"
            if self.max_cost is not None and self.cost + self._reserved > self.max_cost:
                return f"sending it again may cost more than is left of {self.max_cost:g} (max_cost)"
            self.calls += 1
        return None
