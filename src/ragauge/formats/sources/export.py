"""The form in which a framework writes what it did: a file of this room declares each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ragauge.formats.objects import plain_values

Rows: TypeAlias = Iterable[Mapping[str, Any]]
SamplesOf: TypeAlias = Callable[[Rows, list[str]], Iterator[dict[str, Any]]]
"""From rows to rows of known columns; it adds to the notes, which are complete after the last."""


@dataclass(frozen=True, slots=True)
class Export:
    """A form in which a framework writes what it did.

    ``name``: as a note says it. ``marks``: keys of a row that no row of samples has together, each alone enough.
    ``origins``: known column -> where in the export it comes from. ``fits``: whether a row is of it, as its values
    tell where no key does.
    """

    name: str
    marks: Sequence[tuple[str, ...]]
    read: SamplesOf
    origins: Mapping[str, str] = field(default_factory=dict)
    fits: Callable[[Mapping[str, Any]], bool] | None = None

    def samples(self, rows: Iterable[Any], notes: list[str]) -> Iterator[dict[str, Any]]:
        """Yield the samples in ``rows``, whose objects may be those of a library."""
        yield from self.read((plain_values([row])[0] for row in rows), notes)


def row_by_row(samples: Callable[[Mapping[str, Any]], Iterable[dict[str, Any]]]) -> SamplesOf:
    """Return a reader of rows that each hold their samples alone."""
    return lambda rows, _notes: (sample for row in rows for sample in samples(row))
