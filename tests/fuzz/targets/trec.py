"""TREC runs and judgements: what stands before the first empty line is the run, what follows the judgements."""

from __future__ import annotations

from hypothesis import strategies as st

from ragauge.formats import read_retrieval
from tests.fuzz.making import NUMBERS, TEXTS, damaged, file

_WORDS = st.one_of(st.sampled_from(["q1", "q2", "d1", "d2", "Q0", "0", "1"]), TEXTS, NUMBERS.map(str))


def _lines(fields: st.SearchStrategy[list[str]]) -> st.SearchStrategy[str]:
    return st.lists(fields.map(" ".join), max_size=5).map("\n".join)


_RUN = _lines(st.one_of(st.tuples(*[_WORDS] * 6).map(list), st.lists(_WORDS, max_size=7)))
_QRELS = _lines(st.one_of(st.tuples(*[_WORDS] * 4).map(list), st.lists(_WORDS, max_size=5)))
STRATEGY = damaged(st.builds(lambda run, qrels: f"{run}\n\n{qrels}".encode("utf-8", "surrogatepass"), _RUN, _QRELS))


def target(data: bytes) -> None:
    """Read a run and its judgements."""
    run, _, qrels = data.partition(b"\n\n")
    for batch in read_retrieval(str(file("data.run", run)), str(file("data.qrels", qrels))).batches():
        batch.table().to_pylist()
