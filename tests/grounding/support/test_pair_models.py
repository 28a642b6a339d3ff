"""Cross-encoders by ONNX Runtime: the numbers of the model, long texts, files that are not there or not fit."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import ragauge
from ragauge.core.ragged import Ragged
from ragauge.errors import MissingExtraError, OptionError, UsageError
from ragauge.grounding.relevance.reranker import Reranker
from ragauge.grounding.support.nli import Nli
from ragauge.grounding.support.pair_models import identity_of, onnx_file

from .onnx_models import logits, make

CLAIMS = Ragged.of([["the cat sat .", "a dog ran ."], [], ["the cat sat ."]])
EVIDENCE = Ragged.of([["a cat sat .", "the dog ran ."], ["a dog ."], ["a cat sat ."]])
LABELS = ("contradiction", "neutral", "ENTAILMENT")


def entailed(evidence: str, claim: str) -> float:
    powers = np.exp(logits(evidence, claim, 3))
    return float(powers[2] / powers.sum())


def test_probability_of_entailment(tmp_path: Path) -> None:
    model = Nli(model=make(tmp_path, LABELS), backend="onnx")
    pairs = [(e, c) for c in CLAIMS[0].tolist() for e in EVIDENCE[0].tolist()] + [("a cat sat .", "the cat sat .")]
    expected = [entailed(*pair) for pair in pairs]
    np.testing.assert_allclose(model.degrees(CLAIMS, EVIDENCE), expected, atol=1e-6)
    assert len({round(value, 4) for value in expected}) > 1


def test_one_output_of_a_reranker_reads_the_question_first(tmp_path: Path) -> None:
    model = Reranker(model=make(tmp_path, ["score"], "onnx/model.onnx"), backend="onnx")
    questions, passages = Ragged.of([["the cat ran ."], []]), Ragged.of([["a cat sat .", " ", "a dog ."], ["a dog ."]])
    expected = [1 / (1 + np.exp(-logits("the cat ran .", text, 1)[0])) for text in ("a cat sat .", "a dog .")]
    found = model.probabilities(questions, passages)
    np.testing.assert_allclose(found, [expected[0], 0.0, expected[1], 0.0], atol=1e-6)


def test_one_output_has_no_name_so_that_it_needs_no_configuration(tmp_path: Path) -> None:
    model, questions, passages = make(tmp_path, ["score"]), Ragged.of([["the cat ran ."]]), Ragged.of([["a cat sat ."]])
    (tmp_path / "config.json").unlink()
    [found] = Reranker(model=model, backend="onnx").probabilities(questions, passages)
    assert found == pytest.approx(1 / (1 + np.exp(-logits("the cat ran .", "a cat sat .", 1)[0])))


def test_a_pair_is_the_same_bits_whatever_is_read_with_it(tmp_path: Path) -> None:
    model = Nli(model=make(tmp_path, LABELS), backend="onnx")
    together = model.degrees(CLAIMS, EVIDENCE)
    one = Nli(model=str(tmp_path), backend="onnx", batch=1).degrees(
        CLAIMS.take(np.array([2])), EVIDENCE.take(np.array([2]))
    )
    assert one[0] == together[-1]


def test_long_texts_are_read_in_windows_and_long_claims_cut(tmp_path: Path) -> None:
    model = Nli(model=make(tmp_path, LABELS), backend="onnx")
    start, end = " ".join(["the cat sat ."] * 25), "a dog ran . " * 6
    claims, evidence = Ragged.of([["the dog ran ."]]), Ragged.of([[start + " " + end]])
    pieces = [text for text, _ in model._in_windows(start + " " + end, "the dog ran .")]
    assert len(pieces) > 2
    assert model.degrees(claims, evidence)[0] == pytest.approx(
        max(entailed(piece, "the dog ran .") for piece in pieces)
    )
    assert [counts.tolist() for counts in model.noted(claims, evidence).values()] == [[1], [0]]
    assert [counts.tolist() for counts in model.noted(evidence, claims).values()][1] == [1]
    assert 0 < model.degrees(evidence, claims)[0] < 1


def test_from_a_spec_to_scores(tmp_path: Path) -> None:
    model = make(tmp_path, LABELS)
    row = {"question": "the cat ?", "answer": "the cat sat .", "contexts": ["a cat sat .", "a dog ran ."]}
    specs = [f'groundedness:support=nli[model="{model}",backend=onnx]']
    result = ragauge.evaluate([row], specs, resamples=0)
    assert result.table[0].value in (0.0, 1.0)
    assert result.table[0].compared_by == "nli"
    assert f"support=nli[backend=onnx,label=auto,model={tmp_path.name}/model.onnx@" in result.table[0].signature
    assert str(tmp_path) not in result.table[0].signature


def test_the_signature_names_file_and_content(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"x")
    folder = Nli(model=str(tmp_path), backend="onnx").signature
    file = Nli(model=str(tmp_path / "model.onnx"), backend="onnx").signature
    assert folder == file
    (tmp_path / "model.onnx").write_bytes(b"y")
    assert Nli(model=str(tmp_path), backend="onnx").signature != folder
    assert "backend" not in Nli(model=str(tmp_path)).signature


def test_what_cannot_be_loaded_says_what_it_needs(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime", reason="pip install 'ragauge[onnx]'")
    pytest.importorskip("tokenizers", reason="pip install 'ragauge[onnx]'")
    with pytest.raises(
        UsageError, match=r"no ONNX model at 'org/model': give the folder that holds model\.onnx or onnx/"
    ):
        Nli(model="org/model", backend="onnx").degrees(CLAIMS, EVIDENCE)
    (tmp_path / "model.onnx").write_bytes(b"no model")
    with pytest.raises(UsageError, match="cannot load the model"):
        Nli(model=str(tmp_path), backend="onnx").degrees(CLAIMS, EVIDENCE)
    odd = tmp_path / "odd"
    make(odd, LABELS, types="pixel_values")
    with pytest.raises(
        UsageError, match=r"the ONNX model cannot read a pair of texts: .*it needs the inputs input_ids"
    ):
        Nli(model=str(odd), backend="onnx").degrees(CLAIMS, EVIDENCE)
    named = tmp_path / "named"
    make(named, ["yes", "no"])
    with pytest.raises(UsageError, match=r"no, yes; name the one that means support: nli\[label=\.\.\.\]"):
        Nli(model=str(named), backend="onnx").degrees(CLAIMS, EVIDENCE)
    with pytest.raises(UsageError, match="has 2 outputs; a reranker has one"):
        Reranker(model=str(named), backend="onnx").probabilities(
            CLAIMS.take(np.array([2])), EVIDENCE.take(np.array([2]))
        )


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtraError, match=r"support=nli with backend=onnx needs .*pip install 'ragauge\[onnx\]'"):
        Nli(model="m", backend="onnx").degrees(CLAIMS, EVIDENCE)
    with pytest.raises(OptionError, match="option 'backend' of support 'nli' must be torch or onnx"):
        ragauge.parse("groundedness:support=nli[model=m,backend=jax]")


def test_the_file_of_a_model_is_named_or_in_its_folder(tmp_path: Path) -> None:
    below = tmp_path / "onnx" / "model.onnx"
    below.parent.mkdir()
    below.write_bytes(b"x")
    assert onnx_file(str(tmp_path)) == onnx_file(str(below)) == below
    beside = tmp_path / "model.onnx"
    beside.write_bytes(b"y")
    assert onnx_file(str(tmp_path)) == beside
    with pytest.raises(UsageError, match=r"no ONNX model at .*give the folder that holds model\.onnx or onnx/model"):
        onnx_file(str(tmp_path / "none"))


def test_an_identity_has_the_content_of_a_folder_and_the_name_on_a_hub(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"x")
    first = identity_of(str(tmp_path), "onnx")
    assert first.startswith(f"{tmp_path.name}/model.onnx@")
    (tmp_path / "model.onnx").write_bytes(b"y")
    assert identity_of(str(tmp_path), "onnx") != first
    assert identity_of("org/name", "torch") == "org/name"
