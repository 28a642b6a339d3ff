"""Tool calls: which count as right, in which order, and the forms in which they are written."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from ragauge import evaluate
from ragauge.errors import ColumnError, DataError


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}


def found(spec: str, made: Sequence[Any], wanted: Sequence[Any]) -> float:
    rows = [{"tool_calls": list(made), "reference_tool_calls": list(wanted)}]
    return evaluate(rows, spec, resamples=0)[spec].value


A, B, C = call("search", q="tea"), call("open", page=1), call("stop")


def test_shares_of_calls_each_once() -> None:
    assert found("tool-call-precision", [A, B, A], [A, C]) == 1 / 3
    assert found("tool-call-recall", [A, B, A], [A, C]) == 1 / 2
    assert found("tool-call-f1", [A, B, A], [A, C]) == 2 / 5
    assert found("tool-call-recall", [A], [A, A]) == 1 / 2
    assert [found(f"tool-call-{name}", [], [A]) for name in ("precision", "recall", "f1")] == [0, 0, 0]


@pytest.mark.parametrize(
    ("made", "wanted", "expected"),
    [
        # strict, unordered, subset, superset
        ([A, B], [A, B], (1, 1, 1, 1)),
        ([B, A], [A, B], (0, 1, 1, 1)),
        ([A], [A, B], (0, 0, 1, 0)),
        ([A, B, C], [A, B], (0, 0, 0, 1)),
        ([A, A], [A], (0, 0, 0, 1)),
        ([C], [A], (0, 0, 0, 0)),
        ([], [], (1, 1, 1, 1)),
        ([A], [], (0, 0, 0, 1)),
    ],
)
def test_orders(made: list[Any], wanted: list[Any], expected: tuple[int, ...]) -> None:
    names = ("strict", "unordered", "subset", "superset")
    assert tuple(found(f"tool-call-{name}", made, wanted) for name in names) == expected


def test_arguments() -> None:
    made, wanted = [call("search", q="tea", top=5)], [call("search", q="tea", top=3)]
    specs = [f"tool-call-f1:arguments={one}" for one in ("exact", "fields", "ignore")]
    assert [found(spec, made, wanted) for spec in specs] == [0, 0.5, 1]
    assert found("tool-call-strict", made, wanted) == 0
    assert found("tool-call-strict:arguments=ignore", made, wanted) == 1
    # The pair that is most alike counts, whatever comes first.
    several = [call("search", q="rain"), call("search", q="tea", top=3)]
    assert found("tool-call-precision:arguments=fields", several, wanted) == 1 / 2
    assert found("tool-call-f1", [call("search", top=5.0, q="tea")], made) == 1, "numbers and the order of keys"
    assert found("tool-call-f1", [call("search", q="tea", top="5")], made) == 0, "a text is no number"


def test_nothing_wanted_is_undefined_for_shares_and_a_null_is_no_call() -> None:
    rows: list[dict[str, Any]] = [
        {"tool_calls": [A], "reference_tool_calls": []},
        {"tool_calls": [A], "reference_tool_calls": [A]},
        {"tool_calls": None, "reference_tool_calls": [A]},
        {"tool_calls": [A], "reference_tool_calls": None},
    ]
    result = evaluate(rows, ["tool-call-f1", "tool-call-strict", "tool-call-f1:average=pooled"], resamples=0)
    assert [str(one) for one in result.statuses("tool-call-f1")] == ["undefined", "ok", "ok", "missing"]
    assert [str(one) for one in result.statuses("tool-call-strict")] == ["ok", "ok", "ok", "missing"]
    assert result.scores("tool-call-f1").tolist()[1:3] == [1, 0]
    assert result["tool-call-strict"].value == 1 / 3
    assert result["tool-call-f1:average=pooled"].value == 2 / 3


@pytest.mark.parametrize("broken", ['{"город": "Осло"', "[1]", "שלום", '"x"'])
def test_malformed_arguments_match_nothing_and_are_counted(broken: str) -> None:
    bad = {"name": "stop", "arguments": broken}
    rows = [{"tool_calls": [bad, A], "reference_tool_calls": [C, A]}, {"tool_calls": [], "reference_tool_calls": [A]}]
    specs = ["tool-call-f1", "tool-call-f1:arguments=fields", "tool-call-f1:arguments=ignore", "tool-call-unordered"]
    result = evaluate(rows, specs, resamples=0)
    assert [result.scores(spec).tolist() for spec in specs] == [[0.5, 0], [0.5, 0], [1, 0], [0, 0]]
    assert all(result[spec].noted == {"tool calls with malformed arguments": 1} for spec in specs)
    with pytest.raises(DataError, match="column reference_tool_calls must list tool calls"):
        evaluate([{"tool_calls": [A], "reference_tool_calls": [bad]}], "tool-call-f1", resamples=0)


PLAIN = {"name": "search", "arguments": {"q": "tea", "days": [1, 2]}}
TEXT = json.dumps(PLAIN["arguments"])


@pytest.mark.parametrize(
    "written",
    [
        [PLAIN],
        PLAIN,
        json.dumps([PLAIN]),
        json.dumps(PLAIN),
        [json.dumps(PLAIN)],
        [{"name": "search", "args": PLAIN["arguments"], "id": "1", "type": "tool_call"}],
        [{"name": "search", "input_parameters": PLAIN["arguments"]}],
        [{"type": "tool_use", "id": "1", "name": "search", "input": PLAIN["arguments"]}],
        [{"id": "1", "type": "function", "function": {"name": "search", "arguments": TEXT}}],
        [{"name": "search", "arguments": {"q": "tea", "days": [1, 2], "top": None}}],
    ],
)
def test_forms_of_a_call(written: Any) -> None:
    rows = [{"tool_calls": written, "reference_tool_calls": json.dumps([PLAIN])}]
    assert evaluate(rows, "tool-call-f1", resamples=0)["tool-call-f1"].value == 1


def test_calls_of_other_arguments_in_other_rows_stay_apart() -> None:
    """Arrow gives each object the keys of all; those that are null are not there."""
    one, other = {"name": "a", "arguments": {"x": {"y": 1}}}, {"name": "b", "arguments": {"x": {"z": 2}, "w": 3}}
    rows = [{"tool_calls": [each], "reference_tool_calls": json.dumps([each])} for each in (one, other)]
    rows += [{"tool_calls": [{"name": "c", "arguments": {}}], "reference_tool_calls": '[{"name": "c"}]'}]
    assert evaluate(rows, "tool-call-f1", resamples=0).scores("tool-call-f1").tolist() == [1, 1, 1]


@pytest.mark.parametrize("wrong", ["search", ["search"], [{"arguments": {}}], [{"name": ""}], 3])
def test_another_form_is_refused(wrong: Any) -> None:
    with pytest.raises(DataError, match=r"column tool_calls must list tool calls in each row, as .* not "):
        evaluate([{"tool_calls": wrong, "reference_tool_calls": [PLAIN]}], "tool-call-f1", resamples=0)


@pytest.mark.parametrize(
    "word", ["tea", "茶", "お茶", "차", "شاي", "चाय", "чай", "ชา", "thé", "chá", "Tee", "τσάι", "ჩაი", "շայ"]
)
def test_any_script(word: str) -> None:
    made, wanted = [call(word, **{word: word, "n": 1})], [call(word, **{word: word, "n": 2})]
    assert found("tool-call-f1:arguments=fields", made, wanted) == 0.5
    assert found("tool-call-f1", made, made) == 1


@pytest.mark.parametrize("names", [("tools_called", "expected_tools"), ("toolsCalled", "expectedTools")])
def test_columns_of_deepeval(names: tuple[str, str]) -> None:
    calls = [{"name": "search", "input_parameters": {"q": "茶"}}]
    row = {"input": "Who?", "actual_output": "Anna.", **dict.fromkeys(names, calls)}
    result = evaluate([row], "tool-call-f1")
    assert result["tool-call-f1"].value == 1
    assert result.data.mapping["reference_tool_calls"] == names[1]
    # They are no right answers, and a name of our own stays.
    with pytest.raises(ColumnError, match="references not found"):
        evaluate([row], "rouge-l")
    assert evaluate([{**row, "reference_tool_calls": [A]}], "tool-call-f1")["tool-call-f1"].value == 0
    assert evaluate([row], "tool-call-f1", map={"reference_tool_calls": names[0], "tool_calls": names[1]}).samples == 1
