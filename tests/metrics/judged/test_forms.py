"""What is wrong with a reply is said in words that a judge can use; nothing is guessed."""

from __future__ import annotations

from typing import Any

import pytest

from ragauge.judges.question import ReplyForm
from ragauge.judges.structured import problem, read_json
from ragauge.metrics.judged._forms import (
    CLAIMS,
    ENTITIES,
    PREFERENCE,
    QUESTIONS,
    RELEVANT,
    SUPPORT,
    USEFUL,
    citations,
    flags,
    rating,
)

from .toys import relevant, support, useful

TWO: dict[str, Any] = {"claims": ["a", "b"], "passages": ["x", "y", "z"], "sentences": ["s", "t"], "count": 2}


def twice(first: list[int], second: list[int], other: list[int]) -> Any:
    """Return a reply with two entries for claim 1, and one for claim 2."""
    entries = [(1, first), (2, other), (1, second)]
    return {"claims": [{"claim": claim, "passages": passages} for claim, passages in entries]}


@pytest.mark.parametrize(
    ("form", "reply", "complaint"),
    [
        (SUPPORT, support([1], [3]), None),
        (SUPPORT, support([], [1, 2, 3]), None),
        (SUPPORT, support([1]), "there must be one entry for each claim from 1 to 2; got entries for 1"),
        (
            SUPPORT,
            support([1], [2], [3]),
            "there must be one entry for each claim from 1 to 2; got entries for 1, 2, 3",
        ),
        (SUPPORT, {"claims": []}, "there must be one entry for each claim from 1 to 2; got entries for none"),
        (
            SUPPORT,
            {"claims": [{"claim": 1, "passages": []}, {"claim": 1, "passages": [1]}]},
            "there must be one entry for each claim from 1 to 2; got entries for 1",
        ),
        (
            SUPPORT,
            {"claims": [{"claim": 0, "passages": []}, {"claim": 1, "passages": [1]}]},
            "there must be one entry for each claim from 1 to 2; got entries for 0, 1",
        ),
        (SUPPORT, twice([1], [1], [2]), None),
        (SUPPORT, twice([1], [2], []), None),
        (SUPPORT, twice([], [], [1]), None),
        (
            SUPPORT,
            twice([1], [], [1]),
            "there must be one entry for each claim; those for claim 1 contradict each other",
        ),
        (
            USEFUL,
            {"passages": [*useful(True, False)["passages"], {"passage": 2, "useful": True}]},
            "there must be one entry for each passage; those for passage 2 contradict each other",
        ),
        (USEFUL, {"passages": useful(True, False)["passages"] * 2}, None),
        (SUPPORT, support([4], []), "claim 1 cites passage 4; the passages are numbered from 1 to 3"),
        (SUPPORT, support([], [0]), "claim 2 cites passage 0; the passages are numbered from 1 to 3"),
        (SUPPORT, support([2, 2], []), "claim 1 cites a passage twice"),
        (USEFUL, useful(True, False), None),
        (USEFUL, useful(True), "there must be one entry for each passage from 1 to 2; got entries for 1"),
        (RELEVANT, relevant(True, True), None),
        (RELEVANT, relevant(), "there must be one entry for each sentence from 1 to 2; got entries for none"),
        (CLAIMS, {"claims": []}, None),
        (CLAIMS, {"claims": ["a", " "]}, "each of claims must be a text that is not blank"),
        (ENTITIES, {"entities": ["\u3000"]}, "each of entities must be a text that is not blank"),
        (QUESTIONS, {"questions": ["a?", "b?"], "evasive": False}, None),
        (QUESTIONS, {"questions": ["a?", ""], "evasive": False}, "there must be 2 questions that are not blank; got 1"),
        (QUESTIONS, {"questions": ["a?"] * 3, "evasive": True}, "there must be 2 questions that are not blank; got 3"),
    ],
)
def test_complaints(form: ReplyForm, reply: Any, complaint: str | None) -> None:
    assert problem(reply, form.schema) is None
    assert form.complaint(TWO, reply) == complaint


@pytest.mark.parametrize(
    ("form", "reply"),
    [
        (SUPPORT, {"claims": [{"claim": "1", "passages": []}]}),
        (SUPPORT, {"claims": [{"claim": 1, "passages": ["1"]}]}),
        (SUPPORT, {"claims": [{"claim": 1}]}),
        (SUPPORT, {"verdicts": []}),
        (USEFUL, {"passages": [{"passage": 1, "useful": 1}]}),
        (USEFUL, {"passages": [{"passage": 1, "useful": "yes"}]}),
        (CLAIMS, {"claims": [1]}),
        (QUESTIONS, {"questions": ["a?", "b?"]}),
        (rating("accuracy"), {"rating": 3}),
        (rating("accuracy"), {"rating": -1}),
        (rating("accuracy"), {"rating": "2"}),
        (rating("rubric", 1, 5), {"rating": 0}),
        (PREFERENCE, {"better": 3}),
    ],
)
def test_the_schema_refuses(form: ReplyForm, reply: Any) -> None:
    assert problem(reply, form.schema) is not None


@pytest.mark.parametrize("two", ['"2"', '" 2 "', '"２"', '"٢"', '"२"', '"๒"', "2.0"])
def test_numbers_of_items_may_be_texts_of_digits_of_any_script(two: str) -> None:
    written = f'{{"claims": [{{"claim": {two}, "passages": [{two}, 3]}}, {{"claim": "1", "passages": []}}]}}'
    for text in (written, f"Here it is: {written}", f"```json\n{written}\n```"):
        reply = read_json(text, SUPPORT.schema)
        assert problem(reply, SUPPORT.schema) is None
        assert SUPPORT.complaint(TWO, reply) is None
        assert citations(reply, 3) == [[0, 0, 0], [0, 1, 1]]
    rated = read_json(f'{{"rating": {two}}}', rating("accuracy").schema)
    assert problem(rated, rating("accuracy").schema) is None
    assert rated == {"rating": 2}


@pytest.mark.parametrize("other", ['"-2"', '"2nd"', '"two"', '"2.5"', '"1_0"', f'"{"9" * 5000}"', '["2"]', "true"])
def test_other_texts_are_no_numbers_of_items(other: str) -> None:
    reply = read_json(f'{{"claims": [{{"claim": {other}, "passages": []}}]}}', SUPPORT.schema)
    assert "claims[0].claim must be of type integer" in str(problem(reply, SUPPORT.schema))


def test_digits_stay_a_text_where_a_text_is_wanted() -> None:
    assert read_json('{"claims": ["1990", "2"]}', CLAIMS.schema) == {"claims": ["1990", "2"]}


@pytest.mark.parametrize(
    "form",
    [SUPPORT, USEFUL, RELEVANT, CLAIMS, ENTITIES, QUESTIONS, PREFERENCE, rating("accuracy"), rating("rubric", 1, 5)],
)
def test_what_a_dry_run_expects_is_a_reply(form: ReplyForm) -> None:
    data = {**TWO, "text": "One. Two."}
    assert problem(form.expected(data), form.schema) is None
    assert form.complaint(data, form.expected(data)) is None
    assert form.tokens(data) >= 32


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        (SUPPORT, {"claims": [{"claim": 1, "passages": [1]}, {"claim": 2, "passages": [1]}]}),
        (USEFUL, {"passages": [{"passage": 1, "useful": True}, {"passage": 2, "useful": True}]}),
        (RELEVANT, {"sentences": [{"sentence": 1, "relevant": True}, {"sentence": 2, "relevant": True}]}),
        (CLAIMS, {"claims": ["It says: One.", "It says: 二。"]}),
        (ENTITIES, {"entities": ["It says: One.", "It says: 二。"]}),
        (QUESTIONS, {"questions": ["Which is the question that this text answers?"] * 2, "evasive": False}),
        (rating("accuracy"), {"rating": 0}),
        (rating("rubric", 1, 5), {"rating": 1}),
    ],
)
def test_the_reply_that_a_dry_run_expects(form: ReplyForm, expected: Any) -> None:
    assert form.expected({**TWO, "text": "One. 二。"}) == expected


def test_ratings_and_their_labels() -> None:
    assert rating("rubric", 1, 3).schema["properties"]["rating"] == {"type": "integer", "enum": [1, 2, 3]}
    assert (rating("rubric", 1, 3).label, rating("rubric", 1, 3).labels) == ("rating", ("1", "2", "3"))
    assert rating("accuracy").labels == ("0", "1", "2")


def test_entries_may_come_in_any_order() -> None:
    assert flags({"passages": useful(True, False, False)["passages"][::-1]}, USEFUL) == [True, False, False]
    assert citations({"claims": support([2], [])["claims"][::-1]}, 2) == [[False, True], [False, False]]


def test_entries_for_one_item_are_taken_together() -> None:
    assert citations(twice([1], [2], []), 3) == [[True, True, False], [False, False, False]]
    assert flags({"passages": useful(True, False)["passages"] * 2}, USEFUL) == [True, False]
