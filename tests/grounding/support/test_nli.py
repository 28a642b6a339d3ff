"""The support of a cross-encoder: a tiny model made here, read as the library itself reads it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragauge.core.ragged import Ragged
from ragauge.errors import MissingExtraError, OptionError, UsageError
from ragauge.grounding.support.nli import Nli

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "sat", "a", "dog", "ran", "."]
CLAIMS = Ragged.of([["the cat sat .", "a dog ran ."], [], ["the cat sat ."]])
EVIDENCE = Ragged.of([["a cat sat .", "the dog ran ."], ["a dog ."], ["a cat sat ."]])


def make(folder: Path, labels: list[str]) -> str:
    """Write a cross-encoder of one layer with random weights."""
    torch = pytest.importorskip("torch", reason="pip install 'ragauge[st]'")
    transformers = pytest.importorskip("transformers", reason="pip install 'ragauge[st]'")
    torch.manual_seed(1)
    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    names = dict(enumerate(labels))
    config = transformers.BertConfig(
        vocab_size=len(WORDS),
        num_labels=len(labels),
        id2label=names,
        label2id={name: place for place, name in names.items()},
        initializer_range=0.5,
        **sizes,
    )
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    transformers.BertTokenizer(str(folder / "vocab.txt"), model_max_length=40).save_pretrained(folder)
    return str(folder)


def predicted(model: str, pairs: list[tuple[str, str]]) -> Any:
    library = pytest.importorskip("sentence_transformers", reason="pip install 'ragauge[st]'")
    return library.CrossEncoder(model, device="cpu").predict(pairs, apply_softmax=True)


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.mark.filterwarnings("default")
def test_probability_of_entailment(tmp_path: Path) -> None:
    model = make(tmp_path, ["contradiction", "neutral", "entailment"])
    found = Nli(model=model, device="cpu").degrees(CLAIMS, EVIDENCE)
    pairs = [(e, c) for c in CLAIMS[0].tolist() for e in EVIDENCE[0].tolist()] + [("a cat sat .", "the cat sat .")]
    np.testing.assert_allclose(found, predicted(model, pairs)[:, 2], atol=1e-6)
    assert len(set(found.round(4).tolist())) > 1


@pytest.mark.filterwarnings("default")
def test_long_evidence_is_read_in_windows(tmp_path: Path) -> None:
    """Ninety words more than the model reads at once: what stands at the end is read as well."""
    model = make(tmp_path, ["contradiction", "neutral", "entailment"])
    support = Nli(model=model, device="cpu")
    start, end = " ".join(["the cat sat ."] * 25), "a dog ran . " * 6
    claims = Ragged.of([["the dog ran ."]])
    whole, without = (float(support.degrees(claims, Ragged.of([[text]]))[0]) for text in (start + " " + end, start))
    pieces = [text for text, _ in support._in_windows(start + " " + end, "the dog ran .")]
    assert len(pieces) > 2
    assert " ".join("".join(pieces).split()) == " ".join((start + " " + end).split())
    found = predicted(model, [(piece, "the dog ran .") for piece in pieces])[:, 2]
    assert whole == pytest.approx(found.max(), abs=1e-6)
    assert 0 < without < 1


@pytest.mark.filterwarnings("default")
def test_one_label_and_labels_by_name(tmp_path: Path) -> None:
    for name, labels in (("one", ["score"]), ("odd", ["yes", "no"])):
        (tmp_path / name).mkdir()
        make(tmp_path / name, labels)
    single = Nli(model=str(tmp_path / "one"), device="cpu").degrees(CLAIMS, EVIDENCE)
    assert ((single > 0) & (single < 1)).all()
    yes, no = (
        Nli(model=str(tmp_path / "odd"), label=name, device="cpu").degrees(CLAIMS, EVIDENCE) for name in ("yes", "no")
    )
    np.testing.assert_allclose(yes + no, 1.0)
    with pytest.raises(UsageError, match=r"no, yes; name the one that means support: nli\[label=\.\.\.\]"):
        Nli(model=str(tmp_path / "odd"), device="cpu").degrees(CLAIMS, EVIDENCE)


@pytest.mark.filterwarnings("default")
def test_its_signature_names_the_content_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(b"x")
    first = Nli(model=str(tmp_path)).signature
    (tmp_path / "model.bin").write_bytes(b"y")
    assert Nli(model=str(tmp_path)).signature != first
    assert str(tmp_path) not in first


def test_what_it_does_not_take() -> None:
    for options in ({}, {"model": "m", "threshold": 0.0}, {"model": "m", "batch": 0}):
        with pytest.raises(OptionError, match="of support 'nli' must be"):
            Nli(**options)  # type: ignore[arg-type]


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'ragauge\[st\]'"):
        Nli(model="m").degrees(CLAIMS, EVIDENCE)


@pytest.mark.filterwarnings("default")
def test_a_model_that_is_not_there(tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers", reason="pip install 'ragauge[st]'")
    with pytest.raises(UsageError, match="cannot load the model"):
        Nli(model=str(tmp_path / "none")).degrees(CLAIMS, EVIDENCE)
