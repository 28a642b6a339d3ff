"""``ragauge questions``: sheets, their readers, judges that are killed, and the messages."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from tests.judges.conftest import ChatServer, chat_answer, listening, server
from tests.repeats import others_long
from tests.testsets.corpora import ROWS, TEXTS
from tests.testsets.test_propose import good

from .running import here, write_rows

__all__ = ["listening", "server"]
PATIENCE_S = 120
PASSAGES = 200


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_rows(tmp_path / "corpus.jsonl", ROWS)
    return tmp_path


def judge(server: ChatServer) -> tuple[str, ...]:
    return ("--judge", server.url, "--judge-model", "m")


def test_a_sheet_and_its_strata(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    done = here(capsys, "questions", "corpus.jsonl", "-o", "sheet.csv", "-n", 4, "--output-format", "json")
    assert done.code == 0
    assert done.json["rows"] == sum(one["drawn"] for one in done.json["strata"]) == 4
    assert (home / "sheet.csv").read_text(encoding="utf-8-sig").count("q-") == 4
    assert not (home / ".ragauge").exists()
    assert "saved to sheet.csv: fill question and reference, then give it to ragauge ask or ragauge score" in done.err


def test_from_the_corpus_to_a_score(capsys: pytest.CaptureFixture[str], server: ChatServer, home: Path) -> None:
    server.reply = good
    done = here(capsys, "questions", "corpus.jsonl", "-o", "sheet.csv", *judge(server))
    assert done.code == 0
    assert "11 of 11 questions proposed by chat[" in done.err
    assert "judge: 11 requests, 0 cached replies" in done.err
    contexts = [row["text"] for row in ROWS][:6]
    app = f"def answer(question):\n    return {{'answer': 'Lin Wan', 'contexts': {contexts!r}}}\n"
    (home / "app.py").write_text(app, encoding="utf-8")
    asked = here(
        capsys, "ask", "sheet.csv", "--system", "app.py:answer", "-m", "hit-rate@10", "-m", "contains-answer",
        "-o", "runs/a", "--resamples", 0, "--output-format", "json",
    )  # fmt: skip
    assert asked.code == 0, asked.err
    values = {one["metric"]: (one["value"], one["scored"]) for one in asked.json["metrics"]}
    assert values["hit-rate@10"] == (6 / 11, 11)
    assert "references <- reference, reference_contexts <- passage" in asked.err


def test_without_a_proposal_the_sheet_is_kept_and_the_code_is_not_0(
    capsys: pytest.CaptureFixture[str], server: ChatServer, home: Path
) -> None:
    server.reply = lambda _body, _turn: (402, {"error": "no money"}, {})  # Is not asked again.
    done = here(capsys, "questions", "corpus.jsonl", "-o", "sheet.jsonl", *judge(server))
    assert done.code == 4
    assert "judge: no request was answered" in done.err
    assert "the judge proposed no question that was kept: the column note says why, row by row" in done.err
    rows = [json.loads(line) for line in (home / "sheet.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(rows) == len(ROWS)
    assert all(row["note"].startswith("failed: ") for row in rows)


@pytest.mark.parametrize(
    ("place", "arguments", "message"),
    [
        ("texts", ("--text", "body"), "--text body names a column of a table, and texts is a folder of texts"),
        ("texts/tea.txt", ("--text", "body"), "--text body names a column of a table, and texts/tea.txt is a text"),
        ("texts", ("--language", "German!"), "must be a language tag such as 'zh'"),
    ],
)
def test_options_that_cannot_be_meant(
    capsys: pytest.CaptureFixture[str], home: Path, place: str, arguments: tuple[str, ...], message: str
) -> None:
    (home / "texts").mkdir()
    (home / "texts" / "tea.txt").write_text(TEXTS["de"].passage, encoding="utf-8")
    done = here(capsys, "questions", place, "-o", "tea.jsonl", *arguments)
    assert done.code == 2
    assert message in done.err
    assert not (home / "tea.jsonl").exists()


def test_the_language_of_all_passages(
    capsys: pytest.CaptureFixture[str], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Of ragauge score, where it may also be "column".
    monkeypatch.setenv("RAGAUGE_LANG", "column")
    (home / "tea.txt").write_text(TEXTS["de"].passage, encoding="utf-8")
    for arguments, tag in (((), ""), (("--language", "de"), "de")):
        done = here(capsys, "questions", "tea.txt", "-o", "tea.jsonl", "--force", *arguments)
        assert done.code == 0
        assert json.loads((home / "tea.jsonl").read_text(encoding="utf-8"))["language"] == tag


def test_a_dry_run_counts_and_writes_nothing(
    capsys: pytest.CaptureFixture[str], server: ChatServer, home: Path
) -> None:
    done = here(capsys, "questions", "corpus.jsonl", *judge(server), "--dry-run", "--output-format", "json")
    assert done.code == 0
    assert done.json["dry_run"][-1]["requests"] == 11
    assert server.bodies == []
    assert sorted(path.name for path in home.iterdir() if path.suffix == ".csv") == []


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("corpus.jsonl",), 2, "name the file of the sheet, as in -o questions.csv"),
        (("corpus.jsonl", "-o", "a.txt"), 2, "a sheet must end with .csv, .jsonl, .xlsx; got 'a.txt'"),
        (("corpus.jsonl", "-o", "none/a.csv"), 2, "its folder does not exist"),
        (("corpus.jsonl", "-o", "a.csv", "-n", "0"), 2, "--rows must be a whole number from 1 to 100000; got 0"),
        (("corpus.jsonl", "-o", "a.csv", "--width", "7"), 2, "--width must be a whole number from 100 to 8000; got 7"),
        (
            ("corpus.jsonl", "-o", "a.csv", "--text", "body"),
            2,
            "has no column 'body'; its columns are id, text, language",
        ),
        (("absent", "-o", "a.csv"), 3, "absent: file not found"),
        (("corpus.jsonl", "-o", "a.csv", "--max-calls", "3"), 2, "--max-calls is of the judge that proposes questions"),
        (("corpus.jsonl", "--dry-run"), 2, "--dry-run is of the judge that proposes questions: name one with --judge"),
    ],
)
def test_messages(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], code: int, message: str) -> None:
    done = here(capsys, "questions", *arguments)
    assert (done.code, done.out) == (code, "")
    assert message in done.err


def test_a_sheet_is_never_replaced_by_accident(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    (home / "a.csv").write_text("filled by people", encoding="utf-8")
    done = here(capsys, "questions", "corpus.jsonl", "-o", "a.csv")
    assert (done.code, "a.csv already exists" in done.err) == (2, True)
    assert (home / "a.csv").read_text(encoding="utf-8") == "filled by people"
    assert here(capsys, "questions", "corpus.jsonl", "-o", "a.csv", "--force").code == 0


def test_a_half_filled_sheet_is_refused_by_line(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    one = TEXTS["zh"]
    rows = [{"id": "a", "passage": one.passage, "passage_id": "d1", "source": "s", "language": "zh",
             "question": one.question, "reference": answer} for answer in (one.answer, "")]  # fmt: skip
    write_rows(home / "sheet.jsonl", [{**row, "id": str(place)} for place, row in enumerate(rows)])
    done = here(capsys, "score", "sheet.jsonl")
    assert (done.code, "line 2: has a question, but no reference" in done.err) == (3, True)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL, and interrupts all of a console")
@pytest.mark.parametrize("number", others_long([signal.SIGKILL, signal.SIGINT]), ids=["kill -9", "Ctrl-C"])
@pytest.mark.costly
def test_a_killed_run_asks_only_what_is_missing(server: ChatServer, home: Path, number: signal.Signals) -> None:
    rows = [
        {"id": str(place), "text": f"The tea house {place} opened in lane {place}, behind temple {place}."}
        for place in range(PASSAGES)
    ]
    write_rows(home / "many.jsonl", rows)

    stopped = Event()

    def reply(_body: Any, _turn: int) -> Any:
        # The rest waits, so that the run cannot end before it is stopped.
        if len(server.bodies) > PASSAGES // 2 + 4:
            stopped.wait(PATIENCE_S)
        return chat_answer({"question": "", "answer": "", "sentence": 0})

    server.reply = reply
    command = [sys.executable, "-m", "ragauge", "questions", "many.jsonl", "-o", "a.csv", "-n", str(PASSAGES)]
    command += [*judge(server), "--judge-parallel", "4"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as running:
        end = time.monotonic() + PATIENCE_S
        while len(server.bodies) < PASSAGES // 2:
            assert time.monotonic() < end
            assert running.poll() is None
            time.sleep(0.005)
        os.kill(running.pid, number)
        _, messages = running.communicate(timeout=PATIENCE_S)
    stopped.set()
    assert running.returncode == (130 if number == signal.SIGINT else -signal.SIGKILL), messages
    assert not (home / "a.csv").exists()
    before = len(server.bodies)
    again = subprocess.run(command, capture_output=True, check=False)
    assert again.returncode == 4, again.stderr
    # At most the requests that were under way are asked again.
    assert PASSAGES <= len(server.bodies) <= PASSAGES + 5
    assert len(server.bodies) > before
    server.bodies.clear()
    whole = (home / "a.csv").read_bytes()
    offline = subprocess.run([*command, "--offline", "--force"], capture_output=True, check=False)
    assert offline.returncode == 4, offline.stderr
    assert server.bodies == []
    assert (home / "a.csv").read_bytes() == whole
    assert b"dropped 200: nothing in the passage is worth asking" in again.stderr
