"""Tables on screens of every kind: bars where there is room, colours in terminals only, notes last."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path

import pytest
from rich.cells import cell_len

import ragauge
from ragauge.cli.main import main
from ragauge.cli.output import FORMATS

from .running import TEA_HOUSE, apart, at_a_terminal, here, write_rows

Captured = pytest.CaptureFixture[str]
SCORE = ("score", TEA_HOUSE, "--resamples", 50)


@pytest.mark.parametrize("width", [50, 60, 72, 80, 90, 100, 120, 200])
def test_numbers_come_first_and_bars_go_first(width: int, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    done = here(capsys, *SCORE, "-m", "hit-rate", "-m", "map", "--by", "language")
    lines = done.out.splitlines()
    assert max(map(cell_len, lines)) <= max(width, 85)
    assert ("●" in done.out) == (width >= 60)
    assert "0.78" in done.out
    for line in lines:
        if "●" in line:
            assert line.count("●") == 1


def test_bars_stand_on_the_range_of_the_metric(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    data = write_rows(tmp_path / "rows.jsonl", [{"id": str(row), "x": row} for row in (4, 6)])
    done = here(capsys, "score", data, "-m", "column:name=x,low=0,high=10", "-m", "column:name=x", "--resamples", 0)
    first, second = (line for line in done.out.splitlines() if "5.0000" in line)
    drawn = first[first.index("·") : first.rindex("·") + 1]
    assert drawn.index("●") == len(drawn) // 2
    assert "●" not in second
    assert "0                  10" in done.out


def test_a_pipe_of_an_old_encoding_gets_ascii_bars() -> None:
    done = apart(*SCORE, environment={"PYTHONIOENCODING": "ascii"})
    assert "[--" in done.out
    assert done.out.isascii()


class _Stream(io.TextIOWrapper):
    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", write_through=True)


class _Terminal(_Stream):
    """A terminal for programs that ask whether it is one; a real one is in the last test."""

    def isatty(self) -> bool:
        return True


def _written(command: list[str], stream: _Stream) -> str:
    """Run a command in this process; return what it writes to ``stream``."""
    with redirect_stdout(stream), pytest.raises(SystemExit) as ended:
        main(command)
    assert ended.value.code == 0, command
    stream.seek(0)
    return stream.read()


_STEERING = "a\u202eb\x9bc\x7fd\u2028e"
_HOSTILE_ROWS = [
    {"id": f"{number}{_STEERING}", "answer": f"tea {_STEERING}.", "contexts": ["tea"], "group": _STEERING + "中"}
    for number in range(2)
]
_ON_DATA = ("score", "DATA", "-m", "groundedness", "--by", "group", "--resamples", "10", "--output-format")


@pytest.mark.parametrize(
    "arguments",
    [
        *((*_ON_DATA, form) for form in ("json", "csv", "markdown", "table")),
        *(("tokenize", "--tokenizer", "whitespace", "TEXT", "--output-format", form) for form in ("text", "json")),
        *(("explain", "RUN", "--id", f"0{_STEERING}", "--output-format", form) for form in ("text", "json")),
        *(("compare", "RUN", "RUN", "--by", "group", "--resamples", "50", "--output-format", form) for form in FORMATS),
    ],
    ids=" ".join,
)
def test_data_cannot_steer_a_terminal(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = {
        "DATA": write_rows(tmp_path / "rows.jsonl", _HOSTILE_ROWS),
        "TEXT": tmp_path / "text",
        "RUN": tmp_path / "run",
    }
    named["TEXT"].write_text(f"tea {_STEERING}\n中", "utf-8")
    if "RUN" in arguments:
        ragauge.evaluate(_HOSTILE_ROWS, "groundedness", resamples=10, evidence=True).save(named["RUN"])
    command = [str(named.get(part, part)) for part in arguments]
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("TERM", "xterm-256color")
    shown, piped = (_written(command, stream) for stream in (_Terminal(), _Stream()))
    without_colours = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert re.findall("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028-\u202e]", without_colours) == []
    if "json" in arguments and "tokenize" not in arguments:
        assert json.loads(without_colours) == json.loads(piped)
        assert "中" not in piped or "中" in without_colours


def test_notes_come_after_the_table() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ragauge", *map(str, SCORE)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        check=True,
    ).stdout
    assert done.rindex("exact-match") < done.index("18 samples from")


@pytest.mark.parametrize(
    ("environment", "colours"),
    [({}, False), ({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)],
)
def test_colours_are_for_terminals(
    environment: dict[str, str], colours: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    for name in ("FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in (environment | {"TERM": "xterm-256color"}).items():
        monkeypatch.setenv(name, value)
    rows = [{"id": str(row), "relevance": {"a": 1}} for row in range(12)]
    for run, ranking in (("old", ["b", "a"]), ("new", ["a", "b"])):
        data = write_rows(tmp_path / f"{run}.jsonl", [{**row, "retrieved": ranking} for row in rows])
        here(capsys, "score", data, "-m", "mrr", "--resamples", 0, "-o", tmp_path / run)
    for command in (
        SCORE,
        ("compare", tmp_path / "old", tmp_path / "new", "--trials", 100, "--resamples", 20),
        ("gate", tmp_path / "new", "--min", "mrr=0.1"),
    ):
        done = here(capsys, *command)
        assert (done.code, "\x1b" in done.out) == (0, colours), command


def test_differences_stand_on_one_scale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    rows = [{"id": str(row), "x": 0.0, "y": 0.0, "z": 0.0} for row in range(20)]
    runs = {"old": rows, "new": [{**row, "x": 0.5, "y": 0.25, "z": 0.25} for row in rows]}
    metrics = ("column:name=x,low=0,high=1", "column:name=y,low=0,high=1", "column:name=z")
    for run, found in runs.items():
        data = write_rows(tmp_path / f"{run}.jsonl", found)
        here(capsys, "score", data, *(f"-m{metric}" for metric in metrics), "--resamples", 0, "-o", tmp_path / run)
    compared = ("compare", tmp_path / "old", tmp_path / "new", "--trials", 100, "--resamples", 20)
    monkeypatch.setenv("COLUMNS", "130")
    bars = [line.partition("better")[2].strip() for line in here(capsys, *compared).out.splitlines() if "▲" in line]
    assert [bar.find("●") for bar in bars] == [20, 15, -1]
    assert [bar.find("│") for bar in bars] == [10, 10, -1]
    monkeypatch.setenv("COLUMNS", "80")
    assert "●" not in here(capsys, *compared).out


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_a_terminal_gets_colours_and_its_own_width(tmp_path: Path) -> None:
    data = write_rows(tmp_path / "rows.jsonl", _HOSTILE_ROWS)
    arguments = ["score", str(data), *_ON_DATA[2:-1]]
    seen = at_a_terminal([sys.executable, "-m", "ragauge", *arguments], reads="out", columns=130)
    assert "\x1b[1m" in seen
    assert "●" in seen
    assert "\\u202e" in seen
    assert not {"\u202e", "\x9b", "\x7f", "\u2028"} & set(seen)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_notes_are_as_wide_as_the_terminal(
    language: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = write_rows(tmp_path / "rows.jsonl", [{"id": "a", "answer": "茶", "references": ["茶"]}])
    monkeypatch.setenv("RAGAUGE_LANG_UI", language)
    whole = here(capsys, "score", data, "-v").err
    assert max(map(cell_len, whole.splitlines())) > 60
    monkeypatch.setenv("COLUMNS", "60")
    narrow = here(capsys, "score", data, "-v").err
    assert [line for line in narrow.splitlines() if cell_len(line) > 60 and str(data) not in line] == []
    assert "".join(narrow.split()) == "".join(whole.split())


def test_how_texts_are_tokenised_is_said_on_request(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    data = write_rows(tmp_path / "rows.jsonl", [{"id": "a", "answer": "茶", "references": ["茶"]}])
    assert "tokenizer auto" not in here(capsys, "score", data).err
    assert "tokenizer auto for bleu" in here(capsys, "score", data, "-v").err
