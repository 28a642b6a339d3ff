"""The drop-ins of sacrebleu give the same of few texts, which the kernel counts, and of the same texts without it."""

from __future__ import annotations

from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragauge.compat.sacrebleu import BLEU, CHRF, _few_texts
from ragauge.core import native
from tests.native.hostile import texts
from tests.repeats import others_long

pytest.importorskip("ragauge_native", reason="ragauge was installed without a compiler of C++20")

SMOOTH = ("exp", "floor", "add-k", "none")
OF_BLEU = [
    *({"smooth_method": smooth, "effective_order": some} for smooth in SMOOTH for some in (False, True)),
    *({"tokenize": name, "effective_order": True} for name in ("zh", "intl", "char", "none")),
    {"smooth_method": "floor", "smooth_value": 0.0},
    {"smooth_method": "add-k", "smooth_value": 0.5, "max_ngram_order": 9},
    {"max_ngram_order": 1},
    {"lowercase": True, "max_ngram_order": 2},
]
OF_CHRF = [{}, {"whitespace": True}, {"char_order": 1, "beta": 1}, {"char_order": 9, "beta": 3, "lowercase": True}]
WORDS = st.lists(st.sampled_from(["the", "cat", "sat", "on", "a", "mat", ".", ",", "1.5", "猫"]), max_size=9)
TEXTS = st.one_of(WORDS.map(" ".join), WORDS.map(" ".join), texts)


def fields_of(metric: BLEU | CHRF, answers: list[str], streams: list[list[str]], value: str) -> dict[str, Any]:
    with mock.patch.dict("os.environ", {native.VARIABLE: value}):
        score = metric.corpus_score(answers, streams)
    return {name: repr(field) for name, field in vars(score).items()}


@pytest.mark.parametrize("options", others_long(OF_BLEU, 2))
@given(rows=st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=1, max_size=4), several=st.booleans())
@settings(max_examples=30, deadline=None)
def test_bleu(options: dict[str, Any], rows: list[tuple[str, ...]], several: bool) -> None:
    answers, *streams = map(list, zip(*rows, strict=True))
    metric, streams = BLEU(**options), streams[: 1 + several]
    assert fields_of(metric, answers, streams, "1") == fields_of(metric, answers, streams, "0")


@pytest.mark.parametrize("options", OF_CHRF)
@given(rows=st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4))
@settings(max_examples=60, deadline=None)
def test_chrf(options: dict[str, Any], rows: list[tuple[str, ...]]) -> None:
    answers, references = map(list, zip(*rows, strict=True))
    metric = CHRF(**options)
    assert fields_of(metric, answers, [references], "1") == fields_of(metric, answers, [references], "0")


def test_what_is_left_to_arrays() -> None:
    def bleu(answers: list[str], references: list[list[str]], **options: Any) -> object:
        return _few_texts.bleu_of_few(BLEU(**options).metric, answers, references)

    def chrf(answers: list[str], references: list[list[str]], **options: Any) -> object:
        return _few_texts.chrf_of_few(CHRF(**options).metric, answers, references)

    for few in (bleu, chrf):
        assert few(["a b"], [["a"]]) is not None
        assert few(["a"] * 17, [["a"]] * 17) is None
        assert few(["a" * 5000], [["a"]]) is None
        assert few(["\ud800"], [["a"]]) is None
    assert chrf(["a"], [["a", "b"]]) is None
    assert chrf(["a"], [["a"]], word_order=2) is None
    assert chrf(["a"], [["a"]], eps_smoothing=True) is None
    with mock.patch.dict("os.environ", {native.VARIABLE: "0"}):
        assert bleu(["a"], [["a"]]) is None
