"""Files and folders under a name: the old or the new one, whole, whoever writes and whenever it is killed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ragauge.errors import UsageError
from ragauge.results import replacing as module
from ragauge.results.replacing import check_place, is_stream, kept, replacing

ROOT = Path(__file__).parents[2]


def write_folder(target: Path, text: str) -> None:
    with replacing(target) as new:
        new.mkdir()
        for name in ("one", "two"):
            (new / name).write_text(text)


@pytest.fixture(params=["exchange", "two renames"])
def either_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "two renames":
        monkeypatch.setattr(module, "_exchange", lambda *_: False)


@pytest.mark.usefixtures("either_way")
def test_a_folder_is_replaced_and_nothing_else_is_left(tmp_path: Path) -> None:
    for text in ("old", "new"):
        write_folder(tmp_path / "run", text)
    assert {path.read_text() for path in (tmp_path / "run").iterdir()} == {"new"}
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems may have no exchange")
def test_this_system_exchanges_two_folders_in_one_step(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "is").write_text(name)
    assert module._exchange(tmp_path / "one", tmp_path / "two")
    assert (tmp_path / "one" / "is").read_text() == "two"
    assert not module._exchange(tmp_path / "one", tmp_path / "none")


def test_a_failure_leaves_the_old_one_alone(tmp_path: Path) -> None:
    write_folder(tmp_path / "run", "old")
    with pytest.raises(UsageError, match="run cannot be written: No such file"), replacing(tmp_path / "run") as new:
        (new / "no folder" / "file").open()
    assert {path.read_text() for path in (tmp_path / "run").iterdir()} == {"old"}
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def leave_new(target: Path) -> None:
    new = target.with_name(f".{target.name}.0123abcd.new")
    new.mkdir()
    (new / "half").write_text("half")


def leave_old(target: Path) -> None:
    target.rename(target.with_name(f".{target.name}.0123abcd.old"))


def leave_lock(target: Path) -> None:
    target.with_name(f".{target.name}.lock").touch()


@pytest.mark.parametrize("leave", [leave_new, leave_old, leave_lock])
def test_leftovers_of_killed_writers_are_cleaned_but_not_those_of_other_names(
    leave: Callable[[Path], None], tmp_path: Path
) -> None:
    write_folder(tmp_path / "run", "old")
    other = tmp_path / ".run.x.0123abcd.new"
    other.mkdir()
    leave(tmp_path / "run")
    write_folder(tmp_path / "run", "new")
    assert {path.read_text() for path in (tmp_path / "run").iterdir()} == {"new"}
    assert sorted(path.name for path in tmp_path.iterdir()) == [other.name, "run"]


def test_what_was_moved_aside_is_found_again(tmp_path: Path) -> None:
    write_folder(tmp_path / "run", "old")
    assert kept(tmp_path / "run") is None
    leave_old(tmp_path / "run")
    assert kept(tmp_path / "run") == tmp_path / ".run.0123abcd.old"
    with pytest.raises(ZeroDivisionError), replacing(tmp_path / "run"):
        raise ZeroDivisionError
    assert {path.read_text() for path in (tmp_path / "run").iterdir()} == {"old"}


@pytest.mark.usefixtures("either_way")
def test_concurrent_writers_each_write_all_of_it(tmp_path: Path) -> None:
    with ThreadPoolExecutor(36) as pool:
        list(pool.map(lambda number: write_folder(tmp_path / "run", str(number)), range(36)))
    assert len({path.read_text() for path in (tmp_path / "run").iterdir()}) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_a_folder_that_another_writer_renames_meanwhile_is_no_stream(tmp_path: Path) -> None:
    class RenamedOnceSeen(type(tmp_path)):  # type: ignore[misc]
        def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
            found: os.stat_result = super().stat(follow_symlinks=follow_symlinks)
            self.rename(f"{self}.old")
            return found

    (tmp_path / "run").mkdir()
    assert not is_stream(RenamedOnceSeen(tmp_path / "run"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_is_a_stream_and_what_is_not_there_is_none(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert is_stream(tmp_path / "pipe")
    assert not is_stream(tmp_path / "nothing")


def test_a_second_process_waits_for_the_first(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from ragauge.results.replacing import replacing\n"
        "with replacing(Path(sys.argv[1])) as new: new.write_text('second')"
    )
    target = tmp_path / "file"
    with replacing(target) as new:
        second = subprocess.Popen([sys.executable, "-c", code, str(target)], cwd=ROOT)
        with pytest.raises(subprocess.TimeoutExpired):
            second.wait(1)
        new.write_text("first")
    assert second.wait(30) == 0
    assert target.read_text() == "second"


def test_waiting_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PATIENCE", 0.1)
    with replacing(tmp_path / "file") as new:
        new.touch()
        with (
            pytest.raises(UsageError, match=r"another process has been writing .*file for 0 s\. Wait for it"),
            replacing(tmp_path / "file"),
        ):
            pass


def test_a_second_writer_asks_again_whether_it_may(tmp_path: Path) -> None:
    def refuse() -> None:
        assert not (tmp_path / "run").exists()

    with replacing(tmp_path / "run", refuse) as new:
        new.mkdir()
    with pytest.raises(AssertionError), replacing(tmp_path / "run", refuse) as new:
        new.mkdir()


def test_links_are_followed_and_modes_kept(tmp_path: Path) -> None:
    (tmp_path / "page").write_text("old")
    (tmp_path / "page").chmod(0o640)
    (tmp_path / "link").symlink_to("page")
    with replacing(tmp_path / "link") as new:
        new.write_text("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "page").read_text() == "new"
    assert (tmp_path / "page").stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_pipes_are_written_to(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit((tmp_path / "pipe").read_text)
        with replacing(tmp_path / "pipe") as new:
            new.write_text("through")
        assert read.result(10) == "through"
    assert (tmp_path / "pipe").is_fifo()


def test_a_place_that_cannot_be_written_to_is_told_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file" / "run", Path("/proc/x/run")):
        if place.is_relative_to(tmp_path) or Path("/proc/self").exists():
            with pytest.raises(UsageError, match="is not a folder that can be written to; name one that is"):
                check_place(place)
    check_place(tmp_path / "new" / "run")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
