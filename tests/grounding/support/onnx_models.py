"""Cross-encoders of a few numbers as files of ONNX, made here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

REASON = "pip install 'ragauge[onnx]' onnx"
WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "cat", "sat", "a", "dog", "ran", ".")
LIMIT = 40


def weights(labels: int) -> tuple[Any, Any]:
    """Return a row of logits for each word, and a factor of each of the two texts."""
    of_words = np.random.default_rng(1).normal(size=(len(WORDS), labels)).astype(np.float32) * 3
    return of_words, np.array([[1.0] * labels, [2.0] * labels], dtype=np.float32)


def logits(first: str, second: str, labels: int) -> Any:
    """Return the mean of the words' rows, those of the second text twice, as the model has it, (labels,)."""
    of_words, of_texts = weights(labels)
    one, other = (["[CLS]", *first.split(), "[SEP]"], [*second.split(), "[SEP]"])
    numbers = [WORDS.index(word) if word in WORDS else 1 for word in (*one, *other)]
    types = [0] * len(one) + [1] * len(other)
    return (of_words[numbers].astype(float) * of_texts[types]).mean(axis=0)


def make(folder: Path, labels: Sequence[str], file: str = "model.onnx", *, types: str = "token_type_ids") -> str:
    """Write a model that gives the `logits`, its tokenizer and its configuration; return the folder."""
    onnx = pytest.importorskip("onnx", reason=REASON)
    pytest.importorskip("onnxruntime", reason=REASON)
    tokenizers = pytest.importorskip("tokenizers", reason=REASON)
    h, integers, numbers = onnx.helper, onnx.TensorProto.INT64, onnx.TensorProto.FLOAT
    values = dict(zip(("words", "texts"), weights(len(labels)), strict=True))
    nodes = [
        h.make_node("Gather", ["words", "input_ids"], ["rows"]),
        h.make_node("Gather", ["texts", types], ["factors"]),
        h.make_node("Mul", ["rows", "factors"], ["products"]),
        h.make_node("ReduceMean", ["products"], ["logits"], axes=[1], keepdims=0),
    ]
    inputs = [h.make_tensor_value_info(name, integers, ["n", "m"]) for name in ("input_ids", types)]
    output = h.make_tensor_value_info("logits", numbers, ["n", len(labels)])
    constants = [onnx.numpy_helper.from_array(value, name) for name, value in values.items()]
    graph = h.make_graph(nodes, "classifier", inputs, [output], constants)
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    onnx.save(h.make_model(graph, opset_imports=[h.make_opsetid("", 13)], ir_version=8), str(folder / file))
    tokenizer = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({word: place for place, word in enumerate(WORDS)}, unk_token="[UNK]")  # noqa: S106 - of the tokenizer
    )
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    names = {name: place for place, name in enumerate(labels)}
    (folder / "config.json").write_text(json.dumps({"label2id": names, "max_position_embeddings": 512}), "utf-8")
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": LIMIT}), "utf-8")
    return str(folder)
