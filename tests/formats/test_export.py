"""Which export rows are of, and what is said of them."""

from __future__ import annotations

from typing import Any

import pytest

from ragauge.errors import DataError
from ragauge.formats import read
from ragauge.formats.sources import export_of
from tests.formats.test_inspect_ai import INSPECT
from tests.formats.test_promptfoo import PROMPTFOO


@pytest.mark.parametrize(
    ("row", "name"),
    [
        ({"trace_id": 1, "span_id": 2, "attributes": {}}, "OpenTelemetry spans"),
        ({"trace_id": 1, "span_id": 2}, None),
        ({"retriever": {"documents": []}, "llm": {"replies": []}}, "Haystack results"),
        ({"retriever": {"documents": "text"}}, None),
        ({"retriever": {"found": []}}, None),
        ({"retriever": {"documents": []}, "k": 3}, None),
        ({"retriever": {"documents": []}, "empty": {}}, "Haystack results"),
        ({}, None),
        ({"results": {"results": []}}, "promptfoo results"),
        ({"results": {"results": 3}}, None),
        ({"results": []}, None),
        ({"question": "Who?", "answer": "Anna."}, None),
    ],
)
def test_which_export_it_is(row: dict[str, Any], name: str | None) -> None:
    found = export_of(row)
    assert (found and found.name) == name


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("OpenTelemetry spans", [{"traceId": "t", "spanId": "a", "attributes": [{"value": {}}]}]),
        ("OpenTelemetry spans", [{"traceId": "t", "spanId": "a", "attributes": {}, "events": ["none"]}]),
        ("OpenTelemetry spans", [{"traceId": "t", "spanId": "a", "attributes": {}, "startTimeUnixNano": 10**400}]),
        ("LangChain runs", [{"run_type": "chain", "inputs": {}, "child_runs": ["none"]}]),
        ("MLflow traces", [{"info": "text", "data": {}}]),
        ("an MLflow table", [{"columns": ["a"], "data": [[1, 2]]}]),
        ("a Haystack evaluation", [{"run_name": "a", "inputs": {"q": ["x", "y"]}, "results": {"m": {
            "individual_scores": [1.0]}}}]),
        ("inspect_ai samples", [{**INSPECT, "scores": [1]}]),
        ("promptfoo results", [{**PROMPTFOO, "vars": ["x"]}]),
    ],
)  # fmt: skip
def test_an_export_with_another_kind_of_value_in_a_place_is_named_with_its_row(name: str, wrong: Any) -> None:
    good = {**wrong[0], "startTimeUnixNano": 1, "child_runs": []} if name == "LangChain runs" else None
    given = [good, *wrong] if good else wrong
    with pytest.raises(DataError) as caught:
        read(given)
    assert f"row {len(given)}: is not as {name} are: a value is of another kind, or is missing" in str(caught.value)
    assert str(caught.value).endswith("export it again, or write rows with question and answer")
