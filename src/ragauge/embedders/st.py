"""``st``: any model of sentence-transformers, from a hub or a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ragauge.core.ingredients import Role
from ragauge.core.options import BatchSize
from ragauge.core.registry import ingredient
from ragauge.embedders.base import EmbedderBase, averaged, cannot_load, digest_of, quiet_loading, shared, windows
from ragauge.embedders.dense import DenseVectors
from ragauge.errors import MissingExtraError, UsageError, excerpt

_AUTO = "auto"
# The names that models' own configurations use.
_NAMES: Mapping[str, tuple[str, ...]] = {
    "query": ("query", "search_query", "retrieval.query", "s2p_query"),
    "passage": ("passage", "document", "search_document", "retrieval.passage", "s2p_passage"),
}
# Wang et al. 2024, "Multilingual E5 text embeddings": inputs begin with these; the configurations do not say so.
_E5 = {"query": "query: ", "passage": "passage: "}


@ingredient("embedder", "st")
@dataclass(frozen=True)
class SentenceTransformers(EmbedderBase):
    """Dense vectors of a sentence-transformers model: meaning, across words and, for some models, across languages.

    A text longer than the model reads is encoded in windows, whose vectors (at length 1) are averaged: nothing is cut
    off, and `ragauge.embedders.dense.DenseVectors.windowed` counts them. The last bits depend on the machine and on
    which texts are encoded together; scores agree to about six digits.

    Args:
        model: a name on the Hugging Face hub, or a folder. With ``HF_HUB_OFFLINE=1`` the hub is not asked.
        commit: the commit, branch or tag on the hub; by default the newest, whose commit the signature names.
        backend: ``torch``, ``onnx`` or ``openvino``.
        device: ``auto``, ``cpu``, ``cuda``, ``mps`` ...
        batch: texts per forward pass.
        query: the prompt before questions; ``auto``: that of the model's configuration, and for E5 ``query: ``.
        passage: the prompt before passages; likewise.

    Raises:
        MissingExtraError: sentence-transformers is not installed.
        UsageError: the model cannot be loaded.

    Source: Reimers and Gurevych 2019, "Sentence-BERT".
    """

    model: str = "intfloat/multilingual-e5-small"
    commit: str = _AUTO
    backend: Literal["torch", "onnx", "openvino"] = "torch"
    device: str = _AUTO
    batch: BatchSize = 32
    query: str = _AUTO
    passage: str = _AUTO

    @property
    def decides(self) -> Mapping[str, str]:
        """The model, its commit or the digest of its folder, the backend, and the prompts."""
        folder = Path(self.model)
        name, commit = (folder.name, digest_of(folder)) if folder.is_dir() else (self.model, self._hub_commit())
        prompts = {role: f'"{self._prompt(role)}"' for role in ("passage", "query")}
        return {"backend": self.backend, "commit": commit, "model": name, **prompts}

    @property
    def symmetric(self) -> bool:
        """Whether questions and passages get the same prompt."""
        return self._prompt("query") == self._prompt("passage")

    def encode(self, texts: Sequence[str], role: Role) -> DenseVectors:
        """Return one vector per text."""
        if not texts:
            return DenseVectors(np.empty((0, 1), dtype=np.float32))
        prompt = self._prompt(role)
        # A model without a limit reads more tokens than any text has.
        most = int(self._loaded.max_seq_length or 1 << 30)
        window_texts, counts = windows(texts, lambda some: self._token_counts(some, prompt), most)
        values = self._loaded.encode(
            window_texts, batch_size=self.batch, prompt=prompt or None, convert_to_numpy=True, show_progress_bar=False
        )
        vectors = averaged(np.asarray(values, dtype=np.float32), counts)
        windowed = {place: int(counts[place]) for place in np.flatnonzero(counts > 1).tolist()}
        return DenseVectors(vectors, windowed=windowed)

    @cached_property
    def _loaded(self) -> Any:
        return shared(_load, self.model, self.commit, self.backend, self.device)

    def _prompt(self, role: str) -> str:
        prompt: str = getattr(self, role)
        if prompt != _AUTO:
            return prompt
        own = {name: text for name, text in (self._loaded.prompts or {}).items() if text}
        for name in _NAMES[role]:
            if name in own:
                return str(own[name])
        name = self.model.rstrip("/").rpartition("/")[2].lower()
        is_e5 = "e5" in name.split("-") and "instruct" not in name and not own
        return _E5[role] if is_e5 else ""

    def _token_counts(self, texts: Sequence[str], prompt: str) -> list[int]:
        tokens = self._loaded.tokenizer([prompt + text for text in texts], truncation=False, verbose=False)
        return [len(ids) for ids in tokens["input_ids"]]

    def _hub_commit(self) -> str:
        """Return the commit that was loaded, as its configuration has it."""
        configuration = getattr(getattr(self._loaded[0], "auto_model", None), "config", None)
        return str(getattr(configuration, "_commit_hash", None) or self.commit)


def _load(model: str, commit: str, backend: str, device: str) -> Any:
    try:
        from sentence_transformers import SentenceTransformer
    except (ImportError, RuntimeError) as error:
        if isinstance(error, ModuleNotFoundError) and error.name == "sentence_transformers":
            raise MissingExtraError.of("embedder=st", "sentence-transformers", "st") from None
        raise UsageError(
            "RG-EMB-008 sentence-transformers is installed but cannot be imported: {reason}", excerpt(str(error))
        ) from error
    chosen = {"device": None if device == _AUTO else device, "revision": None if commit == _AUTO else commit}
    try:
        with quiet_loading():
            return SentenceTransformer(model, backend=backend, **chosen)
    except Exception as error:
        raise cannot_load(model, error) from error
