"""Many executions of one target, in a process of its own that may end or hang."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_HANG_S = 120.0
_WORKER = "tests.fuzz.worker"

Findings = dict[str, tuple[bytes, str]]
"""The input and the details of the first finding of each kind."""


def run(
    name: str, *, seconds: float, seed: int = 0, engine: str = "hypothesis", executions: int = 0
) -> tuple[int, Findings]:
    """Run a target for ``seconds``, or for so many ``executions``, and return how many there were and what was found.

    A worker that ends, hangs or is killed is a finding, by the input that it had; another one goes on.
    """
    findings: Findings = {}
    done, attempt, until = 0, 0, time.monotonic() + seconds
    while attempt == 0 or (done < executions if executions else time.monotonic() < until):
        with tempfile.TemporaryDirectory(prefix="fuzz-") as directory:
            folder = Path(directory)
            left = max(until - time.monotonic(), 1.0) if not executions else seconds
            task = {"name": name, "seconds": left, "seed": seed + attempt, "engine": engine, "folder": directory}
            ended = _worked({**task, "executions": max(executions - done, 0), "done": done}, folder, left)
            for line in (folder / "findings").read_text("utf-8").splitlines() if (folder / "findings").exists() else []:
                kind, data, details = json.loads(line)
                findings.setdefault(kind, (bytes.fromhex(data), details))
            counted = folder / "count"
            done += int(counted.read_text() or 0) if counted.exists() else 0
            if ended is not None:
                current = folder / "current"
                findings.setdefault(ended, (current.read_bytes() if current.exists() else b"", ended))
                done += 1
        attempt += 1
    return done, findings


def _worked(task: dict[str, object], folder: Path, seconds: float) -> str | None:
    """Run a worker to its end, and return how it ended unless it did its task."""
    command = [sys.executable, "-W", "ignore", "-m", _WORKER, json.dumps(task)]
    with (folder / "log").open("wb") as log, subprocess.Popen(command, stdout=log, stderr=log) as worker:
        started = time.time()
        while worker.poll() is None:
            time.sleep(0.05)
            current = folder / "current"
            heard = max(started, current.stat().st_mtime if current.exists() else 0.0)
            if time.time() - heard > _HANG_S:
                worker.kill()
                return "hangs"
            if time.time() - started > seconds + _HANG_S:
                worker.kill()
                return None
    if worker.returncode == 0:
        return None
    if worker.returncode < 0:
        return f"ends by signal {-worker.returncode}"
    if not (folder / "current").exists():
        raise RuntimeError((folder / "log").read_text("utf-8", "replace")[-2000:])
    return f"ends with status {worker.returncode}"
