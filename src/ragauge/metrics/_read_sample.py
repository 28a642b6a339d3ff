"""A sample as a metric of the user's own sees it: its columns also by their names in the data, lists that say so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from ragauge.core.batch import Batch
from ragauge.core.sample import SCHEMA, Sample
from ragauge.errors import did_you_mean
from ragauge.formats.column_names import known_name

_TAKES = "A metric takes a sample and no text: def f(sample), which reads sample['answer']"


class _Listed(list[Any]):
    """The texts of a column, which is no text: what holds for a text only fails, and says how to read it."""

    name = ""

    def __init__(self, items: Iterable[Any] = (), name: str = "") -> None:
        """Hold the items of the column ``name``."""
        super().__init__(items)
        self.name = name

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            first = f"sample.{self.name}[0]"
            raise TypeError(f"{self.name} is a list, which no text is equal to; its first text is {first}")
        return super().__eq__(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None

    def __getattr__(self, name: str) -> Any:
        first = f"sample[{self.name!r}][0]"
        raise AttributeError(f"{self.name} is a list, which has no {name!r}; its first text is {first}")

    def __str__(self) -> str:
        """Return the text of a list of one, as the data may have it."""
        return self[0] if len(self) == 1 and isinstance(self[0], str) else super().__str__()


class _Columns(NamedTuple):
    """The columns of a batch: ``known``, by their names in the data; ``several``, those with lists of several."""

    known: Mapping[str, str]
    several: frozenset[str]
    names: tuple[str, ...]


class _Names(list[str]):
    """Names of columns with a value, among which other names of the same are found."""

    __slots__ = ("sample",)
    sample: _ReadSample

    def __contains__(self, name: object) -> bool:
        known = self.sample.known(name) if isinstance(name, str) else name
        return list.__contains__(self, known)


@dataclass(frozen=True, slots=True, kw_only=True)
class _ReadSample(Sample):
    """A sample of a data set, whose columns may have other names there."""

    columns: _Columns = field(repr=False, compare=False)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            raise TypeError(_TAKES)
        return Sample.__eq__(self, other)

    __hash__ = Sample.__hash__

    def __getitem__(self, name: str) -> Any:
        known = self._column(name)
        if known not in SCHEMA and known not in self.tags:
            raise KeyError(f"no column {name!r}{did_you_mean(name, [*self.columns.names, *self.columns.known])}")
        return Sample.__getitem__(self, known)

    def __getattr__(self, name: str) -> Any:
        # As `dir`, `copy` and `pickle` ask: only a name of a column is one.
        if name == "columns" or (known_name(name) is None and name not in self.columns.known):
            raise AttributeError(f"a sample has no {name!r}; dict(sample) has its columns{_of_texts(name)}")
        return self[name]

    def __contains__(self, name: str) -> bool:
        known = self.known(name)
        return (self[name] if known not in SCHEMA else getattr(self, known)) is not None

    def keys(self) -> list[str]:
        """Return the names of the columns with a value, also those that texts have in the data."""
        own = [
            name
            for name, known in self.columns.known.items()
            if SCHEMA.get(known) == "text" and getattr(self, known) is not None
        ]
        names = _Names([*Sample.keys(self), *own])
        names.sample = self
        return names

    def get(self, name: str, *default: Any, **by_name: Any) -> Any:
        """Return a column as `Sample.get` does, also by its name in the data."""
        known = self._column(name)
        return Sample.get(self, known, *default, **by_name) if default or by_name else self[name]

    def known(self, name: str) -> str:
        """Return the column that was read from ``name``."""
        return name if name in self.tags else self.columns.known.get(name) or known_name(name) or name

    def _column(self, name: str) -> str:
        """Return the column that was read from ``name``; KeyError where a text may have been read as a list."""
        known = self.known(name)
        kind = SCHEMA.get(known, "text")
        is_same = known == name or kind == "text" or (kind != "judgements" and known in self.columns.several)
        if is_same or getattr(self, known) is None:
            return known
        form = "a dict of ids and grades" if known == "relevance" else f"a list, whose first is sample.{known}[0]"
        raise KeyError(f"{name!r} was read as {known!r}, {form}")


def _of_texts(name: str) -> str:
    return f". {_TAKES}" if hasattr(str, name) else ""


def named(error: BaseException, sample: Sample) -> BaseException:
    """Return the error of the sample itself for a column's name in the data that a dict of it lacks; else ``error``.

    An error that names the class of a sample, or of its lists, says what to write instead.

    >>> named(KeyError("Antwort"), Sample(answer="ja")).args[0].partition(";")[0]
    "no column 'Antwort'"
    """
    if isinstance(error, TypeError) and _ReadSample.__name__ in str(error):
        return TypeError(_TAKES)
    if isinstance(error, TypeError) and _Listed.__name__ in str(error):
        lists = [name for name in SCHEMA if isinstance(getattr(sample, name), _Listed)]
        firsts = " or ".join(f"sample[{name!r}][0]" for name in lists)
        return TypeError(f"{' and '.join(lists)}: a list where a text or number must be; its first is {firsts}")
    name = error.args[0] if isinstance(error, KeyError) and error.args else None
    try:
        if isinstance(name, str) and known_name(name) not in (None, name):
            _ = sample[name]
    except KeyError as own:
        return own
    return error


def samples_of(batch: Batch, sources: Mapping[str, str] = MappingProxyType({})) -> list[Sample]:
    """Return the rows of ``batch`` as samples; unknown columns become tags.

    ``sources``: known column -> its name in the data.
    """
    rows = batch.table().to_pylist()
    lists = [name for name in batch.names if SCHEMA.get(name) in ("texts", "numbers")]
    several = frozenset(name for name in lists if any(len(row[name] or ()) > 1 for row in rows))
    columns = _Columns({own: known for known, own in sources.items() if known in SCHEMA}, several, batch.names)
    samples: list[Sample] = []
    for row in rows:
        known: dict[str, Any] = {name: value for name, value in row.items() if name in SCHEMA}
        known |= {name: _Listed(known[name], name) for name in lists if known[name] is not None}
        if known.get("relevance") is not None:
            known["relevance"] = {item["id"]: item["grade"] for item in known["relevance"]}
        tags = {name: value for name, value in row.items() if name not in SCHEMA}
        samples.append(_ReadSample(**known, tags=tags, columns=columns))
    return samples
