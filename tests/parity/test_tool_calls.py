"""Tool calls beside ragas: F1 where no call is made twice, and the strict order; and where ragas' way is another."""

from __future__ import annotations

import asyncio
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import ragauge

ragas = pytest.importorskip("ragas", reason="pip install ragas, as the environment 'frameworks' does")
pytestmark = pytest.mark.filterwarnings("ignore")

Call = dict[str, Any]


def theirs(metric: str, made: list[Call], wanted: list[Call]) -> float:
    say, metrics = import_module("ragas.messages"), import_module("ragas.metrics")
    calls, reference = (
        [say.ToolCall(name=one["name"], args=one["arguments"]) for one in some] for some in (made, wanted)
    )
    said = [say.HumanMessage(content="tea?"), say.AIMessage(content="", tool_calls=calls)]
    sample = ragas.MultiTurnSample(user_input=said, reference_tool_calls=reference)
    return float(asyncio.run(getattr(metrics, metric)().multi_turn_ascore(sample)))


def drawn(seed: int, *, repeated: bool) -> list[Call]:
    draw = np.random.default_rng(seed)
    every = [{"name": name, "arguments": {"q": q}} for name in ("search", "查询") for q in ("tea", "茶")]
    picked = draw.choice(len(every), draw.integers(1, 4), replace=repeated)
    return [every[place] for place in picked]


@pytest.mark.parametrize("seed", range(40))
def test_f1_of_calls_made_once(seed: int) -> None:
    made, wanted = drawn(seed, repeated=False), drawn(seed + 1000, repeated=False)
    ours = ragauge.score("tool-call-f1", tool_calls=made, reference_tool_calls=wanted)
    assert round(ours, 4) == theirs("ToolCallF1", made, wanted)


@pytest.mark.parametrize("seed", range(40))
def test_all_calls_in_order(seed: int) -> None:
    made = drawn(seed, repeated=True)
    wanted = made if seed % 2 else drawn(seed + 1000, repeated=True)
    ours = ragauge.score("tool-call-strict", tool_calls=made, reference_tool_calls=wanted)
    assert ours == (theirs("ToolCallAccuracy", made, wanted) == 1.0)


def test_where_they_part() -> None:
    """ragas counts a repeated call once, and takes no notice of arguments that the reference lacks."""
    one, more = {"name": "search", "arguments": {"q": "tea"}}, {"name": "search", "arguments": {"q": "tea", "top": 5}}
    assert theirs("ToolCallF1", [one, one], [one]) == 1.0
    assert ragauge.score("tool-call-f1", tool_calls=[one, one], reference_tool_calls=[one]) == pytest.approx(2 / 3)
    assert theirs("ToolCallAccuracy", [more], [one]) == 1.0
    assert ragauge.score("tool-call-strict", tool_calls=[more], reference_tool_calls=[one]) == 0.0
