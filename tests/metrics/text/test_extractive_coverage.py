"""Extractive coverage and density, by hand and beside a plain copy of the paper's algorithm."""

from __future__ import annotations

from random import Random

import pyarrow as pa
import pytest

import ragauge
from ragauge import evaluate, score
from ragauge.core.batch import Batch
from tests import fresh
from tests.metrics.text.test_every_language import TEXTS


@pytest.mark.parametrize(("answer", "contexts", "coverage", "density"), [
    ("the cat slept", ["The cat sat.", "It slept."], 1.0, 5 / 3),
    ("the cat sat it slept", ["The cat sat.", "It slept."], 1.0, 13 / 5),
    ("a dog sat", ["The cat sat."], 1 / 3, 1 / 3),
    ("b c d", ["a b c x c d", "b c d"], 1.0, 3.0),
    ("", ["a"], 0.0, 0.0),
    ("a", [""], 0.0, 0.0),
    ("茶馆关门了", ["茶馆今天关门"], 4 / 5, 8 / 5),
])  # fmt: skip
def test_values_worked_by_hand(answer: str, contexts: list[str], coverage: float, density: float) -> None:
    """The second: no fragment goes over the end of a passage. The fourth: the longest, not the first."""
    texts = {"answer": answer, "contexts": contexts}
    assert score("extractive-coverage", **texts) == pytest.approx(coverage, abs=1e-15)
    assert score("extractive-density", **texts) == pytest.approx(density, abs=1e-15)


def of_the_paper(source: list[str], summary: list[str]) -> list[int]:
    """Return the lengths of the fragments as figure 3 of Grusky et al. 2018 finds them."""
    found, i = [], 0
    while i < len(summary):
        longest, j = 0, 0
        while j < len(source):
            if summary[i] != source[j]:
                j += 1
                continue
            k = 0
            while i + k < len(summary) and j + k < len(source) and summary[i + k] == source[j + k]:
                k += 1
            longest = max(longest, k)
            j += k
        found.append(longest)
        i += max(longest, 1)
    return found


def test_the_algorithm_of_the_paper_finds_the_same() -> None:
    """It goes on behind a match and so misses a longer one that overlaps it, as ``aab`` in ``aaab``: none is drawn."""
    draw = Random(fresh.seed())  # noqa: S311 - no secret is drawn
    pairs = []
    for _ in range(2_000):
        source = draw.sample(range(60), draw.randint(1, 40))
        first = draw.randrange(len(source))
        summary = [*draw.choices(range(60), k=draw.randint(0, 8)), *source[first : first + 6], *source[:3]]
        pairs.append(([f"w{one}" for one in source], [f"w{one}" for one in summary]))
    table = {"answer": [" ".join(one) for _, one in pairs], "contexts": [[" ".join(one)] for one, _ in pairs]}
    rows = ragauge.parse("extractive-density").measure(Batch(pa.table(table)))
    expected = [of_the_paper(*pair) for pair in pairs]
    assert rows["copied"].tolist() == [sum(lengths) for lengths in expected]
    assert rows["squares"].tolist() == [sum(length**2 for length in lengths) for lengths in expected]


@pytest.mark.parametrize("language", TEXTS)
def test_every_language(language: str) -> None:
    text, other = TEXTS[language]
    assert score("extractive-coverage", answer=text, contexts=[other, text]) == 1
    assert score("extractive-coverage", answer=text, contexts=[other]) < 0.45
    assert score("extractive-density", answer=text, contexts=[other, text]) >= 4


def test_a_note_counts_answers_of_single_characters() -> None:
    answers = (
        "茶馆九点开门。",
        "お茶の店は九時に開く。",
        "ร้านชาเปิดเก้าโมง",
        "찻집은 아홉 시에 연다.",
        "It opens at nine.",
        "1.5",
    )
    rows = [{"answer": answer, "contexts": [answer]} for answer in answers]
    for metric, count in (("extractive-coverage", 3), ("extractive-density:tokenizer=zh", 0), ("compression-ratio", 0)):
        noted = ragauge.evaluate(rows, metric, resamples=0)[metric].noted
        assert noted.get("compared by characters", 0) == count


def test_a_sample_without_passages_is_undefined_and_one_too_long_failed() -> None:
    rows = [
        {"answer": "a", "contexts": []},
        {"answer": "a b", "contexts": ["b a"]},
        {"answer": "a " * 300_000, "contexts": ["b " * 300_000]},
    ]
    result = evaluate(rows, "extractive-coverage", resamples=0)["extractive-coverage"]
    assert (result.value, result.undefined, result.failed) == (1.0, 1, 1)
