"""A file of kept answers, seen from outside: what is in it, and how to make it smaller."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ragauge.errors import UsageError, excerpt
from ragauge.judges.answers import Answer
from ragauge.judges.store import is_cache, opened


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
    if not is_cache(path):
        raise UsageError(
            "RG-JUDGE-005 {path!r} is no judge cache; ragauge score --judge-cache FILE writes one", str(path)
        )
    with closing(opened(path)) as connection:
        try:
            yield connection
        except sqlite3.Error as error:
            raise UsageError(
                "RG-JUDGE-006 the judge cache {path!r} cannot be read: {excerpt}", str(path), excerpt(error)
            ) from None


def _day(timestamp: float) -> str:
    return datetime.fromtimestamp(timestamp, UTC).date().isoformat()
