"""What a built site has beside its pages: these as Markdown, the report of the example, and an archive to install."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from shutil import copy
from tempfile import TemporaryDirectory

from docs.generator import llms

DOCS = Path(__file__).parents[1]
REPORT = "demo.html"
"""The home page shows it in a frame."""
ARCHIVE = "ragauge.tar.gz"
"""What pip installs from the address of the site."""
_ROOT = DOCS.parent
_TO_BUILD = ("pyproject.toml", "README.md", "LICENSE", "NOTICE", "native", "src")


def complete(site: Path, docs: Path = DOCS) -> Iterator[str]:
    """Add to the built ``site`` what its pages lead to; yield the paths in it."""
    yield from copy_pages(site, docs)
    yield write_report(site / REPORT)
    yield write_archive(site / ARCHIVE)


def copy_pages(site: Path, docs: Path = DOCS) -> Iterator[str]:
    """Copy the pages of the menu to the built site, where ``llms.txt`` leads to them; yield their paths."""
    for entry in llms.entries((docs.parent / "mkdocs.yml").read_text(encoding="utf-8")):
        copy(docs / entry.page, site / entry.page)
        yield entry.page


def write_report(path: Path) -> str:
    """Write the report that ``ragauge demo`` writes; return its name."""
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "ragauge", "demo", "-o", "ragauge-demo", "--language", "en"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)  # noqa: S603 - our own command
        copy(Path(folder) / "ragauge-demo" / "report.html", path)
    return path.name


def write_archive(path: Path) -> str:
    """Write what ``pip install`` builds ragauge from, in one folder as pip wants it; return its name."""
    with tarfile.open(path, "w:gz") as archive:
        for name in _TO_BUILD:
            archive.add(_ROOT / name, f"ragauge/{name}", filter=_no_caches)
    return path.name


def _no_caches(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    return None if Path(entry.name).name == "__pycache__" else entry
