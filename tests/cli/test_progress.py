"""Progress: lines for logs, a bar for terminals, nothing for quick work."""

from __future__ import annotations

import inspect
import io
import re
import sys
import threading
from pathlib import Path
from time import monotonic, sleep

import pytest

import ragauge
from ragauge.cli.main import main
from ragauge.cli.terminal import Meter, progress
from ragauge.formats.opening import being_read, opened
from ragauge.reports.report import written

from .running import at_a_terminal


def test_quick_work_says_nothing() -> None:
    stream = io.StringIO()
    with progress(stream) as advance:
        advance(10, 10)
    assert stream.getvalue() == ""


def test_a_log_gets_lines_with_rate_and_time_left() -> None:
    stream = io.StringIO()
    with progress(stream, every=0.05) as advance:
        until(stream, "loading data and models, ")
        for done in (100, 200, 300):
            advance(done, 1000)
            until(stream, f"scoring {done}/1,000, ")
    lines = stream.getvalue().splitlines()
    assert re.fullmatch(r"loading data and models, \d+ s", lines[0])
    assert re.fullmatch(r"scoring 300/1,000, \d+ a second, \d+ s left", lines[-1])
    assert "\x1b" not in stream.getvalue()


def test_a_page_that_is_made_has_lines_too() -> None:
    stream = io.StringIO()
    with progress(stream, every=0.05, meter=Meter(work="page")):
        until(stream, "making the page, 0 s")


def test_a_file_that_is_read_has_its_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragauge.cli.terminal.monotonic", lambda: 12.0)
    meter = Meter(start=0.0)
    path = tmp_path / "answers.jsonl"
    path.write_text('{"answer": "茶"}\n' * 400_000, encoding="utf-8")
    with opened(str(path)) as file:
        file.stream.read(3_000_000)
        assert str(meter) == "reading answers.jsonl: 3.0 of 7.2 MB, 12 s"
        meter.step("page")
        assert str(meter) == "making the page, 12 s"
    meter.step("scoring")
    assert being_read() is None
    assert str(meter) == "loading data and models, 12 s"


def test_a_report_says_what_it_does(tmp_path: Path) -> None:
    rows = [{"id": str(row), "answer": "茶", "references": ["茶"]} for row in range(12)]
    result = ragauge.evaluate(rows, "exact-match")
    steps: list[str] = []
    written([result, result], tmp_path / "report.html", step=steps.append)
    assert steps == ["runs", "comparing", "page"]


@pytest.mark.parametrize(("command", "says"), [("compare", "comparing runs, 0 s"), ("report", "reading runs, 0 s")])
def test_a_log_of_slow_work_has_lines_and_standard_output_none(
    command: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{"id": str(row), "answer": "茶", "references": ["茶"]} for row in range(12)]
    ragauge.evaluate(rows, "exact-match").save(tmp_path / "run")
    said = threading.Event()
    stderr = io.StringIO()

    def slowly(*_: object, **__: object) -> None:
        until(stderr, says)
        said.set()
        raise KeyboardInterrupt

    monkeypatch.setattr(inspect.unwrap(progress), "__defaults__", (None, 0.02, None))
    monkeypatch.setattr("sys.stderr", stderr)
    slow = "ragauge.comparison.compare.compare" if command == "compare" else "ragauge.reports.report.written"
    monkeypatch.setattr(slow, slowly)
    with pytest.raises(SystemExit):
        main([command, str(tmp_path / "run"), str(tmp_path / "run")])
    assert said.is_set()
    assert capsys.readouterr().out == ""


def until(stream: io.StringIO, text: str) -> None:
    """Wait until the text was written, however busy the machine is."""
    end = monotonic() + 60
    while text not in stream.getvalue():
        assert monotonic() < end, f"{text!r} was not written: {stream.getvalue()}"
        sleep(0.01)


def test_an_error_ends_the_lines() -> None:
    stream = io.StringIO()
    with pytest.raises(ValueError, match="broken"), progress(stream, every=0.05):
        raise ValueError("broken")
    written = stream.getvalue()
    sleep(0.15)
    assert stream.getvalue() == written


def test_one_batch_has_a_rate_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragauge.cli.terminal.monotonic", lambda: 10.0)
    meter = Meter(start=0.0)
    meter(1000, 4000)
    assert str(meter) == "scoring 1,000/4,000, 100 a second, 30 s left"


def test_asking_shows_failures_rate_and_time_left_and_scoring_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("ragauge.cli.terminal.monotonic", lambda: now)
    meter = Meter(start=0.0)
    # Of 1,000 questions 400 have an answer already: they do not count for the rate.
    meter.asking(400, 0, 1000)
    assert str(meter) == "asking 400/1,000"
    now = 10.0
    meter.asking(500, 3, 1000)
    assert str(meter) == "asking 500/1,000, 3 failed, 10 a second, 50 s left"
    meter(0, 1000)
    assert str(meter) == "scoring 0/1,000"
    now = 20.0
    meter(1000, 1000)
    assert "failed" not in str(meter)


WORK_THAT_WAITS_FOR_ITS_BAR = """
import sys, time
from ragauge.cli.terminal import progress

written = ""
write = sys.stderr.write

def kept(text):
    global written
    written += text
    return write(text)

sys.stderr.write = kept
with progress() as advance:
    advance(100, 400)
    time.sleep(0.1)
    advance(300, 400)
    end = time.monotonic() + 60
    while " left" not in written and time.monotonic() < end:
        time.sleep(0.01)
print("after", file=sys.stderr)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_a_terminal_gets_a_bar_that_is_gone_afterwards() -> None:
    text = at_a_terminal([sys.executable, "-c", WORK_THAT_WAITS_FOR_ITS_BAR], reads="err")
    assert re.search(r"scoring 300/400, \d+ a second, \d+ s left", text)
    assert text.rstrip().endswith("after")
    # The last thing before it erases the line of the bar.
    assert "\x1b[2K" in text.rpartition("left")[2]
