"""Models that read two texts together, as loaded: by sentence-transformers, or by ONNX Runtime from local files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np

from ragauge.core.ragged import FloatArray
from ragauge.embedders.base import cannot_load, digest_of, model_identity, quiet_loading
from ragauge.errors import MissingExtraError, UsageError, excerpt

Backend: TypeAlias = Literal["torch", "onnx"]

# Tokenizers without a limit state a very large number.
_NO_LIMIT = 1 << 30
_DEFAULT_LIMIT = 512
# Models whose places begin behind the number of the padding token, so that two fewer tokens fit.
_OFFSET_PLACES = ("roberta", "xlm-roberta", "camembert")
_FILES = ("model.onnx", "onnx/model.onnx")


class PairModel(Protocol):
    """A classifier of pairs of texts."""

    @property
    def most(self) -> int:
        """The tokens of a pair that it reads."""

    @property
    def labels(self) -> Mapping[str, int]:
        """The place of each label by its name, in lower case."""

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return how many tokens each text has, without special ones."""

    def logits(self, pairs: Sequence[tuple[str, str]], batch: int) -> FloatArray:
        """Return the logits of each pair, (p, labels); what a pair has beyond ``most`` is cut."""


@dataclass(frozen=True, eq=False)
class TorchModel:
    """A CrossEncoder of sentence-transformers."""

    loaded: Any
    most: int
    labels: Mapping[str, int]

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return how many tokens each text has."""
        tokens = self.loaded.tokenizer(list(texts), add_special_tokens=False, truncation=False, verbose=False)
        return [*map(len, tokens["input_ids"])]

    def logits(self, pairs: Sequence[tuple[str, str]], batch: int) -> FloatArray:
        """Return the logits of each pair, (p, labels)."""
        options = {"batch_size": batch, "activation_fn": lambda logits: logits, "show_progress_bar": False}
        return np.asarray(self.loaded.predict(list(pairs), **options), dtype=np.float64).reshape(len(pairs), -1)


@dataclass(frozen=True, eq=False)
class OnnxModel:
    """A classifier in a file of ONNX, with ``tokenizer.json`` beside or above it, and ``config.json`` if there is one.

    Each pair is read alone, so that its logits are the same bits whatever is read with it.
    """

    session: Any
    tokenizer: Any
    inputs: Sequence[str]
    most: int
    labels: Mapping[str, int]

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return how many tokens each text has."""
        self.tokenizer.no_truncation()
        counts = [len(one.ids) for one in self.tokenizer.encode_batch(list(texts), add_special_tokens=False)]
        self.tokenizer.enable_truncation(self.most)
        return counts

    def logits(self, pairs: Sequence[tuple[str, str]], batch: int) -> FloatArray:  # noqa: ARG002 - each pair is read alone
        """Return the logits of each pair, (p, labels)."""
        return np.concatenate([self._one(pair) for pair in self.tokenizer.encode_batch(list(pairs))])

    def _one(self, encoded: Any) -> FloatArray:
        values = {
            "input_ids": encoded.ids,
            "attention_mask": encoded.attention_mask,
            "token_type_ids": encoded.type_ids,
        }
        fed = {name: np.array([values[name]], dtype=np.int64) for name in self.inputs if name in values}
        try:
            return np.asarray(self.session.run(None, fed)[0], dtype=np.float64).reshape(1, -1)
        except Exception as error:
            first_line = excerpt(str(error).strip().partition("\n")[0])
            raise UsageError(
                "RG-SUPPORT-008 the ONNX model cannot read a pair of texts: {first_line}; it needs the inputs "
                "input_ids and attention_mask, and gives logits",
                first_line,
            ) from error


def load_torch(model: str, option: str, device: str) -> TorchModel:
    """Load a model by its name on the hub, or from a folder."""
    try:
        from sentence_transformers import CrossEncoder
    except ImportError:
        raise MissingExtraError.of(option, "sentence-transformers", "st") from None
    try:
        with quiet_loading():
            loaded = CrossEncoder(model, device=None if device == "auto" else device)
    except Exception as error:
        raise cannot_load(model, error) from error
    most = min(int(loaded.tokenizer.model_max_length), _NO_LIMIT)
    return TorchModel(loaded, most, _lower(loaded.config.label2id))


def load_onnx(model: str, option: str, device: str) -> OnnxModel:
    """Load a model from a folder or a file; no network is touched."""
    try:
        import onnxruntime

        from tokenizers import Tokenizer
    except ImportError:
        raise MissingExtraError.of(f"{option} with backend=onnx", "onnxruntime and tokenizers", "onnx") from None
    file = onnx_file(model)
    folder = next((one for one in file.parents[:2] if (one / "tokenizer.json").is_file()), file.parent)
    provider = "CPUExecutionProvider" if device in ("auto", "cpu") else f"{device.upper()}ExecutionProvider"
    try:
        session = onnxruntime.InferenceSession(str(file), providers=[provider])
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        config, stated = (_stated(folder / name) for name in ("config.json", "tokenizer_config.json"))
        most = _limit(config, stated)
        labels = _lower(config.get("label2id") or {})
    except Exception as error:
        raise cannot_load(model, error) from error
    tokenizer.no_padding()
    tokenizer.enable_truncation(most)
    return OnnxModel(session, tokenizer, [one.name for one in session.get_inputs()], most, labels)


def onnx_file(model: str) -> Path:
    """Return the file of a model that is given by it or by its folder; UsageError where there is none."""
    path = Path(model)
    file = path if path.is_file() else next((path / name for name in _FILES if (path / name).is_file()), None)
    if file is None:
        raise UsageError(
            "RG-SUPPORT-007 no ONNX model at {model!r}: give the folder that holds {files}, or a file .onnx with "
            "tokenizer.json and config.json beside it",
            model,
            " or ".join(_FILES),
        )
    return file


def identity_of(model: str, backend: Backend) -> str:
    """Return the name of a model and the digest of its files; of a name on the hub the name."""
    if backend == "torch":
        return model_identity(model)
    file = onnx_file(model)
    folder = file.parent if Path(model).is_file() else Path(model)
    return f"{folder.resolve().name}/{file.relative_to(folder).as_posix()}@{digest_of(folder)}"


def _stated(file: Path) -> dict[str, Any]:
    """Return what a file of a model states; nothing where it is not there."""
    return dict(json.loads(file.read_text("utf-8"))) if file.is_file() else {}


def _limit(config: Mapping[str, Any], tokenizer: Mapping[str, Any]) -> int:
    """Return the tokens that a model reads, from its own configuration and that of its tokenizer."""
    places = config.get("max_position_embeddings", _NO_LIMIT)
    places -= 2 if config.get("model_type") in _OFFSET_PLACES else 0
    most = min(int(places), int(tokenizer.get("model_max_length", _NO_LIMIT)), _NO_LIMIT)
    return most if most < _NO_LIMIT else _DEFAULT_LIMIT


def _lower(labels: Mapping[Any, Any]) -> dict[str, int]:
    return {str(name).lower(): int(place) for name, place in labels.items()}
