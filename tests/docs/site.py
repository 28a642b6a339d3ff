"""The built site, as its files: what each page links to, loads, and can be linked to."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from docs.generator.site import complete

from tests.docs.blocks import ROOT

# Attributes by which a page makes the browser fetch something.
_LOADS = {
    ("script", "src"), ("img", "src"), ("img", "srcset"), ("source", "src"), ("source", "srcset"), ("iframe", "src"),
    ("video", "src"), ("audio", "src"), ("embed", "src"), ("object", "data"), ("link", "href"), ("image", "href"),
}  # fmt: skip


@dataclass
class Page:
    """One page of the site."""

    path: Path
    links: set[str] = field(default_factory=set)
    loads: set[str] = field(default_factory=set)
    anchors: set[str] = field(default_factory=set)


def build(folder: Path) -> Path:
    """Build the site in ``folder``, away from the checkout, and return where it lies."""
    shutil.copy(ROOT / "mkdocs.yml", folder)
    shutil.copytree(ROOT / "docs", folder / "docs")
    command = [sys.executable, "-m", "zensical", "build", "--clean", "--strict"]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    site = folder / "build" / "site"
    assert list(complete(site, folder / "docs"))
    return site


def read(path: Path) -> Page:
    """Read what a page links to, loads and holds."""
    reader = _Reader(path)
    reader.feed(path.read_text(encoding="utf-8"))
    return reader.page


def external(url: str) -> bool:
    """Whether ``url`` leads to another server."""
    return bool(urlsplit(url).netloc)


def target(page: Path, url: str) -> tuple[Path, str]:
    """Return the file that ``url`` on ``page`` leads to, and the anchor in it."""
    parts = urlsplit(url)
    path = (page.parent / unquote(parts.path)).resolve() if parts.path else page.resolve()
    return path / "index.html" if path.is_dir() else path, unquote(parts.fragment)


class _Reader(HTMLParser):
    def __init__(self, path: Path) -> None:
        super().__init__()
        self.page = Page(path)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attrs if value is not None}
        self.page.anchors |= {given[name] for name in ("id", "name") if name in given and tag != "meta"}
        if tag == "a" and "href" in given:
            self.page.links.add(given["href"])
        only_named = tag == "link" and given.get("rel") in ("canonical", "next", "prev", "alternate")
        self.page.loads |= {given[name] for name in given if (tag, name) in _LOADS and not only_named}
