"""``static``: one vector per token, averaged; models as model2vec writes them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from ragauge.core.ingredients import Role
from ragauge.core.options import Text
from ragauge.core.ragged import IntArray, Ragged
from ragauge.core.registry import ingredient
from ragauge.embedders.base import EmbedderBase, at_length_one, digest_of, shared
from ragauge.embedders.dense import DenseVectors
from ragauge.errors import DataError, MissingExtraError, excerpt

_BLOCK = 1024


@dataclass(frozen=True, eq=False)
class _Table:
    """A tokenizer, the vector of each token (v, d), and what is done with them."""

    tokenizer: Any
    vectors: npt.NDArray[np.float32]
    mapping: IntArray
    unknown: int
    normalize: bool


@ingredient("embedder", "static")
@dataclass(frozen=True)
class Static(EmbedderBase):
    """Dense vectors of a static model: the mean of the vectors of a text's tokens, unknown ones left out.

    Reads the folder of a model2vec model (``model.safetensors``, ``tokenizer.json``, ``config.json``) without that
    package. Texts are read to their end, however long. A text with no known token has the zero vector.

    Args:
        path: the folder.

    Raises:
        OptionError: no path is given.
        DataError: there is no such model.
        MissingExtraError: tokenizers or safetensors is not installed.

    Source: model2vec 0.10.0 (``model.py``); deviation: no text is cut at 512 tokens.
    """

    path: Annotated[str, Text("the folder of a model2vec model")]

    @property
    def decides(self) -> Mapping[str, str]:
        """The name of the folder and the digest of its files."""
        return {"files": digest_of(Path(self.path)), "model": Path(self.path).name}

    def encode(self, texts: Sequence[str], role: Role) -> DenseVectors:  # noqa: ARG002 - the same for both roles
        """Return one vector per text."""
        blocks = [self._means(texts[first : first + _BLOCK]) for first in range(0, len(texts), _BLOCK)]
        width = self._table.vectors.shape[1]
        return DenseVectors(np.concatenate([np.empty((0, width), dtype=np.float32), *blocks]))

    def _means(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        table = self._table
        lists = [tokens.ids for tokens in table.tokenizer.encode_batch(list(texts), add_special_tokens=False)]
        flat = np.fromiter(chain.from_iterable(lists), dtype=np.int64)
        known = flat != table.unknown
        rows = Ragged.from_lengths(flat, [len(ids) for ids in lists]).rows[known]
        lengths = np.bincount(rows, minlength=len(texts))
        means = np.zeros((len(texts), table.vectors.shape[1]), dtype=np.float32)
        filled = lengths > 0
        starts = (np.cumsum(lengths) - lengths)[filled]
        vectors = table.vectors[table.mapping[flat[known]]]
        if filled.any():
            means[filled] = np.add.reduceat(vectors, starts) / lengths[filled, None]
        return at_length_one(means) if table.normalize else means

    @cached_property
    def _table(self) -> _Table:
        return shared(_load, self.path)


def _load(path: str) -> _Table:
    try:
        from safetensors.numpy import load_file

        from tokenizers import Tokenizer
    except ImportError:
        raise MissingExtraError.of("embedder=static", "tokenizers and safetensors", "static") from None
    folder = Path(path)
    try:
        tensors = load_file(folder / "model.safetensors")
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        settings = json.loads((folder / "config.json").read_text("utf-8"))
        return _table(tensors, tokenizer, settings)
    except Exception as error:
        raise DataError(
            "RG-EMB-009 cannot read a model2vec model from {path!r}: {reason}; it needs model.safetensors with "
            "the tensor 'embeddings', tokenizer.json and config.json",
            path,
            excerpt(str(error)),
        ) from error


def _table(tensors: Mapping[str, Any], tokenizer: Any, settings: Mapping[str, Any]) -> _Table:
    """Apply the weights of tokens, and look up the number of the unknown token."""
    vectors = tensors["embeddings"].astype(np.float32)
    mapping = tensors.get("mapping", np.arange(len(vectors))).astype(np.int64)
    if "weights" in tensors:
        vectors = vectors[mapping] * tensors["weights"].astype(np.float32)[:, None]
        mapping = np.arange(len(vectors))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    model = json.loads(tokenizer.to_str())["model"]
    unknown = model.get("unk_token")
    number = tokenizer.token_to_id(unknown) if isinstance(unknown, str) else model.get("unk_id")
    return _Table(tokenizer, vectors, mapping, -1 if number is None else int(number), bool(settings.get("normalize")))
