"""Scores with the compiled kernel and without it are equal to the last bit, for all that it serves."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

import ragauge
from ragauge.core import hashing, native
from ragauge.core.batch import Batch
from ragauge.core.ingredients import Vocabulary
from ragauge.core.ragged import Lists, Ragged
from ragauge.core.statistics import Rows
from ragauge.metrics.text import _ngrams, _references, chrf
from ragauge.metrics.text._shifts import shift_edits
from ragauge.metrics.text._word_errors import distances
from ragauge.tokenizers.auto import Auto, CharacterClass, character_classes
from ragauge.tokenizers.forms import Forms, KnownForms
from tests import fresh
from tests.native.hostile import Drawn, pairs, several, texts

pytest.importorskip("ragauge_native", reason="ragauge was installed without a compiler of C++20")

TOKENIZERS = ("13a", "intl", "sacrebleu-zh", "whitespace", "char", "dureader", "rouge-score", "cmrc2018", "auto")
WRITTEN = "case=keep,nfkc=false,references_are_words=true"
BLEU = [
    *(f"bleu:{WRITTEN},tokenizer={name}" for name in TOKENIZERS),
    *("bleu", "bleu:compat=sacrebleu", "bleu:compat=nltk", "bleu:compat=sacrebleu,average=samples"),
    *(f"bleu:{WRITTEN},tokenizer=13a,order={order}" for order in (1, 2, 6, 8, 9, 30)),
    *(f"bleu:{WRITTEN},tokenizer=13a,smooth={smooth},average=samples" for smooth in ("method5", "method7")),
    f"bleu:{WRITTEN},tokenizer=13a,reference_length=shortest",
    "bleu:tokenizer=13a,case=lower",
]
ROUGE = [
    *(f"rouge-{kind}:compat=rouge-score" for kind in ("1", "2", "l", "lsum")),
    *(f"rouge-{kind}:{WRITTEN},punctuation=keep,tokenizer={name}" for kind in ("2", "l") for name in TOKENIZERS),
    *("rouge-1", "rouge-2", "rouge-l", "rouge-lsum", "rouge-n@5:compat=rouge-score", "rouge-n@12:compat=rouge-score"),
    *(f"rouge-{kind}:compat=rouge-score,references={of}" for kind in ("1", "l") for of in ("mean", "first")),
    *("rouge-2:compat=rouge-score,stemmer=porter", "rouge-l:compat=rouge-score,average=pooled"),
]
CHRF = [
    *("chrf", "chrf++", "chrf:compat=sacrebleu", "chrf++:compat=sacrebleu", "chrf:compat=nltk"),
    *("chrf:compat=sacrebleu,whitespace=true", "chrf:case=lower", "chrf:case=fold,nfkc=false", "chrf:average=samples"),
    *(
        "chrf:compat=sacrebleu,char_order=1",
        "chrf:compat=sacrebleu,char_order=8",
        "chrf:compat=sacrebleu,char_order=13",
    ),
]
OTHERS = [
    *("token-f1", "token-f1:compat=squad", "meteor", "edit-similarity"),
    *("ter", "ter:compat=sacrebleu", "ter:tokenizer=char,average=samples"),
    *(
        "wer",
        "wer:compat=jiwer",
        "mer",
        "wil",
        "gleu",
        "length-ratio",
        "token-f1:case=keep,articles=false",
        "token-f1:case=lower,tokenizer=13a",
    ),
    *(f"rouge-1:tokenizer={name},case=lower,punctuation=keep" for name in TOKENIZERS),
    *("rouge-l:stemmer=porter", "rouge-1:case=keep", "rouge-1:case=keep,nfkc=false", "rouge-1:nfkc=false"),
]
OF_EACH_CLASS = {
    chr(code)
    for kind in CharacterClass
    for code in np.flatnonzero(character_classes() == kind).tolist()[:5]
    if not 0xD800 <= code < 0xE000
} | set("a1 .,\u0301\u200d👩🇩中ไ်")
"""Characters of each class of the default tokenizer."""
SPECS = [*BLEU, *ROUGE, *CHRF, *OTHERS]


@contextmanager
def kernel(value: str) -> Iterator[None]:
    """Turn the kernel on (1) or off (0), and have it read the shortest texts, too."""
    with (
        mock.patch.dict("os.environ", {native.VARIABLE: value}),
        mock.patch.object(_references, "ENOUGH_SAMPLES", 0),
        mock.patch.object(chrf, "ENOUGH_SAMPLES", 0),
        mock.patch.object(_ngrams, "_FEW", -1 if value == "1" else 1 << 7),
    ):
        yield


def measured(spec: str, batch: Callable[[], Batch]) -> dict[str, Any]:
    """Return all that a metric says of a batch, or its error."""
    metric = ragauge.parse(spec)
    try:
        rows: Rows = metric.measure(batch())
    except ragauge.RagaugeError as error:
        return {"error": f"{type(error).__name__}: {error}"}
    with np.errstate(all="ignore"):
        scores = {"scores": metric.score(rows), "score": metric.score(rows.totals())}
    fields = {
        name: getattr(rows, name) for name in ("names", "values", "whole", "status", "defaulted", "reasons", "noted")
    }
    return {**fields, **scores}


def check(spec: str, batch: Callable[[], Batch]) -> None:
    with kernel("1"):
        fast = measured(spec, batch)
    with kernel("0"):
        plain = measured(spec, batch)
    assert fast.keys() == plain.keys()
    for name, value in plain.items():
        if isinstance(value, np.ndarray | np.floating):
            assert fast[name].dtype == value.dtype
            assert fast[name].tobytes() == value.tobytes(), (spec, name, fast[name], value)
        else:
            assert fast[name] == value, (spec, name)


@given(drawn=st.one_of(pairs, several), spec=st.sampled_from(SPECS))
@settings(max_examples=120, deadline=None)
def test_all_metrics(drawn: Drawn, spec: str) -> None:
    check(spec, drawn.batch)


@cache
def samples_of_this_run() -> list[Drawn]:
    """Draw samples once for all metrics, others in each run: drawing them anew for each cost more than scoring them."""
    found: list[Drawn] = []

    @seed(fresh.seed())
    @settings(max_examples=8, deadline=None, database=None)
    @given(drawn=st.one_of(pairs, several))
    def draw(drawn: Drawn) -> None:
        found.append(drawn)

    draw()
    return found


@pytest.mark.parametrize("spec", SPECS)
def test_each_metric(spec: str) -> None:
    for drawn in samples_of_this_run():
        check(spec, drawn.batch)


ANY = st.text(st.sampled_from(sorted(OF_EACH_CLASS)), max_size=12)
# The kernel reads words of ASCII 64 bytes at a time, from a gap on.
BLOCKS = st.builds(str.__mul__, st.text("aB7. ,-", min_size=1, max_size=9), st.integers(1, 30))


@given(st.lists(st.lists(st.one_of(ANY, BLOCKS), max_size=6).map("".join), min_size=1, max_size=9))
@settings(max_examples=120, deadline=None)
def test_words_of_all_classes_of_characters(drawn: list[str]) -> None:
    tokens = {}
    for value in ("1", "0"):
        with kernel(value):
            vocabulary = Vocabulary()
            codes = Auto().encode(pa.array(drawn, pa.large_string()), vocabulary).to_lists()
            tokens[value] = [[vocabulary.words[code] for code in row] for row in codes]
    assert tokens["1"] == tokens["0"]


@pytest.mark.parametrize("apart", ["", " ", "é"])
def test_blocks_that_end_within_a_word_a_number_or_a_character(apart: str) -> None:
    pieces = ("a-1.5", "1,2,3", "x.", "中国。", "…", "7.é", "٣.5")
    answers = ["b" * size + apart + piece + "b" * more for size in range(130) for piece in pieces for more in (0, 70)]
    table = pa.table({"answer": answers, "references": [[answer[::-1], answer] for answer in answers]})
    for spec in ("bleu", "rouge-l", "token-f1", "edit-similarity"):
        check(spec, lambda: Batch(table))


def test_one_sample_of_very_many_words_and_characters_of_han() -> None:
    han = "".join(map(chr, range(0x4E00, 0x9000)))
    text = han + " ".join(f"w{number}{chr(0x4E00 + number)}，" for number in range(6_000))
    table = pa.table({"answer": [text], "references": [[text[9_000:] + text[:20_000]]]})
    for spec in ("bleu", "rouge-1", "token-f1"):
        check(spec, lambda: Batch(table))


# Han, kana with and without marks, and symbols whose form is of one byte, of two, of three, of several, or dropped.
WIDE = st.text("茶馆馆カがハ\u3099\ufe0f\u200d，。％ⓐ㎏﹁℃\ufb01\u2126ｶﾞ一1a .", min_size=1, max_size=40)


@given(
    st.lists(st.tuples(WIDE, WIDE), min_size=1, max_size=6), st.sampled_from(["bleu", "rouge-l", "token-f1", *OTHERS])
)
@settings(max_examples=80, deadline=None)
def test_runs_of_characters_of_three_bytes(texts: list[tuple[str, str]], spec: str) -> None:
    answers, references = zip(*texts, strict=True)
    check(spec, synthetic([*answers], [[reference, *answers] for reference in references]))


def test_words_of_code_points_whose_form_depends_on_their_neighbours() -> None:
    known = KnownForms(Forms())
    pairs = [unicodedata.normalize("NFKD", chr(code)) for code in range(0x20000) if not 0xD800 <= code < 0xE000]
    words = sorted({pair for pair in pairs if len(pair) > 1 and unicodedata.normalize("NFKC", pair) != pair})
    assert len(words) > 12_000
    known.learn(words)
    points = known.known()[0]
    assert all(any(points[ord(char)] == 1 << 23 for char in word) for word in words)


def test_words_of_more_kinds_than_the_table_has_room_for() -> None:
    texts = [" ".join(f"w{number}" for number in range(first, first + 7_000)) for first in range(0, 60_000, 5_000)]
    vocabulary = Vocabulary()
    with kernel("1"):
        codes = Auto().encode(pa.array(texts, pa.large_string()), vocabulary)
    assert vocabulary.words == [f"w{number}" for number in range(62_000)]
    assert codes.to_lists()[1][:2] == [5_000, 5_001]


def synthetic(answers: list[str], references: list[list[str]]) -> Callable[[], Batch]:
    return lambda: Batch(pa.table({"answer": answers, "references": references}))


@pytest.mark.parametrize(
    "spec", ["bleu:compat=sacrebleu", "rouge-2:compat=rouge-score", "rouge-l:compat=rouge-score", "chrf"]
)
@pytest.mark.parametrize("size", [60, 64, 65, 128, 129, 254, 255, 256, 257, 600, 40_000])
def test_long_texts(spec: str, size: int) -> None:
    random = np.random.default_rng(size)
    size = min(size, 6_000) if spec.startswith("rouge-l") else size  # without the kernel, slower with the square
    words = [f"w{number}" for number in range(max(size // 3, 5))]
    texts = [" ".join(random.choice(words, size)) for _ in range(4)]
    mixed = " ".join(random.permutation(texts[0].split())[: size // 2]) + " " + texts[0][: len(texts[0]) // 2]
    check(spec, synthetic([texts[0], texts[1], texts[2]], [[mixed], [texts[1]], [texts[3], mixed]]))
    check(spec, synthetic([texts[0], mixed], [[mixed], [texts[0]]]))


Codes = list[int]


@st.composite
def moved(draw: st.DrawFn) -> tuple[Codes, Codes]:
    """Draw a reference, and it with blocks of words moved and others replaced; or two texts of very other lengths."""
    kinds = draw(st.sampled_from([2, 3, 6, 40]))
    word = st.integers(0, kinds)
    reference = draw(st.lists(word, max_size=draw(st.sampled_from([5, 30, 63, 64, 65, 140]))))
    if draw(st.booleans()):
        return draw(st.lists(word, max_size=140)), reference
    answer = list(reference)
    for _ in range(draw(st.integers(0, 5))):
        start, end, place = sorted(draw(st.integers(0, len(answer))) for _ in range(3))
        answer = answer[:start] + answer[end:place] + answer[start:end] + answer[place:]
    for place in draw(st.lists(st.integers(0, max(len(answer) - 1, 0)), max_size=3)):
        answer[place : place + 1] = [draw(word)]
    return answer, reference


@given(pairs=st.lists(moved(), min_size=1, max_size=8))
@settings(max_examples=150, deadline=None)
def test_shifts(pairs: list[tuple[Codes, Codes]]) -> None:
    sides = [Ragged.of(list(side), np.int32) for side in zip(*pairs, strict=True)]
    counted = native.of_pairs("edits", sides[0], sides[1])
    assert counted is not None
    assert counted.tolist() == [shift_edits(*("".join(map(chr, side)) for side in pair)) for pair in pairs]


@given(
    st.lists(
        st.tuples(*[st.lists(st.integers(0, 3) | st.sampled_from([300, 2**31 - 1]), max_size=90)] * 2), max_size=8
    ),
    st.sampled_from([1, 3, 9]),
)
@settings(max_examples=200, deadline=None)
def test_distances(drawn: list[tuple[Codes, Codes]], times: int) -> None:
    sides = [Ragged.of([pair[side] * times for pair in drawn], np.int64) for side in (0, 1)]
    counted = {}
    for value in ("1", "0"):
        with kernel(value):
            counted[value] = distances(*sides).tolist()
    assert counted["1"] == counted["0"]


@pytest.mark.parametrize("kinds", [2, 9, 500])
def test_distances_of_all_numbers_of_blocks(kinds: int) -> None:
    random = np.random.default_rng(kinds)
    sizes = [63, 64, 65, 255, 256, 257, 320, 511, 512, 513, 700, 1_100]
    sides = [
        Ragged.of([random.integers(0, kinds, size).tolist() for size in order], np.int64)
        for order in ([size for size in sizes for _ in sizes], sizes * len(sizes))
    ]
    with kernel("1"):
        counted = distances(*sides)
    with kernel("0"):
        assert counted.tolist() == distances(*sides).tolist()


@pytest.mark.parametrize(("answer", "reference"), [(1, 400), (3, 700), (400, 3), (60, 2_000), (300, 320)])
def test_shifts_of_texts_that_the_beam_does_not_hold(answer: int, reference: int) -> None:
    random = np.random.default_rng(answer)
    for kinds in (2, 5, 50):
        sides = [random.integers(0, kinds, size).tolist() for size in (answer, reference)]
        counted = native.of_pairs("edits", *(Ragged.of([side], np.int32) for side in sides))
        assert counted is not None
        assert counted.tolist() == [shift_edits(*("".join(map(chr, side)) for side in sides))]


@pytest.mark.parametrize("kinds", [200, 1_100, 20_000])
def test_many_kinds_of_characters(kinds: int) -> None:
    random = np.random.default_rng(kinds)
    texts = ["".join(map(chr, 0x4E00 + random.integers(0, kinds, 3_000))) for _ in range(3)]
    batch = synthetic(texts, [[text[100:900] + text[:700] + texts[0][:50]] for text in texts])
    check("chrf", batch)
    check("rouge-l:tokenizer=char,case=keep,nfkc=false,punctuation=keep", batch)


def test_code_points() -> None:
    """One of 29, drawn anew in each run; all of them in ``test_code_points.py``."""
    check_code_points(ALL_POINTS[fresh.seed() % 29 :: 29])


ALL_POINTS = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]


def check_code_points(points: list[str]) -> None:
    texts = ["".join(points[start : start + 4096]) for start in range(0, len(points), 4096)]
    spaced = [f" 1{point}2 {point}3 a{point} {point}" for point in points if point < "\u3100"]
    for tokenizer in ("13a", "intl", "sacrebleu-zh", "whitespace", "char", "rouge-score"):
        for side in (texts, spaced):
            for references in ([[text] for text in side], [[text[:9]] for text in side]):
                check(f"rouge-1:{WRITTEN},punctuation=keep,tokenizer={tokenizer}", synthetic(side, references))
    for forms in ("", ":case=lower", ":nfkc=false", ":case=keep"):
        for side in (texts, spaced):
            check(f"rouge-1{forms}", synthetic(side, [[text[9::-1], text] for text in side]))
    check("chrf:compat=sacrebleu", synthetic(spaced, [[text[::-1]] for text in spaced]))


@pytest.mark.parametrize("spec", ["bleu:compat=sacrebleu", "rouge-l:compat=rouge-score", "chrf:compat=sacrebleu"])
def test_lone_surrogates_are_refused_alike(spec: str) -> None:
    for value in ("1", "0"):
        with kernel(value), pytest.raises((ragauge.RagaugeError, UnicodeEncodeError)):
            ragauge.evaluate([{"answer": "a\ud800", "references": ["a"]}] * 40, [spec])


def test_lists_of_tokens() -> None:
    batch = lambda: Batch(pa.table({"answer": [["a", "b", ""]] * 40, "references": [[["b", "a"]]] * 40}))  # noqa: E731
    for spec in ("bleu:compat=nltk,tokenizer=none", "rouge-l:tokenizer=none"):
        check(spec, batch)


@given(strings=st.lists(texts, min_size=1, max_size=40), times=st.sampled_from([1, 50]))
@settings(max_examples=50, deadline=None)
def test_hashes(strings: list[str], times: int) -> None:
    with mock.patch.object(hashing, "_ENOUGH", 0):
        hashes = []
        for value in ("1", "0"):
            with kernel(value):
                hashes.append(hashing.hash_strings(pa.array([text * times for text in strings], pa.large_string())[1:]))
    assert np.array_equal(hashes[0], hashes[1])


@pytest.mark.parametrize(("kind", "number"), [(pa.large_string(), np.int64), (pa.string(), np.int32)])
def test_texts_whose_buffers_are_not_aligned(kind: pa.DataType, number: type) -> None:
    strings = ["茶馆", "九点", ""] * 2_000
    offsets: Any = np.cumsum([0, *(len(text.encode()) for text in strings)]).astype(number)
    buffers = [None, pa.py_buffer(b"-" + offsets.tobytes()).slice(1), pa.py_buffer("".join(strings).encode())]
    odd = pa.Array.from_buffers(kind, len(strings), buffers)
    assert np.array_equal(hashing.hash_strings(odd), hashing.hash_strings(pa.array(strings, kind)))
    rows = np.arange(0, len(strings) + 1, 3)
    with kernel("1"):
        found = native.matches(Lists(odd, rows), Lists(odd, rows))
    assert found is not None
    assert found[0].tolist() == list(range(len(strings)))
