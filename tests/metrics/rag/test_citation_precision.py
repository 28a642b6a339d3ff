"""Citation precision, with recall as ALCE defines them given the verdicts of support."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from ragauge import score
from ragauge.core.ragged import FloatArray, Ragged
from ragauge.metrics.rag.citation_precision import CitationPrecision
from ragauge.metrics.rag.citation_recall import CitationRecall

from .given import Marked, batch_of, scores

CONTEXTS = ["The tea house opened in 1990.", "Lin Wan founded the tea house.", "The tea house has a garden."]


@dataclass(frozen=True)
class Sets:
    """Supports claim "S3." by a text that has all the passages of one of its sets."""

    known: tuple[tuple[frozenset[int], ...], ...]
    threshold: float = 0.5
    signature: str = "sets"

    def holds(self, claim: int, passages: Sequence[int]) -> bool:
        return any(one <= set(passages) for one in self.known[claim])

    def degrees(self, claims: Ragged, evidence: Ragged) -> FloatArray:
        found = []
        for claimed, offered in zip(claims.to_lists(), evidence.to_lists(), strict=True):
            for claim in claimed:
                for text in offered:
                    numbers = [int(one) for one in re.findall(r"P(\d+)", text)]
                    found.append(float(self.holds(int(re.findall(r"\d+", claim)[0]), numbers)))
        return np.array(found, dtype=np.float64)


def alce(support: Sets, cited: dict[int, list[int]]) -> tuple[float, float]:
    """Return recall and precision by section 4.3 of the paper: one loop, as its words say.

    ``cited``: number of a claim -> the passages that it cites.
    """
    supported = right = total = 0
    for claim, passages in cited.items():
        total += len(passages)
        if not passages or not support.holds(claim, passages):
            continue
        supported += 1
        for one in passages:
            irrelevant = not support.holds(claim, [one]) and support.holds(claim, [p for p in passages if p != one])
            right += not irrelevant
    return supported / len(cited), right / total if total else 0.0


def test_recall_and_precision_equal_those_of_the_paper_given_the_verdicts() -> None:
    draw = random.Random(33)  # noqa: S311
    answers: list[dict[int, list[int]]] = []
    known: list[tuple[frozenset[int], ...]] = []
    for _ in range(200):
        cited = [sorted(draw.sample(range(5), draw.randint(0, 4))) for _ in range(draw.randint(1, 5))]
        answers.append(dict(enumerate(cited, start=len(known))))
        known += (tuple(frozenset(draw.sample(range(5), draw.randint(1, 2))) for _ in range(draw.randint(0, 3)))
                  for _ in cited)  # fmt: skip
    support = Sets(tuple(known))
    expected = [alce(support, cited) for cited in answers]
    samples = [
        {
            "answer": " ".join(
                f"S{claim} is so{''.join(f'[{place + 1}]' for place in cited[claim])}." for claim in cited
            ),
            "contexts": [f"P{place} is here." for place in range(5)],
        }
        for cited in answers
    ]
    found = [scores(metric(support=support, window=9), *samples) for metric in (CitationRecall, CitationPrecision)]
    np.testing.assert_allclose(np.transpose(found), expected, rtol=0, atol=1e-12)
    assert len(set(expected)) > 50


@pytest.mark.parametrize(("answer", "expected"), [
    ("Lin Wan founded the tea house [2].", 1), ("Lin Wan founded the tea house [1].", 0),
    ("Lin Wan founded the tea house [2][3].", 1 / 2), ("Lin Wan founded the tea house [2][9].", 1 / 2),
    ("Lin Wan founded the tea house.", 0), ("Lin Wan founded the tea house [2]. It has a lake [3].", 1 / 2),
])  # fmt: skip
def test_wrong_superfluous_and_dangling_citations(answer: str, expected: float) -> None:
    assert score("citation-precision", answer=answer, contexts=CONTEXTS) == expected


def test_a_passage_that_is_needed_is_right_though_it_does_not_support_alone() -> None:
    marks = Marked({("A and B.", "A.\nB."): 1.0})
    rows = [{"answer": "A and B [1][2].", "contexts": ["A.", "B."]}]
    assert scores(CitationPrecision(support=marks, window=2), *rows) == [1.0]


def test_evidence_says_why_a_citation_is_superfluous() -> None:
    table = CitationPrecision().explain(
        batch_of({"answer": "Lin Wan founded the tea house [2][3].", "contexts": CONTEXTS})
    )
    assert table["supported"].to_pylist() == [True, True, False]
    assert table["why"].to_pylist()[2] == "it does not support the sentence alone, and the others support it without it"
