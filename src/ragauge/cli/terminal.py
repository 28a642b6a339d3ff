"""What a stream can show: how wide it is, whether it has colours, which characters."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.console import Console

# Of a file or a pipe; wide enough for most specs and their notes, narrow enough for most screens.
_WIDTH = 100
# Marks of our own tables, for encodings that lack them; what data hold is written as escapes instead.
_SPELLED = str.maketrans({"–": "-", "↓": "v", "▲": "^", "▼": "v", "≈": "~", "±": "+-", "…": "..."})


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


def coloured(text: str, colours: dict[str, str], stream: TextIO) -> str:
    """Colour words where ``stream`` has colours; logs, files and who set NO_COLOR get the plain text.

    Args:
        text: lines.
        colours: word -> the name of its colour.
        stream: where the text is written to.
    """
    if console(stream).color_system is None:
        return text
    import rich_click as click

    for word, colour in colours.items():
        text = text.replace(word, click.style(word, fg=colour))
    return text
