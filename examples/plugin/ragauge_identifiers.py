"""A tokenizer: names in code are cut into their words, ``readFile`` into ``read`` and ``File``."""

import re
from dataclasses import dataclass

import pyarrow as pa

import ragauge

TOKEN = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_A-Za-z]+|[^\w\s]")


@ragauge.ingredient("tokenizer", "identifiers")
@dataclass(frozen=True)
class Identifiers:
    """Words of camel case and snake case, numbers, and signs of their own."""

    @property
    def signature(self) -> str:
        """Name whatever changes the tokens: options, versions of libraries, a revision of the code."""
        return "identifiers[revision=1]"

    def encode(self, texts: pa.Array, vocabulary: ragauge.Vocabulary) -> ragauge.Ragged:
        """Return the tokens of n texts as n lists of codes, which ``vocabulary`` gives."""
        tokens = [TOKEN.findall(text) for text in texts.to_pylist()]
        codes = vocabulary.codes([token for one in tokens for token in one])
        return ragauge.Ragged.from_lengths(codes, [len(one) for one in tokens])
