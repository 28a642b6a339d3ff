"""Words for grades: yes and no, high and low, in ten languages."""

from __future__ import annotations

import pyarrow as pa
import pytest

from ragauge import languages
from ragauge.errors import DataError
from ragauge.formats import read
from ragauge.formats.column_names import folded
from ragauge.formats.grade_words import grades_of_words
from ragauge.formats.inferred import unknown_labels

YES_AND_NO = (
    "yes no",
    "ja nein",
    "是 否",
    "相关 不相关",
    "はい いいえ",
    "예 아니오",
    "да нет",
    "نعم لا",
    "हाँ नहीं",
    "ใช่ ไม่ใช่",
    "✓ ✗",
    "○ ×",
)
HIGH_AND_LOW = ("high low", "hoch niedrig", "高 低", "높음 낮음", "высокая низкая", "عالية منخفضة", "उच्च निम्न", "สูง ต่ำ")


def test_words_are_written_as_they_are_compared_and_have_one_grade() -> None:
    words = " ".join(languages.table("columns")["grades"].values()).split()
    assert words == [folded(word) for word in words]
    assert len(words) == len(set(words))


@pytest.mark.parametrize(("pairs", "highest"), [(YES_AND_NO, 1), (HIGH_AND_LOW, 2)])
def test_grades_of_words(pairs: tuple[str, ...], highest: int) -> None:
    for pair in pairs:
        better, worse = pair.split()
        assert grades_of_words([better, f" {worse.upper()}. "]) == {better: highest, f" {worse.upper()}. ": 0}


def test_what_is_relevant_in_part_is_below_what_is_relevant() -> None:
    for words in ("yes partially no", "相关 部分相关 不相关", "да частично нет", "ja teilweise nein"):
        assert list((grades_of_words(words.split()) or {}).values()) == [2, 1, 0]
    assert list((grades_of_words(["highly relevant", "relevant", "partially relevant"]) or {}).values()) == [3, 2, 1]


def test_words_that_are_not_certain_have_no_grade() -> None:
    for words in ([], ["A", "B"], ["yes", "perhaps"], ["high", "low", "none"]):
        assert grades_of_words(words) is None


@pytest.mark.parametrize("pair", [*YES_AND_NO, *HIGH_AND_LOW])
@pytest.mark.parametrize("documents", ["retrieved", "contexts"])
def test_labels_of_retrieved_documents_are_grades(pair: str, documents: str) -> None:
    better, worse = pair.split()
    rows = [
        {"question": "a", documents: ["d1", "d2"], "relevance": [worse, better]},
        {"question": "b", documents: ["d3"], "relevance": [better]},
    ]
    data = read(rows)
    [batch] = data.batches()
    first, second = batch.column("relevance").to_pylist()
    assert first[0]["grade"] == 0 < first[1]["grade"]
    assert second[0]["grade"] > 0
    assert "were read as grades of the retrieved documents, in their order" in data.notes[0]


def test_labels_are_no_ids_of_another_number_of_documents() -> None:
    with pytest.raises(DataError, match="1 grade, but retrieved has 2 ids"):
        read([{"retrieved": ["d1", "d2"], "relevance": ["yes"]}])
    [batch] = read([{"retrieved": ["high", "low"], "relevance": ["high"]}]).batches()
    assert batch.column("relevance").to_pylist() == [[{"id": "high", "grade": 1.0}]]


def test_unknown_labels_are_an_error_with_what_to_type() -> None:
    rows = [{"retrieved": ["d1", "d2", "d3"], "relevance": ["A", "B", "B"]}, {"retrieved": ["d4"], "relevance": ["A"]}]
    with pytest.raises(DataError, match=r"relevance has 'A', 'B'.*\[\{'A': GRADE, 'B': GRADE\}\[one\] for one in"):
        read(rows)
    ids = [{**rows[0], "relevance": ["A", "B", "C"]}, {**rows[0], "relevance": ["d1", "d1", "B"]}]
    assert [len(list(read([row]).batches())) for row in ids] == [1, 1]


def test_many_words_are_no_labels() -> None:
    words = [f"w{number}" for number in range(11)]
    assert unknown_labels([[*words, words[0]]], pa.array([[f"d{number}" for number in range(12)]])) is None


def test_a_label_that_is_missing_is_no_id() -> None:
    for labels in (["yes", None, "no"], [None, "да", "нет"]):
        with pytest.raises(
            DataError, match="relevance must list ids, grades, or objects with id and grade, of one kind"
        ):
            read([{"retrieved": ["d1", "d2", "d3"], "relevance": labels}])
