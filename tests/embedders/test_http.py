"""Embeddings from a server, with all that can go wrong: a real server on this machine."""

import socket
import threading
import time
from contextlib import suppress
from email.utils import formatdate
from typing import Any

import numpy as np
import pytest

from ragauge.errors import OptionError, UsageError
from tests.embedders.counting import made


def embedder(server: Any, **options: Any) -> Any:
    given = {"url": server.url, "model": "m", **options}
    return made(f"http[{','.join(f'{key}={value}' for key, value in given.items())}]")


def test_texts_are_sent_in_batches_and_come_back_in_order(server: Any) -> None:
    texts = ["x" * size for size in range(1, 11)]
    vectors = embedder(server, batch=3).encode(texts, "query")
    assert vectors.values.tolist() == [[size, 1] for size in range(1, 11)]
    assert sorted(len(body["input"]) for _, _, body in server.requests) == [1, 3, 3, 3]
    path, headers, body = server.requests[0]
    assert (path, body["model"], body["encoding_format"]) == ("/v1/embeddings", "m", "float")
    assert "Authorization" not in headers


def test_the_key_comes_from_the_environment_only(server: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("SOME_KEY", "secret")
    asked = embedder(server, key="SOME_KEY")
    asked.encode(["a"], "query")
    assert server.requests[0][1]["Authorization"] == "Bearer secret"
    assert "secret" not in asked.signature + str(asked) + repr(asked)
    with pytest.raises(UsageError, match="OTHER_KEY"):
        embedder(server, key="OTHER_KEY").encode(["a"], "query")


def test_prompts_are_put_before_texts(server: Any) -> None:
    asked = embedder(server, query='"query: "', passage='"passage: "')
    asked.encode(["a"], "query")
    asked.encode(["b"], "passage")
    assert [body["input"] for _, _, body in server.requests] == [["query: a"], ["passage: b"]]
    assert not asked.symmetric


@pytest.mark.parametrize("code", [429, 500, 503])
def test_what_is_refused_for_now_is_sent_again(server: Any, waits: Any, code: Any) -> None:
    server.answer = lambda handler, texts, turn: handler.vectors(texts) if turn > 2 else handler.reply(code, {})
    assert not embedder(server).encode(["a"], "query").failures
    assert waits == [0.5, 1.0]


@pytest.mark.parametrize(("retries", "failed"), [(0, 1), (1, 1), (2, 0)])
def test_the_answer_to_the_last_retry_counts(server: Any, waits: Any, retries: int, failed: int) -> None:
    server.answer = lambda handler, texts, turn: handler.vectors(texts) if turn == 3 else handler.reply(500, {})
    vectors = embedder(server, retries=retries).encode(["a"], "query")
    assert (len(vectors.failures), len(waits), len(server.requests)) == (failed, retries, retries + 1)


@pytest.mark.parametrize(
    ("asked", "low", "high"), [("3", 3, 3), ("1e9", 60, 60), ("nonsense", 0.5, 0.5), ("date", 5, 10)]
)
def test_the_server_says_how_long_to_wait(server: Any, waits: Any, asked: Any, low: Any, high: Any) -> None:
    value = formatdate(time.time() + 10, usegmt=True) if asked == "date" else asked
    refuse = [("Retry-After", value)]
    server.answer = lambda handler, texts, turn: handler.vectors(texts) if turn > 1 else handler.reply(429, {}, refuse)
    embedder(server).encode(["a"], "query")
    assert low <= waits[0] <= high


def test_texts_without_an_answer_fail_alone(server: Any, waits: Any) -> None:
    server.answer = lambda handler, texts, _: handler.reply(500, b"broken") if "b" in texts else handler.vectors(texts)
    vectors = embedder(server, batch=1, retries=2).encode(["a", "b", "c"], "query")
    assert list(vectors.failures) == [1]
    assert "answered 500: broken" in vectors.failures[1]
    assert len(waits) == 2
    assert np.isnan(vectors.cosine(np.array([0]), np.array([1]))).all()


def test_a_batch_that_is_refused_for_good_is_sent_text_by_text(server: Any, waits: Any) -> None:
    too_long = {"error": "input is too long"}
    server.answer = lambda handler, texts, _: (
        handler.reply(400, too_long) if any(len(text) > 5 for text in texts) else handler.vectors(texts)
    )
    vectors = embedder(server).encode(["a", "too long", "c"], "query")
    assert list(vectors.failures) == [1]
    assert "too long" in vectors.failures[1]
    assert waits == []


@pytest.mark.costly
def test_an_answer_that_does_not_come_in_time(server: Any, waits: Any) -> None:
    answered = threading.Event()
    server.answer = lambda handler, texts, turn: answered.wait(60) if turn == 1 else handler.vectors(texts)
    assert not embedder(server, timeout=2).encode(["a"], "query").failures
    assert waits == [0.5]
    answered.set()


@pytest.mark.parametrize("code", [200, 500])
@pytest.mark.parametrize("begin", [b"HTTP/1.0 {code} OK\r\nX: ", b"HTTP/1.0 {code} OK\r\n\r\n"], ids=["head", "body"])
def test_an_answer_that_comes_byte_by_byte_has_no_more_time(server: Any, begin: bytes, code: int) -> None:
    def drip(handler: Any, _texts: Any, _turn: int) -> None:
        handler.wfile.write(begin.replace(b"{code}", b"%d" % code))
        with suppress(OSError):
            for _ in range(200):
                handler.wfile.write(b"1")
                threading.Event().wait(0.05)

    server.answer = drip
    started = time.monotonic()
    vectors = embedder(server, timeout=0.4, retries=0).encode(["a"], "query")
    assert time.monotonic() - started < 5
    expected = "answered 500" if code == 500 and begin.endswith(b"\n") else "timed out"
    assert expected in vectors.failures[0]


def test_a_server_that_is_not_there(waits: Any) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    vectors = made(f"http[url=http://127.0.0.1:{port},model=m,retries=1]").encode(["a"], "query")
    assert "no answer from" in vectors.failures[0]


@pytest.mark.parametrize("code", [401, 403, 404])
def test_a_wrong_key_or_model_stops_at_once(server: Any, waits: Any, code: Any) -> None:
    server.answer = lambda handler, texts, _: handler.reply(code, {"error": "no"})
    with pytest.raises(UsageError, match=f"answered {code}.*url, model and key"):
        embedder(server).encode(["a", "b"], "query")
    assert waits == []


@pytest.mark.parametrize(
    ("odd", "said"),
    [([1.0], "1 numbers where others have 2"), ([], "0 numbers"), ([float("nan"), 1], "NaN"), ([None, 1], "NaN")],
)
def test_an_odd_vector_fails_alone(server: Any, odd: Any, said: Any) -> None:
    server.answer = lambda handler, texts, _: handler.vectors(texts, lambda text: odd if text == "odd" else [2.0, 1.0])
    vectors = embedder(server).encode(["a", "odd", "b"], "query")
    assert list(vectors.failures) == [1]
    assert said in vectors.failures[1]


@pytest.mark.parametrize(
    "content",
    [
        b"[" * 100_000,
        {"data": [{"embedding": "12"}, {"embedding": "34"}]},
        b"<html>",
        {},
        {"data": []},
        {"data": [{"index": 5, "embedding": [1]}]},
        {"data": [{"embedding": "x"}]},
        [1],
    ],
)
def test_an_answer_that_is_none_fails(server: Any, waits: Any, content: Any) -> None:
    server.answer = lambda handler, texts, _: handler.reply(200, content)
    vectors = embedder(server).encode(["a", "b"], "query")
    assert sorted(vectors.failures) == [0, 1]


@pytest.mark.parametrize("index", [None, "0", [None, 1], ["1", "0"]])
def test_vectors_that_are_numbered_oddly_or_not_at_all(server: Any, index: Any) -> None:
    numbers = index if isinstance(index, list) else [index, None]
    items = [{"index": number, "embedding": [place, 1]} for place, number in enumerate(numbers)]
    server.answer = lambda handler, _texts, _turn: handler.reply(200, {"data": items})
    vectors = embedder(server).encode(["a", "b"], "query")
    assert not vectors.failures
    assert vectors.values[:, 0].tolist() == ([1, 0] if index == ["1", "0"] else [0, 1])


@pytest.mark.parametrize(
    ("index", "number", "said"),
    [
        ([0, 0], 1.0, "must number each vector from 0 on; got 7"),
        (["a", "b"], 1.0, "the form of"),
        ([0, 1], 10**400, "form of /embeddings"),
    ],
)
def test_numbers_that_cannot_be_read(server: Any, index: Any, number: Any, said: Any) -> None:
    def answer(handler: Any, texts: Any, _turn: Any) -> None:
        places = index if len(texts) > 1 else [7 if index == [0, 0] else index[0]]
        handler.reply(200, {"data": [{"index": place, "embedding": [number]} for place in places]})

    server.answer = answer
    vectors = embedder(server).encode(["a", "b"], "query")
    assert sorted(vectors.failures) == [0, 1]
    assert said in vectors.failures[0]


def test_no_texts_ask_nothing(server: Any) -> None:
    assert len(embedder(server).encode([], "query")) == 0
    assert server.requests == []


@pytest.mark.parametrize(
    "options",
    ["", "url=localhost,model=m", "url=http://x", "url=http://x,model=m,batch=0", "url=http://x,model=m,timeout=0"],
)
def test_wrong_options_are_said(options: Any) -> None:
    with pytest.raises(OptionError, match="must be"):
        made(f"http[{options}]" if options else "http")
