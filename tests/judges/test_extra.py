"""Fields and headers that a file adds to requests, or leaves out; what it takes from the environment is secret."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from ragauge.errors import UsageError
from ragauge.judges import Session
from ragauge.judges.chat import Chat
from tests.cli.running import here, write_rows

from .conftest import ChatServer, chat_answer, no_complaint, question

SECRET = "tiger-a/b+c=d"  # noqa: S105 - of this test
ROWS = [{"id": "1", "question": "谁？", "answer": "林婉。", "contexts": ["林婉。"]}]


def written(folder: Path, content: Any) -> str:
    path = folder / "extra.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return str(path)


def test_fields_are_added_and_left_out(server: ChatServer, tmp_path: Path) -> None:
    body = {"seed": None, "temperature": None, "top_p": 0.9, "response_format": {"strict": True}, "tags": [1]}
    asked = question("a", label="n", labels=("1",))
    assert server.judge(extra=written(tmp_path, {"body": body})).ask([asked], no_complaint)[0].ok
    [sent] = server.bodies
    assert not {"seed", "temperature"} & set(sent)
    assert (sent["top_p"], sent["tags"], sent["logprobs"]) == (0.9, [1], True)
    assert (sent["response_format"]["strict"], sent["response_format"]["type"]) == (True, "json_schema")
    judge = server.judge(extra=written(tmp_path, {"body": {"logprobs": None}}))
    assert judge.ask([asked], no_complaint)[0].ok
    assert not {"logprobs", "top_logprobs"} & set(server.bodies[1])
    assert judge.lacks == []


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens"])
def test_tokens_that_are_asked_for_are_reckoned_with(server: ChatServer, tmp_path: Path, name: str) -> None:
    plain, much = server.judge(), server.judge(extra=written(tmp_path, {"body": {name: 100_000}}))
    asked = question("a")
    assert (plain.most_tokens(asked), much.most_tokens(asked)) == (asked.max_tokens, 100_000)
    with Session(dry_run=True) as session:
        much.ask([asked], no_complaint, session)
        assert session.tally.total.completion_tokens == 100_000


def test_what_decides_a_reply_is_in_signature_and_key_and_headers_are_not(server: ChatServer, tmp_path: Path) -> None:
    def judge(content: Any) -> Chat:
        return server.judge(extra=written(tmp_path, content))

    plain, hot = server.judge(), judge({"body": {"top_p": 0.9}})
    assert "extra=" not in plain.signature
    assert "extra=" in hot.signature
    assert plain.identity != hot.identity
    assert judge({"headers": {"X-Team": "a"}}).identity == plain.identity
    assert not judge({"body": {"seed": None}}).takes_seed


def test_secrets_of_the_environment_are_sent_and_appear_nowhere(
    server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TEAM", SECRET)
    write_rows(tmp_path / "data.jsonl", ROWS)
    extra = written(tmp_path, {"body": {"user": {"key": ["${TEAM}"]}}, "headers": {"X-Team": "Bearer ${TEAM}"}})
    echo = chat_answer(f'{{"rating": 1}} {SECRET} Bearer {SECRET}')
    server.reply = lambda body, turn: (400, {"error": f"no {SECRET}"}, {}) if turn == 1 else echo
    call = ("--judge", server.url, "--judge-model", "m", "--judge-extra", extra, "--judge-timeout", 9)
    done = here(capsys, "score", "data.jsonl", "-m", "judged-groundedness-rating", *call, "-o", "run")
    assert done.code == 0, done.err
    assert server.headers[0]["X-Team"] == f"Bearer {SECRET}"
    assert server.bodies[0]["user"] == {"key": [SECRET]}
    assert "tiger" not in done.out + done.err
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or b"tiger" not in path.read_bytes(), path


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("nonsense", "extra of judge 'chat' must be a file such as"),
        ("[]", "must be a file such as"),
        ({"bodies": {}}, "it has bodies"),
        ({"headers": {"X": 1}}, "a header is not a text"),
        (
            {"body": {"messages": []}},
            r"must not set messages: that is what the judge is asked; take it out of '.*json'",
        ),
        ({"body": {"state": None, "questions": {}}}, "must not set state, questions"),
        ({"body": {"model": "other", "n": 3}}, "must not set model, n"),
        ("[" * 100_000, "must be a file such as"),
    ],
)
def test_a_file_of_another_form_is_an_error_at_once(
    server: ChatServer, tmp_path: Path, content: Any, problem: str
) -> None:
    with pytest.raises(UsageError, match=problem):
        server.judge(extra=written(tmp_path, content))


def test_a_variable_that_is_not_set_and_a_header_that_cannot_be_sent_end_the_run(
    server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TEAM", raising=False)
    with pytest.raises(UsageError, match="the environment variable 'TEAM' is not set"):
        server.asked(extra=written(tmp_path, {"headers": {"X": "${TEAM}"}}))
    for headers in ({"X": "a\nb"}, {"X": "虎"}, {"X\r\nY": "a"}, {"": "a"}, {"X": ""}):
        with pytest.raises(UsageError, match="must have a name and a value in printable ASCII"):
            server.asked(extra=written(tmp_path, {"headers": headers}))
    assert server.bodies == []


def test_a_late_reply_is_not_waited_for_longer_than_the_command_says(
    server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    def reply(_body: Any, _turn: int) -> Any:
        time.sleep(1.5)
        return chat_answer({"rating": 1})

    monkeypatch.chdir(tmp_path)
    write_rows(tmp_path / "data.jsonl", ROWS)
    server.reply = reply
    call = ("--judge", server.url, "--judge-model", "m", "--judge-timeout", 0.2, "--judge-cache", "none")
    done = here(capsys, "score", "data.jsonl", "-m", "judged-groundedness-rating", *call)
    assert "timeout: " in done.err, done.err


def test_the_session_asks_again_where_the_file_changes(server: ChatServer, tmp_path: Path) -> None:
    with Session(tmp_path / "cache") as session:
        for top_p in (0.9, 0.9, 0.5):
            server.judge(extra=written(tmp_path, {"body": {"top_p": top_p}})).ask(
                [question("a")], no_complaint, session
            )
    assert [body["top_p"] for body in server.bodies] == [0.9, 0.5]
