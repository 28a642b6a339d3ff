"""Static models, as model2vec writes them."""

import json
from typing import Any

import numpy as np
import pytest

from ragauge.errors import DataError, OptionError
from tests.embedders.counting import made

safetensors = pytest.importorskip("safetensors.numpy", reason="pip install 'ragauge[static]'")
tokenizers = pytest.importorskip("tokenizers", reason="pip install 'ragauge[static]'")

WORDS = {"[UNK]": 0, "red": 1, "apple": 2, "猫": 3, "[CLS]": 4}
VECTORS = np.array([[9, 9], [1, 0], [0, 2], [3, 4], [7, 7]], dtype=np.float32)


@pytest.fixture
def folder(tmp_path: Any) -> Any:
    def write(settings: Any, **tensors: Any) -> Any:
        model = tokenizers.models.WordLevel(WORDS, unk_token="[UNK]")  # noqa: S106 - a token of text
        tokenizer = tokenizers.Tokenizer(model)
        tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
        tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
            single="[CLS] $A", special_tokens=[("[CLS]", 4)]
        )
        tokenizer.enable_truncation(4)
        tokenizer.save(str(tmp_path / "tokenizer.json"))
        safetensors.save_file({"embeddings": VECTORS, **tensors}, tmp_path / "model.safetensors")
        (tmp_path / "config.json").write_text(json.dumps(settings))
        return tmp_path

    return write


def test_a_vector_is_the_mean_of_the_known_tokens(folder: Any) -> None:
    embedder = made(f'static[path="{folder({"normalize": False})}"]')
    vectors = embedder.encode(
        ["red apple", "red blue", "猫", "blue", "", "red " * 3000 + "apple apple"], "query"
    ).values
    assert vectors[:5].tolist() == [[0.5, 1], [1, 0], [3, 4], [0, 0], [0, 0]]
    np.testing.assert_allclose(vectors[5], [3000 / 3002, 4 / 3002], rtol=1e-5)


def test_normalised_where_the_model_says_so(folder: Any) -> None:
    embedder = made(f'static[path="{folder({"normalize": True})}"]')
    assert embedder.encode(["猫", ""], "query").values.tolist() == [[np.float32(0.6), np.float32(0.8)], [0, 0]]


def test_weights_and_mapping_of_tokens(folder: Any) -> None:
    tensors = {"weights": np.array([1, 2, 1, 1, 1], dtype=np.float64), "mapping": np.array([0, 1, 1, 3, 4])}
    embedder = made(f'static[path="{folder({"normalize": False}, **tensors)}"]')
    assert embedder.encode(["red", "apple", "red apple"], "query").values.tolist() == [[2, 0], [1, 0], [1.5, 0]]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("normalize", [True, False])
def test_vectors_are_those_of_model2vec(folder: Any, normalize: Any) -> None:
    model2vec = pytest.importorskip("model2vec")
    path = folder({"normalize": normalize, "model_type": "model2vec"})
    texts = ["red apple", "red blue", "猫 red", "blue", ""]
    reference = model2vec.StaticModel.from_pretrained(str(path)).encode(texts)
    np.testing.assert_allclose(made(f'static[path="{path}"]').encode(texts, "query").values, reference, atol=1e-6)


def test_the_signature_names_the_files(folder: Any) -> None:
    one = made(f'static[path="{folder({"normalize": True})}"]').signature
    other = made(f'static[path="{folder({"normalize": False})}"]').signature
    assert one != other
    assert "/" not in one


def test_what_is_no_model_is_said(tmp_path: Any) -> None:
    with pytest.raises(DataError, match=r"model\.safetensors"):
        made(f'static[path="{tmp_path}"]').encode(["a"], "query")
    with pytest.raises(OptionError, match="folder"):
        made("static")
