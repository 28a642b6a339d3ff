"""Steps of an application become one sample a trace: which step gives the question, the answer and the documents."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from ragauge.formats.sources import export_of, haystack, langchain, langfuse, llama_index, mlflow, promptfoo, spans
from ragauge.formats.sources.spans import inputs_and_outputs, kind_of_span
from ragauge.formats.sources.traces import Step, samples_of, seconds

Sample = dict[str, Any]


def step(name: str, parent: str | None, kind: str = "other", start: float = 1.0, **more: Any) -> Step:
    return Step("t", name, parent, kind, start, more.pop("end", 0.0), **more)


def sample_of(*steps: Step) -> Sample:
    [sample] = samples_of(steps, [])
    return {name: value for name, value in sample.items() if name != "id"}


ROOT = step("a", None, question="Who?", answer="Anna.")


@pytest.mark.parametrize(
    ("steps", "sample"),
    [
        ([ROOT], {"question": "Who?", "answer": "Anna."}),
        # A root that says nothing is passed over; one whose caller is elsewhere is a root too.
        ([step("r", None), step("a", "gone", question="Who?")], {"question": "Who?"}),
        # Without words of a root: the first retriever asks, and the last model answers.
        (
            [
                step("m1", "r", "llm", 2, question="prompt", answer="draft"),
                step("m2", "r", "llm", 4, answer="Anna."),
                step("s", "r", "retriever", 3, question="茶"),
                step("r", None),
            ],
            {"question": "茶", "answer": "Anna."},
        ),
        ([step("r", None), step("b", "r", question="Who?")], {"question": "Who?"}),
        # A root with a question or an answer alone is one.
        ([step("r", None, question="Who?"), step("s", "r", "retriever", 2, question="茶")], {"question": "Who?"}),
        ([step("r", None, answer="Anna."), step("m", "r", "llm", 2, answer="draft")], {"answer": "Anna."}),
        ([step("r", None, question=""), step("b", "r", question="Who?")], {"question": "Who?"}),
        # The words of evaluators are none of the application.
        ([ROOT, step("e", None, "evaluator", 0, question="Is it right?", answer="yes")],
         {"question": "Who?", "answer": "Anna."}),
        ([ROOT, step("b", "a", references=["Anna"])], {"question": "Who?", "answer": "Anna.", "references": ["Anna"]}),
        ([step("a", None, question="Who?", failure="timeout")], {"question": "Who?", "failure": "timeout"}),
        ([step("a", None, question="Who?", answer="", failure="timeout")],
         {"question": "Who?", "answer": "", "failure": "timeout"}),
        ([step("a", None, question="Who?", answer="Anna.", failure="late")], {"question": "Who?", "answer": "Anna."}),
        ([step("a", None, question="Who?", start=1.5, end=3.75)], {"question": "Who?", "latency": 2.25}),
        ([step("a", None, question="Who?", start=0.0, end=3.75)], {"question": "Who?"}),
        ([step("a", None, question="Who?", start=1.0, end=1.0000004)], {"question": "Who?", "latency": 0.0}),
    ],
)  # fmt: skip
def test_questions_and_answers(steps: list[Step], sample: Sample) -> None:
    assert sample_of(*steps) == sample
    assert sample_of(*reversed(steps)) == sample


@pytest.mark.parametrize(
    ("steps", "contexts"),
    [
        ([step("s", "a", "retriever", documents=["x", "y", "x"])], ["x", "y"]),
        ([step("s", "a", "retriever", 3, documents=["x"]), step("u", "a", "retriever", 2, documents=["y", "x"])],
         ["y", "x"]),
        ([step("s", "a", "retriever", documents=[]), step("u", "a", "retriever")], []),
        ([step("u", "a", "retriever")], None),
        ([step("s", "a", documents=["x"])], None),
        # One within another, also through a step between them, is a part of it.
        ([step("s", "a", "retriever", documents=["x"]), step("b", "s"), step("u", "b", "retriever", documents=["z"])],
         ["x"]),
        # The last reranker that returned documents.
        ([step("s", "a", "retriever", documents=["x", "y"]), step("r", "a", "reranker", 2, documents=["y"]),
          step("q", "a", "reranker", 3, documents=["x"]), step("p", "a", "reranker", 4)], ["x"]),
        # Steps that call each other.
        ([step("s", "u", "retriever", documents=["x"]), step("u", "s", documents=["z"])], ["x"]),
    ],
)  # fmt: skip
def test_documents(steps: list[Step], contexts: list[str] | None) -> None:
    for order in (steps, steps[::-1]):
        assert sample_of(ROOT, *order).get("contexts") == contexts


def test_the_size_of_a_step_is_that_of_its_texts() -> None:
    assert step("a", None).size() == 256
    assert step("a", None, question="Who?", answer="Anna.", documents=["绿茶", {"a": 1}]).size() == 256 + 4 + 5 + 2 + 8


def test_traces_that_say_nothing_are_counted() -> None:
    notes: list[str] = []
    silent = [Step(name, "a", None, "other", 1.0, 2.0) for name in ("t1", "t2")]
    assert [one["id"] for one in samples_of([silent[0], ROOT, silent[1]], notes)] == ["t"]
    assert notes == ["2 traces were left out: they have neither a question nor an answer nor documents"]


@pytest.mark.parametrize(
    ("moment", "number"),
    [
        (datetime(1970, 1, 1, 0, 1, tzinfo=UTC), 60.0),
        ("1970-01-01T00:01:00+00:00", 60.0),
        ("1500000000", 1.5),
        (2_500_000_000, 2.5),
        (5e8, 0.5),
        (0, 0.0),
        ("", 0.0),
        ("yesterday", 0.0),
        (None, 0.0),
        ([1], 0.0),
    ],
)
def test_times(moment: Any, number: float) -> None:
    assert seconds(moment) == number


@pytest.mark.parametrize(
    ("attributes", "kind"),
    [
        ({"openinference.span.kind": "RETRIEVER"}, "retriever"),
        ({"gen_ai.operation.name": "text_completion"}, "llm"),
        ({"mlflow.spanType": '"RERANKER"'}, "reranker"),
        ({"ai.observability.span_type": "eval_root", "openinference.span.kind": "LLM"}, "evaluator"),
        ({"traceloop.span.kind": "workflow"}, "other"),
        ({}, "other"),
    ],
)
def test_kinds_of_spans(attributes: dict[str, Any], kind: str) -> None:
    assert kind_of_span(attributes) == kind


def test_numbered_attributes_are_lists() -> None:
    attributes = {
        "retrieval.documents.10.document.content": "last",
        "retrieval.documents.2.document.content": "first",
        "retrieval.documents.2.document.id": "d2",
        "retrieval.documents.no.document.content": "no number",
        "retrieval.documents.3": "no field",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": "谁？",
    }
    held = inputs_and_outputs(attributes, [], "retriever")
    assert held["documents"] == [{"content": "first", "id": "d2"}, {"content": "last"}]
    assert held["question"] == "谁？"
    assert held["answer"] is None
    assert inputs_and_outputs({"output.value": "Anna."}, [], "llm")["answer"] == "Anna."
    assert inputs_and_outputs({"output.value": '["茶"]'}, [], "llm")["documents"] is None
    assert inputs_and_outputs({"output.value": '["茶"]'}, [], "reranker")["documents"] == ["茶"]
    truth = {"ai.observability.record_root.ground_truth_output": "Anna"}
    assert inputs_and_outputs(truth, [], "other")["references"] == ["Anna"]


def test_messages_in_events() -> None:
    events: list[dict[str, Any]] = [
        {"name": "gen_ai.user.message", "attributes": {"content": "Hello"}},
        {"name": "gen_ai.user.message", "attributes": {"content": "Who?"}},
        {"name": "other", "attributes": {"content": "nothing"}},
        {"name": "gen_ai.choice", "attributes": {"content": "Anna."}},
        {"name": "later"},
    ]
    held = inputs_and_outputs({}, events, "llm")
    assert (held["question"], held["answer"]) == ("Who?", "Anna.")
    for name in ("gen_ai.client.inference.operation.details", "gen_ai.content.prompt"):
        details = [{"name": name, "attributes": {"gen_ai.prompt": "Where?", "gen_ai.completion": "There."}}]
        held = inputs_and_outputs({}, details, "llm")
        assert (held["question"], held["answer"]) == ("Where?", "There.")
    # What stands at the span itself counts.
    own = inputs_and_outputs({"gen_ai.prompt": "Own?"}, details, "llm")
    assert (own["question"], own["answer"]) == ("Own?", "There.")


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        ({"traceId": "t", "spanId": "a", "status": {"code": 1, "message": "fine"}}, (None, "other")),
        ({"traceId": "t", "spanId": "a", "status": {"code": "STATUS_CODE_ERROR", "message": "no"}}, ("no", "other")),
        ({"traceId": "t", "spanId": "a", "status": {"status_code": "ERROR", "description": "no"}}, ("no", "other")),
        ({"traceId": "t", "spanId": "a", "status": {"code": 2}}, ("the root span failed", "other")),
        ({"context.trace_id": "t", "context.span_id": "a", "status_code": "ERROR", "status_message": "no"},
         ("no", "other")),
        ({"context": {"trace_id": "t", "span_id": "a"}, "span_kind": "LLM"}, (None, "llm")),
        ({"trace_id": "t", "span_id": "a", "span_kind": "CLIENT"}, (None, "other")),
        ({"trace_id": "t", "span_id": "a", "attributes": {"openinference.span.kind": "RETRIEVER"}, "span_kind": "LLM"},
         (None, "retriever")),
    ],
)  # fmt: skip
def test_spans(span: dict[str, Any], expected: tuple[str | None, str]) -> None:
    found = spans.step_of(span)
    assert (found.trace, found.id, found.parent) == ("t", "a", None)
    assert (found.failure, found.kind) == expected


def test_values_of_otlp() -> None:
    values = [
        {"boolValue": False}, {"intValue": "3"}, {"arrayValue": {"values": [{"stringValue": "茶"}]}},
        {"kvlistValue": {"values": [{"key": "k", "value": {"doubleValue": 0.5}}]}}, {"other": 1}, {"arrayValue": {}},
    ]  # fmt: skip
    keys = "abcdef"
    listed = [{"key": key, "value": value} for key, value in zip(keys, values, strict=True)]
    expected = [False, "3", ["茶"], {"k": 0.5}, None, []]
    assert spans._plain(listed) == dict(zip(keys, expected, strict=True))
    assert spans._plain(None) == {}


def test_runs_within_runs() -> None:
    model = {"id": "d", "run_type": "llm", "inputs": {"prompt": "p"}, "outputs": {"text": "Anna."},
             "start_time": "1970-01-01T00:00:03Z"}  # fmt: skip
    child = {"id": "c", "run_type": "retriever", "inputs": {"query": "茶"}, "outputs": {"documents": ["绿茶"]},
             "start_time": "1970-01-01T00:00:02Z", "child_runs": [model]}  # fmt: skip
    run = {"id": "r", "run_type": "chain", "inputs": {"x": 1, "y": 2}, "outputs": None, "child_runs": [child]}
    rows: list[dict[str, Any]] = [{"run": run, "example": {"outputs": {"answer": "安娜"}}}]
    expected = {"id": "r", "question": "茶", "answer": "Anna.", "references": ["安娜"], "contexts": ["绿茶"]}
    assert list(langchain.samples(rows, [])) == [expected]
    del expected["references"]
    assert list(langchain.samples([{"run": run, "example": None}], [])) == [expected]
    assert list(langchain.samples([run], [])) == [expected]
    lost = {**run, "error": "timeout", "child_runs": [], "inputs": "Who?", "outputs": None}
    assert list(langchain.samples([lost], [])) == [{"id": "r", "question": "Who?", "failure": "timeout"}]


@pytest.mark.parametrize(
    ("observation", "sample"),
    [
        ({"type": "SPAN", "name": "Search", "output": ["茶"]}, {"contexts": ["茶"]}),
        ({"type": "SPAN", "name": "rerank search", "output": ["茶"]}, {"contexts": ["茶"]}),
        ({"type": "SPAN", "name": "load", "output": ["茶"]}, {}),
        ({"type": "SPAN", "name": "search", "output": "茶"}, {}),
        ({"type": "EVALUATOR", "name": "judge", "output": "0.5"}, {}),
        ({"type": "EVENT", "name": None, "output": None}, {}),
    ],
)
def test_observations_of_langfuse(observation: dict[str, Any], sample: Sample) -> None:
    trace = {"id": "t", "input": "Who?", "output": "Anna.", "observations": [{"id": "o", **observation}, 3]}
    [found] = langfuse.samples([trace], [])
    assert found == {"id": "t", "question": "Who?", "answer": "Anna.", **sample}


def test_an_observation_of_langfuse_that_failed() -> None:
    row = {"traceId": "t", "id": "o", "type": "SPAN", "input": "Who?", "output": None, "level": "ERROR"}
    assert list(langfuse.samples([row], [])) == [{"id": "t", "question": "Who?", "failure": "ERROR"}]
    named = {**row, "statusMessage": "timeout"}
    assert next(langfuse.samples([named], []))["failure"] == "timeout"
    assert "failure" not in next(langfuse.samples([{**named, "level": "WARNING"}], []))


def test_responses_of_llama_index() -> None:
    notes: list[str] = []
    rows: list[dict[str, Any]] = [
        {"response": "Anna.", "source_nodes": []},
        {"query_str": "Who?", "response_txt": "Anna.", "run": 3},
    ]
    first, second = llama_index.samples(rows, notes)
    assert first == {"answer": "Anna.", "contexts": []}
    assert second == {"run": 3, "question": "Who?", "answer": "Anna.", "contexts": None}
    assert notes == []
    assert len(list(llama_index.samples(rows[:1], notes))) == 1
    assert notes == [
        "a LlamaIndex response does not hold its question; for metrics that need it give dicts with query too"
    ]


def test_traces_of_mlflow() -> None:
    span = {"name": "root", "span_id": "a", "start_time_unix_nano": 1_000_000_000, "end_time_unix_nano": 3_500_000_000,
            "attributes": {"mlflow.spanInputs": '"Where?"', "mlflow.spanOutputs": '"There."'}}  # fmt: skip
    row: dict[str, Any] = {"info": {"trace_id": "t"}, "data": {"spans": [span, "no span"]}}
    [read] = mlflow.samples([row], [])
    assert read == {"id": "t", "question": "Where?", "answer": "There.", "latency": 2.5}
    metadata = {"mlflow.traceInputs": '{"question": "Who?"}', "mlflow.traceOutputs": '"Anna."'}
    info = {"request_id": "t", "trace_metadata": metadata,
            "assessments": [{"name": "rating", "value": 1}, {"name": "ground_truth", "value": "安娜"}]}  # fmt: skip
    [read] = mlflow.samples([{"info": info, "data": {"spans": [span]}}], [])
    assert read == {"id": "t", "question": "Who?", "answer": "Anna.", "references": ["安娜"], "latency": 2.5}
    failed = {**span, "attributes": {}, "status": {"code": "ERROR", "message": "no"}}
    [read] = mlflow.samples([{"trace_id": "t", "request": "Who?", "response": None, "spans": [failed]}], [])
    assert read == {"id": "t", "question": "Who?", "failure": "no", "latency": 2.5}
    empty = {"trace_id": "t", "request": "Who?", "response": "Anna.", "spans": [], "request_time": 5}
    assert list(mlflow.samples([empty], [])) == [{"id": "t", "question": "Who?", "answer": "Anna."}]


def test_pipelines_of_haystack() -> None:
    notes: list[str] = []
    answer = {"query": "Who?", "data": "Anna.", "documents": []}
    built = {"builder": {"answers": [answer, {**answer, "data": "other"}]}, "r": {"documents": ["茶"]}, "n": 3}
    assert list(haystack.samples([built], notes)) == [{"question": "Who?", "answer": "Anna.", "contexts": ["茶"]}]
    own = {"builder": {"answers": [{**answer, "documents": ["水"]}]}, "r": {"documents": ["茶"]}}
    assert next(haystack.samples([own], notes))["contexts"] == ["水"]
    assert next(haystack.samples([{"builder": {"answers": [answer]}}], notes))["contexts"] is None
    assert list(haystack.samples([answer], notes)) == [{"question": "Who?", "answer": "Anna.", "contexts": []}]
    assert notes == []
    two = {"a": {"replies": ["draft"]}, "b": {"replies": ["Anna.", "second"]}, "c": {"replies": []}}
    assert list(haystack.samples([two, two], notes)) == [{"answer": "Anna."}] * 2
    assert notes == ["2 components of the pipeline returned replies; those of the last were read"]


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, {"id": "0-0-m", "question": "Who?"}),
        ({"provider": {"id": "i"}, "testIdx": 3, "promptIdx": 2}, {"id": "3-2-i", "provider": "i"}),
        ({"vars": {"own": "Who?"}}, {"question": "Who?", "own": "Who?"}),
        ({"vars": {"own": "Who?", "other": 1}}, {"question": None, "other": 1}),
        ({"vars": {"question": "Who?", "expected": "Anna"}}, {"references": "Anna", "expected": None}),
        ({"vars": {"question": "Who?", "docs": ["茶", "水"]}}, {"contexts": ["茶", "水"], "docs": None}),
        ({"response": "Anna."}, {"answer": "Anna."}),
        ({"error": "late"}, {"answer": "Anna.", "failure": None}),
        ({"testCase": {"assert": [{"type": "similar", "value": 3}]}}, {"references": None}),
        ({"testCase": {"assert": [{"type": "similar", "value": "安娜"}, {"type": "contains", "value": "x"}, 3]}},
         {"references": ["安娜"]}),
    ],
)  # fmt: skip
def test_results_of_promptfoo(changed: dict[str, Any], expected: Sample) -> None:
    row = {"provider": "m", "vars": {"question": "Who?"}, "response": {"output": "Anna."}, **changed}
    [sample] = promptfoo.samples([row], [])
    assert {name: sample.get(name) for name in expected} == expected


def test_results_of_promptfoo_are_numbered_where_they_have_no_number() -> None:
    rows = [{"results": {"results": [{"provider": "m"}, 3, {"provider": "m"}]}}]
    assert [one["id"] for one in promptfoo.samples(rows, [])] == ["0-0-m", "2-0-m"]


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
