"""Several texts or ids in one field, and the separator between them."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from ragauge.core.batch import Dataset, concatenated
from ragauge.core.messages import codes_in
from ragauge.errors import ColumnError, DataError, OptionError
from ragauge.formats import read
from ragauge.formats.splitting import separator_of


@pytest.mark.parametrize(
    ("fields", "separator"),
    [
        (["a ||| b", "c", "d ||| e"], "|||"),
        (["a\n\nb", "c\n\nd"], "\n\n"),
        (["a | b", None], " | "),
        (["a | b", "c"], None),
        (["a ||| b", ["c"]], None),
        (['["a ||| b"]', "c ||| d"], None),
    ],
)
def test_separators(fields: list[object], separator: str | None) -> None:
    assert separator_of(fields) == separator


def ids_of(data: Dataset) -> tuple[list[Any], list[Any]]:
    batch = concatenated(data.batches())
    relevance = batch.column("relevance").to_pylist()
    return batch.column("retrieved").to_pylist(), [[one["id"] for one in row] for row in relevance]


def table(path: Path, *rows: tuple[str, str]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("retrieved_ids", "relevant_ids"), *rows])
    return path


SEPARATORS = (",", ", ", ";", "|", " | ", " > ", "->", "、", "，", "；", "، ", "؛", "\n", "\t", " ")


@pytest.mark.parametrize("separator", SEPARATORS)
def test_several_ids_in_most_fields_are_split_in_both_columns(tmp_path: Path, separator: str) -> None:
    rows = [("d1", "d2", "d3"), ("d4", "d5")]
    data = read(table(tmp_path / "a.csv", *[(separator.join(row), row[-1]) for row in rows], ("d6", "d1")))
    assert ids_of(data) == ([["d1", "d2", "d3"], ["d4", "d5"], ["d6"]], [["d3"], ["d5"], ["d1"]])
    [note] = data.notes
    assert "retrieved_ids: several ids in a field were split at" in note


def test_the_separator_of_one_column_splits_the_other() -> None:
    rows = [{"retrieved_ids": "a,b", "relevant_ids": "b"}, {"retrieved_ids": "c,d", "relevant_ids": "d,e"}]
    assert ids_of(read(rows))[1] == [["b"], ["d", "e"]]
    assert ids_of(read(rows, split={"retrieved_ids": ","}))[1] == [["b"], ["d", "e"]]
    assert ids_of(read(pa.Table.from_pylist(rows)))[1] == [["b"], ["d", "e"]]
    lists = [{"retrieved_ids": ["a", "b"], "relevant_ids": "a,b"}] * 2
    assert ids_of(read(lists)) == ([["a", "b"]] * 2, [["a", "b"]] * 2)


@pytest.mark.parametrize(
    ("retrieved", "relevant", "ids"),
    [
        ("d1;d2;d3", "d2,d1", ["d2", "d1"]),
        ("d1,d2", "d2 d1", ["d2", "d1"]),
        ("Smith,John|Doe,Jane", "Doe,Jane", ["Doe,Jane"]),
        ("Doe,Jane|Roe,Ann", "Smith,John", ["Smith,John"]),
        ("a.pdf p.1;b.pdf p.2", "b.pdf p.3", ["b.pdf p.3"]),
    ],
)
def test_each_column_has_its_own_separator(tmp_path: Path, retrieved: str, relevant: str, ids: list[str]) -> None:
    assert ids_of(read(table(tmp_path / "a.csv", (retrieved, relevant))))[1] == [ids]


def test_a_separator_of_few_fields_counts_where_it_separates_known_ids(tmp_path: Path) -> None:
    data = read(table(tmp_path / "a.csv", ("d1;d2", "d2"), ("d3;d4", "d3,d4"), ("d5;d6", "d6")))
    assert ids_of(data)[1] == [["d2"], ["d3", "d4"], ["d6"]]
    assert [note.partition(":")[0] for note in data.notes] == ["retrieved_ids", "relevant_ids"]


def test_scores_have_their_own_separator() -> None:
    data = read([{"retrieved_ids": "d1;d2", "retrieval_scores": "0.9, 0.5", "relevance": "0,3"}])
    batch = concatenated(data.batches())
    assert batch.column("retrieved_scores").to_pylist() == [[0.9, 0.5]]
    assert batch.column("relevance").to_pylist() == [[{"id": "d1", "grade": 0.0}, {"id": "d2", "grade": 3.0}]]


@pytest.mark.parametrize("text", ["manual.pdf, p. 3", "1. d1 2. d2", "d-1 - d-2"])
def test_a_blank_beside_a_mark_is_no_separator(tmp_path: Path, text: str) -> None:
    assert ids_of(read(table(tmp_path / "a.csv", (text, "d1"))))[0] == [[text]]


def test_ids_with_a_score_or_a_rank_are_apart(tmp_path: Path) -> None:
    assert ids_of(read(table(tmp_path / "a.csv", ("d1 (0.91), d2 (.8)", "d2"))))[0] == [["d1", "d2"]]
    assert ids_of(read(table(tmp_path / "b.csv", ("1. d1, 2. d2", "d2"))))[0] == [["1. d1", "2. d2"]]


@pytest.mark.parametrize("name", ["Paris, Texas", "tea house", "New York", "Docs > Setup"])
def test_titles_are_ids_as_they_are(tmp_path: Path, name: str) -> None:
    assert ids_of(read(table(tmp_path / "a.csv", (name, name), (name, "x")))) == ([[name]] * 2, [[name], ["x"]])


def test_an_id_of_a_list_is_not_split() -> None:
    rows = [{"retrieved_ids": ["Smith,John", "d2"], "relevant_ids": "Smith,John"}]
    data = read(rows)
    assert (ids_of(data)[1], data.notes) == ([["Smith,John"]], ())


def test_lists_in_some_fields_stay(tmp_path: Path) -> None:
    data = read(table(tmp_path / "a.csv", ("d1;d2", '["d1"]'), ('["d3"]', "d3"), ("d4;d5", "d5;d6")))
    assert ids_of(data) == ([["d1", "d2"], ["d3"], ["d4", "d5"]], [["d1"], ["d3"], ["d5", "d6"]])


def test_scores_and_grades_beside_ids_are_split_too() -> None:
    data = read([{"retrieved_ids": "d1,d2", "retrieval_scores": "0.9,0.5", "relevance": "0,3"}])
    batch = concatenated(data.batches())
    assert batch.column("retrieved_scores").to_pylist() == [[0.9, 0.5]]
    assert batch.column("relevance").to_pylist() == [[{"id": "d1", "grade": 0.0}, {"id": "d2", "grade": 3.0}]]


def test_one_id_as_a_text_is_no_list() -> None:
    with pytest.raises(DataError, match=r"got one text: write \[id\], or pass the separator of ids"):
        read([{"retrieved_ids": "d1", "relevant_ids": "d1"}])


def test_split_takes_the_header_of_the_file_and_every_column_of_lists() -> None:
    row = {"Found": "tea / jam", "relevant_ids": "d1/d2", "gold": "a/b"}
    data = read([row], split={"Found": "/", "relevance": "/", "gold": "/"}, mapping={"contexts": "Found"})
    [batch] = data.batches()
    assert batch.column("contexts").to_pylist() == [["tea", "jam"]]
    assert batch.column("references").to_pylist() == [["a", "b"]]
    assert dict(data.split) == {"contexts": "/", "relevance": "/", "references": "/"}
    for name, known in (("topic", "contexts"), ("right things", "references"), ("正确文档栏", "reference_contexts")):
        with pytest.raises(OptionError, match=f"column {name} is not read as a known column; name the one") as error:
            read([{name: "a", "answer": "b"}], split={name: ","})
        assert f"as in map={{'{known}': '{name}'}} split={{'{name}': ','}}; of several texts are" in str(error.value)
        assert read([{name: "a,c", "answer": "b"}], split={name: ","}, mapping={known: name}).split == {known: ","}
    with pytest.raises(OptionError, match="name one of references, contexts"):
        read([{"answer": "b"}], split={"answer": ","})
    with pytest.raises(ColumnError, match="the data have no column Found"):
        read([{"answer": "b"}], split={"Found": ","})
    mine = read([{"Meine Treffer": "d1 / d2"}], split={"meine treffer": "/"}, mapping={"retrieved": "Meine Treffer"})
    assert dict(mine.split) == {"retrieved": "/"}


@pytest.mark.parametrize("split", [None, {"retrieved_ids": ","}])
@pytest.mark.parametrize("text", ["[d1, d2, 7]", "{d1,d2,7}"])
def test_a_list_without_quotes_is_a_list(tmp_path: Path, text: str, split: dict[str, str] | None) -> None:
    assert ids_of(read(table(tmp_path / "a.csv", (text, text)), split=split)) == ([["d1", "d2", "7"]],) * 2


def test_a_title_in_brackets_is_one_id(tmp_path: Path) -> None:
    assert ids_of(read(table(tmp_path / "a.csv", ("[Draft]", "x"), ("[a title], b", "y"))))[0][0] == ["[Draft]"]


def test_an_object_of_ids_and_scores_in_a_cell_is_read(tmp_path: Path) -> None:
    data = read(table(tmp_path / "a.csv", ('{"d1": 0.8, "d2": 0.9}', "d2")))
    assert ids_of(data)[0] == [["d2", "d1"]]
    assert concatenated(data.batches()).column("retrieved_scores").to_pylist() == [[0.9, 0.8]]


@pytest.mark.parametrize(
    ("retrieved", "relevant", "ids"),
    [
        (["doc 1, doc 2", "doc 3"], ["doc 2", "doc 3"], [["doc 1", "doc 2"], ["doc 3"]]),
        (["doc 1, doc 2", "doc 3, doc 4"], ["x", "y"], [["doc 1", "doc 2"], ["doc 3", "doc 4"]]),
        (
            ["Tea house, Garden", "Attic, Tea house"],
            ["Garden", "Attic"],
            [["Tea house", "Garden"], ["Attic", "Tea house"]],
        ),
        (["Act 1, Scene 2", "Act 2, Scene 1"], ["x", "y"], [["Act 1, Scene 2"], ["Act 2, Scene 1"]]),
        (["d1,d2", "d3;d4", "d5"], ["d1", "d3", "d5"], [["d1", "d2"], ["d3", "d4"], ["d5"]]),
        (["d1, d2", "d3;d4"], ["x", "y"], [["d1", "d2"], ["d3", "d4"]]),
    ],
)
def test_ids_with_blanks_and_two_separators_in_a_column(
    tmp_path: Path, retrieved: list[str], relevant: list[str], ids: list[list[str]]
) -> None:
    assert ids_of(read(table(tmp_path / "a.csv", *zip(retrieved, relevant, strict=True))))[0] == ids


@pytest.mark.parametrize(
    ("asked", "passage"),
    [
        ("茶产于哪里？", "茶产于云南。"),
        ("お茶はどこで？", "お茶は雲南で作られる。"),
        ("차는 어디서?", "차는 윈난에서 자란다."),
        ("Где растёт чай?", "Чай растёт в Юньнани."),
        ("أين ينمو الشاي؟", "ينمو الشاي في يونان."),
        ("चाय कहाँ उगती है?", "चाय युन्नान में उगती है।"),
        ("ชาปลูกที่ไหน?", "ชาปลูกในยูนนาน"),
        ("Wo wächst Tee?", "Tee wächst in Yunnan."),
    ],
)
@pytest.mark.parametrize("separator", [" | ", "|||", "\n---\n"])
def test_passages_in_one_field_are_split_with_a_note(asked: str, passage: str, separator: str) -> None:
    rows = [{"question": asked, "answer": passage, "contexts": f"{passage}{separator}{n}"} for n in range(3)]
    data = read(rows)
    assert [codes_in(note) for note in data.notes if "contexts" in note] == [("RG-NOTE-283",)]
    assert next(iter(data.batches())).column("contexts").to_pylist() == [[passage, str(n)] for n in range(3)]


@pytest.mark.parametrize(
    "contexts", ["| a | b |\n|---|---|\n| 1 | 2 |", "First.\n\nSecond.", '["a | b", "c | d"]', ["a | b", "c | d"]]
)
def test_tables_paragraphs_and_lists_are_not_split(contexts: object) -> None:
    data = read([{"question": "?", "contexts": contexts}] * 2 + [{"question": "!", "contexts": contexts}])
    assert not [note for note in data.notes if "RG-NOTE-283" in codes_in(note)]
