"""What a million tokens cost: as the user says, or by the table of ``genai-prices``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ragauge.core.options import Range
from ragauge.errors import MissingExtraError, OptionError

_MILLION = 1_000_000
_AMOUNT = Range(0)


@dataclass(frozen=True)
class Price:
    """What a million tokens cost, in any currency: of questions, and of replies.

    >>> Price(0.15, 0.6).of(2_000_000, 1_000_000)
    0.9
    """

    prompt: float
    completion: float
    source: str = "given"

    def __post_init__(self) -> None:
        for name, value in (("price_in", self.prompt), ("price_out", self.completion)):
            if isinstance(value, bool) or not isinstance(value, int | float) or value not in _AMOUNT:
                raise OptionError.value("Price", name, "a number of at least 0, for a million tokens", value)

    def of(self, prompt: int, completion: int) -> float:
        """Return the cost of so many tokens."""
        return (prompt * self.prompt + completion * self.completion) / _MILLION


def listed_price(judge: Any) -> Price | None:
    """Return the price in US dollars that ``genai-prices`` lists for the address and model of a judge; None: none.

    Raises:
        MissingExtraError: genai-prices is not installed.
    """
    url, model = getattr(judge, "url", None), getattr(judge, "model", None)
    try:
        from genai_prices import Usage, calc_price
    except ImportError:
        raise MissingExtraError.of("prices", "genai-prices", "prices") from None
    if url is None or model is None:
        return None
    amounts = []
    for usage in (Usage(input_tokens=_MILLION), Usage(output_tokens=_MILLION)):
        try:
            amounts.append(float(calc_price(usage, model_ref=model, provider_api_url=url).total_price))
        except LookupError:
            return None
    return Price(amounts[0], amounts[1], source="genai-prices, US dollars")
