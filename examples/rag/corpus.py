"""Passages and questions of the corpora: one JSON object a line."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Passage:
    """What a question is judged against: the judgements name passages by id."""

    id: str
    title: str
    text: str

    @property
    def titled(self) -> str:
        """The title, then the text: what a reader, or a generator, is given."""
        return f"{self.title}\n{self.text}"


def passages(folders: Iterable[Path]) -> list[Passage]:
    """Read the passages of all folders."""
    return [Passage(row["id"], row["title"], row["text"]) for row in _rows(folders, "passages.jsonl")]


def questions(folders: Iterable[Path]) -> list[dict[str, Any]]:
    """Read the questions of all folders, with references and judgements, as ragauge takes them."""
    return list(_rows(folders, "questions.jsonl"))


def _rows(folders: Iterable[Path], name: str) -> Iterable[dict[str, Any]]:
    for folder in folders:
        with (folder / name).open(encoding="utf-8") as lines:
            yield from map(json.loads, lines)
