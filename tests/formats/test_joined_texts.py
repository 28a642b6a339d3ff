"""Notes on fields that were read as one text and hold a separator."""

from __future__ import annotations

from pathlib import Path

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
