"""The call that checks a run against rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite, isnan, nan
from numbers import Real

from ragauge.comparison.compare import Run, compare
from ragauge.comparison.comparison import Comparison
from ragauge.comparison.difference import Difference
from ragauge.display.numbers import percentage, short_number
from ragauge.errors import OptionError, UsageError
from ragauge.gates.gate import Check, Gate
from ragauge.gates.rules import share
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
    least, most, drops = _limits("min", min), _limits("max", max), _limits("max_drop", max_drop)
    if min_scored is not None and not (_is_number(min_scored) and min_scored >= 0):
        raise OptionError.value("the gate", "min_scored", "a whole number from 0", min_scored)
    if not (least or most or drops) and max_failed is None and min_scored is None:
        message = (
            "the gate has no rules. Pass one or more, such as min={'mrr': 0.4}, max_drop={'mrr': 0.02}, "
            "max_failed='1%' or min_scored=100."
        )
        raise UsageError(message)
    if not 0 < level < 1:
        raise OptionError.value("the gate", "level", "a number between 0 and 1", level)
    result = run if isinstance(run, Result) else load(run)
    checks = [_bounded(result[metric], limit, least=True, confident=confident) for metric, limit in least.items()]
    checks += [_bounded(result[metric], limit, least=False, confident=confident) for metric, limit in most.items()]
    notes: tuple[str, ...] = ()
    if drops:
        comparison = _compared(result, baseline, drops, level, seed)
        checks += [_dropped(comparison[metric], limit, confident=confident) for metric, limit in drops.items()]
        notes = comparison.notes
    scores = [score for score in result.table if score.group is None]
    if max_failed is not None:
        checks.append(_failed(scores, share(max_failed, "max_failed")))
    if min_scored is not None:
        checks.append(_scored(scores, min_scored))
    run_name = "run" if isinstance(run, Result) else str(run)
    baseline_name = None if baseline is None else "baseline" if isinstance(baseline, Result) else str(baseline)
    return Gate(run_name, baseline_name, tuple(checks), notes)


def _limits(option: str, limits: Mapping[str, float] | None) -> dict[str, float]:
    if limits is not None and not isinstance(limits, Mapping):
        raise OptionError.value("the gate", option, "numbers by metric, as in {'ndcg@10': 0.4}", limits)
    for metric, limit in (limits or {}).items():
        if not _is_number(limit) or (option == "max_drop" and limit < 0):
            allowed = "a number from 0" if option == "max_drop" else "a number"
            raise OptionError.value(f"the gate for {metric}", option, allowed, limit)
    return dict(limits or {})


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)


def _compared(result: Result, baseline: Run | None, drops: Mapping[str, float], level: float, seed: int) -> Comparison:
    """Return the comparison with the baseline; the more metrics have a rule, the wider the intervals (Bonferroni)."""
    if baseline is None:
        first = dict(list(drops.items())[:1])
        message = (
            f"max_drop={first} needs a baseline to compare with; got none. Pass baseline='runs/main', for instance."
        )
        raise UsageError(message)
    distinct = {str(result.metrics[result.name(metric)]) for metric in drops}
    wide = 1 - (1 - level) / len(distinct)
    return compare(baseline, result, metrics=list(drops), level=wide, seed=seed, trials=1)


# A score that differs from a limit by rounding alone meets it.
_ROUNDING = 1e-12


def _failed(scores: Sequence[Score], limit: float) -> Check:
    """Return the check of ``max_failed`` on the metric with the largest share of failed samples."""
    worst = max(scores, key=lambda score: score.failed / max(1, score.total))
    value = worst.failed / max(1, worst.total)
    metrics = ", ".join(score.metric for score in scores if score.failed > (limit + _ROUNDING) * score.total)
    why = "" if value <= limit + _ROUNDING else f"{worst.failed} of {worst.total} failed under {metrics}"
    rule = f"failed at most {percentage(limit)}"
    return Check(rule=rule, metric=worst.metric, value=value, limit=limit, unit="share", why=why)


def _scored(scores: Sequence[Score], limit: int) -> Check:
    """Return the check of ``min_scored`` on the metric with the fewest scored samples."""
    worst = min(scores, key=lambda score: score.scored)
    why = "" if worst.scored >= limit else f"only {worst.scored} of {worst.total} are scored under {worst.metric}"
    rule = f"scored at least {limit}"
    return Check(rule=rule, metric=worst.metric, value=worst.scored, limit=limit, unit="count", why=why)


def _bounded(score: Score, limit: float, *, least: bool, confident: bool) -> Check:
    """Return the check of ``min`` (least) or ``max``.

    Raises:
        UsageError: ``min`` is for a metric of which lower is better, or ``max`` for another.
    """
    if least == (score.direction == "lower"):
        right, wrong = ("max", "min") if least else ("min", "max")
        message = f"{score.metric} is better when {score.direction}: it must have a rule in {right}; got one in {wrong}"
        raise UsageError(message)
    rule = f"{score.metric} at {'least' if least else 'most'} {limit:g}" + (", confidently" if confident else "")
    low, high = (score.low, score.high) if confident else (nan, nan)
    checked = score.value if not confident else low if least else high
    why = _beyond(score, checked, limit, least=least)
    return Check(rule=rule, metric=score.metric, value=score.value, low=low, high=high, limit=limit, why=why)


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
    """Return the check of ``max_drop``, on the samples that are scored in both runs."""
    rule = f"{one.metric} drops by at most {limit:g}" + (", confidently" if confident else "")
    ends = (-one.high, -one.low) if one.direction == "higher" else (one.low, one.high)
    low, high = ends if confident else (nan, nan)
    why = _too_far(one, low if confident else -one.gain, limit, confident=confident)
    return Check(rule=rule, metric=one.metric, value=-one.gain, low=low, high=high, limit=limit, why=why)


def _too_far(one: Difference, checked: float, limit: float, *, confident: bool) -> str:
    if not one.scored:
        return f"none of {one.total} paired samples is scored in both runs"
    if isnan(checked):
        return f"no interval from {one.units} sample or cluster; compare more samples, or pass confident=False"
    if checked <= limit + _ROUNDING * max(1.0, abs(limit)):
        return ""
    change = f"{short_number(one.base)} -> {short_number(one.candidate)} on {one.scored} samples"
    return f"{change}; the whole interval is beyond the limit" if confident else change
