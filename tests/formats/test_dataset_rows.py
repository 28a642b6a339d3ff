"""Right answers and passages in the objects of data sets; JSON texts of inputs and outputs; all else stays."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest

from ragauge.formats import read
from ragauge.formats.dataset_rows import of_data_set, of_payloads
from tests.frameworks.reading import rows

SQUAD = {
    "question": "誰が？",
    "context": "安奈は茶を育てる。",
    "answers": {"text": ["安奈", "安奈"], "answer_start": [0, 0]},
}


def values(columns: dict[str, Any], *, payloads: bool = False) -> dict[str, Any]:
    made = of_payloads(columns) if payloads else of_data_set(columns)
    return {known: one for known, (one, _) in made.items()}


def test_a_table_of_arrow_is_read_as_the_same_rows() -> None:
    for source in ([SQUAD], pa.Table.from_pylist([SQUAD])):
        [row] = rows(source)
        assert (row["references"], row["reference_contexts"]) == (["安奈"], ["安奈は茶を育てる。"])


def test_where_the_right_answers_have_a_column_answers_stays() -> None:
    data = read([{"answers": ["a", "b"], "reference": "c", "answer": "d"}])
    assert set(data.columns) == {"id", "answer", "references", "answers"}


def test_rows_without_answers_have_none() -> None:
    found = values({"answers": [None, {"text": ["a"]}, {"text": []}]})
    assert found == {"references": [None, ["a"], []]}
    assert values({"answers": [None, None]}) == {}


@pytest.mark.parametrize(
    "columns",
    [
        {"answer": ["Anna.", "['a', 'b']"]},
        {"answers": ["Anna."]},
        {"answers": [[1, 2]]},
        {"answers": [["a"], "b"]},
        {"answer": [{"text": "a"}]},
        {"answer": [[]]},
        {"passages": [["Anna grows tea."]]},
        {"passages": [{"text": "Anna grows tea."}]},
        {"ctxs": [[{"title": "Tea"}]]},
        {"supporting_facts": [{"title": ["Tea"]}], "answer": ["Anna"]},
        {"supporting_facts": [{"title": ["Tea"]}], "answer": ["Anna"], "context": ["Anna grows tea."]},
    ],
)
def test_other_forms_stay_as_they_are(columns: dict[str, Any]) -> None:
    assert of_data_set(columns) == {}


def test_a_context_is_that_of_the_answers_only_where_these_have_places_in_it() -> None:
    assert "reference_contexts" not in values({"answers": [{"text": ["a"]}], "context": ["a b"]})
    assert values({"answers": [[{"text": "a", "answer_start": 0}]], "context": ["a b"]})["reference_contexts"] == [
        ["a b"]
    ]


def test_a_paragraph_that_no_fact_names_is_not_wanted() -> None:
    context = [["Tea", ["Anna", " grows."]], ["Jam", ["Sweet."]], ["Tea too", ["Green."]]]
    found = values({"supporting_facts": [[["Tea", 0], ["Tea too", 0]]], "context": [context], "answer": ["Anna"]})
    assert found["reference_contexts"] == [["Anna grows.", "Green."]]


def test_json_texts_of_inputs_and_outputs_are_read() -> None:
    inputs, outputs = json.dumps({"question": "谁？"}), json.dumps({"answer": "林婉。", "contexts": ["林婉种茶。"]})
    found = values({"inputs": [inputs, ""], "outputs": [outputs, None]}, payloads=True)
    assert found == {"question": ["谁？", None], "answer": ["林婉。", None], "contexts": [["林婉种茶。"], None]}


@pytest.mark.parametrize(
    "columns",
    [
        {"question": ['{"question": "Who?"}'], "answer": ['{"answer": "Anna."}']},
        {"input": ["Who?"], "output": ['{"answer": "Anna."}']},
        {"input": ['{"question": "Who?"}', "Who?"], "output": ["Anna.", "Anna."]},
        {"input": ['{"a": "x", "b": "y"}'], "output": ["z"]},
        {"input": ['{"question": "Who?"}']},
    ],
)
def test_answers_that_are_json_stay_as_they_are(columns: dict[str, Any]) -> None:
    assert of_payloads(columns) == {}
