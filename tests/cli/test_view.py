"""``ragauge view`` as a process: one line with its address, a clean end, and messages."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.cli.running import here
from tests.reports.runs import make_run

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of other systems")


@contextmanager
def viewing(*arguments: object) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start the command, and yield its process and the address that it prints."""
    command = [sys.executable, "-m", "ragauge", "view", *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            address = re.match(r"(http://127\.0\.0\.1:\d+/)  \(Ctrl-C ends it\)\n", line)
            assert address is not None, line
            yield process, address[1]
        finally:
            process.kill()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_prints_its_address_and_ends_well(tmp_path: Path, how: signal.Signals) -> None:
    make_run(tmp_path / "运行", count=6, metrics=("mrr",), by=[])
    with viewing(tmp_path) as (process, address):
        with urlopen(address, timeout=60) as answer:  # noqa: S310 - this machine's own
            assert "运行" in answer.read().decode()
        process.send_signal(how)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (0, "", "")


def test_a_port_can_be_named_and_one_that_is_taken_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = here(capsys, "view", tmp_path, "--port", port)
    assert done.code == 2
    assert f"port {port} of 127.0.0.1 cannot be had" in done.err
    assert "0 takes a free one" in done.err
    with viewing(tmp_path, "--port", port) as (_, address):
        assert address == f"http://127.0.0.1:{port}/"


def test_it_speaks_chinese(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_run(tmp_path / "run", count=6, metrics=("mrr",), by=[])
    command = [sys.executable, "-m", "ragauge", "view", str(tmp_path), "--lang-ui", "zh"]
    monkeypatch.setenv("PYTHONUTF8", "1")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        try:
            assert process.stdout is not None
            assert re.fullmatch(r"http://127\.0\.0\.1:\d+/  （按 Ctrl-C 结束）\n", process.stdout.readline())
        finally:
            process.kill()


def test_what_cannot_be_shown_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "runs").mkdir()
    done = here(capsys, "view", tmp_path / "rums")
    assert done.code == 3
    assert f"{tmp_path / 'rums'}: folder not found; did you mean runs?" in done.err
    made = "one is made by: ragauge score DATA -o runs/today"
    assert made in here(capsys, "view", tmp_path / "nowhere" / "elsewhere").err
    (tmp_path / "file").write_text("", encoding="utf-8")
    done = here(capsys, "view", tmp_path / "file")
    assert done.code == 2
    assert "is not a folder; name a folder of saved runs, as in ragauge view runs" in done.err
    done = here(capsys, "view", tmp_path, "--language", "de")
    assert done.code == 2
    assert "en or zh" in done.err
    assert here(capsys, "view").code == 2


def test_the_page_is_opened_where_that_is_asked_for(tmp_path: Path) -> None:
    """A browser is a program that writes down what it was told to open."""
    written = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > "{written}"\n', encoding="utf-8")
    browser.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BROWSER", str(browser))
        with viewing(tmp_path, "--open") as (_, address):
            for _ in range(600):
                if written.exists() and written.read_text(encoding="utf-8"):
                    break
                signal.sigtimedwait([], 0.1)
    assert written.read_text(encoding="utf-8").strip() == address
