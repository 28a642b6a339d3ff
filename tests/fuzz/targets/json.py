"""JSON documents as samples: rows, columns, and the results of other programs."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.fuzz.making import NAMES, ROWS, VALUES, as_json, damaged
from tests.fuzz.targets._reading import read_file

_RESULTS = st.fixed_dictionaries(
    {"results": st.lists(st.fixed_dictionaries({"query": VALUES, "gt_answer": VALUES, "retrieved_context": VALUES}))}
)
_COLUMNS = st.dictionaries(st.sampled_from(NAMES), st.lists(VALUES, max_size=4), max_size=4)
STRATEGY = damaged(st.one_of(st.lists(ROWS, max_size=4), _COLUMNS, ROWS, _RESULTS, VALUES).map(as_json))


def target(data: bytes) -> None:
    """Read ``data`` as JSON."""
    read_file("data.json", data)
