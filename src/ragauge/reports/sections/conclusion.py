"""The conclusion of the first screen: what got better and worse, what failed, and which of many runs is the best."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ragauge.comparison.causes import numbered, worse_on
from ragauge.comparison.difference import UNDECIDED
from ragauge.comparison.verdict import MARKS, MOST_LOST, Decision, Verdict, failing
from ragauge.inference.tests import mcnemar
from ragauge.reports.listing import listing
from ragauge.reports.runs import Page
from ragauge.reports.sections.apart import ApartGroup
from ragauge.reports.sections.changes import Candidate, Change, Changes
from ragauge.reports.texts import PageText, message

_ALPHA = 0.05
_MOST_NAMED = 3
"""Metrics that got worse which a sentence names."""


@dataclass(frozen=True)
class Band:
    """The samples of one cause, as a part of a bar: from ``start`` to ``start + width``, in percent."""

    text: str
    start: float
    width: float
    address: str


@dataclass(frozen=True)
class Sentence:
    """A sentence of the conclusion, of the page or of the comparison.

    ``address``: the samples that it speaks of; ``bands``: parts of them, which end the sentence and make a bar below;
    ``decision``: that of a verdict.
    """

    text: PageText | str
    worse: bool = False
    address: str = ""
    bands: Sequence[Band] = ()
    decision: Decision | None = None

    @property
    def mark(self) -> str:
        """What stands before it: that of its decision, or that something is worse; often nothing."""
        return MARKS[self.decision] if self.decision else "▼" if self.worse else ""

    @property
    def kind(self) -> str:
        """The classes of its element."""
        good = self.decision in ("ship", "better at a price")
        side = "worse" if self.worse else "better" if good else ""
        return " ".join(filter(None, ["verdict" if self.decision else "", side]))


@dataclass(frozen=True)
class RunLine:
    """A run of many: its verdict and outcomes against the first run, and on how many samples the system failed.

    ``worse_metrics`` names those that got worse, at most three, with the addresses of their samples; ``verdict``
    and ``outcomes`` are None for the first run, and where runs cannot be compared.
    """

    name: str
    verdict: Verdict | None
    outcomes: Counter[str] | None
    worse_metrics: Sequence[tuple[str, str]]
    failed: int
    fails_more: bool
    address: str

    @property
    def mark(self) -> str:
        """What stands before its decision."""
        return MARKS[self.verdict.decision] if self.verdict else ""

    @property
    def undecided(self) -> int:
        """Under how many primary metrics it is neither better nor worse."""
        return sum(count for outcome, count in (self.outcomes or Counter()).items() if outcome in UNDECIDED)


def conclusion(page: Page, changed: Changes | None, groups: Sequence[ApartGroup]) -> list[Sentence]:
    """Return the conclusion on one run, on two, or on many; where runs cannot be compared, only what failed."""
    if len(page.runs) == 1:
        return list(_on_one_run(page, groups))
    candidates = [] if changed is None else _in_order(changed)
    on_failures = _on_failures(page, 1) if len(page.runs) == 2 else ()
    none = all(one.verdict.decision == "do not ship" for one in candidates)
    of_all = [Sentence(changed.standing, worse=none)] if changed is not None and changed.standing else []
    on_changes = [*of_all, *(one for candidate in candidates for one in _on_changes(page, candidate))]
    # A verdict comes first; it says itself what decided it.
    decided = any(outcome != "nothing" for one in candidates for outcome in _outcomes(one.overall))
    return [*on_changes, *on_failures] if decided else [*on_failures, *on_changes]


def _in_order(changed: Changes) -> list[Candidate]:
    return [changed.candidates[place] for place in changed.order or range(len(changed.candidates))]


def ranked_first(page: Page, changed: Changes | None) -> int:
    """Return the place of the run that the page speaks of: of three and more the one of its first sentence."""
    return 1 + changed.order[0] if changed is not None and changed.order else len(page.runs) - 1


def stands_out(page: Page, run: int) -> bool:
    """Return whether the system failed on more samples than in the first run: beyond chance, or on more than 5 %."""
    base, other = page.runs[0], page.runs[run]
    if other.failed <= (0 if run == 0 else base.failed):
        return False
    if other.failed > MOST_LOST * other.result.data.rows:
        return True
    before, after = (failing(page.runs[one].result, page.samples.places[one]) for one in (0, run))
    return mcnemar((after - before).astype(np.float64)).p <= _ALPHA


def _on_one_run(page: Page, groups: Sequence[ApartGroup]) -> Iterator[Sentence]:
    run, result = page.names[0], page.runs[0].result
    total = f"{result.data.rows:,}"
    if failed := page.runs[0].failed:
        key = "page.conclusion.unanswered.alone"
        yield Sentence(
            message(key, run=run, n=f"{failed:,}", total=total), worse=stands_out(page, 0), address=_failed_address(run)
        )
    scored = np.logical_and.reduce([np.isfinite(result.scores(name)) for name in result.metrics])
    counts = {"n": f"{int(scored.sum()):,}", "total": total}
    if all(score.scored == 0 for score in result.table if score.group is None):
        yield Sentence(message("page.conclusion.none-scored", total=total), worse=True)
    elif len(result.metrics) == 1:
        yield Sentence(message("page.conclusion.scored.one", metric=page.metrics[0].title, **counts))
    else:
        yield Sentence(message("page.conclusion.scored", metrics=len(result.metrics), **counts))
    if named := [group for group in groups if isinstance(group.group, str)][:1]:
        weakest = named[0]
        metrics = _named([metric.title for metric, *_ in weakest.metrics], more=weakest.more > 0)
        values = {"column": weakest.column, "group": weakest.group, "metrics": metrics}
        yield Sentence(message("page.conclusion.weakest", **values), address=weakest.address)


def _on_failures(page: Page, run: int) -> Iterator[Sentence]:
    """Yield that the system failed on more samples in a run than in the first."""
    base, other = page.runs[0], page.runs[run]
    if other.failed > base.failed:
        counts = {"n": f"{other.failed:,}", "total": f"{other.result.data.rows:,}", "failed": f"{base.failed:,}"}
        text = message("page.conclusion.unanswered", run=other.name, base=base.name, **counts)
        yield Sentence(text, worse=stands_out(page, run), address=_failed_address(other.name))


def _failed_address(run: str) -> str:
    return listing(("status", "failed"), ("run", run))


def _on_changes(page: Page, candidate: Candidate) -> Iterator[Sentence]:
    outcomes = _outcomes(candidate.overall)
    nothing = outcomes.pop("nothing", 0)
    names = {"candidate": candidate.name, "base": page.names[0]}
    if not outcomes:
        run = page.runs[page.names.index(candidate.name)].result
        if all(run[name].scored == 0 for name in run.metrics):
            text = message("page.conclusion.nothing", total=f"{run.data.rows:,}", **names)
        else:
            text = message("page.conclusion.nothing-shared")
        yield Sentence(text, worse=True)
        return
    verdict = candidate.verdict
    yield Sentence(verdict.sentence, worse=verdict.decision == "do not ship", decision=verdict.decision)
    if candidate.causes:
        yield Sentence(worse_on(candidate.causes, candidate.worse), bands=list(_bands(page, candidate)))
    if nothing:
        yield Sentence(message("page.summary.nothing", n=nothing))


def _bands(page: Page, candidate: Candidate) -> Iterator[Band]:
    start = 0.0
    run = [("run", candidate.name)] if len(page.runs) > 2 else []
    for why, count, words in numbered(candidate.causes):
        width = 100 * count / len(candidate.causes)
        yield Band(words, round(start, 3), round(width, 3), listing(("cause", why), *run, ("sort", "fell")))
        start += width


def _outcomes(overall: Sequence[Change]) -> Counter[str]:
    """Return how many of the primary metrics have each outcome."""
    return Counter(one.outcome for _, one in overall if one.primary)


def _worse(overall: Sequence[Change], run: str) -> list[tuple[str, str]]:
    """Return the first metrics that got worse in a run, each with the address of the samples that did."""
    worse = [metric.title for metric, one in overall if one.outcome == "worse" and one.primary]
    asked = (("test", "fell"), ("run", run), ("sort", "fell"))
    return [(title, listing(("metric", title), *asked)) for title in worse[:_MOST_NAMED]]


def _named(titles: Sequence[str], *, more: bool) -> str:
    return ", ".join([*titles, *(["…"] if more else [])])


def run_lines(page: Page, changed: Changes | None) -> list[RunLine]:
    """Return a line for each of three and more runs, the first run first, then those with the least to worry about."""
    if len(page.runs) < 3:
        return []
    candidates = {} if changed is None else {candidate.name: candidate for candidate in changed.candidates}
    lines = []
    for place, run in enumerate(page.runs):
        candidate = candidates.get(run.name)
        overall = None if candidate is None else candidate.overall
        lines.append(
            RunLine(
                run.name,
                None if candidate is None else candidate.verdict,
                None if overall is None else _outcomes(overall),
                [] if overall is None else _worse(overall, run.name),
                run.failed,
                place > 0 and stands_out(page, place),
                _failed_address(run.name),
            )
        )
    if not candidates:
        return lines
    order = [candidate.name for candidate in _in_order(changed)] if changed is not None else []
    return [lines[0], *sorted(lines[1:], key=lambda line: order.index(line.name))]
