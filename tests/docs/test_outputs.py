"""What the pages show under a command is what the command prints; lines may be left out at ``...``."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.docs.blocks import name, pages
from tests.docs.outputs import first_missing, printed, rewritten, shown
from tests.docs.test_commands import files

__all__ = ["files"]


@pytest.mark.parametrize("page", [page for page in pages() if any(shown(page))], ids=name)
def test_output_is_what_the_command_prints(page: Path, files: Path, tmp_path: Path) -> None:
    folder = tmp_path / "reader"
    shutil.copytree(files, folder, symlinks=True)
    said = printed(page, folder)
    for block, output in shown(page):
        missing = first_missing(output, said[block.line])
        where = f"{name(page)}:{output.line}: {missing}\nrun python -m tests.docs.outputs, or see what was printed:\n"
        assert missing is None, where + "\n".join(said[block.line])


def test_output_is_written_anew_but_where_lines_are_left_out(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    parts = [f"```sh\necho {said}\n```\n\n```text\n{shown}\n```\n" for said, shown in (("now", "then"), ("all", "..."))]
    page.write_text("\n".join(parts), encoding="utf-8")
    assert rewritten(page, tmp_path) == page.read_text(encoding="utf-8").replace("then", "now")
