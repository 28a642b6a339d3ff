"""TER of many pairs is that of sacrebleu."""

from __future__ import annotations

import numpy as np
import pytest

from tests.parity.test_sacrebleu import shuffled, ter_of
from tests.parity.texts import batch_of


@pytest.mark.long
def test_ter_of_20000_pairs():
    from sacrebleu.metrics.lib_ter import translation_edit_rate

    pairs = shuffled(1, 20_000, 12)
    rows = ter_of({}).measure(batch_of([" ".join(one) for one, _ in pairs], [[" ".join(one)] for _, one in pairs]))
    expected = [translation_edit_rate(*pair) for pair in pairs]
    assert np.array_equal(np.stack([rows["edits"], rows["length"]], axis=1), expected)
