"""Answers of an embedding server: the body, and the header that says how long to wait."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from ragauge.embedders._endpoint import Endpoint, Refused, _seconds
from ragauge.embedders.http import _read, _vectors
from tests.fuzz.making import NUMBERS, VALUES, as_json, damaged

_ITEMS = st.fixed_dictionaries(
    {"embedding": st.one_of(st.lists(st.one_of(NUMBERS, st.none()), max_size=4), VALUES)},
    optional={"index": st.one_of(st.integers(-1, 3), VALUES), "object": VALUES},
)
STRATEGY = damaged(st.one_of(st.fixed_dictionaries({"data": st.lists(_ITEMS, max_size=3)}), VALUES).map(as_json))
_ENDPOINT = Endpoint("http://localhost", "secret", 1.0, 0, "test")


def target(data: bytes) -> None:
    """Read an answer for each number of texts."""
    _seconds(data[:100].decode("latin-1"))
    assert "secret" not in _ENDPOINT.shown(data.decode("latin-1").replace("s", "secret"))
    for count in (1, 2, 3):
        try:
            answers = _read(data, count)
        except Refused:
            continue
        vectors = _vectors(answers)
        cosines = vectors.cosine(np.zeros(count, dtype=np.int64), np.arange(count))
        assert len(vectors) == len(answers) == count
        assert np.isfinite(cosines[[place for place in range(count) if not {0, place} & set(vectors.failures)]]).all()
