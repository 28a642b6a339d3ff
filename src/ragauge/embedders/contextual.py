"""Vectors of tokens in their context, from a layer of a transformer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ragauge.core.ragged import Ragged
from ragauge.embedders.base import Loading, cannot_load, model_identity, quiet_loading, shared
from ragauge.errors import MissingExtraError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragauge.core.ragged import BoolArray, FloatArray, IntArray

# Tokenizers without a limit state a number above this.
_NO_LIMIT = 1 << 30


@dataclass(frozen=True)
class Contextual(Loading):
    """A transformer up to one of its layers."""

    model: str  # a name on the Hugging Face hub, or a folder
    layer: int  # hidden states of this layer, 0 being the embeddings
    device: str = "auto"  # or cpu, cuda ...
    batch: int = 32  # texts of equal length per forward pass; none is padded

    @cached_property
    def signature(self) -> str:
        """The model by name and content, and the layer."""
        return f"{model_identity(self.model)}[layer={self.layer}]"

    def tokens(self, texts: Sequence[str]) -> Ragged:
        """Return the numbers of the tokens of n texts, special ones among them, cut at what the model reads."""
        limit = int(self._tokenizer.model_max_length)
        options = {"truncation": True, "max_length": limit} if limit < _NO_LIMIT else {}
        codes = [self._tokenizer(text.strip(), **options)["input_ids"] for text in texts]
        return Ragged.of(codes, np.int64)

    def cut(self, texts: Sequence[str], tokens: Ragged) -> BoolArray:
        """Return a mask of the texts that are longer than the model reads, shape (n,)."""
        truncated = tokens.lengths >= int(self._tokenizer.model_max_length)
        for place in np.flatnonzero(truncated).tolist():
            whole = self._tokenizer(texts[place].strip(), verbose=False)["input_ids"]
            truncated[place] = len(whole) > tokens.lengths[place]
        return np.asarray(truncated)

    @property
    def size(self) -> int:
        """How many different tokens there are."""
        return len(self._tokenizer)

    @property
    def special(self) -> IntArray:
        """The numbers of the tokens that begin and end a text."""
        known = (self._tokenizer.cls_token_id, self._tokenizer.sep_token_id)
        return np.array([number for number in known if number is not None], dtype=np.int64)

    def vectors(self, tokens: Ragged) -> FloatArray:
        """Return the vectors of all tokens of n texts, one after the other, at length 1: (m, d) float64."""
        import torch

        out: list[FloatArray] = [np.empty((0, 1))] * len(tokens)
        for length in np.unique(tokens.lengths).tolist():
            same = np.flatnonzero(tokens.lengths == length).tolist()
            for first in range(0, len(same), self.batch):
                part = same[first : first + self.batch]
                ids = torch.tensor(np.stack([tokens[place] for place in part]), device=self._network.device)
                with torch.no_grad():
                    states = self._network(input_ids=ids, output_hidden_states=True).hidden_states[self.layer]
                for place, vectors in zip(part, states.double().cpu().numpy(), strict=True):
                    out[place] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.concatenate(out) if out else np.empty((0, 1))

    @cached_property
    def _tokenizer(self) -> Any:
        return shared(_load, self.model, "AutoTokenizer")

    @cached_property
    def _network(self) -> Any:
        network = shared(_load_network, self.model, self.device)
        layers = int(network.config.num_hidden_layers)
        if self.layer > layers:
            raise UsageError(
                "RG-EMB-004 the model {model!r} has {layers} layers; option layer must be from 0 to {layers}",
                self.model,
                layers,
            )
        return network


def _load_network(model: str, device: str) -> Any:
    network = _load(model, "AutoModel")
    import torch

    default = "cuda" if torch.cuda.is_available() else "cpu"
    return network.eval().to(default if device == "auto" else device)


def _load(model: str, kind: str) -> Any:
    try:
        import transformers
    except ImportError:
        raise MissingExtraError.of("bertscore", "transformers", "st") from None
    try:
        loader = getattr(transformers, kind)
        with quiet_loading():
            return loader.from_pretrained(model)
    except Exception as error:
        raise cannot_load(model, error) from error
