"""The cache of judges' answers, an SQLite file or a temporary one: what it keeps, and how to make it smaller."""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
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
                self._connection = _opened(self.path)
            return self._connection


def _opened(path: Path | None) -> sqlite3.Connection:
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


@dataclass(frozen=True)
class KeptAnswers:
    """The answers of one judge to one prompt: how many, and the days of the first and the last one."""

    judge: str
    prompt: str
    answers: int
    first: str
    last: str


def kept_answers(path: Path) -> list[KeptAnswers]:
    """Return the answers that a file keeps, by judge and prompt; UsageError where it is none."""
    query = "SELECT judge, prompt, count(*), min(created), max(created) FROM answers GROUP BY judge, prompt"
    with _existing(path) as connection:
        rows = connection.execute(f"{query} ORDER BY judge, prompt").fetchall()
    return [KeptAnswers(judge, prompt, count, _day(first), _day(last)) for judge, prompt, count, first, last in rows]


def prune(path: Path, *, days: float | None = None, judge: str = "", prompt: str = "", failed: bool = False) -> int:
    """Remove the answers that are older than ``days``, of the judges and of the prompt named; return how many.

    Args:
        path: the file.
        days: None: of any age.
        judge: what the judge's text holds, as the name of its model; empty: any.
        prompt: the name of the prompt; empty: any.
        failed: only those that can be no reply: refused, filtered, truncated, empty, or without JSON.
    """
    conditions, values = ["1"], []
    if days is not None:
        conditions.append("created <= ?")
        values.append(str((datetime.now(UTC) - timedelta(days=days)).timestamp()))
    for condition, value in (("instr(judge, ?)", judge), ("prompt = ?", prompt)):
        if value:
            conditions.append(condition)
            values.append(value)
    if failed:
        conditions.append("failed(answer)")
    with _existing(path) as connection:
        connection.create_function("failed", 1, _failed, deterministic=True)
        with connection:
            removed = connection.execute(f"DELETE FROM answers WHERE {' AND '.join(conditions)}", values).rowcount  # noqa: S608 - only our own words
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return removed


def _failed(answer: str) -> bool:
    """Return whether an answer, as JSON, can be no reply; a damaged one cannot."""
    try:
        return Answer.from_json(answer).failed
    except (ValueError, TypeError):
        return True


@contextmanager
def _existing(path: Path) -> Iterator[sqlite3.Connection]:
    if not path.is_file():
        raise UsageError(
            "RG-JUDGE-004 there is no judge cache {path!r}; ragauge score --judge-cache FILE writes one", str(path)
        )
    # Before it is opened: SQLite would make a database of an empty file.
    if not _is_cache(path):
        raise UsageError(
            "RG-JUDGE-005 {path!r} is no judge cache; ragauge score --judge-cache FILE writes one", str(path)
        )
    with closing(_opened(path)) as connection:
        try:
            yield connection
        except sqlite3.Error as error:
            raise UsageError(
                "RG-JUDGE-006 the judge cache {path!r} cannot be read: {excerpt}", str(path), excerpt(error)
            ) from None


def _is_cache(path: Path) -> bool:
    """Return whether a file begins as one of SQLite that ragauge made."""
    with path.open("rb") as file:
        head = file.read(_ID_AT + 4)
    return head.startswith(b"SQLite format 3\0") and head[_ID_AT:] == _APPLICATION.to_bytes(4, "big")


def _day(timestamp: float) -> str:
    return datetime.fromtimestamp(timestamp, UTC).date().isoformat()
