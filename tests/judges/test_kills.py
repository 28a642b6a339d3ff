"""A run that is killed or interrupted goes on where it was: only what was not kept is asked again."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from tests.cli.running import write_rows

from .conftest import ChatServer, chat_answer

SAMPLES = 500
ROWS = [
    {"id": str(place), "question": "What is tea?", "answer": f"Tea {place} is hot.", "contexts": [f"Tea {place}."]}
    for place in range(SAMPLES)
]
PATIENCE_S = 120


def command(folder: Path, server: ChatServer, *more: str) -> list[str]:
    data = write_rows(folder / "data.jsonl", ROWS)
    judge = ("--judge", server.url, "--judge-model", "m", "--judge-parallel", "8", "--judge-cache", "judge.sqlite")
    metric = ("-m", "judged-groundedness-rating", "--resamples", "0", "--output-format", "json")
    return [sys.executable, "-m", "ragauge", "score", str(data), *metric, *judge, *more]


def kept(folder: Path) -> int:
    with closing(sqlite3.connect(folder / "judge.sqlite")) as connection:
        [[number]] = connection.execute("SELECT count(*) FROM answers")
    return int(number)


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["kill -9", "Ctrl-C"])
def test_exactly_the_missing_calls(server: ChatServer, tmp_path: Path, number: signal.Signals) -> None:
    stopped = Event()

    def reply(_body: Any, _turn: int) -> Any:
        # The rest waits, so that the run cannot end before it is stopped.
        if len(server.bodies) > SAMPLES // 2 + 8:
            stopped.wait(PATIENCE_S)
        return chat_answer({"rating": 2})

    server.reply = reply
    with subprocess.Popen(
        command(tmp_path, server), cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as running:
        end = time.monotonic() + PATIENCE_S
        while len(server.bodies) < SAMPLES // 2:
            assert time.monotonic() < end
            assert running.poll() is None, running.stderr.read().decode() if running.stderr else ""
            time.sleep(0.005)
        os.kill(running.pid, number)
        _, messages = running.communicate(timeout=PATIENCE_S)
    stopped.set()
    assert running.returncode == (130 if number == signal.SIGINT else -signal.SIGKILL), messages
    if number == signal.SIGINT:
        assert re.search(
            rb"\d+ new replies cached in judge\.sqlite; give the same command to resume\n+interrupted", messages
        )
        assert b"Traceback" not in messages
    before = kept(tmp_path)
    # At most the requests that were under way are lost.
    assert SAMPLES // 2 - 9 <= before < SAMPLES
    server.bodies.clear()
    again = subprocess.run(command(tmp_path, server), cwd=tmp_path, capture_output=True, check=True)
    assert len(server.bodies) == SAMPLES - before
    assert kept(tmp_path) == SAMPLES
    server.bodies.clear()
    offline = subprocess.run(command(tmp_path, server, "--offline"), cwd=tmp_path, capture_output=True, check=True)
    assert server.bodies == []
    assert table(offline.stdout) == table(again.stdout)


def table(printed: bytes) -> Any:
    import json

    return json.loads(printed)["metrics"]
