"""What can be shown: at the prompt, in a notebook and as Markdown."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable

from ragauge.display.html import html
from ragauge.display.table import Block, markdown
from ragauge.display.text import plain_text


class Displayed:
    """A result that says in blocks what is shown of it."""

    @abstractmethod
    def blocks(self) -> Iterable[Block]:
        """Return the tables, lines and notes that are shown."""

    def __str__(self) -> str:
        return plain_text(self.blocks())

    def __repr__(self) -> str:
        return str(self)

    def _repr_markdown_(self) -> str:
        return markdown(self.blocks())

    def _repr_html_(self) -> str:
        return html(self.blocks())
