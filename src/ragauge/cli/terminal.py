"""What a stream can show: how wide it is, whether it has colours, which characters."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, TextIO

from ragauge.display.bars import ASCII, DRAWN
from ragauge.display.text import Screen

if TYPE_CHECKING:
    from rich.console import Console

# Of a file or a pipe; wide enough for most specs and their notes, narrow enough for most screens.
_WIDTH = 100
# Marks of our own tables, for encodings that lack them; what data hold is written as escapes instead.
_SPELLED = str.maketrans({"–": "-", "↓": "v", "▲": "^", "▼": "v", "≈": "~", "±": "+-", "…": "...", "─": "-"})


def console(stream: TextIO) -> Console:
    """Return a console of ``stream``: plain, unless it is a terminal or FORCE_COLOR is set, and NO_COLOR is not.

    rich itself keeps bold and dim letters under NO_COLOR, whose escape codes a log would show.
    """
    from rich.console import Console

    measured = stream.isatty() or "COLUMNS" in os.environ
    made = Console(
        file=stream,
        highlight=False,
        markup=False,
        emoji=False,
        width=None if measured else _WIDTH,
        color_system=None if os.environ.get("NO_COLOR") else "auto",
    )
    # Without colours rich still writes bold to a terminal.
    made.no_color = made.color_system is None
    return made


def has_unicode(stream: TextIO) -> bool:
    """Say whether ``stream`` writes all of Unicode: box-drawing characters are one column wide there.

    The older encodings of East Asia have them too, but their terminals draw them two columns wide.
    """
    return (stream.encoding or "ascii").lower().replace("-", "").startswith("utf")


def spelled(text: str, stream: TextIO) -> str:
    """Write our own marks in ASCII where ``stream`` does not have Unicode."""
    return text if has_unicode(stream) else text.translate(_SPELLED)


def screen(stream: TextIO) -> Screen:
    """Return how wide ``stream`` is, what bars are drawn with there, and whether headings are bold."""
    import rich_click as click

    shown = console(stream)
    bold = (lambda text: click.style(text, bold=True)) if shown.color_system else str
    return Screen(shown.width, DRAWN if has_unicode(stream) else ASCII, bold)


# Outcomes of comparisons and checks, problems of samples, and the parts of a bar.
_COLOURS: tuple[tuple[str, Mapping[str, Any]], ...] = (
    (r"▲ better|^ok(?=  )", {"fg": "green"}),
    (r"▼ worse|^FAIL(?=  )", {"fg": "red"}),
    (r"\b\d+ (failed|missing|undefined)\b", {"fg": "yellow"}),
    ("●", {"fg": "cyan", "bold": True}),
    ("·+", {"dim": True}),
)


def coloured(text: str, stream: TextIO) -> str:
    """Colour our own marks where ``stream`` has colours; logs, files and who set NO_COLOR get the plain text."""
    if console(stream).color_system is None:
        return text
    for pattern, style in _COLOURS:
        text = re.sub(pattern, partial(_styled, style), text, flags=re.MULTILINE)
    return text


def _styled(style: Mapping[str, Any], found: re.Match[str]) -> str:
    import rich_click as click

    return click.style(found[0], **style)


_QUIET = 1.0
"""Seconds of work without a bar."""
_EVERY = 10.0
"""Seconds between lines in a log."""


@dataclass
class Meter:
    """Samples that are done, their total and their rate."""

    done: int = 0
    total: int = 0
    start: float = field(default_factory=monotonic)
    first: tuple[float, int] | None = None
    """When the first samples were done, and their number: the rate is measured from there."""

    def __call__(self, done: int, total: int) -> None:
        """Take how many samples are done, and their total."""
        self.done, self.total = done, total
        if done:
            self.first = self.first or (monotonic(), done)

    def __str__(self) -> str:
        """Progress, rate and the time left."""
        if not self.total:
            return f"loading data and models, {duration(monotonic() - self.start)}"
        progress = f"scoring {self.done}/{self.total}"
        rate = self.rate()
        if not rate:
            return progress
        return f"{progress}, {_pace(rate)}, {duration((self.total - self.done) / rate)} left"

    def rate(self) -> float:
        """Return samples per second since scoring began; 0 before the first samples are done."""
        if self.first is None:
            return 0.0
        seconds, count = monotonic() - self.first[0], self.done - self.first[1]
        if count and seconds > 0:
            return count / seconds
        # There was only one report of progress, so the time includes reading.
        return self.done / max(monotonic() - self.start, 1e-9)


def duration(seconds: float) -> str:
    """Return a time in words.

    >>> duration(7.4), duration(125), duration(7260)
    ('7 s', '2 min 5 s', '2 h 1 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes = whole // 60
    return f"{minutes} min {whole % 60} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def _pace(rate: float) -> str:
    return f"{rate:.0f} a second" if rate >= 10 else f"{rate:.1f} a second"


@contextmanager
def progress(stream: TextIO | None = None, every: float = _EVERY) -> Iterator[Callable[[int, int], None]]:
    """Yield a function that takes how many samples are done, and their total; show both on ``stream``.

    Args:
        stream: standard error by default.
        every: seconds between lines if ``stream`` is not a terminal.
    """
    shown = stream or sys.stderr
    meter = Meter()
    ended = Event()
    show = _bar if shown.isatty() else _lines
    thread = Thread(target=show, args=(meter, shown, ended, every), daemon=True)
    thread.start()
    try:
        yield meter
    finally:
        ended.set()
        thread.join()


def _lines(meter: Meter, stream: TextIO, ended: Event, every: float) -> None:
    while not ended.wait(every):
        stream.write(f"{meter}\n")
        stream.flush()


def _bar(meter: Meter, stream: TextIO, ended: Event, _every: float) -> None:
    """Draw a bar once work takes longer than a second, and remove it in the end."""
    if ended.wait(_QUIET):
        return
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

    columns = (SpinnerColumn(), BarColumn(bar_width=24), TextColumn("{task.description}"))
    with Progress(*columns, console=console(stream), transient=True) as drawn:
        task = drawn.add_task(str(meter), total=None)
        while not ended.wait(0.1):
            drawn.update(task, description=str(meter), completed=meter.done, total=meter.total or None)
