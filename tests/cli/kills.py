"""Kill commands at random moments: under the asked name stands the old or the new state, and leftovers are cleaned.

``python -m tests.cli.kills --kills 300`` prints the kills of each kind and where they struck.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from pathlib import Path
from time import monotonic, sleep

import numpy as np

import ragauge
from tests.cli.running import write_rows

COMMAND = [sys.executable, "-m", "ragauge"]
ROWS = [
    {
        "id": str(place),
        "question": "What is tea?",
        "answer": f"Tea {place} is hot.",
        "contexts": [f"Tea {place} is hot."],
    }
    for place in range(200)
]
KINDS: Mapping[str, tuple[str, ...]] = {
    "score -o": ("score", "data.jsonl", "-m", "groundedness", "-o", "run"),
    "score -o --force": ("score", "data.jsonl", "-m", "groundedness", "-o", "run", "--force"),
    "report --force": ("report", "base", "-o", "page.html", "--force"),
    "score --embedding-cache": (
        "score", "data.jsonl", "-m", "answer-relevancy", "--embedding-cache", "cache", "-o", "cached", "--force",
    ),
}  # fmt: skip
"""Commands by their kind, in a folder that `prepare` makes."""


def start(folder: Path, kind: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*COMMAND, *KINDS[kind]], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=_environment()
    )


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


def prepare(folder: Path) -> None:
    """Make a folder with data, a run of them, and a page of that run."""
    write_rows(folder / "data.jsonl", ROWS)
    for arguments in (
        ("score", "data.jsonl", "-m", "groundedness", "-o", "base"),
        ("report", "base", "-o", "page.html"),
    ):
        subprocess.run([*COMMAND, *arguments], cwd=folder, check=True, capture_output=True, env=_environment())
    shutil.copytree(folder / "base", folder / "old")


def kill(folder: Path, kind: str, seconds: float, *, aimed: bool) -> str:
    """Start a command in ``folder``, kill it after ``seconds``, check what is there; return where it struck.

    With ``aimed`` the seconds begin when the command begins to write.
    """
    if kind == "score -o --force":
        shutil.copytree(folder / "old", folder / "run")
        change_name(folder / "run")
    command = start(folder, kind)
    if aimed:
        # Something hidden is there from the first to the last moment of writing.
        while command.poll() is None and not hidden(folder):
            sleep(0.001)
    try:
        command.wait(seconds)
    except subprocess.TimeoutExpired:
        command.send_signal(signal.SIGKILL)
    command.communicate()
    if command.returncode != -signal.SIGKILL:
        return "ended before"
    left = hidden(folder)
    state = check(folder, kind)
    again = start(folder, "score -o --force" if kind == "score -o" else kind)
    _, problem = again.communicate(timeout=120)
    assert again.returncode == 0, f"{kind} fails after a kill: {again.returncode}, {problem.decode()}"
    assert not hidden(folder), f"{kind} leaves {hidden(folder)}"
    return f"{state}{', leftovers' if left else ''}"


def change_name(run: Path) -> None:
    """Mark a run as the old one, in a place that its digests do not cover."""
    manifest = json.loads((run / "manifest.json").read_text(encoding="utf-8"))
    manifest["data"]["source"] = "the old one"
    (run / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


def hidden(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("."))


def check(folder: Path, kind: str) -> str:
    """Return ``old``, ``new`` or ``none`` for what stands under the name that ``kind`` writes; else fail."""
    if kind == "report --force":
        text = (folder / "page.html").read_text(encoding="utf-8")
        assert text.rstrip().endswith("</html>"), "half of a page"
        return "whole"
    name = folder / ("cached" if "cache" in kind else "run")
    if not name.exists():
        assert kind != "score -o --force", "the old run is gone"
        return "none"
    source = ragauge.load(name).data.source
    return "old" if source == "the old one" else "new"


def durations(folder: Path) -> dict[str, float]:
    """Return the seconds that each command takes here, undisturbed."""
    taken = {}
    for kind in KINDS:
        began = monotonic()
        _, problem = (command := start(folder, kind)).communicate()
        assert command.returncode == 0, problem.decode()
        taken[kind] = monotonic() - began
    return taken


def run_kills(kills: int, seed: int, workers: int = 2) -> dict[str, Counter[str]]:
    """Kill ``kills`` commands before they end, each kind in turn: three of four while they write."""
    struck: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
    draw = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as home:
        model = Path(home) / "model"
        model.mkdir()
        prepare(model)
        trial = Path(shutil.copytree(model, Path(home) / "trial"))
        # The first six kills are aimed, and need no durations.
        taken = durations(trial) if kills > 6 else {}
        plans = [
            (number, kind, float(draw.uniform(0, 0.06) if number % 8 < 6 else draw.uniform(0.3, 1.2) * taken[kind]))
            for number, kind in zip(range(kills), cycle(KINDS), strict=False)
        ]

        def one(plan: tuple[int, str, float]) -> tuple[str, str]:
            number, kind, seconds = plan
            state = "ended before"
            while state == "ended before":  # then the kill did not strike: the same again, earlier
                folder = Path(shutil.copytree(model, Path(home) / str(number)))
                state = kill(folder, kind, seconds, aimed=number % 8 < 6)
                shutil.rmtree(folder)
                seconds *= 0.6
            return kind, state

        with ThreadPoolExecutor(workers) as pool:
            for kind, state in pool.map(one, plans):
                struck[kind][state] += 1
    return struck


def main(arguments: list[str] | None = None, write: Callable[[str], object] = print) -> None:
    """Kill as many commands as asked for, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    for kind, states in run_kills(options.kills, options.seed).items():
        write(f"{kind}: {', '.join(f'{count} {state}' for state, count in sorted(states.items()))}")


if __name__ == "__main__":
    main()
