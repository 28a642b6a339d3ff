"""Maps from scores to labels: judges with a known confusion, what is printed of their errors, and exact judges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ragauge.judges import get
from ragauge.judges.calibration import (
    ScoreMap,
    calibration_error,
    errors_of,
    expected_error,
    fitted,
    line_of,
    model_of,
)
from tests.repeats import others_long

Floats = Any
AS_IT_IS = ScoreMap((0.0, 1.0), (0.0, 1.0), 20)


def drawn(kind: str, n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return scores and labels of a judge that errs in a known way."""
    labels = (rng.random(n) < 0.6) * 1.0
    if kind == "verdicts":
        return np.where(labels == 1, rng.random(n) < 0.9, rng.random(n) < 0.2) * 1.0, labels
    if kind == "too sure":
        noise = np.where(labels == 1, 0.9, -0.9) + rng.normal(size=n)
        return 1 / (1 + np.exp(-2.5 * noise - 1)), labels
    if kind == "exact":
        scores = rng.choice([0.2, 0.8], size=n)
        return scores, (rng.random(n) < scores) * 1.0
    if kind == "shares of claims":
        return shares_of_claims(n, rng)
    scores = rng.beta(2, 1, size=n)
    return scores, (rng.random(n) < scores**3) * 1.0


def shares_of_claims(n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return how many of 1 to 4 claims a judge finds supported, which it errs on, and whether all of them are."""
    counts = rng.integers(1, 5, size=n)
    right = rng.random((n, 4)) < np.where(rng.random(n) < 0.45, 0.55, 0.97)[:, None]
    said = right ^ (rng.random((n, 4)) < np.where(right, 0.1, 0.25))
    there = np.arange(4) < counts[:, None]
    return (said & there).sum(axis=1) / counts, ((right & there).sum(axis=1) == counts) * 1.0


_FRESH: dict[str, tuple[Floats, Floats]] = {}


def exact(kind: str, scores: Floats) -> Floats:
    """Return the probability of a good label of each score."""
    if kind == "exact":
        return scores
    if kind == "verdicts":
        return np.where(scores == 1, 0.54 / 0.62, 0.06 / 0.38)
    if kind == "too sure":
        # The noise from the score, and the odds of the two normal distributions around .9 and -.9.
        noise = (np.log(scores / (1 - scores)) - 1) / 2.5
        return 1 / (1 + np.exp(-1.8 * noise) / 1.5)
    if kind == "shares of claims":
        if kind not in _FRESH:
            _FRESH[kind] = shares_of_claims(100_000, np.random.default_rng(9))
        values, place = np.unique(_FRESH[kind][0], return_inverse=True)
        return (np.bincount(place, _FRESH[kind][1]) / np.bincount(place))[np.searchsorted(values, scores)]
    return scores**3


BOUNDS = {
    "verdicts": (0.13, 0.03, 0.022), "too sure": (0.055, 0.03, 0.021), "too high": (0.26, 0.034, 0.026),
    "shares of claims": (0.155, 0.045, 0.035),
}  # fmt: skip
"""By judge: what its calibration error is at least as it is, and at most with a map of 200 and of 400 labels."""


@pytest.mark.parametrize("kind", others_long(BOUNDS, 2))
def test_labels_take_most_of_the_error_away(kind: str) -> None:
    before, *bounds = BOUNDS[kind]
    errors = []
    for labels in (200, 400):
        rng = np.random.default_rng(1)
        plain, mapped = [], []
        for _ in range(100):
            found = fitted(*drawn(kind, labels, rng))
            scores, _ = drawn(kind, 5000, rng)
            plain.append(calibration_error(scores, exact(kind, scores)))
            mapped.append(calibration_error(found(scores), exact(kind, scores)))
        assert np.mean(plain) > before
        errors.append(np.mean(mapped))
        print(f"{kind}: {np.mean(plain):.3f}, of {labels} labels {np.mean(mapped):.4f}")  # noqa: T201 - the figures of docs/judge.md
    # The share of good samples alone is known from 200 labels to about .028.
    assert errors[0] < bounds[0]
    assert errors[1] < bounds[1]


@pytest.mark.parametrize("kind", others_long(["exact", *BOUNDS], 2))
@pytest.mark.parametrize("labels", [100, pytest.param(400, marks=pytest.mark.long)])
def test_the_printed_errors_are_the_true_ones(kind: str, labels: int) -> None:
    """As means over simulated judges: also of one with two scores, whose maps differ from one fold to another."""
    rng = np.random.default_rng(4)
    printed, true = [], []
    for _ in range(20):
        scores, label = drawn(kind, labels, rng)
        found = fitted(scores, label)
        printed.append(errors_of(found, scores))
        fresh, _ = drawn(kind, 5000, rng)
        true.append([np.abs(one - exact(kind, fresh)).mean() for one in (fresh, found(fresh))])
    (before, after), (true_before, true_after) = np.mean(printed, axis=0), np.mean(true, axis=0)
    assert after == pytest.approx(true_after, rel=0.3)
    # A judge that is right already looks as if it erred by as much as its map does.
    assert before == pytest.approx(true_before, abs=true_after + 0.003)
    assert np.std([one for _, one in printed]) < 0.01


@pytest.mark.parametrize(
    ("shift", "best"), [(0.0, 0.75), (0.5, 0.95), (1.0, 1.15), (2.0, 1.25)], ids=["alike", "near", "apart", "far"]
)
def test_the_map_of_a_language_is_drawn_to_that_of_all(shift: float, best: float) -> None:
    """60 labels of a language beside 200 of another, in which the judge's logits are lower by ``shift``."""
    rng = np.random.default_rng(3)

    def shifted(n: int) -> tuple[Floats, Floats, Floats]:
        scores, labels = drawn("too sure", n, rng)
        odds = np.exp(shift) * scores / (1 - scores)
        return odds / (1 + odds), labels, exact("too sure", scores)

    errors = []
    for _ in range(60):
        of_others, (scores, labels, _), (fresh, _, truth) = drawn("too sure", 200, rng), shifted(60), shifted(2000)
        both, said = np.concatenate([of_others[0], scores]), np.concatenate([of_others[1], labels])
        maps = (fitted(scores, labels), fitted(scores, labels, line_of(both, said)), fitted(both, said))
        errors.append([np.abs(one(fresh) - truth).mean() for one in maps])
    alone, found, of_all = np.mean(errors, axis=0)
    print(f"shift {shift}: alone {alone:.3f}, drawn {found:.3f}, of all {of_all:.3f}")  # noqa: T201 - the figures of docs/judge.md
    assert found < best * alone
    assert shift < 1 or found < 0.9 * of_all


def test_a_map_is_monotone_and_stays_between_0_and_1() -> None:
    rng = np.random.default_rng(2)
    grid = np.linspace(0, 1, 101)
    for _ in range(50):
        scores = rng.random(30)
        labels = np.clip(scores + rng.normal(size=30) * 0.3, 0, 1)
        mapped = fitted(scores, labels)(grid)
        assert np.all(np.diff(mapped) >= 0)
        assert mapped.min() >= 0
        assert mapped.max() <= 1
    separated = fitted(np.array([0.0] * 10 + [1.0] * 10), np.array([0.0] * 10 + [1.0] * 10))(np.array([0.0, 1.0]))
    assert 0 < separated[0] < 0.15
    assert 0.85 < separated[1] < 1
    assert np.isnan(AS_IT_IS(np.array([np.nan]))[0])


def test_exact_probabilities_have_the_error_of_chance() -> None:
    rng = np.random.default_rng(3)
    scores = rng.random(300)
    errors = [calibration_error(scores, np.asarray(rng.random(300) < scores, dtype=np.float64)) for _ in range(200)]
    assert expected_error(scores, seed=0) == pytest.approx(np.mean(errors), rel=0.1)


def test_a_judge_of_another_kind_has_another_calibration() -> None:
    url = "url=http://localhost/v1,model=m"
    assert [model_of(get(f"{kind}[{url}]")) for kind in ("chat", "decisions")] == [
        "chat[model=m]", "decisions[model=m]",
    ]  # fmt: skip
