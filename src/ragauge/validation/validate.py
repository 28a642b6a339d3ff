"""The call that validates metrics against human labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from inspect import signature
from itertools import combinations
from math import ceil, isnan, nan
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from ragauge.core.hashing import HashArray
from ragauge.core.messages import Argument, Counted, Joined, Message, is_of
from ragauge.core.options import checked_value
from ragauge.core.protocol import Metric
from ragauge.core.ragged import FloatArray
from ragauge.core.statistics import ratio
from ragauge.display.numbers import probability
from ragauge.engines.evaluate import evaluate
from ragauge.engines.plan import UNUSED
from ragauge.errors import DataError, OptionError, UsageError, did_you_mean
from ragauge.evaluation.summarize import Level, Replicates, Seed
from ragauge.formats.column_names import own_names
from ragauge.inference.agreement import Scale, alpha, kappa
from ragauge.inference.intervals import NO_INTERVAL, Interval, percentile, symmetric
from ragauge.inference.prediction_powered import powered_mean
from ragauge.inference.resampling import MOST_REPLICATES
from ragauge.inference.tests import holm, paired_bootstrap
from ragauge.judges.calibration import calibration_error, expected_error
from ragauge.results.result import Result, load
from ragauge.results.thumbs import THUMBS, with_thumbs
from ragauge.validation.labels import (
    LabelledSamples,
    agreements,
    keyed,
    labelled_samples,
    labels_of,
    replicate_weights,
    resampling_units,
    why_failed,
)
from ragauge.validation.validation import (
    Agreement,
    AgreementDifference,
    CalibrationError,
    Ceiling,
    Estimate,
    Validation,
)


def validate(  # noqa: PLR0913 - the options of the command line
    data: object,
    metrics: str | Metric | Iterable[str | Metric] | None = None,
    *,
    human: str | Iterable[str] = (),
    labels: str | None = None,
    positive: float | None = None,
    group: str | None = None,
    system: str | None = None,
    cluster: str | None = None,
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    **reading: Any,
) -> Validation:
    """Measure how far metrics agree with human labels, or estimate the mean label of all samples from few labels.

    Args:
        data: a result, the directory of a saved run, or data as for `ragauge.evaluate`.
        metrics: the metrics; by default all of a run, or all whose columns the data have.
        human: the column of labels, higher being better; several columns are annotators, whose mean is the label. For
            a saved run, without ``labels``, by default the thumbs that readers gave in ``ragauge view``.
        labels: a column with labels of a random part of the samples: estimates their mean over all samples.
        positive: the least positive label; by default 1 where labels are 0 and 1, or .5 for a mean of such labels.
        group: a column, such as the question: also measures agreement within each of its groups, averaged.
        system: the column of systems: also measures the agreement of their means.
        cluster: the column of samples that belong together; by default ``group``.
        level: level of the intervals.
        resamples: number of bootstrap replicates; more are drawn where many metrics are compared, so that a p that is
            corrected for all pairs can be below 1 - level.
        seed: seed of the replicates.
        reading: further options of `ragauge.evaluate`, as ``map`` and ``lang``.

    Raises:
        UsageError: there is neither ``human`` nor ``labels``, or the data lack a column.
        DataError: a column does not hold labels, or no sample has both a label and scores.
        TypeError: there is no argument of a name in ``reading``.

    >>> rows = [
    ...     {"answer": a, "references": ["a b c d"], "good": g}
    ...     for a, g in [("a b c d", 1), ("a b c", 1), ("a b x", 1), ("a x y", 0), ("x b y", 0), ("x y", 0)]
    ... ]
    >>> validate(rows, ["rouge-1", "exact-match"], human="good")["rouge-1", "auc"].value
    1.0
    """
    _check_names(reading)
    annotators = list(human) if isinstance(human, Iterable) and not isinstance(human, str) else [human]
    if not all(isinstance(name, str) for name in annotators):
        raise OptionError.value("validate", "human", "the name of a column, or a list of names", human)
    if not annotators and labels is None and (thumbed := _thumbed(data)) is not None:
        data, annotators = thumbed, [THUMBS]
    if not annotators and labels is None:
        raise UsageError(
            "RG-VALID-007 validate needs labels; got none. Pass {human}, or {labels} where few samples have them.",
            Argument("human", "COLUMN"),
            Argument("labels", "COLUMN"),
        )
    checked_value("validate", "level", level, Level)
    checked_value("validate", "resamples", resamples, Replicates)
    checked_value("validate", "seed", seed, Seed)
    checked_value("validate", "positive", positive, Annotated[float | None, "a number"])
    own = own_names([name for name in (*annotators, labels) if isinstance(name, str)])
    if own and data is not None and isinstance(reading.get("map") or {}, Mapping):
        reading["map"] = own | dict(reading.get("map") or {})
    result = result_of(data, metrics, reading)
    options: dict[str, Any] = {
        "human": annotators,
        "labels": labels,
        "positive": positive,
        "group": group,
        "system": system,
    }
    options |= {"cluster": cluster, "level": level, "resamples": resamples, "seed": seed}
    estimates = tuple(_estimates(result, labels, cluster, level)) if labels is not None else ()
    # Evaluating knows nothing of the columns that are read here: labels, groups, systems.
    of_data = [note for note in result.data.notes if not is_of(note, UNUSED)]
    if not annotators:
        return Validation((), (), None, estimates, 0, tuple(of_data), options)
    annotations = labels_of(result, annotators, "human")
    distinct = set(np.unique(annotations[~np.isnan(annotations)]).tolist())
    if positive is None and len(annotators) > 1 and distinct <= {0.0, 1.0}:
        positive = 0.5
    # The mean over annotators; NaN for a sample without a label.
    label = ratio(np.nansum(annotations, axis=0), (~np.isnan(annotations)).sum(axis=0))
    samples, notes = labelled_samples(result, label, positive, cluster=cluster, group=group, system=system)
    if not len(samples):
        reasons = Joined(notes, "; ") if notes else Message("the labelled samples have no scores")
        problem = Message(
            "RG-VALID-008 no sample has both a label and scores: {reasons}{failed}", reasons, why_failed(result)
        )
        raise DataError.of(result.data.source, [problem])
    options["resamples"], doubt = _enough(resamples, len(samples.metrics), level)
    agreed, differences = measured(samples, options["resamples"], level, seed)
    keys, order = keyed(result, cluster, group)
    scale: Scale = "nominal" if len(distinct) <= 2 else "interval"
    ceiling = _ceiling(annotations[:, order], scale, keys[order], options) if len(annotators) > 1 else None
    said = _agreeing(agreed, len(samples)) if annotators == [THUMBS] else ()
    all_notes = (*said, *of_data, *notes, *doubt)
    errors = tuple(_calibration_errors(result, samples, seed))
    return Validation(tuple(agreed), tuple(differences), ceiling, estimates, len(samples), all_notes, options, errors)


def _calibration_errors(result: Result, samples: LabelledSamples, seed: int) -> Iterator[CalibrationError]:
    """Yield how far the scores of each judge, as probabilities of a good label, are from the labels."""
    if samples.binary is None:
        return
    for name, signed in zip(samples.metrics, samples.scores, strict=True):
        if hasattr(result.metrics[name], "judge"):
            low, high = result.range(name)
            higher = result[name].direction == "higher"
            shares = (signed - low) / (high - low) if higher else (high + signed) / (high - low)
            error = calibration_error(shares, samples.binary.astype(np.float64))
            yield CalibrationError(name, error, expected_error(shares, seed))


def _thumbed(data: object) -> Result | None:
    """Return a saved run with the thumbs beside it as labels; None for other data, and without thumbs."""
    if not isinstance(data, str | Path) or not (Path(data) / "manifest.json").is_file():
        return None
    return with_thumbs(load(data), Path(data))


def _agreeing(agreed: Iterable[Agreement], samples: int) -> Iterator[str]:
    """Yield a sentence on the metric that agrees most with thumbs."""
    shares = [one for one in agreed if one.measure == "balanced accuracy" and not isnan(one.value)]
    if shares:
        best = max(shares, key=lambda one: one.value)
        template = "{metric} agrees with your {labels} in {share} (good and bad ones weigh the same)"
        yield Message(template, best.metric, Counted(samples, "label"), f"{best.value:.0%}")


def _check_names(reading: Iterable[str]) -> None:
    names = (signature(validate).parameters.keys() | signature(evaluate).parameters.keys()) - {"reading"}
    for name in reading:
        if name not in names:
            raise TypeError(f"validate() has no argument {name!r}{did_you_mean(name, names)}")


def result_of(data: object, metrics: Any, reading: dict[str, Any]) -> Result:
    """Return the result of ``metrics`` alone; one that it has under two names, once."""
    if isinstance(data, str | Path) and (Path(data) / "manifest.json").is_file():
        data = load(data)
    if not isinstance(data, Result):
        data, metrics = evaluate(data, metrics, resamples=0, **reading), None
    several = isinstance(metrics, Iterable) and not isinstance(metrics, str)
    requested = data.metrics if metrics is None else metrics if several else [metrics]
    by_spec = {str(data.metrics[name]): name for name in reversed([data.name(metric) for metric in requested])}
    return replace(data, metrics={name: data.metrics[name] for name in reversed(by_spec.values())})


# So many replicates of 15 metrics on 200 samples take some 20 seconds.
_MOST_ADDED = 20_000


def _enough(resamples: int, metrics: int, level: float) -> tuple[int, list[str]]:
    """Return how many replicates are drawn, and a note where these are more, or so few that no p can be significant."""
    pairs = metrics * (metrics - 1) // 2
    # The smallest p is 1 / (1 + replicates), which Holm's correction multiplies by the number of pairs.
    least = ceil(pairs / (1 - level))
    if least <= resamples:
        return resamples, []
    needed = 2 * least
    if needed <= _MOST_ADDED:
        template = "{needed:,} replicates are drawn, so that a p corrected for {pairs} of metrics can be below {level}"
        return needed, [Message(template, needed, Counted(pairs, "pair"), probability(1 - level))]
    template = (
        "with {resamples:,} replicates no p that is corrected for {pairs} pairs of metrics can be below {smallest}; "
        "name fewer metrics, or pass {more}"
    )
    more = Argument("resamples", min(needed, MOST_REPLICATES))
    return resamples, [Message(template, resamples, pairs, probability(pairs / (1 + resamples)), more)]


def _ceiling(labels: FloatArray, scale: Scale, keys: HashArray, options: Mapping[str, Any]) -> Ceiling:
    """Return the agreement of labels (annotators, n)."""
    value = float(alpha(labels, scale, np.ones((1, labels.shape[1])))[0])
    shared = (~np.isnan(labels)).sum(axis=0) > 1
    units = len(np.unique(keys[shared]))
    blocks = replicate_weights(keys, options["resamples"], options["seed"])
    drawn = np.concatenate([alpha(labels, scale, weights) for weights in blocks])
    low, high = percentile(drawn, options["level"], units) if units > 1 else NO_INTERVAL
    return Ceiling(len(labels), scale, value, low, high, kappa(labels, scale))


def measured(
    samples: LabelledSamples, resamples: int, level: float, seed: int
) -> tuple[list[Agreement], list[AgreementDifference]]:
    """Return the agreement of every metric, and the difference of every two metrics."""
    metrics = range(len(samples.metrics))
    observed = [agreements(samples, metric, np.ones((1, len(samples)))) for metric in metrics]
    drawn = [_replicates(samples, metric, resamples, seed) for metric in metrics]
    units = [resampling_units(samples, metric, observed[metric]) for metric in metrics]
    agreed = [
        Agreement(name, *key, float(value[0]), *_interval(replicates[key], value[0], level, counts[key]))
        for name, of_metric, replicates, counts in zip(samples.metrics, observed, drawn, units, strict=True)
        for key, value in of_metric.items()
    ]
    differences: list[AgreementDifference] = []
    for key in [key for key in observed[0] if all(key in one for one in observed)]:
        values = [float(one[key][0]) for one in observed]
        fewest = min(one[key] for one in units)
        differences += _differences(samples.metrics, key, values, [one[key] for one in drawn], level, fewest)
    return agreed, differences


def _replicates(
    samples: LabelledSamples, metric: int, resamples: int, seed: int
) -> Mapping[tuple[str, str], FloatArray]:
    blocks = [agreements(samples, metric, weights) for weights in replicate_weights(samples.keys, resamples, seed)]
    return {key: np.concatenate([block[key] for block in blocks]) for key in blocks[0]}


def _interval(drawn: FloatArray, value: float, level: float, units: int) -> Interval:
    return NO_INTERVAL if np.isnan(value) or units < 2 else percentile(drawn, level, units)


def _differences(
    metrics: tuple[str, ...],
    key: tuple[str, str],
    values: list[float],
    drawn: list[FloatArray],
    level: float,
    units: int,
) -> list[AgreementDifference]:
    differences = []
    for one, other in combinations(range(len(metrics)), 2):
        first, second = (one, other) if not values[one] < values[other] else (other, one)
        difference = float(values[first] - values[second])
        replicates = drawn[first] - drawn[second]
        interval = symmetric(replicates, difference, level, units) if units > 1 else NO_INTERVAL
        p = paired_bootstrap(replicates, difference).p if units > 1 else nan
        names = (metrics[first], metrics[second])
        differences.append(AgreementDifference(*names, *key, difference, *interval, p, corrected=nan))
    corrected = holm(np.array([one.p for one in differences], dtype=np.float64))
    return [replace(one, corrected=float(p)) for one, p in zip(differences, corrected, strict=True)]


def _estimates(result: Result, name: str, cluster: str | None, level: float) -> list[Estimate]:
    """Return an estimate of the mean label with each metric; samples are ordered by key, whatever their order."""
    keys, order = keyed(result, cluster)
    label = labels_of(result, [name], "labels")[0][order]
    estimates = []
    for metric in result.metrics:
        sign = 1.0 if result[metric].direction == "higher" else -1.0
        scores = sign * result.columns[metric].scores[order]
        there = ~np.isnan(scores)
        mean = powered_mean(label[there], scores[there], keys[order][there] if cluster else None)
        labelled = int(np.sum(~np.isnan(label[there])))
        value = (mean.value, *mean.interval(level), mean.weight)
        alone = (mean.alone, *mean.interval(level, alone=True))
        estimates.append(Estimate(metric, *value, *alone, labelled, int(there.sum())))
    return estimates
