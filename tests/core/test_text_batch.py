"""A batch of few texts gives the same rows and scores, to the last bit, as the same texts in Arrow columns."""

from __future__ import annotations

from random import Random
from sys import maxunicode

import numpy as np
import pyarrow as pa
import pytest

import ragauge
from ragauge.core.batch import Batch
from ragauge.core.ingredients import Vocabulary
from ragauge.core.registry import make_ingredient
from ragauge.core.text_batch import TextBatch, batch_of_texts
from ragauge.metrics.text import _ngrams
from tests.parity.texts import ODD, Texts, batch_of

LANGUAGES = [
    "The quick brown fox, 3.5 of 1,000 - isn't it?",
    "猫坐在垫子上，得了85.5%。",
    "東京タワーは333メートルです。",
    "한국어 문장은 띄어 씁니다.",
    "Привет, мир! Сколько это стоит?",
    "مرحبا بالعالم، كم الثمن؟",
    "नमस्ते दुनिया, 12 बजे।",
    "สวัสดีชาวโลก 5 คน",
]
SPECS = [
    "bleu", "bleu:compat=sacrebleu,effective=true,average=samples", "bleu:compat=nltk,smooth=method4,average=samples",
    "bleu:tokenizer=intl,case=lower", "bleu:tokenizer=sacrebleu-zh,order=2", "chrf", "chrf:compat=sacrebleu", "chrf++",
    "contains-answer", "edit-similarity", "exact-match", "rouge-1", "rouge-2:compat=rouge-score", "rouge-l",
    "rouge-l:compat=rouge-score", "rouge-l:references=mean", "rouge-lsum", "rouge-lsum:compat=rouge-score", "token-f1",
    "token-f1:tokenizer=char",
]  # fmt: skip
TOKENIZERS = ["13a", "auto", "char", "cmrc2018", "dureader", "intl", "rouge-score", "sacrebleu-zh", "whitespace", "zh"]


def samples(seed: int) -> list[tuple[str, list[str]]]:
    texts = Texts(seed, newlines=0.1)
    answers, references = texts.samples(20, longest=12, most=3)
    pairs = list(zip(answers, references, strict=True))
    random = Random(seed)  # noqa: S311 - no secret is drawn
    for text in LANGUAGES:
        other = "".join(random.sample(text, len(text)))
        pairs += [(text, [text]), (text, [other, text + " "]), (other, [text])]
    return [*pairs, ("", ["a"]), ("a", [""]), (" a\u3000", ["a"]), *((odd, ["a b", odd]) for odd in ODD)]


@pytest.mark.parametrize("spec", SPECS)
def test_one_sample_scores_the_same_to_the_last_bit(spec: str) -> None:
    metric = ragauge.parse(spec)
    for answer, references in samples(3):
        few = metric.measure(TextBatch([answer], [references]))
        arrow = metric.measure(batch_of([answer], [references]))
        assert few.names == arrow.names
        assert np.array_equal(few.values, arrow.values), (answer, references)
        assert np.array_equal(metric.score(few), metric.score(arrow)), (answer, references)


@pytest.mark.parametrize("spec", SPECS)
def test_samples_do_not_depend_on_the_batch(spec: str) -> None:
    metric = ragauge.parse(spec)
    pairs = samples(4)[:16]
    rows = metric.measure(TextBatch([answer for answer, _ in pairs], [texts for _, texts in pairs]))
    alone = [metric.measure(TextBatch([answer], [texts])).values for answer, texts in pairs]
    assert np.array_equal(rows.values, np.concatenate(alone))


@pytest.mark.parametrize("name", TOKENIZERS)
def test_strings_are_tokenised_as_arrays_are(name: str) -> None:
    tokenizer = make_ingredient("tokenizer", name)
    texts = [*ODD, *LANGUAGES, *(f"{one}{two}" for one in ODD for two in ("K", "İ3", "a.b", "，"))]
    for each in (*([text] for text in texts), texts):
        ours, theirs = Vocabulary(), Vocabulary()
        found, expected = (
            tokenizer.encode_strings(each, ours),
            tokenizer.encode(pa.array(each, pa.large_string()), theirs),
        )
        words = [[ours.words[code] for code in row] for row in found.to_lists()]
        assert words == [[theirs.words[code] for code in row] for row in expected.to_lists()], each


def test_white_space_at_the_end_is_the_same_for_python_and_arrow() -> None:
    texts = [f"a{chr(point)}" for point in range(maxunicode + 1) if not 0xD800 <= point < 0xE000]
    arrow = Batch(pa.table({"answer": pa.array(texts, pa.large_string())})).texts("answer").to_pylist()
    assert [text.rstrip() for text in texts] == arrow


@pytest.mark.parametrize("order", [1, 2, 4, 6])
def test_few_n_grams_are_counted_as_many_are(order: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(order)
    for _ in range(200):
        counts = random.integers(0, 4, random.integers(1, 4))
        hypotheses = ragauge.Ragged.of([random.integers(0, 5, random.integers(0, 9)) for _ in counts], dtype=np.int64)
        texts = [random.integers(0, 5, random.integers(0, 9)) for _ in range(counts.sum())]
        references, owner = ragauge.Ragged.of(texts, dtype=np.int64), np.repeat(np.arange(len(counts)), counts)
        few = _ngrams.clipped_matches(hypotheses, references, owner, order)
        with monkeypatch.context() as patch:
            patch.setattr(_ngrams, "_FEW", -1)
            assert np.array_equal(few, _ngrams.clipped_matches(hypotheses, references, owner, order))


def test_columns_are_built_when_they_are_read() -> None:
    batch = TextBatch(["a", "b"], [["c"], []])
    assert (len(batch), batch.names) == (2, ("answer", "references"))
    assert batch.table().to_pylist() == [{"answer": "a", "references": ["c"]}, {"answer": "b", "references": []}]
    assert batch.absent("answer", "references").tolist() == [False, False]


def test_many_or_long_texts_are_arrow_columns() -> None:
    assert isinstance(batch_of_texts(["a"], [["b"]]), TextBatch)
    assert not isinstance(batch_of_texts(["a" * 10_000], [["b"]]), TextBatch)
    assert not isinstance(batch_of_texts(["a"] * 100, [["b"]] * 100), TextBatch)
