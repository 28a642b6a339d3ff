"""The API key goes to one server only, and no password or key reaches a message, a signature or a saved run."""

from __future__ import annotations

import json
from typing import Any

import pytest

import ragauge
from ragauge.errors import OptionError, UsageError
from tests.approved import pattern
from tests.embedders.counting import made

KEY = "sk-a/b+c=d"


@pytest.fixture
def embedder(server: Any, monkeypatch: Any) -> Any:
    monkeypatch.setenv("SOME_KEY", KEY)
    return made(f"http[url={server.url},model=m,key=SOME_KEY,retries=0]")


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_no_redirect_to_another_server_is_followed(server: Any, other_server: Any, embedder: Any, code: int) -> None:
    target = f"http://me:sk-a@127.0.0.1:{other_server.server_address[1]}/v1/embeddings?key={KEY}"
    server.answer = lambda handler, texts, _: handler.reply(code, {}, [("Location", target)])
    with pytest.raises(UsageError, match=r"redirects to http://127\.0\.0\.1:\d+\. Nothing was sent there\.") as error:
        embedder.encode(["a"], "query")
    assert other_server.requests == []
    assert len(server.requests) == 1
    assert "sk-" not in str(error.value)


@pytest.mark.parametrize("target", ["https://127.0.0.1:{port}/v1", "http://localhost:{port}/v1", "ftp://127.0.0.1/"])
def test_another_scheme_or_host_is_another_server(server: Any, embedder: Any, target: str) -> None:
    location = target.format(port=server.server_address[1])
    server.answer = lambda handler, texts, _: handler.reply(302, {}, [("Location", location)])
    with pytest.raises(UsageError, match="redirects to"):
        embedder.encode(["a"], "query")
    assert len(server.requests) == 1


@pytest.mark.parametrize("code", [301, 302, 307, 308])
def test_a_redirect_within_the_server_keeps_the_request(server: Any, embedder: Any, code: int) -> None:
    moved = [("Location", "/v1/embeddings/")]
    server.answer = lambda handler, texts, turn: handler.vectors(texts) if turn > 1 else handler.reply(code, {}, moved)
    assert not embedder.encode(["a"], "query").failures
    assert [(path, body["input"]) for path, _, body in server.requests] == [
        ("/v1/embeddings", ["a"]),
        ("/v1/embeddings/", ["a"]),
    ]
    assert server.requests[1][1]["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("location", ["http://[", "http://host:port/", "/v1/embeddings", "\x7f", ""])
def test_odd_redirects_fail(server: Any, embedder: Any, location: str) -> None:
    server.answer = lambda handler, texts, _: handler.reply(302, {}, [("Location", location)])
    with pytest.raises(UsageError, match="redirects to"):
        raise UsageError(f"redirects to: {embedder.encode(['a'], 'query').failures[0]}")


ECHOES = [KEY, f"wrong key: {KEY}", "x" * 195 + KEY, KEY.replace("/", "%2F"), json.dumps({"error": KEY})]


@pytest.mark.parametrize("code", [400, 401, 500])
@pytest.mark.parametrize("echo", ECHOES)
def test_a_key_that_a_server_repeats_is_masked(server: Any, embedder: Any, code: int, echo: str) -> None:
    server.answer = lambda handler, texts, _: handler.reply(code, echo.encode())
    message = message_of(embedder)
    assert f"answered {code}" in message
    assert "sk-" not in message


@pytest.mark.parametrize("vector", [[f"Bearer {KEY}"], KEY, {KEY: 1}])
@pytest.mark.parametrize("index", [0, KEY])
def test_a_key_in_a_vector_is_masked(server: Any, embedder: Any, vector: Any, index: Any) -> None:
    server.answer = lambda handler, texts, _: handler.reply(200, {"data": [{"index": index, "embedding": vector}]})
    message = message_of(embedder)
    assert "not have the form of /embeddings" in message
    assert "sk-" not in message


def test_a_key_in_a_line_of_status_is_masked(server: Any, embedder: Any) -> None:
    server.answer = lambda handler, texts, _: handler.wfile.write(f"no HTTP {KEY}\r\n\r\n".encode())
    message = message_of(embedder)
    assert "no answer" in message
    assert "sk-" not in message


def message_of(embedder: Any) -> str:
    try:
        return str(embedder.encode(["a"], "query").failures[0])
    except UsageError as error:
        return str(error)


PASSWORDS = ["http://me:tiger@host/v1", "http://tiger@host/v1", "http://me:a/tiger@host/v1", "http://host/v1?key=tiger"]


@pytest.mark.parametrize("url", [*PASSWORDS, "ftp://me:tiger@host"])
@pytest.mark.parametrize(
    "spec", ['http[url="{}",model=m]', "http[url={},model=m", "{}", 'http[url=http://h,model="{}",x=1]']
)
def test_an_address_with_a_password_is_refused_and_not_shown(url: str, spec: str) -> None:
    with pytest.raises(UsageError) as error:
        made(spec.format(url))
    assert "tiger" not in str(error.value)


def test_an_address_with_a_fragment_is_refused() -> None:
    with pytest.raises(UsageError, match=pattern("embedders.option_url_of_embedder_http_must_be")):
        made("http[url=http://host/v1#part,model=m]")


@pytest.mark.parametrize(
    "url", ["http://host:port", "http://", "http://ho st", "http://host/é", "http://[", "x", "http://h:0"]
)
def test_an_address_that_cannot_be_sent_is_refused(url: str) -> None:
    with pytest.raises(OptionError, match="must be an address such as"):
        made(f'http[url="{url}",model=m]')


@pytest.mark.parametrize("key", ["sk-proj-123", "ey.J0", "0123abcd"])
def test_a_key_in_the_place_of_its_name_is_not_shown(key: str) -> None:
    with pytest.raises(OptionError, match=pattern("embedders.option_key_of_embedder_http_must_be")) as error:
        made(f"http[url=http://host,model=m,key={key}]")
    assert key not in str(error.value)


def test_a_key_that_looks_like_a_name_is_not_shown() -> None:
    with pytest.raises(UsageError, match="is not set") as error:
        made("http[url=http://host,model=m,key=abcdef0123]").encode(["a"], "query")
    assert "abcdef" not in str(error.value)


@pytest.mark.parametrize("value", ["sk\nInjected: 1", "schlüssel", "  "])
def test_a_key_that_no_header_can_hold(server: Any, embedder: Any, monkeypatch: Any, value: str) -> None:
    monkeypatch.setenv("SOME_KEY", value)
    with pytest.raises(UsageError, match="environment variable 'SOME_KEY'") as error:
        embedder.encode(["a"], "query")
    assert value not in str(error.value)
    assert server.requests == []


def test_a_line_end_after_the_key_is_not_sent(server: Any, embedder: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("SOME_KEY", f"{KEY}\n")
    assert not embedder.encode(["a"], "query").failures
    assert server.requests[0][1]["Authorization"] == f"Bearer {KEY}"


def test_a_saved_run_and_its_cache_hold_no_key(server: Any, embedder: Any, tmp_path: Any) -> None:
    server.answer = lambda handler, texts, turn: (
        handler.vectors(texts) if "right" in texts else handler.reply(400, f"bad: {KEY}".encode())
    )
    rows = [{"answer": "right", "references": ["right"]}, {"answer": "wrong", "references": ["wrong"]}]
    metric = f"semantic-similarity:embedder={embedder}"
    result = ragauge.evaluate(rows, metric, embedding_cache=tmp_path / "cache", resamples=0)
    result.save(tmp_path / "run")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 2
    assert not [path for path in files if b"sk-a" in path.read_bytes()]
