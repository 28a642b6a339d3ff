"""One sample, for people and tests, and the columns that have a meaning."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Annotated, Any, Literal, TypeAlias

from ragauge.core.options import Text
from ragauge.errors import did_you_mean

_NONE_GIVEN: Any = object()
"""That no default was given; None is one."""

Kind: TypeAlias = Literal["text", "texts", "numbers", "judgements"]

# Known column -> kind of its values. Any other column is kept for grouping, for `column:name=...` and for the report.
SCHEMA: Mapping[str, Kind] = MappingProxyType(
    {
        "id": "text",
        "question": "text",
        "answer": "text",
        "references": "texts",
        "contexts": "texts",
        "reference_contexts": "texts",
        "retrieved": "texts",
        "retrieved_scores": "numbers",
        "relevance": "judgements",
        "language": "text",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A question, what a system made of it, and what it should have made of it.

    Leave out what you do not have. ``None`` means that the value is missing; an empty list or string is a value.

    >>> Sample(question="Who wrote it?", answer="Anna.", references=["Anna"]).references
    ['Anna']
    """

    id: str | None = None
    question: str | None = None
    answer: str | None = None
    references: list[str] | None = None
    """Acceptable answers; any of them will do."""
    contexts: list[str] | None = None
    """Retrieved passages, in rank order."""
    reference_contexts: list[str] | None = None
    """Passages that should have been retrieved."""
    retrieved: list[str] | None = None
    """Ids of the retrieved documents, in rank order."""
    retrieved_scores: list[float] | None = None
    """The score of each retrieved document, beside ``retrieved``."""
    relevance: Mapping[str, float] | None = None
    """Document id -> grade."""
    language: str | None = None
    """BCP 47, for instance ``zh`` or ``pt-BR``."""
    tags: Mapping[str, object] = field(default_factory=dict)
    """Further columns, for grouping and for ``column:name=...``."""

    def __getitem__(self, name: str) -> Any:
        """Return a column, known or not; KeyError where there is none of that name.

        >>> Sample(answer="Anna.", tags={"topic": "books"})["topic"]
        'books'
        """
        if name not in SCHEMA and name not in self.tags:
            raise KeyError(f"no column {name!r}{did_you_mean(name, [*SCHEMA, *self.tags])}")
        return getattr(self, name) if name in SCHEMA else self.tags[name]

    def __contains__(self, name: str) -> bool:
        """Return whether a column has a value here; KeyError where there is none of that name, as by index.

        >>> "answer" in Sample(answer="Anna."), "question" in Sample(answer="Anna.")
        (True, False)
        """
        return self[name] is not None

    def keys(self) -> list[str]:
        """Return the names of the columns that have a value here: ``dict(sample)`` has these.

        >>> dict(Sample(answer="Anna.", tags={"topic": "books"}))
        {'answer': 'Anna.', 'topic': 'books'}
        """
        return [name for name in (*SCHEMA, *self.tags) if self[name] is not None]

    def __iter__(self) -> Iterator[str]:
        """Yield the names that `keys` returns."""
        return iter(self.keys())

    def get(self, name: str, default: Any = _NONE_GIVEN) -> Any:
        """Return a column; ``default`` where it is missing, or where there is none of that name.

        Without ``default``: None where it is missing, and KeyError for another name, which is most often a header of
        the data that was read as a known column.

        >>> sample = Sample(answer="Anna.", tags={"topic": None})
        >>> sample.get("topic"), sample.get("topic", "?"), sample.get("hops", 1)
        (None, '?', 1)
        """
        if default is _NONE_GIVEN:
            return self[name]
        value = getattr(self, name) if name in SCHEMA else self.tags.get(name)
        return default if value is None else value


def column_names(value: object) -> tuple[str, ...]:
    """Return one name, or several, as a tuple with each once, none for None; ValueError for an empty name or no text.

    >>> column_names("language"), column_names(["a", "b", "a"])
    (('language',), ('a', 'b'))
    """
    if value is None:
        return ()
    names: list[Any] = [value] if isinstance(value, str) else list(value) if isinstance(value, Iterable) else [value]
    if any(not isinstance(name, str) or not name for name in names):
        raise ValueError(value)
    return tuple(dict.fromkeys(names))


def by_column(value: object) -> Mapping[str, str] | None:
    """Return a table of texts by column, or None; ValueError where a name or a value is no text.

    >>> by_column({"answer": "reply"})
    {'answer': 'reply'}
    """
    if value is None:
        return None
    if not isinstance(value, Mapping) or not all(isinstance(one, str) for pair in value.items() for one in pair):
        raise ValueError(value)
    return value


ByColumn: TypeAlias = Annotated[
    Annotated[Mapping[str, str] | None, by_column], "a dict with names of columns as keys and texts as values"
]
"""A name or a separator for each of some columns."""
ColumnNames: TypeAlias = Annotated[tuple[str, ...], column_names, "the name of a column, or a list of names"]
"""Columns, each once."""
OneColumn: TypeAlias = Annotated[Annotated[str, Text("a name")] | None, "the name of a column"]
"""A column, or None."""
Duplicates: TypeAlias = Literal["error", "first"]
"""Whether documents that are retrieved twice are an error, or the first of them counts."""
