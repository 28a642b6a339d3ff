"""How many packages and how much disk an installation takes, ours and that of peers, each in a new environment.

    python benchmarks/install_size.py
    python benchmarks/install_size.py --peers

Prints a table in Markdown: the packages that pip adds to an empty environment, the size of their files (compiled
bytecode included; 1 MB is 10^6 bytes), and how long pip took. Exits with 1 where our base installation is larger than
it may be.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).parent.parent
MOST_PACKAGES, MOST_MEGABYTES = 30, 320

# torch of the index brings CUDA, several gigabytes; this version is there without it, which favours the peers.
TORCH = "torch==2.13.0"
PEERS = {
    "rouge-score, nltk": ["rouge-score", "nltk"],
    "sacrebleu": ["sacrebleu"],
    "pytrec_eval": ["pytrec-eval-terrier"],
    "ragas": ["ragas"],
    "deepeval": ["deepeval"],
    "torchmetrics, with torch": [TORCH, "torchmetrics"],
}


@dataclass(frozen=True)
class Size:
    """What an installation took."""

    versions: dict[str, str]
    megabytes: float
    seconds: float


class NotInstalledError(Exception):
    """Pip gave up; the message is the last of what it said."""


def installed(requirements: list[str], timeout: float) -> Size:
    """Install into a new environment and measure what was added.

    Raises:
        NotInstalledError: it could not be done, or not in time.
    """
    with environment(requirements, timeout) as (_, size):
        return size


@contextmanager
def environment(requirements: list[str], timeout: float) -> Iterator[tuple[Path, Size]]:
    """Make an environment with ``requirements`` that lasts as long as the block; yield its Python and what was added.

    Raises:
        NotInstalledError: it could not be done, or not in time.
    """
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / ("Scripts" if os.name == "nt" else "bin") / "python"
        empty, before = packages(python), megabytes(Path(folder))
        start = perf_counter()
        pip(python, requirements, timeout)
        seconds = perf_counter() - start
        added = {name: version for name, version in packages(python).items() if name not in empty}
        yield python, Size(added, megabytes(Path(folder)) - before, seconds)


def pip(python: Path, requirements: list[str], timeout: float) -> None:
    """Install ``requirements``, with torch held to a build without CUDA."""
    quiet = ["--quiet", "--disable-pip-version-check", "--no-input"]
    constraint = python.parent / "constraints.txt"
    constraint.write_text(TORCH + "\n", encoding="utf-8")
    command = [str(python), "-m", "pip", "install", *quiet, "--constraint", str(constraint), *requirements]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=timeout)
    except subprocess.TimeoutExpired:
        raise NotInstalledError(f"not installed within {timeout:.0f} s") from None
    if done.returncode:
        raise NotInstalledError(
            next((line for line in reversed(done.stderr.splitlines()) if line.strip()), "pip failed")
        )


def packages(python: Path) -> dict[str, str]:
    """Return the packages of an environment with their versions."""
    command = [str(python), "-m", "pip", "list", "--format", "json", "--disable-pip-version-check"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return {package["name"].replace("_", "-").lower(): package["version"] for package in json.loads(listed)}


def megabytes(folder: Path) -> float:
    """Return the size of all files under ``folder`` in 10^6 bytes; a link counts as nothing."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink()) / 1e6


def row(name: str, size: Size) -> str:
    """Write a line of the table."""
    return f"| {name} | {len(size.versions)} | {size.megabytes:.0f} | {size.seconds:.0f} |"


def peers(timeout: float) -> Iterator[str]:
    """Measure the peers; one that cannot be installed has its reason in place of numbers."""
    for name, requirements in PEERS.items():
        try:
            size = installed(requirements, timeout)
        except NotInstalledError as why:
            yield f"| {name} | {why} | | |"
            continue
        main = requirements[-1] if name.startswith("torchmetrics") else requirements[0]
        yield row(f"{name} {size.versions[main]}", size)


def main() -> int:
    """Print the table; return 1 where ours is too large."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--peers", action="store_true", help="measure other libraries too")
    parser.add_argument("--timeout", type=float, default=900, help="seconds that pip may take for each")
    asked = parser.parse_args()
    print(f"Python {sys.version.partition(' ')[0]}, {sys.platform}\n")
    print("| library | packages | MB | seconds |\n|---|---:|---:|---:|")
    ours = installed([str(ROOT)], asked.timeout)
    print(row(f"ragauge {ours.versions['ragauge']}", ours), flush=True)
    print(row("the same with its tests, `.[test]`", installed([f"{ROOT}[test]"], asked.timeout)), flush=True)
    for line in peers(asked.timeout) if asked.peers else ():
        print(line, flush=True)
    fits = len(ours.versions) <= MOST_PACKAGES and ours.megabytes <= MOST_MEGABYTES
    if not fits:
        print(f"\nragauge may take {MOST_PACKAGES} packages and {MOST_MEGABYTES} MB at most", file=sys.stderr)
    return 0 if fits else 1


if __name__ == "__main__":
    sys.exit(main())
