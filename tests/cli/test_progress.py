"""Progress: lines for logs, a bar for terminals, nothing for quick work."""

from __future__ import annotations

import io
import re
import sys
from time import sleep

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
    with progress(stream, every=0.1) as advance:
        sleep(0.25)
        for done in (100, 200, 300):
            advance(done, 1000)
            sleep(0.15)
    lines = stream.getvalue().splitlines()
    assert lines[0] == "loading data and models, 0 s"
    assert re.fullmatch(r"scoring 300/1000, \d+ a second, \d+ s left", lines[-1])
    assert "\x1b" not in stream.getvalue()


def test_an_error_ends_the_lines() -> None:
    stream = io.StringIO()
    with pytest.raises(ValueError, match="broken"), progress(stream, every=0.05):
        raise ValueError("broken")
    sleep(0.15)
    assert stream.getvalue() == ""


def test_one_batch_has_a_rate_too() -> None:
    meter = Meter(start=Meter().start - 10)
    meter(1000, 4000)
    assert re.fullmatch(r"scoring 1000/4000, (99|100) a second, (30|31) s left", str(meter))


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_a_terminal_gets_a_bar_that_is_gone_afterwards() -> None:
    program = (
        "import sys, time\n"
        "from ragauge.cli.terminal import progress\n"
        "with progress() as advance:\n"
        "    for done in (1, 2, 3):\n"
        "        advance(done * 100, 400); time.sleep(0.6)\n"
        "print('after', file=sys.stderr)\n"
    )
    text = at_a_terminal([sys.executable, "-c", program], reads="err")
    assert re.search(r"scoring 300/400, \d+ a second, \d+ s left", text)
    assert text.rstrip().endswith("after")
    # The last thing before it erases the line of the bar.
    assert "\x1b[2K" in text.rpartition("left")[2]
