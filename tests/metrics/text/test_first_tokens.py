"""The first token of the first sample is one as all others: a metric of texts scores a sample there as elsewhere."""

from __future__ import annotations

import pyarrow as pa
import pytest

from ragauge.core.batch import Batch
from ragauge.core.registry import entries
from ragauge.evaluation.partial import measure_cells
from ragauge.metrics.parse import parse
from ragauge.metrics.text._answers import Normalised

TEXTS = sorted(
    name
    for name, entry in entries("metric").items()
    # That of a model in a folder has no default.
    if ".metrics.text." in entry.cls.__module__ and name != "comet" and "contexts" not in parse(name).needs[0]
)
PAIRS = [
    ("the cat sat", "the dog sat"),
    ("the the cat", "the"),
    ("茶馆开了", "茶馆关了"),
    ("кошка спит", "кошка ест"),
    ("القط هنا", "القط هناك"),
    ("बिल्ली यहाँ", "बिल्ली वहाँ"),
    ("แมวนั่ง", "แมวนอน"),
    ("고양이가 잔다", "고양이가 논다"),
    ("猫が寝た", "猫が鳴いた"),
]


@pytest.mark.parametrize("name", TEXTS)
def test_a_pair_scores_the_same_in_the_first_place_and_in_the_last(name: str) -> None:
    metric = parse(name)
    for pair in PAIRS:
        scores = []
        for place in (0, 2):
            pairs = [("x y z", "q r s")] * 2
            pairs.insert(place, pair)
            answers, references = zip(*pairs, strict=True)
            batch = Batch(
                pa.table({"id": ["a", "b", "c"], "answer": answers, "references": [[one] for one in references]})
            )
            cells = measure_cells(metric, batch)
            scores.append((cells.scores[place], {part: values[place] for part, values in cells.parts.items()}))
        assert repr(scores[0]) == repr(scores[1])


def test_texts_are_normalised_as_the_defaults_say() -> None:
    given = "The  ﬁrst  “TEA—house”, ①\u00ad!"
    assert Normalised().text(given) == "first teahouse 1"
    assert Normalised(nfkc=False).text(given) == "first teahouse ①\u00ad"
    assert Normalised(articles=False).text(given) == "the first teahouse 1"
