"""Citation F1, and the order of answers whose citations are right, superfluous, wrong, missing or dangling."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import ragauge
from ragauge import score
from ragauge.metrics.rag.citation_f1 import CitationF1

from .given import Marked, scores

PROBES = Path(__file__).parents[3] / "corpora" / "probes"
CONTEXTS = ["The tea house opened in 1990.", "Lin Wan founded the tea house."]
FAULTS = ("{claim} [{own}][{other}]", "{claim} [{other}]", "{claim}", "{claim} [77]")


def test_it_is_the_harmonic_mean_of_a_sample() -> None:
    answer = "Lin Wan founded the tea house [2][1]. It has a garden."
    recall, precision, f1 = (
        score(f"citation-{name}", answer=answer, contexts=CONTEXTS) for name in ("recall", "precision", "f1")
    )
    assert (recall, precision) == (1 / 2, 1 / 2)
    assert f1 == pytest.approx(1 / 2, abs=1e-15)
    answer = "Lin Wan founded the tea house [2]. It has a garden."
    assert score("citation-f1", answer=answer, contexts=CONTEXTS) == pytest.approx(2 / 3, abs=1e-15)


def test_planted_faults_are_below_right_citations() -> None:
    """204 cases: each has a right answer, and the same with a superfluous, a wrong, no and a dangling citation."""
    held = {language: ordered(language) for language in ("en", "zh", "ja", "ko", "de", "ar")}
    number, right = sum(map(len, held.values())), sum(map(sum, held.values()))
    sys.stderr.write(f"{number} planted cases, ordered right: {right / number:.1%}\n")
    assert number >= 200
    assert right >= 0.9 * number, {language: sum(cases) for language, cases in held.items()}


def ordered(language: str) -> list[bool]:
    """Return for each of 34 probes whether the right answer is above the superfluous, and this above all the others."""
    lines = (PROBES / f"{language}.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    samples = []
    for place, row in enumerate(rows[:34]):
        own, *others = [rows[(place + step) % len(rows)]["passage"] for step in range(4)]
        claim, stop = row["number"][0][:-1], row["number"][0][-1]
        texts = [form.format(claim=claim, own=2, other=3) + stop for form in ("{claim} [{own}]", *FAULTS)]
        samples += [{"answer": text, "contexts": [others[0], own, *others[1:]]} for text in texts]
    found = scores(CitationF1(), *samples)
    cases = [found[first : first + 5] for first in range(0, len(samples), 5)]
    return [right > superfluous > max(faults) for right, superfluous, *faults in cases]


def test_its_parts_say_what_is_cited_and_what_points_nowhere() -> None:
    marks = Marked({("One.", "x"): 1.0, ("Two.", "x"): 1.0})
    rows = [
        {"answer": "One [1]. Two [1][2]. Three [3]. Four.", "contexts": ["x"]},
        {"answer": "One.", "contexts": ["x"]},
    ]
    parts = ragauge.evaluate(rows, CitationF1(support=marks), resamples=0)["citation-f1:support=marked"].parts
    wanted = {"recall": 2 / 4, "precision": 2 / 4, "uncited": 1 / 4, "dangling": 2 / 4}
    assert parts == {name: (value + (name == "uncited")) / 2 for name, value in wanted.items()}
