"""Batches that were sent, in a file beside the cache, so that the same command goes on with them."""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragauge.core.ingredients import Question
from ragauge.core.sqlite import SqliteFile, has_only
from ragauge.errors import UsageError, excerpt
from ragauge.judges.request import Request

_TABLE = """CREATE TABLE IF NOT EXISTS batches
(mark TEXT PRIMARY KEY, id TEXT, judge TEXT, sent REAL, form TEXT, requests TEXT) WITHOUT ROWID"""


@dataclass(frozen=True)
class Asked:
    """What has to be known of a request to read its answer."""

    prompt: str
    label: str
    labels: tuple[str, ...]
    max_tokens: int

    def request(self, key: bytes) -> Request:
        """Return as much of the request as reading its answer takes."""
        question = Question(
            prompt=self.prompt, version="", messages=(), schema={}, max_tokens=self.max_tokens,
            label=self.label, labels=tuple(self.labels),
        )  # fmt: skip
        return Request(question=question, messages=(), max_tokens=self.max_tokens, key=key)


@dataclass(frozen=True)
class SentBatch:
    """A batch that was sent; without an id it is not known whether the server has it. ``requests``: by their keys."""

    mark: str
    judge: str
    sent: float
    form: tuple[Any, str]
    requests: Mapping[str, Asked]
    id: str = ""

    @property
    def row(self) -> tuple[Any, ...]:
        """The batch as a row of the file."""
        asked = {key: list(vars(one).values()) for key, one in self.requests.items()}
        return self.mark, self.id, self.judge, self.sent, json.dumps(self.form), json.dumps(asked)

    @classmethod
    def of(cls, row: Sequence[Any]) -> SentBatch:
        """Return the batch of a row."""
        mark, name, judge, sent, form, requests = row
        asked = {key: Asked(*values) for key, values in json.loads(requests).items()}
        return cls(mark, judge, sent, tuple(json.loads(form)), asked, name)


class SentBatches(SqliteFile):
    """The file of the batches that were sent and have no answer yet. ``cache``: the file of the cache."""

    def __init__(self, cache: Path) -> None:
        super().__init__(_path_beside(cache), [_TABLE], _claim)

    def read(self) -> list[SentBatch]:
        """Return the batches that are remembered, the first sent first. Raises UsageError: another file."""
        try:
            with self.lock:
                rows = self.connection().execute("SELECT * FROM batches ORDER BY sent").fetchall()
            return list(map(SentBatch.of, rows))
        except (sqlite3.Error, OSError, ValueError, TypeError, AttributeError) as error:
            template = (
                "RG-JUDGE-063 {path}, which remembers batches that were sent, cannot be read: {error}. Remove it, and "
                "what they were asked is asked again"
            )
            raise UsageError(template, str(self.path), excerpt(error)) from None

    def remember(self, batch: SentBatch) -> None:
        """Remember a batch, or its id."""
        with self.lock, self.connection() as connection:
            connection.execute("INSERT OR REPLACE INTO batches VALUES (?, ?, ?, ?, ?, ?)", batch.row)

    def forget(self, batch: SentBatch) -> None:
        """Forget a batch, whose answers are in the cache or will not come."""
        with self.lock, self.connection() as connection:
            connection.execute("DELETE FROM batches WHERE mark = ?", (batch.mark,))


def warn_of_batches(cache: Path) -> None:
    """Warn where batches that an earlier run sent are under way, which a run without batches pays again."""
    path = _path_beside(cache)
    if not path.exists():
        return
    with suppress(sqlite3.Error), closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as file:
        (number,) = file.execute("SELECT COUNT(*) FROM batches").fetchone()
        if number:
            template = (
                "%d %s under way, and this run asks the same questions one by one: they may be paid twice. "
                "--judge-batch, or Session(batch=True), goes on with what was sent"
            )
            logging.getLogger("ragauge").warning(template, number, "batch is" if number == 1 else "batches are")


def _path_beside(cache: Path) -> Path:
    return cache.with_name(f"{cache.name}.batches")


def _claim(connection: sqlite3.Connection) -> None:
    if has_only(connection, _TABLE) is False:
        raise sqlite3.DatabaseError("it is another program's file")
