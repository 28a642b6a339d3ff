"""The cache of a judge's answers, an SQLite file or a temporary one: reading, writing and pruning."""

from __future__ import annotations

import json
import logging
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, Self, TypeVar

from ragauge.core.sqlite import SqliteFile, execute_waiting, has_only
from ragauge.errors import UsageError, excerpt
from ragauge.judges.reply import Answer

# "RAGJ", by which SQLite files of ragauge are recognised.
_APPLICATION = 0x5241474A
# Where a file of SQLite has the number of the program that made it.
_ID_AT = 68
_TABLE = """CREATE TABLE IF NOT EXISTS answers
(key BLOB PRIMARY KEY, judge TEXT, prompt TEXT, created REAL, answer TEXT) WITHOUT ROWID"""
# Rows of a damaged file may have any value; a day is known of seconds up to the year 9999.
_DATED = "typeof(created) = 'real' AND created BETWEEN 0 AND 253402300799"
_LOST = "failed(CAST(answer AS BLOB))"
# SQLite's errors; those of opening a file; those of sqlite3 on damaged files, and of values that no cache has.
_FAILURES = (sqlite3.Error, OSError, ValueError, TypeError, OverflowError, MemoryError)
Done = TypeVar("Done")


class AnswerStore:
    """Answers by key, in a file that several processes may use at once.

    Each answer is committed before it is used, so a killed process loses only the requests that were under way. A
    damaged answer counts as absent. A write that fails, as on a full disk or into a file that may only be read, logs a
    warning once, and the run continues.

    Args:
        path: the file, which is made where there is none; None: a temporary file, which is removed at the end.

    Raises:
        UsageError: the file is not a judge cache, or cannot be opened.

    >>> with AnswerStore() as store:
    ...     store.put(b"key", Answer(text="{}"), "chat", "faithfulness")
    ...     store.find(b"key").text, store.find(b"other")
    ('{}', None)
    """

    def __init__(self, path: Path | str | None = None) -> None:
        self._file = SqliteFile(None if path is None else Path(path), [_TABLE], _claim)
        self._failed = False
        if path is not None:
            _open(self._file)

    @property
    def path(self) -> Path | None:
        """The file; None for a temporary one."""
        return self._file.path

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file, which is opened again when it is used again; a temporary one is removed."""
        self._file.close()

    def find(self, key: bytes) -> Answer | None:
        """Return the answer that is stored under ``key``; None where there is none, or it is damaged."""
        # As bytes, because a damaged text may not be UTF-8.
        query = "SELECT CAST(answer AS BLOB) FROM answers WHERE key = ?"
        row = self._trying(lambda connection: connection.execute(query, (key,)).fetchone())
        if not row:
            return None
        try:
            return Answer.from_json(row[0])
        except (ValueError, TypeError):
            return None

    def is_damaged(self, key: bytes) -> bool:
        """Return whether the file has an answer under ``key``, or may have one, that `find` cannot read."""
        query = "SELECT count(*) FROM answers WHERE key = ?"
        found = self._trying(lambda connection: connection.execute(query, (key,)).fetchone())
        return self.find(key) is None and found != (0,)

    def put(self, key: bytes, answer: Answer, judge: str, prompt: str) -> None:
        """Store ``answer``, with the text of the judge and the name of the prompt, by which it may be pruned."""
        row = (key, judge, prompt, time.time(), answer.to_json())

        def write(connection: sqlite3.Connection) -> None:
            with connection:
                connection.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)", row)

        self._trying(write)

    def _trying(self, do: Callable[[sqlite3.Connection], Done]) -> Done | None:
        with self._file.lock:
            try:
                return do(_open(self._file))
            except _FAILURES as error:
                if not self._failed:
                    self._failed = True
                    place = "a temporary file" if self._file.path is None else repr(str(self._file.path))
                    problem = f"the judge cache in {place} cannot be used ({excerpt(error)})"
                    logging.getLogger("ragauge").warning("%s; answers are not cached from here on", problem)
                return None


def _open(file: SqliteFile) -> sqlite3.Connection:
    """Open a judge cache, or make one where there is no file; UsageError where it is any other file."""
    try:
        if file.path is not None and file.path.is_dir():
            template = "RG-JUDGE-015 the judge cache must be a file; {path!r} is a folder. Name a file in it."
            raise UsageError(template, str(file.path))
        return file.connection()
    except _FAILURES as error:
        raise UsageError(
            "RG-JUDGE-016 the judge cache {path!r} cannot be opened: {excerpt}. Name another file, or remove it.",
            str(file.path),
            excerpt(error),
        ) from None


def _claim(connection: sqlite3.Connection) -> None:
    """Write our number into a new file, before its journal is one ahead of it; refuse another program's file.

    Views and triggers in it are refused too, see `has_only`.
    """
    [[application]] = connection.execute("PRAGMA application_id").fetchall()
    is_ours = has_only(connection, _TABLE)
    if is_ours is False or (is_ours and application != _APPLICATION):
        raise sqlite3.DatabaseError("it is another program's file")
    if application != _APPLICATION:
        execute_waiting(connection, f"PRAGMA application_id = {_APPLICATION}")


def key_of(*parts: Any) -> bytes:
    """Return the key of an answer: the SHA-256 of ``parts`` as JSON."""
    text = json.dumps(parts, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode()).digest()


@dataclass(frozen=True)
class CachedAnswers:
    """The cached answers of one judge to one prompt: how many, and the days of the first and the last one.

    ``undated``: those of them that have no time, as in a damaged file; where all have none, the days are empty.
    ``failed``: those that can be no reply, as `prune` removes them.
    """

    judge: str
    prompt: str
    answers: int
    first: str
    last: str
    undated: int = 0
    failed: int = 0


def cached_answers(path: Path) -> list[CachedAnswers]:
    """Return what a judge cache holds, by judge and prompt; UsageError where ``path`` is not one, or damaged."""
    ends = ", ".join([f"{end}(created) FILTER (WHERE {_DATED})" for end in ("min", "max")])
    names = "CAST(judge AS BLOB), CAST(prompt AS BLOB)"
    query = f"SELECT {names}, count(*), {ends}, count(*) FILTER (WHERE NOT ({_DATED})), sum({_LOST}) FROM answers"  # noqa: S608 - only our own words
    with _existing(path) as connection:
        connection.create_function("failed", 1, _failed, deterministic=True)
        rows = connection.execute(f"{query} GROUP BY 1, 2 ORDER BY 1, 2").fetchall()
    return [
        CachedAnswers(_text(judge), _text(prompt), n, _day(first), _day(last), undated, failed)
        for judge, prompt, n, first, last, undated, failed in rows
    ]


def prune(path: Path, *, days: float | None = None, judge: str = "", prompt: str = "", failed: bool = False) -> int:
    """Remove the answers that match all conditions, and return how many there were.

    Args:
        path: the judge cache.
        days: the least age, which an answer without a time has too; None: any age.
        judge: a part of the judge's text, such as the name of its model; empty: any.
        prompt: the name of the prompt; empty: any.
        failed: only those that can be no reply: refused, filtered, truncated, empty, or unreadable.
    """
    oldest = (datetime.now(UTC) - timedelta(days=days or 0)).timestamp()
    wanted = (
        (f"(created <= ? OR NOT ({_DATED}))", oldest, days is not None), ("instr(judge, ?)", judge, judge),
        ("prompt = ?", prompt, prompt), (f"{_LOST} = ?", 1, failed),
    )  # fmt: skip
    conditions, values = zip(("1 = ?", 1), *[one[:2] for one in wanted if one[2]], strict=True)
    with _existing(path) as connection:
        connection.create_function("failed", 1, _failed, deterministic=True)
        with connection:
            removed = connection.execute(f"DELETE FROM answers WHERE {' AND '.join(conditions)}", values).rowcount  # noqa: S608 - only our own words
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return removed


def _failed(answer: bytes) -> bool:
    """Return whether an answer, as JSON, can be no reply; a damaged one cannot."""
    try:
        return Answer.from_json(answer).failed
    except (ValueError, TypeError):
        return True


@contextmanager
def _existing(path: Path) -> Iterator[sqlite3.Connection]:
    try:
        # Before it is opened: SQLite would make a database of an empty file.
        is_cache = _is_cache(path) if path.is_file() else None
        if is_cache is None:
            template = "RG-JUDGE-004 there is no judge cache {path!r}; ragauge score --judge-cache FILE writes one"
            raise UsageError(template, str(path))
        if not is_cache:
            template = "RG-JUDGE-005 {path!r} is not a judge cache; ragauge score --judge-cache FILE writes one"
            raise UsageError(template, str(path))
        with closing(SqliteFile(path, [_TABLE], _claim)) as file:
            yield _open(file)
    except _FAILURES as error:
        raise UsageError(
            "RG-JUDGE-006 the judge cache {path!r} cannot be read: {excerpt}", str(path), excerpt(error)
        ) from None


def _is_cache(path: Path) -> bool:
    """Return whether a file begins as one of SQLite that ragauge made."""
    with path.open("rb") as file:
        head = file.read(_ID_AT + 4)
    return head.startswith(b"SQLite format 3\0") and head[_ID_AT:] == _APPLICATION.to_bytes(4, "big")


def _text(content: bytes | None) -> str:
    return (content or b"").decode("utf-8", "replace")


def _day(timestamp: float | None) -> str:
    return "" if timestamp is None else datetime.fromtimestamp(timestamp, UTC).date().isoformat()
