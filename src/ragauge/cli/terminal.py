"""The width, colours and characters of a stream, and progress on it."""

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

from ragauge.display.numbers import ASCII, DRAWN
from ragauge.display.text import Screen

if TYPE_CHECKING:
    from rich.console import Console

_WIDTH = 100
"""Columns of a file or a pipe: enough for most specs and their notes, and not too wide for most screens."""
# Marks of our own tables, for encodings without them; characters of data become escapes.
_IN_ASCII = str.maketrans({"–": "-", "↓": "v", "▲": "^", "▼": "v", "≈": "~", "±": "+-", "…": "...", "─": "-"})


def console(stream: TextIO) -> Console:
    """Return a console of ``stream``, with colours on a terminal or under FORCE_COLOR, but not under NO_COLOR.

    rich itself keeps bold and dim letters under NO_COLOR; a log would show their escape codes.
    """
    from rich.console import Console

    measured = stream.isatty() or "COLUMNS" in os.environ
    found = Console(
        file=stream,
        highlight=False,
        markup=False,
        emoji=False,
        width=None if measured else _WIDTH,
        color_system=None if os.environ.get("NO_COLOR") else "auto",
    )
    # Without this rich writes bold text to a terminal that has no colours.
    found.no_color = found.color_system is None
    return found


def has_unicode(stream: TextIO) -> bool:
    """Return whether ``stream`` writes all of Unicode, so that box-drawing characters are one column wide.

    Older East Asian encodings have these characters, but their terminals draw them two columns wide.
    """
    return (stream.encoding or "ascii").lower().replace("-", "").startswith("utf")


def encodable(text: str, stream: TextIO) -> str:
    """Return ``text`` with our own marks in ASCII if ``stream`` does not write Unicode."""
    return text if has_unicode(stream) else text.translate(_IN_ASCII)


def screen(stream: TextIO) -> Screen:
    """Return the width of ``stream``, the characters of its bars, and a function for its headings."""
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
    """Return ``text`` with our own marks coloured, unless ``stream`` has no colours, as files, or NO_COLOR is set."""
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
