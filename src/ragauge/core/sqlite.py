"""SQLite files that several threads and processes use at once."""

from __future__ import annotations

import atexit
import os
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Event, RLock
from time import monotonic, sleep
from weakref import WeakSet, finalize

_PAUSE_S = 0.02
_LINKED = bytes.fromhex("d9d505f920a163d7")
"""The last bytes of a journal that names a file of its transaction, which SQLite removes when it reads the journal."""
# Seconds to wait for another process that writes, and for a thread of this one when it ends.
_WAIT_S = 60.0
_LAST_WAIT_S = 2.0
_open: WeakSet[SqliteFile] = WeakSet()
_ended = Event()
"""The process ends: threads that it does not wait for may come back from a server, and open nothing any more."""


class SqliteFile:
    """An SQLite file in write-ahead mode, or a temporary one; opened when it is first used, closed with this object.

    A file that cannot be written, as on a read-only file system, is opened for reading: a write raises sqlite3.Error.

    Args:
        path: the file, made with its folder where there is none; None: a temporary file, which SQLite removes.
        statements: run each time that the file is opened for writing.
        begin: called before anything is written, such as to refuse the file of another program.
    """

    def __init__(
        self,
        path: Path | None,
        statements: Sequence[str],
        begin: Callable[[sqlite3.Connection], None] = lambda _connection: None,
    ) -> None:
        self.path, self._statements, self._begin = path, statements, begin
        self.lock = RLock()
        self._connection: sqlite3.Connection | None = None
        self._closing: finalize[..., SqliteFile] | None = None

    def connection(self) -> sqlite3.Connection:
        """Return the open connection; hold `lock` as long as you use it."""
        with self.lock:
            if _ended.is_set():
                raise SystemExit  # of this thread
            if self._connection is None:
                self._connection = self._opened()
                self._closing = finalize(self, _close, self._connection)
                # At the end of the process a thread may be in the middle of a statement, so `_close_all` does it.
                self._closing.atexit = False
                _open.add(self)
            return self._connection

    def close(self) -> None:
        """Close the file, which is opened again when it is used again."""
        with self.lock:
            self._connection = None
            if self._closing is not None:
                self._closing()

    def _opened(self) -> sqlite3.Connection:
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            _check_journal(self.path)
        address = None if self.path is None else _address_to_read(self.path)
        # SQLite's name of a temporary file that it removes itself is empty.
        place, is_address = address or self.path or "", address is not None
        connection = sqlite3.connect(place, timeout=_WAIT_S, check_same_thread=False, uri=is_address)
        statements = ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL", *self._statements)
        try:
            self._begin(connection)
            for statement in () if is_address else statements:
                execute_waiting(connection, statement, _WAIT_S)
        except BaseException:
            connection.close()
            raise
        return connection


def _close(connection: sqlite3.Connection) -> None:
    with suppress(sqlite3.Error):
        connection.close()


@atexit.register
def _close_all() -> None:
    _ended.set()
    for file in list(_open):
        # To close a file while a thread is in one of its statements crashes the process.
        if file.lock.acquire(timeout=_LAST_WAIT_S):
            file.close()
            file.lock.release()


def _check_journal(path: Path) -> None:
    """Raise sqlite3.DatabaseError where a journal beside a file would have SQLite remove another file.

    Only transactions over several files write such a journal, and ragauge has none.
    """
    real = path.resolve()
    with suppress(OSError), real.with_name(f"{real.name}-journal").open("rb") as journal:
        journal.seek(-len(_LINKED), os.SEEK_END)
        if journal.read() == _LINKED:
            raise sqlite3.DatabaseError("its journal names another file, which would be removed")


def _address_to_read(path: Path) -> str | None:
    """Return the address that opens a file for reading alone; None where it is not there, or may be written."""
    if not path.is_file() or (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        return None
    # SQLite reads write-ahead mode from files of its own beside this one. It cannot make them here, and needs none
    # where no process has left any.
    has_log = path.with_name(f"{path.name}-wal").exists()
    return f"{path.absolute().as_uri()}?mode=ro{'' if has_log else '&immutable=1'}"


def has_only(connection: sqlite3.Connection, table: str) -> bool | None:
    """Return whether a file has what the statement ``table`` makes, and nothing else; None for an empty file.

    SQLite runs the views and triggers of a file when it is read and written, and these may never end.

    >>> connection = sqlite3.connect(":memory:")
    >>> has_only(connection, "CREATE TABLE IF NOT EXISTS tea (name)") is None
    True
    >>> _ = connection.execute("CREATE TABLE IF NOT EXISTS tea (name)")
    >>> has_only(connection, "CREATE TABLE IF NOT EXISTS tea (name)")
    True
    >>> connection.close()
    """
    # As bytes, because a damaged text may not be UTF-8.
    found = [sql for (sql,) in connection.execute("SELECT CAST(sql AS BLOB) FROM sqlite_master")]
    return found == [table.replace("IF NOT EXISTS ", "").encode()] if found else None


def execute_waiting(connection: sqlite3.Connection, statement: str, seconds: float = _WAIT_S) -> None:
    """Run ``statement``, again for up to ``seconds`` while the file is locked.

    SQLite itself does not wait where two processes give a new file its journal at once: it fails at once, because
    each of them could wait for the other.

    >>> connection = sqlite3.connect(":memory:")
    >>> execute_waiting(connection, "CREATE TABLE tea (name TEXT)")
    >>> connection.close()
    """
    end = monotonic() + seconds
    while True:
        try:
            connection.execute(statement).close()
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or monotonic() >= end:
                raise
            sleep(_PAUSE_S)
        else:
            return
