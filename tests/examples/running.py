"""Running examples as a reader would: another process, a directory of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = ROOT / "examples"


def environment(**more: str) -> dict[str, str]:
    """Return the environment with this Python first on the path, no address of a server, and lines of 100 columns."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "GITHUB_"))}
    path = os.pathsep.join([str(Path(sys.executable).parent), kept.get("PATH", "")])
    return {**kept, "PATH": path, "COLUMNS": "100", "PYTHONIOENCODING": "utf-8", **more}


@cache
def output_of(name: str) -> str:
    """Return the output of an example without arguments, which runs once for all tests, in a directory of its own."""
    with TemporaryDirectory() as folder:
        return example(name, within=Path(folder))


def example(name: str, *arguments: str, within: Path, **more: str) -> str:
    """Run an example without an error or a warning, and return what it printed."""
    ran = subprocess.run(
        [sys.executable, str(EXAMPLES / name), *arguments],
        cwd=within, env=environment(**more), capture_output=True, text=True, encoding="utf-8", check=False, timeout=300,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert not ran.stderr
    return ran.stdout


def shell(command: str, within: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a command line as GitHub's runners do."""
    return subprocess.run(
        ["/bin/bash", "-e", "-c", command],
        cwd=within, env=environment(**more), capture_output=True, text=True, encoding="utf-8", check=False, timeout=300,
    )  # fmt: skip
