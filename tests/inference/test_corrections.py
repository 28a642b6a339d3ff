"""Corrections equal those of statsmodels 0.15."""

from __future__ import annotations

import numpy as np
import pytest

from ragauge.inference.tests import CORRECTIONS
from tests.skips import PEERS

NAMES = {"holm": "holm", "bonferroni": "bonferroni", "bh": "fdr_bh"}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(5))
def test_is_statsmodels(name: str, seed: int) -> None:
    p = np.random.default_rng(seed).beta(0.3, 1, 17).round(3)
    theirs = pytest.importorskip("statsmodels.stats.multitest", reason=PEERS)
    expected = theirs.multipletests(p, method=NAMES[name])[1]
    np.testing.assert_allclose(CORRECTIONS[name](p), expected, rtol=1e-12)


@pytest.mark.parametrize("name", CORRECTIONS)
def test_what_was_not_tested_is_not_counted(name: str) -> None:
    p = np.array([0.01, np.nan, 0.04])
    found = CORRECTIONS[name](p)
    assert np.isnan(found[1])
    np.testing.assert_array_equal(found[[0, 2]], CORRECTIONS[name](p[[0, 2]]))


@pytest.mark.parametrize("name", CORRECTIONS)
def test_nothing_to_correct(name: str) -> None:
    assert len(CORRECTIONS[name](np.empty(0))) == 0
