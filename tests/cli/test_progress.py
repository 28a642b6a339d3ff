"""Progress: lines for logs, a bar for terminals, nothing for quick work."""

from __future__ import annotations

import io
import re
import sys
from time import monotonic, sleep

import pytest

from ragauge.cli.terminal import Meter, progress

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
            until(stream, f"scoring {done}/1000, ")
    lines = stream.getvalue().splitlines()
    assert re.fullmatch(r"loading data and models, \d+ s", lines[0])
    assert re.fullmatch(r"scoring 300/1000, \d+ a second, \d+ s left", lines[-1])
    assert "\x1b" not in stream.getvalue()


def test_a_page_that_is_made_has_lines_too() -> None:
    stream = io.StringIO()
    with progress(stream, every=0.05, meter=Meter(work="page")):
        until(stream, "making the page, 0 s")


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
    assert str(meter) == "scoring 1000/4000, 100 a second, 30 s left"


def test_asking_shows_failures_rate_and_time_left_and_scoring_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("ragauge.cli.terminal.monotonic", lambda: now)
    meter = Meter(start=0.0)
    # Of 1,000 questions 400 have an answer already: they do not count for the rate.
    meter.asking(400, 0, 1000)
    assert str(meter) == "asking 400/1000"
    now = 10.0
    meter.asking(500, 3, 1000)
    assert str(meter) == "asking 500/1000, 3 failed, 10 a second, 50 s left"
    meter(0, 1000)
    assert str(meter) == "scoring 0/1000"
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
