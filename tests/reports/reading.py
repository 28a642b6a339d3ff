"""A report as a parser sees it: elements, their attributes and their text."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import islice
from pathlib import Path
from typing import Any

from ragauge.reports.chunks import by_column
from ragauge.reports.room import DIGITS

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
    """Return the samples of a page as its script reads them: column by column, passages in full."""
    held, *chunks = map(unpacked, stored(page).strip().split("\n"))
    metrics = [metric["name"] for metric in held["metrics"]]
    rows = [row for chunk in chunks for row in rows_of(chunk, metrics)]
    order = held.pop("order", range(len(rows)))
    held["passages"] = [text for row in rows for text in row.get("passages", ())]
    held["passages"] = [text if isinstance(text, str) else text[0] for text in held["passages"]]
    rows, held["questions"] = _in_place(rows, order), _in_place(held["questions"], order)
    for run in held["by_run"]:
        run["answers"] = _in_place(run["answers"], order)
    for name in ("references", "reference_contexts", "relevance"):
        held[name] = [row.get(name) or [] for row in rows]
    held["reference_contexts"] = [[held["passages"][at] for at in places] for places in held["reference_contexts"]]
    for place, run in enumerate(held["by_run"]):
        own = [row["by_run"][place] for row in rows]
        run["contexts"] = [row.get("contexts") or [] for row in own]
        for passage in (one for found in run["contexts"] for one in found):
            passage.setdefault("relevant", None)
            if "passage" in passage:
                passage["text"] = held["passages"][passage.pop("passage")]
        for kind in ("evidence", "reasons"):
            found = {
                name: {str(i): row[kind][name] for i, row in enumerate(own) if name in row.get(kind, {})}
                for name in metrics
            }
            if kind == "evidence":
                _quote(found, run["answers"], held["passages"])
            run[kind] = found if kind == "reasons" else {name: rows for name, rows in found.items() if rows}
        run["parts"] = {name: _parts([row.get("parts", {}).get(name, {}) for row in own]) for name in metrics}
    return held


EVIDENCE = ("what", "text", "best", "similarity", "supported", "why")


def _quote(evidence: dict[str, Any], answers: list[str], passages: list[str]) -> None:
    """Replace places in answers and passages by the texts that stand there."""
    for by_place in evidence.values():
        for place, items in by_place.items():
            for item in items:
                held = {
                    name: item.pop(name, None) for name in ("what", "text", "best", "similarity", "supported", "why")
                }
                item.update(held)
                for name in ("text", "best"):
                    item[name] = _quoted(held[name], answers[int(place)], passages)


def _quoted(found: Any, answer: str, passages: list[str]) -> Any:
    if not isinstance(found, list):
        return found
    return _piece(answer, *found) if len(found) == 2 else _piece(passages[found[0]], *found[1:])


def _piece(text: str, start: int, length: int) -> str:
    """Return a piece of a text whose places are those of JavaScript."""
    return text.encode("utf-16-le")[2 * start : 2 * (start + length)].decode("utf-16-le")


def unpacked(line: str) -> Any:
    """Return a part of the samples from its line: numbers of 13 bits, two digits each."""
    length, text = line.split(" ")
    pairs = (DIGITS.index(one) * len(DIGITS) + DIGITS.index(two) for one, two in zip(*[iter(text)] * 2, strict=True))
    bits = "".join(f"{pair:013b}" for pair in pairs)[: 8 * int(length)]
    return json.loads(gzip.decompress(int(bits, 2).to_bytes(int(length), "big")))


def stored(page: Element) -> str:
    """Return what the page's script reads."""
    return page.one("script", id="payload").text


def rows_of(chunk: dict[str, Any], metrics: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return the rows of a chunk, which is stored by column, without nulls; with evidence and parts by metric."""
    held = {name: values for name, values in chunk.items() if name not in ("evidence", "words", "parts")}
    rows = [dict(zip(held, values, strict=True)) for values in zip(*held.values(), strict=True)]
    for run, (evidence, parts) in enumerate(zip(chunk["evidence"], chunk["parts"], strict=True)):
        segments = iter(() if evidence is None else _segments(evidence, chunk["words"], metrics))
        for place, row in enumerate(rows):
            own = row["by_run"][run]
            for metric, segment in islice(segments, 0 if evidence is None else evidence["n"][place]):
                own.setdefault("evidence", {}).setdefault(metric, []).append(segment)
            own["parts"] = {
                metric: {name: values[place] for name, values in some.items()} for metric, some in parts.items()
            }
    return [{name: value for name, value in row.items() if value is not None} for row in rows]


def _segments(evidence: dict[str, Any], words: list[Any], metrics: Sequence[str]) -> Iterator[tuple[str, Any]]:
    for values in zip(*(evidence[name] for name in ("metric", *EVIDENCE)), strict=True):
        segment = dict(zip(EVIDENCE, values[1:], strict=True))
        said = {name: None if (word := segment[name]) is None else words[word] for name in ("what", "why")}
        yield metrics[values[0]], segment | said


def chunk_of(rows: Sequence[dict[str, Any]], metrics: Sequence[str]) -> dict[str, Any]:
    """Return rows as a chunk holds them, which `rows_of` reads."""
    runs = max(len(row["by_run"]) for row in rows)
    words: list[Any] = []
    by_run = [[*row["by_run"], *[{}] * (runs - len(row["by_run"]))] for row in rows]
    return {
        **by_column([row | {"by_run": some} for row, some in zip(rows, by_run, strict=True)]),
        "evidence": [_columns([row[run].get("evidence", {}) for row in by_run], metrics, words) for run in range(runs)],
        "words": words,
        "parts": [_by_part([row[run].get("parts", {}) for row in by_run]) for run in range(runs)],
    }


def _columns(rows: Sequence[Any], metrics: Sequence[str], words: list[Any]) -> dict[str, list[Any]]:
    flat = [(metrics.index(metric), one) for row in rows for metric, items in row.items() for one in items]
    columns: dict[str, list[Any]] = {name: [one.get(name) for _, one in flat] for name in EVIDENCE}
    for name in ("what", "why"):
        words += [word for word in columns[name] if word is not None]
        columns[name] = [None if word is None else words.index(word) for word in columns[name]]
    return {"n": [sum(map(len, row.values())) for row in rows], "metric": [metric for metric, _ in flat], **columns}


def _by_part(rows: Sequence[Any]) -> dict[str, dict[str, list[Any]]]:
    named = {(metric, part): None for row in rows for metric, parts in row.items() for part in parts}
    found: dict[str, dict[str, list[Any]]] = {}
    for metric, part in named:
        found.setdefault(metric, {})[part] = [row.get(metric, {}).get(part) for row in rows]
    return found


def _in_place(values: list[Any], order: Iterable[int]) -> list[Any]:
    placed = dict(zip(order, values, strict=True))
    return [placed[place] for place in range(len(values))]


def _by_place(rows: list[Any], name: str) -> dict[str, Any]:
    return {str(place): row[name] for place, row in enumerate(rows) if name in row}


def _parts(rows: list[Any]) -> dict[str, list[Any]]:
    return {name: [row.get(name) for row in rows] for name in dict.fromkeys(name for row in rows for name in row)}
