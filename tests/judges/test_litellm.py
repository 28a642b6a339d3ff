"""Judges behind the proxy of LiteLLM, which asks a server on this machine."""

from __future__ import annotations

import json
import math
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

import ragauge
from ragauge.judges import Session
from ragauge.judges.chat import Chat
from tests.metrics.judged.test_small_model import wait_until_ready

from .conftest import ChatServer, chat_answer

REASON = "the proxy of LiteLLM: pip install 'litellm[proxy]'"
KEY = "sk-proxy-1234567"
ROWS = [
    {"id": str(place), "question": "What is tea?", "answer": f"Tea {place} is hot.", "contexts": [f"Tea {place}."]}
    for place in range(6)
]


@pytest.fixture(scope="module")
def upstream() -> Iterator[HTTPServer]:
    with HTTPServer(threaded=True) as http:
        yield http


@pytest.fixture(scope="module")
def url(upstream: HTTPServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a proxy, whose model asks ``upstream``."""
    if find_spec("litellm") is None or find_spec("apscheduler") is None:
        pytest.skip(REASON)
    config = tmp_path_factory.mktemp("proxy") / "config.yaml"
    model = {"model": "openai/upstream", "api_base": upstream.url_for("/v1"), "api_key": "sk-upstream"}
    # It reads YAML, of which JSON is a part.
    settings = {
        "model_list": [{"model_name": "judge", "litellm_params": {**model, "max_retries": 0}}],
        "litellm_settings": {"num_retries": 0, "telemetry": False},
        "router_settings": {"num_retries": 0, "disable_cooldowns": True},
        "general_settings": {"master_key": KEY},
    }
    config.write_text(json.dumps(settings), encoding="utf-8")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    program = Path(sys.executable).with_name("litellm")
    with subprocess.Popen(
        [program, "--config", config, "--host", "127.0.0.1", "--port", str(port)],
        env={**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}, cwd=config.parent,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        try:
            wait_until_ready(f"http://127.0.0.1:{port}/health/liveliness", seconds=240)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.kill()


@pytest.fixture
def server(url: str, upstream: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> ChatServer:
    assert url
    monkeypatch.setenv("RAGAUGE_JUDGE_API_KEY", KEY)
    upstream.clear()
    return ChatServer(upstream)


def scored(url: str, metric: str = "judged-groundedness-rating", session: Session | None = None) -> Any:
    judge = Chat(url=url, model="judge", retries=1, parallel=4)
    return ragauge.evaluate(ROWS, metric, judge=judge, session=session, resamples=0)


def says(reply: Any, _body: Any, _turn: int) -> Any:
    return chat_answer(reply)


def test_a_run_and_the_same_again(server: ChatServer, url: str, tmp_path: Path) -> None:
    cases = (
        ("judged-faithfulness", {"claims": [{"claim": 1, "passages": [1]}]}, 1.0),
        ("judged-groundedness-rating", {"rating": 1}, 0.5),
    )
    for metric, reply, value in cases:
        server.reply = partial(says, reply)
        for asked in (6, 0):
            server.bodies.clear()
            with Session(tmp_path / "judge.sqlite") as session:
                result = scored(url, metric, session)
            assert (result.table[0].value, result.table[0].scored) == (value, 6)
            assert len(server.bodies) == asked
            assert session.tally.total.prompt_tokens == 11 * asked
    assert {headers["Authorization"] for headers in server.headers} == {"Bearer sk-upstream"}


def token(text: str, **alternatives: float) -> dict[str, Any]:
    """Return a token in the whole form of OpenAI, which the proxy checks; ``_2`` is the alternative ``2``."""
    tops = {name.removeprefix("_"): math.log(share) for name, share in alternatives.items()}
    listed = [{"token": name, "logprob": one, "bytes": list(name.encode())} for name, one in tops.items()]
    return {"token": text, "logprob": 0.0, "bytes": list(text.encode()), "top_logprobs": listed}


def test_form_seed_and_label_probabilities_come_through(server: ChatServer, url: str) -> None:
    def reply(_body: Any, _turn: int) -> Any:
        answer = chat_answer({"rating": 2})
        answer["choices"][0]["logprobs"] = {"content": [token('{"rating": '), token("2", _2=0.5, _0=0.5), token("}")]}
        return answer

    server.reply = reply
    result = scored(url)
    # The mean of 2 and 0, as a share of 2, and not the 2 that was written.
    assert result.table[0].value == 0.5
    assert "output=json_schema" in result.table[0].signature
    assert {body["seed"] for body in server.bodies} == {0}
    assert {body["response_format"]["type"] for body in server.bodies} == {"json_schema"}


def test_a_stream_that_was_asked_for_is_joined(server: ChatServer, url: str, tmp_path: Path) -> None:
    def reply(body: Any, _turn: int) -> Any:
        assert body["stream"]
        head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        deltas: list[Any] = [{"role": "assistant", "content": '{"rating"'}, {"content": ": 1}"}, {}]
        chunks = [
            {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None if delta else "stop"}]}
            for delta in deltas
        ]
        body = "".join([*(f"data: {json.dumps(one)}\n\n" for one in chunks), "data: [DONE]\n\n"])
        return 200, body.encode(), {"Content-Type": "text/event-stream"}

    server.reply = reply
    extra = tmp_path / "extra.json"
    extra.write_text(json.dumps({"body": {"stream": True, "logprobs": None}}), encoding="utf-8")
    judge = Chat(url=url, model="judge", retries=0, parallel=4, extra=str(extra))
    result = ragauge.evaluate(ROWS, "judged-groundedness-rating", judge=judge, resamples=0)
    assert (result.table[0].value, result.table[0].scored) == (0.5, 6)


def test_a_parameter_that_the_server_refuses_is_left_out(server: ChatServer, url: str) -> None:
    error = {"message": "Unsupported parameter: 'seed'", "type": "invalid_request_error", "param": "seed"}
    server.reply = lambda body, _turn: (400, {"error": error}, {}) if "seed" in body else chat_answer({"rating": 2})
    result = scored(url)
    assert result.table[0].scored == 6
    assert "refused=seed" in result.table[0].signature
    assert len(server.bodies) == 7


@pytest.mark.parametrize(
    ("status", "error", "reason"),
    [
        (400, {"message": "maximum context length is 10 tokens", "code": "context_length_exceeded"}, "too-long: "),
        # The proxy leaves the code content_filter out; the words are those of Azure and of OpenAI.
        (400, {"message": "The response was filtered due to our content management policy."}, "content-filter: "),
        (400, {"message": "It was rejected as a result of our safety system."}, "content-filter: "),
        (500, {"message": "out of order"}, "http-500: "),
    ],
)
def test_errors_of_the_server_behind_it_are_told(
    server: ChatServer, url: str, status: int, error: Any, reason: str
) -> None:
    def reply(body: Any, _turn: int) -> Any:
        is_bad = "Tea 3 is hot" in json.dumps(body)
        return (status, {"error": {"type": "x", **error}}, {}) if is_bad else chat_answer({"rating": 2})

    server.reply = reply
    result = scored(url)
    assert (result.table[0].scored, result.table[0].failed) == (5, 1)
    [told] = result.reasons("judged-groundedness-rating").values()
    assert told.startswith(reason), told


def test_a_wrong_key_reaches_no_server_and_is_not_shown(
    server: ChatServer, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGAUGE_JUDGE_API_KEY", "sk-other-7654321")
    result = scored(url)
    assert (result.table[0].failed, server.bodies) == (6, [])
    # A proxy without a database says so to any key that is not its own.
    reasons = result.reasons("judged-groundedness-rating")
    assert all("No connected db" in reason and "7654321" not in reason for reason in reasons.values())
