"""The samples that got worse most, as lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Self

from rich.cells import cell_len

from ragauge.comparison.difference import Fall
from ragauge.core.messages import Face, Message, Phrase, own_words
from ragauge.display.numbers import printable, short_number
from ragauge.errors import worded
from ragauge.results.score import shown_name

_SHOWN = 200
"""Characters of a text that are shown."""


class _TitledText(Phrase):
    """A text behind its title, which takes the same width in every language."""

    __slots__ = ()

    def __new__(cls, title: str, text: str) -> Self:
        line = super().__new__(cls, f"    {title:11}{text}")
        line.parts = (title, text)
        return line

    def wording(self, face: Face) -> str:
        """Return the line with its title in the language of ``face``."""
        title = own_words(self.parts[0], face)
        return f"    {title}{' ' * (11 - cell_len(title))}{self.parts[1]}"


def fallen_lines(falls_of_all: Sequence[Fall], causes: Mapping[tuple[str, str], str]) -> Iterator[str]:
    """Yield the lines of the samples that got worse most, by metric, with their ``causes`` by run and id."""
    if not falls_of_all:
        yield worded("no sample got worse")
    shown_ids: set[tuple[str, str]] = set()
    for (metric, run), some in groupby(falls_of_all, key=lambda fall: (fall.metric, fall.run)):
        yield Message("got worse most under {shown_name} in {run}:", shown_name(metric), run)
        for fall in some:
            again = (run, fall.id) in shown_ids
            shown_ids.add((run, fall.id))
            line = f"  {fall.id}  {short_number(fall.base)} -> {short_number(fall.candidate)}"
            yield Message("{line} (see above)", line) if again else line
            if again:
                continue
            if (run, fall.id) in causes:
                yield _TitledText("cause", causes[run, fall.id])
            texts = {"question": fall.question, "base": fall.base_answer, "new": fall.candidate_answer}
            texts["reference"] = fall.references[0] if fall.references else None
            for title, text in texts.items():
                if text is not None:
                    yield _TitledText(title, printable(" ".join(text[:_SHOWN].split())))
