"""Scores beside a ranking that say another order than the ranking."""

from __future__ import annotations

import ast
import csv
import re
from pathlib import Path
from typing import Any

import pytest

import ragauge


def notes(rows: list[dict[str, Any]], metric: str = "mrr") -> list[str]:
    result = ragauge.evaluate(rows, [metric], resamples=0)
    return [note for note in result.data.notes if "another order" in note]


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        *[("scores", [0.1, 0.9]), ("score", [1, 2]), ("distances", [0.9, 0.1]), ("rank", [2, 1])],
        ("similarity", [0, 1]),
        *[("相似度", [0.1, 0.9]), ("類似度", [0.1, 0.9]), ("유사도", [0.1, 0.9]), ("ранг", [2, 1])],
        *[("رتبة", [2, 1]), ("रैंक", [2, 1]), ("อันดับ", [2, 1])],
    ],
)
def test_another_order_is_noted(name: str, numbers: list[float]) -> None:
    row = {"retrieved": ["d1", "d2"], "relevance": {"d2": 1}, name: numbers}
    [note] = notes([row, row | {name: numbers[::-1]}])
    assert note.startswith(f"{name} says another order than retrieved in 1 of 2 samples looked at;")
    assert not notes([row | {name: numbers[::-1]}])


def test_what_ranks_needs_no_note() -> None:
    row = {"retrieved": ["d1", "d2"], "relevance": {"d2": 1}, "scores": [0.1, 0.9]}
    by_scores = ragauge.evaluate([row], ["mrr"], map={"retrieved_scores": "scores"}, resamples=0)
    assert by_scores["mrr"].value == 1
    assert not [note for note in by_scores.data.notes if "another order" in note]
    # Not one for each document, not numbers, and not a ranking that is read.
    assert not notes([row | {"scores": [0.1]}])
    assert not notes([row | {"scores": ["a", "b"]}])
    assert not notes([row | {"answer": "a", "references": ["a"]}], "exact-match")


def test_scores_within_passages_are_noted() -> None:
    contexts = [{"text": "Zug", "score": 0.1}, {"text": "Lin grows tea.", "score": 0.9}]
    row = {"contexts": contexts, "reference_contexts": ["Lin grows tea."]}
    [note] = notes([row])
    assert note.startswith("the score within contexts says another order than contexts in 1 of 1 samples")
    assert not notes([row | {"contexts": contexts[::-1]}])


def test_distances_and_ranks_within_documents_rank_them() -> None:
    for key, better, worse in [("distance", 0.1, 0.9), ("rank", 1, 2), ("score", 0.9, 0.1)]:
        found = [{"doc_id": "d1", key: worse}, {"doc_id": "d2", key: better}]
        row = {"retrieved": found, "relevance": {"d2": 1}}
        assert ragauge.evaluate([row], ["mrr"], resamples=0)["mrr"].value == 1, key


def test_passages_with_ids_that_are_judged_by_texts_are_in_the_order_of_their_list() -> None:
    contexts = [{"id": "d1", "text": "Zug", "score": 0.1}, {"id": "d2", "text": "Lin grows tea.", "score": 0.9}]
    row = {"contexts": contexts, "reference_contexts": ["Lin grows tea."]}
    assert notes([row])
    assert not notes([row | {"contexts": contexts[::-1]}])


WRITTEN = [
    *[
        "[0.1, 0.9]",
        "0.1,0.9",
        "0.1;0.9",
        "0.1|0.9",
        "0.1 | 0.9",
        ".1,.9",
        "0.1 / 0.9",
        "1e-3,2e-1",
        "0.1\n0.9",
        "0.1 0.9",
    ],
    *["0.1、0.9", "0.1，0.9", "0.1 -> 0.9", "０.１；０.９"],
]
"""Scores in one cell that can be read as they are."""
MARKED = [
    *["9%, 85%", "9 %; 85 %", "0,1; 0,9", "0,1, 0,9", "0,1 0,9", "[0,1; 0,9]", "(0.1, 0.9)", "{0.1,0.9}", "[0.1 0.9]"],
    *['["0.1", "0.9"]', "[[0.1, 0.9]]", '{"d1": 0.1, "d2": 0.9}', "d1:0.1, d2:0.9", "d1 (0.1); d2 (0.9)"],
    *["array([0.1, 0.9])", "[np.float64(0.1), np.float64(0.9)]", "tensor([0.1000, 0.9000])", "−0.9; −0.1", "٠٫١؛ ٠٫٩"],
]
"""Scores in one cell that say an order, and are no plain numbers."""


def _table(folder: Path, names: list[str], fields: list[str]) -> str:
    path = folder / "table.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["id", "retrieved_ids", "relevant_ids", *names], ["1", *fields], ["2", *fields]])
    return str(path)


@pytest.mark.parametrize("ids", ["d1,d2", "['d1', 'd2']"])
@pytest.mark.parametrize("written", [*WRITTEN, *MARKED])
def test_scores_in_a_cell_of_csv_are_noted(written: str, ids: str, tmp_path: Path) -> None:
    path = _table(tmp_path, ["scores"], [ids, "d2", written])
    result = ragauge.evaluate(path, ["mrr"], resamples=0)
    [note] = [one for one in result.data.notes if "another order" in one]
    assert note.startswith("scores says another order than retrieved_ids in 2 of 2 samples looked at;")
    assert result["mrr"].value == 0.5
    # What the note says to type gives the ranking by score; else it says to sort.
    assert ("to rank by it" in note) == (written in WRITTEN) == ("sort them" not in note)
    if written in WRITTEN:
        given = {name: ast.literal_eval(value) for name, value in re.findall(r"(map|split)=({.*?})", note)}
        assert ragauge.evaluate(path, ["mrr"], resamples=0, **given)["mrr"].value == 1


@pytest.mark.parametrize(
    "written", ["0.9,0.1", "85%, 9%", "0,9; 0,1", "0.5,0.5", "0.1", "0.1,0.5,0.9", "low, high", "5, 9%", ""]
)
def test_cells_in_order_or_without_a_number_for_each_document_have_no_note(written: str, tmp_path: Path) -> None:
    path = _table(tmp_path, ["scores"], ["d1,d2", "d2", written])
    assert not [one for one in ragauge.evaluate(path, ["mrr"], resamples=0).data.notes if "another order" in one]


@pytest.mark.parametrize(
    ("header", "written"),
    [
        *[
            ("得分", "0.1；0.9"),
            ("检索相似度列表", "9%，85%"),
            ("スコア", "0.1、0.9"),
            ("検索順位", "2位、1位"),
            ("유사도", "0.1, 0.9"),
        ],
        *[
            ("순위", "2위, 1위"),
            ("оценки", "0,1; 0,9"),
            ("расстояния", "0,9; 0,1"),
            ("التشابه", "٠٫١؛ ٠٫٩"),
            ("المسافات", "0.9، 0.1"),
        ],
        *[
            ("स्कोर", "0.1, 0.9"),
            ("दूरी", "0.9, 0.1"),
            ("คะแนน", "0.1 0.9"),
            ("อันดับ", "2 1"),
            ("Ähnlichkeiten", "0,1; 0,9"),
        ],
        *[("doc_scores", "0.1,0.9"), ("Rank", "#2, #1"), ("vector distances", "0.9|0.1"), ("posiciones", "2.ª; 1.ª")],
    ],
)
def test_headers_of_ten_languages_over_such_cells(header: str, written: str, tmp_path: Path) -> None:
    path = _table(tmp_path, [header], ["d1,d2", "d2", written])
    notes = [one for one in ragauge.evaluate(path, ["mrr"], resamples=0).data.notes if "another order" in one]
    assert [one.partition(" says")[0] for one in notes] == [header]


@pytest.mark.parametrize(
    ("name", "key", "worse", "better"),
    [("metadata", ".similarity", 0.1, 0.9), ("scores", ".score", 0.1, 0.9), ("hits", ".distance", 0.9, 0.1)],
)
def test_numbers_in_lists_of_objects_beside_the_ranking(name: str, key: str, worse: float, better: float) -> None:
    row = {"retrieved": ["d1", "d2"], "relevance": {"d2": 1}}
    numbers = [{key[1:]: worse, "page": 9}, {key[1:]: better, "page": 8}]
    [note] = notes([row | {name: numbers}, row | {name: numbers[::-1]}], "mrr")
    assert note.startswith(f"{name}{key} says another order than retrieved in 1 of 2 samples looked at;")


def test_scores_in_columns_of_their_own_beside_such_passages() -> None:
    row = {"context_1": "red tea", "context_2": "green tea", "score_1": 0.1, "score_2": 0.9}
    row |= {"reference_contexts": ["green tea"]}
    [note] = notes([row, row | {"score_1": 0.9, "score_2": 0.1}])
    assert note.startswith("score_1, score_2 says another order than context_1, context_2 in 1 of 2 samples")
    assert note.endswith("sort them by it first")


def test_pairs_of_ids_and_scores_beside_the_ranking() -> None:
    row = {"retrieved": ["d1", "d2"], "relevance": {"d2": 1}}
    [note] = notes([row | {"scores": [["d1", 0.1], ["d2", 0.9]]}, row | {"scores": [["d2", 0.1], ["d1", 0.9]]}])
    assert "in 1 of 2 samples" in note


def test_a_sample_with_another_number_of_scores_hides_no_others() -> None:
    row = {"retrieved": ["d1", "d2"], "relevance": {"d2": 1}, "scores": [0.1, 0.9]}
    [note] = notes([row, row, row | {"scores": [0.1]}, row | {"scores": None}])
    assert "in 2 of 4 samples" in note
    [note] = notes([row | {"scores": ["0.1", "0.9"]}, row | {"scores": {"d1": 0.1, "d2": 0.9}}])
    assert "in 2 of 2 samples" in note
