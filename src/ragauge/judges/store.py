"""Answers of judges, each kept before it is used: in an SQLite file from run to run, or in a temporary one."""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from threading import RLock
from typing import Any, Self, TypeVar

from ragauge.core.sqlite import execute_waiting
from ragauge.errors import UsageError, excerpt
from ragauge.judges.answers import Answer

_TABLE = """CREATE TABLE IF NOT EXISTS answers
(key BLOB PRIMARY KEY, judge TEXT, prompt TEXT, created REAL, answer TEXT) WITHOUT ROWID"""
# "RAGJ": told apart from any other SQLite file.
_APPLICATION = 0x5241474A
# Where a file of SQLite has the number of the program that made it.
_ID_AT = 68
_WAIT_S = 60.0
_FAILURES = (sqlite3.Error, OSError, ValueError, TypeError)
Done = TypeVar("Done")


class AnswerStore:
    """Answers by key, in a file that several processes may use at once.

    Each answer is committed before it is used, so a killed process loses only the requests that were under way. A
    damaged answer counts as absent. A write that fails, as on a full disk, logs a warning once, and the run goes on.

    Args:
        path: the file, which is made where there is none; None: a temporary file, which goes at the end.

    Raises:
        UsageError: the file is not one of answers, or cannot be opened.

    >>> with AnswerStore() as store:
    ...     store.put(b"key", Answer(text="{}"), "chat", "faithfulness")
    ...     store.find(b"key").text, store.find(b"other")
    ('{}', None)
    """

    def __init__(self, path: Path | str | None = None) -> None:
        self.path = None if path is None else Path(path)
        self._lock = RLock()
        self._connection: sqlite3.Connection | None = None
        self._failed = False
        if self.path is not None:
            self._open()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Close the file, which is opened again when it is used again; a temporary one is removed."""
        with self._lock:
            if self._connection is not None:
                with suppress(sqlite3.Error):
                    self._connection.close()
                self._connection = None

    def find(self, key: bytes) -> Answer | None:
        """Return the answer that is kept under ``key``; None where there is none, or it is damaged."""
        query = "SELECT answer FROM answers WHERE key = ?"
        row = self._trying(lambda connection: connection.execute(query, (key,)).fetchone())
        if not row:
            return None
        try:
            return Answer.from_json(row[0])
        except (ValueError, TypeError):
            return None

    def put(self, key: bytes, answer: Answer, judge: str, prompt: str) -> None:
        """Keep ``answer``, with the signature of the judge and the name of the prompt, by which it may be pruned."""
        row = (key, judge, prompt, time.time(), answer.to_json())

        def write(connection: sqlite3.Connection) -> None:
            with connection:
                connection.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)", row)

        self._trying(write)

    def _trying(self, do: Callable[[sqlite3.Connection], Done]) -> Done | None:
        with self._lock:
            try:
                return do(self._open())
            except _FAILURES as error:
                if not self._failed:
                    self._failed = True
                    place = "a temporary file" if self.path is None else repr(str(self.path))
                    problem = f"the judge cache in {place} cannot be used ({excerpt(error)})"
                    logging.getLogger("ragauge").warning("%s; answers are not kept from here on", problem)
                return None

    def _open(self) -> sqlite3.Connection:
        with self._lock:
            if self._connection is None:
                self._connection = opened(self.path)
            return self._connection


def opened(path: Path | None) -> sqlite3.Connection:
    """Open a file of answers, made where there is none; UsageError where it is any other file."""
    if path is not None and path.is_dir():
        raise UsageError(
            "RG-JUDGE-015 the judge cache must be a file; {path!r} is a folder. Name a file in it.", str(path)
        )
    try:
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
        # SQLite's name of a temporary file that it removes itself is empty.
        connection = sqlite3.connect("" if path is None else path, timeout=_WAIT_S, check_same_thread=False)
        try:
            _prepare(connection)
        except BaseException:
            connection.close()
            raise
    except (sqlite3.Error, OSError) as error:
        raise UsageError(
            "RG-JUDGE-016 the judge cache {path!r} cannot be opened: {excerpt}. Name another file, or remove it.",
            str(path),
            excerpt(error),
        ) from None
    return connection


def is_cache(path: Path) -> bool:
    """Return whether a file begins as one of SQLite that ragauge made."""
    with path.open("rb") as file:
        head = file.read(_ID_AT + 4)
    return head.startswith(b"SQLite format 3\0") and head[_ID_AT:] == _APPLICATION.to_bytes(4, "big")


def _prepare(connection: sqlite3.Connection) -> None:
    [[application]] = connection.execute("PRAGMA application_id").fetchall()
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if tables and application != _APPLICATION:
        raise sqlite3.DatabaseError("it is another program's file")
    for statement in (
        f"PRAGMA application_id = {_APPLICATION}", "PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL", _TABLE,
    ):  # fmt: skip
        execute_waiting(connection, statement, _WAIT_S)


def key_of(*parts: Any) -> bytes:
    """Return what an answer is kept under: the SHA-256 of ``parts`` as JSON."""
    import json

    text = json.dumps(parts, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode()).digest()
