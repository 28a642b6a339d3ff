"""Vectors that were computed before: kept within a run, or in a file from run to run."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from hashlib import sha256
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import Any
from weakref import finalize

import numpy as np
import numpy.typing as npt

from ragauge.core.batch import EMBEDDER_CACHE, Batch, Dataset
from ragauge.core.ingredients import Embedder, Role, Vectors
from ragauge.core.texts import one_vector_each, role_key
from ragauge.embedders.dense import DenseVectors
from ragauge.errors import DataError

_FILE = "embeddings.sqlite"
_WAIT_S = 60.0
# SQLite takes at least 999 parameters in a statement.
_ASKED = 500

# Texts between two writes: a killed process loses at most these.
_CHUNK = 1024
# Sentences, windows and vectors of a text take some hundred times its size: a megabyte of text some hundred megabytes.
_BATCH_BYTES = 1 << 20

Vector = npt.NDArray[np.float32]
Progress = Callable[[int, int], None]
"""Hears how many texts have their vectors, of how many that need to be encoded now."""


class Store:
    """Vectors by the SHA-256 of the embedder's signature, the role and the text.

    A process that is killed loses what it had not yet put; several may write at once.
    """

    def __init__(self, connection: sqlite3.Connection, progress: Progress = lambda _done, _total: None) -> None:
        self.progress = progress
        self._connection = connection
        self._lock = Lock()

    def find(self, keys: Sequence[bytes]) -> dict[bytes, npt.NDArray[np.float32]]:
        """Return the vectors of those ``keys`` that are there."""
        return {key: np.frombuffer(vector, dtype="<f4") for key, vector in self._rows("vectors", "vector", keys)}

    def windows(self, keys: Sequence[bytes]) -> dict[bytes, int]:
        """Return in how many windows the texts of ``keys`` were read, those that were read in several."""
        return dict(self._rows("windows", "count", keys))

    def put(
        self,
        vectors: Iterable[tuple[bytes, npt.NDArray[np.float32]]],
        windows: Mapping[bytes, int] = MappingProxyType({}),
    ) -> None:
        """Add vectors, and in how many ``windows`` their texts were read; all or, where the process is killed, none."""
        rows = [(key, vector.astype("<f4").tobytes()) for key, vector in vectors]
        with self._lock, self._connection:
            self._connection.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", rows)
            self._connection.executemany("INSERT OR IGNORE INTO windows VALUES (?, ?)", windows.items())

    def _rows(self, table: str, column: str, keys: Sequence[bytes]) -> Iterator[tuple[bytes, Any]]:
        for first in range(0, len(keys), _ASKED):
            some_keys = keys[first : first + _ASKED]
            marks = ",".join("?" * len(some_keys))
            query = f"SELECT key, {column} FROM {table} WHERE key IN ({marks})"  # noqa: S608 - names of our own
            with self._lock:
                rows = self._connection.execute(query, some_keys).fetchall()
            yield from rows


@contextmanager
def open_store(directory: Path | str | None = None, progress: Progress = lambda _done, _total: None) -> Iterator[Store]:
    """Open the store in ``directory``, made where there is none; without one, a temporary store that goes at the end.

    Raises:
        DataError: it cannot be opened, or what is there is no store.

    >>> with open_store() as store:
    ...     store.put([(b"key", np.array([1, 2], dtype=np.float32))])
    ...     store.find([b"key", b"other"])
    {b'key': array([1., 2.], dtype=float32)}
    """
    try:
        connection = _connected(directory)
    except (sqlite3.Error, OSError) as error:
        message = f"cannot use {str(directory)!r} as embedding cache ({error}); give another directory, or remove it"
        raise DataError(message) from None
    with closing(connection):
        yield Store(connection, progress)


class _Temporary:
    """A temporary store, opened when it is first read, and removed with the last reference to this."""

    @cached_property
    def store(self) -> Store:
        connection = _connected(None)
        finalize(self, connection.close)
        return Store(connection)


def with_store(data: Dataset, directory: Path | str | None) -> Dataset:
    """Return ``data`` in batches of about a megabyte that share a store, in ``directory`` or in a temporary file.

    A text that occurs in several batches, or in a later pass through the data, is encoded once. One sample is not cut.
    The temporary file is removed with what is returned.

    >>> import pyarrow as pa
    >>> data = Dataset.of(Batch(pa.table({"id": list("abc"), "answer": ["x" * 10**6] * 3})), "long answers")
    >>> [len(batch) for batch in with_store(data, None).batches()]
    [1, 1, 1]
    """
    temporary = _Temporary()

    def batches() -> Iterator[Batch]:
        with nullcontext(temporary.store) if directory is None else open_store(directory) as store:
            for batch in data.batches():
                yield from (part.given(EMBEDDER_CACHE, partial(Cached, store=store)) for part in _small(batch))

    return replace(data, batches=batches)


def _small(batch: Batch) -> Iterator[Batch]:
    """Cut a batch into parts of about a megabyte."""
    table = batch.table()
    if table.nbytes <= _BATCH_BYTES or len(batch) < 2:
        yield batch
        return
    rows = max(1, len(batch) * _BATCH_BYTES // table.nbytes)
    for first in range(0, len(batch), rows):
        yield Batch(table.slice(first, rows))


def key_of(signature: str, role: str, text: str) -> bytes:
    """Return what a vector is kept under."""
    return sha256(f"{signature}\0{role}\0{text}".encode("utf-8", "surrogatepass")).digest()


def _connected(directory: Path | str | None) -> sqlite3.Connection:
    """Connect; an empty name is SQLite's for a temporary file that it removes itself."""
    if directory is not None:
        Path(directory).mkdir(parents=True, exist_ok=True)
    path = "" if directory is None else str(Path(directory) / _FILE)
    connection = sqlite3.connect(path, timeout=_WAIT_S, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode=WAL").close()
        connection.execute("PRAGMA synchronous=NORMAL").close()
        with connection:
            connection.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")
            connection.execute("CREATE TABLE IF NOT EXISTS windows (key BLOB PRIMARY KEY, count INTEGER) WITHOUT ROWID")
            connection.execute("SELECT key, vector FROM vectors LIMIT 1").close()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


@dataclass
class _Known:
    """Vectors by key, why there is none, and in how many windows a text was read where these were several."""

    vectors: dict[bytes, Vector] = field(default_factory=dict)
    failures: dict[bytes, str] = field(default_factory=dict)
    windows: dict[bytes, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Cached:
    """Encodes with ``embedder`` what ``store`` does not have, a thousand texts at a time, and keeps it there.

    Vectors that failed are not kept: the next run encodes their texts again. An embedder is not cached if its vectors
    cost less to make than to keep, as those of ``lexical`` (``kept`` is False), or are not dense.
    """

    embedder: Embedder
    store: Store

    def __str__(self) -> str:
        return str(self.embedder)

    @property
    def signature(self) -> str:
        """The embedder's own: a cache changes no number."""
        return self.embedder.signature

    @property
    def symmetric(self) -> bool:
        """Whether the role changes nothing."""
        return bool(getattr(self.embedder, "symmetric", False))

    def encode(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return one vector per text.

        Raises:
            DataError: the embedder gave vectors of another length before.
        """
        if not getattr(self.embedder, "kept", True):
            return self.embedder.encode(texts, role)
        keys = [key_of(self.signature, role_key(self.embedder, role), text) for text in texts]
        distinct = dict(zip(keys, texts, strict=True))
        known = _Known(self.store.find([*distinct]), windows=self.store.windows([*distinct]))
        absent = {key: text for key, text in distinct.items() if key not in known.vectors}
        return _arranged(keys, known) if self._encode(absent, role, known) else self.embedder.encode(texts, role)

    def _encode(self, absent: dict[bytes, str], role: Role, known: _Known) -> bool:
        """Encode ``absent``, keep it and add it to ``known``; return False, having kept nothing, if it is not dense."""
        for done, chunk in _chunks([*absent]):
            made = self.embedder.encode([absent[key] for key in chunk], role)
            if not isinstance(made, DenseVectors):
                return False
            one_vector_each(self.embedder, made, len(chunk))
            new = {key: made.values[place] for place, key in enumerate(chunk) if place not in made.failures}
            windows = {chunk[place]: count for place, count in made.windowed.items() if chunk[place] in new}
            self._check(known.vectors.values(), new.values())
            self.store.put(new.items(), windows)
            known.vectors.update(new)
            known.windows.update(windows)
            known.failures.update({chunk[place]: why for place, why in made.failures.items()})
            self.store.progress(done, len(absent))
        return True

    def _check(self, before: Iterable[Vector], now: Iterable[Vector]) -> None:
        lengths = {len(vector) for vector in before}
        new = {len(vector) for vector in now} - lengths
        if lengths and new:
            message = (
                f"{self.embedder} gave vectors of {min(lengths)} numbers before, and now of {min(new)}: they cannot be "
                "compared; it is another model by now, so score again, without an --embedding-cache of the old one"
            )
            raise DataError(message)


def _chunks(keys: list[bytes]) -> Iterator[tuple[int, list[bytes]]]:
    """Yield runs of keys, and how many there were until the end of each."""
    for first in range(0, len(keys), _CHUNK):
        yield min(first + _CHUNK, len(keys)), keys[first : first + _CHUNK]


def _arranged(keys: Sequence[bytes], known: _Known) -> DenseVectors:
    """Put the vectors in the order of ``keys``."""
    width = max((len(vector) for vector in known.vectors.values()), default=1)
    if any(len(vector) != width for vector in known.vectors.values()):
        message = "the embedding cache holds vectors of different lengths for one embedder; remove it"
        raise DataError(message)
    values = np.zeros((len(keys), width), dtype=np.float32)
    for place, key in enumerate(keys):
        values[place] = known.vectors.get(key, 0.0)
    return DenseVectors(values, _by_place(keys, known.failures), _by_place(keys, known.windows))


def _by_place(keys: Sequence[bytes], known: Mapping[bytes, Any]) -> dict[int, Any]:
    return {place: known[key] for place, key in enumerate(keys) if key in known} if known else {}
