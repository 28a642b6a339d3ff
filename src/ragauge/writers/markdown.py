"""``markdown``: a run as the Markdown of a pull-request comment, in a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from ragauge.core.options import Range
from ragauge.core.registry import ingredient
from ragauge.writers.comment import SHORTEST, comment_of
from ragauge.writers.writer import FinishedRun, Written, new_file


@ingredient("writer", "markdown")
@dataclass(frozen=True)
class MarkdownWriter:
    """A run as Markdown: the gate, scores with intervals and coverage, differences from the baseline, worst samples.

    For services that have no writer of their own. It is what ``github`` and ``gitlab`` write.

    Args:
        path: the file to write, as in ``summary.md``.
        samples: how many of the worst samples it shows, with their texts.
        language: of the gate, the verdict and the heads of tables.
        longest: the most characters that it may have, from 2,000.
        force: replace an existing file.

    Raises:
        UsageError: the file cannot be written.
    """

    path: str = ""
    samples: Annotated[int, Range(0)] = 5
    language: Literal["en", "zh"] = "en"
    longest: Annotated[int, Range(SHORTEST)] = 65_536
    force: bool = False

    def write(self, run: FinishedRun) -> Written:
        """Write ``run``; errors as of the class."""
        comment = comment_of(run, self.longest, self.samples, self.language)
        with new_file(self.path, "markdown", "summary.md", force=self.force) as new:
            new.write_text(comment.text, encoding="utf-8", errors="backslashreplace", newline="\n")
        return Written(str(self.path), comment.left_out)
