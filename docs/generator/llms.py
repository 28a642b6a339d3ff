"""``llms.txt``: the pages of the site for language models, from the menu (https://llmstxt.org)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from docs.generator.tables import paragraphs

_OPTIONAL = ("Extend", "Contribute", "中文")
"""Sections of the menu that a reader of English who uses ragauge may skip; the convention calls them optional."""
_ENTRY = re.compile(r"^( +)- (?:(?P<page>\S+\.md)|(?P<title>.+):)$")
_SITE = re.compile(r'^site_(name|description): "?(.+?)"?$', re.MULTILINE)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_NO_TEXT = ("#", "<!--", "![", "```", "|", "- ", ">", "<")
_FIRST = re.compile(r"(.+?)(?:[.?!](?= |$)|[。？！]|$)")


class MenuEntry(NamedTuple):
    """A page of the menu, in the section that its name is in."""

    section: str
    page: str


def text(menu: str, read: Callable[[str], str]) -> str:
    """Return the text of the file.

    Args:
        menu: the text of ``mkdocs.yml``.
        read: returns the text of a page by its path in the menu.
    """
    site = dict(_SITE.findall(menu))
    sections: dict[str, list[str]] = {}
    for entry in entries(menu):
        name = "Optional" if entry.section in _OPTIONAL else entry.section
        sections.setdefault(name, []).append(_line(entry.page, read(entry.page)))
    # The convention has the optional section last.
    ordered = sorted(sections, key="Optional".__eq__)
    agents = "Coding agents call ragauge over MCP: `pip install 'ragauge[mcp]'`, then `ragauge mcp` (see mcp.md)."
    parts = [part for name in ordered for part in (f"## {name}", "\n".join(sections[name]))]
    return paragraphs([f"# {site['name']}", f"> {site['description']}", agents, *parts])


def entries(menu: str) -> Iterator[MenuEntry]:
    """Yield the pages of the menu in order, each with the top section that it is in."""
    section = ""
    for line in menu.partition("\nnav:\n")[2].splitlines():
        found = _ENTRY.match(line)
        if found and found["page"]:
            yield MenuEntry(section, found["page"])
        elif found and len(found[1]) == 2:
            section = found["title"]


def _line(page: str, text: str) -> str:
    """Return the item of a page: its title, its path in the repository and on the site, and its first sentence."""
    title = re.search(r"^# (.+)$", text, re.MULTILINE)
    return f"- [{title[1] if title else page}]({page}): {_sentence(text)}"


def _sentence(text: str) -> str:
    """Return the first sentence of a page that is neither a heading nor a table, an image, a list or a comment."""
    blocks = [" ".join(block.split()) for block in text.split("\n\n")]
    prose = next((block for block in blocks if block and not block.startswith(_NO_TEXT)), "")
    first = _FIRST.match(_LINK.sub(r"\1", prose).replace("**", ""))
    return first[0] if first else prose
