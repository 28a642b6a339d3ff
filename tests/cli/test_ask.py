"""``ragauge ask``: answers are kept as they come, killed and interrupted runs go on, nothing is asked twice."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

import ragauge
from tests.systems.conftest import Server

from .running import Done, apart, here, write_rows

# Answers as fast as the pauses allow; notes in a file what it is asked.
APP = """
import os, time
from pathlib import Path

def answer(question):
    with open("calls.txt", "a", encoding="utf-8") as file:
        file.write(question + "\\n")
    time.sleep(float(os.environ.get("PAUSE", "0")))
    if "12" in question:
        raise KeyError("没有条目")
    if "34" in question:
        return None
    return {"answer": question, "context": [question], "latency": 0.5, "cost": 0.25}
"""
COMMAND = ("ask", "questions.jsonl", "--system", "app:answer", "-m", "groundedness", "-m", "token-f1", "--retries", "0")
QUESTIONS = [
    {"id": f"q{number}", "question": f"{number} 号茶馆在哪里？", "references": [f"{number} 号"]}
    for number in range(200)
]
"""Of these, 12 have 12 in them, for which the system raises an error, and 2 have 34, for which it returns None."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "app.py").write_text(APP, encoding="utf-8")
    write_rows(tmp_path / "questions.jsonl", QUESTIONS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "app", raising=False)
    return tmp_path


def test_answers_are_scored_and_kept_and_failures_summed_up(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = here(capsys, *COMMAND, "-o", "runs/today", "--concurrency", "4")
    assert done.code == 0
    assert "failed, bounds" in done.out
    notes = done.err.splitlines()
    for note in (
        "answers of app:answer",
        "cost: 46.5, 0.25 an answer",
        "12 failed: KeyError: '没有条目'",
        "saved to runs/today; the answers are also in runs/today.answers.jsonl",
        "14 of 200 samples failed; the scores leave them out",
        "to ask those again that failed (14), add --resume to the same command",
    ):
        assert note in notes, done.err
    assert "the system returned None" in done.err
    result = ragauge.load("runs/today")
    assert (result["token-f1"].scored, result["token-f1"].failed) == (186, 14)
    assert "12 failed: KeyError: '没有条目'" in repr(result)
    lines = (home / "runs" / "today.answers.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 201


def test_without_a_folder_the_run_goes_to_one_named_like_the_questions(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = here(capsys, *COMMAND, "--limit", "20", "--output-format", "json")
    assert first.json["metrics"]
    assert "without -o, the run goes to runs/questions, and each answer at once to runs/questions." in first.err
    assert "saved to runs/questions; the answers are also in runs/questions.answers.jsonl" in first.err
    kept = (home / "runs" / "questions.answers.jsonl").read_bytes()
    assert "saved to runs/questions-2;" in here(capsys, *COMMAND, "--limit", "20").err
    assert (home / "runs" / "questions.answers.jsonl").read_bytes() == kept


def test_an_interrupted_run_without_a_folder_is_resumed_without_one(home: Path) -> None:
    process = start(home, pause=0.2)
    wait_for(home / "runs" / "questions.answers.jsonl", 10, process)
    process.send_signal(signal.SIGINT)
    assert end(process).code == 130
    assert not (home / "runs" / "questions").exists()
    done = end(start(home, "--resume", pause=0))
    assert "the newest run of these questions and this system is resumed: runs/questions, from" in done.err
    calls = Counter((home / "calls.txt").read_text(encoding="utf-8").splitlines())
    assert len(calls) == len(QUESTIONS)
    assert not [question for question, count in calls.items() if count > 1 and "12" not in question]
    assert ragauge.load(home / "runs" / "questions")["token-f1"].scored == 186


def test_only_what_failed_is_asked_again_and_no_saved_score_is_lost(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = (*COMMAND, "--limit", "20", "-o", "runs/today")
    here(capsys, *command)
    assert here(capsys, *command, "--resume").code == 0
    # The system fails at the twelfth question again.
    calls = (home / "calls.txt").read_text(encoding="utf-8").splitlines()
    assert calls[20:] == [QUESTIONS[12]["question"]]
    assert ragauge.load("runs/today")["token-f1"].failed == 1
    fewer = here(capsys, *command, "--resume", "--limit", "15")
    assert "runs/today has scores or samples that this run lacks, so it stays; this run is runs/today-2" in fewer.err
    assert [len(ragauge.load(f"runs/{name}").scores("token-f1")) for name in ("today", "today-2")] == [20, 15]
    (home / "app.py").write_text(APP.replace('"12" in', '"没" in'), encoding="utf-8")
    mended = apart(*command, "--resume")
    assert mended.code == 0, mended.err
    whole = (home / "runs" / "today" / "manifest.json").read_bytes()
    again = here(capsys, *command, "--resume")
    assert "nothing is left to ask: each question has its answer in runs/today; these are its scores" in again.err
    assert again.code == 0
    assert "token-f1" in again.out
    assert (home / "runs" / "today" / "manifest.json").read_bytes() == whole
    otherwise = here(capsys, *command, "--resume", "--map", "contexts=evidence").err
    assert "to score them otherwise: ragauge score runs/today --map contexts=evidence" in otherwise
    other = here(capsys, "ask", "questions.jsonl", "--system", "app:answer", "-m", "bleu", *command[-4:], "--resume")
    assert "this run is runs/today-3" in other.err
    assert "bleu" in other.out


@pytest.mark.parametrize("name", ["korean.csv", "korean.txt"])
def test_questions_of_a_korean_spreadsheet_are_read(home: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    head = "질문,정답\n" if name.endswith("csv") else ""
    rest = ",안나가 차를 재배합니다.\n" if head else "\n"
    (home / name).write_text(f"{head}누가 차를 재배합니까?{rest}언제 문을 엽니까?{rest}", encoding="cp949")
    done = here(capsys, "ask", name, "--system", "app:answer", "-m", "distinct-1", "--output-format", "json")
    assert done.code == 0, done.err
    assert "read as cp949 and not as UTF-8" in done.err
    assert "누가 차를 재배합니까?" in (home / "calls.txt").read_text(encoding="utf-8")


def test_what_is_wrong_is_said_before_the_first_call(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, message in (
        (
            ("-o", "runs/x", "-m", "ndcg"),
            "error: ndcg needs relevance, which no system gives: the questions must have it",
        ),
        (("-o", "runs/x", "--by", "language"), "error: --by language: the questions have no column 'language'"),
        (("-o", "runs/x", "--rate", "often"), "error: --rate must be a number of calls per second"),
        (("-o", "runs/x", "--concurrency", "0"), "error: --concurrency must be a whole number from 1 to 1024; got 0"),
        (("-o", "runs/x", "--timeout", "0"), "error: --timeout must be a number of seconds above 0; got 0"),
        (("-o", "runs/x", "--system", "app:answr"), "error: unknown name in app: 'answr'; did you mean answer?"),
        (("-o", "run.html"), "error: -o must be a directory"),
        (
            ("-o", "runs/x", "--judge", "chat[url=http://localhost:1/v1,model=m]", "--dry-run"),
            "error: --dry-run counts",
        ),
    ):
        done = here(capsys, *COMMAND, *arguments)
        assert (done.code, done.out) == (2, "")
        assert message in done.err
    assert not (home / "calls.txt").exists()
    assert not (home / "runs").exists()


LOUD = """
import logging, os, subprocess, sys
print("imported")
logging.basicConfig(stream=sys.stdout, level=0)

def answer(question):
    print("asked")
    logging.info("logged")
    os.write(1, b"written\\n")
    subprocess.run(["echo", "by a process"])
    os.makedirs("elsewhere", exist_ok=True)
    os.chdir("elsewhere")
    return "4 号"
"""


def test_what_a_system_prints_and_where_it_goes_change_no_output(home: Path) -> None:
    (home / "loud.py").write_text(LOUD, encoding="utf-8")
    write_rows(home / "few.jsonl", QUESTIONS[:4])
    options = ("-m", "token-f1", "-o", "runs/today", "--per-sample", "scores.csv", "--output-format", "json")
    done = apart("ask", "few.jsonl", "--system", "loud:answer", *options)
    assert done.json["metrics"][0]["metric"] == "token-f1"
    for printed in ("imported", "asked", "logged", "written", "by a process"):
        assert printed in done.err
    assert {path.name for path in home.iterdir()} >= {"runs", "scores.csv"}
    assert {path.name for path in (home / "runs").iterdir()} == {"today", "today.answers.jsonl"}
    assert [path for path in (home / "elsewhere").rglob("*") if not path.is_dir()] == []


GOING = """
import os
from pathlib import Path
os.chdir(Path(__file__).with_name("elsewhere"))

def answer(question):
    return Path("answer.txt").read_text()
"""


def test_a_system_that_changes_the_folder_is_asked_in_its_own(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "elsewhere").mkdir()
    (home / "elsewhere" / "answer.txt").write_text("1 号", encoding="utf-8")
    (home / "app.py").write_text(GOING, encoding="utf-8")
    done = here(capsys, "ask", "questions.jsonl", "--system", "app.py:answer", "-m", "token-f1", "-o", "runs/today")
    assert (done.code, done.out.count("200/200")) == (0, 1), done.err
    assert {path.name for path in (home / "runs").iterdir()} == {"today", "today.answers.jsonl"}
    assert [path.name for path in (home / "elsewhere").iterdir()] == ["answer.txt"]


def test_what_a_metric_prints_is_no_output(home: Path) -> None:
    source = "import ragauge\n@ragauge.metric\ndef loud(answer: str) -> float:\n    print('scored')\n    return 1.0\n"
    (home / "loud.py").write_text("print('imported')\n" + source, encoding="utf-8")
    write_rows(home / "few.jsonl", [{"answer": "a"}])
    done = apart("score", "few.jsonl", "-m", "loud.py:loud", "--output-format", "json")
    assert done.json["metrics"][0]["value"] == 1.0
    assert "imported\nscored" in done.err


def test_earlier_answers_are_never_overwritten(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here(capsys, *COMMAND, "-o", "runs/today", "--limit", "20")
    calls = (home / "calls.txt").read_text(encoding="utf-8")
    again = here(capsys, *COMMAND, "-o", "runs/today", "--limit", "20", "--force")
    assert again.code == 2
    assert "runs/today.answers.jsonl has 20 answers of an earlier run already. Pass --resume" in again.err
    assert (home / "calls.txt").read_text(encoding="utf-8") == calls
    done = here(capsys, *COMMAND, "-o", "runs/today", "--limit", "30", "--force", "--resume")
    assert done.code == 0
    asked_again = (home / "calls.txt").read_text(encoding="utf-8").removeprefix(calls).splitlines()
    # That which failed, and the ten new ones.
    assert len(asked_again) == 11


def test_where_every_question_fails(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_rows(home / "questions.jsonl", [{"question": "12", "references": ["a"]}])
    done = here(capsys, *COMMAND, "-o", "runs/today")
    assert done.code == 4
    why = "nothing could be scored: every sample failed: KeyError: '没有条目'"
    assert (done.out, done.err.splitlines()[-1]) == ("", f"error: {why}")
    assert (home / "runs" / "today.answers.jsonl").exists()


def start(home: Path, *arguments: str, pause: float) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PAUSE": str(pause)}
    command = [sys.executable, "-m", "ragauge", *COMMAND, *arguments, "--concurrency", "4"]
    return subprocess.Popen(command, cwd=home, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def end(process: subprocess.Popen[bytes]) -> Done:
    out, err = process.communicate(timeout=120)
    return Done(process.returncode, out.decode(), err.decode())


def answered(path: Path) -> dict[str, Any]:
    """Return the answers that are whole in a file, by question."""
    lines = path.read_bytes().splitlines(keepends=True)[1:] if path.exists() else []
    whole = [json.loads(line) for line in lines if line.endswith(b"\n")]
    return {one["question"]: one["output"] for one in whole if "output" in one}


def wait_for(path: Path, count: int, process: subprocess.Popen[bytes]) -> None:
    """Wait until so many lines are in a file, or the process has ended."""
    latest = monotonic() + 60
    while process.poll() is None and monotonic() < latest:
        if path.exists() and path.read_bytes().count(b"\n") >= count:
            return
        sleep(0.002)


def described(run: Path) -> Mapping[str, Any]:
    """Return what a saved run says, but for the time at which it was saved."""
    manifest = json.loads((run / "manifest.json").read_text(encoding="utf-8"))
    del manifest["run"]["created"]
    return dict(manifest)


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_killed_runs_go_on_and_end_as_unbroken_ones(home: Path) -> None:
    answers, calls = home / "runs" / "killed.answers.jsonl", home / "calls.txt"
    for kill in range(10):
        known = answered(answers)
        before = len(calls.read_text(encoding="utf-8").splitlines()) if calls.exists() else 0
        process = start(home, "-o", "runs/killed", *(["--resume"] if answers.exists() else []), pause=0.01)
        # The first kill strikes while modules are imported, the last while answers are scored.
        wait_for(answers, 1 + kill * 24 if kill < 9 else 220, process)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=60)
        later = calls.read_text(encoding="utf-8").splitlines()[before:] if calls.exists() else []
        assert not known.keys() & set(later), f"asked twice at kill {kill}"
        assert answered(answers).items() >= known.items()
    known = answered(answers)
    before = len(calls.read_text(encoding="utf-8").splitlines())
    done = end(start(home, "-o", "runs/killed", "--resume", "--force", pause=0))
    assert done.code == 0, done.err
    assert not known.keys() & set(calls.read_text(encoding="utf-8").splitlines()[before:])
    unbroken = end(start(home, "-o", "runs/unbroken", pause=0))
    assert unbroken.code == 0, unbroken.err
    assert unbroken.out == done.out
    assert described(home / "runs" / "killed") == described(home / "runs" / "unbroken")
    for name in ("samples.parquet", "scores.parquet", "evidence.parquet"):
        assert (home / "runs" / "killed" / name).read_bytes() == (home / "runs" / "unbroken" / name).read_bytes()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows interrupts all processes of a console")
def test_an_interrupt_waits_for_calls_keeps_answers_and_says_how_to_go_on(home: Path) -> None:
    answers = home / "runs" / "today.answers.jsonl"
    process = start(home, "-o", "runs/today", pause=0.3)
    wait_for(answers, 6, process)
    process.send_signal(signal.SIGINT)
    done = end(process)
    assert (done.code, done.out) == (130, "")
    assert re.search(r"stopping: waiting for \d unfinished calls?; press Ctrl-C again to stop at once", done.err)
    kept = len(answered(answers))
    assert f"{kept} of 200 answers are saved in runs/today.answers.jsonl" in done.err
    assert "with --resume" in done.err
    assert "Traceback" not in done.err
    # No call that was on the way is lost.
    calls = (home / "calls.txt").read_text(encoding="utf-8").splitlines()
    assert len(calls) == len(answers.read_bytes().splitlines()) - 1
    assert not (home / "runs" / "today").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows interrupts all processes of a console")
def test_a_second_interrupt_leaves_the_calls(home: Path) -> None:
    process = start(home, "-o", "runs/today", pause=100)
    wait_for(home / "calls.txt", 4, process)
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    line = process.stderr.readline()
    assert b"stopping" in line
    process.send_signal(signal.SIGINT)
    done = end(process)
    assert done.code == 130
    assert "0 of 200 answers are saved" in done.err


def test_a_system_behind_an_address(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    server = Server()
    server.reply = server.json({"data": {"reply": "1 号", "docs": [{"text": "1 号"}]}})
    (home / "body.json").write_text('{"q": "{question}"}', encoding="utf-8")
    options = ("-m", "token-f1", "--limit", "2", "-o", "runs/today")
    try:
        done = here(capsys, "ask", "questions.jsonl", "--system", server.url, "--system-body", "@body.json", *options)
    finally:
        server.close()
    assert done.code == 0, done.err
    assert "columns: answer <- data.reply, contexts <- data.docs" in done.err
    assert server.bodies == [{"q": row["question"]} for row in QUESTIONS[:2]]
    for flags, message in (
        (("--system", "app:answer", "--system-model", "m"), "error: --system-model goes with the address of a system"),
        (("--system", server.url, "--system-body", "@none.json"), "error: none.json cannot be read: No such file"),
        (("--system", server.url, "--system-body", "{}"), "must be JSON with {question} in a text"),
        (("--system", server.url, "--system-headers", "none"), "error: the headers in none cannot be read"),
    ):
        refused = here(capsys, "ask", "questions.jsonl", *flags, *options, "--force")
        assert (refused.code, message in refused.err) == (2, True), refused.err
