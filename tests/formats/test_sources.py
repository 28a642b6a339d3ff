"""Exports of frameworks in the shapes that their documentation gives: which text became which part of a sample.

`tests/frameworks` reads the frameworks' own objects, where they are installed.
"""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from ragauge.errors import DataError
from ragauge.formats import read, read_retrieval
from ragauge.formats.sources import traces
from tests.frameworks.reading import ANSWER, FIRST, GOLD, QUESTION, SECOND, parts, rows

READ = {"question": QUESTION, "answer": ANSWER, "contexts": [FIRST, SECOND]}
TEXTS = [FIRST, SECOND]


def span(name: str, parent: str | None, start: int, attributes: dict[str, Any], **others: Any) -> dict[str, Any]:
    """Return a span of OTLP JSON."""
    typed = [
        {"key": key, "value": {"doubleValue": one} if isinstance(one, float) else {"stringValue": one}}
        for key, one in attributes.items()
    ]
    times = {"startTimeUnixNano": str(start * 10**9), "endTimeUnixNano": str((start + 1) * 10**9)}
    above = {} if parent is None else {"parentSpanId": parent}
    return {"traceId": "t1", "spanId": name, **above, **times, "attributes": typed, **others}


def request(*spans: dict[str, Any]) -> dict[str, Any]:
    scopes = [{"scope": {"name": "a", "b": [1, {}]}, "spans": [one]} for one in spans]
    return {"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": scopes}], "other": [1, {"a": []}]}


ROOT = span("a", None, 1, {"input.value": json.dumps({"question": QUESTION}), "output.value": ANSWER})
SEARCH = span(
    "b",
    "a",
    2,
    {
        "openinference.span.kind": "RETRIEVER",
        "retrieval.documents.0.document.content": FIRST,
        "retrieval.documents.1.document.content": SECOND,
    },
)
CONVENTIONS: dict[str, list[dict[str, Any]]] = {
    "OpenInference": [SEARCH, ROOT],
    "OpenInference, reranked": [
        span("r", "a", 3, {"openinference.span.kind": "RERANKER", "reranker.output_documents.0.document.content": FIRST,
                           "reranker.output_documents.1.document.content": SECOND}),
        span("b", "a", 2, {"openinference.span.kind": "RETRIEVER", "retrieval.documents.0.document.content": "other"}),
        ROOT,
    ],
    "a retriever within a retriever": [
        SEARCH,
        span("c", "b", 3, {"openinference.span.kind": "RETRIEVER", "retrieval.documents.0.document.content": "part"}),
        ROOT,
    ],
    "the same passage by two retrievers": [SEARCH, {**SEARCH, "spanId": "d"}, ROOT],
    "GenAI": [
        span("a", None, 1, {"gen_ai.operation.name": "invoke_agent",
             "gen_ai.input.messages": json.dumps([{"role": "user", "parts": [{"type": "text", "content": QUESTION}]}]),
             "gen_ai.output.messages": json.dumps(
                 [{"role": "assistant", "parts": [{"type": "text", "content": ANSWER}], "finish_reason": "stop"}])}),
        span("b", "a", 2, {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.query.text": "茶",
             "gen_ai.retrieval.documents": json.dumps([{"content": text} for text in TEXTS])}),
    ],
    "GenAI events": [
        span("a", None, 1, {"gen_ai.operation.name": "chat"}, events=[
            {"name": "gen_ai.user.message", "attributes": [{"key": "content", "value": {"stringValue": QUESTION}}]},
            {"name": "gen_ai.choice", "attributes": [{"key": "message", "value": {"kvlistValue": {"values": [
                {"key": "content", "value": {"stringValue": ANSWER}}]}}}]},
        ]),
        SEARCH,
    ],
    "OpenLLMetry": [
        span("a", None, 1, {"traceloop.span.kind": "workflow", "traceloop.entity.input": QUESTION,
                            "traceloop.entity.output": ANSWER}),
        span("m", "a", 4, {"gen_ai.prompt.0.content": "other", "gen_ai.prompt.0.role": "user",
                           "gen_ai.completion.0.content": "other"}),
        SEARCH,
    ],
    "MLflow by OTLP": [
        span("a", None, 1, {"mlflow.spanType": '"CHAIN"', "mlflow.spanInputs": json.dumps({"question": QUESTION}),
                            "mlflow.spanOutputs": json.dumps(ANSWER)}),
        span("b", "a", 2, {"mlflow.spanType": '"RETRIEVER"',
                           "mlflow.spanOutputs": json.dumps([{"page_content": text} for text in TEXTS])}),
    ],
}  # fmt: skip


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_spans(convention: str, tmp_path: Path) -> None:
    path = tmp_path / "spans.json"
    for indent in (None, 1):
        path.write_text(json.dumps(request(*CONVENTIONS[convention]), indent=indent), encoding="utf-8")
        assert parts(path) == READ


def test_a_trace_without_root_or_content(tmp_path: Path) -> None:
    path = tmp_path / "spans.jsonl"
    health = {**span("h", None, 1, {"http.route": "/health"}), "traceId": "t2"}
    orphan = {**SEARCH, "parentSpanId": "elsewhere"}
    path.write_text("\n".join(json.dumps(request(one)) for one in (health, orphan)), encoding="utf-8")
    assert parts(path) == {"contexts": TEXTS}
    assert "1 trace was left out: it has neither a question nor an answer nor documents" in read(path).notes


def test_a_root_that_failed() -> None:
    failed = span("a", None, 1, {"input.value": QUESTION}, status={"code": 2, "message": "timeout"})
    assert parts([request(failed)]) == {"question": QUESTION, "failure": "timeout"}


def test_many_spans_go_by_way_of_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    every = [
        {**one, "traceId": f"t{number}", "startTimeUnixNano": f"{number + place}"}
        for place, one in enumerate((SEARCH, ROOT))
        for number in range(300)
    ]
    path = tmp_path / "spans.json"
    path.write_text(json.dumps(request(*every)), encoding="utf-8")
    in_memory = sorted(rows(path), key=str)
    ids = sorted(one for batch in read(path).batches() for one in batch.column("id").to_pylist())
    monkeypatch.setattr(traces, "_HELD", 20_000)
    assert sorted(rows(path), key=str) == in_memory
    assert sorted(one for batch in read(path).batches() for one in batch.column("id").to_pylist()) == ids
    assert len(ids) == 300


@pytest.mark.parametrize("broken", ['{"resourceSpans": 3}', '{"resourceSpans": [{"scopeSpans": [{"spans": [{]}]}',
                                    '{"resourceSpans": [', '{"resourceSpans": [] "a": 1}'])  # fmt: skip
def test_broken_otlp_is_named(broken: str, tmp_path: Path) -> None:
    path = tmp_path / "spans.json"
    path.write_text(broken, encoding="utf-8")
    with pytest.raises(DataError, match=r"spans.json: line 1: "):
        read(path)


@pytest.mark.parametrize(
    ("document", "key"),
    [('{"resourceSpans":\n{}}', "resourceSpans"), ('{"resourceSpans": [\n{"scopeSpans": "x"}]}', "scopeSpans"),
     ('{"resourceSpans": [{"scopeSpans": [\n{"spans": null}]}]}', "spans")],
)  # fmt: skip
def test_what_must_be_a_list_is_named_with_its_line(document: str, key: str, tmp_path: Path) -> None:
    path = tmp_path / "spans.json"
    path.write_text(document, encoding="utf-8")
    with pytest.raises(DataError, match=f"^{path}: line 2: {key} must be a list; correct the file$"):
        read(path)


def test_the_mapping_says_where_in_an_export_each_column_comes_from(tmp_path: Path) -> None:
    path = tmp_path / "spans.json"
    path.write_text(json.dumps(request(SEARCH, ROOT)), encoding="utf-8")
    assert read(path).mapping == {
        "id": "trace id", "question": "input of the root span", "answer": "output of the root span",
        "contexts": "documents of retriever and reranker spans",
    }  # fmt: skip
    run = {"id": "1", "run_type": "chain", "inputs": {"question": "Who?"}, "outputs": {"answer": "Anna."}}
    assert read([run]).mapping == {"question": "inputs of the root run", "answer": "outputs of the root run"}


def test_a_frame_of_phoenix() -> None:
    documents = [{"document.content": text, "document.id": name} for text, name in ((FIRST, "d1"), (SECOND, "d2"))]
    shared = {"context.trace_id": "t", "span_kind": "CHAIN", "start_time": pd.Timestamp("2026-01-01", tz="UTC")}
    frame = pd.DataFrame(
        [
            {**shared, "context.span_id": "a", "parent_id": None, "attributes.input.value": QUESTION,
             "attributes.output.value": ANSWER},
            {**shared, "context.span_id": "b", "parent_id": "a", "span_kind": "RETRIEVER",
             "attributes.retrieval.documents": documents},
        ]
    )  # fmt: skip
    assert parts(frame) == {**READ, "retrieved": ["d1", "d2"]}


RETRIEVED: list[dict[str, Any]] = [{"pageContent": "x", "page_content": text} for text in TEXTS]
OBSERVATIONS: list[dict[str, Any]] = [
    {"id": "o1", "traceId": "t", "type": "RETRIEVER", "name": "search", "startTime": "2026-01-01T00:00:01.000Z",
     "input": "茶", "output": RETRIEVED, "parentObservationId": None},
    {"id": "o2", "traceId": "t", "type": "GENERATION", "name": "model", "startTime": "2026-01-01T00:00:02.000Z",
     "input": [{"role": "user", "content": "prompt"}], "output": {"role": "assistant", "content": "other"}},
]  # fmt: skip


def test_langfuse(tmp_path: Path) -> None:
    trace = {"id": "t", "name": "rag", "input": {"question": QUESTION}, "output": {"answer": ANSWER}}
    assert parts([{**trace, "observations": OBSERVATIONS}]) == READ
    root = {"id": "o0", "traceId": "t", "type": "SPAN", "name": "rag", "startTime": "2026-01-01T00:00:00.000Z",
            "input": {"question": QUESTION}, "output": ANSWER}  # fmt: skip
    path = tmp_path / "observations.jsonl"
    below = [{**one, "parentObservationId": "o0"} for one in OBSERVATIONS]
    path.write_text("\n".join(json.dumps(one) for one in (*below, root)), encoding="utf-8")
    assert parts(path) == READ


def test_langsmith_runs_as_json(tmp_path: Path) -> None:
    common: dict[str, Any] = {"trace_id": "t", "start_time": "2026-01-01T00:00:00"}
    retriever = {**common, "id": "b", "parent_run_id": "a", "run_type": "retriever", "inputs": {"query": "茶"},
                 "outputs": {"documents": [{"lc": 1, "type": "constructor", "id": ["Document"],
                                            "kwargs": {"page_content": text}} for text in TEXTS]}}  # fmt: skip
    root = {**common, "id": "a", "parent_run_id": None, "run_type": "chain", "inputs": {"input": QUESTION},
            "outputs": {"output": ANSWER}, "reference_outputs": {"answer": GOLD}}  # fmt: skip
    path = tmp_path / "runs.json"
    path.write_text(json.dumps([retriever, root]), encoding="utf-8")
    assert parts(path) == {**READ, "references": [GOLD]}


def test_the_report_of_haystack_as_columns() -> None:
    report = {"question": [QUESTION], "contexts": [TEXTS], "answer": [GOLD], "predicted_answer": [ANSWER], "sas": [0.5]}
    assert parts(report) == {**READ, "references": [GOLD]}


def test_pipelines_and_responses() -> None:
    outputs = {
        "retriever": {"documents": [{"content": text, "id": text[:2]} for text in TEXTS]},
        "llm": {"replies": [ANSWER]},
    }
    assert parts(outputs) == {"answer": ANSWER, "contexts": TEXTS, "retrieved": ["林婉", "Te"]}
    two = {**outputs, "joiner": {"documents": [{"content": SECOND}]}}
    assert parts(two)["contexts"] == [SECOND]
    assert "2 components of the pipeline returned documents; those of the last were read" in read(two).notes
    nodes = [{"node": {"id_": "n1", "text": FIRST}, "score": 0.5}]
    response = {"query": QUESTION, "response": ANSWER, "source_nodes": nodes}
    assert parts(response) == {"question": QUESTION, "answer": ANSWER, "contexts": [FIRST], "retrieved": ["n1"],
                               "retrieved_scores": [0.5]}  # fmt: skip


def test_a_table_of_mlflow_and_its_traces(tmp_path: Path) -> None:
    path = tmp_path / "table.json"
    path.write_text(json.dumps({"columns": ["inputs", "outputs"], "data": [[QUESTION, ANSWER]]}), encoding="utf-8")
    assert parts(path) == {"question": QUESTION, "answer": ANSWER}
    spans = [
        {"name": "search", "span_id": "b", "parent_span_id": "a", "start_time_unix_nano": 2,
         "attributes": {"mlflow.spanType": '"RETRIEVER"',
                        "mlflow.spanOutputs": json.dumps([{"page_content": text} for text in TEXTS])}},
    ]  # fmt: skip
    expected = [{"assessment_name": "expected_response", "expectation": {"value": GOLD}}]
    frame = pd.DataFrame([{"trace_id": "t", "request": json.dumps({"question": QUESTION}), "response": ANSWER,
                               "spans": spans, "assessments": expected}])  # fmt: skip
    assert parts(frame) == {**READ, "references": [GOLD]}


PROMPTFOO = {
    "testIdx": 0,
    "promptIdx": 1,
    "provider": {"id": "openai:a", "label": "model a"},
    "vars": {"query": QUESTION, "context": FIRST, "topic": "tea"},
    "response": {"output": ANSWER, "tokenUsage": {"total": 9}},
    "testCase": {"assert": [{"type": "equals", "value": GOLD}, {"type": "latency", "threshold": 5}]},
    "success": True,
}


def test_promptfoo(tmp_path: Path) -> None:
    expected = {"question": QUESTION, "answer": ANSWER, "contexts": [FIRST], "references": [GOLD]}
    for form in ({"evalId": "e", "results": {"version": 3, "results": [PROMPTFOO]}, "config": {}},
                 {"results": {"version": 2, "results": [PROMPTFOO], "stats": {}}}, [PROMPTFOO]):  # fmt: skip
        path = tmp_path / "results.json"
        path.write_text(json.dumps(form), encoding="utf-8")
        assert parts(path) == expected
    [row] = rows(path)
    assert row["provider"] == "model a"
    assert row["topic"] == "tea"
    failed = {**PROMPTFOO, "response": None, "error": "timeout"}
    assert parts([failed]) == {**{name: expected[name] for name in expected if name != "answer"}, "failure": "timeout"}


INSPECT = {
    "id": "s1",
    "epoch": 1,
    "input": [{"role": "system", "content": "short"}, {"role": "user", "content": QUESTION}],
    "target": [GOLD],
    "messages": [],
    "output": {"model": "a", "choices": [], "completion": ANSWER},
    "metadata": {"contexts": TEXTS, "level": 2},
    "scores": {"includes": {"value": "C", "answer": ANSWER}},
}


def test_logs_of_inspect(tmp_path: Path) -> None:
    log, expected = tmp_path / "log.json", {**READ, "references": [GOLD]}
    samples = [INSPECT, {**INSPECT, "epoch": 2}]
    log.write_text(json.dumps({"version": 2, "eval": {"model": "a"}, "samples": samples}), encoding="utf-8")
    with zipfile.ZipFile(tmp_path / "log.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", "{}")
        for place, one in enumerate(samples):
            archive.writestr(f"samples/s1_epoch_{place}.json", json.dumps(one))
    for path in (log, tmp_path / "log.eval"):
        first, second = rows(path)
        assert {name: first[name] for name in expected} == {name: second[name] for name in expected} == expected
        assert (first["level"], first["includes"]) == (2, "C")
    assert parts([{**INSPECT, "output": {}, "error": {"message": "no model"}}])["failure"] == "no model"
    (tmp_path / "bad.eval").write_bytes(b"PK\x03\x04 no archive")
    with pytest.raises(DataError, match=r"bad.eval: cannot be read as a log of inspect_ai"):
        read(tmp_path / "bad.eval")


def test_frames_of_inspect() -> None:
    """As samples_df of inspect_ai 0.3.285 writes them."""
    first = {
        "sample_id": "u1", "eval_id": "e1", "log": "a.eval", "id": "s1", "epoch": 1, "choices": None, "target": GOLD,
        "input": f"system:\nBe short.\n\n\nuser:\n{QUESTION}\n", "metadata_contexts": json.dumps([FIRST, SECOND]),
        "metadata_level": 2, "score_includes": "C", "error": "", "output": None,
        "messages": f"system:\nBe short.\n\n\nuser:\n{QUESTION}\n\n\nassistant:\n{ANSWER}\n",
    }  # fmt: skip
    frame = [
        first,
        {**first, "epoch": 2, "output": "Nobody, or\nsomebody."},
        {**first, "eval_id": "e2", "error": "ValueError('no kettle')"},
    ]
    for source in (frame, pa.Table.from_pylist(frame)):
        one, again, failed = rows(source)
        expected = {**READ, "references": [GOLD]}
        assert {name: one[name] for name in expected} == expected
        assert (one["level"], one["includes"], again["answer"]) == (2, "C", "Nobody, or\nsomebody.")
        assert ("answer" in failed, failed["failure"]) == (False, "ValueError('no kettle')")
        ids = [name for batch in read(source).batches() for name in batch.column("id").to_pylist()]
        assert ids == ["s1", "s1-2", "s1-e2"]
    without = {name: value for name, value in first.items() if name != "messages"} | {"target": "1990,in 1990"}
    data = read([without])
    assert "answer" not in data.columns
    assert any(note.startswith("the frame has no answers: make it with samples_df") for note in data.notes)
    assert any("several targets of a sample are joined by commas" in note for note in data.notes)
    assert rows([{**first, "input": QUESTION}])[0]["question"] == QUESTION


def test_a_folder_of_arrow_files(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    table = pa.table({"question": [QUESTION], "response": [ANSWER]})
    for name in ("a.arrow", "b.arrow"):
        with pa.OSFile(str(folder / name), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
    state = {"_data_files": [{"filename": "a.arrow"}, {"filename": "b.arrow"}]}
    (folder / "state.json").write_text(json.dumps(state), encoding="utf-8")
    assert [row["answer"] for row in rows(folder)] == [ANSWER, ANSWER]
    (folder / "b.arrow").write_bytes(b"damaged")
    with pytest.raises(DataError, match="it is damaged"):
        read(folder)
    (folder / "b.arrow").unlink()
    with pytest.raises(DataError, match=r"b.arrow: file not found; copy or save the data set again"):
        read(folder)


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("state.json", "[", "cannot be read"),
        ("state.json", "[]", "must hold a JSON object"),
        ("state.json", "{}", "must hold a list under _data_files"),
        ("state.json", '{"_data_files": []}', "must hold a list under _data_files"),
        ("state.json", '{"_data_files": [{"filename": 3}]}', "a file in _data_files has no name"),
        ("state.json", '{"_data_files": ["a.arrow"]}', "a file in _data_files has no name"),
        ("dataset_dict.json", '{"splits": []}', "must hold a list under splits"),
        ("dataset_dict.json", '{"splits": [3, "test"]}', "holds the splits 3, test; name the folder of one, as in "),
    ],
)
def test_a_folder_whose_description_is_wrong(file: str, content: str, message: str, tmp_path: Path) -> None:
    (tmp_path / file).write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=message):
        read(tmp_path)


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


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_log_with_damage_in_a_sample(method: int, tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("samples/a.json", json.dumps({**INSPECT, "output": "x" * 5000}))
    whole = bytearray(path.read_bytes())
    for place in range(60, 90):
        path.write_bytes(bytes([*whole[:place], whole[place] ^ 0x55, *whole[place + 1 :]]))
        with pytest.raises(DataError, match=r"log.eval: cannot be read as a log of inspect_ai"):
            read(path)


def test_a_sample_of_a_log_that_is_too_long_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = json.dumps(INSPECT).encode()
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("samples/茶.json", content)
    monkeypatch.setattr("ragauge.formats.eval_log.LONGEST", len(content))
    assert parts(path) == {**READ, "references": [GOLD]}
    monkeypatch.setattr("ragauge.formats.eval_log.LONGEST", len(content) - 1)
    with pytest.raises(DataError, match=r"samples/茶.json is longer than 0 MiB"):
        read(path)


@pytest.mark.parametrize("beside", [b"", b"\x99\x99\x04\x00abcd"])
def test_a_log_compressed_with_zstandard(beside: bytes, tmp_path: Path) -> None:
    """Python reads no such archive, so it is made of a stored one: the method and the size are changed after."""
    path, content = tmp_path / "log.eval", json.dumps(INSPECT).encode()
    with zipfile.ZipFile(path, "w") as archive:
        entry = zipfile.ZipInfo("samples/茶.json")
        entry.extra = beside
        archive.writestr("header.json", "{}")
        archive.writestr(entry, pa.compress(content, "zstd", asbytes=True))
    whole = bytearray(path.read_bytes())
    for mark, method, size in ((b"PK\x03\x04", 8, 22), (b"PK\x01\x02", 10, 24)):
        start = whole.rindex(mark)
        whole[start + method] = 93
        whole[start + size : start + size + 4] = len(content).to_bytes(4, "little")
    path.write_bytes(whole)
    assert parts(path) == {**READ, "references": [GOLD]}


MAPS = [[("文書1", 1), ("d2", 0)], None, [], [("d2", 2)]]


@pytest.mark.parametrize("grade", [pa.float64(), pa.float32(), pa.int32()])
@pytest.mark.parametrize("key", [pa.string(), pa.large_string()])
def test_grades_in_a_map_column(grade: pa.DataType, key: pa.DataType) -> None:
    grades = pa.array([[("left out", 1)], *MAPS], pa.map_(key, grade))[1:]
    data = read(pa.table({"retrieved": [["d1"]] * 4, "relevance": grades}))
    [batch] = data.batches()
    assert batch.column("relevance").to_pylist() == [
        [{"id": "文書1", "grade": 1.0}, {"id": "d2", "grade": 0.0}], None, [], [{"id": "d2", "grade": 2.0}],
    ]  # fmt: skip


def test_maps_that_are_no_judgements_are_converted_one_by_one() -> None:
    twice = pa.array([[("d1", 1.0), ("d1", 2.0)]], pa.map_(pa.string(), pa.float64()))
    [batch] = read(pa.table({"relevance": twice})).batches()
    assert batch.column("relevance").to_pylist() == [[{"id": "d1", "grade": 2.0}]]
    numbers = pa.array([[(7, 1.0)]], pa.map_(pa.int64(), pa.float64()))
    [batch] = read(pa.table({"relevance": numbers})).batches()
    assert batch.column("relevance").to_pylist() == [[{"id": "7", "grade": 1.0}]]
    for wrong in (float("nan"), None):
        grades = pa.array([[("d1", wrong)]], pa.map_(pa.string(), pa.float64()))
        with pytest.raises(DataError, match="row 1: relevance must have a finite number as grade; got"):
            read(pa.table({"relevance": grades}))


FORMS = "must be a path, a dict query -> document -> number, or rows with a query, a document and a number each"
PAIRS = [("q1", "d1", 0.5), ("q2", "d3", 1.0), ("q1", "d2", 0.25)]


@pytest.mark.parametrize("names", [("qid", "docno", "score"), ("query_id", "doc_id", "score"),
                                   ("query-id", "corpus-id", "score")])  # fmt: skip
def test_runs_and_judgements_with_a_row_for_each_document(names: tuple[str, ...]) -> None:
    frame = pd.DataFrame(PAIRS, columns=list(names))
    graded = pd.DataFrame([("q1", "d2", 1), ("q2", "d3", 2)], columns=[*names[:2], "label"])
    run = {"q1": {"d1": 0.5, "d2": 0.25}, "q2": {"d3": 1.0}}
    qrels = {"q1": {"d2": 1}, "q2": {"d3": 2}}
    wanted = [batch.table().to_pylist() for batch in read_retrieval(run, qrels).batches()]
    for one in (frame, pa.Table.from_pandas(frame), frame.to_dict("records")):
        assert [batch.table().to_pylist() for batch in read_retrieval(one, graded).batches()] == wanted
    data = read_retrieval(frame, graded, data={"q1": QUESTION, "q2": "b"})
    [batch] = data.batches()
    assert batch.column("question").to_pylist() == [QUESTION, "b"]


@pytest.mark.parametrize(
    ("rows_of_run", "message"),
    [
        ([{"qid": "q1", "docno": "d1"}], f"run: {FORMS}; it has qid, docno, and none of score, similarity, sim"),
        ([{"qid": "q1", "docno": "d1", "score": "x"}], "run: row 1: the number must be a finite number; got a text"),
        ([{"qid": "q1", "docno": "d1", "score": None}], "run: row 1: the number must not be null"),
        ([], "run: has no rows; give at least one"),
    ],
)  # fmt: skip
def test_wrong_rows_of_a_run(rows_of_run: Any, message: str) -> None:
    with pytest.raises(DataError) as caught:
        read_retrieval(rows_of_run, {"q1": {"d1": 1}})
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"qid": None, "docno": "d"}, "row 2: the query must not be null"),
        ({"qid": True, "docno": "d"}, "row 2: the query must be text or a whole number; got true"),
        ({"qid": 1.5, "docno": "d"}, "row 2: the query must be text or a whole number; got the number 1.5"),
        ({"qid": "q", "docno": None}, "row 2: the document must not be null"),
        ({"qid": "q", "docno": ["文"]}, "row 2: the document must be text or a whole number; got a list"),
    ],
)
def test_queries_and_documents_of_a_run_are_texts_or_whole_numbers(row: dict[str, Any], message: str) -> None:
    first = {"qid": "q", "docno": "d", "score": 1.0}
    with pytest.raises(DataError, match=f"^run: {re.escape(message)}$"):
        read_retrieval([first, {**row, "score": 1.0}], {"q": {"d": 1}})
    several = [{**first, "score": "x"}, {**row, "score": "x"}]
    with pytest.raises(DataError) as caught:
        read_retrieval(several, {"q": {"d": 1}})
    lines = str(caught.value).splitlines()
    assert lines[0] == "run: 3 problems"
    assert [line.split(":")[0].strip() for line in lines[1:]] == ["row 1", "row 2", "row 2"]
    fractions = [{"qid": 1.0, "docno": 7.0, "score": 1.0}]
    [batch] = read_retrieval(fractions, {"1": {"7": 1}}).batches()
    assert batch.column("retrieved").to_pylist() == [["7"]]


def test_numbers_of_a_run_may_have_more_digits_than_a_float() -> None:
    large = (1 << 53) + 1
    columns = {"qid": ["q", "q"], "docno": ["a", "b"], "score": pa.array([large, 1], pa.int64())}
    [batch] = read_retrieval(pa.table(columns), {"q": {"a": 1}}).batches()
    assert batch.column("retrieved_scores").to_pylist() == [[float(large), 1.0]]
    for score in (None, float("nan"), float("inf")):
        table = pa.table({**columns, "score": pa.array([1.0, score], pa.float64())})
        with pytest.raises(DataError, match=r"^run: row 2: the number must"):
            read_retrieval(table, {"q": {"a": 1}})


def test_the_form_is_said_also_where_only_some_rows_are_read(tmp_path: Path) -> None:
    path = tmp_path / "spans.json"
    path.write_text(json.dumps(request(SEARCH, ROOT, {**ROOT, "traceId": "t2"})), encoding="utf-8")
    data = read(path, limit=1)
    assert (data.rows, data.notes) == (1, ("read as OpenTelemetry spans",))
