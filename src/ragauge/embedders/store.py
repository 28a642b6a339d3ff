"""Vectors kept in a file: within a run, or across runs by ``--embedding-cache``."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import Any
from weakref import finalize

import numpy as np
import numpy.typing as npt

from ragauge.errors import DataError

_FILE = "embeddings.sqlite"
_WAIT_S = 60.0
# SQLite takes at least 999 parameters in a statement.
_ASKED = 500

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
            asked = keys[first : first + _ASKED]
            marks = ",".join("?" * len(asked))
            query = f"SELECT key, {column} FROM {table} WHERE key IN ({marks})"  # noqa: S608 - names of our own
            with self._lock:
                rows = self._connection.execute(query, asked).fetchall()
            yield from rows


class Passing:
    """A temporary store, opened when it is first asked for, that goes when nobody holds this any more."""

    @cached_property
    def store(self) -> Store:
        """The store."""
        connection = _connected(None)
        finalize(self, connection.close)
        return Store(connection)


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
