"""Samples as Arrow columns, and what is derived from them, computed once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ragauge.core import compute as pc
from ragauge.core.arrow import filled, to_numpy
from ragauge.core.ingredients import Embedder, Role, Tokenizer, Vocabulary
from ragauge.core.ragged import BoolArray, IntArray, Ragged
from ragauge.core.sample import SCHEMA
from ragauge.core.texts import (
    Segments,
    Splitter,
    TextVectors,
    TokenForms,
    VectorSpace,
    as_texts,
    encoded,
    is_list,
    recoded,
    role_key,
)

EMBEDDER_CACHE = "embedder cache"
"""Under this key a batch holds the function that makes a caching embedder of an embedder."""

_NAMED = 5
"""Wrong rows that a message names."""

Derived = TypeVar("Derived")


class Batch:
    """``n`` samples as Arrow columns of equal length.

    The columns never change. What metrics derive from them (tokens, sentences, vectors, ranks of judged documents) is
    cached under a key, so that metrics that share an ingredient share its work.
    """

    def __init__(
        self,
        table: pa.Table,
        *,
        lazy: Mapping[str, Callable[[int | None], pa.Array]] = MappingProxyType({}),
        n: int | None = None,
    ) -> None:
        """Wrap ``table``; ``lazy`` are further columns, without nulls, built when first read.

        Each takes how many of the first values are wanted, None for all.

        ``n``: the number of samples, where the table has no column of its own.
        """
        self._table = table
        self._lazy = lazy
        self._n: int = table.num_rows if n is None else n
        self._derived: dict[Hashable, object] = {}
        self._given: dict[Hashable, object] = {}

    def __len__(self) -> int:
        return self._n

    def __reduce__(self) -> tuple[Callable[[bytes], Batch], tuple[bytes]]:
        """Pickle and copy the columns alone: what was derived from them is derived again."""
        return _from_bytes, (_to_bytes(self.table()),)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, ``id`` among them."""
        return (*self._table.column_names, *self._lazy)

    def column(self, name: str) -> pa.Array:
        """Return column ``name`` as one Arrow array of n values."""
        if name in self._lazy:
            return self.derived(("column", name), lambda: self._lazy[name](None))
        column = self._table.column(name)
        if column.num_chunks == 1:
            return column.chunk(0)
        return self.derived(("column", name), column.combine_chunks)

    def head(self, name: str, most: int) -> pa.Array:
        """Return the first values of column ``name``, ``most`` of them; of one that is not built yet, only these."""
        if name in self._lazy and ("column", name) not in self._derived:
            return self._lazy[name](most)[:most]
        return self.column(name)[:most]

    def absent(self, *names: str) -> BoolArray:
        """Return a mask of the rows that are null in any of the columns ``names``, (n,)."""
        absent = np.zeros(len(self), dtype=bool)
        for name in names:
            if name not in self._lazy:
                absent |= to_numpy(pc.is_null(self.column(name)))
        return absent

    def texts(self, column: str) -> pa.Array:
        """Return the texts in ``column``, (m,): those of a list column one after the other; null is an empty text.

        White space at the end is taken off, as sacrebleu does before its tokenizers see a text. Texts that are lists of
        tokens stay as they are, for ``tokenizer=none``.
        """
        array = self.flat(column)
        return array if is_list(array) else pc.utf8_rtrim_whitespace(as_texts(array))

    def flat(self, column: str) -> pa.Array:
        """Return the values of ``column``, (m,): the items of a column of several texts a sample in one array."""
        array = self.column(column)
        return pc.list_flatten(array) if is_list(array) and SCHEMA.get(column) != "text" else array

    def strings(self, column: str) -> list[str]:
        """Return the texts in ``column`` unchanged, (m,): those of a list column one after the other."""
        strings: list[str] = as_texts(self.flat(column)).to_pylist()
        return strings

    def has_lines(self, column: str) -> bool:
        """Return whether a text in ``column`` has several lines; a line break at its end does not count."""
        return bool(pc.any(pc.match_substring(self.texts(column), "\n")).as_py())

    def owners(self, column: str) -> IntArray:
        """Return the sample of each text of a list column, (m,), ascending."""
        return np.repeat(np.arange(len(self)), to_numpy(filled(pc.list_value_length(self.column(column)), 0)))

    def tokens(self, column: str, tokenizer: Tokenizer, forms: TokenForms | None = None) -> Ragged:
        """Return the token codes of each text in ``column``; answers and references are tokenised together.

        Equal tokens have equal codes in all columns. `vocabulary` has their words.

        Args:
            column: the name of a column of texts, or of lists of texts, whose `owners` are their samples.
            tokenizer: any tokenizer.
            forms: what is done to each token before it is compared, such as folding its case; None: nothing.

        >>> import pyarrow as pa
        >>> from ragauge.tokenizers import get
        >>> batch = Batch(pa.table({"answer": ["a b"], "references": [["b a a", "c"]]}))
        >>> [batch.tokens(column, get("auto")).to_lists() for column in ("answer", "references")]
        [[[0, 1]], [[1, 0, 0], [2]]]
        """
        together: list[str] = [name for name in ("answer", "references") if name in self.names]
        if column not in together:
            together = [column]
        key = ("tokens", *together, self.key_of(tokenizer))
        both = self.derived(key, lambda: self._encoded(together, tokenizer))
        codes = both[together.index(column)]
        if forms is None:
            return codes
        return self.derived((*key, column, forms), lambda: recoded(codes, self.form_codes(tokenizer, forms)))

    def _encoded(self, columns: Sequence[str], tokenizer: Tokenizer) -> list[Ragged]:
        is_whole = getattr(tokenizer, "reads_end_blanks", False)
        texts = [as_texts(self.flat(name)) if is_whole else self.texts(name) for name in columns]
        return encoded(texts, tokenizer, self.vocabulary(tokenizer))

    def key_of(self, tokenizer: Tokenizer) -> Hashable:
        """Return what tells ``tokenizer`` from those that tokenise otherwise, as a part of a key for `derived`."""
        return tokenizer.signature

    def vocabulary(self, tokenizer: Tokenizer) -> Vocabulary:
        """Return the words of all token codes under ``tokenizer``."""
        return self.derived(("vocabulary", self.key_of(tokenizer)), Vocabulary)

    def form_codes(self, tokenizer: Tokenizer, forms: TokenForms) -> npt.NDArray[np.int32]:
        """Return the code of the form of each token known so far, -1 where it is dropped."""
        vocabulary = self.vocabulary(tokenizer)
        key = ("form codes", self.key_of(tokenizer), forms, len(vocabulary))
        return self.derived(key, lambda: forms.apply(vocabulary))

    def segments(self, column: str, splitter: Splitter | None = None) -> Segments:
        """Return the texts in ``column``, whole, or cut by ``splitter``; a null row has none.

        >>> import pyarrow as pa
        >>> from ragauge.sentences import split
        >>> batch = Batch(pa.table({"answer": ["It rains. Stay in!", None]}))
        >>> batch.segments("answer", split).strings.to_lists()
        [['It rains.', 'Stay in!'], []]
        """
        if splitter is None:
            return self.derived(("segments", column), lambda: Segments.of(self.column(column)))
        return self.derived(("segments", column, splitter), lambda: self.segments(column).split(splitter))

    def vectors(self, texts: str | Segments | Ragged, embedder: Embedder, role: Role = "passage") -> TextVectors:
        """Return the vectors of texts by ``embedder``; each distinct text is encoded once for all metrics.

        Args:
            texts: the name of a column, segments, or n lists of str.
            embedder: any embedder.
            role: ``query`` for questions, ``passage`` for what may answer them; for two texts of one kind, the same.

        >>> import pyarrow as pa
        >>> from ragauge.embedders import get
        >>> batch = Batch(pa.table({"answer": ["she sings"], "contexts": [["he sings", "rain"]]}))
        >>> answers, contexts = (batch.vectors(column, get()) for column in ("answer", "contexts"))
        >>> answers.cosines(contexts)[0].round(2)
        array([[0.54, 0.  ]])
        """
        if isinstance(texts, str):
            texts = self.segments(texts)
        cached = cast("Callable[[Embedder], Embedder]", self._derived.get(EMBEDDER_CACHE, lambda plain: plain))
        space = self.derived(("vector space", embedder.signature), lambda: VectorSpace(cached(embedder)))

        def make() -> TextVectors:
            strings = texts.strings if isinstance(texts, Segments) else texts
            return TextVectors(space, Ragged(space.numbers(strings.values.tolist(), role), strings.offsets))

        return self.derived(("vectors", texts, embedder.signature, role_key(embedder, role)), make)

    def named(self, wrong: Sequence[tuple[int, object]]) -> str:
        """Return rows by their ids, each with what is wrong in it, for a message; of many the first five.

        >>> import pyarrow as pa
        >>> Batch(pa.table({"id": ["a", "b"]})).named([(1, "maybe")])
        "b ('maybe')"
        """
        ids = self.column("id").to_pylist() if "id" in self.names else range(1, len(self) + 1)
        shown = [f"{ids[row]} ({value!r})" for row, value in wrong[:_NAMED]]
        return ", ".join([*shown, *([f"{len(wrong) - _NAMED:,} more"] if len(wrong) > _NAMED else [])])

    def derived(self, key: Hashable, make: Callable[[], Derived]) -> Derived:
        """Return the value cached under ``key``; ``make`` returns it at the first call."""
        if key not in self._derived:
            self._derived[key] = make()
        return cast(Derived, self._derived[key])

    def given(self, key: Hashable, value: object) -> Batch:
        """Return the same samples with ``value`` already derived under ``key``."""
        other = Batch(self._table, lazy=self._lazy, n=self._n)
        other._derived = {**self._derived, key: value}
        other._given = {**self._given, key: value}
        return other

    def with_column(self, name: str, values: pa.Array, without: str) -> Batch:
        """Return the same samples with other ``values`` in a column and ``without`` another; what was given stays.

        >>> batch = Batch(pa.table({"answer": ["a"], "more": ["b"]}))
        >>> batch.with_column("answer", pa.array(["a b"]), without="more").table().to_pylist()
        [{'answer': 'a b'}]
        """
        table = self.table().drop_columns([without])
        other = Batch(table.set_column(table.column_names.index(name), name, values))
        other._derived, other._given = dict(self._given), self._given
        return other

    def take(self, indices: IntArray) -> Batch:
        """Return the samples at ``indices``, in that order, with nothing derived yet."""
        return Batch(self.table().take(indices))

    def table(self) -> pa.Table:
        """Return all columns, lazy ones built."""
        table = self._table
        if not table.column_names:
            return pa.table({name: self.column(name) for name in self._lazy})
        for name in self._lazy:
            table = table.append_column(name, self.column(name))
        return table


@dataclass(frozen=True)
class Dataset:
    """Samples that can be read through more than once, a batch at a time."""

    source: str
    """Where the samples come from: a file name, ``<stdin>``, ``list of dicts``."""
    rows: int
    columns: tuple[str, ...]
    batches: Callable[[], Iterator[Batch]]
    """Starts from the first batch at each call; every batch has all the columns."""
    mapping: Mapping[str, str] = field(default_factory=dict)
    """Known column -> the name it had in the source, where the two differ."""
    notes: tuple[str, ...] = ()
    """What a reader of the result should know: queries that the run lacks, columns that were not understood."""
    split: Mapping[str, str] = field(default_factory=dict)
    """Known column -> the separator at which its fields were split."""

    def known(self, name: str) -> str:
        """Return the column that the source calls ``name``: ``language`` where a column ``lang`` was read as that."""
        names = (known for known, source_name in self.mapping.items() if source_name == name)
        return name if name in self.columns else next(names, name)

    def __reduce__(self) -> tuple[Callable[..., Dataset], tuple[object, ...]]:
        """Pickle and copy all batches, also those in a temporary file."""
        batches = tuple(self.batches())
        return _in_memory, (self.source, self.rows, self.columns, batches, dict(self.mapping), self.notes)

    @classmethod
    def of(cls, batch: Batch, source: str, **rest: Mapping[str, str] | tuple[str, ...]) -> Dataset:
        """Make a data set of one batch."""
        return cls(source, len(batch), batch.names, lambda: iter([batch]), **rest)  # type: ignore[arg-type]


def in_small_batches(data: Dataset, most: int, key: Hashable, value: object, *, samples: int | None = None) -> Dataset:
    """Return the same samples in batches of about ``most`` bytes, each with ``value`` under ``key``.

    One sample is not cut. ``samples``: the most of a batch; None: any number.
    """

    def batches() -> Iterator[Batch]:
        for batch in data.batches():
            table = batch.table()
            rows = max(1, len(batch) * most // max(table.nbytes, 1))
            rows = rows if samples is None else min(rows, samples)
            starts = range(0, len(batch), rows)
            parts = [batch] if len(starts) < 2 else (Batch(table.slice(first, rows)) for first in starts)
            yield from (part.given(key, value) for part in parts)

    return replace(data, batches=batches)


def _in_memory(source: str, rows: int, columns: tuple[str, ...], batches: Sequence[Batch], *rest: Any) -> Dataset:
    return Dataset(source, rows, columns, lambda: iter(batches), *rest)


def _to_bytes(table: pa.Table) -> bytes:
    """Write a table as an Arrow stream, which holds no more of its buffers than the table's own rows."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return cast(bytes, sink.getvalue().to_pybytes())


def _from_bytes(stream: bytes) -> Batch:
    return Batch(pa.ipc.open_stream(stream).read_all())


def concatenated(batches: Iterable[Batch]) -> Batch:
    """Return one batch with the samples of all ``batches``, which have the same columns."""
    return Batch(pa.concat_tables([batch.table() for batch in batches], promote_options="permissive"))
