"""Running the commands of a page, each page once, for all tests that look at exit codes and at output."""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from ragauge.cli.main import main
from tests.cli.running import without_progress
from tests.docs.blocks import Block, blocks, in_chinese, needs
from tests.docs.files import write
from tests.docs.serving import Ports, serving

SHELL = ("sh", "setup")
# The width that the pages show, and a plain stream.
ENVIRONMENT = {"PYTHONIOENCODING": "utf-8", "COLUMNS": "100"}
_METRICS_OF_YESTERDAY = ("ndcg@10", "token-f1", "rouge-1", "groundedness")


@dataclass(frozen=True)
class Ran:
    """A command, the exit code that the page promises, and what came of it."""

    block: Block
    command: str
    promised: int
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        """Return the printed lines, without blanks at their ends."""
        return [line.rstrip() for line in without_progress(self.out + self.err).splitlines()]


def steps(page: Path) -> Iterator[tuple[Block, str, int]]:
    """Yield the commands of a page with the exit code that each must have; '' to write the block to a file."""
    for block in blocks(page):
        if "not run" in block.marks or "command" in block.marks:
            continue
        if block.language == "setup":
            yield block, block.body, 0
        elif block.language == "sh":
            *others, last = block.commands() or [""]
            yield from ((block, command, 0) for command in others)
            yield from [(block, last, int(block.marks.get("exit", 0)))] if last else []
        elif "file" in block.marks:
            yield block, "", 0


def fill(folder: Path) -> Path:
    """Fill a folder with data, and a run that was made yesterday."""
    folder.mkdir(exist_ok=True)
    write(folder)
    metrics = " ".join(f"-m {metric}" for metric in _METRICS_OF_YESTERDAY)
    code, _, err = run(f"ragauge score answers.jsonl {metrics} -o runs/yesterday", folder)
    assert code == 0, err
    return folder


def run_page(page: Path, files: Path, folder: Path) -> list[Ran]:
    """Run the commands of a page in order, in ``folder``, a copy of ``files``; a Chinese page shows Chinese output."""
    shutil.copytree(files, folder, symlinks=True)
    language = "zh" if in_chinese(page) else "en"
    done, ports = [], Ports()
    with ExitStack() as servers:
        for block, command, promised in steps(page):
            if "server" in block.marks:
                port = ports.free_port(block.marks["server"])
                servers.enter_context(serving(ports.in_command(command), port, folder, _environment(language)))
            elif command:
                code, *printed = run(ports.in_command(command), folder, language)
                done.append(Ran(block, command, promised, code, *map(ports.as_on_the_page, printed)))
            else:
                path = folder / block.marks["file"]
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(block.body, encoding="utf-8")
    return done


def absent_packages(page: Path) -> list[str]:
    """Return the packages that a page needs and that are not installed."""
    return [name for name in needs(page) if not _is_installed(name)]


def _is_installed(package: str) -> bool:
    try:
        return bool(version(package))
    except PackageNotFoundError:
        return False


def run(command: str, folder: Path, language: str = "en") -> tuple[int, str, str]:
    """Run a line: in this process if it is one plain ``ragauge`` command, also one whose output goes to a file, else in
    a shell; return code and output.

    A process of its own imports everything again. That ``ragauge`` starts from a shell is shown in ``tests/cli``.
    """
    words = shlex.shlex(command, posix=True, punctuation_chars=True)
    words.whitespace_split = True
    arguments = list(words)
    if arguments[:1] == ["ragauge"] and arguments[-2:-1] == [">"] and "|" not in arguments:
        code, out, err = run(command[: command.rindex(">")], folder, language)
        (folder / arguments[-1]).write_text(out, encoding="utf-8")
        return code, "", err
    plain = arguments[0] == "ragauge" and not any(re.fullmatch(r"[|&;<>()]+|.*[*?$~].*", word) for word in arguments)
    if arguments == ["ragauge", "demo"] and not (folder / "ragauge-demo").exists():
        home, done = _demo(language)
        shutil.copytree(Path(home.name, "ragauge-demo"), folder / "ragauge-demo")
        return done
    environment = _environment(language)
    return _run_here(arguments[1:], folder, environment) if plain else _run_apart(command, folder, environment)


def _environment(language: str) -> dict[str, str]:
    """Return the variables of a command: the width that pages show, and this Python first on the path."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return {**ENVIRONMENT, "RAGAUGE_LANG_UI": language, "PATH": path}


@cache
def _demo(language: str) -> tuple[TemporaryDirectory[str], tuple[int, str, str]]:
    """Run the demo, with which many pages begin, once for all of them; the folder lasts as long as what is returned."""
    home = TemporaryDirectory()
    return home, _run_here(["demo"], Path(home.name), _environment(language))


def _run_here(arguments: list[str], folder: Path, environment: dict[str, str]) -> tuple[int, str, str]:
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with chdir(folder), patch.dict(os.environ, environment), redirect_stdout(out), redirect_stderr(err):
        try:
            main(arguments)
        except SystemExit as ended:
            return int(ended.code or 0), _written(out), _written(err)
    message = "the command line ends with SystemExit"
    raise AssertionError(message)


def _written(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


def _run_apart(command: str, folder: Path, environment: dict[str, str]) -> tuple[int, str, str]:
    ran = subprocess.run(
        ["/bin/bash", "-euo", "pipefail", "-c", command],
        cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, encoding="utf-8", check=False,
        timeout=300,
    )  # fmt: skip
    return ran.returncode, ran.stdout, ran.stderr
