"""The scores of all samples, written side by side by parts in any order."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ragauge.evaluation.score_file import ScoreFiles
from ragauge.results.score import SampleScores, narrowed

COUNTS = [[1.0, 2.0, 3.0], [300.0, 4.0], [0.5]]
"""Of each part: numbers that fit into a byte, into two, and into none of these."""


def scores(counts: list[float], reasons: dict[int, str]) -> SampleScores:
    values = np.array(counts)
    status = np.zeros(len(values), np.uint8)
    return SampleScores(values / 3, status, status > 0, {"recall": values}, {"matches": narrowed(values)}, reasons)


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 0, 1], [1, 2, 0, 1]])
def test_parts_in_any_order_or_twice_are_the_columns_of_all(order: list[int], tmp_path: Path) -> None:
    columns, starts = ScoreFiles(tmp_path), [0, 3, 5]
    parts = [columns.write(starts[at], {"bleu": scores(COUNTS[at], {0: f"part {at}"})}) for at in order]
    [(name, joined)] = columns.read(parts).items()
    every = np.concatenate([np.array(some) for some in COUNTS])
    assert name == "bleu"
    np.testing.assert_array_equal(joined.scores, every / 3)
    np.testing.assert_array_equal(joined.parts["recall"], every)
    np.testing.assert_array_equal(joined.statistics["matches"], every)
    assert joined.statistics["matches"].dtype == np.result_type(*[narrowed(np.array(some)) for some in COUNTS])
    assert [str(one.dtype) for one in (joined.status, joined.defaulted)] == ["uint8", "bool"]
    assert joined.reasons == {0: "part 0", 3: "part 1", 5: "part 2"}
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="gone"):
        ScoreFiles(tmp_path / "gone").write(0, {"bleu": scores([1.0], {})})
