"""The call that decides whether a run may pass."""

from __future__ import annotations

from collections.abc import Mapping

from ragauge.comparing.comparison import Comparison
from ragauge.comparing.running import Run, compare
from ragauge.errors import OptionError, UsageError
from ragauge.gating.checking import check_coverage, check_drops, check_scores
from ragauge.gating.gated import Gate
from ragauge.gating.rules import Rules, share
from ragauge.result import Result
from ragauge.saved import load


def gate(  # noqa: PLR0913 - the options of the command line
    run: Run,
    baseline: Run | None = None,
    *,
    min: Mapping[str, float] | None = None,  # noqa: A002 - the name of the option on the command line
    max: Mapping[str, float] | None = None,  # noqa: A002
    max_drop: Mapping[str, float] | None = None,
    max_failed: float | str | None = None,
    min_counted: int | None = None,
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
        min_counted: how many samples must count under each metric.
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
        min_counted=min_counted,
        confident=confident,
    )
    if not rules:
        message = "the gate demands nothing; give min, max, max_drop, max_failed or min_counted, as in --min mrr=0.4"
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
