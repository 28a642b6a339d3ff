"""The forms in which runs and relevance judgements are written, one document a line."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Layout:
    """The fields of a line, by name; ``query``, ``document`` and one of ``score`` and ``grade`` are read.

    ``more``: whether words may follow the last field. ``header``: whether the first line names the fields.
    """

    name: str
    fields: tuple[str, ...]
    more: bool = False
    header: bool = False

    @property
    def document(self) -> int:
        """The index of the field with the document's id."""
        return self.fields.index("document")

    @property
    def number(self) -> int:
        """The index of the field with the score or the grade."""
        return self.fields.index("score" if "score" in self.fields else "grade")

    @property
    def form(self) -> str:
        """A line as it should be."""
        return " ".join(self.fields)


RUN = Layout("a TREC run", ("query", "Q0", "document", "rank", "score", "tag"), more=True)
QRELS = Layout("TREC judgements", ("query", "0", "document", "grade"))
BEIR_QRELS = Layout("BEIR judgements", ("query", "document", "grade"), header=True)
