"""Tokenizers that decide from code points where tokens begin and end."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

import numpy as np

from ragauge.ingredients import Vocabulary
from ragauge.ragged import Ragged
from ragauge.tokenizers._base import TokenizerBase
from ragauge.tokenizers._cuts import Cut, ascii_apart, code_points, joined

if TYPE_CHECKING:
    import pyarrow as pa


class PointTokenizer(TokenizerBase):
    """A tokenizer whose rules read code points, all of them at once."""

    @abstractmethod
    def cut(self, points: Ragged) -> Cut:
        """Say where the tokens of n texts begin and end, given their code points."""

    def prepare(self, texts: pa.Array) -> pa.Array:
        """Change the texts before they are cut."""
        return texts

    def encode(self, texts: pa.Array, vocabulary: Vocabulary) -> Ragged:
        """Cut n strings into n lists of int32 codes."""
        parts, places = ascii_apart(self.prepare(texts))
        codes = [self.cut(block).encode(vocabulary) for part in parts for block in code_points(part)]
        whole = joined(codes, np.int32)
        return whole if len(parts) == 1 else whole.take(places)


class SpanTokenizer(PointTokenizer):
    """A `PointTokenizer` whose tokens are spans of the texts as given."""

    def offsets(self, texts: pa.Array) -> tuple[Ragged, Ragged]:
        """Return where each token begins and ends, in code points: n lists each of int64."""
        spans = [self.cut(part).spans() for part in code_points(texts)]
        return joined([start for start, _ in spans], np.int64), joined([end for _, end in spans], np.int64)
