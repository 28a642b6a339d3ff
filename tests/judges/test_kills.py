"""A run that is killed or interrupted goes on where it was: only what was not kept is asked again."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from ragauge.metrics.judged.cascade import drawn
from tests.cli.running import write_rows

from .conftest import ChatServer, chat_answer
from .test_decisions import Deciding

PATIENCE_S = 120
PASSAGES = 5


@dataclass(frozen=True)
class Case:
    """A server on which a run is stopped in the middle, what asks it, and the requests of the whole run.

    ``hold`` is set to what each request calls before it is answered.
    """

    bodies: list[dict[str, Any]]
    hold: Callable[[Callable[[], object]], None]
    arguments: tuple[str, ...]
    samples: int
    requests: int


def of_chat(http: HTTPServer) -> Case:
    server = ChatServer(http)

    def hold(wait: Callable[[], object]) -> None:
        server.reply = lambda _body, _turn: (wait(), chat_answer({"rating": 2}))[1]

    judge = ("--judge", server.url, "--judge-model", "m", "--judge-parallel", "8")
    return Case(server.bodies, hold, ("-m", "judged-groundedness-rating", *judge), 500, 500)


def of_decisions(http: HTTPServer, *, at_once: int) -> Case:
    """Each sample asks about one claim and five passages, in requests of at most so many questions."""
    server = Deciding(http)

    def hold(wait: Callable[[], object]) -> None:
        server.twist = lambda document: (wait(), document)[1]

    judge = f"decisions[url={server.base}/decisions,model=m,parallel=8,questions={at_once}]"
    each = -(-PASSAGES // at_once)
    return Case(server.bodies, hold, ("-m", "judged-faithfulness", "--judge", judge), 300 // each, 300)


def of_cascade(http: HTTPServer) -> Case:
    """Of 600 samples a random half is asked about."""
    case, ids = of_decisions(http, at_once=200), [str(place) for place in range(600)]
    arguments = ("-m", "judged-faithfulness:ask=0..0,audit=0.5", *case.arguments[2:])
    return replace(case, arguments=arguments, samples=len(ids), requests=int(drawn(ids, 0.5).sum()))


CASES: dict[str, Callable[[HTTPServer], Case]] = {
    "chat": of_chat,
    "decisions, one request a sample": partial(of_decisions, at_once=200),
    "decisions, three requests a sample": partial(of_decisions, at_once=2),
    "decisions, a random half of the samples": of_cascade,
}


def command(folder: Path, case: Case, *more: str) -> list[str]:
    rows = [
        {
            "id": str(place),
            "question": "What is tea?",
            "answer": f"Tea {place} is hot.",
            "contexts": [f"Tea {place}, {number}." for number in range(PASSAGES)],
        }
        for place in range(case.samples)
    ]
    data = write_rows(folder / "data.jsonl", rows)
    options = ("--judge-cache", "judge.sqlite", "--resamples", "0", "--output-format", "json")
    return [sys.executable, "-m", "ragauge", "score", str(data), *case.arguments, *options, *more]


def kept(folder: Path) -> int:
    with closing(sqlite3.connect(folder / "judge.sqlite")) as connection:
        [[number]] = connection.execute("SELECT count(*) FROM answers")
    return int(number)


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "number"),
    [("chat", signal.SIGINT), *((kind, signal.SIGKILL) for kind in CASES)],
    ids=["Ctrl-C, chat", *(f"kill -9, {kind}" for kind in CASES)],
)
def test_exactly_the_missing_calls(listening: HTTPServer, tmp_path: Path, kind: str, number: signal.Signals) -> None:
    listening.clear()
    case = CASES[kind](listening)
    stopped, half = Event(), case.requests // 2

    def wait() -> None:
        # The rest waits, so that the run cannot end before it is stopped.
        if len(case.bodies) > half + 8:
            stopped.wait(PATIENCE_S)

    case.hold(wait)
    with subprocess.Popen(
        command(tmp_path, case), cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as running:
        end = time.monotonic() + PATIENCE_S
        while len(case.bodies) < half:
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
    # Requests that the server takes up after the process has ended are none of the next one.
    seen = -1
    while seen != len(case.bodies):
        seen = len(case.bodies)
        time.sleep(0.5)
    before = kept(tmp_path)
    # At most the requests that were under way are lost.
    assert half - 9 <= before < case.requests
    case.bodies.clear()
    again = subprocess.run(command(tmp_path, case), cwd=tmp_path, capture_output=True, check=True)
    assert len(case.bodies) == case.requests - before
    assert kept(tmp_path) == case.requests
    case.bodies.clear()
    offline = subprocess.run(command(tmp_path, case, "--offline"), cwd=tmp_path, capture_output=True, check=True)
    assert case.bodies == []
    assert table(offline.stdout) == table(again.stdout)
    assert [(one["scored"], one["failed"]) for one in table(offline.stdout)] == [(case.samples, 0)]


def table(printed: bytes) -> Any:
    return json.loads(printed)["metrics"]
