"""Print the size of the house: files and lines of each room, and how much code a score enters.

``python benchmarks/house.py --write`` puts both tables into docs/design.md, between the marks that name this script.
Lines are all lines of the package's Python files; other data are not counted.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src/ragauge"
DESIGN = ROOT / "docs/design.md"


def rooms() -> str:
    """Return a Markdown table of the rooms with their files and lines, and of the whole."""
    files: Counter[str] = Counter()
    lines: Counter[str] = Counter()
    for path in PACKAGE.rglob("*.py"):
        inside = path.relative_to(PACKAGE).parts
        room = inside[0] if len(inside) > 1 else "modules at the root"
        files[room] += 1
        lines[room] += path.read_text(encoding="utf-8").count("\n")
    rows = [f"| {room} | {files[room]} | {lines[room]:,} |" for room in sorted(files)]
    whole = f"| all | {files.total()} | {lines.total():,} |"
    return "\n".join(["| room | files | lines |", "|---|---:|---:|", *rows, whole])


def entered() -> str:
    """Return the table of `benchmarks/entered.py`, from a process of its own."""
    script = ROOT / "benchmarks/entered.py"
    return subprocess.run([sys.executable, script], capture_output=True, text=True, check=True).stdout.strip()


def written(page: str, mark: str, table: str) -> str:
    """Return ``page`` with ``table`` between the marks of that name."""
    between = re.compile(rf"(<!-- house: {mark} -->\n).*?(\n<!-- /house -->)", re.DOTALL)
    if not between.search(page):
        raise SystemExit(f"{DESIGN} must have the marks '<!-- house: {mark} -->' and '<!-- /house -->'; add them")
    return between.sub(lambda match: f"{match[1]}\n{table}\n{match[2]}", page)


def main() -> None:
    tables = {"rooms": rooms(), "entered": entered()}
    sys.stdout.write("\n\n".join(tables.values()) + "\n")
    if "--write" in sys.argv[1:]:
        page = DESIGN.read_text(encoding="utf-8")
        for mark, table in tables.items():
            page = written(page, mark, table)
        DESIGN.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
