"""Limits on the requests of a run and on their cost; prices as the user says, or by the table of ``genai-prices``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from threading import Condition
from typing import Annotated, Any, TypeAlias

from ragauge.core.messages import Argument, Message, Spelled
from ragauge.core.options import Range, checked_value
from ragauge.errors import UsageError

_MILLION = 1_000_000
_Count: TypeAlias = Annotated[int, Range(0)]
_Amount: TypeAlias = Annotated[float, Range(0)]


@dataclass(frozen=True)
class Price:
    """The price of a million tokens of questions, and of replies, in any currency.

    >>> Price(0.15, 0.6).of(2_000_000, 1_000_000)
    0.9
    """

    prompt: float
    completion: float
    source: str = "given"

    def __post_init__(self) -> None:
        for name, value in (("price_in", self.prompt), ("price_out", self.completion)):
            checked_value("Price", name, value, Annotated[_Amount, "a number of at least 0, for a million tokens"])

    @property
    def halved(self) -> Price:
        """The price of the same in a batch, at OpenAI and Anthropic."""
        return replace(self, prompt=self.prompt / 2, completion=self.completion / 2)

    def of(self, prompt: int, completion: int) -> float:
        """Return the cost of so many tokens."""
        return (prompt * self.prompt + completion * self.completion) / _MILLION


def listed_price(judge: Any) -> Price | None:
    """Return the price in US dollars that ``genai-prices`` lists for the address and model of a judge.

    None where it lists none, or is not installed.
    """
    url, model = getattr(judge, "url", None), getattr(judge, "model", None)
    if url is None or model is None:
        return None
    try:
        from genai_prices import Usage, calc_price

        used = (Usage(input_tokens=_MILLION), Usage(output_tokens=_MILLION))
        prices = [calc_price(one, model_ref=model, provider_api_url=url).total_price for one in used]
    except (ImportError, LookupError):
        return None
    return Price(float(prices[0]), float(prices[1]), source="genai-prices, US dollars")


def no_price(judge: Any, max_cost: float) -> UsageError:
    """Return the error of a limit on the cost of a judge without a known price: what to give, or to install."""
    model = getattr(judge, "model", None)
    what = Message("this judge") if model is None else Message("the model {model!r}", model)
    try:
        import genai_prices  # noqa: F401 - only whether it is installed

        why, install = Message("genai-prices lists none of {model} at its server", what), ""
    except ImportError:
        why = Message("none of {model} is known", what)
        install = Message("; {command} brings those of many models", "pip install 'ragauge[prices]'")
    return UsageError(
        "RG-JUDGE-001 {max_cost} needs a price, and {why}: give that of a million tokens of questions and of replies, "
        "as in {price}{install}",
        Argument("max_cost", max_cost),
        why,
        Spelled("price=Price(0.15, 0.6)", "--price-in 0.15 --price-out 0.6"),
        install if model is not None else "",
    )


class Budget:
    """Lets requests through until ``max_calls`` are sent, or until the next could cost more than ``max_cost`` in all.

    A request that is under way counts with the most that it may cost. Where that leaves too little for the next one, it
    waits until the cost of those under way is known.
    """

    def __init__(self, max_calls: int | None = None, max_cost: float | None = None) -> None:
        checked_value("Session", "max_calls", max_calls, Annotated[_Count | None, "a whole number from 0"])
        checked_value("Session", "max_cost", max_cost, Annotated[_Amount | None, "a number of at least 0"])
        self.max_calls, self.max_cost = max_calls, max_cost
        self.calls, self.cost = 0, 0.0
        self._reserved, self._under_way = 0.0, 0
        self._changed = Condition()

    def reserve(self, most: float) -> str | None:
        """Let one request through that costs at most ``most``; or return why it may not be sent."""
        with self._changed:
            while True:
                if self.max_calls is not None and self.calls >= self.max_calls:
                    return Message("RG-JUDGE-022 {max_calls} is reached", Argument("max_calls", self.max_calls))
                if self.max_cost is None or self.cost + self._reserved + most <= self.max_cost:
                    break
                if not self._under_way:
                    template = "RG-JUDGE-023 the next request may cost more than is left of {max_cost}"
                    return Message(template, Argument("max_cost", self.max_cost))
                self._changed.wait()
            self.calls += 1
            self._under_way += 1
            self._reserved += most
        return None

    def settle(self, reserved: float, cost: float) -> None:
        """Replace the cost that was ``reserved`` for a request by what it did cost."""
        with self._changed:
            self._under_way -= 1
            self._reserved -= reserved
            self.cost += cost
            self._changed.notify_all()

    def again(self, most: float, *, late: bool) -> str | None:
        """Let a request through once more that has reserved ``most``; or return why it may not be sent again.

        A request whose answer was ``late`` may have been answered all the same, so it counts with the most that it may
        cost.
        """
        with self._changed:
            self.cost += most if late else 0.0
            if self.max_calls is not None and self.calls >= self.max_calls:
                template = "RG-JUDGE-024 {max_calls} is reached, before the request could be sent again"
                return Message(template, Argument("max_calls", self.max_calls))
            if self.max_cost is not None and self.cost + self._reserved > self.max_cost:
                template = "RG-JUDGE-025 sending the request again may cost more than is left of {max_cost}"
                return Message(template, Argument("max_cost", self.max_cost))
            self.calls += 1
        return None
