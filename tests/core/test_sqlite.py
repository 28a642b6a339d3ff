"""Statements on a file that another connection holds."""

from __future__ import annotations

import gc
import sqlite3
import struct
import subprocess
import sys
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
    gc.collect(0)  # of what was made just now
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connection.execute("SELECT * FROM tea")


def with_journal(path: Path, victim: Path) -> None:
    """Leave beside a file of SQLite a journal as of a transaction that also changed another file and was killed."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("CREATE TABLE tea (name)")
    magic, name = bytes.fromhex("d9d505f920a163d7"), bytes(victim)
    head = magic + struct.pack(">IIIII", 0, 0, path.stat().st_size // 4096, 512, 4096)
    end = struct.pack(">I", 2**30 // 4096 + 1) + name + struct.pack(">II", len(name), sum(name)) + magic
    path.with_name(f"{path.name}-journal").write_bytes(head.ljust(512, b"\0") + end)


@pytest.mark.parametrize("is_link", [False, True])
def test_a_journal_that_names_another_file_removes_none(tmp_path: Path, is_link: bool) -> None:
    victim, path = tmp_path / "victim.txt", tmp_path / "a.sqlite"
    victim.write_text("precious", encoding="utf-8")
    with_journal(path, victim)
    if is_link:
        (tmp_path / "link").symlink_to(path)
        path = tmp_path / "link"
    with pytest.raises(sqlite3.DatabaseError, match="its journal names another file"):
        SqliteFile(path, []).connection()
    assert victim.exists()
    # So does SQLite.
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("SELECT * FROM tea").fetchall()
    assert not victim.exists()


def test_a_process_that_ends_waits_for_the_thread_that_writes(tmp_path: Path) -> None:
    code = """
import atexit
import sys
from pathlib import Path
from threading import Event, Thread
from time import sleep

# What is registered first is called last: the threads go on for a while after the file is closed.
atexit.register(sleep, 0.2)

from ragauge.core.sqlite import SqliteFile

file = SqliteFile(Path(sys.argv[1]), ["CREATE TABLE tea (name TEXT)"])
begun = Event()


def write(name, pause):
    with file.lock, file.connection() as connection:
        begun.set()
        sleep(pause)
        connection.execute("INSERT INTO tea VALUES (?)", (name,))


Thread(target=write, args=("oolong", 0.3), daemon=True).start()
begun.wait()
# This one comes too late.
Thread(target=write, args=("sencha", 0.0), daemon=True).start()
"""
    path = tmp_path / "a.sqlite"
    ended = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, b"")
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT name FROM tea WHERE name = 'oolong'").fetchall() == [("oolong",)]
