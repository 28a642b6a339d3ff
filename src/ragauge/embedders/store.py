"""Cached vectors: within a run, or in a file from run to run."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt

from ragauge.core.batch import EMBEDDER_CACHE, Dataset, in_small_batches
from ragauge.core.ingredients import Embedder, Role, Vectors
from ragauge.core.messages import Argument
from ragauge.core.spec import write
from ragauge.core.sqlite import SqliteFile, has_only
from ragauge.core.texts import one_vector_each, role_key
from ragauge.embedders.blend import Blend
from ragauge.embedders.dense import DenseVectors
from ragauge.errors import DataError, excerpt

_FILE = "embeddings.sqlite"
_TABLE = "CREATE TABLE IF NOT EXISTS embeddings (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID"
# SQLite's errors; those of making a folder; those of sqlite3 on damaged files.
_FAILURES = (sqlite3.Error, OSError, ValueError, MemoryError)
# SQLite takes at least 999 parameters in a statement.
_KEYS_PER_QUERY = 500
# A value is a checksum, the number of windows, and the numbers of the vector.
_CHECKSUM_BYTES = 8
_WINDOWS_BYTES = 4

# Texts between two writes: a killed process loses at most these.
_TEXTS_PER_WRITE = 1024
# Sentences, windows and vectors of a text take about a hundred times its size: two megabytes of text some two hundred.
# With one megabyte, groundedness takes 7 to 9 % more time.
_BATCH_BYTES = 1 << 21

Vector = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Stored:
    """A vector, and in how many windows its text was read."""

    vector: Vector
    windows: int = 1


class Store:
    """Vectors by the SHA-256 of the embedder's signature, the role and the text, in an SQLite file.

    Several processes may use one file at once. A damaged value counts as absent. After a failed write, vectors go to a
    temporary file; after a failed read, a file is not used again. Each of these logs a warning, and none is an error.

    Args:
        directory: holds the file, and is made where there is none; None: a temporary file, which is removed at the end.

    >>> with Store() as store:
    ...     store.put({b"key": Stored(np.array([1, 2], dtype=np.float32))})
    ...     store.find([b"key", b"other"])
    {b'key': Stored(vector=array([1., 2.], dtype=float32), windows=1)}
    """

    def __init__(self, directory: Path | str | None = None) -> None:
        paths = [] if directory is None else [Path(directory) / _FILE]
        self._to_write = [SqliteFile(path, [_TABLE], _begin) for path in (*paths, None)]
        self._to_read = self._to_write[:1]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the files, which are opened again when they are used again; a temporary one is removed."""
        for file in self._to_read:
            file.close()

    def find(self, keys: Sequence[bytes]) -> dict[bytes, Stored]:
        """Return the vectors that are stored under ``keys``."""
        vectors: dict[bytes, Stored] = {}
        damaged = 0
        for file in [*self._to_read]:
            rows = self._rows(file, [key for key in keys if key not in vectors])
            whole = {key: stored for key, value in rows if (stored := _unpacked(key, value)) is not None}
            damaged += len(rows) - len(whole)
            vectors.update(whole)
        if damaged:
            _warn(f"{damaged} vectors in the embedding cache are damaged; they are computed again")
        return vectors

    def put(self, vectors: Mapping[bytes, Stored]) -> None:
        """Store all ``vectors`` or, where the process is killed, none."""
        rows = [(key, _packed(key, stored)) for key, stored in vectors.items()]
        while self._to_write:
            file = self._to_write[0]
            try:
                with file.lock, file.connection() as connection:
                    connection.executemany("INSERT OR REPLACE INTO embeddings VALUES (?, ?)", rows)
            except _FAILURES as error:
                self._write_elsewhere(error)
            else:
                return

    def _rows(self, file: SqliteFile, keys: Sequence[bytes]) -> list[tuple[bytes, object]]:
        rows: list[tuple[bytes, object]] = []
        try:
            for first in range(0, len(keys), _KEYS_PER_QUERY):
                some = keys[first : first + _KEYS_PER_QUERY]
                query = f"SELECT key, value FROM embeddings WHERE key IN ({','.join('?' * len(some))})"  # noqa: S608 - only marks
                with file.lock:
                    rows += file.connection().execute(query, some).fetchall()
        except _FAILURES as error:
            self._to_read.remove(file)
            file.close()
            if file in self._to_write:
                self._write_elsewhere(error)
        return rows

    def _write_elsewhere(self, error: Exception) -> None:
        path = self._to_write.pop(0).path
        self._to_read += self._to_write[:1]
        if path is None:
            place, remedy = "a temporary file for vectors", "set TMPDIR to another directory"
        else:
            place, remedy = f"{str(path.parent)!r} as embedding cache", "give another directory, or remove it"
        _warn(f"cannot use {place} ({excerpt(str(error))}), so vectors are computed without it; {remedy}")


def _begin(connection: sqlite3.Connection) -> None:
    """Refuse another program's file, and have texts read as bytes, because a damaged one may not be UTF-8."""
    if has_only(connection, _TABLE) is False:
        raise sqlite3.DatabaseError("it is another program's file")
    connection.text_factory = bytes


def _warn(message: str) -> None:
    """Log a warning; where logging is not set up, Python writes it to stderr."""
    import logging

    logging.getLogger("ragauge").warning(message)


def _packed(key: bytes, stored: Stored) -> bytes:
    content = stored.windows.to_bytes(_WINDOWS_BYTES) + stored.vector.astype("<f4").tobytes()
    return _checksum(key, content) + content


def _unpacked(key: bytes, value: object) -> Stored | None:
    """Return what `_packed` packed; None if it is anything else."""
    if not isinstance(value, bytes) or value[:_CHECKSUM_BYTES] != _checksum(key, value[_CHECKSUM_BYTES:]):
        return None
    content = value[_CHECKSUM_BYTES:]
    vector = np.frombuffer(content, dtype="<f4", offset=_WINDOWS_BYTES)
    return Stored(vector, int.from_bytes(content[:_WINDOWS_BYTES]))


def _checksum(key: bytes, content: bytes) -> bytes:
    return blake2b(key + content, digest_size=_CHECKSUM_BYTES).digest()


def key_of(signature: str, role: str, text: str) -> bytes:
    """Return the key of a vector."""
    return sha256(f"{signature}\0{role}\0{text}".encode("utf-8", "surrogatepass")).digest()


def with_store(data: Dataset, directory: Path | str | Store | None) -> Dataset:
    """Return ``data`` in batches of about two megabytes that share a store, in ``directory`` or in a temporary file.

    ``directory`` may also be a store that others use.

    A text that occurs in several batches, or in a later pass through the data, is encoded once. One sample is not cut.

    >>> import pyarrow as pa
    >>> from ragauge.core.batch import Batch
    >>> data = Dataset.of(Batch(pa.table({"id": list("abc"), "answer": ["x" * 2 * 10**6] * 3})), "long answers")
    >>> [len(batch) for batch in with_store(data, None).batches()]
    [1, 1, 1]
    """
    store = directory if isinstance(directory, Store) else Store(directory)
    return in_small_batches(data, _BATCH_BYTES, EMBEDDER_CACHE, partial(Cached, store=store))


@dataclass(frozen=True)
class Cached:
    """Encodes with ``embedder`` the texts that ``store`` lacks, a thousand at a time, and stores their vectors.

    Vectors that failed are not stored: the next run encodes their texts again. An embedder is not cached if its vectors
    cost less to compute than to store, as those of ``lexical`` (``kept`` is False), or are not dense. Of a blend, the
    vectors of its parts are stored.
    """

    embedder: Embedder
    store: Store

    def __str__(self) -> str:
        return write(self.embedder)

    @property
    def signature(self) -> str:
        """The embedder's own: a cache changes no number."""
        return self.embedder.signature

    @property
    def symmetric(self) -> bool:
        """Whether the role changes nothing."""
        return bool(getattr(self.embedder, "symmetric", False))

    def encode(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return one vector per text; DataError where the embedder gave vectors of another length before."""
        if isinstance(self.embedder, Blend):
            return self.embedder.encode_by(texts, role, lambda part: Cached(part, self.store))
        if not getattr(self.embedder, "kept", True):
            return one_vector_each(self.embedder, texts, role)
        keys = [key_of(self.signature, role_key(self.embedder, role), text) for text in texts]
        distinct = dict(zip(keys, texts, strict=True))
        known = self.store.find([*distinct])
        if len(_lengths(known)) > 1:
            known = {}
        failures: dict[bytes, str] = {}
        absent = [key for key in distinct if key not in known]
        for first in range(0, len(absent), _TEXTS_PER_WRITE):
            chunk = absent[first : first + _TEXTS_PER_WRITE]
            vectors = one_vector_each(self.embedder, [distinct[key] for key in chunk], role)
            if not isinstance(vectors, DenseVectors):
                return one_vector_each(self.embedder, texts, role)
            new = {
                key: Stored(vectors.values[place], vectors.windowed.get(place, 1))
                for place, key in enumerate(chunk)
                if place not in vectors.failures
            }
            self._check_length(known, new)
            self.store.put(new)
            known.update(new)
            failures.update({chunk[place]: why for place, why in vectors.failures.items()})
        return _arranged(keys, known, failures)

    def _check_length(self, known: Mapping[bytes, Stored], new: Mapping[bytes, Stored]) -> None:
        before, now = _lengths(known), _lengths(new)
        if before and now - before:
            raise DataError(
                "RG-EMB-010 {owner} gave vectors of {low} numbers before, and now of {low2}; it is another model by "
                "now. Score again with another folder, as in {embedding_cache}.",
                self,
                min(before),
                min(now - before),
                Argument("embedding_cache", "vectors-2"),
            )


def _lengths(vectors: Mapping[bytes, Stored]) -> set[int]:
    return {len(stored.vector) for stored in vectors.values()}


def _arranged(keys: Sequence[bytes], known: Mapping[bytes, Stored], failures: Mapping[bytes, str]) -> DenseVectors:
    """Put the vectors in the order of ``keys``."""
    values = np.zeros((len(keys), max(_lengths(known), default=1)), dtype=np.float32)
    windowed = {}
    for place, key in enumerate(keys):
        if key in known:
            values[place] = known[key].vector
            if known[key].windows > 1:
                windowed[place] = known[key].windows
    return DenseVectors(values, {place: failures[key] for place, key in enumerate(keys) if key in failures}, windowed)
