"""Passages that are numbered within one field."""

from __future__ import annotations

import pytest

from ragauge.core.messages import codes_in
from ragauge.formats import read
from ragauge.formats.numbered_passages import numbering_of


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


@pytest.mark.parametrize("others", ["Tea.", "Tea, as in [1] and [2].", "[1] Tea, as in [3].", "[2] Tea."])
def test_a_single_numbered_row_is_not_split(others: str) -> None:
    fields = ["[1] Tea. [2] Jam.", others, others]
    assert numbering_of(fields) is None


def test_a_number_of_thousands_of_digits_is_not_the_number_of_a_passage() -> None:
    assert numbering_of([f"[{'1' * 5000}] Tea."] * 2) is None
