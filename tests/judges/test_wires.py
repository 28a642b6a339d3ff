"""Servers that speak Ollama's or Anthropic's protocol of chat, as their documentation has it, on this machine."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request as Received
from werkzeug import Response

import ragauge
from ragauge.errors import UsageError
from ragauge.judges import Question
from ragauge.judges.chat import Chat

from .conftest import SCHEMA, no_complaint

ASKED = Question(prompt="count", version="1", messages=(("system", "规则"), ("user", "几个？")), schema=SCHEMA)
ROWS = [{"question": "谁？", "answer": "林婉。她唱歌。", "contexts": ["林婉唱歌。"]}]


class Wired:
    """A server at ``path`` that keeps requests, and answers with what ``reply(body)`` returns, or its status too."""

    def __init__(self, http: HTTPServer, path: str) -> None:
        self.url = http.url_for(path)
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[Any] = []
        self.reply: Any = None
        http.expect_request(path, method="POST").respond_with_handler(self._handle)

    def _handle(self, received: Received) -> Response:
        self.bodies.append(received.get_json())
        self.headers.append(received.headers)
        replied = self.reply(self.bodies[-1])
        status, content = replied if isinstance(replied, tuple) else (200, replied)
        return Response(json.dumps(content), status, content_type="application/json")

    def asked(self, question: Question = ASKED, **options: Any) -> Any:
        [reply] = Chat(url=self.url, model="m", retries=0, **options).ask([question], no_complaint)
        return reply


@pytest.fixture
def ollama(listening: HTTPServer) -> Wired:
    listening.clear()
    return Wired(listening, "/api/chat")


@pytest.fixture
def anthropic(listening: HTTPServer) -> Wired:
    listening.clear()
    return Wired(listening, "/v1/messages")


def of_ollama(text: str, **more: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": text, "thinking": "一、二"}
    counts = {"prompt_eval_count": 26, "eval_count": 9, "total_duration": 5191566416}
    return {"model": "m", "message": message, "done": True, "done_reason": "stop", **counts, **more}


def of_anthropic(text: str, **more: Any) -> dict[str, Any]:
    content = [{"type": "thinking", "thinking": "一", "signature": "s"}, {"type": "text", "text": text}]
    usage = {"input_tokens": 20, "cache_read_input_tokens": 6, "cache_creation_input_tokens": 0, "output_tokens": 9}
    own = {"id": "msg_1", "type": "message", "role": "assistant", "stop_reason": "end_turn", "stop_sequence": None}
    return {**own, "content": content, "usage": usage, **more}


def test_ollama_is_asked_in_its_own_form(ollama: Wired) -> None:
    ollama.reply = lambda body: of_ollama('{"n": 1}')
    reply = ollama.asked(seed=7)
    assert (reply.value, reply.usage, reply.structured) == ({"n": 1}, (26, 9), "json_schema")
    [body] = ollama.bodies
    assert (body["stream"], body["format"]["required"]) == (False, ["n"])
    assert body["options"] == {"temperature": 0.0, "seed": 7, "num_predict": 1024}
    assert body["messages"] == [{"role": "system", "content": "规则"}, {"role": "user", "content": "几个？"}]
    assert set(body) == {"model", "messages", "stream", "format", "options"}


def test_label_probabilities_of_ollama_are_read(ollama: Wired) -> None:
    tops = [{"token": "1", "logprob": -0.1}, {"token": "2", "logprob": -2.4}]
    tokens = [{"token": '{"n": '}, {"token": "1", "logprob": -0.1, "top_logprobs": tops}, {"token": "}"}]
    ollama.reply = lambda body: of_ollama('{"n": 1}', logprobs=tokens if body.get("logprobs") else None)
    question = Question(
        prompt="c", version="1", messages=ASKED.messages, schema=SCHEMA, label="n", labels=("1", "2"), max_tokens=8
    )
    assert ollama.asked(question).label_probabilities["1"] == pytest.approx(0.909, abs=0.001)


def test_ollama_that_knows_no_schema_is_asked_for_any_json(ollama: Wired) -> None:
    refusal = (400, {"error": 'invalid format: expected "json" or a JSON Schema'})
    ollama.reply = lambda body: of_ollama('{"n": 1}') if body.get("format") == "json" else refusal
    assert ollama.asked().structured == "json_object"


@pytest.mark.parametrize(("finish", "code"), [("length", "truncated"), ("load", "empty")])
def test_a_reply_of_ollama_that_ended_early_is_none(ollama: Wired, finish: str, code: str) -> None:
    ollama.reply = lambda body: of_ollama("", done_reason=finish) | {"message": {"role": "assistant", "content": ""}}
    assert ollama.asked().code == code


def test_a_model_that_ollama_lacks_ends_the_run(ollama: Wired) -> None:
    ollama.reply = lambda body: (404, {"error": "model 'm' not found"})
    with pytest.raises(UsageError, match="model 'm' not found"):
        ollama.asked()


def test_anthropic_is_asked_in_its_own_form(anthropic: Wired, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGAUGE_JUDGE_API_KEY", "sk-ant-1234")
    anthropic.reply = lambda body: of_anthropic('{"n": 1}')
    reply = anthropic.asked()
    assert (reply.value, reply.usage) == ({"n": 1}, (26, 9))
    [body], [headers] = anthropic.bodies, anthropic.headers
    assert (headers["x-api-key"], headers["anthropic-version"]) == ("sk-ant-1234", "2023-06-01")
    assert "Authorization" not in headers
    assert (body["system"], body["messages"]) == ("规则", [{"role": "user", "content": "几个？"}])
    assert body["output_config"]["format"]["schema"]["required"] == ["n"]
    assert set(body) == {"model", "system", "messages", "temperature", "max_tokens", "output_config"}


def test_what_anthropic_refuses_is_left_out(anthropic: Wired) -> None:
    def error(words: str) -> Any:
        return 400, {"type": "error", "error": {"type": "invalid_request_error", "message": words}}

    def reply(body: Any) -> Any:
        if "output_config" in body:
            return error("output_config: structured outputs are not supported by this model")
        return (
            error("`temperature` is deprecated for this model.") if "temperature" in body else of_anthropic('{"n": 1}')
        )

    anthropic.reply = reply
    assert anthropic.asked().structured == "parsed"
    # JSON without a schema is no form of this protocol, so it is not tried.
    assert len(anthropic.bodies) == 3


def test_a_call_of_anthropic_is_read(anthropic: Wired) -> None:
    call = {"type": "tool_use", "id": "t", "name": "reply", "input": {"n": 1}}
    anthropic.reply = lambda body: of_anthropic("", content=[call]) | {"stop_reason": "tool_use"}
    assert anthropic.asked().value == {"n": 1}


def test_a_call_of_ollama_is_read(ollama: Wired) -> None:
    call = {"function": {"name": "reply", "arguments": {"n": 1}}}
    ollama.reply = lambda body: of_ollama("", message={"role": "assistant", "content": "", "tool_calls": [call]})
    assert ollama.asked().value == {"n": 1}


@pytest.mark.parametrize(
    ("stop", "code"), [("max_tokens", "truncated"), ("refusal", "content-filter"), ("pause_turn", "empty")]
)
def test_a_reply_of_anthropic_that_ended_early_is_none(anthropic: Wired, stop: str, code: str) -> None:
    anthropic.reply = lambda body: of_anthropic("", stop_reason=stop)
    assert anthropic.asked().code == code


@pytest.mark.parametrize(
    "document", [{}, [], None, 1, {"message": None}, {"content": None}, {"message": {"content": 5}}]
)
def test_answers_of_another_form_are_reasons(ollama: Wired, document: Any) -> None:
    ollama.reply = lambda body: document
    reply = ollama.asked()
    assert reply.code in ("no-answer", "empty")


@pytest.mark.parametrize("document", [{}, [], None, 1, {"message": None}, {"content": None}, {"content": [5]}])
def test_answers_of_another_form_than_anthropics_are_reasons(anthropic: Wired, document: Any) -> None:
    anthropic.reply = lambda body: document
    assert anthropic.asked().code == "no-answer"


def test_a_metric_is_scored_through_each(ollama: Wired, monkeypatch: pytest.MonkeyPatch) -> None:
    verdict = '{"claims": [{"claim": 1, "passages": [1]}, {"claim": 2, "passages": []}]}'
    ollama.reply = lambda body: of_ollama(verdict)
    monkeypatch.setenv("RAGAUGE_JUDGE_MODEL", "qwen3")
    result = ragauge.evaluate(ROWS, "judged-faithfulness", judge=ollama.url, resamples=0)
    assert result["judged-faithfulness"].value == 0.5
    assert ollama.bodies[0]["model"] == "qwen3"


def test_an_address_in_python_has_its_model_in_brackets(ollama: Wired, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAGAUGE_JUDGE_MODEL", raising=False)
    ollama.reply = lambda body: of_ollama('{"rating": 2}')
    judge = f"{ollama.url}[model=qwen3,timeout=9]"
    result = ragauge.evaluate(ROWS, "judged-groundedness-rating", judge=judge, resamples=0)
    assert result["judged-groundedness-rating"].value == 1.0
    kinds = {
        ollama.url: "chat",
        "http://h/v1": "chat",
        "http://h/v1/systemone": "decisions",
        "http://h/decisions": "decisions",
    }
    for url, kind in kinds.items():
        with pytest.raises(UsageError, match=rf"is an address; write judge='{kind}\[url={url},model=NAME\]"):
            ragauge.evaluate(ROWS, "judged-groundedness-rating", judge=url)
