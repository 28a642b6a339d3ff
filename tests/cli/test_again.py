"""``ragauge score`` and ``ragauge ask`` with a saved run in place of data; ``--resume`` of one."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import ragauge
from tests.judges.conftest import ChatServer, chat_answer, listening, server

from .running import here, write_rows

__all__ = ["listening", "server"]
Captured = pytest.CaptureFixture[str]
ROWS: list[dict[str, Any]] = [
    {
        "id": "问1",
        "question": "几点开门？",
        "answer": "八点。",
        "references": ["早上八点。"],
        "contexts": ["早上八点开门。"],
        "lang": "zh",
    },
    {
        "id": "سؤال2",
        "question": "بكم الشاي؟",
        "answer": "بعشرة.",
        "references": ["بعشرة."],
        "contexts": ["الشاي بعشرة."],
        "lang": "ar",
    },
    {
        "id": "q3",
        "question": "Who runs it?",
        "answer": "Anna.",
        "references": ["Anna."],
        "contexts": ["Anna runs it."],
        "lang": "en",
    },
]
RATING = "judged-groundedness-rating"


@pytest.fixture(autouse=True)
def _replies(server: ChatServer) -> None:
    server.reply = lambda body, turn: chat_answer({"rating": 2})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_rows(tmp_path / "data.jsonl", ROWS)
    return tmp_path


def test_other_metrics_of_a_saved_run(folder: Path, capsys: Captured) -> None:
    assert here(capsys, "score", "data.jsonl", "-m", "token-f1", "--by", "lang", "-o", "runs/today").code == 0
    (folder / "data.jsonl").unlink()
    done = here(capsys, "score", "runs/today", "-m", "rouge-l", "-o", "runs/rouge")
    assert done.code == 0, done.err
    assert "3 samples from data.jsonl" in done.err
    assert "the samples are those that runs/today kept; their source was not read again" in done.err
    assert list(ragauge.load("runs/rouge").groups("rouge-l", "lang")) == ["ar", "en", "zh"]
    own = here(capsys, "score", "runs/today", "--output-format", "json")
    assert own.json["metrics"] == [score.to_dict() for score in ragauge.load("runs/today").table]
    refused = here(capsys, "score", "runs/today", "-m", "bleu", "-o", "runs/today")
    assert (refused.code, "runs/today already exists" in refused.err) == (2, True)


def test_settings_of_the_folder_win_and_their_map_is_no_error(folder: Path, capsys: Captured) -> None:
    write_rows(folder / "data.jsonl", [{**row, "said": row.pop("answer")} for row in [dict(row) for row in ROWS]])
    text = '[score]\nmetrics = ["token-f1"]\n\n[map]\nanswer = "said"\n'
    (folder / "ragauge.toml").write_text(text, encoding="utf-8")
    assert here(capsys, "score", "data.jsonl", "-o", "runs/today").code == 0
    done = here(capsys, "score", "runs/today", "--output-format", "json")
    assert (done.code, [one["metric"] for one in done.json["metrics"]]) == (0, ["token-f1"]), done.err
    assert here(capsys, "score", "runs/today", "-m", "rouge-l").code == 0


def test_resume_of_a_run_asks_only_what_failed(server: ChatServer, folder: Path, capsys: Captured) -> None:
    judge = ("--judge", server.url, "--judge-model", "m", "--judge-cache", "none")
    server.reply = lambda body, turn: chat_answer(
        "no" if "بعشرة" in json.dumps(body, ensure_ascii=False) else {"rating": 2}
    )
    done = here(capsys, "score", "data.jsonl", "-m", RATING, "-m", "token-f1", *judge, "-o", "runs/today")
    assert done.code == 0, done.err
    advice = "to score those again that failed (1): ragauge score runs/today --resume -o runs/today --force"
    assert advice in done.err.splitlines()
    before = ragauge.load("runs/today")
    server.bodies.clear()
    server.reply = lambda body, turn: chat_answer({"rating": 1})
    again = here(capsys, *advice.partition("ragauge ")[2].split(), "--judge-cache", "none")
    assert again.code == 0, again.err
    assert len(server.bodies) == 1
    after = ragauge.load("runs/today")
    assert (before[RATING].failed, after[RATING].failed) == (1, 0)
    assert after.scores(RATING).tolist() == [1.0, 0.5, 1.0]
    assert repr(after["token-f1"]) == repr(before["token-f1"])
    assert advice.partition(" (")[0] not in again.err
    nothing = here(capsys, "score", "runs/today", "--resume", "--dry-run", "--output-format", "json")
    assert nothing.json["dry_run"][-1]["requests"] == 0


def test_resume_without_a_run_or_parts_is_an_error(folder: Path, capsys: Captured) -> None:
    done = here(capsys, "score", "data.jsonl", "--resume")
    assert (done.code, "--resume goes on with the parts of --workers N -o DIR" in done.err) == (2, True)


def test_the_judge_of_a_run_elsewhere_is_asked_only_if_it_is_named_or_trusted(
    server: ChatServer, folder: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = ("--judge", server.url, "--judge-model", "m", "--judge-cache", "none")
    assert here(capsys, "score", "data.jsonl", "-m", RATING, *judge, "-o", "runs/theirs").code == 0
    manifest = folder / "runs" / "theirs" / "manifest.json"
    elsewhere = "http://collector.example/v1"
    manifest.write_text(manifest.read_text(encoding="utf-8").replace(server.url, elsewhere), encoding="utf-8")
    for more in ((), ("--resume",), ("--judge", server.url, "--judge-model", "m")):
        done = here(capsys, "score", "runs/theirs", *more)
        assert done.code == 2
        assert f"the metrics of runs/theirs would send texts, and API keys that are set, to {elsewhere}" in done.err
    assert here(capsys, "score", "runs/theirs", "-m", "token-f1").code == 0
    monkeypatch.setenv("RAGAUGE_TRUSTED", str(folder))
    assert here(capsys, "score", "runs/theirs", "--dry-run").code == 0
    monkeypatch.delenv("RAGAUGE_TRUSTED")
    named = here(capsys, "score", "runs/theirs", "--judge", elsewhere, "--judge-model", "m", "--dry-run")
    assert named.code == 0, named.err


def test_the_questions_of_a_run_are_asked_again_and_only_those_that_failed(
    folder: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = """
from pathlib import Path


def answer(question):
    with open("calls.txt", "a", encoding="utf-8") as file:
        file.write(question + "\\n")
    if "开门" in question and not Path("up").exists():
        raise KeyError("down")
    return question
"""
    (folder / "app.py").write_text(app, encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "app", raising=False)
    assert here(capsys, "score", "data.jsonl", "-m", "token-f1", "-o", "runs/first").code == 0
    command = ("ask", "runs/first", "--system", "app:answer", "-o", "runs/today", "--retries", "0")
    done = here(capsys, *command)
    assert done.code == 0, done.err
    assert ragauge.load("runs/today")["token-f1"].failed == 1
    (folder / "up").touch()
    again = here(capsys, *command, "--resume", "--force")
    assert again.code == 0, again.err
    assert ragauge.load("runs/today")["token-f1"].failed == 0
    calls = (folder / "calls.txt").read_text(encoding="utf-8").splitlines()
    assert calls == [*(row["question"] for row in ROWS), ROWS[0]["question"]]


def test_help_in_both_languages(capsys: Captured) -> None:
    english = " ".join(here(capsys, "score", "--help-all").out.split())
    assert "of a saved run, score again" in english
    assert "DATA may be a directory that -o wrote" in english
    chinese = here(capsys, "--lang-ui", "zh", "score", "--help-all").out
    assert "只给失败的样本重新评分" in "".join(chinese.replace("│", "").split())


def test_the_line_that_is_printed_resumes_a_run_of_code(
    folder: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = """
from pathlib import Path


def ask(messages):
    return '{"rating": 2}' if Path("up").exists() else 1 / 0


def kurz(sample):
    return 1.0 if Path("up").exists() or sample.id == "q3" else 1 / 0
"""
    (folder / "hj.py").write_text(code, encoding="utf-8")
    named = {"judged": ("-m", RATING, "--judge", "hj.py:ask", "--judge-cache", "none"), "short": ("-m", "hj.py:kurz")}
    lines = {}
    for name, more in named.items():
        (folder / "up").unlink(missing_ok=True)
        done = here(capsys, "score", "data.jsonl", *more, "-o", f"runs/{name}")
        (folder / "up").touch()
        refused = here(capsys, "score", f"runs/{name}", "--resume")
        # A metric that this process has registered is known to it.
        assert name == "short" or (
            refused.code,
            "code would run with all your rights. Name it yourself" in refused.err,
        ) == (2, True)
        with monkeypatch.context() as patch:
            patch.setenv("RAGAUGE_TRUSTED", str(folder))
            assert here(capsys, "score", f"runs/{name}", "--resume").code == 0
        [line] = [one.partition("ragauge ")[2] for one in done.err.splitlines() if one.startswith("to score those")]
        lines[name] = line
        assert here(capsys, *line.split()).code == 0
        [score] = ragauge.load(f"runs/{name}").table
        assert (score.value, score.failed) == (1.0, 0)
    assert "--resume --judge hj.py:ask -o" in lines["judged"]
    assert "--resume -m hj.py:kurz -o" in lines["short"]
    (folder / "other.py").write_text(code, encoding="utf-8")
    other = here(capsys, "score", "runs/judged", "--resume", "--judge", "other.py:ask")
    assert other.code == 2
    assert "judged 3 of the samples, and one mean of two judges says nothing; leave out --judge" in other.err


def test_a_judge_at_a_wrong_address_is_put_right(
    server: ChatServer, folder: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragauge.judges.client.backoff", lambda *_: 0.0)
    wrong = ("--judge", "http://127.0.0.1:9/v1", "--judge-model", "m", "--judge-cache", "none")
    here(capsys, "score", "data.jsonl", "-m", RATING, *wrong, "-o", "runs/jf")
    right = ("--judge", server.url, "--judge-model", "m", "--judge-cache", "none")
    done = here(capsys, "score", "runs/jf", "--resume", *right, "-o", "runs/jf", "--force")
    assert done.code == 0, done.err
    assert ragauge.load("runs/jf")[RATING].scored == 3
