"""The call that decides whether a run may pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import isnan

from ragauge.comparison.compare import Run, compare
from ragauge.comparison.comparison import Comparison
from ragauge.comparison.difference import Difference
from ragauge.comparison.tables import number
from ragauge.errors import OptionError, UsageError
from ragauge.gates.gate import Check, Gate, Unit
from ragauge.gates.rules import Rules, share
from ragauge.inference.intervals import NO_INTERVAL, Interval
from ragauge.results.result import Result, load
from ragauge.results.score import Score

# A limit is written with few digits; a score that equals it but for rounding meets it.
_ROUNDING = 1e-12


def check_scores(result: Result, rules: Rules) -> Iterator[Check]:
    """Check the least and greatest values that scores may have.

    Raises:
        UsageError: the run has no such metric, or its direction makes the limit one of the wrong side.
    """
    for metric, limit in rules.min.items():
        yield _bounded(result[metric], limit, least=True, confident=rules.confident)
    for metric, limit in rules.max.items():
        yield _bounded(result[metric], limit, least=False, confident=rules.confident)


def check_drops(comparison: Comparison, rules: Rules) -> Iterator[Check]:
    """Check how much worse the run is than the baseline, on the samples that count in both."""
    for metric, limit in rules.max_drop.items():
        yield _dropped(comparison[metric], limit, confident=rules.confident)


def check_coverage(result: Result, rules: Rules) -> Iterator[Check]:
    """Check under each metric how many samples failed, and how many count."""
    scores = [score for score in result.table if score.group is None]
    if rules.max_failed is not None:
        worst = max(scores, key=lambda score: score.failed / max(1, score.total))
        value = worst.failed / max(1, worst.total)
        passed = value <= rules.max_failed + _ROUNDING
        why = "" if passed else f"{worst.failed} of {worst.total} failed under {_those(scores, rules.max_failed)}"
        demand = f"failed at most {100 * rules.max_failed:g} %"
        yield _check(demand, worst.metric, value, rules.max_failed, why, unit="share")
    if rules.min_scored is not None:
        worst = min(scores, key=lambda score: score.scored)
        enough = worst.scored >= rules.min_scored
        why = "" if enough else f"only {worst.scored} of {worst.total} samples scored under {worst.metric}"
        demand = f"scored at least {rules.min_scored}"
        yield _check(demand, worst.metric, worst.scored, rules.min_scored, why, unit="count")


def _those(scores: Iterable[Score], share: float) -> str:
    return ", ".join(score.metric for score in scores if score.failed > (share + _ROUNDING) * score.total)


def _check(
    demand: str,
    metric: str,
    value: float,
    limit: float,
    why: str,
    interval: Interval = NO_INTERVAL,
    unit: Unit = "score",
) -> Check:
    return Check(
        demand=demand,
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
        message = f"{score.metric} is better when {score.direction}, so {wrong} would demand it to be bad; use {right}"
        raise UsageError(message)
    demand = f"{score.metric} at {'least' if least else 'most'} {limit:g}" + (", confidently" if confident else "")
    interval = (score.low, score.high) if confident else NO_INTERVAL
    judged = score.value if not confident else score.low if least else score.high
    return _check(demand, score.metric, score.value, limit, _beyond(score, judged, limit, least=least), interval)


def _beyond(score: Score, judged: float, limit: float, *, least: bool) -> str:
    if isnan(score.value):
        return f"no sample counts: {score.failed} failed, {score.missing} missing, {score.undefined} undefined"
    if isnan(judged):
        return f"{score.scored} samples scored, but the run has no interval; score with --resamples 1000"
    short = limit - judged if least else judged - limit
    if short <= _ROUNDING * max(1.0, abs(limit)):
        return ""
    what = "it" if judged == score.value else "its interval"
    return f"{what} is {'below' if least else 'above'} by {number(short)}"


def _dropped(one: Difference, limit: float, *, confident: bool) -> Check:
    ends = (one.low, one.high) if one.direction == "higher" else (-one.high, -one.low)
    demand = f"{one.metric} drops by at most {limit:g}" + (", confidently" if confident else "")
    drop, interval = -one.gain, (-ends[1], -ends[0])
    judged = interval[0] if confident else drop
    shown = interval if confident else NO_INTERVAL
    return _check(demand, one.metric, drop, limit, _too_far(one, judged, limit, confident=confident), shown)


def _too_far(one: Difference, judged: float, limit: float, *, confident: bool) -> str:
    if not one.scored:
        return f"no sample counts in both runs, of {one.total} that pair"
    if isnan(judged):
        return f"{one.units} sample or cluster makes no interval; compare more, or without --confident"
    if judged <= limit + _ROUNDING * max(1.0, abs(limit)):
        return ""
    said = f"{number(one.base)} -> {number(one.candidate)} on {one.scored} samples"
    return f"{said}; all of the interval is beyond" if confident else said


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
    """Decide whether a run may pass.

    Args:
        run: a result or the directory of a saved run.
        baseline: the run that ``max_drop`` compares with.
        min: metric -> the least value it must have.
        max: metric -> the greatest value it may have, where lower is better.
        max_drop: metric -> how much worse than the baseline it may be, in its own unit.
        max_failed: the share of samples that may have failed under each metric, as in ``0.01`` or ``"1%"``.
        min_scored: how many samples must be scored under each metric.
        confident: judge intervals: ``min`` and ``max`` must hold for all of the run's interval, and a drop is too great
            only if the whole interval of the difference lies beyond it. With m metrics in ``max_drop`` these intervals
            have level 1 - (1 - level) / m, so that the more one watches, noise does not stop a run the more often.
        level: of the intervals of differences.
        seed: of their replicates.

    Raises:
        UsageError: nothing is demanded, a metric is not in the run, or the runs cannot be compared.

    >>> import ragauge
    >>> result = ragauge.evaluate(
    ...     [{"answer": "yes", "references": ["yes"]}, {"answer": "no", "references": ["yes"]}], "exact-match"
    ... )
    >>> print(gate(result, min={"exact-match": 0.6}))
    gate: FAILED, 1 of 1 demands
    <BLANKLINE>
    FAIL  exact-match at least 0.6              0.500
          it is below by 0.100
    """
    rules = Rules(
        min=dict(min or {}),
        max=dict(max or {}),
        max_drop=dict(max_drop or {}),
        max_failed=None if max_failed is None else share(max_failed, "max_failed"),
        min_scored=min_scored,
        confident=confident,
    )
    if not rules:
        message = "the gate demands nothing; give min, max, max_drop, max_failed or min_scored, as in --min mrr=0.4"
        raise UsageError(message)
    if not 0 < level < 1:
        raise OptionError.value("the gate", "level", "a number between 0 and 1", level)
    result = run if isinstance(run, Result) else load(run)
    comparison = _compared(result, baseline, rules, level, seed)
    checks = [*check_scores(result, rules), *(check_drops(comparison, rules) if comparison else ())]
    called = "run" if isinstance(run, Result) else str(run)
    held = None if baseline is None else "baseline" if isinstance(baseline, Result) else str(baseline)
    notes = comparison.notes if comparison else ()
    return Gate(called, held, (*checks, *check_coverage(result, rules)), notes)


def _compared(result: Result, baseline: Run | None, rules: Rules, level: float, seed: int) -> Comparison | None:
    """Compare the metrics that may drop, once; the more of them, the wider the intervals (Bonferroni)."""
    if not rules.max_drop:
        return None
    if baseline is None:
        message = "max_drop compares with a baseline, and none is given; give one, as in --baseline runs/main"
        raise UsageError(message)
    wide = 1 - (1 - level) / len(rules.max_drop)
    return compare(baseline, result, metrics=list(rules.max_drop), level=wide, seed=seed, trials=1)
