"""The call that checks a run against rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import isnan

from ragauge.comparison.compare import Run, compare
from ragauge.comparison.comparison import Comparison
from ragauge.comparison.difference import Difference
from ragauge.display.numbers import percentage, short_number
from ragauge.errors import OptionError, UsageError
from ragauge.gates.gate import Check, Gate, ValueUnit
from ragauge.gates.rules import GateRules, share
from ragauge.inference.intervals import NO_INTERVAL, Interval
from ragauge.results.result import Result, load
from ragauge.results.score import Score


def gate(  # noqa: PLR0913 - the options of the command line
    run: Run,
    baseline: Run | None = None,
    *,
    min: Mapping[str, float] | None = None,  # noqa: A002 - the name of the option on the command line
    max: Mapping[str, float] | None = None,  # noqa: A002
    max_drop: Mapping[str, float] | None = None,
    max_failed: float | str | None = None,
    min_scored: int | None = None,
    confident: bool = False,
    level: float = 0.95,
    seed: int = 0,
) -> Gate:
    """Check a run against rules; it passes where it meets all of them.

    Args:
        run: a result or the directory of a saved run.
        baseline: the run that ``max_drop`` compares with.
        min: metric -> the least value that its score must have.
        max: metric -> the greatest value that its score may have, for metrics of which lower is better.
        max_drop: metric -> how much worse than the baseline its score may be, in the metric's own unit.
        max_failed: the share of samples that may have failed under each metric, as in ``0.01`` or ``"1%"``.
        min_scored: the least number of samples that must be scored under each metric.
        confident: check intervals: ``min`` and ``max`` must hold for the whole interval of the score, and a drop is too
            great only where the whole interval of the difference is beyond it. With m metrics in ``max_drop`` these
            intervals have level 1 - (1 - level) / m, so that noise fails a run no more often with more metrics.
        level: level of the intervals of differences.
        seed: seed of their replicates.

    Raises:
        UsageError: there is no rule, the run lacks a metric, or the runs cannot be compared.

    >>> import ragauge
    >>> result = ragauge.evaluate(
    ...     [{"answer": "yes", "references": ["yes"]}, {"answer": "no", "references": ["yes"]}], "exact-match"
    ... )
    >>> print(gate(result, min={"exact-match": 0.6}))
    Gate failed: 1 of 1 checks
    <BLANKLINE>
    run  run
    <BLANKLINE>
          check                     found
    ─────────────────────────────────────
    FAIL  exact-match at least 0.6  0.500
            the score is below by 0.100
    """
    rules = GateRules(
        min=_limits("min", min),
        max=_limits("max", max),
        max_drop=_limits("max_drop", max_drop),
        max_failed=None if max_failed is None else share(max_failed, "max_failed"),
        min_scored=min_scored,
        confident=confident,
    )
    if not rules:
        message = (
            "the gate has no rules. Pass one or more, such as min={'mrr': 0.4}, max_drop={'mrr': 0.02}, "
            "max_failed='1%' or min_scored=100."
        )
        raise UsageError(message)
    if not 0 < level < 1:
        raise OptionError.value("the gate", "level", "a number between 0 and 1", level)
    result = run if isinstance(run, Result) else load(run)
    comparison = _compared(result, baseline, rules, level, seed)
    checks = [*check_scores(result, rules), *(check_drops(comparison, rules) if comparison else ())]
    run_name = "run" if isinstance(run, Result) else str(run)
    baseline_name = None if baseline is None else "baseline" if isinstance(baseline, Result) else str(baseline)
    notes = comparison.notes if comparison else ()
    return Gate(run_name, baseline_name, (*checks, *check_coverage(result, rules)), notes)


def _limits(option: str, limits: Mapping[str, float] | None) -> dict[str, float]:
    if limits is not None and not isinstance(limits, Mapping):
        raise OptionError.value("the gate", option, "numbers by metric, as in {'ndcg@10': 0.4}", limits)
    return dict(limits or {})


def _compared(result: Result, baseline: Run | None, rules: GateRules, level: float, seed: int) -> Comparison | None:
    """Return the comparison with the baseline; the more metrics have a rule, the wider the intervals (Bonferroni)."""
    if not rules.max_drop:
        return None
    if baseline is None:
        message = "max_drop needs a baseline to compare with; got none. Pass baseline='runs/main', for instance."
        raise UsageError(message)
    distinct = {str(result.metrics[result.name(metric)]) for metric in rules.max_drop}
    wide = 1 - (1 - level) / len(distinct)
    return compare(baseline, result, metrics=list(rules.max_drop), level=wide, seed=seed, trials=1)


# A score that differs from a limit by rounding alone meets it.
_ROUNDING = 1e-12


def check_scores(result: Result, rules: GateRules) -> Iterator[Check]:
    """Yield the checks of ``min`` and ``max``.

    Raises:
        UsageError: the run lacks a metric, or ``min`` is for one of which lower is better, or ``max`` for another.
    """
    for metric, limit in rules.min.items():
        yield _bounded(result[metric], limit, least=True, confident=rules.confident)
    for metric, limit in rules.max.items():
        yield _bounded(result[metric], limit, least=False, confident=rules.confident)


def check_drops(comparison: Comparison, rules: GateRules) -> Iterator[Check]:
    """Yield the checks of ``max_drop``, on the samples that are scored in both runs."""
    for metric, limit in rules.max_drop.items():
        yield _dropped(comparison[metric], limit, confident=rules.confident)


def check_coverage(result: Result, rules: GateRules) -> Iterator[Check]:
    """Yield the checks of ``max_failed`` and ``min_scored``, each for the metric that is furthest from it."""
    scores = [score for score in result.table if score.group is None]
    if rules.max_failed is not None:
        worst = max(scores, key=lambda score: score.failed / max(1, score.total))
        value = worst.failed / max(1, worst.total)
        passed = value <= rules.max_failed + _ROUNDING
        why = "" if passed else f"{worst.failed} of {worst.total} failed under {_those(scores, rules.max_failed)}"
        rule = f"failed at most {percentage(rules.max_failed)}"
        yield _check(rule, worst.metric, value, rules.max_failed, why, unit="share")
    if rules.min_scored is not None:
        worst = min(scores, key=lambda score: score.scored)
        enough = worst.scored >= rules.min_scored
        why = "" if enough else f"only {worst.scored} of {worst.total} are scored under {worst.metric}"
        rule = f"scored at least {rules.min_scored}"
        yield _check(rule, worst.metric, worst.scored, rules.min_scored, why, unit="count")


def _those(scores: Iterable[Score], share: float) -> str:
    return ", ".join(score.metric for score in scores if score.failed > (share + _ROUNDING) * score.total)


def _check(
    rule: str,
    metric: str,
    value: float,
    limit: float,
    why: str,
    interval: Interval = NO_INTERVAL,
    unit: ValueUnit = "score",
) -> Check:
    return Check(
        rule=rule,
        metric=metric,
        passed=not why,
        value=value,
        low=interval[0],
        high=interval[1],
        limit=limit,
        unit=unit,
        why=why,
    )


def _bounded(score: Score, limit: float, *, least: bool, confident: bool) -> Check:
    if least == (score.direction == "lower"):
        right, wrong = ("max", "min") if least else ("min", "max")
        message = f"{score.metric} is better when {score.direction}: it must have a rule in {right}; got one in {wrong}"
        raise UsageError(message)
    rule = f"{score.metric} at {'least' if least else 'most'} {limit:g}" + (", confidently" if confident else "")
    interval = (score.low, score.high) if confident else NO_INTERVAL
    checked = score.value if not confident else score.low if least else score.high
    return _check(rule, score.metric, score.value, limit, _beyond(score, checked, limit, least=least), interval)


def _beyond(score: Score, checked: float, limit: float, *, least: bool) -> str:
    if isnan(score.value):
        return f"no sample was scored: {score.failed} failed, {score.missing} missing, {score.undefined} undefined"
    if isnan(checked):
        return f"{score.scored} scored samples, but no interval; evaluate with resamples=1000, for instance"
    short = limit - checked if least else checked - limit
    if short <= _ROUNDING * max(1.0, abs(limit)):
        return ""
    subject = "the score" if checked == score.value else "the interval"
    return f"{subject} is {'below' if least else 'above'} by {short_number(short)}"


def _dropped(one: Difference, limit: float, *, confident: bool) -> Check:
    ends = (one.low, one.high) if one.direction == "higher" else (-one.high, -one.low)
    rule = f"{one.metric} drops by at most {limit:g}" + (", confidently" if confident else "")
    drop, interval = -one.gain, (-ends[1], -ends[0])
    checked = interval[0] if confident else drop
    shown = interval if confident else NO_INTERVAL
    return _check(rule, one.metric, drop, limit, _too_far(one, checked, limit, confident=confident), shown)


def _too_far(one: Difference, checked: float, limit: float, *, confident: bool) -> str:
    if not one.scored:
        return f"none of {one.total} paired samples is scored in both runs"
    if isnan(checked):
        return f"no interval from {one.units} sample or cluster; compare more samples, or pass confident=False"
    if checked <= limit + _ROUNDING * max(1.0, abs(limit)):
        return ""
    change = f"{short_number(one.base)} -> {short_number(one.candidate)} on {one.scored} samples"
    return f"{change}; the whole interval is beyond the limit" if confident else change
