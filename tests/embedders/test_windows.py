"""Long texts are cut in windows, and none of them is lost."""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ragauge.embedders.base import averaged, windows


def characters(texts: Any) -> Any:
    return [len(text) for text in texts]


@given(st.lists(st.text("ab 中", max_size=200), max_size=5), st.integers(1, 20))
def test_pieces_fit_and_make_up_the_text(texts: Any, most: Any) -> None:
    pieces, counts = windows(texts, characters, most)
    assert all(len(piece) <= most for piece in pieces)
    rest = iter(pieces)
    assert ["".join(next(rest) for _ in range(count)) for count in counts.tolist()] == texts


def test_what_cannot_be_cut_further_is_left() -> None:
    assert windows(["a"], lambda texts: [9] * len(texts), 3)[0] == ["a"]


def test_windows_count_alike_and_whole_texts_stay() -> None:
    vectors = np.array([[3, 0], [0, 5], [7, 7]], dtype=np.float32)
    assert averaged(vectors, np.array([2, 1])).tolist() == [[0.5, 0.5], [7, 7]]
