"""Thresholds learned from labels: where they lie, how uncertain they are, what they are refused for."""

from __future__ import annotations

import numpy as np
import pytest

from ragauge.core.hashing import HashArray, hash_strings
from ragauge.core.ragged import BoolArray, FloatArray
from ragauge.errors import DataError
from ragauge.inference.agreement import balanced_accuracy
from ragauge.validation.labelled_threshold import labelled_threshold


def labelled(n: int, seed: int = 0) -> tuple[FloatArray, BoolArray]:
    """Draw n degrees, and labels that are more often 1 above .6."""
    rng = np.random.default_rng(seed)
    degrees = rng.random(n).round(4)
    return degrees, rng.random(n) < 1 / (1 + np.exp(-20 * (degrees - 0.6)))


def keys(n: int) -> HashArray:
    return hash_strings([f"q{i}" for i in range(n)])


@pytest.mark.parametrize("n", [10, 11, 40, 300])
def test_no_other_threshold_has_a_greater_balanced_accuracy(n: int) -> None:
    degrees, label = labelled(n, seed=n)
    found = labelled_threshold(degrees, label, keys(n))
    tried = np.linspace(0, 1, 1001)
    accuracies = balanced_accuracy(degrees >= tried[:, None], label, np.ones((1, n)))
    own = balanced_accuracy((degrees >= found.value)[None], label, np.ones((1, n)))[0]
    assert own >= accuracies.max() - 1e-12
    assert found.low <= found.value <= found.high
    assert (found.ones, found.zeros) == (label.sum(), (~label).sum())


def test_more_labels_are_more_certain() -> None:
    widths = []
    for n in (10, 60, 1000):
        found = labelled_threshold(*labelled(n, seed=5), keys(n))
        widths.append(found.high - found.low)
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] < 0.15


def test_accuracy_is_that_of_samples_left_out() -> None:
    degrees, label = labelled(24, seed=2)
    rest = [np.delete(np.arange(24), i) for i in range(24)]
    chosen = [labelled_threshold(degrees[some], label[some], keys(24)[some]).value for some in rest]
    expected = balanced_accuracy((degrees >= chosen)[None], label, np.ones((1, 24)))[0]
    assert labelled_threshold(degrees, label, keys(24)).accuracy == pytest.approx(expected)


def test_labels_that_say_nothing_have_an_accuracy_of_about_a_half() -> None:
    rng = np.random.default_rng(1)
    found = [labelled_threshold(rng.random(60), rng.random(60) < 0.5, keys(60)).accuracy for _ in range(40)]
    assert 0.4 < np.mean(found) < 0.56


def test_the_order_of_the_samples_changes_nothing() -> None:
    degrees, label = labelled(50)
    order = np.random.default_rng(0).permutation(50)
    assert labelled_threshold(degrees, label, keys(50)) == labelled_threshold(
        degrees[order], label[order], keys(50)[order]
    )


@pytest.mark.parametrize(("ones", "zeros"), [(9, 0), (5, 4), (20, 2), (2, 20)])
def test_too_few_labels(ones: int, zeros: int) -> None:
    label = np.arange(ones + zeros) < ones
    with pytest.raises(
        DataError, match=f"needs 10 labels, 3 of 1 and 3 of 0; .* have {ones} labels of 1 and {zeros} of"
    ):
        labelled_threshold(np.where(label, 0.5, 0.0), label, keys(len(label)))
