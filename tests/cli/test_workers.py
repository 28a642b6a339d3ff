"""``ragauge score --workers``: the files of one process, also after kills."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import numpy as np
import pytest

from ragauge.errors import UsageError
from tests.cli.running import here, write_rows
from tests.engines.test_part import TEXTS

ROWS = [
    {"id": f"q{i}", "answer": f"{TEXTS[i % 8][1]} {i % 97}", "reference": TEXTS[i % 8][2], "topic": i % 3}
    for i in range(9000)
]
SLOWLY = Path(__file__).parents[1] / "engines" / "slowly.py"
SCORE = ("score", "data.jsonl", "-m", f"{SLOWLY}:slowly", "-m", "bleu", "--by", "topic")


WAITS = """
from pathlib import Path
from time import sleep

import ragauge


@ragauge.metric(needs=("answer",))
def waits(sample: ragauge.Sample) -> float:
    Path("scoring").touch()
    sleep(0.01)
    return 0.0
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with data, and the run of one process: ``one``."""
    made = tmp_path_factory.mktemp("workers")
    write_rows(made / "data.jsonl", ROWS)
    assert ended(start(made, *SCORE, "-o", "one"))[0] == 0
    return made


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    path = os.pathsep.join(path for path in sys.path if path)
    return subprocess.Popen(
        [sys.executable, "-m", "ragauge", *arguments],
        cwd=folder, env={**os.environ, "PYTHONPATH": path}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        encoding="utf-8",
    )  # fmt: skip


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    _, messages = process.communicate(timeout=120)
    return process.returncode, messages


def files(run: Path) -> dict[str, Any]:
    content: dict[str, Any] = {path.name: path.read_bytes() for path in run.iterdir()}
    manifest = json.loads(content["manifest.json"])
    del manifest["run"]["created"]
    return content | {"manifest.json": manifest}


def killed_within(process: subprocess.Popen[str], seconds: float) -> bool:
    """Kill a command after so many seconds; return False where it ended before."""
    try:
        code = process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return True
    assert code == 0, process.communicate()[1]
    process.communicate()
    return False


def wait_for_a_part(process: subprocess.Popen[str], parts: Path) -> None:
    end = monotonic() + 60
    while not list(parts.glob("part-*.arrow")):
        assert process.poll() is None
        assert monotonic() < end
        sleep(0.02)


@pytest.mark.costly
def test_two_workers_save_the_files_of_one_process(folder: Path) -> None:
    code, messages = ended(start(folder, *SCORE, "-o", "two", "--workers", "2"))
    assert (code, "one process" in messages) == (0, False)
    assert files(folder / "two") == files(folder / "one")
    assert not (folder / "two.parts").exists()


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="kills as other systems do")
def test_ten_kills_at_random_moments_lose_no_finished_part(folder: Path) -> None:
    random = np.random.default_rng(int.from_bytes(os.urandom(4)))
    command = (*SCORE, "-o", "killed", "--workers", "2", "--force")
    kills = 0
    finished: dict[Path, int] = {}
    while kills < 10:
        begun = (folder / "killed.parts" / "plan.json").exists()
        process = start(folder, *command, *(("--resume",) if begun else ()))
        if killed_within(process, random.uniform(0.2, 3.0)):
            kills += 1
            if not all(path.exists() for path in finished):
                # It was killed when the run was saved, while the parts were removed or after it.
                assert files(folder / "killed") == files(folder / "one")
                finished = {}
            assert not [path for path, time in finished.items() if path.stat().st_mtime_ns != time]
            finished = {path: path.stat().st_mtime_ns for path in (folder / "killed.parts").glob("part-*.arrow")}
        else:
            assert files(folder / "killed") == files(folder / "one")
            finished = {}
    resume = ("--resume",) if (folder / "killed.parts" / "plan.json").exists() else ()
    code, messages = ended(start(folder, *command, *resume))
    assert code == 0, messages
    assert files(folder / "killed") == files(folder / "one")
    assert not (folder / "killed.parts").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="signals as other systems have them")
@pytest.mark.parametrize(
    ("number", "expected"), [(signal.SIGINT, 130), pytest.param(signal.SIGTERM, 143, marks=pytest.mark.long)]
)
@pytest.mark.costly
def test_a_signal_keeps_finished_parts_and_says_so(folder: Path, number: signal.Signals, expected: int) -> None:
    name = f"stopped-{number}"
    process = start(folder, *SCORE, "-o", name, "--workers", "2")
    parts = folder / f"{name}.parts"
    wait_for_a_part(process, parts)
    process.send_signal(number)
    code, messages = ended(process)
    assert code == expected
    assert f"saved in {name}.parts; to resume, give the command that began them with --resume\n" in messages
    assert messages.splitlines()[-1] == ("interrupted" if number == signal.SIGINT else "terminated")
    assert not list(parts.glob("data-*"))
    code, messages = ended(start(folder, *SCORE, "-o", name, "--workers", "2"))
    assert code == 2
    assert "Pass --resume to go on, or --force to begin again" in messages
    assert "saved in" not in messages
    code, messages = ended(start(folder, *SCORE, "-o", name, "--workers", "2", "--resume"))
    assert code == 0, messages
    assert files(folder / name) == files(folder / "one")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes as Linux lists them")
@pytest.mark.long
def test_workers_end_when_the_run_is_killed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At once: the part that each has begun would take it some seconds."""
    monkeypatch.setenv("SLOWLY", "0.02")
    process = start(folder, *SCORE, "-o", "alone", "--workers", "2")
    wait_for_a_part(process, folder / "alone.parts")
    workers = children(process.pid)
    assert len(workers) == 2
    process.kill()
    end = monotonic() + 3
    # Its messages end when the last process that may write some has ended.
    ended(process)
    while any(Path(f"/proc/{worker}").exists() for worker in workers):
        sleep(0.02)
    assert monotonic() < end


def children(parent: int) -> list[int]:
    """Return the numbers of the processes that ``parent`` has started."""
    started = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            # Number, name in parentheses, state, parent.
            number, _, others = path.read_text().partition(" ")
            if int(others.rpartition(")")[2].split()[1]) == parent:
                started.append(int(number))
    return started


@pytest.mark.long
def test_data_that_changed_are_refused(folder: Path, tmp_path: Path) -> None:
    write_rows(tmp_path / "data.jsonl", ROWS[:4000])
    process = start(tmp_path, *SCORE, "-o", "run", "--workers", "2")
    wait_for_a_part(process, tmp_path / "run.parts")
    process.terminate()
    ended(process)
    write_rows(tmp_path / "data.jsonl", [{**row, "answer": "茶"} for row in ROWS[:4000]])
    code, messages = ended(start(tmp_path, *SCORE, "-o", "run", "--workers", "2", "--resume"))
    assert code == 3
    # Whichever part was finished first.
    assert re.search(r"data\.jsonl has changed since run\.parts was begun: part \d+ differs", messages), messages
    code, messages = ended(start(tmp_path, *SCORE, "-o", "run", "--workers", "2", "--force"))
    assert code == 0, messages


@pytest.mark.long
def test_a_second_run_is_told_of_the_first_and_a_renamed_file_goes_on(folder: Path, tmp_path: Path) -> None:
    write_rows(tmp_path / "data.jsonl", ROWS)
    process = start(tmp_path, *SCORE, "-o", "run", "--workers", "2")
    wait_for_a_part(process, tmp_path / "run.parts")
    code, messages = ended(start(tmp_path, *SCORE, "-o", "run", "--workers", "2"))
    assert (code, "another process scores into run.parts" in messages) == (2, True), messages
    process.terminate()
    assert ended(process)[0] == 143
    (tmp_path / "data.jsonl").rename(tmp_path / "数据.jsonl")
    renamed = ["数据.jsonl" if word == "data.jsonl" else word for word in SCORE]
    code, messages = ended(start(tmp_path, *renamed, "-o", "run", "--workers", "2", "--resume"))
    assert code == 0, messages
    assert (tmp_path / "run" / "scores.parquet").read_bytes() == (folder / "one" / "scores.parquet").read_bytes()


@pytest.mark.costly
def test_resume_needs_workers_and_an_output(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    for options in (("--resume",), ("--resume", "--workers", 2), ("--resume", "-o", "new")):
        done = here(capsys, "score", "data.jsonl", "-m", "bleu", *options)
        assert (done.code, "--resume goes on with the parts of --workers N -o DIR" in done.err) == (2, True)
    done = here(capsys, "score", "data.jsonl", "-m", "bleu", "--workers", 0)
    assert done.code == 2


@pytest.mark.skipif(sys.platform == "win32", reason="signals as other systems have them")
@pytest.mark.costly
def test_sigterm_says_so_in_one_process_and_where_no_part_is_finished(folder: Path) -> None:
    slow = f"{SLOWLY}:slowly"
    (folder / "waits.py").write_text(WAITS, encoding="utf-8")
    process = start(folder, "score", "data.jsonl", "-m", "waits.py:waits", "-o", "ended")
    end = monotonic() + 60
    while not (folder / "scoring").exists():
        assert monotonic() < end
        sleep(0.005)
    process.terminate()
    code, messages = ended(process)
    assert (code, messages.splitlines()[-1]) == (143, "terminated")
    process = start(folder, "score", "data.jsonl", "-m", slow, "-o", "ended", "--workers", "1")
    end = monotonic() + 60
    while not (folder / "ended.parts" / "plan.json").exists():
        assert monotonic() < end
        sleep(0.005)
    process.terminate()
    code, messages = ended(process)
    assert code == 143
    # On a slow machine lines of progress stand before.
    kept, end_of_it = list(filter(None, messages.splitlines()))[-2:]
    assert kept == "no part was finished, so nothing was saved: give the same command again"
    assert end_of_it == "terminated"
    assert not (folder / "ended").exists()


@pytest.mark.costly
def test_parts_that_a_run_without_workers_leaves_are_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parts = folder / "left.parts"
    process = start(folder, *SCORE, "-o", "left", "--workers", "2")
    wait_for_a_part(process, parts)
    process.kill()
    ended(process)
    command = ("score", str(folder / "data.jsonl"), "-m", "bleu", "-o", str(folder / "left"))
    done = here(capsys, *command)
    assert done.code == 0
    assert f"of an earlier run with --workers in {parts}, not used here" in done.err
    done = here(capsys, *command, "--workers", 2, "--resume")
    assert (done.code, "already exists" in done.err) == (2, True)
    assert here(capsys, *command, "--force").code == 0
    assert not parts.exists()


def test_workers_of_the_settings_file(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_rows(tmp_path / "data.jsonl", ROWS[:30])
    (tmp_path / "ragauge.toml").write_text("[score]\nworkers = 2\n", encoding="utf-8")
    done = here(capsys, "score", "data.jsonl", "-m", "bleu")
    assert done.code == 0
    assert "settings of ragauge.toml: workers" in done.err
    assert "30 samples are too few to share" in done.err
    (tmp_path / "ragauge.toml").write_text("[score]\nworkers = 0\n", encoding="utf-8")
    done = here(capsys, "score", "data.jsonl", "-m", "bleu")
    assert (done.code, "workers" in done.err) == (2, True)


def test_without_a_number_there_are_as_many_workers_as_cores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = []

    def evaluated(*_: Any, workers: int | None, **__: Any) -> Any:
        asked.append(workers)
        raise UsageError("enough")

    monkeypatch.setattr("ragauge.engines.evaluate.evaluate", evaluated)
    monkeypatch.chdir(tmp_path)
    write_rows(tmp_path / "data.jsonl", ROWS[:2])
    for arguments in (("--workers",), ("--workers", "3"), ()):
        assert here(capsys, "score", "data.jsonl", "-m", "bleu", *arguments).code == 2
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count()
    monkeypatch.setenv("RAGAUGE_WORKERS", "all")
    assert here(capsys, "score", "data.jsonl", "-m", "bleu").code == 2
    monkeypatch.delenv("RAGAUGE_WORKERS")
    (tmp_path / "ragauge.toml").write_text('[score]\nworkers = "all"\n', encoding="utf-8")
    assert here(capsys, "score", "data.jsonl", "-m", "bleu").code == 2
    assert asked == [cores, 3, None, cores, "all"]
    (tmp_path / "ragauge.toml").write_text('[score]\nworkers = "most"\n', encoding="utf-8")
    done = here(capsys, "score", "data.jsonl", "-m", "bleu")
    assert (done.code, "must be a whole number, or \"all\"; got 'most'" in done.err) == (2, True)
    (tmp_path / "ragauge.toml").unlink()
    done = here(capsys, "score", "-m", "bleu", "--workers", "data.jsonl")
    assert (done.code, "put DATA before --workers" in done.err) == (2, True)
