"""What pages show under their commands, and what the commands print.

``python -m tests.docs.outputs`` writes what is printed now into every page, ``python -m tests.docs.outputs docs/zh``
into those whose names begin so; blocks with ``...`` are left to people, and so are pages whose packages are not there.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.docs.blocks import Block, blocks, name, pages
from tests.docs.running import Ran, absent_packages, fill, run_page

LEFT_OUT = "..."


def shown(page: Path) -> Iterator[tuple[Block, Block]]:
    """Yield each block of commands that a block of text follows, but for an empty line, with that block."""
    for block, after in pairwise(blocks(page)):
        alone = "not run" in block.marks or "command" in block.marks
        follows = after.line == block.line + block.body.count("\n") + 3
        if block.language == "sh" and after.language == "text" and follows and block.commands() and not alone:
            yield block, after


def printed(done: Iterable[Ran]) -> dict[int, list[str]]:
    """Return the lines that the last command of each block printed, by the line where the block stands."""
    return {ran.block.line: ran.lines for ran in done}


def first_missing(output: Block, there: list[str]) -> str | None:
    """Return the first line of a block that was not printed, in their order."""
    rest = iter(there)
    wanted = (line.rstrip() for line in output.body.splitlines() if line.strip() not in ("", LEFT_OUT))
    return next((line for line in wanted if line not in rest), None)


def rewritten(page: Path, done: Iterable[Ran]) -> str:
    """Return the text of a page with the output of its commands."""
    text = page.read_text(encoding="utf-8")
    lines = printed(done)
    for block, output in shown(page):
        if LEFT_OUT in output.body.splitlines():
            missing = first_missing(output, lines[block.line])
            sys.stderr.write(f"{name(page)}:{output.line}: not printed: {missing}\n" if missing else "")
        else:
            now = "\n".join(lines[block.line]).strip("\n") + "\n"
            text = text.replace(f"```text\n{output.body}```", f"```text\n{now}```", 1)
    return text


if __name__ == "__main__":
    with TemporaryDirectory() as scratch:
        files = fill(Path(scratch) / "files")
        chosen = [page for page in pages() if name(page).startswith(tuple(sys.argv[1:]) or "") and any(shown(page))]
        for place, page in enumerate(page for page in chosen if not absent_packages(page)):
            page.write_text(rewritten(page, run_page(page, files, Path(scratch) / str(place))), encoding="utf-8")
