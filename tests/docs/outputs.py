"""What pages show under their commands, and what the commands print.

``python -m tests.docs.outputs`` writes what is printed now into every page; blocks with ``...`` are left to people.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.docs.blocks import Block, blocks, name, pages
from tests.docs.test_commands import reader, run, steps

LEFT_OUT = "..."


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


def first_missing(output: Block, there: list[str]) -> str | None:
    """Return the first line of a block that was not printed, in their order."""
    rest = iter(there)
    wanted = (line.rstrip() for line in output.body.splitlines() if line.strip() not in ("", LEFT_OUT))
    return next((line for line in wanted if line not in rest), None)


def rewritten(page: Path, folder: Path) -> str:
    """Return the text of a page with what its commands print."""
    text = page.read_text(encoding="utf-8")
    said = printed(page, folder)
    for block, output in shown(page):
        if LEFT_OUT in output.body.splitlines():
            missing = first_missing(output, said[block.line])
            sys.stderr.write(f"{name(page)}:{output.line}: not printed: {missing}\n" if missing else "")
        else:
            now = "\n".join(said[block.line]).strip("\n") + "\n"
            text = text.replace(f"```text\n{output.body}```", f"```text\n{now}```", 1)
    return text


if __name__ == "__main__":
    with TemporaryDirectory() as scratch:
        files = reader(Path(scratch) / "files")
        for place, page in enumerate(page for page in pages() if any(shown(page))):
            folder = Path(scratch) / str(place)
            shutil.copytree(files, folder, symlinks=True)
            page.write_text(rewritten(page, folder), encoding="utf-8")
