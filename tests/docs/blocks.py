"""The code blocks of a Markdown page, and what hidden comments say of them.

``<!-- setup: COMMAND -->`` is run where it stands; before a block, ``<!-- file: NAME -->`` writes it to a file,
``<!-- exit: N -->`` is the exit code of its last command, ``<!-- not run: WHY -->`` leaves it alone, and
``<!-- server: PORT -->`` says that its only command is a server of that port. ``<!-- needs: PACKAGES -->`` names what
the commands of the page need beside the packages of the tests. On a Chinese page, ``<!-- differs: WHY -->`` says that
the English page has other commands there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

_TOKEN = re.compile(
    r"^<!-- (?P<mark>setup|file|exit|not run|server|needs|command|differs): (?P<text>.*?) -->$"
    r"|^(?P<fence>`{3,})(?P<language>[\w+-]*)[^\n]*\n(?P<body>.*?)^(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)
# They change the machine, or take minutes.
_LEFT_ALONE = re.compile(
    r"(sudo |pip |pipx |uv |apt |apt-get |git |conda |docker |(RAGAUGE_NATIVE=0 )?python benchmarks/)"
)


@dataclass(frozen=True)
class Block:
    """A fenced block; ``setup`` for a hidden command."""

    language: str
    body: str
    line: int
    marks: dict[str, str]

    def commands(self) -> list[str]:
        """Return the commands of a block of shell, one a logical line."""
        lines = self.body.replace("\\\n", " ").splitlines()
        return [line for line in lines if line.strip() and not line.startswith("#") and not _LEFT_ALONE.match(line)]


def pages() -> list[Path]:
    """Return README, every page of the docs, and the page of the examples if there is one."""
    return sorted([*ROOT.glob("README*.md"), *site_pages(), *(ROOT / "examples").glob("README*.md")])


def site_pages() -> list[Path]:
    """Return every page of the site; a worked example is a section of one."""
    return [page for page in DOCS.rglob("*.md") if DOCS / "worked" not in page.parents]


def in_chinese(page: Path) -> bool:
    """Whether a page is one of the Chinese guide, beside an English page of the same name."""
    return DOCS / "zh" in page.parents


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def blocks(page: Path) -> Iterator[Block]:
    """Return the blocks of a page in order."""
    text = page.read_text(encoding="utf-8")
    marks: dict[str, str] = {}
    for found in _TOKEN.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        if found["mark"] == "setup":
            yield Block("setup", found["text"], line, {})
        elif found["mark"]:
            marks[found["mark"]] = found["text"]
        else:
            yield Block(found["language"], found["body"], line, marks)
            marks = {}


def needs(page: Path) -> list[str]:
    """Return the packages that the commands of a page need, beside those of the tests."""
    found = re.search(r"^<!-- needs: (.*?) -->$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return found[1].split() if found else []


def outside(page: Path) -> str:
    """Return the text of a page without its blocks."""
    return _TOKEN.sub("", page.read_text(encoding="utf-8"))
