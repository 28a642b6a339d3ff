"""A model is loaded once a process, and not before it is known that it will be of use."""

from __future__ import annotations

import json
import logging
import os
import pickle
import sys
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ragauge
from ragauge.embedders import get
from ragauge.embedders.base import in_folder, quiet_loading
from ragauge.embedders.st import SentenceTransformers
from ragauge.errors import UnknownNameError, UsageError
from ragauge.evaluation.request import shared_ingredient
from tests.approved import pattern

METRICS = ("semantic-similarity", "answer-relevancy", "answer-correctness", "groundedness", "context-recall")
ROWS = [{"question": "Who?", "answer": "Lin.", "references": ["Lin Wan."], "contexts": ["Lin Wan came."]}]


class _Model:
    """Stands for a model of sentence-transformers; counts how often one is loaded."""

    loaded: list[str] = []  # noqa: RUF012 - emptied by the fixture
    prompts: dict[str, str] = {}  # noqa: RUF012
    max_seq_length = 100

    def __init__(self, name: str, **_options: Any) -> None:
        self.loaded.append(name)

    def __getitem__(self, _place: int) -> None:
        """Have no module that knows a commit."""

    def tokenizer(self, texts: list[str], **_options: Any) -> Any:
        return {"input_ids": [text.split() for text in texts]}

    def encode(self, texts: list[str], **_options: Any) -> Any:
        return np.array([[len(text), 1.0] for text in texts], dtype=np.float32)


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Stand in for sentence-transformers; return the names of the models that are loaded."""
    module = ModuleType("sentence_transformers")
    module.__dict__["SentenceTransformer"] = _Model
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    _Model.loaded.clear()
    return _Model.loaded


def test_five_metrics_load_one_model(library: list[str]) -> None:
    options = "embedder=st[model=five/metrics]"
    metrics = [f"{name}:{options}" + (",threshold=.5" if place > 1 else "") for place, name in enumerate(METRICS)]
    ragauge.evaluate(ROWS, metrics, resamples=0)
    ragauge.evaluate(ROWS, metrics[:1], resamples=0)
    assert library == ["five/metrics"]


def test_a_missing_threshold_is_an_error_before_any_model_is_loaded(library: list[str]) -> None:
    metrics = [f"{name}:embedder=st[model=no/threshold]" for name in ("semantic-similarity", "groundedness")]
    with pytest.raises(UsageError, match=pattern("embedders.no_threshold_was_measured_for_cosine_of")):
        ragauge.evaluate(ROWS, metrics, resamples=0)
    assert not library


def test_loading_shows_warnings_of_wrong_weights_and_no_remarks(capfd: pytest.CaptureFixture[str]) -> None:
    remarks = "Loading weights", "Some weights are UNEXPECTED", "You are sending unauthenticated requests"
    telling = "MISSING: those params were newly initialized because missing from the checkpoint."
    own = logging.StreamHandler()
    hub = logging.getLogger("huggingface_hub")
    hub.addHandler(own)
    try:
        with quiet_loading():
            for place, remark in enumerate(remarks):
                logging.getLogger(
                    ("transformers.modeling_utils", "sentence_transformers", "huggingface_hub")[place]
                ).warning(remark)
            logging.getLogger("huggingface_hub.utils").warning(telling)
            logging.getLogger("transformers").error("no such file")
            warnings.warn("resume_download is deprecated", FutureWarning, stacklevel=1)
        hub.warning("after it all is as it was")
    finally:
        hub.removeHandler(own)
    shown = capfd.readouterr().err
    assert telling in shown
    assert "as it was" in shown
    assert not any(remark in shown for remark in (*remarks, "deprecated"))


def test_a_file_that_changes_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "vectors.parquet"
    for value in (1.0, 2.0):
        pq.write_table(pa.table({"text": ["a"], "vector": [[value, 0.0]]}), path)
        os.utime(path, (value, value))
        embedder: Any = get(f'vectors[path="{path}"]')
        assert embedder.encode(["a"], "query").values.tolist() == [[value, 0.0]]


def test_a_copy_holds_options_and_no_tables() -> None:
    embedder: Any = get("lexical")
    embedder.encode(["a"], "query")
    copied = pickle.dumps(embedder)
    assert len(copied) < 1000
    assert pickle.loads(copied).signature == embedder.signature  # noqa: S301 - made two lines above


@pytest.mark.parametrize("kind", [None, "SentenceTransformer"])
def test_a_folder_with_a_model_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str | None) -> None:
    monkeypatch.chdir(tmp_path)
    folder = Path("模型, neu")
    folder.mkdir()
    (folder / "modules.json").write_text("[]")
    if kind:
        (folder / "config_sentence_transformers.json").write_text(json.dumps({"model_type": kind}))
    for path in (str(folder), str(folder.resolve())):
        assert get(path) == shared_ingredient("embedder", path) == SentenceTransformers(model=path)


def test_other_folders_and_names_are_no_models(tmp_path: Path) -> None:
    (tmp_path / "modules.json").write_text("[]")
    (tmp_path / "config_sentence_transformers.json").write_text('{"model_type": "SparseEncoder"}')
    for name in (str(tmp_path), str(tmp_path / "absent"), "intfloat/multilingual-e5-small", "x" * 5000, "a\0b"):
        assert in_folder(name) is None
        with pytest.raises(UnknownNameError):
            get(name)
