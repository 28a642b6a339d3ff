"""A dry run counts the requests of every judged metric, also those that follow from replies."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

import ragauge
from ragauge.core.registry import lookup
from ragauge.judges import Answer, JudgeBase, Price, Request, Session
from tests.repeats import others_long

from .toys import EVERY, FULL, NEEDED

SAMPLES = [
    {"id": "a", **FULL},
    {"id": "b", **FULL, "answer": "", "question": "谁？"},
    {"id": "c", **FULL, "contexts": []},
]


@dataclass(frozen=True)
class Expected(JudgeBase):
    """A judge that replies what a dry run expects."""

    parallel: int = 4
    signature: str = "expected"

    def answer(self, request: Request) -> Answer:
        return Answer(text=json.dumps(request.question.expected), prompt_tokens=10, completion_tokens=5)


@dataclass(frozen=True)
class Uncounted(Expected):
    """The same on a server that does not count tokens."""

    def answer(self, request: Request) -> Answer:
        return Answer(text=json.dumps(request.question.expected))


def calls(name: str, *, dry_run: bool, **options: Any) -> int:
    metric = lookup("metric", name).cls(judge=Expected(), **NEEDED.get(name, {}), **options)
    with Session(dry_run=dry_run) as session:
        ragauge.evaluate(SAMPLES, [metric], session=session, resamples=0)
        return session.tally.total.calls


@pytest.mark.parametrize("name", EVERY)
def test_a_dry_run_counts_what_is_asked(name: str) -> None:
    assert calls(name, dry_run=True) == calls(name, dry_run=False) > 0


@pytest.mark.parametrize("name", ["judged-faithfulness", "judged-factual-correctness", "judged-noise-sensitivity"])
def test_claims_of_the_judge_are_counted_too(name: str) -> None:
    by_sentences, by_judge = (calls(name, dry_run=True, claims=how) for how in ("sentences", "judge"))
    assert by_judge == calls(name, dry_run=False, claims="judge") > by_sentences
    assert calls(name, dry_run=True, claims="judge", repeats=2) == 2 * by_judge
    both = [lookup("metric", name).cls(judge=Expected(), claims=how) for how in ("sentences", "judge")]
    with Session(dry_run=True) as session:
        ragauge.evaluate(SAMPLES, dict(zip("ab", both, strict=True)), session=session, resamples=0)
        assert session.tally.total.calls == by_sentences + by_judge


PRICES = {"sent": Price(1.0, 0.0), "received": Price(0.0, 1.0)}


@pytest.mark.parametrize("name", others_long(EVERY, 6))
def test_what_is_sent_costs_as_was_said_and_what_is_received_no_more(name: str) -> None:
    """By a judge that writes; its server counts no tokens, so that both are estimates."""
    costs = {}
    for dry_run in (True, False):
        for what, price in PRICES.items():
            metric = lookup("metric", name).cls(judge=Uncounted(), **NEEDED.get(name, {}))
            with Session(dry_run=dry_run, price=price) as session:
                ragauge.evaluate(SAMPLES, [metric], session=session, resamples=0)
                costs[what, dry_run] = session.tally.total.cost
    assert costs["sent", False] == pytest.approx(costs["sent", True], rel=0.01)
    assert 0 < costs["received", False] <= costs["received", True]
