"""Context entity recall by a judge: entities of the reference that the passages name."""

from __future__ import annotations

from typing import Any

import pytest

from ragauge.core.statistics import Status

from .toys import always, cells_of


def test_context_entity_recall() -> None:
    def script(_prompt: str, message: str) -> Any:
        return {
            "entities": ["LIN wan", "Ｐａｒｉｓ"] if "rained" in message else ["Lin Wan", "lin wan", "Paris", "1990"]
        }

    assert cells_of("judged-context-entity-recall", script, {}).scores[0] == pytest.approx(2 / 3)
    assert cells_of("judged-context-entity-recall", script, {}, match="exact").scores[0] == 0.0
    cells = cells_of("judged-context-entity-recall", always({"entities": []}), {}, {"contexts": []})
    assert cells.sums.status.tolist() == [Status.UNDEFINED, Status.UNDEFINED]


def test_the_best_of_several_references() -> None:
    """The first names Paris and 1990, of which the passages name one; the second Lin Wan alone."""

    def script(_prompt: str, message: str) -> Any:
        if "rained" in message:
            return {"entities": ["Lin Wan", "Paris"]}
        return {"entities": ["Paris", "1990"] if "1990" in message else ["Lin Wan"]}

    row = {"references": ["In 1990 in Paris.", "Lin Wan opened it."]}
    assert cells_of("judged-context-entity-recall", script, row).scores.tolist() == [1.0]


@pytest.mark.parametrize(
    ("named", "retrieved", "score"),
    [
        ("東京", "東 京", 1.0),
        ("ＴＯＫＹＯ", "tokyo", 1.0),
        ("كافيه", "كافيه ", 1.0),
        ("กรุงเทพ", "กรุงเทพมหานคร", 0.0),
        ("US", "United States", 0.0),
    ],
)
def test_entities_are_compared_by_their_letters(named: str, retrieved: str, score: float) -> None:
    cells = cells_of(
        "judged-context-entity-recall",
        lambda _prompt, message: {"entities": [retrieved if "rained" in message else named]},
        {},
    )
    assert cells.scores.tolist() == [score]


def test_an_empty_retrieval_scores_0() -> None:
    cells = cells_of("judged-context-entity-recall", always({"entities": ["Lin Wan"]}), {"contexts": []})
    assert cells.scores.tolist() == [0.0]
    assert cells.sums.status.tolist() == [Status.OK]
