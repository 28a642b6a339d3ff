"""Documents as passages: whole paragraphs and sentences, as many as fit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from ragauge.core.arrow import to_arrow
from ragauge.core.lazy import lazy_pattern
from ragauge.core.ragged import IntArray
from ragauge.sentences import split

_TOO_WIDE = 4
"""A sentence that is so many times wider than a passage may be is a table, code or data, and is left out."""
_HEADING = lazy_pattern(r" {0,3}#{1,6}\s")
_FRONT_MATTER = lazy_pattern(r"---[ \t]*\n(?:.*\n)*?(?:---|\.\.\.)[ \t]*(?:\n|$)")
_FENCE = lazy_pattern(r" {0,3}(?:```|~~~)")
# First and last code points of characters that take two columns, as Unicode's East Asian Width has W and F.
_WIDE = ((0x1100, 0x115F), (0x2E80, 0xA4CF), (0xA960, 0xA97F), (0xAC00, 0xD7A3), (0xF900, 0xFAFF), (0xFE30, 0xFE6F),
         (0xFF00, 0xFF60), (0xFFE0, 0xFFE6), (0x1F300, 0x1F64F), (0x20000, 0x3FFFD))  # fmt: skip


class Span(NamedTuple):
    """A part of a text, in code points. ``begins``: it is a heading, so a passage begins."""

    start: int
    end: int
    begins: bool = False


def spans_of(text: str, width: int, *, markdown: bool = False) -> tuple[list[tuple[int, int]], int]:
    r"""Return where the passages of a text begin and end, and how many of its sentences are too long for one.

    A passage is a part of the text, unchanged: neighbouring paragraphs, as many as fit; of a paragraph that does not
    fit, neighbouring sentences. No sentence is divided: one that does not fit is a passage of its own, and one of more
    than four times the width is left out. In Markdown a heading begins a passage, and front matter is left out.

    Args:
        text: the document.
        width: columns that a passage may take: characters, of which those of Chinese, Japanese and Korean take two.
        markdown: the text is Markdown.

    >>> spans_of("Tea is grown. Tea is drunk.\n\nIt is hot.", 30)
    ([(0, 27), (29, 39)], 0)
    >>> spans_of("茶树种在云南。茶叶在春天采摘。", 16)
    ([(0, 7), (7, 15)], 0)
    """
    widths = _widths(text)
    blocks = list(_blocks(text, markdown=markdown))
    wide = [place for place, one in enumerate(blocks) if widths[one.end] - widths[one.start] > width]
    starts, ends = split(to_arrow([text[blocks[place].start : blocks[place].end] for place in wide], pa.large_string()))
    within = {place: (starts[row], ends[row]) for row, place in enumerate(wide)}
    segments: list[Span] = []
    left_out = 0
    for place, block in enumerate(blocks):
        if place not in within:
            segments.append(block)
            continue
        begins = block.begins
        for start, end in zip(*(one.tolist() for one in within[place]), strict=True):
            one = Span(block.start + start, block.start + end, begins)
            begins = False
            if widths[one.end] - widths[one.start] > _TOO_WIDE * width:
                left_out += 1
                begins = True
            else:
                segments.append(one)
    return _packed(segments, widths, width), left_out


def _packed(segments: list[Span], widths: IntArray, width: int) -> list[tuple[int, int]]:
    """Return neighbouring segments put together, as many as fit."""
    passages: list[tuple[int, int]] = []
    for start, end, begins in segments:
        if passages and not begins and widths[end] - widths[passages[-1][0]] <= width:
            passages[-1] = (passages[-1][0], end)
        else:
            passages.append((start, end))
    return passages


def width_of(text: str) -> int:
    """Return the columns that a text takes.

    >>> width_of("tea 茶")
    6
    """
    return int(_widths(text)[-1])


def _widths(text: str) -> IntArray:
    """Return the columns before each character, and those of all, (length + 1,)."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    takes_two = np.zeros(len(points), dtype=bool)
    for first, last in _WIDE:
        takes_two |= (points >= first) & (points <= last)
    return np.concatenate([[0], np.cumsum(1 + takes_two.astype(np.int64))])


def _blocks(text: str, *, markdown: bool) -> Iterator[Span]:
    """Yield the paragraphs of a text: runs of lines that are not blank, without white space around them."""
    front = _FRONT_MATTER.match(text) if markdown else None
    place = front.end() if front else 0
    lines: list[tuple[int, str]] = []
    is_code = False
    for line in [*text[place:].splitlines(keepends=True), ""]:
        is_code ^= markdown and bool(_FENCE.match(line))
        is_heading = markdown and not is_code and bool(_HEADING.match(line))
        if lines and (is_heading or not line.strip()):
            yield _block(lines, markdown=markdown)
            lines = []
        if line.strip():
            lines.append((place, line))
        place += len(line)


def _block(lines: list[tuple[int, str]], *, markdown: bool) -> Span:
    (start, first), (last, line) = lines[0], lines[-1]
    return Span(
        start + len(first) - len(first.lstrip()),
        last + len(line.rstrip()),
        markdown and bool(_HEADING.match(first)),
    )
