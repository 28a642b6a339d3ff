"""Kill commands at random moments: under the asked name stands the old or the new state, and leftovers are cleaned.

``python -m tests.cli.kills --kills 300`` prints the kills of each kind and where they struck.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import cycle
from pathlib import Path
from time import monotonic, sleep
from typing import Any

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
# More than two writes of the embedding cache, which keeps a thousand texts at a time.
PAIRS = [
    {"id": str(place), "answer": f"Tea {place} is hot.", "reference": f"Tea {place} is warm."} for place in range(2100)
]
CACHED = "score --embedding-cache"
SIMILARITY = ("score", "pairs.jsonl", "-m", "semantic-similarity:embedder=http[url={url},model=m]", "--resamples", "0")
KINDS: Mapping[str, tuple[str, ...]] = {
    "score -o": ("score", "data.jsonl", "-m", "groundedness", "-o", "run"),
    "score -o --force": ("score", "data.jsonl", "-m", "groundedness", "-o", "run", "--force"),
    "report --force": ("report", "base", "-o", "page.html", "--force"),
    CACHED: (*SIMILARITY, "--embedding-cache", "cache", "-o", "cached", "--force"),
}
"""Commands by their kind, in a folder that `Kills.prepare` makes; ``{url}`` is a server of embeddings."""

_TRIES = 30
_WAIT_S = 120.0
# An aimed kill strikes up to so many seconds after the command begins to write: about as long as it then goes on.
_WRITES_S = {CACHED: 0.5}
_ELSE_WRITES_S = 0.06


class _Embeddings(BaseHTTPRequestHandler):
    """Answers as OpenAI's ``/embeddings`` does, with 32 numbers that the text decides."""

    def do_POST(self) -> None:
        texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
        items = [{"index": place, "embedding": [*sha256(text.encode()).digest()]} for place, text in enumerate(texts)]
        body = json.dumps({"data": items}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Write nothing."""


class _Server(ThreadingHTTPServer):
    request_queue_size = 64

    def handle_error(self, *_: Any) -> None:
        """Write nothing: a killed command breaks off its requests."""


@contextmanager
def serving() -> Iterator[str]:
    """Serve embeddings on this machine; give the address."""
    with _Server(("127.0.0.1", 0), _Embeddings) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        finally:
            server.shutdown()
            thread.join()


def start(folder: Path, arguments: tuple[str, ...], url: str) -> subprocess.Popen[bytes]:
    # No proxy is asked for the server of embeddings.
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "NO_PROXY": "127.0.0.1",
        "no_proxy": "127.0.0.1",
    }
    command = [*COMMAND, *(argument.replace("{url}", url) for argument in arguments)]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)


def finish(folder: Path, arguments: tuple[str, ...], url: str, when: str) -> str:
    """Run a command that must end well, and return what it wrote to stderr."""
    command = start(folder, arguments, url)
    try:
        _, problem = command.communicate(timeout=_WAIT_S)
    finally:
        command.kill()
    assert command.returncode == 0, f"{arguments} fails {when}: {command.returncode}, {problem.decode()}"
    return problem.decode()


def prepare(folder: Path, url: str) -> None:
    """Make a folder with data, runs of them, and a page of a run."""
    write_rows(folder / "data.jsonl", ROWS)
    write_rows(folder / "pairs.jsonl", PAIRS)
    for arguments in (
        ("score", "data.jsonl", "-m", "groundedness", "-o", "base"),
        ("report", "base", "-o", "page.html"),
        (*SIMILARITY, "-o", "uncached"),
    ):
        finish(folder, arguments, url, "before any kill")
    shutil.copytree(folder / "base", folder / "old")


def kill(folder: Path, kind: str, seconds: float, url: str, *, aimed: bool) -> str:
    """Start a command in ``folder``, kill it after ``seconds``, check what is there; return where it struck.

    With ``aimed`` the seconds begin when the command begins to write.
    """
    if kind == "score -o --force":
        shutil.copytree(folder / "old", folder / "run")
        change_name(folder / "run")
    command = start(folder, KINDS[kind], url)
    try:
        if aimed:
            # Something hidden is there from the first to the last moment of writing, and the cache before it.
            latest = monotonic() + _WAIT_S
            while command.poll() is None and not (hidden(folder) or cache_files(folder)) and monotonic() < latest:
                sleep(0.001)
        command.wait(seconds)
    except subprocess.TimeoutExpired:
        command.send_signal(signal.SIGKILL)
    finally:
        command.kill()
        _, problem = command.communicate()
    if command.returncode == 0:
        return "ended before"
    assert command.returncode == -signal.SIGKILL, f"{kind} fails unkilled: {command.returncode}, {problem.decode()}"
    left = hidden(folder) or cache_files(folder)[1:]
    state = check(folder, kind)
    again = "score -o --force" if kind == "score -o" else kind
    check_ended(folder, kind, finish(folder, KINDS[again], url, "after a kill"))
    return f"{state}{', leftovers' if left else ''}"


def check_ended(folder: Path, kind: str, stderr: str) -> None:
    """Check what a command left that was not killed."""
    assert not hidden(folder), f"{kind} leaves {hidden(folder)}"
    if kind == CACHED:
        # A journal besides it is a leftover.
        assert cache_files(folder) == ["embeddings.sqlite"], f"the cache is {cache_files(folder)}"
        assert kept(folder) == 2 * len(PAIRS), f"the cache keeps {kept(folder)} vectors"
        assert "embedding cache" not in stderr, stderr
        check_scores(folder)


def check_scores(folder: Path) -> None:
    """Check that the run with a cache has the scores of the run without one."""
    cached, uncached = (ragauge.load(folder / name).to_arrow() for name in ("cached", "uncached"))
    assert cached.equals(uncached), "the scores with a cache are not those without one"


def cache_files(folder: Path) -> list[str]:
    """Return the names of the cache's file and, after it, of its journals."""
    place = folder / "cache"
    return sorted(path.name for path in place.iterdir()) if place.exists() else []


def kept(folder: Path) -> int:
    """Return how many vectors the cache keeps, as read from a copy: who opens the file itself cleans it up."""
    if not cache_files(folder):
        return 0
    with tempfile.TemporaryDirectory() as place:
        copy = Path(shutil.copytree(folder / "cache", Path(place) / "cache"))
        with closing(sqlite3.connect(copy / "embeddings.sqlite")) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            made = connection.execute("SELECT name FROM sqlite_master WHERE name = 'embeddings'").fetchall()
            return int(connection.execute("SELECT count(*) FROM embeddings").fetchone()[0]) if made else 0


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
    if kind == CACHED:
        vectors = kept(folder)
        share = "no" if not vectors else "part of the" if vectors < 2 * len(PAIRS) else "the whole"
        if (folder / "cached").exists():
            check_scores(folder)
        return f"{'new' if (folder / 'cached').exists() else 'none'}, {share} cache"
    if not (folder / "run").exists():
        assert kind != "score -o --force", "the old run is gone"
        return "none"
    source = ragauge.load(folder / "run").data.source
    return "old" if source == "the old one" else "new"


def durations(folder: Path, url: str) -> dict[str, float]:
    """Return the seconds that each command takes here, undisturbed."""
    taken = {}
    for kind, arguments in KINDS.items():
        began = monotonic()
        stderr = finish(folder, arguments, url, "undisturbed")
        taken[kind] = monotonic() - began
        check_ended(folder, kind, stderr)
    return taken


def run_kills(kills: int, seed: int, workers: int = 2) -> dict[str, Counter[str]]:
    """Kill ``kills`` commands before they end, each kind in turn: three of four while they write."""
    struck: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
    draw = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as home, serving() as url:
        model = Path(home) / "model"
        model.mkdir()
        prepare(model, url)
        trial = Path(shutil.copytree(model, Path(home) / "trial"))
        # The first six kills are aimed, and need no durations.
        taken = durations(trial, url) if kills > 6 else {}
        plans = []
        for number, kind in zip(range(kills), cycle(KINDS), strict=False):
            window = (0.0, _WRITES_S.get(kind, _ELSE_WRITES_S)) if number % 8 < 6 else (0.3, 1.2)
            seconds = float(draw.uniform(*window)) * (1.0 if number % 8 < 6 else taken[kind])
            plans.append((number, kind, seconds))

        def one(plan: tuple[int, str, float]) -> tuple[str, str]:
            number, kind, seconds = plan
            for _ in range(_TRIES):
                folder = Path(shutil.copytree(model, Path(home) / str(number)))
                state = kill(folder, kind, seconds, url, aimed=number % 8 < 6)
                shutil.rmtree(folder)
                if state != "ended before":
                    return kind, state
                seconds *= 0.6  # the kill did not strike: the same again, earlier
            raise AssertionError(f"{kind} ended before each of {_TRIES} kills, the last after {seconds / 0.6:.1g} s")

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
