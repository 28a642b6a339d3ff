"""Statements that wait while another process holds a file of SQLite."""

from __future__ import annotations

import sqlite3
from time import monotonic, sleep

_PAUSE_S = 0.02


def execute_waiting(connection: sqlite3.Connection, statement: str, seconds: float) -> None:
    """Run ``statement``, again for up to ``seconds`` while the file is locked.

    SQLite itself does not wait where two processes give a new file its journal at once: it fails at once, because
    each of them could wait for the other.

    >>> connection = sqlite3.connect(":memory:")
    >>> execute_waiting(connection, "CREATE TABLE tea (name TEXT)", 1.0)
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
