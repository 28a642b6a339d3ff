"""What a file's columns probably are, by its first rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragauge.errors import DataError
from ragauge.formats import peek
from ragauge.formats.proposals import guessed, separator_of


def test_columns_are_known_by_their_names_or_guessed_by_words_in_them(tmp_path: Path) -> None:
    path = tmp_path / "qa.csv"
    path.write_text("query,what the bot said,gold answer,topic\n谁？,安娜,安娜,tea\n", encoding="utf-8")
    proposal = peek(str(path))
    assert proposal.columns == ("query", "what the bot said", "gold answer", "topic")
    assert proposal.known == {"question": "query", "references": "gold answer"}
    assert proposal.guessed == {"answer": "what the bot said"}
    assert proposal.split == {}


def test_a_separator_of_most_fields_is_proposed(tmp_path: Path) -> None:
    path = tmp_path / "qa.csv"
    path.write_text("question,text that was found,gold contexts\na,b ||| c,d\ne,f ||| g,h | i\n", encoding="utf-8")
    proposal = peek(str(path))
    assert proposal.guessed == {"contexts": "text that was found"}
    assert proposal.split == {"contexts": "|||"}


def test_a_column_of_several_candidates_is_left_to_the_reader(tmp_path: Path) -> None:
    path = tmp_path / "qa.jsonl"
    path.write_text('{"response": "a", "output": "b"}\n', encoding="utf-8")
    assert peek(str(path)).known == {}


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="file not found"):
        peek(str(tmp_path / "qa.csv"))


def test_numbers_and_absent_values_are_no_answers() -> None:
    assert guessed({"my answer": [0.5, 1.0]}, {}) == {}
    assert guessed({"my answer": [None, None]}, {}) == {}
    assert guessed({"my answer": [None, "a"]}, {}) == {"answer": "my answer"}
    assert guessed({"my answer": ["a"], "answer": ["b"]}, {"answer": "answer"}) == {}


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
