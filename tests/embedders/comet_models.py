"""Tiny COMET models, made here with random weights: one of each kind that unbabel-comet has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

REASON = "pip install 'ragauge[comet]'"
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "sat", "on", "mat", "a", "dog", "ran", "."]
WORDS += list("猫坐在垫子上狗")
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "regression": ("RegressionMetric", {"layer": "mix"}),
    "referenceless": ("ReferencelessRegression", {"layer": "mix"}),
    "unified": ("UnifiedMetric", {"sent_layer": "mix", "input_segments": ["mt", "src", "ref"]}),
    "kiwi": ("UnifiedMetric", {"sent_layer": "mix", "input_segments": ["mt", "src"]}),
}
"""Kind -> its class, and its own options."""


def models(folder: Path) -> Path:
    """Write a folder for each of `KINDS`, and return where they are; skip without unbabel-comet."""
    theirs = pytest.importorskip("comet.models", reason=REASON, exc_type=ImportError)
    torch, transformers, yaml = map(pytest.importorskip, ("torch", "transformers", "yaml"))
    encoder = folder / "encoder"
    encoder.mkdir(parents=True)
    (encoder / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 16}
    config = transformers.BertConfig(vocab_size=len(WORDS), max_position_embeddings=32, initializer_range=0.5, **sizes)
    config.save_pretrained(encoder)
    transformers.BertTokenizer(str(encoder / "vocab.txt"), model_max_length=32).save_pretrained(encoder)
    torch.manual_seed(3)
    shared = {"encoder_model": "BERT", "pretrained_model": str(encoder), "hidden_sizes": [8]}
    for kind, (name, options) in KINDS.items():
        model = getattr(theirs, name)(load_pretrained_weights=False, **shared, **options)
        (folder / kind / "checkpoints").mkdir(parents=True)
        found = dict(model.hparams)
        (folder / kind / "hparams.yaml").write_text(yaml.dump(found), encoding="utf-8")
        kept = {"state_dict": model.state_dict(), "hyper_parameters": found, "pytorch-lightning_version": "2.0.0"}
        torch.save(kept, folder / kind / "checkpoints" / "model.ckpt")
    return folder
