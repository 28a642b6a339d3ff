"""The call that checks a run against rules."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isnan, nan
from numbers import Real
from typing import Annotated, Any, cast

import numpy as np

from ragauge.comparison.compare import Run, compare
from ragauge.comparison.comparison import Comparison
from ragauge.comparison.difference import Difference
from ragauge.comparison.verdict import MOST_LOST
from ragauge.core.messages import Argument, Counted, Joined, Message, Spelled
from ragauge.core.options import Range, checked_value
from ragauge.core.statistics import Status
from ragauge.display.numbers import percentage, short_number
from ragauge.errors import OptionError, UsageError, alternatives, worded
from ragauge.gates.gate import Check, Gate
from ragauge.gates.rules import check_reachable, share
from ragauge.gates.sequential import sequential_check
from ragauge.inference.intervals import FEWEST_EQUAL
from ragauge.metrics.other_names import notes_on_names
from ragauge.results.left_out import left_out_in
from ragauge.results.result import Result, loaded
from ragauge.results.score import NO_SCORE, Score, counted_note

_RULES = frozenset({"min", "max", "max_drop", "max_failed", "min_scored"})
"""The arguments of `gate` that are rules."""


def gate(  # noqa: PLR0913 - the options of the command line
    run: Run,
    baseline: Run | None = None,
    *,
    min: Mapping[str, float] | None = None,  # noqa: A002 - the name of the option on the command line
    max: Mapping[str, float] | None = None,  # noqa: A002
    max_drop: Mapping[str, float] | None = None,
    max_failed: float | str | None = None,
    min_scored: int | None = None,
    min_coverage: float | str | None = None,
    confident: bool = False,
    sequential: bool = False,
    on: str = "id",
    level: float = 0.95,
    seed: int = 0,
) -> Gate:
    """Check a run against rules; it passes where it meets all of them.

    Every check shows on how many samples it rests. A rule of ``min``, ``max`` or ``max_drop`` that lost more than 5 %
    of them fails, whatever the rest score: those that failed, are missing, or are in the baseline alone. A sample that
    is undefined because of its reference is not lost.

    A metric is named as in the run, by its label there, or as another library names it (``ndcg_cut_10``); a note says
    what such a name means here.

    Args:
        run: a result or the directory of a saved run.
        baseline: the run that ``max_drop`` compares with.
        min: metric -> the least value that its score must have.
        max: metric -> the greatest value that its score may have, for metrics of which lower is better.
        max_drop: metric -> how much worse than the baseline its score may be, in the metric's own unit.
        max_failed: the share of samples that may have failed, or be missing because of null, under each metric, as in
            ``0.01`` or ``"1%"``.
        min_scored: the least number of samples that must be scored under each metric.
        min_coverage: the share of samples that ``min``, ``max`` and ``max_drop`` must not lose, as in ``0.9`` or
            ``"90%"``; by default 95 %, or less where ``max_failed`` allows it.
        confident: check intervals: ``min`` and ``max`` must hold for the whole interval of the score, and a drop is too
            great only where the whole interval of the difference is beyond it. With m metrics in ``max_drop`` these
            intervals have level 1 - (1 - level) / m, so that noise fails a run no more often with more metrics.
        sequential: ``min``, ``max`` and ``max_drop`` are decided by confidence sequences, which hold however often one
            looks while answers come in, at level 1 - (1 - level) / m for m rules; a rule that is not decided fails.
            Samples count in the order drawn by their ids, whatever the order of the file.
        on: the column that pairs the samples of run and baseline, where their ids differ.
        level: level of the intervals of differences, and of sequential checks.
        seed: seed of their replicates.

    Raises:
        UsageError: there is no rule, the run lacks a metric, or the runs cannot be compared.
        OptionError: a limit is outside the range of its metric.

    >>> import ragauge
    >>> result = ragauge.evaluate(
    ...     [{"answer": "yes", "references": ["yes"]}, {"answer": "no", "references": ["yes"]}], "exact-match"
    ... )
    >>> print(gate(result, min={"exact-match": 0.6}))
    Gate failed: 1 of 1 checks
    <BLANKLINE>
    run  2 samples from list of dicts
    <BLANKLINE>
          check                     value  scored
    ─────────────────────────────────────────────
    FAIL  exact-match at least 0.6  0.500     2/2
            the score is 0.100 below the limit
    """
    least, most, drops = _limits("min", min), _limits("max", max), _limits("max_drop", max_drop)
    if min_scored is not None:
        checked_value("the gate", "min_scored", min_scored, Annotated[int, Range(0), "a whole number from 0"])
    if not (least or most or drops) and max_failed is None and min_scored is None:
        rules = {"min": {"mrr": 0.4}, "max_drop": {"mrr": 0.02}, "max_failed": "1%", "min_scored": 100}
        shown = alternatives([Argument(*rule) for rule in rules.items()])
        why = Message("RG-GATE-010 the gate has no rules. Pass one or more, such as {rules}.", shown)
        if isinstance(baseline, str):
            template = "RG-GATE-011 the text {baseline!r} is taken as the directory of a baseline run, and {why}"
            raise UsageError(template, baseline, why)
        raise UsageError(why)
    checked_value("the gate", "level", level, Annotated[float, Range(0, 1, above=True, below=True)])
    failed = 0.0 if max_failed is None else share(max_failed, "max_failed")
    allowed = _most_lost(failed, min_coverage)
    result = loaded(run, "the gate", "run")
    confident = confident and not sequential
    for option, limits in (("min", least), ("max", most), ("max_drop", drops)):
        check_reachable(option, limits, result.range)
    checks = [_bounded(result, metric, limit, least=True, confident=confident) for metric, limit in least.items()]
    checks += [_bounded(result, metric, limit, least=False, confident=confident) for metric, limit in most.items()]
    notes = notes_on_names(dict.fromkeys(str(one) for one in (*least, *most, *drops) if str(one) not in result.metrics))
    if not drops:
        notes += left_out_in(result.data.notes, _name(run))
    if drops:
        comparison = _compared(result, baseline, drops, on=on, level=level, seed=seed)
        checks += [_dropped(comparison, metric, limit, confident=confident) for metric, limit in drops.items()]
        notes += comparison.notes
    if sequential:
        rule = 1 - (1 - level) / (len(checks) or 1)
        against = [result if check.unit == "score" else comparison for check in checks]
        checks = [sequential_check(check, one, rule) for check, one in zip(checks, against, strict=True)]
    checks = [_covered(check, allowed) for check in checks]
    scores = [score for score in result.table if score.group is None]
    if max_failed is not None:
        checks.append(_failed(scores, failed))
    if min_scored is not None:
        checks.append(_scored(scores, min_scored))
    return Gate(_name(run), None if baseline is None else _name(baseline), tuple(checks), tuple(notes))


def by_rules(comparison: Comparison, settings: Mapping[str, Any]) -> Comparison:
    """Return a comparison whose verdicts rest on the rules of ``settings``, arguments of `gate`, where it has some.

    The baseline of each candidate is the base. Rules that cannot be checked, as of a metric that a run lacks, are left
    out with a note.
    """
    rules = {name: value for name, value in settings.items() if name not in ("baseline", "on")}
    if not rules.keys() & _RULES:
        return comparison
    found, notes = {}, []
    for runs in comparison.candidates:
        try:
            checked = gate(runs.candidate, runs.base, on=comparison.options["on"], **rules)
        except UsageError as error:
            notes.append(Message("the rules of [gate] are left out: {reason}", error.message))
        else:
            found[runs.name] = checked.rules
    return replace(comparison, rules=found, notes=(*comparison.notes, *dict.fromkeys(notes)))


def _name(run: Run) -> str:
    """Return the directory of a saved run, or which samples a result is of."""
    if not isinstance(run, Result):
        return str(run)
    return Message("{samples} from {source}", Counted(run.samples, "sample"), run.data.source)


def _limits(option: str, limits: Mapping[str, float] | None) -> dict[str, float]:
    if limits is not None and not isinstance(limits, Mapping):
        raise OptionError.value("the gate", option, "numbers by metric, as in {'ndcg@10': 0.4}", limits)
    for metric, limit in (limits or {}).items():
        if not _is_number(limit) or (option == "max_drop" and limit < 0):
            allowed = "a number from 0" if option == "max_drop" else "a number"
            raise OptionError.value(f"the gate for {metric}", option, allowed, limit)
    return dict(limits or {})


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and bool(abs(cast(Any, value)) <= sys.float_info.max)


def _compared(
    result: Result, baseline: Run | None, drops: Mapping[str, float], *, level: float, **options: Any
) -> Comparison:
    """Return the comparison with the baseline; the more metrics have a rule, the wider the intervals (Bonferroni)."""
    if baseline is None:
        first = dict(list(drops.items())[:1])
        raise UsageError(
            "RG-GATE-001 {max_drop} needs a baseline to compare with; got none. Pass {baseline}, for instance.",
            Argument("max_drop", first),
            Argument("baseline", "runs/main"),
        )
    distinct = {str(result.metrics[result.name(metric)]) for metric in drops}
    wide = 1 - (1 - level) / len(distinct)
    return compare(baseline, result, metrics=list(drops), level=wide, trials=1, **options)


# A score that differs from a limit by rounding alone meets it.
_ROUNDING = 1e-12


def _failed(scores: Sequence[Score], limit: float) -> Check:
    """Return the check of ``max_failed`` on the metric with the largest share of failed or missing samples."""
    shares = [(score.failed + score.missing) / max(1, score.total) for score in scores]
    value = max(shares)
    worst = scores[shares.index(value)]
    metrics = ", ".join(score.metric for score, share in zip(scores, shares, strict=True) if share > limit + _ROUNDING)
    counts = worst.failed, worst.missing, worst.total, metrics
    why = Message("{failed} failed and {missing} missing of {total} under {metrics}", *counts) if metrics else ""
    rule = Message("failed or missing at most {share}", percentage(limit))
    return _on_samples(worst, rule=rule, value=value, limit=limit, unit="share", why=why)


def _scored(scores: Sequence[Score], limit: int) -> Check:
    """Return the check of ``min_scored`` on the metric with the fewest scored samples."""
    worst = min(scores, key=lambda score: score.scored)
    why = (
        ""
        if worst.scored >= limit
        else Message("only {scored} of {total} are scored under {metric}", worst.scored, worst.total, worst.metric)
    )
    if worst.total < limit:
        why = Message("the run has only {samples}", Counted(worst.total, "sample"))
    rule = Message("at least {limit} scored", limit)
    return _on_samples(worst, rule=rule, value=worst.scored, limit=limit, unit="count", why=why)


def _on_samples(score: Score, **checked: Any) -> Check:
    """Return a check of a score, with the samples behind it."""
    states = {"failed": score.failed, "missing": score.missing, "undefined": score.undefined}
    excluded = {state: count for state, count in states.items() if count}
    return Check(metric=score.metric, scored=score.scored, total=score.total, excluded=excluded, **checked)


def _system_leaves_undefined(result: Result, metric: str) -> bool:
    """Return whether cells are undefined because of what the system did, as where an answer claims nothing."""
    return getattr(result.metrics[result.name(metric)], "bounds_undefined", False)


def _most_lost(failed: float, min_coverage: float | str | None) -> float:
    """Return the share of its samples that a rule may lose; ``failed`` is the share that ``max_failed`` allows."""
    return max(MOST_LOST, failed) if min_coverage is None else 1 - share(min_coverage, "min_coverage")


def _covered(check: Check, allowed: float) -> Check:
    """Return the check, which fails where more than the share ``allowed`` of its samples is lost."""
    if not check.scored or check.lost <= (allowed + _ROUNDING) * check.total:
        return check
    enough = np.floor(100 - 100 * check.lost / check.total) / 100
    why = Message(
        "{n} of {total} samples are lost, more than {share}; score them again, or allow it with {coverage}",
        check.lost,
        check.total,
        percentage(allowed),
        Argument("min_coverage", float(enough) if enough % 1 else int(enough)),
    )
    return replace(check, why=Joined(filter(None, [check.why, why]), "; "))


def _bounded(result: Result, metric: str, limit: float, *, least: bool, confident: bool) -> Check:
    """Return the check of ``min`` (least) or ``max``."""
    score = result[metric]
    if least == (score.direction == "lower"):
        right, wrong = ("max", "min") if least else ("min", "max")
        raise UsageError(
            "RG-GATE-002 {metric} is {better}: its rule must be in {right}; got one in {wrong}",
            score.metric,
            worded(f"better when {score.direction}"),
            Spelled(right, f"--{right}"),
            Spelled(wrong, f"--{wrong}"),
        )
    rule = Message("{metric} at least {limit:g}" if least else "{metric} at most {limit:g}", score.metric, limit)
    if confident:
        rule = Message("{rule}, confidently", rule)
    low, high = (score.low, score.high) if confident else (nan, nan)
    checked = score.value if not confident else low if least else high
    why = _beyond(score, checked, limit, least=least)
    lost = score.failed + score.missing + (score.undefined if _system_leaves_undefined(result, metric) else 0)
    return _on_samples(score, rule=rule, value=score.value, low=low, high=high, limit=limit, lost=lost, why=why)


def _beyond(score: Score, checked: float, limit: float, *, least: bool) -> str:
    if isnan(score.value):
        counts = {state: getattr(score, state) for state in NO_SCORE}
        return Message("no sample was scored: {counts}", Joined([counted_note(*one) for one in counts.items()]))
    if isnan(checked):
        return Message(
            "{samples}, but no interval; it takes {fewest} where all values are equal, and {resamples}, for instance",
            Counted(score.scored, "scored sample"),
            FEWEST_EQUAL,
            Argument("resamples", 1000),
        )
    short = limit - checked if least else checked - limit
    if short <= _ROUNDING * max(1.0, abs(limit)):
        return ""
    lower, upper = "the lower end of the interval", "the upper end of the interval"
    end = worded("the score" if checked == score.value else lower if least else upper)
    template = "{end} is {short} below the limit" if least else "{end} is {short} above the limit"
    return Message(template, end, short_number(short))


def _dropped(comparison: Comparison, metric: str, limit: float, *, confident: bool) -> Check:
    """Return the check of ``max_drop``, on the samples that are scored in both runs."""
    one, runs = comparison[metric], comparison.candidates[0]
    [status] = [paired.status for paired in runs.metrics if paired.name == one.metric]
    undefined = [Status.UNDEFINED] if _system_leaves_undefined(runs.candidate, metric) else []
    by_system = [Status.MISSING, Status.FAILED, *undefined]
    gone = len(runs.samples.only_base)
    excluded = {**one.excluded, **({"only in the baseline": gone} if gone else {})}
    rule = Message("{metric} gets worse by at most {limit:g}", one.metric, limit)
    if confident:
        rule = Message("{rule}, confidently", rule)
    ends = (one.alone_low, one.alone_high)
    ends = (-ends[1], -ends[0]) if one.direction == "higher" else ends
    low, high = ends if confident else (nan, nan)
    why = _too_far(one, low if confident else -one.gain, limit, confident=confident)
    return Check(
        rule=rule,
        metric=one.metric,
        value=-one.gain,
        low=low,
        high=high,
        limit=limit,
        unit="drop",
        scored=one.scored,
        total=one.total + gone,
        lost=int(np.isin(status, by_system).any(axis=0).sum()) + gone,
        excluded=excluded,
        why=why,
    )


def _too_far(one: Difference, checked: float, limit: float, *, confident: bool) -> str:
    if not one.scored:
        return Message("none of {total} paired samples is scored in both runs", one.total)
    if np.fmin(-one.gain, checked) <= limit + _ROUNDING * max(1.0, abs(limit)):  # also where there is no interval
        return ""
    if isnan(checked):
        equal = Message("all {n} differences are equal", one.scored)
        return Message(
            "no interval: {why}; compare {fewest} samples or more, or leave out {confident}",
            equal if one.units > 1 else Message("there is one sample or cluster"),
            FEWEST_EQUAL,
            Argument("confident", value=True),
        )
    ends = short_number(one.base), short_number(one.candidate)
    change = Message("{base} -> {new} on {samples}", *ends, Counted(one.scored, "sample"))
    return Message("{change}; the whole interval is beyond the limit", change) if confident else change
