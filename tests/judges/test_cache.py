"""Files of judge caches that are damaged, made by others, or may only be read."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ragauge.errors import UsageError
from ragauge.judges import FunctionJudge, Session
from ragauge.judges.cache import cached_answers, prune
from tests.cli.running import here

from .conftest import no_complaint, question

JUDGE = FunctionJudge(lambda _messages: '{"n": 1}', "ones")


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A cache with the answer to one question."""
    path = tmp_path / "folder" / "judge.sqlite"
    with Session(path) as session:
        JUDGE.ask([question("a")], no_complaint, session)
    return path


def changed(cache: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(cache)) as connection, connection:
        connection.execute(statement, values)


ODD_TIMES = ["odd", b"\0", None, 1e300, -1e300, float("inf"), 2**62, -1]


@pytest.fixture
def odd_cache(cache: Path) -> Path:
    """A cache with one good answer, and for each odd time another, from texts that are not UTF-8 too."""
    query = """INSERT INTO answers SELECT ?, CAST(x'6aff' AS TEXT), prompt, ?, CAST(x'ff' AS TEXT) FROM answers
    WHERE judge = ?"""
    for number, created in enumerate(ODD_TIMES):
        changed(cache, query, bytes([number]), created, str(JUDGE))
    return cache


def test_odd_rows_do_not_hide_the_others(odd_cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, odd = cached_answers(odd_cache)
    assert (good.judge, good.answers, good.undated, len(good.first)) == (str(JUDGE), 1, 0, len("2026-01-01"))
    assert (odd.judge, odd.answers, odd.undated, odd.first, odd.last) == ("j\ufffd", 8, 8, "", "")
    done = here(capsys, "judge-cache", odd_cache)
    assert (done.code, str(JUDGE) in done.out) == (0, True)
    assert "8 replies without a time, as in a damaged file; --prune-days removes these too" in done.err


@pytest.mark.parametrize("flags", [("--prune-days", 1), ("--prune-failed",)])
def test_odd_rows_are_removed(odd_cache: Path, capsys: pytest.CaptureFixture[str], flags: tuple[object]) -> None:
    done = here(capsys, "judge-cache", odd_cache, *flags)
    assert (done.code, "removed 8 replies" in done.err, "without a time" in done.err) == (0, True, False)
    assert [row.answers for row in cached_answers(odd_cache)] == [1]


def test_names_that_are_bytes_are_shown_as_texts(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changed(cache, "UPDATE answers SET judge = CAST(judge AS BLOB)")
    assert here(capsys, "judge-cache", cache, "--output-format", "json").json["answers"][0]["judge"] == str(JUDGE)


@pytest.mark.parametrize(
    "answer",
    ['{"text":' * 2000, '{"text": "{}", "labels": [["a", 1]]}', '{"text": "{}", "labels": ""}', "[]", 7, b"\xff", None,
     '{"text": "{}", "estimated": {}}'],
)  # fmt: skip
def test_what_is_no_answer_is_asked_again(cache: Path, answer: object) -> None:
    changed(cache, "UPDATE answers SET answer = ?", answer)
    with Session(cache) as session:
        [reply] = JUDGE.ask([question("a")], no_complaint, session)
    assert (reply.ok, reply.requests) == (True, 1)


@pytest.mark.parametrize("statement", ["UPDATE answers SET answer = '{'", "UPDATE answers SET answer = x'ff'"])
def test_a_damaged_answer_is_called_so_offline(cache: Path, statement: str) -> None:
    changed(cache, statement)
    with Session(cache, offline=True) as session:
        replies = JUDGE.ask([question("a"), question("b")], no_complaint, session)
    damaged = "offline: the answer to this question in the judge cache is damaged; online it is asked again"
    assert [reply.reason for reply in replies] == [damaged, "offline: no answer to this question is in the judge cache"]


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER slow AFTER INSERT ON answers BEGIN SELECT 1; END",
        "CREATE VIEW more AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT i FROM n",
        "ALTER TABLE answers RENAME TO others",
        "ALTER TABLE answers ADD COLUMN more",
    ],
)
def test_a_file_with_anything_else_is_refused(cache: Path, statement: str) -> None:
    """SQLite would run what a view or a trigger says, and it may never end."""
    changed(cache, statement)
    for use in (Session, cached_answers):
        with pytest.raises(UsageError, match=r"judge\.sqlite.*another program's file"):
            use(cache)


@pytest.mark.parametrize("place", [*range(0, 4096, 97)])
def test_a_damaged_byte_ends_in_a_result_or_in_an_error_that_names_the_file(cache: Path, place: int) -> None:
    whole = cache.read_bytes()
    for damaged in (whole[:place], whole[:place] + b"\xff" + whole[place + 1 :]):
        cache.write_bytes(damaged)
        for use in (asked, cached_answers, prune):
            assert "judge.sqlite" in complaint(use, cache)


def complaint(use: Callable[[Path], object], cache: Path) -> str:
    """Return the error that `use` ends in; the name of the file where it ends in none."""
    try:
        use(cache)
    except UsageError as error:
        return str(error)
    return cache.name


def asked(path: Path) -> None:
    with Session(path) as session:
        [reply] = JUDGE.ask([question("a")], no_complaint, session)
    assert reply.ok


ASKING = """
import os, sys
from pathlib import Path
from ragauge.judges import FunctionJudge, Session
from ragauge.judges.cache import cached_answers
from tests.judges.conftest import no_complaint, question
if os.getuid() == 0:
    os.setuid(65534)
if sys.argv[2] == "shown":
    print(cached_answers(Path(sys.argv[1]))[0].answers)
    sys.exit()
with Session(sys.argv[1], offline=sys.argv[2] == "offline") as session:
    questions = [question("a"), question("b")]
    replies = FunctionJudge(lambda _messages: '{"n": 1}', "ones").ask(questions, no_complaint, session)
print([reply.reason or reply.requests for reply in replies])
"""


def by_another(cache: Path, how: str) -> Any:
    """Ask in a process of another user."""
    command = [sys.executable, "-c", ASKING, str(cache), how]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def asked_by_a_reader(cache: Path, how: str) -> Any:
    """Ask in a process that may only read the folder of the cache, which lies apart from those of pytest.

    Each start of pytest takes the folder of all its temporary ones away from other users.
    """
    with tempfile.TemporaryDirectory() as apart:
        Path(apart).chmod(0o755)
        folder = Path(shutil.copytree(cache.parent, Path(apart, "folder")))
        before = {path.name: path.read_bytes() for path in folder.iterdir()}
        for path in folder.iterdir():
            path.chmod(0o444)
        folder.chmod(0o555)
        done = by_another(folder / cache.name, how)
        folder.chmod(0o755)
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert done.returncode == 0, done.stderr
    return done


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="folders have no such permissions here")
class TestReadOnly:
    """A folder that may only be read, as on a read-only file system: its answers are used, and nothing is written."""

    def test_offline(self, cache: Path) -> None:
        done = asked_by_a_reader(cache, "offline")
        assert done.stdout == "[0, 'offline: no answer to this question is in the judge cache']\n"
        assert done.stderr == ""

    def test_with_a_server_new_answers_are_not_cached(self, cache: Path) -> None:
        done = asked_by_a_reader(cache, "asking")
        assert done.stdout == "[0, 1]\n"
        assert done.stderr.count("answers are not cached from here on") == 1

    def test_what_a_killed_run_has_left_beside_it_is_read(self, cache: Path) -> None:
        with Session(cache) as session:
            JUDGE.ask([question("b")], no_complaint, session)
            copy = cache.parent.with_name("folder-2")
            shutil.copytree(cache.parent, copy)
        assert {path.name for path in copy.iterdir()} > {"judge.sqlite", "judge.sqlite-wal"}
        assert asked_by_a_reader(copy / cache.name, "offline").stdout == "[0, 0]\n"

    def test_its_answers_are_shown(self, cache: Path) -> None:
        assert asked_by_a_reader(cache, "shown").stdout == "1\n"


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="folders have no such permissions here")
@pytest.mark.parametrize("how", ["offline", "shown"])
def test_a_folder_that_may_not_be_read_is_an_error_that_names_the_file(cache: Path, how: str) -> None:
    cache.parent.chmod(0o000)
    done = by_another(cache, how)
    cache.parent.chmod(0o755)
    assert re.search(r"UsageError: the judge cache '.*judge\.sqlite' cannot be .*Permission denied", done.stderr), (
        done.stderr
    )
