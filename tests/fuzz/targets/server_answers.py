"""Answers of servers that embed or rerank: the body, and the header that says how long to wait."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
from hypothesis import strategies as st

from ragauge.embedders.http import _read, _vectors
from ragauge.endpoints.endpoint import Endpoint, Refused
from ragauge.endpoints.waits import seconds_of
from ragauge.grounding.relevance.http import _read as _read_scores
from tests.fuzz.making import NUMBERS, VALUES, as_json, damaged

_ITEMS = st.fixed_dictionaries(
    {"embedding": st.one_of(st.lists(st.one_of(NUMBERS, st.none()), max_size=4), VALUES)},
    optional={"index": st.one_of(st.integers(-1, 3), VALUES), "object": VALUES},
)
_SCORES = st.lists(
    st.fixed_dictionaries(
        {"index": st.one_of(st.integers(-1, 3), VALUES)}, optional={"relevance_score": NUMBERS, "score": NUMBERS}
    ),
    max_size=3,
)
_BODIES = st.one_of(
    st.fixed_dictionaries({"data": st.lists(_ITEMS, max_size=3)}),
    st.fixed_dictionaries({"results": _SCORES}),
    _SCORES,
    VALUES,
)
STRATEGY = damaged(_BODIES.map(as_json))
_ENDPOINT = Endpoint("http://localhost", "secret", 1.0, 0, "test")


def target(data: bytes) -> None:
    """Read an answer for each number of texts."""
    seconds_of(data[:100].decode("latin-1"))
    assert "secret" not in _ENDPOINT.shown(data.decode("latin-1").replace("s", "secret"))
    for count in (1, 2, 3):
        with suppress(Refused):
            scores = _read_scores(data, count)
            assert len(scores) == count
            assert np.isfinite(scores).all()
        try:
            answers = _read(data, count)
        except Refused:
            continue
        vectors = _vectors(answers)
        cosines = vectors.cosine(np.zeros(count, dtype=np.int64), np.arange(count))
        assert len(vectors) == len(answers) == count
        assert np.isfinite(cosines[[place for place in range(count) if not {0, place} & set(vectors.failures)]]).all()
