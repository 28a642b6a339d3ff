"""Single values: which are texts, ids, numbers, lists and judgements, and what is said of the others."""

from __future__ import annotations

from typing import Any

import pytest

from ragauge.formats import read
from ragauge.formats.fields import BadFieldError, number, python_value
from ragauge.formats.json_text import shortened
from tests.approved import approved
from tests.formats.files import Write, message


@pytest.mark.parametrize("text", ["['a', open('x')]", "['a'", "[f'{1}']", "['a' 'b']", "[" * 5000 + "'a'" + "]" * 5000])
def test_what_is_no_list_of_values_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="looks like a"):
        python_value(text)


CELLS: list[tuple[dict[str, Any], str]] = [
    ({"question": False}, approved("formats.question_must_be_text_got_false")),
    ({"response": True}, approved("formats.answer_from_response_must_be_text_got")),
    ({"answer": {"text": "a", "response": "b"}}, approved("formats.answer_must_be_text_got_an_object")),
    ({"answer": "\ud800"}, approved("formats.answer_must_be_text_got_half_a")),
    ({"answer": b"\xff"}, approved("formats.answer_must_be_text_in_utf_got")),
    ({"id": 1.5}, approved("formats.id_must_be_text_or_a_whole")),
    ({"references": [True]}, approved("formats.references_item_must_be_text_got_the")),
    ({"references": True}, approved("formats.references_must_be_a_list_of_texts")),
    ({"references": ["a", None]}, approved("formats.references_item_must_be_text_got_null")),
    ({"contexts": [True]}, approved("formats.contexts_item_must_be_a_text_or")),
    (
        {"contexts": [{"txt": "a"}]},
        (approved("formats.contexts_item_has_no_text_its_keys")),
    ),
    ({"retrieved": "d1"}, approved("formats.retrieved_must_be_a_list_of_ids")),
    ({"retrieved": [True]}, approved("formats.retrieved_item_must_be_text_or_a")),
    ({"retrieved_scores": ["high"]}, approved("formats.retrieved_scores_item_must_be_a_finite")),
    ({"relevance": 1}, approved("formats.relevance_must_be_an_object_id_grade")),
    ({"relevance": {"d1": "red"}}, approved("formats.relevance_has_a_grade_that_is_no_2")),
    ({"relevance": {"d1": float("nan")}}, approved("formats.relevance_has_a_grade_that_is_no")),
    ({"relevance": [1, {"id": "d1", "grade": 1}]}, approved("formats.relevance_must_list_one_kind")),
    ({"relevance": [{"id": "d1"}]}, approved("formats.relevance_item_must_be_an_object_with")),
    (
        {"relevance": [{"id": "d1", "grade": 1}, {"id": "d1", "grade": 2}]},
        approved("formats.relevance_judges_d_twice_as_and_as"),
    ),
    (
        {"retrieved": ["a", "b"], "relevance": [1]},
        approved("formats.relevance_has_grade_but_retrieved_has_ids"),
    ),
    (
        {"question": [{"role": "system", "content": "Be brief."}]},
        approved("formats.question_is_a_list_of_messages_but"),
    ),
]


@pytest.mark.parametrize(("row", "what"), CELLS)
def test_a_cell_of_the_wrong_kind(row: dict[str, Any], what: str) -> None:
    said, _, advice = message([{"topic": "good"}, row]).partition("\n")
    assert said == f"list of dicts: row 2: {what}"
    assert advice.startswith("Write each as text") == ("must be text; got" in what and "half" not in what)


@pytest.mark.parametrize(
    ("mixed", "found"),
    [
        (["d1", {"id": "d2", "grade": 1}], "a text and an object"),
        (["d1", 2], "a text and the number 2"),
        ([1.5, "d1"], "the number 1.5 and a text"),
    ],
)
def test_judgements_of_two_kinds_in_one_list(mixed: list[Any], found: str) -> None:
    assert message([{"relevance": mixed}]).endswith(f"of one kind; got {found}")


@pytest.mark.parametrize("column", ["references", "contexts", "retrieved"])
@pytest.mark.parametrize("field", ['["a"', '["a", "b', "['a', 'b'", '[{"id": "a"', '["see [1]", "b"', "[1, 2"])
def test_a_list_without_its_end_is_no_text(field: str, column: str, write: Write) -> None:
    quoted = field.replace('"', '""')
    assert message(write("qa.csv", f'question,{column}\nWho?,"{quoted}"\n')) == (
        f"qa.csv: line 2: {column} must be a text or a JSON array; got {field!r}, not closed"
    )


@pytest.mark.parametrize("field", ["[1] Anna, as the list says", "[sic", "Anna [", "['tea'] is a word", "[[Anna]]"])
def test_a_text_may_start_with_a_bracket(field: str, write: Write) -> None:
    [batch] = read(write("qa.csv", f'question,references\nWho?,"{field}"\n')).batches()
    assert batch.column("references").to_pylist() == [[field]]


def test_a_text_as_a_grade_is_shown(write: Write) -> None:
    content = 'question,relevance\nWho?,"{""d1"": ""abc""}"\n'
    assert message(write("qa.csv", content)) == (
        "qa.csv: line 2: relevance must have a finite number as grade; got 'abc'"
    )


@pytest.mark.parametrize(("text", "shown"), [("茶", "茶"), ("x" * 40, "x" * 40), ("x" * 41, "x" * 37 + "...")])
def test_a_long_value_is_shortened(text: str, shown: str) -> None:
    assert shortened(text) == repr(shown)


def test_a_number_with_a_comma_is_answered_with_one_that_has_a_full_stop() -> None:
    for written, right in (("0,9", "0.9"), (" -1,25", "-1.25")):
        with pytest.raises(BadFieldError, match=f"must be a number with a full stop; got '{written}', write {right}"):
            number(written)
