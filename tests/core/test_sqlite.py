"""Statements on a file that another connection holds."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from threading import Timer

import pytest

from ragauge.core.sqlite import execute_waiting

JOURNAL = "PRAGMA journal_mode = WAL"


def test_a_statement_waits_until_the_file_is_free(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    holder = sqlite3.connect(path, check_same_thread=False)
    holder.execute("BEGIN EXCLUSIVE")
    release = Timer(0.2, holder.rollback)
    release.start()
    with sqlite3.connect(path, timeout=0) as connection:
        execute_waiting(connection, JOURNAL, 60)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    release.join()


def test_it_waits_no_longer_than_it_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    holder = sqlite3.connect(path)
    holder.execute("BEGIN EXCLUSIVE")
    with (
        sqlite3.connect(path, timeout=0) as connection,
        pytest.raises(sqlite3.OperationalError, match="database is locked"),
    ):
        execute_waiting(connection, JOURNAL, 0.1)


def test_another_error_is_not_waited_for() -> None:
    with pytest.raises(sqlite3.OperationalError, match="syntax error"):
        execute_waiting(sqlite3.connect(":memory:"), "NO STATEMENT", 60)
