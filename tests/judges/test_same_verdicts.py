"""Metrics of a decision model whose probabilities are 0 and 1, and of a judge that writes the same verdicts."""

from __future__ import annotations

import math
import re
from functools import partial
from hashlib import sha256
from typing import Any

import pytest

import ragauge
from ragauge.judges import FunctionJudge
from ragauge.judges.typed import options_of
from tests.metrics.judged.toys import NEEDED, ScriptedJudge, data_in, nuggets, relevant, support, useful
from tests.repeats import others_long

from .test_decisions import DECIDED, ROWS


def drawn(seed: int, *parts: object) -> int:
    return int.from_bytes(sha256(repr((seed, parts)).encode()).digest())


def verdict(seed: int, number: str, *claim: str) -> bool:
    """Whether a passage supports a claim; without a claim, whether a passage is useful or a sentence relevant."""
    return drawn(seed, number, *claim) % 2 == 0


def decided(seed: int, text: str, questions: Any) -> Any:
    """Return the shares that stand for verdicts: of the passage or sentence that a question names, or of one level."""
    numbers = [re.search(r"\d+", one["instructions"]) for one in questions if one["type"] == "predicate"]
    if numbers:
        claims = [data_in(one["instructions"]) for one in questions]
        return [
            float(verdict(seed, number[0], *claim)) for number, claim in zip(numbers, claims, strict=True) if number
        ]
    facts = [fact for one in questions for fact in data_in(one["instructions"])]
    if facts:
        return [[float(place == drawn(seed, fact) % 3) for place in range(3)] for fact in facts]
    # The first words between marks are those that say what marks are.
    level = drawn(seed, *data_in(text)[1:]) % 3
    return [[float(place == level) for place in range(len(options_of(questions[0])))]]


def written(seed: int, prompt: str, message: str) -> Any:
    """Return what a judge that writes says where it has the same verdicts."""
    if prompt == "nuggets":
        # The last paragraph with data.
        return nuggets(*[drawn(seed, fact) % 3 for fact in data_in("<" + message.rpartition("\n[1] <")[2])])
    if prompt not in ("support", "useful", "relevant"):
        level = drawn(seed, *data_in(message)) % 3
        return {"better": level} if prompt == "preference" else {"rating": level + (prompt == "rubric")}
    count = int(re.findall(r"(?:from 1 to|从 1 到) (\d+)", message)[-1])
    if prompt != "support":
        marks = [verdict(seed, str(number)) for number in range(1, count + 1)]
        return useful(*marks) if prompt == "useful" else relevant(*marks)
    listed = re.findall(r"^\[(\d+)\] <([0-9a-f]{8})>(.*?)</\2>", message, flags=re.DOTALL | re.MULTILINE)
    passages = [number for number, _, text in listed[:-count] if text]
    return support(*[[int(one) for one in passages if verdict(seed, one, claim)] for *_, claim in listed[-count:]])


VARIANTS = [
    "judged-noise-sensitivity:mode=irrelevant", "judged-factual-correctness:mode=precision",
    "judged-factual-correctness:mode=recall",
]  # fmt: skip


@pytest.mark.parametrize("seeds", others_long([range(4), range(12)]), ids=["few", "more"])
def test_probabilities_0_and_1_are_the_verdicts_of_a_judge_that_writes(seeds: range) -> None:
    more = {"other_answer": "It is green.", "references": ["Tea is a drink."], "nuggets": ["It is a drink."]}
    rows: list[dict[str, Any]] = [{**row, **more} for row in ROWS]
    rows.append({**rows[0], "id": "2", "references": ["Tea is a drink. It is green.", "A plant. It is old."]})
    rows.append({**rows[0], "id": "3", "answer": "Tea is a drink [1]. It is green [2]."})
    metrics = [*(f"{name}:criteria=x,low=1,high=3" if name in NEEDED else name for name in DECIDED), *VARIANTS]
    assert len(metrics) == 16 + 3
    values: dict[str, set[float]] = {}
    for seed in seeds:
        judges = (
            FunctionJudge(lambda text, questions, seed=seed: decided(seed, text, questions), "decides"),
            ScriptedJudge(partial(written, seed)),
        )
        tables = [ragauge.evaluate(rows, metrics, judge=judge, resamples=0).table for judge in judges]
        for own, other in zip(*tables, strict=True):
            assert own.value == other.value or (math.isnan(own.value) and math.isnan(other.value)), (seed, own.metric)
            assert (own.scored, own.failed, own.parts) == (other.scored, other.failed, other.parts)
            values.setdefault(own.metric, set()).add(own.value)
    # Verdicts differ from seed to seed, so that no score is one by chance.
    assert {name: len(seen) for name, seen in values.items() if len(seen) < 2} == {}
