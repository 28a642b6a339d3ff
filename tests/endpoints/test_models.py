"""The models that a server lists: one is taken with a note, several are an error that names them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

import ragauge
from ragauge.endpoints.endpoint import Endpoint
from ragauge.endpoints.models import only_model
from ragauge.errors import UsageError
from ragauge.systems.http import HttpSystem
from tests.cli.running import Done, here, write_rows

Captured = pytest.CaptureFixture[str]
ROWS = [
    {"id": "zh", "question": "茶是什么？", "answer": "饮料。", "references": ["一种饮料。"], "contexts": ["茶是饮料。"]}
]


@pytest.fixture(scope="module")
def listening() -> Iterator[HTTPServer]:
    with HTTPServer(threaded=True) as http:
        yield http


@pytest.fixture
def server(listening: HTTPServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HTTPServer:
    """A server that chats and embeds; `listing` says which models it lists."""
    listening.clear()
    monkeypatch.chdir(tmp_path)
    write_rows(tmp_path / "data.jsonl", ROWS)
    said = {"role": "assistant", "content": json.dumps({"rating": 2})}
    chat = {"choices": [{"finish_reason": "stop", "message": said}]}
    listening.expect_request("/v1/chat/completions").respond_with_json(chat)
    listening.expect_request("/v1/embeddings").respond_with_handler(_embedded)
    return listening


def _embedded(request: Request) -> Response:
    texts = request.get_json()["input"]
    data = [{"index": place, "embedding": [1.0, len(text)]} for place, text in enumerate(texts)]
    return Response(json.dumps({"data": data}), content_type="application/json")


def listing(server: HTTPServer, *models: Any) -> str:
    entries = [one if isinstance(one, dict) else {"id": one, "object": "model"} for one in models]
    server.expect_request("/v1/models", method="GET").respond_with_json({"object": "list", "data": entries})
    return server.url_for("/v1")


def paths(server: HTTPServer) -> list[str]:
    return [request.path for request, _ in server.log]


def endpoint(url: str, **options: Any) -> Endpoint:
    return Endpoint(f"{url}/chat/completions", None, 5.0, 0, "judge 'chat'", **options)


@pytest.mark.parametrize(
    ("models", "embeds", "taken"),
    [
        (["qwen3"], False, "qwen3"),
        (["bge-m3"], True, "bge-m3"),
        (["qwen3", "nomic-embed-text"], True, "nomic-embed-text"),
        (["qwen3", {"id": "bge-m3", "type": "embeddings"}], True, "bge-m3"),
        ([], False, ""),
    ],
)
def test_the_only_model_is_taken(server: HTTPServer, models: list[Any], embeds: bool, taken: str) -> None:
    notes: list[str] = []
    url = listing(server, *models)
    assert only_model(endpoint(url), str, notes.append, embeds=embeds) == taken
    expected = [f"no model is named; {url} has {taken}, which is taken"] if taken else []
    assert list(map(str, notes)) == expected


@pytest.mark.parametrize(
    ("embeds", "words"),
    [
        (False, "3 models: embed-a, 千问, embed-b; name one of them: use 千问"),
        (True, "2 models: embed-a, embed-b; name one of them: use embed-a"),
    ],
)
def test_several_are_named_with_the_line_to_type(server: HTTPServer, embeds: bool, words: str) -> None:
    url = listing(server, "embed-a", "千问", "embed-b")
    with pytest.raises(UsageError) as error:
        only_model(endpoint(url), lambda name: f"use {name}", print, embeds=embeds)
    assert str(error.value) == f"{url} has {words}"


@pytest.mark.parametrize("body", [b"<html>", b"[]", b'{"data": 3}', b'{"data": [{"name": "m"}]}', b""])
def test_another_reply_is_no_list(server: HTTPServer, body: bytes) -> None:
    server.expect_request("/v1/models").respond_with_data(body)
    assert only_model(endpoint(server.url_for("/v1")), str, print) == ""


def test_nobody_there_and_another_server_are_no_list(server: HTTPServer) -> None:
    assert only_model(endpoint("http://127.0.0.1:9/v1"), str, print) == ""
    server.expect_request("/v1/models").respond_with_data(b"", 302, {"Location": "http://127.0.0.1:9/v1/models"})
    assert only_model(endpoint(server.url_for("/v1"), headers=(("X-Key", "tiger-123"),)), str, print) == ""


def score(capsys: Captured, *more: str) -> Done:
    return here(capsys, "score", "data.jsonl", "--output-format", "json", "--judge-cache", "none", *more)


JUDGED = ("-m", "judged-groundedness-rating")


def test_a_judge_is_signed_as_if_its_model_were_typed(server: HTTPServer, capsys: Captured) -> None:
    url = listing(server, "千问")
    typed = score(capsys, *JUDGED, "--judge", url, "--judge-model", "千问")
    assert "/v1/models" not in paths(server)
    found = score(capsys, *JUDGED, "--judge", url)
    assert found.err.startswith(f"no model is named; {url} has 千问, which is taken\n")
    [one], [other] = typed.json["metrics"], found.json["metrics"]
    assert (one["value"], one["signature"]) == (other["value"], other["signature"])
    assert "model=千问" in other["signature"]


@pytest.mark.parametrize("limit", [["--dry-run"], ["--max-calls", "0"], ["--max-cost", "1"]])
def test_a_run_that_may_send_nothing_does_not_ask_for_the_list(
    server: HTTPServer, capsys: Captured, limit: list[str]
) -> None:
    url = listing(server, "m")
    done = score(capsys, *JUDGED, "--judge", url, *limit)
    assert (done.code, paths(server)) == (2, [])
    assert "--judge URL needs --judge-model NAME" in done.err
    if limit == ["--dry-run"]:
        done = score(capsys, "-m", "semantic-similarity", "--embedder", url, *limit)
        assert (done.code, paths(server)) == (2, []), done.err


def test_an_embedder_is_signed_as_if_its_model_were_typed(server: HTTPServer, capsys: Captured) -> None:
    url = listing(server, "qwen3", "embed-a")
    typed = score(capsys, "-m", "semantic-similarity", "--embedder", f"http[url={url},model=embed-a]")
    found = score(capsys, "-m", "semantic-similarity", "--embedder", url)
    assert found.code == 0, found.err
    assert found.json["metrics"] == typed.json["metrics"]
    assert "has embed-a, which is taken" in found.err


def test_a_system_is_named_as_if_its_model_were_typed(server: HTTPServer, caplog: pytest.LogCaptureFixture) -> None:
    url = listing(server, "千问")
    results = [
        ragauge.evaluate(["茶？"], metrics=["distinct-1"], system=system)
        for system in (url, HttpSystem(url=url, model="千问"))
    ]
    names = [[note for note in result.data.notes if "answers of" in note] for result in results]
    assert names[0] == names[1] != []
    assert "has 千问, which is taken" in caplog.text


def test_a_system_with_several_models_is_told_what_to_type(server: HTTPServer) -> None:
    url = listing(server, "a", "b")
    with pytest.raises(UsageError, match=rf"has 2 models: a, b; .*--system {url} --system-model a, or model= in"):
        ragauge.evaluate(["茶？"], system=url)


@pytest.mark.parametrize("path", ["/ask", "/v1/chat-messages", "/api/v1/chat/completions"])
def test_addresses_of_other_protocols_are_not_asked_for_models(server: HTTPServer, path: str) -> None:
    listing(server, "m")
    system = HttpSystem(url=server.url_for(path))
    assert system.with_model() is system
    body = HttpSystem(url=server.url_for("/v1"), body='{"q": "{question}"}')
    assert body.with_model() is body
    assert paths(server) == []


def test_the_server_of_settings_is_not_asked_before_they_are_trusted(server: HTTPServer, capsys: Captured) -> None:
    url = listing(server, "m").replace("localhost", "tea.invalid")
    Path("ragauge.toml").write_text(f'[score]\njudge = "{url}"\nmetrics = ["judged-groundedness-rating"]\n')
    done = score(capsys)
    assert (done.code, paths(server)) == (2, [])
    assert url in done.err
    assert "RAGAUGE_TRUSTED" in done.err
