"""The language, width, colours and characters of a terminal, and progress on it.

Tables are drawn by `ragauge.display.text`; this file says for which screen.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Any, TextIO, cast

import rich_click as click

from ragauge.core.lazy import lazy_pattern
from ragauge.core.messages import Counted, Message, own_words
from ragauge.display.numbers import ASCII, DRAWN
from ragauge.display.table import Block
from ragauge.display.text import INTERFACES, WIDTH, Screen, interface_of, plain_text
from ragauge.errors import OptionError, RagaugeError, alternatives

LANGUAGE_OPTION, LANGUAGE_VARIABLE = "--lang-ui", "RAGAUGE_LANG_UI"
_NO_LANGUAGE = ("", "C", "POSIX")
_WIDTH = 100
"""Columns of a file or a pipe: enough for most specs and their notes, and not too wide for most screens."""
# Marks of our own tables, for encodings without them; characters of data become escapes.
_IN_ASCII = str.maketrans(
    {"–": "-", "↓": "v", "▲": "^", "▼": "v", "≈": "~", "±": "+-", "…": "...", "─": "-"}
    | dict(zip("▁▂▃▄▅▆▇█", ".:-=+*#@", strict=True))
)

# Outcomes of comparisons and checks, problems of samples, and the parts of a bar.
_COLOURS: tuple[tuple[str, dict[str, Any]], ...] = (
    (r"▲ better|▲ 更好|(?<=\d )▲|^(ok|合格)(?=  )", {"fg": "green"}),
    (r"▼ worse|▼ 更差|(?<=\d )▼|^(FAIL|不合格)(?=  )", {"fg": "red"}),
    (r"\b\d+ ((failed|missing|undefined)\b|个(失败|缺值|无定义))", {"fg": "yellow"}),
    ("●", {"fg": "cyan", "bold": True}),
    ("·+", {"dim": True}),
)


def text_for(stream: TextIO, blocks: Iterable[Block], *, verbose: bool = False) -> str:
    """Return blocks as text in the width, the characters and the colours of ``stream``."""
    # Older East Asian encodings have box-drawing characters, but their terminals draw them two columns wide.
    unicode, colours = (stream.encoding or "ascii").lower().startswith("utf"), has_colours(stream)
    bold = partial(click.style, bold=True) if colours else str
    text = plain_text(blocks, Screen(width(stream), DRAWN if unicode else ASCII, bold, verbose))
    if not unicode:
        text = text.translate(_IN_ASCII)
    for pattern, style in _COLOURS if colours else ():
        text = re.sub(pattern, click.style(r"\g<0>", **style), text, flags=re.MULTILINE)
    return text


def width(stream: TextIO) -> int:
    """Return the columns of a terminal, or as COLUMNS says; those of a file or a pipe are `_WIDTH`."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdigit() and int(columns):
        return int(columns)
    return os.get_terminal_size(stream.fileno()).columns or WIDTH if stream.isatty() else _WIDTH


def has_colours(stream: TextIO) -> bool:
    """Return whether ``stream`` shows colours: on a terminal or under FORCE_COLOR, but not under NO_COLOR."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM", "").lower() in ("dumb", "unknown"):
        return False
    forced = os.environ.get("FORCE_COLOR")
    return stream.isatty() if forced is None else forced != ""


def interface_language(arguments: Sequence[str]) -> str:
    """Return the language of a command line: by option, variable, ragauge.toml and locale, each before those after it.

    A wrong value is passed over here: click, and `language_of_file`, tell of it.
    """
    named = os.environ.get(LANGUAGE_VARIABLE)
    for option, value in pairwise([*arguments, ""]):
        if option == LANGUAGE_OPTION and value in INTERFACES:
            named = value
        elif option.startswith(f"{LANGUAGE_OPTION}="):
            named = option.partition("=")[2]
    if named in INTERFACES:
        return named
    if (path := Path("ragauge.toml")).is_file():
        with suppress(RagaugeError):
            if language := language_of_file(path):
                return language
    writes_chinese = (sys.stdout.encoding or "").lower().startswith(("utf", "gb"))
    return (language_of_locale(os.environ) if writes_chinese else None) or "en"


def words() -> Callable[[str], str]:
    """Return a function that gives texts their wording in the interface: its language, and the flags of the command."""
    from ragauge.cli.faces import face, helps

    shown = face()
    sentences = helps() if shown.language == "zh" else {}
    return lambda text: own_words(sentences.get(text, text), shown)


def language_of_file(path: Path) -> str | None:
    """Return the language by [score] of a file; None where it names none, or cannot be read.

    A file that is wrong is told by the commands that read their settings there. OptionError for another language.
    """
    from ragauge.gates.configuration import read

    try:
        language = read(path).section("score").get("lang-ui")
    except RagaugeError:
        return None
    if language not in (None, *INTERFACES):
        raise OptionError.value(str(path), "lang-ui", alternatives(INTERFACES), language)
    return cast("str | None", language)


def language_of_locale(environment: Mapping[str, str]) -> str | None:
    """Return the language of the locale: as in GNU gettext, LANGUAGE, a list, wins where the locale is not C.

    The Chinese here is simplified, so a locale of traditional characters does not ask for it: it gets the next
    language of its list, or None.

    >>> language_of_locale({"LANG": "zh_CN.UTF-8"}), language_of_locale({"LANG": "zh_TW.UTF-8"})
    ('zh', None)
    >>> language_of_locale({"LANG": "en_US.UTF-8", "LANGUAGE": "zh_TW:zh_CN:en"})
    'zh'
    """
    locale = environment.get("LC_ALL") or environment.get("LC_MESSAGES") or environment.get("LANG", "")
    if locale.partition(".")[0] in _NO_LANGUAGE:
        return None
    for name in [*filter(None, environment.get("LANGUAGE", "").split(":"))] or [locale]:
        if language := interface_of(name):
            return language
    return None


class _Escaping:
    def __init__(self, terminal: TextIO) -> None:
        self._terminal = terminal

    def write(self, text: str) -> int:
        return self._terminal.write(_STEERING.sub(lambda match: f"\\u{ord(match[0]):04x}", text))


_STEERING = lazy_pattern("[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
"""Control characters but line ends and tabs, and the characters that turn the direction of text."""


def escaping(stream: TextIO) -> TextIO:
    r"""Return a stream for JSON or CSV: on a terminal, which data could steer, with control characters as ``\u202e``.

    That is the same string in JSON. Files and pipes get every character as it is.
    """
    return cast(TextIO, _Escaping(stream)) if stream.isatty() else stream


_QUIET = 1.0  # seconds of work without a bar
_EVERY = 10.0  # seconds between lines in a log
_WITHOUT_TOTAL = {
    "scoring": "loading data and models, {time}",
    "runs": "reading runs, {time}",
    "comparing": "comparing runs, {time}",
    "page": "making the page, {time}",
}


@dataclass
class Meter:
    """Samples that are done, their total and their rate; with a judge also its replies.

    ``failed``: questions that a system did not answer, while it is asked.
    """

    done: int = 0
    total: int = 0
    replies: int = 0
    questions: int = 0
    failed: int = 0
    work: str = "scoring"
    start: float = field(default_factory=monotonic)
    first: tuple[float, int] | None = None  # when samples were first done, and how many: the start of the rate
    first_reply: tuple[float, int] | None = None  # likewise of replies

    def __call__(self, done: int, total: int) -> None:
        """Take how many samples are done, and their total."""
        if self.work != "scoring":
            self.work, self.first, self.failed = "scoring", None, 0
        self.done, self.total = done, total
        if done:
            self.first = self.first or (monotonic(), done)

    def replied(self, replies: int, questions: int) -> None:
        """Take how many replies a judge gave, and how many questions it was asked so far."""
        self.replies, self.questions = replies, questions
        self.first_reply = self.first_reply or (monotonic(), replies)

    def asking(self, done: int, failed: int, total: int) -> None:
        """Take how many questions a system was asked, how many of them failed, and their total."""
        self.work, self.done, self.failed, self.total = "asking", done, failed, total
        self.first = self.first or (monotonic(), done)

    def stopping(self, running: int) -> None:
        """Say that calls are waited for after an interrupt."""
        calls = Counted(running, "unfinished call")
        click.echo(
            words()(Message("stopping: waiting for {calls}; press Ctrl-C again to stop at once", calls)), err=True
        )

    def __str__(self) -> str:
        return str(self.progress())

    def progress(self) -> str:
        """Return progress, failures, rate and the time left, in words."""
        now = monotonic()
        if self.replies < self.questions:
            return self._asking(now)
        if not self.total:
            return self._without_total(duration(now - self.start))
        template = "asking {n:,}/{total:,}{failed}" if self.work == "asking" else "scoring {n:,}/{total:,}{failed}"
        failed = Message(", {n} failed", self.failed) if self.failed else ""
        progress = Message(template, self.done, self.total, failed)
        if self.first is None or (self.work == "asking" and self.done == self.first[1]):
            return progress
        seconds, count = now - self.first[0], self.done - self.first[1]
        if not count or seconds <= 0:
            # There was only one report of progress, so the time includes reading.
            seconds, count = max(now - self.start, 1e-9), self.done
        rate = count / seconds
        return _with_rate(progress, rate, self.total - self.done)

    def _without_total(self, time: str) -> str:
        """What is done before samples are counted, with the bytes of a file that is read in its order."""
        from ragauge.formats.opening import being_read

        file = being_read() if self.work == "scoring" else None
        if file is not None and file[1]:
            name, done, size = file
            template = "reading {file}: {done:,.1f} of {size:,.1f} MB, {time}"
            return Message(template, Path(name).name, done / 1e6, size / 1e6, time)
        return Message(_WITHOUT_TOTAL[self.work], time)

    def step(self, work: str) -> None:
        """Take what is done now: a key of `_WITHOUT_TOTAL`."""
        self.work = work

    def _asking(self, now: float) -> str:
        """Progress while a judge is asked; of the time left, that of the questions that are known."""
        progress = Message("{n:,} of {total:,} questions answered", self.replies, self.questions)
        if self.total:
            progress = Message("scoring {n:,}/{total:,}: {progress}", self.done, self.total, progress)
        begun, before = self.first_reply or (now, 0)
        rate = (self.replies - before) / max(now - begun, 1e-9)
        return _with_rate(progress, rate, self.questions - self.replies) if rate > 0 else progress


def _with_rate(progress: str, rate: float, left: float) -> str:
    pace = f"{rate:.0f}" if rate >= 10 else f"{rate:.1f}"
    return Message("{progress}, {pace} a second, {time} left", progress, pace, duration(left / rate))


def duration(seconds: float) -> str:
    """Return a time in words.

    >>> duration(7.4), duration(125), duration(7260)
    ('7 s', '2 min 5 s', '2 h 1 min')
    """
    whole = round(seconds)
    if whole < 60:
        return Message("{n} s", whole)
    minutes = whole // 60
    return (
        Message("{m} min {n} s", minutes, whole % 60)
        if minutes < 60
        else Message("{h} h {n} min", *divmod(minutes, 60))
    )


@contextmanager
def progress(
    stream: TextIO | None = None, every: float = _EVERY, meter: Meter | None = None
) -> Iterator[Callable[[int, int], None]]:
    """Yield a function that takes how many samples are done, and their total; show both on ``stream``.

    That is standard error by default; ``every``: seconds between lines where it is not a terminal. The function is
    ``meter``, or a new one.
    """
    shown = stream or sys.stderr
    meter = meter or Meter()
    ended = Event()
    show = _bar if shown.isatty() else _lines
    thread = Thread(target=show, args=(meter, shown, ended, every, words()), daemon=True)
    thread.start()
    try:
        yield meter
    finally:
        ended.set()
        thread.join()


def _lines(meter: Meter, stream: TextIO, ended: Event, every: float, say_in: Callable[[str], str]) -> None:
    while not ended.wait(every):
        stream.write(f"{say_in(meter.progress())}\n")
        stream.flush()


def _bar(meter: Meter, stream: TextIO, ended: Event, _every: float, say_in: Callable[[str], str]) -> None:
    """Draw a bar once work takes longer than a second, and remove it in the end."""
    if ended.wait(_QUIET):
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

    columns = (SpinnerColumn(), BarColumn(bar_width=24), TextColumn("{task.description}"))
    # rich itself keeps bold and dim letters under NO_COLOR.
    console = Console(file=stream, markup=False, color_system="auto" if has_colours(stream) else None)
    with Progress(*columns, console=console, transient=True) as drawn:
        task = drawn.add_task(say_in(meter.progress()), total=None)
        while not ended.wait(_QUIET):
            drawn.update(task, description=say_in(meter.progress()), completed=meter.done, total=meter.total or None)
