"""Dify and FastGPT: one command asks them, and their passages are read."""

from __future__ import annotations

import json
import shlex
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

import ragauge
from ragauge.endpoints.connections import HttpAnswer
from ragauge.systems.http import HttpSystem
from ragauge.systems.outputs import read_output
from ragauge.systems.replies import streamed
from ragauge.systems.services import DIFY, is_of_dify, service_at, with_quotes
from tests.cli.running import here
from tests.systems.conftest import Server

OF_CHAT = {"inputs": {}, "query": "茶?", "response_mode": "streaming", "user": "ragauge"}
SOURCES = [{"document_id": "d1", "segment_id": "s1", "score": 0.9, "content": "茶馆九点开门。"}]
END = {"metadata": {"usage": {"prompt_tokens": 7, "completion_tokens": 2}, "retriever_resources": SOURCES}}
STEP = {"event": "node_finished", "data": {"outputs": {"text": "inner", "answer": "inner"}}}
REFUSAL = {"code": "invalid_param", "message": "Arg user must be provided.", "status": 400}
QUOTE = {
    "id": "8099",
    "q": "几点开门？",
    "a": "九点。",
    "datasetId": "6466",
    "score": [{"type": "embedding", "value": 0.8}],
}
FLOW = [
    {"moduleName": "知识库搜索", "quoteList": [QUOTE]},
    {"moduleName": "AI 对话", "quoteList": [QUOTE, {**QUOTE, "id": "2"}]},
]
CHAT = {
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "九点。"}}],
    "responseData": FLOW,
    "id": "",
}
READ = {"answer": "九点。", "contexts": ["几点开门？\n九点。"] * 2, "retrieved": ["8099", "2"]}


def at(server: Server, path: str) -> str:
    return server.url.removesuffix("/chat") + path


def event(value: Any) -> str:
    return f"data: {json.dumps(value, ensure_ascii=False)}\n\n"


def as_dify(server: Server, *, streams: bool) -> Any:
    """Reply as Dify does: 400 to a body without a user."""

    def reply(handler: BaseHTTPRequestHandler) -> None:
        if not {"user", "query", "inputs"} <= server.bodies[-1].keys():
            server.json(REFUSAL, 400)(handler)
        elif streams:
            pieces = [STEP, STEP, {"event": "message", "answer": "九"}, {"event": "message", "answer": "点。"}, END]
            server.stream([event(one) for one in pieces])(handler)
        else:
            server.json({"event": "message", "mode": "chat", "answer": "九点。", **END})(handler)

    return reply


@pytest.mark.parametrize("streams", [True, False])
def test_dify_is_known_by_its_address(server: Server, streams: bool, caplog: pytest.LogCaptureFixture) -> None:
    server.reply = as_dify(server, streams=streams)
    url = at(server, "/v1/chat-messages")
    result = ragauge.evaluate(["茶?"], "column:name=input_tokens", system=url, resamples=0)
    assert server.bodies == [OF_CHAT]
    table = result.to_arrow()
    assert table.column("answer").to_pylist() == ["九点。"]
    assert table.column("contexts").to_pylist() == [["茶馆九点开门。"]]
    assert caplog.messages[0].startswith(f"the address is one of Dify: it is sent {json.dumps(DIFY.body)}; another")


def test_the_line_that_a_refusal_of_dify_names_works(server: Server) -> None:
    server.reply = as_dify(server, streams=True)
    [failure] = ragauge.evaluate(["茶?"], "column:name=latency", system=server.url, resamples=0).failures()
    assert "Arg user must be provided" in failure
    words = shlex.split(failure.partition("write what that wants: ")[2].partition(", or body=")[0])
    assert words[0] == "--system-body"
    columns = read_output(HttpSystem(url=server.url, body=words[1])("茶?")).columns
    assert (columns["answer"], columns["retrieved"]) == ("九点。", ["d1"])


@pytest.mark.parametrize("body", ["{}", "[", "[1]", '{"code": "invalid_param", "message": "no"}', '{"code": 3}'])
def test_other_refusals_are_not_of_dify(body: str) -> None:
    assert not is_of_dify(body)
    assert is_of_dify(json.dumps(REFUSAL))


def test_fastgpt_is_known_by_its_address(server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    server.reply = server.json(CHAT)
    questions = tmp_path / "questions.jsonl"
    questions.write_text('{"question": "几点开门？"}\n', encoding="utf-8")
    command = ["ask", str(questions), "--system", at(server, "/api/v1/chat/completions"), "-o", str(tmp_path / "run")]
    assert here(capsys, *command, "-m", "groundedness").code == 0
    asked = {"role": "user", "content": "几点开门？"}
    assert server.bodies == [{"stream": False, "detail": True, "messages": [asked]}]
    table = ragauge.load(tmp_path / "run").to_arrow()
    assert table.column("contexts").to_pylist() == [READ["contexts"]]


def test_passages_of_fastgpt_are_questions_and_answers_each_once() -> None:
    read = read_output(CHAT)
    assert {name: read.columns[name] for name in READ} == READ
    assert read.renamed["contexts"] == "quoteList"
    inner = {"responseData": [{"toolDetail": [{"quoteList": [{"q": "茶", "a": ""}, {"a": "no"}, 3]}]}, 3]}
    assert with_quotes(inner)["quoteList"] == [{"text": "茶"}]
    scored = [{"id": "1", "q": "Tea?", "a": "Nine.", "score": 0.8}]
    columns = read_output({"answer": "Nine.", "quoteList": scored}).columns
    assert (columns["contexts"], columns["retrieved_scores"]) == (["Tea?\nNine."], [0.8])


@pytest.mark.parametrize("other", [{"answer": "x", "quoteList": ["q"]}, {"answer": "x", "data": [{"q": "a"}]}, {}])
def test_other_replies_are_not_touched(other: dict[str, Any]) -> None:
    assert with_quotes(other) is other


def test_the_steps_that_end_a_stream_of_fastgpt_are_no_part_of_its_answer() -> None:
    pieces = [{"choices": [{"delta": {"content": one}, "index": 0}]} for one in ("九", "点。")]
    body = "".join(map(event, [*pieces, FLOW])).encode()
    columns = read_output(streamed(HttpAnswer(200, {}, body))).columns
    assert {name: columns[name] for name in READ} == READ
    marks = "".join(map(event, [{"delta": "Nine "}, [1]])).encode()
    assert streamed(HttpAnswer(200, {}, marks)) == {"answer": "Nine [1]"}, "a list of numbers is no step"


@pytest.mark.parametrize(
    ("path", "line"),
    [("/v1", "if it is Dify: --system URL/v1/chat-messages"), ("/api/", "if it is FastGPT: --system URL/api/v1/chat/")],
)
def test_the_beginning_of_an_address_names_the_whole(server: Server, path: str, line: str) -> None:
    server.reply = server.json({}, 404)
    [failure] = ragauge.evaluate(["?"], "column:name=latency", system=at(server, path), resamples=0).failures()
    assert line.replace("URL", at(server, "")) in failure


def test_a_chat_that_wants_a_model_names_the_option(server: Server) -> None:
    server.reply = server.json({"error": {"message": "you must provide a model parameter"}}, 400)
    url = at(server, "/v1/chat/completions")
    [failure] = ragauge.evaluate(["?"], "column:name=latency", system=url, resamples=0).failures()
    assert "--system-model NAME" in failure


def test_other_addresses_are_of_no_service() -> None:
    assert service_at("https://openrouter.ai/api/v1/chat/completions") is None
    assert service_at("http://h/v1/chat/completions") is None
    assert HttpSystem(url="http://h/v1/chat-messages", body='{"q": "{question}"}')._service is None


def test_a_conversation_with_fastgpt_gets_all_messages() -> None:
    system = HttpSystem(url="http://h/api/v1/chat/completions").in_conversation()
    assert json.loads(system.body) == {"stream": False, "detail": True, "messages": "{messages}"}
    plain = HttpSystem(url="http://h/chat")
    assert plain.in_conversation() is plain
