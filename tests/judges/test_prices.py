"""What a run costs: prices that are given, those of a list, and none."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from ragauge.core.messages import Face, wording_of
from ragauge.errors import OptionError, UsageError
from ragauge.judges import FunctionJudge, Price, Session
from ragauge.judges.budget import listed_price, no_price
from ragauge.judges.chat import Chat

from .conftest import ChatServer, chat_answer, no_complaint, question

CHAT = Chat(url="https://api.openai.com/v1", model="small")


class Listed(NamedTuple):
    total_price: float


class Used:
    def __init__(self, input_tokens: int = 0, output_tokens: int = 0) -> None:
        self.tokens = (input_tokens, output_tokens)


@pytest.fixture
def listing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A module of that name, which knows one model."""

    def calc_price(usage: Used, model_ref: str, *, provider_api_url: str) -> Listed:
        if (model_ref, provider_api_url) != ("small", "https://api.openai.com/v1"):
            raise LookupError(model_ref)
        return Listed(usage.tokens[0] * 0.15e-6 + usage.tokens[1] * 0.6e-6)

    module: Any = ModuleType("genai_prices")
    module.Usage, module.calc_price = Used, calc_price
    monkeypatch.setitem(sys.modules, "genai_prices", module)


@pytest.mark.usefixtures("listing")
def test_prices_of_a_list() -> None:
    price = listed_price(CHAT)
    assert price is not None
    assert price.of(1_000_000, 1_000_000) == pytest.approx(0.75)
    assert "genai-prices" in price.source
    assert listed_price(Chat(url="http://localhost/v1", model="small")) is None
    assert listed_price(FunctionJudge(str, "f")) is None


def test_without_the_extra_there_is_no_price(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    assert listed_price(CHAT) is None
    with Session() as session:
        assert session.price_of(CHAT) is None


def test_a_limit_without_a_price_is_an_error_before_anything_is_sent(server: ChatServer) -> None:
    with (
        Session(max_cost=1) as session,
        pytest.raises(UsageError, match=r"max_cost=1 needs a price.*price=Price\(0\.15, 0\.6\)"),
    ):
        server.judge().ask([question("a")], no_complaint, session)
    assert server.bodies == []


def test_without_the_list_of_prices_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    face = Face(flags={"max_cost": "--max-cost"})
    assert wording_of(no_price(CHAT, 2.5).message, face) == (
        "--max-cost 2.5 needs a price, and none of the model 'small' is known: give that of a million tokens of "
        "questions and of replies, as in --price-in 0.15 --price-out 0.6; pip install 'ragauge[prices]' brings "
        "those of many models"
    )
    assert "pip install" not in str(no_price(FunctionJudge(str, "f"), 1)), "a function is on no list"


@pytest.mark.usefixtures("listing")
def test_a_model_that_the_list_lacks_is_named_and_nothing_is_to_be_installed() -> None:
    message = str(no_price(Chat(url="http://localhost/v1", model="千问"), 1))
    assert "genai-prices lists none of the model '千问' at its server: give" in message
    assert "pip install" not in message


@pytest.mark.parametrize("wrong", [-1, float("nan"), float("inf"), "1", True, None])
def test_odd_amounts_are_refused(wrong: Any) -> None:
    with pytest.raises(OptionError):
        Price(wrong, 1)
    if wrong is not None:
        with pytest.raises(OptionError):
            Session(max_cost=wrong)
        with pytest.raises(OptionError):
            Session(max_calls=wrong)


def test_the_limit_holds_with_many_requests_at_once(server: ChatServer) -> None:
    """A request under way counts with the most that it may cost, so that the sum never passes the limit."""
    server.reply = lambda body, turn: {
        **chat_answer({"n": 1}),
        "usage": {"prompt_tokens": 10, "completion_tokens": 90},
    }
    questions = [question(str(number), max_tokens=100) for number in range(200)]
    with Session(max_cost=1.0, price=Price(0, 1_000_000 / 1000)) as session:
        replies = server.judge(parallel=32).ask(questions, no_complaint, session)
        # Each may cost .1, and costs .09.
        assert session.tally.total.cost == pytest.approx(0.09 * len(server.bodies))
        assert session.tally.total.cost <= 1.0
    assert len(server.bodies) in (10, 11)
    assert {reply.code for reply in replies} == {"", "budget"}
