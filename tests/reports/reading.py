"""A report as a parser sees it: elements, their attributes and their text."""

from __future__ import annotations

import gzip
import json
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

_VOID = {"meta", "link", "input", "br", "wbr", "img", "hr"}


@dataclass
class Element:
    tag: str
    attributes: dict[str, str | None]
    children: list[Element | str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(child if isinstance(child, str) else child.text for child in self.children)

    @property
    def line(self) -> str:
        return " ".join(self.text.split())

    def all(self, tag: str = "", **attributes: str) -> list[Element]:
        """Return the descendants with ``tag`` and ``attributes``, in order; class_ is any one of the classes."""
        return [one for one in self.walk() if tag in ("", one.tag) and one.has(**attributes)]

    def one(self, tag: str = "", **attributes: str) -> Element:
        (found,) = self.all(tag, **attributes)
        return found

    def has(self, **attributes: str) -> bool:
        given = {name.rstrip("_"): value for name, value in attributes.items()}
        return all(
            value in (self.attributes.get(name) or "").split()
            if name == "class"
            else self.attributes.get(name) == value
            for name, value in given.items()
        )

    def walk(self) -> Iterator[Element]:
        for child in self.children:
            if isinstance(child, Element):
                yield child
                yield from child.walk()


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open = [Element("", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        made = Element(tag, dict(attrs))
        self.open[-1].children.append(made)
        if tag not in _VOID:
            self.open.append(made)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].children.append(Element(tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].tag == tag, f"</{tag}> ends <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def read(page: Path | str) -> Element:
    """Parse a page; every element must be closed by its own end tag."""
    reader = _Reader()
    reader.feed(page if isinstance(page, str) else page.read_text(encoding="utf-8"))
    reader.close()
    assert len(reader.open) == 1, f"<{reader.open[-1].tag}> is not closed"
    return reader.open[0]


def payload(page: Element) -> Any:
    """Return the samples of a page as its script reads them, passages in full."""
    held = json.loads(gzip.decompress(b64decode(page.one("script", id="payload").text)))
    for passage in (one for run in held["by_run"] for found in run["contexts"] for one in found):
        if "passage" in passage:
            passage["text"] = held["passages"][passage.pop("passage")]
    return held
