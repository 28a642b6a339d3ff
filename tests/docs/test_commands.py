"""Every block of shell on the pages runs, in a folder that has the files it names; every other block is checked too."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from ragauge.cli.main import main
from tests.docs.blocks import ROOT, Block, blocks, name, outside, pages
from tests.docs.files import write

SHELL = ("sh", "setup")
METRICS = ROOT / "docs" / "metrics"


def with_commands() -> list[Path]:
    """Return the pages that have commands, but for that of the examples: it has a test beside them."""
    found = [page for page in pages() if any(block.language in SHELL for block in blocks(page))]
    return [page for page in found if page.parent.name != "examples"]


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return reader(tmp_path_factory.mktemp("reader"))


def reader(folder: Path) -> Path:
    """Fill a folder with data, and a run that was made yesterday."""
    folder.mkdir(exist_ok=True)
    write(folder)
    metrics = ["ndcg@10", "token-f1", "rouge-1", "groundedness"]
    ran = run(f"ragauge score answers.jsonl {' '.join(f'-m {each}' for each in metrics)} -o runs/yesterday", folder)
    assert ran.returncode == 0, ran.stderr
    return folder


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a line as a reader's shell would."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "PYTHONIOENCODING": "utf-8", "COLUMNS": "100"}
    return subprocess.run(
        ["/bin/bash", "-euo", "pipefail", "-c", command],
        cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8", check=False, timeout=120,
    )  # fmt: skip


def run_here(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run one plain ``ragauge`` command in this process: starting one for each metric's page takes half a minute."""
    printed = io.StringIO()
    with chdir(folder), redirect_stdout(printed), redirect_stderr(printed), pytest.raises(SystemExit) as ended:
        main(shlex.split(command)[1:])
    return subprocess.CompletedProcess(command, int(ended.value.code or 0), printed.getvalue(), "")


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


@pytest.mark.parametrize("page", with_commands(), ids=name)
def test_commands_run(page: Path, files: Path, tmp_path: Path) -> None:
    folder = tmp_path / "reader"
    shutil.copytree(files, folder, symlinks=True)
    for block, command, code in steps(page):
        if not command:
            (folder / block.marks["file"]).parent.mkdir(parents=True, exist_ok=True)
            (folder / block.marks["file"]).write_text(block.body, encoding="utf-8")
            continue
        ran = (run_here if page.parent == METRICS else run)(command, folder)
        where = f"{name(page)}:{block.line}: {command}"
        assert ran.returncode == code, f"{where}\nexit code {ran.returncode}, not {code}\n{ran.stdout}\n{ran.stderr}"


@pytest.mark.parametrize("page", pages(), ids=name)
def test_no_block_goes_unchecked(page: Path) -> None:
    for block in blocks(page):
        where = f"{name(page)}:{block.line}"
        if block.language == "toml":
            tomllib.loads(block.body)
        elif block.language == "json":
            json_of(block.body)
        elif block.language == "python":
            runs = ">>> " in block.body or "file" in block.marks or "not run" in block.marks
            assert runs, (
                f"{where}: a block of Python has >>>, or <!-- file: NAME --> before it and a command that runs it"
            )
        elif block.language not in ("sh", "text", "setup"):
            known = "file" in block.marks or "not run" in block.marks
            assert known, (
                f"{where}: {block.language or 'no language'}: say <!-- file: NAME --> or <!-- not run: WHY -->"
            )


@pytest.mark.parametrize("page", pages(), ids=name)
def test_code_stands_in_fences(page: Path) -> None:
    text = outside(page)
    assert not re.search(r"^>>> ", text, re.MULTILINE), "an example that runs, outside a fence"
    assert not re.search(r"\n\n(?: {4}|\t)(?![-*\d ])\S", text), "an indented block; put it into ```text or ```sh"


def json_of(text: str) -> None:
    try:
        json.loads(text)
    except json.JSONDecodeError:
        for line in text.splitlines():
            json.loads(line)
