"""``latex``: the scores of a run as a table for a paper."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Annotated

from ragauge._version import __version__
from ragauge.comparison.difference import Difference
from ragauge.core.lazy import lazy_pattern
from ragauge.core.options import Range, check
from ragauge.core.registry import ingredient
from ragauge.display.numbers import percentage, printable
from ragauge.results.left_out import left_out_in
from ragauge.results.score import Score, without_score
from ragauge.writers.differences import Differences, differences
from ragauge.writers.writer import FinishedRun, Written, new_file

_SIGNS = {
    "\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", "`": r"\textasciigrave{}", '"': r"\textquotedbl{}",
    # Behind \\ these would be read as its options.
    "[": "{[}", "*": "{*}",
    **{sign: f"\\{sign}" for sign in "{}$&#%_"},
}  # fmt: skip
_SPECIAL = lazy_pattern("[" + re.escape("".join(_SIGNS)) + "]")
_LEVELS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))
"""Greatest corrected p of each mark."""


@ingredient("writer", "latex")
@dataclass(frozen=True)
class LatexWriter:
    """The scores of a run as a LaTeX table of the package booktabs: value, interval, scored of all samples.

    With a baseline there are its values and the differences, with their intervals, and marks where the paired test
    decides: ``*`` for a corrected p of at most .05, ``**`` .01, ``***`` .001. Names in Chinese, Arabic or any script
    beyond Latin need XeLaTeX or LuaLaTeX, with a font that has them.

    Args:
        path: the file to write, as in ``scores.tex``.
        caption: of the table; by default the run and its samples.
        label: by which the text refers to the table; letters, digits, ``:``, ``-`` and ``_``.
        digits: decimals.
        force: replace an existing file.

    Raises:
        UsageError: the file cannot be written.
    """

    path: str = ""
    caption: str = ""
    label: str = "tab:ragauge"
    digits: Annotated[int, Range(1, 15)] = 3
    force: bool = False

    def __post_init__(self) -> None:
        legal = re.fullmatch(r"[\w:\-]+", self.label) is not None
        check(self, "label", "letters, digits, ':', '-' and '_'", holds=legal)

    def write(self, run: FinishedRun) -> Written:
        """Write ``run``; errors as of the class."""
        compared = differences(run)
        text = "\n".join(self._lines(run, compared)) + "\n"
        with new_file(self.path, "latex", "scores.tex", force=self.force) as new:
            new.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
        return Written(str(self.path), compared.notes)

    def _lines(self, run: FinishedRun, compared: Differences) -> Iterator[str]:
        level = f"{escaped(percentage(run.result.options['level']))} interval"
        change = ("Baseline", "Difference", level) if compared.by_metric else ()
        scores = [score for score in run.result.table if score.group is None]
        yield f"% Written by ragauge {__version__}. It needs \\usepackage{{booktabs}}."
        yield r"\begin{table}"
        yield r"\centering"
        yield f"\\caption{{{escaped(self.caption or _caption(run))}}}"
        yield f"\\label{{{self.label}}}"
        yield f"\\begin{{tabular}}{{lrlr{'rrl' if change else ''}}}"
        yield r"\toprule"
        yield _row(("Metric", "Score", level, "Scored", *change))
        yield r"\midrule"
        yield from (_row(self._cells(score, compared)) for score in scores)
        yield r"\bottomrule"
        yield r"\end{tabular}"
        yield from _below(scores, (*left_out_in(run.result.data.notes), *compared.notes), compared.method)
        yield r"\end{table}"

    def _cells(self, score: Score, compared: Differences) -> Iterator[str]:
        lower = "" if score.direction == "higher" else r" $\downarrow$"
        yield f"{escaped(score.title)}{lower}"
        yield self._number(score.value)
        yield self._interval(score.low, score.high)
        yield f"{score.scored}/{score.total}"
        one = compared.by_metric.get(score.metric)
        if one is not None:
            yield self._number(one.base)
            difference, low, high = one.shown
            yield f"{self._number(difference, sign='+')}{_mark(one)}"
            yield self._interval(low, high, sign="+")
        elif compared.by_metric:
            yield from ("--", "--", "")

    def _number(self, value: float, sign: str = "") -> str:
        # In mathematics a minus is a minus. Adding 0 removes the sign of a negative zero.
        rounded = round(value, self.digits) + 0.0
        return "--" if isnan(value) else f"${rounded:{sign if rounded else ''}.{self.digits}f}$"

    def _interval(self, low: float, high: float, sign: str = "") -> str:
        return "" if isnan(low) else f"{{[}}{self._number(low, sign)}, {self._number(high, sign)}]"


def escaped(text: str) -> str:
    r"""Return ``text`` with all that LaTeX reads as a command written as a sign.

    >>> print(escaped("f1_score & 50% \\input{x}"))
    f1\_score \& 50\% \textbackslash{}input\{x\}
    """
    return _SPECIAL.sub(lambda sign: _SIGNS[sign[0]], printable(text))


def _row(cells: Sequence[str] | Iterator[str]) -> str:
    return " & ".join(cells) + r" \\"


def _mark(one: Difference) -> str:
    """Return the mark of a difference that the test decides."""
    if one.outcome not in ("better", "worse"):
        return ""
    return next((f"\\textsuperscript{{{mark}}}" for level, mark in _LEVELS if one.corrected <= level), "")


def _caption(run: FinishedRun) -> str:
    return f"{run.name}: {run.result.samples:,} samples."


def _below(scores: Sequence[Score], facts: Iterable[str], method: str) -> Iterator[str]:
    """Yield small print below the table: which samples are not scored, how differences are decided, and ``facts``."""
    metrics: dict[str, list[str]] = {}
    for score in scores:
        metrics.setdefault(without_score(score), []).append(escaped(score.title))
    notes = [f"{', '.join(names)}: {reasons}." for reasons, names in metrics.items() if reasons]
    if any(score.direction == "lower" for score in scores):
        turned = "; a difference is + where the new run is better" if method else ""
        notes.append(f"$\\downarrow$: lower is better{turned}.")
    if method:
        marks = ", ".join(f"\\textsuperscript{{{mark}}} $p \\le {level:g}$" for level, mark in reversed(_LEVELS))
        notes.append(f"Differences: {escaped(method)}. {marks}.")
    notes += [f"{escaped(note)}." for note in facts]
    if notes:
        yield r"\par\smallskip\footnotesize"
        yield from (f"{note}\\par" for note in notes)
