"""The language of a page about a metric: its words, the texts of docstrings, the worked example, and its links."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from docs.generator.examples import standing_alone
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
        if self.tag == "en":
            return english.strip()
        # It takes names from the English one, which is on another page.
        return chinese.replace(_BLOCK, _BLOCK + standing_alone(chinese, english), 1).strip()

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
