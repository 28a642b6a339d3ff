"""Files that ``ragauge calibrate`` writes."""

from __future__ import annotations

from hypothesis import strategies as st

from ragauge.embedders import get
from ragauge.grounding.support.thresholds import resolve
from tests.fuzz.making import VALUES, as_json, damaged, file

_FILES = st.fixed_dictionaries(
    {
        "embedder": st.one_of(st.just(get().signature), VALUES),
        "similarity": st.one_of(st.just("cosine"), VALUES),
        "thresholds": st.one_of(st.dictionaries(st.just("support"), st.fixed_dictionaries({"value": VALUES})), VALUES),
    },
    optional={"format": VALUES},
)
STRATEGY = damaged(st.one_of(_FILES, VALUES).map(as_json))


def target(data: bytes) -> None:
    """Read a threshold."""
    threshold = resolve(str(file("thresholds.json", data)), get(), "cosine", "support")
    assert abs(threshold.value) < 2
