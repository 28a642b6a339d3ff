"""What a server, an address or a function of the user writes reaches no run, message or file with a secret in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import ragauge
from ragauge.cli.judging import judge_text
from ragauge.errors import UsageError
from ragauge.judges import Answer, FunctionJudge, JudgeBase, NoAnswer, Question, Session, get
from tests.cli.running import here, write_rows

from .conftest import ChatServer, chat_answer, no_complaint, question

KEY = "sk-a/b+c=d"
METRIC = "judged-faithfulness"
ROWS = [{"id": "1", "question": "q?", "answer": "It rained.", "contexts": ["It rained."]}]


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGAUGE_JUDGE_API_KEY", KEY)


BODIES = [
    b'\xff{"choices": "Bearer sk-a/b+c=d"}' + b"x" * 3_000_000,
    b'{"choices": [{"sk-a/b+c=d": 1}',
    b'{"choices": {"sk-a\\/b+c=d": {}}}',
    b'{"choices": "sk-a/b+c=d"}',
    b"Bearer sk-a/b+c=d",
    b'"' + b"x" * 190 + b"sk-a/b+c=d",
    json.dumps(chat_answer("no JSON: " + "x" * 185 + KEY)).encode(),
    json.dumps(chat_answer(None, refusal=f"no: {KEY}")).encode(),
    json.dumps(chat_answer({KEY: 1, "n": KEY})).encode(),
]


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("status", [200, 400, 500])
def test_a_key_in_a_body_reaches_no_reason(server: ChatServer, waits: list[float], body: bytes, status: int) -> None:
    server.reply = lambda _body, turn: (status, body, {})
    reply = server.asked(retries=0)
    assert reply.status == "failed"
    assert "sk-" not in reply.reason
    assert len(reply.reason) < 1100


def test_a_key_in_a_body_reaches_no_run(
    server: ChatServer, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.reply = lambda _body, turn: BODIES[0]
    write_rows(tmp_path / "data.jsonl", ROWS)
    monkeypatch.chdir(tmp_path)
    judge = ("--judge", server.url, "--judge-model", "m", "--judge-cache", "cache")
    done = here(capsys, "score", "data.jsonl", "-m", METRIC, *judge, "--per-sample", "scores.jsonl", "-o", "run")
    assert done.code == 4
    printed = done.out + done.err
    assert "no-answer" in printed
    written = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) > 3
    assert not [data for data in [printed.encode(), *written] if b"sk-a" in data]
    assert max(map(len, [printed.encode(), *written])) < 300_000


@pytest.mark.parametrize(
    "location",
    [
        f"https://{KEY}/v1",
        f"https://{KEY}@other/v1",
        f"//{KEY}",
        "https://sk-a%2Fb%2Bc%3Dd/",
        "https://sk-a%252Fb%25252Bc%3Dd/",
        f"https://o/?key={KEY}",
    ],
)
def test_a_key_in_a_redirect_is_masked(server: ChatServer, location: str) -> None:
    server.reply = lambda _body, turn: (302, b"", {"Location": location})
    with pytest.raises(UsageError, match="redirects to") as error:
        server.asked()
    assert "sk-" not in str(error.value).lower()


@pytest.mark.parametrize(
    "rest",
    ["#key=SECRET", "?key=SECRET", "?api-version=1&key=SECRET", "?api-version=1#SECRET", "?api-version=1;key=SECRET",
     "?key=SECRET?api-version=1", "?api-version=1?api-version=SECRET"],
)  # fmt: skip
def test_secrets_behind_an_address_are_not_repeated(rest: str) -> None:
    with pytest.raises(UsageError, match=r"option 'url' of judge 'chat' must be an address.*/v1[?#]\*\*\*") as error:
        get(str(judge_text({"judge": f"https://host/v1{rest}", "judge_model": "m"})))
    assert "SECRET" not in str(error.value)


@pytest.mark.parametrize("key", ["none", "test", "EMPTY", "sk", "a", "ollama", "lm-studio", "not-needed", "2023-06-01"])
def test_a_key_that_is_a_word_changes_no_reply(server: ChatServer, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    words = "None of them: a test of Ollama in LM-Studio is not-needed, 空 EMPTY 2023-06-01, task"
    monkeypatch.setenv("RAGAUGE_JUDGE_API_KEY", key)
    schema = {"type": "object", "properties": {"claims": {"type": "array"}}, "required": ["claims"]}
    server.reply = lambda body, turn: chat_answer({"claims": [words, key]})
    asked = Question(prompt="p", version="1", messages=(("user", "?"),), schema=schema)
    [reply] = server.judge().ask([asked], no_complaint)
    assert reply.value == {"claims": [words, key]}
    # An error shows no key, however short.
    server.reply = lambda body, turn: (418, f"wrong key <{key}>".encode(), {})
    assert server.asked().reason.endswith("<***>") or key == "a"


@pytest.mark.parametrize(
    "key", ["sk-1234567", "sk-abcdef", "abcdefghijklmnopqrstuv", "tiger-a/b+c=d", "12345678901234567890"]
)
def test_a_key_that_no_text_has_by_chance_is_masked_in_replies(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("RAGAUGE_JUDGE_API_KEY", key)
    server.reply = lambda body, turn: chat_answer({"n": 1, "said": key})
    assert server.asked().value == {"n": 1, "said": "***"}


def test_the_words_of_a_function_are_an_excerpt() -> None:
    def function(messages: Any) -> str:
        raise ValueError(f"POST http://me:tiger@host/v1?key=tiger {'x' * 5000}")

    [reply] = FunctionJudge(function, "loud").ask([question("a")], no_complaint)
    assert reply.reason.startswith("no-answer: ValueError: POST http://***@host/v1?*** xxx")
    assert len(reply.reason) < 300


class Wordy(JudgeBase):
    parallel = 1
    signature = "wordy"

    def answer(self, request: Any) -> Answer:  # noqa: ARG002 - the protocol has it
        raise NoAnswer("no-answer", f"http://me:tiger@host/ {'x' * 5000}", alone=True)


def test_the_words_of_a_judge_of_ones_own_are_an_excerpt() -> None:
    [reply] = Wordy().ask([question("a")], no_complaint)
    assert "tiger" not in reply.reason
    assert len(reply.reason) < 1100


HUGE = [b"1" * 400, b"-" + b"1" * 400, b"1" * 5000, b"[" + b"1" * 400 + b"]", b"1e400"]


@pytest.mark.parametrize("number", HUGE)
def test_a_huge_number_is_a_malformed_reply_now_and_from_the_cache(
    server: ChatServer, tmp_path: Path, number: bytes
) -> None:
    server.reply = lambda body, turn: chat_answer('{"n": ' + number.decode() + "}")
    for requests in (2, 0):
        with Session(tmp_path / "judge.sqlite") as session:
            [reply] = server.judge().ask([question("a")], no_complaint, session)
        assert (reply.code, reply.requests) == ("malformed", requests)


def test_a_reply_is_read_before_it_is_cached(server: ChatServer, tmp_path: Path) -> None:
    def failing(_question: Any, _value: Any) -> str | None:
        raise OverflowError("a defect of a check")

    with Session(tmp_path / "judge.sqlite") as session:
        with pytest.raises(OverflowError):
            server.judge().ask([question("a")], failing, session)
        [reply] = server.judge().ask([question("a")], no_complaint, session)
    assert (reply.ok, reply.requests) == (True, 1)


@pytest.mark.parametrize(
    "damage",
    [{"prompt_tokens": 10**400}, {"prompt_tokens": -1}, {"seconds": "1"}, {"structured": "odd"},
     {"labels": {"a": 1e400}}, {"labels": [1]}, {"text": None}, {"labels": {"a": 10**400}}],
)  # fmt: skip
def test_a_cached_reply_that_cannot_be_read_is_asked_again(
    server: ChatServer, tmp_path: Path, damage: dict[str, Any]
) -> None:
    import sqlite3
    from contextlib import closing

    path = tmp_path / "judge.sqlite"
    with Session(path) as session:
        server.judge().ask([question("a")], no_complaint, session)
    with closing(sqlite3.connect(path)) as cache, cache:
        [[kept]] = cache.execute("SELECT answer FROM answers").fetchall()
        cache.execute("UPDATE answers SET answer = ?", (json.dumps({**json.loads(kept), **damage}),))
    with Session(path) as session:
        [reply] = server.judge().ask([question("a")], no_complaint, session)
    assert (reply.ok, reply.requests) == (True, 1)


@pytest.mark.parametrize("answer", [Answer(text=None), Answer(text="{}", labels={"a": float("nan")}), None])  # type: ignore[arg-type]
def test_an_answer_of_ones_own_that_is_none_fails_alone(answer: Any) -> None:
    class Odd(JudgeBase):
        parallel = 1
        signature = "odd"

        def answer(self, request: Any) -> Answer:  # noqa: ARG002 - the protocol has it
            return answer  # type: ignore[no-any-return]

    [reply] = Odd().ask([question("a")], no_complaint)
    assert reply.code == "no-answer"


def test_a_password_of_basic_authentication_is_masked() -> None:
    from base64 import b64encode

    from ragauge.endpoints.endpoint import Endpoint

    secret = b64encode(b"pk-1:sk-very-secret").decode()
    with Endpoint("http://localhost", secret, 1.0, 0, "writer 'x'", "Basic") as endpoint:
        for text in (secret, "pk-1:sk-very-secret", "wrong key: sk-very-secret"):
            assert "***" in endpoint.shown(text)
            assert "very" not in endpoint.shown(text)


def test_the_scores_of_a_run_are_as_before(server: ChatServer) -> None:
    server.reply = lambda body, turn: chat_answer({"claims": ["It rained."]} if turn == 1 else {
        "claims": [{"claim": 1, "passages": [1]}]})  # fmt: skip
    result = ragauge.evaluate(ROWS, METRIC, judge=server.judge(), resamples=0)
    assert result[METRIC].value == 1.0


def test_the_key_of_openai_goes_to_openai_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAGAUGE_JUDGE_API_KEY")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    judges: list[Any] = [
        get(f"chat[url=https://{host}/v1,model=m]") for host in ("api.openai.com", "openai.com", "api.openai.com.cn")
    ]
    assert [judge.secret() for judge in judges] == [KEY, None, None]
