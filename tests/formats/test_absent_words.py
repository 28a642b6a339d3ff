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


ODD = {
    "an object or code around the answer": ['```json\n{"answer": "茶"}\n```', '{"answer": "чай"}', '{"回答": "茶"}'],
    "thoughts of the model before its answer": ["<think>Hm.</think>茶", "Hm.</thinking> чай"],
    "an error in place of an answer": [
        "Error: timeout",
        "错误：超时",
        "ReadTimeout: no answer",
        "[ERROR] x: y",
        "오류: 시간",
    ],
    "\\n in place of a line end": ["茶\\n云南", "a\\n- b\\n- c", "tea\\n"],
    "lost letters, or those of another encoding": ["Ã¤", "itâ€™s", "caf\ufffd", "a\0", "Ð§Ð°Ð¹ÑÑ", "28Â°"],
}


@pytest.mark.parametrize(("words", "texts"), ODD.items())
def test_answers_that_look_like_something_else_have_a_note(words: str, texts: list[str]) -> None:
    rows = [{"answer": text, "references": ["茶"]} for text in [*texts, "茶"]]
    notes = [note for note in read(rows).notes if note.startswith(f"answer: {words} in {len(texts)} field")]
    assert len(notes) == 1, read(rows).notes
    # Where references are so written too, it is the form of the data.
    meant = read([{"answer": text, "references": [text]} for text in texts]).notes
    assert not any(note.startswith(f"answer: {words}") for note in meant) or "encoding" in words


@pytest.mark.parametrize(
    "text",
    [
        "Errors: of the first kind",
        "An error: is human",
        "São João, NÃO e MÃE",
        "Âge d'or, naïve, 12 °C, Ærø",
        "\\nabla f = 0 and \\neq",
        "C:\\new\\notes",
        "I think so.",
        "def f(): return {'answer': 1}",
        'print("a\\n")',
        "Error bars were drawn.",
        "<think> is a mark of some models.",
    ],
)
def test_texts_of_people_look_like_nothing_else(text: str) -> None:
    assert read([{"question": text, "answer": text, "references": ["茶"]}]).notes == ()


@pytest.mark.parametrize("word", ["なし", "없음", "ไม่มี", "-", "n.a."])
def test_words_for_no_answer_have_a_note_where_no_reference_is_such(word: str) -> None:
    [note] = read([{"answer": word, "references": ["茶"]}]).notes
    assert note.startswith(f"answer: 1 field is {word!r}, read as text; where that stands for a missing value")
    assert read([{"answer": word, "references": [word]}]).notes == ()


def test_an_object_is_meant_where_references_are_objects() -> None:
    answer = '{"answer": "x", "n": 1}'
    assert read([{"answer": answer, "references": ['{"n": 1, "answer": "x"}']}]).notes == ()
    assert "if the text within is the answer, take it out" in read([{"answer": answer, "references": ["x"]}]).notes[0]


@pytest.mark.parametrize(
    "row",
    [("Total", None, "2"), ("合计:", "1", "2"), ("Итого", "50 %", "0,5"), ("id", "المجموع", None), ("รวม", "", "3")],
)
def test_a_row_of_totals_at_the_end_has_a_note(row: tuple[str | None, ...]) -> None:
    rows = [{"question": question, "answer": "茶", "references": "茶"} for question in ("谁？", "何？")]
    names = ("question", "answer", "references")
    last = dict(zip(names, row, strict=True))
    notes = [note for note in read([*rows, last]).notes if "looks like totals" in note]
    assert bool(notes) == (row[0] != "id")
    assert all(note.endswith("remove it, or pass limit=2") for note in notes)
    assert read([*rows, {"question": "Total?", "answer": "total", "references": "the total"}]).notes == ()
