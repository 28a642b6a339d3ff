"""Temporary folders of processes that were killed go, and those of processes that live stay."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from ragauge.core.temporary import HELD, temporary_folder

_READS = """
from pathlib import Path
import ragauge

if __name__ == "__main__":
    ragauge.evaluate(Path("answers.jsonl"), "exact-match", workers=2)
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary files of this test alone."""
    folder = tmp_path / "临时"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.mark.skipif(sys.platform == "win32", reason="kills as other systems do")
def test_what_a_process_left_that_was_killed_while_its_workers_read_is_removed(tmp_path: Path, temporary: Path) -> None:
    line = '{"answer": "茶产于云南。", "reference": "茶产于云南。"}\n'
    (tmp_path / "answers.jsonl").write_text(line * ((20 << 20) // len(line.encode())), encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-c", _READS],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "TMPDIR": str(temporary)},
    )  # fmt: skip
    end = monotonic() + 60
    while not list(temporary.glob("ragauge-*/rows-*")):
        assert process.poll() is None
        assert monotonic() < end
        sleep(0.005)
    process.kill()
    process.wait()
    [left] = temporary.iterdir()
    with temporary_folder() as folder:
        assert [str(path) for path in temporary.iterdir()] == [folder]
    assert list(temporary.iterdir()) == []
    assert not left.exists()


def test_folders_that_are_in_use_or_not_of_this_package_stay(temporary: Path) -> None:
    (temporary / "ragauge-of-mine").mkdir()
    (temporary / "ragauge-of-mine" / "thesis.txt").write_text("mine", encoding="utf-8")
    with temporary_folder() as one, temporary_folder() as other:
        assert one != other
        assert Path(one).is_dir()
        assert Path(other).is_dir()
    assert [path.name for path in temporary.iterdir()] == ["ragauge-of-mine"]


def test_what_cannot_be_removed_keeps_nothing_else(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows, where no file is removed that is open."""
    unlink = os.unlink

    def refuse(path: str, **where: Any) -> None:
        if Path(path).name in (HELD, "open.arrow"):
            raise PermissionError(path)
        unlink(path, **where)

    left = temporary / "ragauge-left"
    left.mkdir()
    for name in (HELD, "a.arrow", "open.arrow", "z.arrow"):
        (left / name).touch()
    with monkeypatch.context() as patch:
        patch.setattr(os, "unlink", refuse)
        with temporary_folder():
            assert sorted(path.name for path in left.iterdir()) == sorted([HELD, "open.arrow"])


def test_a_file_system_without_locks_keeps_folders(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nobody can tell whether a folder is in use, none is removed."""
    monkeypatch.setattr("ragauge.core.temporary.lock_file", lambda _: None)
    with temporary_folder() as one:
        (Path(one) / HELD).touch()
        with temporary_folder():
            assert Path(one).is_dir()
    assert list(temporary.iterdir()) == []
