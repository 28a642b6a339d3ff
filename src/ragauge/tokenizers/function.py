"""``function``: a function of the user's own that cuts a text into tokens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa

from ragauge.core.arrow import to_numpy
from ragauge.core.functions import OfFunction
from ragauge.core.ingredients import Vocabulary
from ragauge.core.ragged import Ragged
from ragauge.core.registry import ingredient
from ragauge.errors import UsageError
from ragauge.formats.fields import kind_of
from ragauge.tokenizers.base import TokenizerBase


@ingredient("tokenizer", "function")
@dataclass(frozen=True)
class FunctionTokenizer(OfFunction, TokenizerBase):
    """A function that takes a text and returns the list of its tokens.

    ``tokenizer=app.py:cut`` and ``tokenizer=app:cut`` mean ``function[name=app.py:cut]``, and from Python the function
    itself is enough. It is called once for each distinct text. An empty token does not count, and one of white space
    alone only where punctuation counts.

    >>> FunctionTokenizer(str.split).tokens("猫 坐")
    ['猫', '坐']
    """

    methods: ClassVar[Mapping[str, str]] = {
        "tokenize": "tokenizer=lambda text: tokenizer.tokenize(text)",
        "lcut": "tokenizer=lambda text: tokenizer.lcut(text)",
    }

    def encode(self, texts: pa.Array, vocabulary: Vocabulary) -> Ragged:
        """Return the codes of n strings, n lists of int32."""
        distinct = texts.dictionary_encode()
        tokens = [self._cut(text) for text in distinct.dictionary.to_pylist()]
        codes = vocabulary.codes([token for one in tokens for token in one])
        return Ragged.from_lengths(codes, list(map(len, tokens))).take(to_numpy(distinct.indices))

    def _cut(self, text: str) -> list[str]:
        tokens = self.called(text)
        if isinstance(tokens, str) or not hasattr(tokens, "__iter__"):
            raise UsageError("RG-TOKEN-007 {name} must return a list of tokens; got {kind}", self.name, kind_of(tokens))
        found = list(tokens)
        wrong = next((one for one in found if not isinstance(one, str)), None)
        if wrong is not None:
            raise UsageError(
                "RG-TOKEN-008 {name} must return tokens that are texts; got {kind}", self.name, kind_of(wrong)
            )
        return found
