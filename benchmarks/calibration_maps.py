"""Maps from a judge's scores to labels: the error that each has with 200 labels, and the least that any may have.

    python benchmarks/calibration_maps.py [--labels 200] [--times 100]

Three simulated judges, with another confusion than those of tests/validation/test_calibrated_judge.py: ``verdicts``
says 0 or 1, and errs on 20 % of good samples and 30 % of others; ``too sure`` and ``too high`` give probabilities.
Printed is the mean calibration error on 10,000 further samples. ``true form`` fits the map of the package to scores
that are the exact probabilities already: it knows all but two numbers.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np

from ragauge.judges.calibration import calibration_error, fitted

Map = Callable[[Any], Any]
KINDS = ("verdicts", "too sure", "too high")
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
    scores = rng.beta(1.5, 1, size=n)
    return scores, scores**2, (rng.random(n) < scores**2) * 1.0


def logit(shares: Any) -> Any:
    inner = np.clip(shares, 0.01, 0.99)
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


def shrunk(scores: Any, labels: Any) -> Map:
    """Return a straight line of logits, drawn to the scores as they are."""
    line = lambda some: np.stack([logit(some), np.ones(len(some))], axis=1)  # noqa: E731 - of one use
    return regression(line, labels, scores, np.array([1.0, 0.0]), np.array([5.0, 1.25]))


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


MAPS = {"of the package": fitted, "shrunk": shrunk, "beta": beta, "spline": spline, "isotonic": isotonic}


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
            other, other_exact, truth = drawn(kind, 10_000, rng)
            for name, fit in MAPS.items():
                errors[name].append(calibration_error(fit(scores, labels)(other), truth))
            errors["true form"].append(calibration_error(fitted(exact, labels)(other_exact), truth))
        for name, found in errors.items():
            rows[name].append(float(np.mean(found)))
    print(f"| map of {options.labels} labels | {' | '.join(KINDS)} |\n| --- | --: | --: | --: |")
    for name, cells in rows.items():
        print(f"| {name} | {' | '.join(f'{cell:.4f}' for cell in cells)} |")


if __name__ == "__main__":
    main()
