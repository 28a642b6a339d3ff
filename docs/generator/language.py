"""The language of a page about a metric: its words, the texts of docstrings, the worked example, and its links."""

from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Iterator, Mapping
from doctest import DocTestParser, Example
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ragauge.cli.faces import helps
from ragauge.core.messages import Face, wording_of
from ragauge.core.options import describe

DOCS = Path(__file__).parents[1]
_CHINESE = "\n### 中文\n"
_BLOCK = "```python\n"


class Language(NamedTuple):
    """What says the texts of a page. Where a text has no translation yet, it is in English."""

    tag: str = "en"
    texts: Mapping[str, str] = {}

    def say(self, text: str, **values: object) -> str:
        """Return a text of this language, with values in its places where there are some."""
        said = self.texts.get(text, text)
        return said.format(**values) if values else said

    def describe(self, hint: Any) -> str:
        """Return in words which values an option takes."""
        return wording_of(describe(hint), Face(self.tag))

    def worked(self, example: str) -> str:
        """Return the part of a worked example that is in this language."""
        english, _, chinese = example.partition(_CHINESE)
        return (english if self.tag == "en" else _standing_alone(chinese, english)).strip()

    def linked(self, page: str, path: str) -> str:
        """Lead from a page that is to lie at ``path`` to pages in its own language, where there are such.

        Links are given as they are on the English page of the same name.
        """
        english = DOCS / path.removeprefix("zh/")

        def link(found: re.Match[str]) -> str:
            target = Path(os.path.normpath(english.parent / found[1]))
            chinese = DOCS / "zh" / target.relative_to(DOCS)
            there = self.tag == "zh" and (chinese.exists() or target.parent == DOCS / "metrics")
            return f"]({Path(os.path.relpath(chinese if there else target, (DOCS / path).parent)).as_posix()}"

        return re.sub(r"\]\(([\w./-]+\.md)", link, page)


ENGLISH = Language()


@cache
def chinese() -> Language:
    """Return Chinese: summaries as commands show them, and the texts of ``chinese.json``, by their English text."""
    texts = json.loads(Path(__file__).with_name("chinese.json").read_text(encoding="utf-8"))
    return Language("zh", {**helps(), **texts})


def _standing_alone(example: str, other: str) -> str:
    """Put those statements of another example in front whose names this one takes from it."""
    needed = _needed(_examples(example), _examples(other))
    code = "".join(f"{'...' if place else '>>>'} {line}\n" for each in needed for place, line in enumerate(each))
    return example.replace(_BLOCK, _BLOCK + code, 1)


def _needed(ours: list[Example], theirs: list[Example]) -> Iterator[list[str]]:
    """Yield the lines of each statement of ``theirs`` that binds a name that ``ours`` reads and does not bind."""
    missing = _read(ours) - _bound(ours)
    taken: list[Example] = []
    for example in reversed(theirs):
        if _bound([example]) & missing:
            taken.append(example)
            missing = (missing - _bound([example])) | _read([example])
    for example in reversed(taken):
        yield example.source.splitlines()


def _examples(text: str) -> list[Example]:
    return DocTestParser().get_examples(text)


def _names(examples: list[Example], context: type[ast.expr_context]) -> set[str]:
    nodes = [node for example in examples for node in ast.walk(ast.parse(example.source))]
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, context)}


def _read(examples: list[Example]) -> set[str]:
    return _names(examples, ast.Load)


def _bound(examples: list[Example]) -> set[str]:
    top = [node for example in examples for node in ast.parse(example.source).body]
    imported = {
        (alias.asname or alias.name)
        for node in top
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    defined = {node.name for node in top if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    return imported | defined | _names(examples, ast.Store)
