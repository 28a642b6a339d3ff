"""Many executions of one target, in a process of its own that may end or hang."""

from __future__ import annotations

import json
import mmap
import os
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.fuzz.making import IN_MEMORY

_START_S = 120.0
"""Seconds that a worker may take to its first input: it imports a lot, also on a busy machine."""
_HANG_S = 120.0
_WORKER = "tests.fuzz.worker"

# How many inputs there were, when the last one came, its length; the input follows.
_HEAD = struct.Struct("qdq")
_LONGEST = 1 << 24

Findings = dict[str, tuple[bytes, str]]
"""The input and the details of the first finding of each kind."""


class Progress:
    """How far a worker is, in a file that it and the process that watches it have in memory."""

    def __init__(self, folder: Path) -> None:
        path = folder / "progress"
        if not path.exists():
            path.touch()
            os.truncate(path, _HEAD.size + _LONGEST)
        with path.open("r+b") as file:
            self._bytes = mmap.mmap(file.fileno(), 0)

    def begin(self, data: bytes) -> None:
        """Note that the next input is ``data``."""
        self._bytes[_HEAD.size : _HEAD.size + len(data)] = data
        self._bytes[: _HEAD.size] = _HEAD.pack(self.count + 1, time.time(), len(data))

    @property
    def count(self) -> int:
        """How many inputs there were."""
        return int(_HEAD.unpack_from(self._bytes)[0])

    @property
    def heard(self) -> float:
        """When the last input came, in seconds since 1970; 0 before the first."""
        return float(_HEAD.unpack_from(self._bytes)[1])

    @property
    def current(self) -> bytes:
        """The last input."""
        return self._bytes[_HEAD.size : _HEAD.size + _HEAD.unpack_from(self._bytes)[2]]


def run(
    name: str, *, seconds: float, seed: int = 0, engine: str = "hypothesis", executions: int = 0
) -> tuple[int, Findings]:
    """Run a target for ``seconds``, or for so many ``executions``, and return how many there were and what was found.

    A worker that ends, hangs or is killed is a finding, by the input that it had; another one goes on.
    """
    findings: Findings = {}
    done, attempt, until = 0, 0, time.monotonic() + seconds
    while attempt == 0 or (done < executions if executions else time.monotonic() < until):
        with tempfile.TemporaryDirectory(prefix="fuzz-", dir=IN_MEMORY) as directory:
            folder = Path(directory)
            progress = Progress(folder)
            left = max(until - time.monotonic(), 1.0) if not executions else seconds
            task = {"name": name, "seconds": left, "seed": seed + attempt, "engine": engine, "folder": directory}
            ended = _worked({**task, "executions": max(executions - done, 0), "done": done}, folder, progress, left)
            for line in (folder / "findings").read_text("utf-8").splitlines() if (folder / "findings").exists() else []:
                kind, data, details = json.loads(line)
                findings.setdefault(kind, (bytes.fromhex(data), details))
            done += progress.count
            if ended is not None:
                findings.setdefault(ended, (progress.current, _end_of(folder / "log")))
        attempt += 1
    return done, findings


def _worked(task: dict[str, object], folder: Path, progress: Progress, seconds: float) -> str | None:
    """Run a worker to its end, and return how it ended unless it did its task."""
    command = [sys.executable, "-W", "ignore", "-m", _WORKER, json.dumps(task)]
    with (folder / "log").open("wb") as log, subprocess.Popen(command, stdout=log, stderr=log) as worker:
        started = time.time()
        while worker.poll() is None:
            time.sleep(0.05)
            if time.time() - max(started, progress.heard) > (_HANG_S if progress.heard else _START_S):
                worker.kill()
                return "hangs"
            if time.time() - started > seconds + _HANG_S:
                worker.kill()
                return None
    if worker.returncode == 0:
        return None
    if worker.returncode < 0:
        return f"ends by signal {-worker.returncode}"
    if not progress.count:
        raise RuntimeError(_end_of(folder / "log"))
    return f"ends with status {worker.returncode}"


def _end_of(log: Path) -> str:
    return log.read_text("utf-8", "replace")[-4000:]
