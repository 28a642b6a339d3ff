"""``ragauge score --judge``: limits, plans, cached replies, progress, and keys that appear nowhere."""

from __future__ import annotations

import gzip
import json
import re
import shlex
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

import ragauge
from ragauge.cli.judging import judge_text
from ragauge.cli.terminal import Meter
from ragauge.errors import OptionError, UsageError
from tests.cli.running import Done, here, write_rows

from .conftest import ChatServer, chat_answer

Captured = pytest.CaptureFixture[str]
KEY = "sk-a/b+c=d"
ROWS = [
    {"id": "en", "question": "What is tea?", "answer": "A drink.", "contexts": ["Tea is a drink."]},
    {"id": "zh", "question": "茶是什么？", "answer": "一种饮料。", "contexts": ["茶是一种饮料。"]},
    {"id": "ja", "question": "お茶とは？", "answer": "飲み物です。", "contexts": ["お茶は飲み物です。"]},
    {"id": "ko", "question": "차는 무엇입니까?", "answer": "음료입니다.", "contexts": ["차는 음료입니다."]},
    {"id": "ru", "question": "Что такое чай?", "answer": "Напиток.", "contexts": ["Чай — напиток."]},
    {"id": "ar", "question": "ما هو الشاي؟", "answer": "مشروب.", "contexts": ["الشاي مشروب."]},
    {"id": "hi", "question": "चाय क्या है?", "answer": "एक पेय।", "contexts": ["चाय एक पेय है।"]},
    {"id": "th", "question": "ชาคืออะไร", "answer": "เครื่องดื่ม", "contexts": ["ชาเป็นเครื่องดื่ม"]},
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: ChatServer) -> Path:
    monkeypatch.chdir(tmp_path)
    write_rows(tmp_path / "data.jsonl", ROWS)
    server.reply = lambda body, turn: chat_answer({"rating": 2})
    return tmp_path


def score(capsys: Captured, server: ChatServer, *more: object, metric: str = "judged-groundedness-rating") -> Done:
    judge = ("--judge", server.url, "--judge-model", "m")
    return here(capsys, "score", "data.jsonl", "-m", metric, *judge, "--output-format", "json", *more)


def test_a_run_and_the_same_again(server: ChatServer, folder: Path, capsys: Captured) -> None:
    done = score(capsys, server)
    assert done.code == 0, done.err
    assert [row["value"] for row in done.json["metrics"]] == [1.0]
    assert done.json["options"]["judge"]["calls"] == 8
    assert done.json["options"]["judge"]["prompt_tokens"] == 88
    assert 0 < done.json["options"]["judge"]["latency"]["p50"] < 20
    assert "judge: 8 requests, 0 cached replies, 88 + 40 tokens" in done.err
    assert (folder / ".ragauge" / ".gitignore").read_text(encoding="utf-8") == "*\n"
    again = score(capsys, server)
    assert again.json["metrics"] == done.json["metrics"]
    assert again.json["options"]["judge"] == {"calls": 0, "cached": 8, "prompt_tokens": 0, "completion_tokens": 0}
    assert len(server.bodies) == 8


def test_limits_leave_the_rest_failed(server: ChatServer, folder: Path, capsys: Captured) -> None:
    done = score(capsys, server, "--max-calls", 3, "--judge-cache", "none")
    [row] = done.json["metrics"]
    assert (row["scored"], row["failed"], row["bounds"]) == (3, 5, [0.375, 1.0])
    assert "5 failed: budget: --max-calls 3 is reached" in done.err
    used = {"prompt_tokens": 200, "completion_tokens": 5}
    server.reply = lambda body, turn: {**chat_answer({"rating": 2}), "usage": used}
    cost = ("--price-in", 1_000_000, "--price-out", 0, "--judge-cache", "none")
    done = score(capsys, server, "--max-cost", 1000, *cost)
    [row] = done.json["metrics"]
    assert 0 < row["scored"] < 8
    assert done.json["options"]["judge"]["cost"] == 200.0 * row["scored"] <= 1000
    assert "may cost more than is left of --max-cost 1000" in done.err
    assert not (folder / ".ragauge").exists()


def test_a_dry_run_asks_nothing(server: ChatServer, folder: Path, capsys: Captured) -> None:
    prices = ("--price-in", 0.15, "--price-out", 0.6)
    done = score(capsys, server, "--dry-run", *prices)
    assert server.bodies == []
    rows = done.json["dry_run"]
    assert (rows[0]["metric"], rows[0]["requests"]) == ("judged-groundedness-rating", 8)
    assert rows[-1]["requests"] == 8
    assert 0 < rows[-1]["cost"] < 0.01
    score(capsys, server)
    assert score(capsys, server, "--dry-run").json["dry_run"][-1]["kept_answers"] == 8
    table = here(
        capsys, "score", "data.jsonl", "-m", "judged-faithfulness:claims=judge", "--judge", server.url,
        "--judge-model", "m", "--dry-run", "--judge-cache", "none", *prices,
    )  # fmt: skip
    assert table.code == 0, table.err
    assert re.search(r"all +16 +0", table.out), table.out
    assert "nothing was sent" in table.err
    assert len(server.bodies) == 8


def test_offline_uses_cached_replies_only(server: ChatServer, folder: Path, capsys: Captured) -> None:
    done = score(capsys, server, "--offline")
    assert done.code == 2
    assert "--offline needs a judge cache" in done.err
    score(capsys, server, "--limit", 3)
    done = score(capsys, server, "--offline")
    [row] = done.json["metrics"]
    assert (row["scored"], row["failed"]) == (3, 5)
    assert "offline: no answer to this question is in the judge cache" in done.err
    assert len(server.bodies) == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--judge", "http://localhost/v1"), "--judge URL needs --judge-model NAME"),
        (("--judge-model", "m"), "--judge-model goes with --judge URL"),
        (("--judge", "chat[url=http://localhost/v1,model=m]", "--judge-model", "m"), "has options of its own"),
        (("--judge", "http://localhost/v1", "--judge-model", "m", "--price-in", "1"), "go together"),
        (("--judge", "http://localhost/v1", "--judge-model", "m", "--max-cost", "1"), "--price-in"),
        (("--judge", "htp://localhost:1/v1", "--judge-model", "m"), "or https://; write http://localhost:1/v1\n"),
        (("--judge", "localhost", "--judge-model", "m"), "write both, as in http://localhost:8000\n"),
        (("--judge", "openai/gpt-4o", "--judge-model", "m"), "--judge must be the URL of a server, as in http"),
        (("--judge", "jury[judges=chat[url=http://h/v1,model=m]]"), "got 'chat[model=m,url=http://h/v1]'\n"),
        (("--judge", "nobody"), "--judge must be the URL of a server, as in http://localhost:11434/v1"),
        (("--judge", "http://u:pw@localhost/v1", "--judge-model", "m"), "without password and query"),
        (("--judge", "http://localhost/v1", "--judge-model", "m", "--judge-key-file", "none.txt"), "cannot be read"),
        (("--judge", "http://localhost/v1", "--judge-model", "m", "--judge-cache", "data.jsonl"), "cannot be opened"),
    ],
)
def test_wrong_options(folder: Path, capsys: Captured, arguments: Any, message: str) -> None:
    done = here(capsys, "score", "data.jsonl", "-m", "judged-groundedness-rating", *arguments)
    assert done.code == 2, done.err
    assert message in done.err
    assert "pw" not in done.err


def test_a_metric_without_its_judge_says_how_to_name_one(folder: Path, capsys: Captured) -> None:
    done = here(capsys, "score", "data.jsonl", "-m", "judged-groundedness-rating")
    assert done.code == 2
    assert "Pass --judge URL --judge-model NAME.\n" in done.err
    with pytest.raises(OptionError, match=r"Pass judge='chat\[url=\.\.\.,model=\.\.\.]'\.\Z"):
        ragauge.evaluate("data.jsonl", "judged-groundedness-rating")


@pytest.mark.parametrize("judge", ["chat", "decisions"])
def test_an_address_without_a_path_is_answered_with_one(
    server: ChatServer, listening: HTTPServer, folder: Path, capsys: Captured, judge: str
) -> None:
    listening.expect_request(re.compile("/(v2/)?(chat/completions|decisions|systemone)")).respond_with_data("", 404)
    root = server.url.removesuffix("/v1")
    call = ("score", "data.jsonl", "-m", "judged-faithfulness", "--judge", f"{judge}[url=ROOT,model=m,retries=0]")
    done = here(capsys, *[one.replace("ROOT", root) for one in call])
    assert done.code == 2
    assert "answered 404" in done.err
    assert f"; url of judge '{judge}' often ends in /v1: {server.url}\n" in done.err
    other = here(capsys, *[one.replace("ROOT", f"{root}/v2") for one in call])
    assert f"look at url, model and key of judge '{judge}'" in other.err


def test_a_wrong_key_ends_the_run(server: ChatServer, folder: Path, capsys: Captured) -> None:
    server.reply = lambda body, turn: (401, {"error": f"wrong key {KEY}"}, {})
    done = score(capsys, server)
    assert done.code == 2
    assert re.search(r"answered 401: .*; look at url, model and key of judge 'chat' \[RG-NET-007]\n", done.err)
    done = score(capsys, server, "--lang-ui", "zh")
    assert re.search(r"错误：.* 回应 401：.*；请检查 judge 'chat' 的 url、model 和 key \[RG-NET-007]\n", done.err)


@pytest.mark.parametrize(
    ("reply", "english", "chinese"),
    [
        ([], "[]", "[]"),
        (gzip.compress(b"{}")[:12], "it is compressed", "它是压缩的"),
        ({"choices": [1]}, '{"choices": [1]}', '{"choices": [1]}'),
    ],
    ids=["a list", "compressed", "a number as a choice"],
)
def test_an_answer_of_another_form_is_worded_without_words_of_python(
    server: ChatServer, folder: Path, capsys: Captured, reply: Any, english: str, chinese: str
) -> None:
    server.reply = lambda body, turn: reply
    done = score(capsys, server)
    assert f"8 failed: no-answer: the answer does not have the form of /chat/completions: {english}\n" in done.err
    done = score(capsys, server, "--lang-ui", "zh")
    assert f"8 个失败：no-answer: 回应不是 /chat/completions 应有的形式：{chinese}\n" in done.err
    assert "评判：没有请求得到回答\n" in done.err


def test_a_limit_and_the_counts_are_worded_for_the_command_line_in_its_language(
    server: ChatServer, folder: Path, capsys: Captured
) -> None:
    done = score(capsys, server, "--max-calls", 1, "--lang-ui", "zh", "--judge-cache", "none")
    assert "7 个失败：budget: 已达到 --max-calls 1\n" in done.err
    assert "评判：1 个请求，0 个已保存的评判结果，11 + 5 个 token，每个" in done.err


def test_nothing_answered_is_an_exit_code_of_its_own(server: ChatServer, folder: Path, capsys: Captured) -> None:
    server.reply = lambda body, turn: chat_answer("I would rather not.")
    done = score(capsys, server)
    assert done.code == 4
    assert "8 failed: malformed: the reply is not JSON: 'I would rather not.'" in done.err


def test_settings_of_a_file(server: ChatServer, folder: Path, capsys: Captured) -> None:
    (folder / "ragauge.toml").write_text(
        f'[score]\nmetrics = ["judged-groundedness-rating"]\njudge = "{server.url}"\njudge-model = "m"\n'
        'judge-cache = "kept.sqlite"\nmax-calls = 5\nprice-in = 1.0\nprice-out = 1\n',
        encoding="utf-8",
    )
    done = here(capsys, "score", "data.jsonl", "--output-format", "json")
    assert done.code == 0, done.err
    assert done.json["metrics"][0]["scored"] == 5
    assert (folder / "kept.sqlite").exists()
    other = here(capsys, "score", "data.jsonl", "-m", "groundedness", "--output-format", "json")
    assert other.code == 0, other.err
    assert "the setting judge is not used" in other.err


@pytest.mark.parametrize("way", ["variable", "named variable", "file"])
def test_keys_appear_nowhere(
    server: ChatServer, folder: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    def reply(body: Any, turn: int) -> Any:
        if turn % 3 == 0:
            return 400, {"error": f"Bearer {KEY} is not allowed to"}, {}
        return chat_answer(f"my key is {KEY}") if turn % 3 == 1 else chat_answer({"rating": 2})

    server.reply = reply
    more: tuple[str, ...] = ()
    if way == "variable":
        monkeypatch.setenv("RAGAUGE_JUDGE_API_KEY", KEY)
    elif way == "file":
        (folder.parent / "key.txt").write_text(f"{KEY}\n", encoding="utf-8")
        more = ("--judge-key-file", str(folder.parent / "key.txt"))
    else:
        monkeypatch.setenv("MY_KEY", KEY)
    judge = f"chat[url={server.url},model=m,output=parsed,retries=0{',key=MY_KEY' if way == 'named variable' else ''}]"
    named = ("--judge", server.url, "--judge-model", "m", *more) if way == "file" else ("--judge", judge)
    call = ("score", "data.jsonl", "-m", "judged-groundedness-rating", *named)
    done = here(capsys, *call, "-o", "run", "--per-sample", "scores.jsonl")
    assert all(one["Authorization"] == f"Bearer {KEY}" for one in server.headers)
    report = here(capsys, "report", "run", "-o", "report.html")
    explained = here(capsys, "explain", "run", "en")
    cache = here(capsys, "judge-cache", ".ragauge/judge.sqlite")
    assert cache.code == 0, cache.err
    for text in (done.out, done.err, report.out, report.err, explained.out, explained.err, cache.out):
        assert "sk-a" not in text
    for path in folder.rglob("*"):
        if path.is_file() and not path.name.startswith("judge.sqlite"):
            assert b"sk-a" not in path.read_bytes(), path


def test_the_cache_holds_no_key_that_is_sent(
    server: ChatServer, folder: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGAUGE_JUDGE_API_KEY", KEY)
    score(capsys, server)
    for path in (folder / ".ragauge").iterdir():
        assert b"sk-a" not in path.read_bytes()
        assert b"Lin Wan" not in path.read_bytes()


def test_the_cache_is_shown_and_pruned(server: ChatServer, folder: Path, capsys: Captured) -> None:
    score(capsys, server)
    score(capsys, server, metric="judged-context-rating")
    cache = ".ragauge/judge.sqlite"
    shown = here(capsys, "judge-cache", cache)
    assert re.search(r"groundedness +8", shown.out)
    assert shown.err.startswith("16 replies")
    listed = json.loads(here(capsys, "judge-cache", cache, "--output-format", "json").out)
    assert sum(row["answers"] for row in listed["answers"]) == 16
    pruned = here(capsys, "judge-cache", cache, "--prune-prompt", "groundedness")
    assert "removed 8 replies" in pruned.err
    pruned = here(capsys, "judge-cache", cache, "--prune-days", "0")
    assert "removed 8 replies" in pruned.err
    with closing(sqlite3.connect(cache)) as connection:
        assert connection.execute("SELECT count(*) FROM answers").fetchone() == (0,)
    assert here(capsys, "judge-cache", "nothing.sqlite").code == 2
    assert here(capsys, "judge-cache", "data.jsonl").code == 2


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\0", b"SQLite format 3\0" + bytes(100), b"id,answer\n"])
def test_a_file_of_another_kind_is_left_as_it_is(folder: Path, capsys: Captured, content: bytes) -> None:
    path = folder / "other.csv"
    path.write_bytes(content)
    for arguments in ((), ("--prune-days", "0")):
        said = here(capsys, "judge-cache", "other.csv", *arguments)
        assert said.code == 2
        assert "'other.csv' is not a judge cache" in said.err
    assert path.read_bytes() == content
    assert [each.name for each in folder.glob("other*")] == ["other.csv"]


def test_progress_counts_replies() -> None:
    meter = Meter()
    meter(0, 500)
    meter.replied(0, 1000)
    assert str(meter) == "scoring 0/500: 0 of 1,000 questions answered"
    meter.replied(10, 1000)
    assert re.fullmatch(r"scoring 0/500: 10 of 1,000 questions answered, \d+ a second, \d+ s left", str(meter))
    meter.replied(1000, 1000)
    assert str(meter).startswith("scoring 0/500")
    assert "questions" not in str(meter)


def test_a_judge_is_held_against_people(server: ChatServer, folder: Path, capsys: Captured) -> None:
    write_rows(
        folder / "data.jsonl", [{**row, "good": place % 2, "fine": int(place > 3)} for place, row in enumerate(ROWS)]
    )
    server.reply = lambda body, turn: chat_answer({"rating": 2 if "A drink." in str(body["messages"]) else 0})
    call = (
        "validate",
        "data.jsonl",
        "--human",
        "good",
        "--human",
        "fine",
        "--labels",
        "good",
        "-m",
        "judged-groundedness-rating",
    )
    judge = ("--judge", server.url, "--judge-model", "m")
    done = here(capsys, *call, *judge)
    assert done.code == 0, done.err
    assert "kappa" in done.out
    assert len(server.bodies) == 8
    again = here(capsys, *call, *judge, "--offline")
    assert "note: judge: 0 requests, 8 cached replies" in again.out
    assert again.out.splitlines()[5:] == done.out.splitlines()[5:]
    assert here(capsys, *call, *judge, "--dry-run").code == 2


@pytest.mark.parametrize("command", ["validate", "calibrate"])
def test_why_no_sample_has_a_score_is_said(server: ChatServer, folder: Path, capsys: Captured, command: str) -> None:
    write_rows(folder / "data.jsonl", [{**row, "good": place % 2} for place, row in enumerate(ROWS)])
    server.reply = lambda body, turn: chat_answer("I would rather not.")
    judge = ("--judge", server.url, "--judge-model", "m", "--judge-cache", "none")
    call = (command, "data.jsonl", "-m", "judged-groundedness-rating", *judge, "--human", "good")
    more = ("-o", "judge.json") if command == "calibrate" else ()
    done = here(capsys, *call, *more)
    assert (done.code, done.out) == (3, ""), done.err
    assert "; 8 samples failed: malformed: the reply is not JSON: 'I would rather not.'\n" in done.err
    chinese = here(capsys, "--lang-ui", "zh", *call, *more)
    assert "；8 个样本失败：malformed: " in chinese.err


def test_a_limit_where_no_metric_asks_a_judge_is_named(folder: Path, capsys: Captured) -> None:
    done = here(capsys, "score", "data.jsonl", "-m", "groundedness", "--max-calls", 3, "--max-cost", 1)
    assert "--max-calls, --max-cost changed nothing: no metric here asks a judge\n" in done.err
    assert done.code == 0


def test_no_calls_at_all_are_a_limit_too(server: ChatServer, folder: Path, capsys: Captured) -> None:
    done = score(capsys, server, "--max-calls", 0)
    assert done.code == 4
    assert server.bodies == []
    assert "8 failed: budget: --max-calls 0 is reached" in done.err


def test_a_judge_in_the_spec_of_a_metric(server: ChatServer, folder: Path, capsys: Captured) -> None:
    spec = f"judged-groundedness-rating:judge=chat[url={server.url},model=m]"
    done = here(capsys, "score", "data.jsonl", "-m", spec, "--max-calls", 2, "--output-format", "json")
    assert done.code == 0, done.err
    assert done.json["metrics"][0]["scored"] == 2
    assert "output=json_schema" in done.json["metrics"][0]["signature"]
    other = here(capsys, "score", "data.jsonl", "-m", "groundedness", "--max-calls", 2)
    assert other.code == 0, other.err


def test_answers_that_failed_are_pruned(server: ChatServer, folder: Path, capsys: Captured) -> None:
    server.reply = lambda body, turn: chat_answer("I do not know" if turn <= 2 else {"rating": 1})
    score(capsys, server, "--judge-cache", "kept.sqlite")
    done = here(capsys, "judge-cache", "kept.sqlite", "--prune-failed", "--output-format", "json")
    assert done.code == 0, done.err
    assert "removed 2 replies" in done.err
    assert sum(row["answers"] for row in done.json["answers"]) >= 6


@pytest.mark.parametrize("judge", ["localhost:11434/v1", "127.0.0.1:8000", "api.example.org/v1/chat/completions"])
def test_an_address_without_its_scheme_is_answered_with_it(judge: str) -> None:
    with pytest.raises(UsageError, match=f"is an address without http://; write http://{judge}"):
        judge_text({"judge": judge, "judge_model": "qwen3"})


def test_replies_that_cannot_be_used_are_named_with_what_removes_them(
    server: ChatServer, folder: Path, capsys: Captured
) -> None:
    usable, server.reply = server.reply, lambda body, turn: chat_answer("I would say four.")
    lost = score(capsys, server)
    [command] = re.findall(r"to ask again, first ragauge (.*)", lost.err)
    asked = len(server.bodies)
    assert "to ask again, first ragauge judge-cache" in score(capsys, server).err
    assert len(server.bodies) == asked
    shown = here(capsys, "judge-cache", ".ragauge/judge.sqlite")
    assert "--prune-failed removes them" in shown.err
    assert "removed" in here(capsys, *shlex.split(command)).err
    server.reply = usable
    done = score(capsys, server)
    assert done.code == 0, done.err
    assert "to ask again" not in done.err
