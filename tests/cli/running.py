"""Running the command line: in this process for speed, in one of its own where that is the point."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import pytest

from ragauge.cli import main

TEA_HOUSE = Path(__file__).parents[2] / "corpora" / "tea-house.jsonl"

ROWS: list[dict[str, Any]] = [
    {"id": "a", "retrieved": ["x", "y"], "relevance": {"y": 1}, "language": "zh", "latency": 0.5, "source": "s1"},
    {"id": "b", "retrieved": ["x", "y"], "relevance": {"x": 2}, "language": "en", "latency": 1.5, "source": "s1"},
    {"id": "c", "retrieved": None, "relevance": {"x": 2}, "language": "en", "latency": 2.5, "source": "s2"},
]


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))


def here(capsys: pytest.CaptureFixture[str], *arguments: object) -> Done:
    """Run the command line in this process."""
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    code = ended.value.code
    assert isinstance(code, int)
    return Done(code, captured.out, without_progress(captured.err))


def apart(*arguments: object, stdin: bytes = b"", environment: Mapping[str, str] | None = None) -> Done:
    """Run the command line in a process of its own."""
    kept = {name: value for name, value in os.environ.items() if name not in {"COLUMNS", "NO_COLOR", "FORCE_COLOR"}}
    done = subprocess.run(
        [sys.executable, "-m", "ragauge", *map(str, arguments)],
        input=stdin,
        capture_output=True,
        env={**kept, "PYTHONWARNINGS": "error", **(environment or {})},
        check=False,
    )
    return Done(done.returncode, done.stdout.decode(), without_progress(done.stderr.decode()))


def without_progress(log: str) -> str:
    """Return what was written but for the lines of progress, which a busy machine adds after ten seconds."""
    return re.sub(r"(?m)^(loading data and models, |reading |scoring [\d,]+/).*\n", "", log)


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]] = ROWS) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def at_a_terminal(command: Iterable[str], *, reads: Literal["out", "err"], columns: int = 80) -> str:
    """Run ``command`` with its output or its errors on a pseudo-terminal; return what a screen would be sent."""
    import pty
    import termios

    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (40, columns))
    unset = {"NO_COLOR", "FORCE_COLOR", "COLUMNS"}
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    ran = subprocess.Popen(
        [*command],
        stdin=theirs,
        stdout=theirs if reads == "out" else subprocess.DEVNULL,
        stderr=theirs if reads == "err" else subprocess.DEVNULL,
        env={**environment, "TERM": "xterm-256color"},
    )
    os.close(theirs)
    seen = b"".join(iter(partial(_read, ours), b""))
    os.close(ours)
    assert ran.wait() == 0
    return seen.decode()


def _read(terminal: int) -> bytes:
    """Read some; nothing once the other side is closed, which Linux says by an error."""
    try:
        return os.read(terminal, 4096)
    except OSError:
        return b""
