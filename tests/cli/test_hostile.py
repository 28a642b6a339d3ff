"""Closed streams, pipes without a reader, names and settings that nobody writes: no traceback, and never a 1."""

from __future__ import annotations

import csv
import io
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import ragauge
from ragauge.formats.csv import guarded, unguarded
from tests.cli.running import ROWS, here, without_progress, write_rows
from tests.repeats import others_long

Captured = pytest.CaptureFixture[str]

COMMAND = [sys.executable, "-m", "ragauge"]
UNIX = pytest.mark.skipif(sys.platform == "win32", reason="shells of Windows close no streams")


@pytest.fixture
def run(tmp_path: Path, capsys: Captured) -> Path:
    data = write_rows(tmp_path / "rows.jsonl", ROWS[:2])
    assert here(capsys, "score", data, "-m", "mrr", "-o", tmp_path / "run").code == 0
    return tmp_path / "run"


@UNIX
@pytest.mark.parametrize("closed", others_long(["<&- >&- 2>&-", "2>&-", "<&-", ">&-"], 2))
def test_closed_streams_change_no_exit_code(closed: str, run: Path) -> None:
    # A gate that fails shows that its own code stands; where all streams are closed, one that passes shows the other.
    for least, code in (("1", 1), ("0", 0)) if closed.count("&") == 3 else (("1", 1),):
        program = f'exec "$@" {closed}'
        arguments = [*COMMAND, "gate", str(run), "--min", f"mrr={least}"]
        done = subprocess.run(["/bin/sh", "-c", program, "sh", *arguments], capture_output=True, check=False)
        assert (done.returncode, b"Traceback" in done.stderr) == (code, False), least


@UNIX
def test_closed_standard_input_is_empty() -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", 'exec "$@" <&-', "sh", *COMMAND, "score", "-", "-m", "mrr"], capture_output=True, check=False
    )
    assert (done.returncode, without_progress(done.stderr.decode())) == (
        3,
        "error: <stdin>: is empty; give at least one row\n",
    )


@pytest.mark.parametrize(
    ("streams", "unbuffered"),
    [
        (("stdout", "stderr"), "1"),
        *(pytest.param((name,), "", marks=pytest.mark.long) for name in ("stdout", "stderr")),
    ],
    ids=str,
)
def test_a_pipe_without_a_reader_changes_nothing_else(streams: tuple[str, ...], unbuffered: str, run: Path) -> None:
    """The gate still fails, and a run is still saved, where ``head`` has gone away."""
    reader, writer = os.pipe()
    os.close(reader)
    out, err = (writer if name in streams else subprocess.DEVNULL for name in ("stdout", "stderr"))
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    for arguments, code in ((["gate", str(run), "--min", "mrr=1"], 1), (["--help"], 0), (["nothing"], 2)):
        assert (
            subprocess.run([*COMMAND, *arguments], env=environment, check=False, stdout=out, stderr=err).returncode
            == code
        )
    saved = run.with_name("saved")
    data = str(run.with_name("rows.jsonl"))
    done = subprocess.run(
        [*COMMAND, "score", data, "-m", "mrr", "-o", str(saved)],
        env=environment,
        check=False,
        stdout=out,
        stderr=err,
    )
    os.close(writer)
    assert (done.returncode, saved.is_dir()) == (0, True)


def noted(error: Exception, note: str) -> Exception:
    error.add_note(note)
    return error


def test_an_interrupt_while_a_class_is_made_is_one(
    run: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python 3.11 wraps what ``__set_name__`` raises, so that Ctrl-C during an import comes as a RuntimeError."""

    def interrupted(*_: object, **__: object) -> None:
        raise RuntimeError("Error calling __set_name__ on 'cached_property'") from KeyboardInterrupt()

    monkeypatch.setattr("ragauge.gates.check.gate", interrupted)
    done = here(capsys, "gate", run)
    assert (done.code, done.err) == (130, "interrupted\n")


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (noted(KeyError(), "raised by the metric x"), "error: unforeseen KeyError: raised by the metric x. This is"),
        (ZeroDivisionError("a\x1b[31m"), "error: unforeseen ZeroDivisionError: a\\x1b[31m. This is a fault in ragauge"),
        (MemoryError(), "error: there is not enough memory"),
        (RecursionError(), "error: the input is nested too deeply"),
    ],
)
def test_an_unforeseen_error_ends_with_70(
    error: Exception, says: str, run: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    names: dict[str, Any] = {"error": error}
    exec(compile("def fail(*_, **__): raise error", ragauge.__file__, "exec"), names)  # noqa: S102 - in our package
    monkeypatch.setattr("ragauge.gates.check.gate", names["fail"])
    done = here(capsys, "gate", run)
    assert (done.code, done.err.startswith(says), done.err.count("\n")) == (70, True, 1)
    monkeypatch.setenv("RAGAUGE_DEBUG", "1")
    done = here(capsys, "gate", run)
    assert (done.code, done.err.startswith("Traceback")) == (70, True)


def test_an_unforeseen_error_in_a_file_of_users_names_it(
    run: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise KeyError("answer")

    monkeypatch.setattr("ragauge.gates.check.gate", fail)
    done = here(capsys, "gate", run)
    says = rf"error: KeyError in {re.escape(__file__)}:\d+: 'answer'\. That file is no part of ragauge: correct it\.\n"
    assert re.fullmatch(says, done.err)
    assert done.code == 70


@pytest.mark.skipif(sys.platform != "linux", reason="other systems take only names that are text")
def test_names_that_are_not_utf_8_are_names(run: Path, capsys: Captured) -> None:
    folder = run.parent
    data, saved, page = (folder / os.fsdecode(name) for name in (b"\xff.jsonl", b"run\xff", b"page\xff.html"))
    data.write_bytes((folder / "rows.jsonl").read_bytes())
    assert here(capsys, "score", data, "-m", "mrr", "-o", saved).code == 0
    for command in (["compare", saved, saved], ["gate", saved, "--min", "mrr=0"], ["report", saved, "-o", page]):
        assert here(capsys, *command).code == 0
    assert page.is_file()


@pytest.mark.parametrize(
    "words", ["mrr\udcff", "mrr@\udcff", "mrr:k=" + "9" * 5000, "rouge-l:tokenizer=" + "a[" * 50_000]
)
def test_metrics_that_nobody_writes_are_refused(words: str, tmp_path: Path, capsys: Captured) -> None:
    assert here(capsys, "score", write_rows(tmp_path / "rows.jsonl"), "-m", words).code == 2


@pytest.mark.parametrize(
    "text",
    [
        "score = " + "[" * 100_000,
        "[score]\nci = " + "{a=" * 50_000,
        "[score]\nresamples = " + "9" * 5000,
        "[score]\nresamples = " + "9" * 400,
        "[score]\nci = " + "9" * 400,
        "[score]\nlimit = " + "9" * 400,
        "[gate]\nmin-scored = " + "9" * 400,
        '[map]\n"" = "x"',
        '"" = 1',
    ],
)
def test_settings_that_nobody_writes_are_refused(text: str, run: Path, capsys: Captured) -> None:
    path = run.with_name("settings.toml")
    path.write_text(text, encoding="utf-8")
    codes = {
        here(capsys, "score", run.with_name("rows.jsonl"), "-m", "mrr", "--config", path).code,
        here(capsys, "gate", run, "--config", path).code,
    }
    assert codes <= {0, 2}


def test_control_characters_of_data_reach_no_terminal(tmp_path: Path, capsys: Captured) -> None:
    rows = [{**row, "topic": "\x1b[31m\u202egpj.\x9b"} for row in ROWS]
    done = here(capsys, "score", write_rows(tmp_path / "rows.jsonl", rows), "-m", "mrr", "--by", "topic")
    assert "\\x1b[31m\\u202egpj.\\x9b" in done.out
    done = here(capsys, "score", tmp_path / "\x1b[31m\u202e", "--by", "\x1b[31m")
    assert not {"\x1b", "\u202e"} & set(done.out + done.err)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("=1+1", "'=1+1"), ("@a", "'@a"), ("-a", "'-a"), ("+1 2", "'+1 2"), ("\t=1", "'\t=1"), ("-1.5e3", "-1.5e3"),
        ("'=1", "''=1"), ("''=1", "'''=1"), (" =1", "' =1"), ("' =1", "'' =1"), ("\xa0\n@a", "'\xa0\n@a"),
        ("\r", "'\r"), ("\uff1d1", "'\uff1d1"), ("\uff0b1", "'\uff0b1"), ("\uff0da", "'\uff0da"),
        ("\uff20a", "'\uff20a"), ("'tis", "'tis"), (" a", " a"), ("'", "'"), ("a=1", "a=1"), ("", ""),
        (-0.5, -0.5), (None, None),
    ],
)  # fmt: skip
def test_formulas_become_texts_and_numbers_stay(value: object, written: object) -> None:
    assert guarded(value) == written
    assert unguarded(written) == value


def test_ids_stay_apart(tmp_path: Path, capsys: Captured) -> None:
    ids = ["=x", "'=x", "''=x", " =x"]
    data = write_rows(tmp_path / "rows.jsonl", [{**ROWS[0], "id": one} for one in ids])
    assert here(capsys, "score", data, "-m", "mrr", "--per-sample", tmp_path / "scores.csv").code == 0
    with (tmp_path / "scores.csv").open(encoding="utf-8", newline="") as file:
        written = [row["id"] for row in csv.DictReader(file)]
    assert written == [f"'{one}" for one in ids]


def test_a_bare_carriage_return_is_quoted_in_csv(tmp_path: Path, capsys: Captured) -> None:
    rows = [{"id": "1", "topic": "tea\r=1+1", "retrieved": ["a"], "relevance": {"a": 1}}]
    data = write_rows(tmp_path / "run.jsonl", rows)
    done = here(capsys, "score", data, "-m", "mrr", "--by", "topic", "--output-format", "csv")
    assert '"tea\r=1+1"' in done.out
    assert len(list(csv.reader(io.StringIO(done.out, newline="")))) == 3


def test_csv_has_no_formulas(tmp_path: Path, capsys: Captured) -> None:
    rows = [{**row, "id": f"={row['id']}", "topic": "=cmd|'/c calc'!A0"} for row in ROWS]
    arguments = ("-m", "mrr", "--by", "topic", "--output-format", "csv", "--per-sample", tmp_path / "scores.csv")
    done = here(capsys, "score", write_rows(tmp_path / "rows.jsonl", rows), *arguments)
    assert ",'=cmd|" in done.out
    assert ",=cmd|" not in done.out
    assert "3 ids begin like a formula" in done.err
    assert (tmp_path / "scores.csv").read_text(encoding="utf-8").splitlines()[1].startswith('"\'=a"')
