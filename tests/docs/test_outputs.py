"""What the pages show under a command is what the command prints; lines may be left out at ``...``."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from tests.docs.blocks import Block, blocks, name, pages
from tests.docs.test_commands import files, run, steps

__all__ = ["files"]


def shown(page: Path) -> Iterator[tuple[Block, Block]]:
    """Yield each block of commands that a block of text follows, but for an empty line, with that block."""
    for block, after in pairwise(blocks(page)):
        alone = "not run" in block.marks or "command" in block.marks
        follows = after.line == block.line + block.body.count("\n") + 3
        if block.language == "sh" and after.language == "text" and follows and block.commands() and not alone:
            yield block, after


def printed(page: Path, folder: Path) -> dict[int, list[str]]:
    """Return what the last command of each block printed, by the line where the block stands."""
    said = {}
    for block, command, _ in steps(page):
        if command:
            ran = run(command, folder)
            said[block.line] = [line.rstrip() for line in (ran.stdout + ran.stderr).splitlines()]
        else:
            (folder / block.marks["file"]).write_text(block.body, encoding="utf-8")
    return said


def first_missing(wanted: list[str], there: list[str]) -> str | None:
    """Return the first of the wanted lines that is not there, in their order."""
    rest = iter(there)
    return next((line for line in wanted if line not in rest), None)


@pytest.mark.parametrize("page", [page for page in pages() if any(shown(page))], ids=name)
def test_output_is_what_the_command_prints(page: Path, files: Path, tmp_path: Path) -> None:
    folder = tmp_path / "reader"
    shutil.copytree(files, folder, symlinks=True)
    said = printed(page, folder)
    for block, output in shown(page):
        wanted = [line.rstrip() for line in output.body.splitlines() if line.strip() not in ("", "...")]
        missing = first_missing(wanted, said[block.line])
        assert missing is None, f"{name(page)}:{output.line}: {missing}\nprinted:\n" + "\n".join(said[block.line])
