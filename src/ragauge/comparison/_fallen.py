"""The samples that got worse most, as lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Self

from rich.cells import cell_len

from ragauge.comparison.difference import Fall
from ragauge.core.messages import Face, Joined, Message, Phrase, own_words
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


def fallen_lines(fallen: Sequence[Fall], causes: Mapping[tuple[str, str], str], count: int) -> Iterator[str]:
    """Yield the lines of the ``count`` samples of each run that got worse most, with their ``causes`` by run and id.

    A sample stands where it does under the metric that puts it highest among ``fallen``, of which each metric has the
    worst first.
    """
    if not fallen:
        yield worded("no sample got worse")
    for run in dict.fromkeys(fall.run for fall in fallen):
        of_samples: dict[str, list[Fall]] = {}
        ranked = [(rank, fall) for some in _by_metric(fallen, run) for rank, fall in enumerate(some)]
        for _, fall in sorted(ranked, key=lambda pair: pair[0]):
            of_samples.setdefault(fall.id, []).append(fall)
        yield Message("got worse most in {run}:", run)
        for name, some in list(of_samples.items())[:count]:
            row = Joined(["  (", Message("row {place}", some[0].row), ")"], "") if some[0].row else ""
            yield Joined([f"  {name}", row, f"  {', '.join(map(_change, some))}"], "")
            if (run, name) in causes:
                yield _TitledText("cause", causes[run, name])
            first = some[0]
            texts = {"question": first.question, "base": first.base_answer, "new": first.candidate_answer}
            texts["reference"] = first.references[0] if first.references else None
            for title, text in texts.items():
                if text is not None:
                    yield _TitledText(title, printable(" ".join(text[:_SHOWN].split())))


def _by_metric(fallen: Sequence[Fall], run: str) -> list[list[Fall]]:
    found: dict[str, list[Fall]] = {}
    for fall in fallen:
        if fall.run == run:
            found.setdefault(fall.metric, []).append(fall)
    return list(found.values())


def _change(fall: Fall) -> str:
    return f"{shown_name(fall.metric)} {short_number(fall.base)} -> {short_number(fall.candidate)}"
