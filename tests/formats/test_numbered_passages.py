"""Passages that are numbered within one field."""

from __future__ import annotations

import pytest

from ragauge.core.messages import codes_in
from ragauge.formats import read
from ragauge.formats.numbered_passages import is_numbering, numbering_of


@pytest.mark.parametrize(
    "passage", ["茶产于云南。", "お茶は雲南。", "차는 윈난.", "Чай в Юньнани.", "الشاي في يونان", "चाय", "ชา"]
)
@pytest.mark.parametrize(
    "field", ["[1] {0} [2] {0}", "【1】{0}【2】{0}", "Passage 1: {0} Passage 2: {0}", "1) {0}\n2) {0}"]
)
def test_numbered_passages_are_split_with_a_note(passage: str, field: str) -> None:
    data = read([{"question": f"{n}?", "answer": passage, "contexts": field.format(passage)} for n in range(3)])
    assert [codes_in(note) for note in data.notes if "contexts" in note] == [("RG-NOTE-283",)]
    assert next(iter(data.batches())).column("contexts").to_pylist() == [[passage] * 2] * 3


@pytest.mark.parametrize(
    "word",
    ["Quelle 1:", "Source 1:", "Document 1:", "Doc 1:", "文档1：", "資料1：", "자료 1:", "Документ 1:", "مصدر 1:"],
)
def test_a_word_and_a_number_open_passages_and_the_note_has_the_word_of_the_file(word: str) -> None:
    field = f"{word} Tee, Jahr 2: gut. {word.replace('1', '2')} Rum."
    data = read([{"question": f"{n}?", "answer": "Tee", "contexts": field} for n in range(3)])
    [note] = [str(note) for note in data.notes if "contexts" in note]
    assert next(iter(data.batches())).column("contexts").to_pylist() == [["Tee, Jahr 2: gut.", "Rum."]] * 3
    assert word.partition("1")[0].strip() in note
    assert "Passage" not in note
    assert is_numbering(note.split("'")[1])


@pytest.mark.parametrize("word", ["Step 1:", "Schritt 1:", "步骤1："])
def test_a_passage_of_steps_is_one_passage(word: str) -> None:
    field = f"{word} Boil. {word.replace('1', '2')} Pour."
    assert numbering_of([field] * 3) is None


@pytest.mark.parametrize("others", ["Tea.", "Tea, as in [1] and [2].", "[1] Tea, as in [3].", "[2] Tea."])
def test_a_single_numbered_row_is_not_split(others: str) -> None:
    fields = ["[1] Tea. [2] Jam.", others, others]
    assert numbering_of(fields) is None


def test_a_number_of_thousands_of_digits_is_not_the_number_of_a_passage() -> None:
    assert numbering_of([f"[{'1' * 5000}] Tea."] * 2) is None
