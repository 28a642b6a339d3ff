"""Tokenizers: the first byte says which; tokens are parts of the text, and each text has its own."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import strategies as st

from ragauge import Vocabulary
from ragauge.tokenizers import get
from tests.fuzz.making import TEXTS, damaged

_NAMES = (
    "auto",
    "char",
    "13a",
    "intl",
    "whitespace",
    "rouge-score",
    "sacrebleu-zh",
    "zh",
    "cmrc2018",
    "dureader",
    "crud-rag",
)
STRATEGY = st.builds(
    lambda place, texts: bytes([place]) + texts,
    st.integers(0, len(_NAMES) - 1),
    damaged(st.lists(TEXTS, max_size=4).map(lambda texts: "\n".join(texts).encode("utf-8", "surrogatepass"))),
)


def target(data: bytes) -> None:
    """Cut each line by itself and all together."""
    name = _NAMES[(data or b"\0")[0] % len(_NAMES)]
    texts = data[1:].decode("utf-8", "ignore").split("\n")
    vocabulary = Vocabulary()
    together = get(name).encode(pa.array(texts, pa.large_string()), vocabulary).to_lists()
    alone = [get(name).encode(pa.array([text], pa.large_string()), vocabulary).to_lists()[0] for text in texts[:3]]
    assert together[:3] == alone
