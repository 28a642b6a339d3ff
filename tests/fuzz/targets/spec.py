"""Specs of metrics and ingredients: what is read is written so that it is read as the same."""

from __future__ import annotations

from hypothesis import strategies as st

from ragauge import parse
from tests.fuzz.making import TEXTS, damaged

_NAMES = ["ndcg", "bleu", "rouge-l", "chrf", "groundedness", "recall", "map", "column", "zh", "lexical", "http", "st"]
_KEYS = [
    "k",
    "order",
    "tokenizer",
    "embedder",
    "threshold",
    "gain",
    "weights",
    "url",
    "model",
    "compat",
    "name",
    "beta",
]
_PIECES = st.one_of(
    st.sampled_from([*_NAMES, *_KEYS, "@", ":", "=", ",", "[", "]", '"', "/", "10", ".5", "-1", "inf", "nan", "true"]),
    TEXTS,
)
STRATEGY = damaged(
    st.builds(
        lambda name, pieces: (name + "".join(pieces)).encode("utf-8", "surrogatepass"),
        st.sampled_from(_NAMES),
        st.lists(_PIECES, max_size=12),
    )
)


def target(data: bytes) -> None:
    """Read a spec, write it and read it again."""
    metric = parse(data.decode("utf-8", "surrogateescape"))
    assert parse(str(metric)) == metric
