"""The result of comparing runs, as text, tables and JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, KeysView, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice
from math import inf, isfinite, isnan
from typing import Any

from ragauge.comparison._fallen import fallen_lines
from ragauge.comparison._worse_samples import worse_samples
from ragauge.comparison.causes import Cause, causes, counted_causes
from ragauge.comparison.corrected import CORRECTION_TITLES
from ragauge.comparison.difference import Difference, Fall, PairedRuns, by_group, change_texts, falls, signs
from ragauge.comparison.equal_columns import of_pairs
from ragauge.comparison.pairing import unanswered
from ragauge.comparison.primary import price_metrics
from ragauge.comparison.rankings import RankingLikeness, likenesses, ranking_likeness, sentences
from ragauge.comparison.verdict import CheckedRules, Verdict, verdict
from ragauge.core import compute as pc
from ragauge.core.arrow import to_arrow
from ragauge.core.messages import Counted, Joined, Message
from ragauge.core.protocol import Metric
from ragauge.display.html import Displayed
from ragauge.display.numbers import label, percentage, probability, short_number, signed, with_direction
from ragauge.display.table import Bar, Block, Facts, Notes, Paragraph, Table, TableColumn, TableRow, Verbatim
from ragauge.display.text import plain_text
from ragauge.errors import UnknownNameError, worded
from ragauge.results.keyed import Keyed
from ragauge.results.result import Result
from ragauge.results.score import counted_note


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Displayed, Keyed[str]):
    """Differences of runs from a base. ``comparison["ndcg@10"].outcome`` is one."""

    base: str
    """The base's name."""
    table: tuple[Difference, ...]
    """All differences: for each candidate those over all samples first, then those of groups."""
    candidates: tuple[PairedRuns, ...]
    notes: tuple[str, ...]
    """Warnings: samples that do not pair, metrics that one run lacks, other versions."""
    options: Mapping[str, Any]
    """Options of the comparison: test, correction, level, alpha, trials, resamples, seed, by, cluster, on."""
    rules: Mapping[str, CheckedRules] = field(default_factory=dict)
    """Candidate -> the rules of a gate by which it was checked."""

    def __getitem__(self, metric: str | Metric | type[Metric]) -> Difference:
        """Return the difference of the first candidate over all samples."""
        base = self.candidates[0].base
        spec = str(base.metrics[base.name(metric)])
        for difference in self.table:
            if difference.group is None and str(base.metrics[difference.metric]) == spec:
                return difference
        raise UnknownNameError.of("metric of this comparison:", str(metric), self)

    def keys(self) -> KeysView[str]:
        """Return the names of the metrics."""
        return dict.fromkeys(one.metric for one in self.table if one.group is None).keys()

    def of(self, run: str) -> list[Difference]:
        """Return the differences of candidate ``run``."""
        return [difference for difference in self.table if difference.run == run]

    def verdicts(self) -> list[Verdict]:
        """Return whether each candidate may take the place of the base, and why."""
        alpha = self.options["alpha"]
        return [verdict(runs, self.of(runs.name), alpha, self.rules.get(runs.name)) for runs in self.candidates]

    def rankings(self) -> list[RankingLikeness]:
        """Return how alike the rankings of each candidate are to those of the base, where both kept some."""
        return [*filter(None, map(ranking_likeness, self.candidates))]

    def causes(self, run: str | None = None, most: int | None = None) -> list[Cause]:
        """Return why a candidate, by default the first, is worse on each sample, or the first ``most``.

        A sample is worse where a metric fell that is primary or clearly worse, and no plain column.
        """
        runs = next(one for one in self.candidates if run in (None, one.name))
        return causes(runs, dict(islice(self._worse(runs).items(), most)))

    def counted_causes(self, run: str) -> str:
        """Return on how many samples a candidate is worse, and how many have each cause; empty where none is found."""
        found, worse = self.first_causes(run)
        return counted_causes(found, worse) if found else ""

    def first_causes(self, run: str) -> tuple[list[Cause], int]:
        """Return the causes of the first 5,000 samples on which a candidate is worse, and the number of all of these.

        There are none where nothing explains any of them.
        """
        found = self.causes(run, _EXPLAINED)
        if all(cause.why == "unexplained" for cause in found):
            return [], 0
        return found, sum(len(self._worse(one)) for one in self.candidates if one.name == run)

    def _causes_of(self, fallen: Sequence[Fall]) -> dict[tuple[str, str], str]:
        """Return the causes of samples that fell, by run and id."""
        found: dict[tuple[str, str], str] = {}
        for runs in self.candidates:
            metrics: dict[str, list[str]] = {}
            for fall in fallen:
                if fall.run == runs.name:
                    metrics.setdefault(fall.id, []).append(fall.metric)
            names = runs.samples.names
            places = pc.index_in(to_arrow(list(metrics), names.type), value_set=names).to_pylist()
            of_run = causes(runs, dict(zip(places, metrics.values(), strict=True)))
            found |= {(runs.name, one.id): one.text for one in of_run if one.why != "unexplained"}
        return found

    def _worse(self, runs: PairedRuns) -> dict[int, list[str]]:
        overall = [one for one in self.of(runs.name) if one.group is None]
        return worse_samples(runs, {one.metric for one in overall if one.primary or one.outcome == "worse"})

    def worst(self, count: int = 5, metric: str | None = None) -> list[Fall]:
        """Return up to ``count`` samples that got worse most under each metric, or under one, of each candidate."""
        only = None if metric is None else self.candidates[0].base.name(metric)
        return [
            fall
            for runs in self.candidates
            for paired in runs.metrics
            if only in (None, paired.name)
            for fall in falls(runs, paired, count)
        ]

    def to_dict(self, worst: int = 0) -> dict[str, Any]:
        """Return the differences as JSON types, and the ``worst`` samples of each metric."""
        candidates = [
            {
                "run": runs.name,
                "paired": len(runs.samples),
                "only_base": len(runs.samples.only_base),
                "only_candidate": len(runs.samples.only_candidate),
                "verdict": one.to_dict(),
                "causes": Counter(cause.why for cause in self.causes(runs.name, _EXPLAINED)),
            }
            for runs, one in zip(self.candidates, self.verdicts(), strict=True)
        ]
        plain = {
            "base": self.base,
            "candidates": candidates,
            "differences": [difference.to_dict() for difference in self.table],
            **likenesses(self.candidates, self.table),
            "notes": [*self._failures(), *self.notes],
            "options": dict(self.options),
        }
        fallen = self.worst(worst) if worst else []
        causes = self._causes_of(fallen)
        listed = [fall.to_dict() | {"cause": causes.get((fall.run, fall.id))} for fall in fallen]
        return plain | ({"worst": listed} if worst else {})

    def blocks(self, worst: int = 0, *, details: bool = True) -> Iterator[Block]:
        """Yield verdicts, the method, failures, notes, the tables of each candidate and the ``worst`` of each metric.

        ``details`` of a difference are how many samples rose and fell, and what these samples could have shown.
        """
        for one in self.verdicts():
            yield Paragraph(one.sentence)
            if counted := self.counted_causes(one.run):
                yield Paragraph(counted)
        yield from map(Paragraph, sentences(self.candidates, self.table))
        yield Paragraph(self._method())
        yield Notes((*self._failures(), *self.notes))
        for runs in self.candidates:
            yield Facts((("base", self.base), ("new", runs.name)))
            yield from _tables(self.of(runs.name), runs, self.options, details=details)
        if worst:
            carrying = {one.metric for one in self.table if one.primary or one.outcome == "worse"}
            fallen = [fall for fall in self.worst(worst) if fall.metric in carrying]
            fallen.sort(key=lambda fall: not self[fall.metric].primary)
            yield Verbatim(tuple(fallen_lines(fallen, self._causes_of(fallen), worst)))

    def __str__(self) -> str:
        return plain_text(self.blocks(details=False))

    def _failures(self) -> list[str]:
        return [*filter(None, [_failed(runs, self.base) for runs in self.candidates])]

    def _method(self) -> str:
        options = self.options
        tests = dict.fromkeys([one.test for one in self.table]) or [options["test"]]
        tested = [one for one in self.table if one.group is None and not isnan(one.p)]
        others = sum(not one.primary for one in tested)
        prices = sum(one.primary and one.metric in price_metrics(self.candidates[0].base) for one in tested)
        return Message(
            "paired {tests}{clusters}; {level} {intervals}; {corrected} over {n}{apart}{others}; seed {seed}",
            Joined(map(worded, tests)),
            Message(" in clusters of {column}", options["cluster"]) if options["cluster"] else "",
            percentage(options["level"]),
            worded(_INTERVALS["alone" if options["correction"] == "none" else "together"]),
            worded(CORRECTION_TITLES[options["correction"]]),
            Counted(len(tested) - others, "test"),
            Message(" ({n} of time, tokens and cost apart)", prices) if 0 < prices < len(tested) - others else "",
            Message(" of primary metrics, and over the {n} others", others) if others else "",
            options["seed"],
        )


CORRECTED = {"holm": "Holm", "bonferroni": "Bonf.", "bh": "BH", "none": "p"}
"""Headings of corrected p-values."""
_INTERVALS = {
    "alone": "bootstrap intervals of the difference",
    "together": "simultaneous bootstrap intervals of the difference",
}
_FEW = 0.05
"""The share of its samples that the base may lose without a word on it in the first line."""


def _failed(runs: PairedRuns, base: str) -> str:
    """Return that the system did not answer more samples of one run than of the other; else an empty string.

    Of the base a few may be so.
    """
    failed = {base: unanswered(runs.base), runs.name: unanswered(runs.candidate)}
    total = {base: runs.base.data.rows, runs.name: runs.candidate.data.rows}
    fewer, more = sorted(failed, key=failed.__getitem__)
    if failed[fewer] == failed[more] or (more == base and failed[base] <= _FEW * total[base]):
        return ""
    template = "{run} did not answer {n:,} of {total:,} samples ({other}: {failed:,})."
    return Message(template, more, failed[more], total[more], fewer, failed[fewer])


def _tables(
    differences: Sequence[Difference], runs: PairedRuns, options: Mapping[str, Any], *, details: bool
) -> Iterator[Table]:
    """Yield the table of all samples, then one for each grouping column; equal metrics are shown once."""
    equal = of_pairs(runs, {one.metric for one in differences if one.primary})
    again = {name for one in equal for name in one.others}
    titles = {one.metric: runs.base[one.metric].title for one in differences}
    differences = [one for one in differences if one.metric not in again]
    drawn = list(zip(differences, _reaches(differences), strict=True))
    drawn.sort(key=lambda pair: (pair[0].group is not None, _part(pair[0])[1]))
    for (by, exploratory), some in groupby(drawn, key=lambda pair: _part(pair[0])):
        columns = (
            *((TableColumn(by, "group"),) if by else ()),
            TableColumn("metric", "name"),
            TableColumn("base", "number"),
            TableColumn("new", "number"),
            TableColumn("difference", "number"),
            TableColumn(Message("{level} interval", percentage(options["level"]))),
            TableColumn("p", "number", extra=True),
            TableColumn(CORRECTED[options["correction"]], "number"),
            TableColumn(""),
            TableColumn("", "bar"),
        )
        paired = Message("{paired}", Counted(len(runs.samples), "paired sample"))
        all_samples = worded("more metrics, exploratory: corrected among themselves") if exploratory else paired
        title = Message("by {column}", by) if by else all_samples
        shown = list(some)
        names = {one.metric: _name(one, runs.base) for one, _ in shown}
        of_table = [one for one, _ in shown]
        fewer = (*(() if by else left_out(of_table, runs.base)), *signs(of_table))
        here = {one.metric for one in of_table if not by}
        fewer += tuple(one.sentence(titles) for one in equal if one.metric in here)
        shorter = () if details or not by else by_group(title, of_table, names)
        yield Table(title, columns, tuple(_rows(shown, names, details=details)), fewer, "details", shorter)


def _part(one: Difference) -> tuple[str, bool]:
    """Return the table of a difference: its grouping column, and whether it is of the exploratory metrics."""
    by = next(iter(one.group or {}), "")
    return by, not by and not one.primary


def left_out(differences: Sequence[Difference], base: Result) -> Iterator[str]:
    """Yield how many samples were not scored in both runs, and under which metrics if not under all."""
    metrics: dict[str, list[str]] = {}
    for one in differences:
        metrics.setdefault(excluded(one), []).append(base[one.metric].title)
    for words, names in metrics.items():
        if words:
            yield words if len(metrics) == 1 else Message("{metrics}: {note}", ", ".join(names), words)


def _name(one: Difference, base: Result) -> str:
    return with_direction(base[one.metric].title, one.direction, base[one.metric].unit)


def _rows(drawn: Iterable[tuple[Difference, float]], names: Mapping[str, str], *, details: bool) -> Iterator[TableRow]:
    before = None
    for one, reach in drawn:
        group = label(one.group)
        change, ends, outcome = change_texts(one)
        cells = (
            names[one.metric],
            short_number(one.base, one.low, one.high),
            short_number(one.candidate, one.low, one.high),
            change,
            ends,
            probability(one.p),
            probability(one.corrected),
            outcome,
            Bar(one.shown[0], one.shown[1:], (-reach, reach), f"{change} {ends}", zero=True),
        )
        named = () if one.group is None else ("" if group == before else group,)
        below = [*(_details(one) if details else ()), *filter(None, [excluded(one) if named else ""])]
        yield TableRow((*named, *cells), tuple(below))
        before = group


def _details(one: Difference) -> Iterator[str]:
    """Yield on how many samples it rose and fell, and what these samples could have shown."""
    yield Message("{wins} better, {ties} same, {losses} worse", one.wins, one.ties, one.losses)
    if not isnan(one.detectable):
        yield Message("effect {signed}", signed(one.effect if one.direction == "higher" else -one.effect))
        yield Message("minimum detectable difference {short_number} (80 % power)", short_number(one.detectable))


def excluded(one: Difference) -> str:
    """Return how many samples were not scored in both runs, and why; empty where all were."""
    return "" if one.scored == one.total else coverage(one.scored, one.total, one.excluded)


def coverage(scored: int, total: int, excluded: Mapping[str, int]) -> str:
    """Return how many samples are scored, and how many are not, by reason.

    >>> coverage(3998, 5000, {"failed in base": 1002})
    '3,998 of 5,000 scored: 1,002 failed in base'
    """
    reasons = Joined([counted_note(reason, count) for reason, count in excluded.items()])
    if not reasons:
        return Message("{n:,} of {total:,} scored", scored, total)
    return Message("{n:,} of {total:,} scored: {reasons}", scored, total, reasons)


def _reaches(differences: Sequence[Difference]) -> list[float]:
    """Return how far the scale of each difference goes to either side of 0; infinite for a metric without a range.

    All others share one scale, in units of their ranges.
    """
    units = [one.width for one in differences]
    ends = [
        abs(end) / unit
        for one, unit in zip(differences, units, strict=True)
        if isfinite(unit)
        for end in (one.low, one.high, one.difference)
        if isfinite(end)
    ]
    return [max(ends, default=0.0) * unit if isfinite(unit) else inf for unit in units]


_EXPLAINED = 5_000
"""Samples that got worse of which causes are counted; `Comparison.causes` reads all."""
