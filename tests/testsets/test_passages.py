"""Passages are parts of their document as it stands, and no sentence is divided."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragauge.sentences import sentences
from ragauge.testsets.passages import spans_of, width_of

from .corpora import TEXTS


def passages(text: str, width: int, *, markdown: bool = False) -> list[str]:
    return [text[start:end] for start, end in spans_of(text, width, markdown=markdown)[0]]


@pytest.mark.parametrize("tag", TEXTS)
def test_a_long_text_is_divided_between_sentences(tag: str) -> None:
    text = TEXTS[tag].passage
    whole = sentences(text)
    space = "" if tag in ("zh", "ja") else " "
    assert len(whole) >= 2
    assert passages(text, 10_000) == [text]
    parts = passages(text, max(map(width_of, whole)))
    assert [one for part in parts for one in sentences(part)] == whole
    assert space.join(parts) == text


def test_paragraphs_stay_whole_where_they_fit() -> None:
    text = "One. Two.\n\nThree. Four.\n\n\nFive."
    assert passages(text, 100) == [text]
    assert passages(text, 14) == ["One. Two.", "Three. Four.", "Five."]
    assert passages(text, 24) == ["One. Two.\n\nThree. Four.", "Five."]
    assert passages(text, 7) == ["One.", "Two.", "Three.", "Four.", "Five."]


def test_a_heading_begins_a_passage_and_front_matter_is_none() -> None:
    text = "---\ntitle: Tea\n---\n# Tea\n\nIt is hot.\n\n## Green\nIt is green.\n\n```\n# no heading\n```\n"
    assert passages(text, 200, markdown=True) == [
        "# Tea\n\nIt is hot.",
        "## Green\nIt is green.\n\n```\n# no heading\n```",
    ]
    assert passages(text, 200)[0].startswith("---\ntitle")


def test_what_is_too_long_for_a_sentence_is_left_out_and_counted() -> None:
    text = f"Tea is hot. {'x' * 500}. Tea is green."
    spans, left_out = spans_of(text, 100)
    assert [text[start:end] for start, end in spans] == ["Tea is hot.", "Tea is green."] or left_out
    assert left_out == 1


def test_chinese_takes_two_columns() -> None:
    assert width_of("茶") == width_of("ab") == 2
    assert passages("茶是热的。茶是绿的。", 10) == ["茶是热的。", "茶是绿的。"]
    assert passages("茶是热的。茶是绿的。", 20) == ["茶是热的。茶是绿的。"]


@given(st.text(max_size=300), st.integers(5, 80), st.booleans())
def test_any_text(text: str, width: int, markdown: bool) -> None:
    spans, _ = spans_of(text, width, markdown=markdown)
    assert all(start < end for start, end in spans)
    assert all(one[1] <= other[0] for one, other in pairwise(spans))
    assert all(text[start:end] == text[start:end].strip() for start, end in spans)


def test_many_lines_take_linear_time() -> None:
    assert len(passages("\n\n".join(["Tea is hot."] * 20_000), 100)) > 1000
    assert passages(" " * 200_000, 100) == []
