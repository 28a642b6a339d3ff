"""BERTScore with a tiny model made here: equal to the package bert-score, given the same model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ragauge
from ragauge.core.ragged import BoolArray, FloatArray, Ragged
from ragauge.core.statistics import Status
from ragauge.errors import DataError, OptionError, UsageError
from ragauge.metrics.rag.bertscore import BertScore
from tests.approved import pattern

from .given import cells

pytestmark = pytest.mark.filterwarnings("default")

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "sat", "on", "mat", "a", "dog", "ran", "."]
WORDS += list("猫坐在垫子上")
ANSWERS = ["the cat sat on the mat .", "a dog ran", "猫 坐 在 垫子上", "the dog sat . a cat ran"]
REFERENCES = ["a cat sat on a mat .", "the dog ran on the mat .", "垫子上 坐 猫", "the dog sat . a cat ran"]
ROWS: list[dict[str, Any]] = [
    {"answer": answer, "references": [truth]} for answer, truth in zip(ANSWERS, REFERENCES, strict=True)
]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    torch = pytest.importorskip("torch", reason="pip install 'ragauge[st]'")
    transformers = pytest.importorskip("transformers", reason="pip install 'ragauge[st]'")
    folder = tmp_path_factory.mktemp("bert")
    torch.manual_seed(3)
    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    config = transformers.BertConfig(
        vocab_size=len(WORDS),
        hidden_size=32,
        num_hidden_layers=3,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=16,
        initializer_range=0.5,
    )
    transformers.BertModel(config).save_pretrained(folder)
    transformers.BertTokenizer(str(folder / "vocab.txt"), model_max_length=16).save_pretrained(folder)
    return str(folder)


def ours(model: str, rows: list[dict[str, Any]] = ROWS, **options: Any) -> Any:
    found = cells(BertScore(model=model, device="cpu", **options), *rows)
    return np.column_stack([found.parts["precision"], found.parts["recall"], found.scores])


@pytest.mark.parametrize("layer", [0, 2, 3])
@pytest.mark.parametrize("weighed", [False, True])
def test_equal_to_bert_score(model: str, layer: int, weighed: bool, tmp_path: Path) -> None:
    theirs = pytest.importorskip("bert_score", reason="pip install bert-score")
    lines = tmp_path / "texts.txt"
    lines.write_text("\n".join(REFERENCES), encoding="utf-8")
    expected = theirs.score(
        ANSWERS, REFERENCES, model_type=model, num_layers=layer, idf=weighed, device="cpu", use_fast_tokenizer=True
    )
    found = ours(model, layer=layer, idf=str(lines) if weighed else "none")
    np.testing.assert_allclose(found, np.column_stack([part.numpy() for part in expected]), atol=2e-6)


def test_the_best_reference_counts(model: str) -> None:
    several = [{"answer": ANSWERS[0], "references": [REFERENCES[1], "", ANSWERS[0]]}]
    np.testing.assert_allclose(ours(model, several, layer=2), 1.0)


def test_edges(model: str) -> None:
    long = " ".join(["the cat sat ."] * 9)
    found = cells(
        BertScore(model=model, layer=1, device="cpu"),
        {"answer": "", "references": ["the cat"]},
        {"answer": "the cat", "references": []},
        {"answer": None, "references": ["the cat"]},
        {"answer": long, "references": [long, "a dog"]},
    )
    assert found.sums.status.tolist() == [Status.OK, Status.UNDEFINED, Status.MISSING, Status.OK]
    assert found.scores[0] == 0.0
    assert found.parts["cut"].tolist()[3] == 2.0


def test_its_signature_names_the_content(model: str) -> None:
    identity = BertScore(model=model, layer=1).identity
    assert identity.startswith("bertscore|average=samples|idf=none|model=bert")
    assert "/" not in identity
    assert BertScore(model=model, layer=1, batch=2, device="cpu").identity == identity


def test_what_it_does_not_take(model: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has 3 layers; option layer must be from 0 to 3"):
        ours(model, layer=9)
    with pytest.raises(DataError, match="is a file of one text a line"):
        ours(model, layer=1, idf=str(tmp_path / "none.txt"))
    with pytest.raises(UsageError, match="cannot load the model"):
        ours(str(tmp_path / "nothing"))


def test_options_without_a_model() -> None:
    with pytest.raises(OptionError, match=pattern("metrics.option_model_of_bertscore_must_be_a")):
        ragauge.parse("bertscore")
    for option in ("layer=-1", "batch=0"):
        with pytest.raises(OptionError, match="of bertscore must be a whole number from"):
            ragauge.parse(f"bertscore:model=m,{option}")


def test_what_is_not_said_is_the_default() -> None:
    """A spec leaves out options that have their default."""
    assert str(BertScore(model="m", layer=9, idf="none", device="auto", batch=32)) == "bertscore:model=m"
    assert str(BertScore(model="m", layer=10, batch=33)) == "bertscore:batch=33,layer=10,model=m"


class OneHot:
    """A model whose tokens are words, each like itself alone."""

    special = np.array([0])
    signature = "one-hot"

    def __init__(self, *_: Any) -> None:
        self.words = ["[CLS]", "tea", "mat", "cup", "hot"]
        self.size = len(self.words)

    def tokens(self, texts: Sequence[str]) -> Ragged:
        return Ragged.of([[0, *map(self.words.index, text.split())] for text in texts])

    def vectors(self, tokens: Ragged) -> FloatArray:
        return np.eye(self.size)[tokens.values]

    def cut(self, texts: Sequence[str], _tokens: Ragged) -> BoolArray:
        return np.array([len(text.split()) > 3 for text in texts], dtype=bool)


def test_a_token_weighs_by_the_texts_that_have_it_however_often(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("ragauge.metrics.rag.bertscore.Contextual", OneHot)
    lines = tmp_path / "texts.txt"
    lines.write_text("tea tea tea\nmat cup\ncup\n", encoding="utf-8")
    [row] = ours("one-hot", [{"answer": "tea mat", "references": ["tea cup"]}], idf=str(lines))
    once, twice = np.log(4 / 2), np.log(4 / 3)
    assert row[:2].tolist() == pytest.approx([once / (once + once), once / (once + twice)])


def test_without_a_file_of_texts_every_token_weighs_the_same_but_for_those_of_the_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ragauge.metrics.rag.bertscore.Contextual", OneHot)
    [row] = ours("one-hot", [{"answer": "tea mat", "references": ["tea cup hot"]}])
    assert row.tolist() == pytest.approx([1 / 2, 1 / 3, 2 / 5])


def test_texts_that_were_cut_are_counted_of_answer_and_references(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragauge.metrics.rag.bertscore.Contextual", OneHot)
    long = "tea mat cup hot"
    found = cells(
        BertScore(model="one-hot"),
        {"answer": "tea", "references": ["tea", long, f"{long} tea", "mat"]},
        {"answer": long, "references": ["tea"]},
        {"answer": "", "references": [long]},
        {"answer": "tea", "references": ["tea"]},
    )
    assert found.parts["cut"].tolist() == [2.0, 1.0, 1.0, 0.0]
