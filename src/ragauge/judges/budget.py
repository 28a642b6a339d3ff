"""Limits on the requests of a run and on their cost."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Condition

from ragauge.errors import UsageError

_MILLION = 1_000_000


@dataclass(frozen=True)
class Price:
    """What a million tokens cost, in any currency: of questions, and of replies.

    >>> Price(0.15, 0.6).of(2_000_000, 1_000_000)
    0.9
    """

    prompt: float
    completion: float
    source: str = "given"

    def of(self, prompt: int, completion: int) -> float:
        """Return the cost of so many tokens."""
        return (prompt * self.prompt + completion * self.completion) / _MILLION


class Budget:
    """Lets requests through until ``max_calls`` are sent, or until the next could cost more than ``max_cost`` in all.

    A request that is under way counts with the most that it may cost. Where that leaves too little for the next one, it
    waits until the cost of those under way is known.
    """

    def __init__(self, max_calls: int | None = None, max_cost: float | None = None, price: Price | None = None) -> None:
        if max_cost is not None and price is None:
            message = "max_cost needs the price of a million tokens. Pass price_in=... and price_out=... too."
            raise UsageError(message)
        self.max_calls, self.max_cost, self.price = max_calls, max_cost, price
        self.calls, self.cost = 0, 0.0
        self._reserved, self._under_way = 0.0, 0
        self._changed = Condition()

    def reserve(self, prompt: int, completion: int) -> str | None:
        """Let one request of so many tokens through, at most; or return why it may not be sent."""
        most = self.price.of(prompt, completion) if self.price is not None else 0.0
        with self._changed:
            while True:
                if self.max_calls is not None and self.calls >= self.max_calls:
                    return f"{self.calls} requests were sent, which is max_calls"
                if self.max_cost is None or self.cost + self._reserved + most <= self.max_cost:
                    break
                if not self._under_way:
                    return f"the next request may cost more than is left of max_cost={self.max_cost:g}"
                self._changed.wait()
            self.calls += 1
            self._under_way += 1
            self._reserved += most
        return None

    def settle(self, prompt: int, completion: int, used: tuple[int, int] | None) -> None:
        """Replace what was reserved by what was ``used``; None: no answer came, and the request does not count."""
        with self._changed:
            self._under_way -= 1
            if self.price is not None:
                self._reserved -= self.price.of(prompt, completion)
                self.cost += self.price.of(*used) if used is not None else 0.0
            if used is None:
                self.calls -= 1
            self._changed.notify_all()


def estimated_tokens(messages: tuple[tuple[str, str], ...]) -> int:
    """Estimate the tokens of messages: four letters of ASCII are one, any other character is one.

    That is near the truth for English and for Chinese, Japanese and Thai, and high for other languages.

    >>> estimated_tokens((("user", "Who wrote it?"),)), estimated_tokens((("user", "是谁写的？"),))
    (12, 13)
    """
    total = 0
    for _, text in messages:
        ascii_letters = len(text.encode("ascii", "ignore"))
        # Each message has some tokens around it.
        total += -(-ascii_letters // 4) + len(text) - ascii_letters + 8
    return total
