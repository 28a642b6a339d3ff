"""Tables of Phoenix and promptfoo: what a header alone does not say; all other tables stay."""

from __future__ import annotations

from typing import Any

import pytest

from ragauge.formats.exported_tables import of_tables

HEADERS = {"Status": ["PASS"], "Score": [1.0], "Named Scores": [""], "Grader Reason": ["ok"]}


@pytest.mark.parametrize(
    ("columns", "made"),
    [
        ({"context.span_id": ["s"], "reference": [""]}, {"contexts": [None]}),
        ({"问题": ["谁？"], "[a] {{问题}}": ["林婉。"], **HEADERS}, {"answer": ["林婉。"]}),
        ({"q": ["谁？"], "[a]": ["x"], **HEADERS, "Status": ["ERROR"]}, {"answer": [None], "failure": ["ok"]}),
        ({"[a]": ["x"], **HEADERS, "context": ["a"], "docs": ["b"]}, {"answer": ["x"]}),
    ],
)
def test_columns_are_what_the_tool_means(columns: dict[str, Any], made: dict[str, Any]) -> None:
    found = {known: values for known, (values, _) in of_tables(columns).items()}
    assert {name: found.get(name) for name in made} == made


@pytest.mark.parametrize(
    "columns",
    [
        {"span_id": ["s"], "reference": ["a"]},
        {"context.span_id": ["s"], "references": ["a"]},
        {"answer": ["a"], **HEADERS},
        HEADERS,
        {"[a]": ["x"], "Status": ["PASS"], "Score": [1]},
    ],
)
def test_other_tables_stay(columns: dict[str, Any]) -> None:
    assert of_tables(columns) == {}
