"""Files of judge caches: rows as JSON, or the whole file, damaged.

A run with the cache ends in a result; the command that shows it in a table, or in an error that names the file.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from ragauge.core.ingredients import Question
from ragauge.errors import RagaugeError
from ragauge.judges import Answer, FunctionJudge, Session
from ragauge.judges.cache import cached_answers, prune
from tests.fuzz.making import NUMBERS, TEXTS, VALUES, as_json, damaged, file, folder

_QUESTIONS = [
    Question(prompt=f"p{number}", version="1", messages=(("user", f"q{number}"),), schema={"type": "object"})
    for number in range(2)
]
_GOOD = json.loads(Answer(text='{"n": 1}').to_json())
_ANSWERS = st.one_of(
    st.builds(lambda name, value: {**_GOOD, name: value}, st.sampled_from([*_GOOD, "x"]), VALUES).map(json.dumps),
    st.builds(json.dumps, VALUES),
    st.sampled_from(["[" * 2000, '{"text":' * 2000, '{"text": "a", "seconds": 1e999}', '{"text": "\\ud800"}']),
    NUMBERS,
    TEXTS,
)
_FIELDS = st.one_of(NUMBERS, TEXTS, st.none(), st.sampled_from([1e300, -1e18, 2.0**53]))
_ROWS = st.lists(st.tuples(_FIELDS, _FIELDS, _FIELDS, _ANSWERS), max_size=3)


def _judge() -> FunctionJudge:
    return FunctionJudge(lambda _messages: '{"n": 1}', "good")


def _whole() -> bytes:
    """Return the file of a cache with the answers to all questions, made once in a process."""
    made = folder() / "whole.sqlite"
    if not made.exists():
        with Session(made) as session:
            _judge().ask(_QUESTIONS, lambda _question, _value: None, session)
    return made.read_bytes()


STRATEGY = st.one_of(
    _ROWS.map(as_json), damaged(_ROWS.map(as_json)), st.builds(_whole).flatmap(lambda whole: damaged(st.just(whole)))
)


def _written(data: bytes) -> Path:
    for left in folder().glob("judge.sqlite*"):
        left.unlink()
    if data.startswith(b"SQLite"):
        return file("judge.sqlite", data)
    path = file("judge.sqlite", _whole())
    with closing(sqlite3.connect(path)) as connection, connection:
        for key, row in zip(connection.execute("SELECT key FROM answers").fetchall(), _rows(data), strict=False):
            # Values that SQLite cannot hold are in no file.
            with suppress(sqlite3.Error, OverflowError, UnicodeEncodeError):
                set_all = "UPDATE answers SET judge = ?, prompt = ?, created = ?, answer = ? WHERE key = ?"
                connection.execute(set_all, (*row, *key))
    return path


def _rows(data: bytes) -> Iterator[list[Any]]:
    """Yield the rows in ``data``; texts that no JSON is become bytes."""
    try:
        rows = json.loads(data)
    except (ValueError, RecursionError):
        rows = [[data, data[:9], data[:8], data]] * 2
    for row in rows if isinstance(rows, list) else []:
        if isinstance(row, list) and len(row) == 4:
            yield row


def target(data: bytes) -> None:
    """Ask by the cache, without and with a server, then show and prune it."""
    path = _written(data)
    for offline in (True, False):
        with suppress(RagaugeError), Session(path, offline=offline) as session:
            replies = _judge().ask(_QUESTIONS, lambda _question, _value: None, session)
            assert offline or all(reply.ok or reply.requests == 0 for reply in replies)
    for show in (cached_answers, lambda path: prune(path, failed=True), lambda path: prune(path, days=1)):
        try:
            rows: Any = show(path)
        except RagaugeError as error:
            names = "judge.sqlite" in str(error)
        else:
            names = bool(json.dumps([vars(row) for row in rows] if isinstance(rows, list) else rows))
        assert names
