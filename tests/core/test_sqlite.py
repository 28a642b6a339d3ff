"""Statements on a file that another connection holds."""

from __future__ import annotations

import gc
import sqlite3
from contextlib import closing
from pathlib import Path
from threading import Timer

import pytest

from ragauge.core.sqlite import SqliteFile, execute_waiting

JOURNAL = "PRAGMA journal_mode = WAL"


def test_a_statement_waits_until_the_file_is_free(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with (
        closing(sqlite3.connect(path, check_same_thread=False)) as holder,
        closing(sqlite3.connect(path, timeout=0)) as waiting,
    ):
        holder.execute("BEGIN EXCLUSIVE")
        release = Timer(0.2, holder.rollback)
        release.start()
        execute_waiting(waiting, JOURNAL, 60)
        assert waiting.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        release.join()


def test_it_waits_no_longer_than_it_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with closing(sqlite3.connect(path)) as holder, closing(sqlite3.connect(path, timeout=0)) as waiting:
        holder.execute("BEGIN EXCLUSIVE")
        with pytest.raises(sqlite3.OperationalError, match="database is locked"):
            execute_waiting(waiting, JOURNAL, 0.1)


def test_another_error_is_not_waited_for() -> None:
    with (
        closing(sqlite3.connect(":memory:")) as connection,
        pytest.raises(sqlite3.OperationalError, match="syntax error"),
    ):
        execute_waiting(connection, "NO STATEMENT", 60)


@pytest.mark.parametrize("in_a_circle", [False, True])
def test_a_file_that_nobody_closes_is_closed_with_its_object(in_a_circle: bool, tmp_path: Path) -> None:
    """Python 3.13 warns of connections that were left open; the objects of a run may refer to each other."""
    file = SqliteFile(tmp_path / "a.sqlite", ["CREATE TABLE tea (name TEXT)"])
    connection = file.connection()
    if in_a_circle:
        file.itself = file  # type: ignore[attr-defined]
    del file
    gc.collect()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connection.execute("SELECT * FROM tea")
