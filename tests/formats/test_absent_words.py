"""Words for a missing value: they are read as texts, and a note says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from ragauge import evaluate
from ragauge.core.batch import concatenated
from ragauge.formats import read
from ragauge.formats.absent_words import notes_on_absent_words


@pytest.mark.parametrize("word", ["nan", "NaN", "N/A", "None", "null", "<NA>"])
def test_words_for_a_missing_value_have_a_note(word: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"问题,回答,标准答案\n谁？,{word},林婉\n何时？,{word},1990\n哪里？,昆明,{word}\n", encoding="utf-8")
    data = read(path)
    assert concatenated(data.batches()).column("answer").to_pylist() == [word, word, "昆明"]
    answers, references = data.notes
    assert answers.startswith(f"answer: 2 fields are '{word}', read as text; ")
    assert references.startswith(f"references: 1 field is '{word}', read as text; ")
    path.write_text("问题,回答,标准答案\n谁？,,林婉\n", encoding="utf-8")
    assert read(path).notes == ()


def test_empty_answers_of_rows_and_of_a_system_have_a_note() -> None:
    answers = {"谁？": "", "何时？": "1990"}
    rows = [{"question": question, "answer": answer} for question, answer in answers.items()]
    asked: Any = {"data": list(answers), "system": answers.__getitem__}
    for given in ({"data": rows}, asked):
        result = evaluate(metrics="abstention", resamples=0, **given)
        assert 'answer: 1 field is "" and read as an answer of nothing' in " ".join(result.data.notes)


def test_words_within_a_text_are_none() -> None:
    texts = ["None of them.", "nan bread", "ナン", "null и void", None]
    assert notes_on_absent_words([pa.table({"answer": texts, "topic": ["nan"] * 5})]) == []
