"""Notes on fields that were read as one text and hold a separator."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import ragauge
from ragauge.formats import read
from tests.formats.test_splitting import table


def test_a_few_fields_with_a_separator_are_worth_a_note(tmp_path: Path) -> None:
    data = read(table(tmp_path / "a.csv", ("d1", "d1"), ("d2", "d2"), ("d3,d4", "d9")))
    [note] = data.notes
    assert note.endswith("1 of 3 contain ','; if that separates texts, pass split={'retrieved': ','}")


def test_a_separator_that_the_split_leaves_is_counted() -> None:
    rows = [
        {"question": "a", "retrieved": "d1,d2", "relevance": "d1"},
        {"question": "b", "retrieved": "d4;d5", "relevance": "d5"},
        {"question": "c", "retrieved": "d6,d7", "relevance": "d7"},
    ]
    left = "retrieved: 1 of 5 ids contain ';' after the split at ','"
    assert any(left in note for note in read(rows, split={"retrieved": ","}).notes)
    # Where most ids hold it, it is a part of them.
    of_ids = [{"question": "a", "retrieved": "doc;1,doc;2", "relevance": "doc;1"}]
    assert not any("after the split" in note for note in read(of_ids, split={"retrieved": ","}).notes)


def test_the_note_names_the_separator_of_most_fields(tmp_path: Path) -> None:
    path = tmp_path / "mixed.csv"
    path.write_text('question,retrieved,relevance\na,"d,d",e\nb,d;d,e\nc,"d,d",e\nd,e,e\ne,d,e\n')
    assert any("2 of 5 contain ','" in note for note in read(path).notes)


@pytest.mark.parametrize("between", [" ", "/", "+", " & ", " and ", " und ", "和"])
def test_ids_that_are_parted_otherwise_in_a_few_fields_have_a_note(tmp_path: Path, between: str) -> None:
    rows = ("d1|d2|d3", "d2"), ("d4|d5|d6", f"d4{between}d9"), ("d1|d9|d7", "d7")
    data = read(table(tmp_path / "a.csv", *rows))
    assert any(f"relevance: several ids seem to be in one in 1 field, as 'd4{between}d9'" in one for one in data.notes)


def test_titles_and_paths_are_one_id_each(tmp_path: Path) -> None:
    rows = ("Paris", "Paris Hilton"), ("a/1.md", "b/1.md"), ("Rome 2", "Rome")
    assert not any("several ids" in note for note in read(table(tmp_path / "a.csv", *rows)).notes)


def test_answers_that_are_lists_have_a_note_beside_lists_of_references(tmp_path: Path) -> None:
    path = tmp_path / "code.csv"
    path.write_text('answer,references\n"[1, 2]","[1, 2]"\nb,b\n')
    [note] = read(path).notes
    assert note.endswith('where a list is itself the reference, put it into a list of one: ["[1, 2]"]')
    path.write_text('answer,references\n"[1, 2]","[""[1, 2]""]"\nb,b\n')
    assert ragauge.evaluate(path, "exact-match", resamples=0)["exact-match"].value == 1
    assert read(path).notes == ()
    path.write_text("answer,references\n\"['a', 'b']\",\"['a', 'b']\"\n")
    assert "1 of 1 answers are lists too" in read(path).notes[0]
    # Of rows, a list is a list.
    assert read([{"answer": "[1, 2]", "references": ["1", "2"]}]).notes == ()


PAIRS = ["Анна", "林婉", "Lin"], ["Anne", "林小姐", "Bob"]
"""Answers, and other names of the same."""


@pytest.mark.parametrize(
    ("form", "split"),
    [
        ("{}\n{}", "\\n"),
        ("{}、{}", "、"),
        ("{}, {}", ","),
        ("{} / {}", "/"),
        ("{} or {}", " or "),
        ("{} или {}", " или "),
        ("{} أو {}", " أو "),
        ("{} या {}", " या "),
        ("{}또는 {}", "또는 "),
        ("{}หรือ{}", "หรือ"),
        ("{}或{}", "或"),
        ("【{}、{}】", None),
        ("- {}\n- {}", None),
        ("1. {}\n2. {}", None),
        ("[“{}”, “{}”]", None),
        ("«{}», «{}»", ","),
    ],
)
def test_answers_that_are_a_part_of_a_reference_have_a_note_on_alternatives(form: str, split: str | None) -> None:
    rows = [{"answer": one, "reference": form.format(one, other)} for one, other in zip(*PAIRS, strict=True)]
    [note] = read(rows).notes
    assert note.startswith("references: 3 answers are one part of a reference that was read as one text, as 'Анна'")
    assert note.partition("write a list, as ")[2].startswith('["Анна", "Anne"]')
    either = note.partition("; or pass split={'references': ")[2]
    assert either == ("" if split is None or "«" in form else f"'{split}'}}")
    if either:
        separator = split.replace("\\n", "\n") if split else ""
        result = ragauge.evaluate(rows, "exact-match", split={"references": separator}, resamples=0)
        assert result["exact-match"].value == 1


@pytest.mark.parametrize(
    ("answer", "reference"),
    [
        ("Anna grows tea", "Anna grows tea, and Bob drinks it, or sells it."),
        ("1", "1/2"),
        ("1", "1,000"),
        ("春眠", "春眠不觉晓，\n处处闻啼鸟。"),
        ("Oxford", "University of Oxford"),
        ("Anna", "Anna e Bruno"),
        ("Paris", "Paris"),
    ],
)
def test_sentences_poems_and_numbers_are_no_alternatives(answer: str, reference: str) -> None:
    assert read([{"answer": answer, "reference": reference}]).notes == ()


def test_a_few_answers_that_are_a_part_have_no_note() -> None:
    rows = [{"answer": "Paris", "reference": "Paris, France"}] + [{"answer": "tea", "reference": "tea"}] * 20
    assert read(rows).notes == ()
    rows = [{"answer": "Yes", "reference": "Yes, it is"}, {"answer": "tea", "reference": "jam, or tea leaves"}]
    assert read(rows).notes == ()


def test_passages_that_look_like_ids_are_mapped_by_the_name_that_they_have() -> None:
    rows = [{"질문": "누구?", "문맥들": ["d1", "d2"]}, {"질문": "언제?", "문맥들": ["d3"]}]
    [note] = read(rows, mapping={"contexts": "문맥들"}).notes
    assert "contexts: 3 of 3 look like ids and not like texts, as 'd1'" in note
    assert note.endswith("pass map={'retrieved': '문맥들'}")


@pytest.mark.parametrize("marks", [("1. ", "2. "), ("[1] ", "[2] "), ("1、", "2、")])
def test_numbered_passages_in_one_text_have_a_note(marks: tuple[str, str], tmp_path: Path) -> None:
    first, second = marks
    path = tmp_path / "rows.jsonl"
    text = f"{first}お茶は九時に開く。\n{second}月曜は休み。"
    path.write_text(json.dumps({"answer": "九時", "contexts": [text]}), encoding="utf-8")
    [note] = read(path).notes
    assert note.startswith("contexts: 1 of 1 look like several texts in one, as ")


@pytest.mark.parametrize("separator", [";", "; ", " / ", "\t", "***"])
@pytest.mark.parametrize(
    "passages",
    [("Tea grows here", "Jam is sweet"), ("茶产于云南。", "酒很烈。"), ("Чай растёт", "Варенье"), ("चाय यहाँ।", "जैम।")],
)
def test_passages_between_marks_of_prose_have_a_note_whose_flag_works(
    tmp_path: Path, separator: str, passages: tuple[str, str]
) -> None:
    path = of_passages(tmp_path, separator.join(passages))
    [note] = [str(note) for note in read(path).notes if "every field was read as one text" in note]
    split = {"contexts": separator if separator == " / " else separator.strip(" ")}
    assert note.endswith(f"pass split={split}")
    assert next(iter(read(path, split=split).batches())).column("contexts").to_pylist()[0] == [*passages]


@pytest.mark.parametrize("prose", ["Tea grows here; jam does not.", "Tea and / or jam.", "Paris; London; and Rome"])
def test_marks_within_sentences_have_no_note(tmp_path: Path, prose: str) -> None:
    assert not any("every field" in note for note in read(of_passages(tmp_path, prose)).notes)


def of_passages(folder: Path, field: str) -> Path:
    """Return a table of three questions with the same field of passages."""
    (folder / "a.csv").write_text("question,contexts\n" + "".join([f'{n}?,"{field}"\n' for n in range(3)]), "utf-8")
    return folder / "a.csv"
