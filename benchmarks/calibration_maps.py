"""Maps from a judge's scores to labels: the error that each has with 200 labels, and the least that any may have.

    python benchmarks/calibration_maps.py [--labels 200] [--times 100]

Four simulated judges, with another confusion than those of tests/judges/test_calibration.py: ``verdicts``
says 0 or 1, and errs on 20 % of good samples and 30 % of others; ``too sure`` and ``too high`` give probabilities;
``shares`` says of how many of 1 to 5 claims it found support, where a sample is good if all have it. Printed is the
mean calibration error against the exact probabilities of 10,000 further samples. ``true form`` fits a line of logits
to scores that are the exact probabilities already: it knows all but two numbers. The last column is real: groundedness
of the answers of ragtruth in shared/data (or $RAGAUGE_SHARED_DATA) in place of a judge, what people said of them, and
the mean log loss on the answers that the map was not learned from.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
from ablation import rows_of

import ragauge
from ragauge.judges.calibration import calibration_error, fitted

Map = Callable[[Any], Any]
KINDS = ("verdicts", "too sure", "too high", "shares")
GOOD, RIGHT, WRONG = 0.7, 0.8, 0.3


def drawn(kind: str, n: int, rng: np.random.Generator) -> tuple[Any, Any, Any]:
    """Return the scores of n samples, the exact probabilities, and the labels."""
    good = rng.random(n) < GOOD
    if kind == "verdicts":
        says = rng.random(n) < np.where(good, RIGHT, WRONG)
        share = np.where(says, RIGHT, 1 - RIGHT) * GOOD
        return says * 1.0, share / (share + np.where(says, WRONG, 1 - WRONG) * (1 - GOOD)), good * 1.0
    if kind == "too sure":
        noise = np.where(good, 0.7, -0.7) + rng.normal(size=n)
        odds = GOOD / (1 - GOOD) * np.exp(1.4 * noise)
        return 1 / (1 + np.exp(0.5 - 3 * noise)), odds / (1 + odds), good * 1.0
    if kind == "shares":
        scores, labels = shares(n, rng)
        return scores, EXACT[np.searchsorted(VALUES, scores)], labels
    scores = rng.beta(1.5, 1, size=n)
    return scores, scores**2, (rng.random(n) < scores**2) * 1.0


def shares(n: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """Return the shares of claims that a judge finds supported, and whether all of them are."""
    there = np.arange(5) < rng.integers(1, 6, size=n)[:, None]
    right = rng.random((n, 5)) < np.where(rng.random(n) < 0.5, 0.6, 0.98)[:, None]
    said = right ^ (rng.random((n, 5)) < np.where(right, 0.08, 0.2))
    return (said & there).sum(axis=1) / there.sum(axis=1), (right | ~there).all(axis=1) * 1.0


_SCORES, _LABELS = shares(1_000_000, np.random.default_rng(78))
VALUES, _PLACE = np.unique(_SCORES, return_inverse=True)
EXACT = np.bincount(_PLACE, _LABELS) / np.bincount(_PLACE)


def logit(shares: Any, end: float = 0.01) -> Any:
    inner = np.clip(shares, end, 1 - end)
    return np.log(inner / (1 - inner))


def regression(columns: Callable[[Any], Any], labels: Any, scores: Any, usual: Any, penalty: Any) -> Map:
    """Return a logistic regression on ``columns`` of scores, drawn to the weights ``usual`` by ``penalty``."""
    x = columns(scores)
    weights = np.zeros(x.shape[1])
    for _ in range(60):
        share = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        slope = x.T @ (labels - share) - penalty * (weights - usual)
        step = np.linalg.solve((x * (share * (1 - share))[:, None]).T @ x + np.diag(penalty + 1e-9), slope)
        weights = weights + np.clip(step, -5, 5)
        if np.abs(step).max() < 1e-8:
            break
    return lambda some: 1 / (1 + np.exp(-np.clip(columns(some) @ weights, -30, 30)))


def line(precision: float, end: float) -> Callable[[Any, Any], Map]:
    """Return a fit of the line of logits, drawn to the slope 1."""

    def fit(scores: Any, labels: Any) -> Map:
        columns = lambda some: np.stack([logit(some, end), np.ones(len(some))], axis=1)  # noqa: E731 - of one use
        smoothed = (labels * len(labels) + 1) / (len(labels) + 2)
        return regression(columns, smoothed, scores, np.array([1.0, 0.0]), np.array([precision, 0.0]))

    return fit


def beta(scores: Any, labels: Any) -> Map:
    def columns(some: Any) -> Any:
        inner = np.clip(some, 0.01, 0.99)
        return np.stack([np.log(inner), -np.log(1 - inner), np.ones(len(some))], axis=1)

    return regression(columns, labels, scores, np.array([1.0, 1.0, 0.0]), np.full(3, 0.02))


def spline(scores: Any, labels: Any) -> Map:
    """Return a line of logits with four bends, which are drawn to 0, made to rise."""
    knots = np.quantile(logit(scores), [0.2, 0.4, 0.6, 0.8])
    places = np.linspace(0, 1, 401)

    def columns(some: Any) -> Any:
        return np.column_stack([logit(some), np.ones(len(some)), *[np.maximum(logit(some) - one, 0) for one in knots]])

    penalty = np.array([1e-3, 1e-3, 10.0, 10.0, 10.0, 10.0])
    found = regression(columns, labels, scores, np.array([1.0, 0, 0, 0, 0, 0]), penalty)
    return lambda some: np.interp(some, places, np.maximum.accumulate(found(places)))


def isotonic(scores: Any, labels: Any) -> Map:
    """Return the steps that rise and fit best, joined by lines through their middles."""
    values, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    levels: list[list[float]] = []
    for each in zip(np.bincount(place, labels), counts, values * counts, strict=True):
        levels.append(list(each))
        while len(levels) > 1 and levels[-2][0] / levels[-2][1] >= levels[-1][0] / levels[-1][1]:
            last = levels.pop()
            levels[-1] = [one + other for one, other in zip(levels[-1], last, strict=True)]
    ones, sizes, sums = np.array(levels).T
    return lambda some: np.interp(some, sums / sizes, ones / sizes)


def chosen(scores: Any, labels: Any) -> Map:
    """Return the line, or the beta or isotonic map where its log loss on five parts left out is less by 1 in all."""
    part = np.arange(len(labels)) % 5
    kinds = (line(4.0, 0.001), beta, isotonic)
    losses = []
    for fit in kinds:
        left_out = [(fit(scores[part != one], labels[part != one])(scores[part == one]), labels[part == one])
                    for one in range(5)]  # fmt: skip
        losses.append(sum(log_loss(*some) * len(some[1]) for some in left_out))
    best = int(np.argmin(losses))
    return kinds[best if losses[best] < losses[0] - 1 else 0](scores, labels)


def log_loss(shares: Any, labels: Any) -> float:
    inner = np.clip(shares, 0.005, 0.995)
    return float(-(labels * np.log(inner) + (1 - labels) * np.log(1 - inner)).mean())


MAPS = {
    "of the package": fitted, "line of logits": line(0.0, 0.01), "line with ends of .001": line(0.0, 0.001),
    "and drawn to the slope 1": line(4.0, 0.001), "beta": beta, "spline": spline, "isotonic": isotonic,
    "chosen by cross-validation": chosen,
}  # fmt: skip


def real(fits: dict[str, Any], labels: int, times: int) -> dict[str, float]:
    """Return the mean log loss of each map on answers of ragtruth that it was not learned from."""
    rows = rows_of("ragtruth")
    scores = ragauge.evaluate(rows, "groundedness", resamples=0).scores("groundedness")
    good = np.array([row["supported"] for row in rows], dtype=np.float64)[~np.isnan(scores)]
    scores, rng = scores[~np.isnan(scores)], np.random.default_rng(79)
    losses: dict[str, list[float]] = {name: [] for name in fits}
    for _ in range(times):
        order = rng.permutation(len(scores))
        own, other = order[:labels], order[labels:]
        for name, fit in fits.items():
            losses[name].append(log_loss(fit(scores[own], good[own])(scores[other]), good[other]))
    return {name: float(np.mean(some)) for name, some in losses.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--labels", type=int, default=200)
    parser.add_argument("--times", type=int, default=100)
    options = parser.parse_args()
    rows: dict[str, list[float]] = {name: [] for name in (*MAPS, "true form")}
    for kind in KINDS:
        rng = np.random.default_rng(77)
        errors: dict[str, list[float]] = {name: [] for name in rows}
        for _ in range(options.times):
            scores, exact, labels = drawn(kind, options.labels, rng)
            other, other_exact, _ = drawn(kind, 10_000, rng)
            for name, fit in MAPS.items():
                errors[name].append(calibration_error(fit(scores, labels)(other), other_exact))
            right = line(0.0, 0.001)(exact, labels)(other_exact)
            errors["true form"].append(calibration_error(right, other_exact))
        for name, found in errors.items():
            rows[name].append(float(np.mean(found)))
    people = real(MAPS, options.labels, options.times)
    print(f"| map of {options.labels} labels | {' | '.join(KINDS)} | log loss on ragtruth |")
    print("| --- | --: | --: | --: | --: | --: |")
    for name, cells in rows.items():
        loss = f"{people[name]:.4f}" if name in people else ""
        print(f"| {name} | {' | '.join(f'{cell:.4f}' for cell in cells)} | {loss} |")


if __name__ == "__main__":
    main()
