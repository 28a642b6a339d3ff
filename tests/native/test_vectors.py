"""Sparse vectors, n-gram recall and the metrics over them: with the compiled kernel and without it the same bits."""

from __future__ import annotations

from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ragauge
from ragauge.core import native
from ragauge.core.batch import Batch
from ragauge.core.ragged import Ragged
from ragauge.core.texts import VectorSpace
from ragauge.embedders import get, ngrams, sparse
from ragauge.grounding.support.ngram_recall import NgramRecall, terms_of
from ragauge.grounding.support.pairs import ClaimPairs
from ragauge.languages.folding import folded
from tests.native.hostile import texts
from tests.repeats import drawn

kernel: Any = pytest.importorskip("ragauge_native", reason="ragauge was installed without a compiler of C++20")

MIXED = [
    *(
        "The cat sat on the mat.",
        "猫坐在垫子上，一只猫。",
        "カタカナとひらがなと漢字ー",
        "한국어 문장입니다 ㄱㄴㄷ ᄒᆞᆫ글",
        "Кошка сидит",
    ),
    *(
        "القطة تجلسُ على",
        "बिल्ली बैठी है १२३",
        "แมวนั่งบนเสื่อ",
        "",
        " ",
        "\x00",
        "a",
        "猫",
        "ー",
        "\U0010ffff \ud800x",
        "a\u200db",
    ),
    "the the " * 300,
    "한글" * 200,
]
SEMANTIC = ("groundedness", "context-precision", "context-relevancy", "context-recall", "answer-relevancy")


def without_and_with(work: Any) -> list[Any]:
    """Return what ``work`` returns without the kernel and with it, however small the work is."""
    results = []
    for value in "01":
        with (
            mock.patch.dict("os.environ", {native.VARIABLE: value}),
            mock.patch.object(ngrams, "_ENOUGH", 0),
            mock.patch.object(sparse, "_ENOUGH", 0),
        ):
            results.append(work())
    return results


def equal(one: Any, other: Any) -> bool:
    return bool(one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes())


def check_features(written: list[str]) -> None:
    points = folded(written)
    plain, fast = without_and_with(lambda: ngrams.features(points))
    assert equal(plain.keys, fast.keys)
    assert equal(plain.counts, fast.counts)
    assert equal(plain.offsets, fast.offsets)


@given(st.lists(texts | st.sampled_from(MIXED), max_size=6))
@settings(max_examples=200, deadline=None)
@pytest.mark.costly
def test_ngrams(written: list[str]) -> None:
    check_features(written)


def test_ngrams_of_many_long_texts() -> None:
    draw = np.random.default_rng(3)
    check_features(
        [" ".join(MIXED[one] for one in draw.integers(0, len(MIXED), size)) for size in (0, 5, 40, 400, 3, 90)]
    )


@given(st.lists(texts | st.sampled_from(MIXED), min_size=1, max_size=6))
@settings(max_examples=100, deadline=None)
def test_cosines(written: list[str]) -> None:
    vectors: Any = get("lexical").encode([*written, "x " * 50], "passage")
    left, right = (each.ravel() for each in np.indices((len(vectors), len(vectors))))

    def cosines() -> Any:
        own = sparse.SparseVectors(vectors.keys, vectors.weights, vectors.offsets)
        return own.cosine(left, right)

    assert equal(*without_and_with(cosines))


@drawn(
    st.lists(st.tuples(st.lists(texts, max_size=3), st.lists(texts, max_size=5)), min_size=1, max_size=4),
    st.integers(1, 5),
    st.integers(1, 3),
    st.booleans(),
    examples=(40, 150),
)
@pytest.mark.costly
def test_recalls(drawn: list[tuple[list[str], list[str]]], window: int, in_run: int, granted: bool) -> None:
    claims, evidence = (Ragged.of([row[side] for row in drawn], dtype=object) for side in (0, 1))

    def recalls() -> Any:
        space = VectorSpace(get("lexical"))
        terms = terms_of(claims, space)
        numbers = Ragged(space.numbers(evidence.values.tolist(), "passage"), evidence.offsets)
        runs = numbers.rows * 100 + numbers.positions // in_run
        first = numbers.offsets[:-1][numbers.lengths > 0]
        known = Ragged.from_lengths(numbers.values[first], numbers.lengths > 0) if granted else None
        vectors: Any = space.vectors
        recall = NgramRecall(terms, vectors, numbers, runs, known, window)
        pairs = ClaimPairs.of(claims.offsets, evidence.offsets)
        return recall.of(pairs, 0, len(claims.values))

    assert equal(*without_and_with(recalls))


@given(st.integers(0, 1 << 32), st.sampled_from([1, 2, 20, 90, 10_000]), st.sampled_from([3, 200, 400]))
@settings(max_examples=20, deadline=None)
@pytest.mark.costly
def test_recalls_of_long_evidence(seed: int, window: int, in_run: int) -> None:
    # More than 512 n-grams, so that threads share the claims; some are common among the segments.
    draw = np.random.default_rng(seed)
    words = [f"w{number}o{number}" for number in range(60)] + ["the"] * 40
    claims = Ragged.from_lengths(
        np.array([" ".join(draw.choice(words, 40)) for _ in range(12)], dtype=object), [7, 0, 5]
    )
    evidence = Ragged.from_lengths(
        np.array([" ".join(draw.choice(words, 3)) for _ in range(610)], object), [300, 10, 300]
    )

    def recalls() -> Any:
        space = VectorSpace(get("lexical"))
        terms = terms_of(claims, space)
        assert len(terms.weights) > 1024
        numbers = Ragged(space.numbers(evidence.values.tolist(), "passage"), evidence.offsets)
        runs = numbers.rows * 1000 + numbers.positions // in_run
        vectors: Any = space.vectors
        recall = NgramRecall(terms, vectors, numbers, runs, None, window)
        pairs = ClaimPairs.of(claims.offsets, evidence.offsets)
        with mock.patch("pyarrow.cpu_count", return_value=3):
            return recall.of(pairs, 0, 5), recall.of(pairs, 5, len(claims.values))

    for plain, fast in zip(*without_and_with(recalls), strict=True):
        assert equal(plain, fast)
        assert fast.max() > 0


def test_only_what_is_near_another_is_on_one_thread() -> None:
    own = {"lists": i64(0, 0), "places": i64(0, 1), "weights": i64(1, 1), "zeros": i64(0, 0), "rooms": i64(1, 1)}
    for change in ({"rooms": i64(2, 1)}, {"places": i64(1, 0)}):
        with pytest.raises(ValueError, match="sums of its own"):
            kernel.near(i64(0), i64(0, 1), *{**own, **change}.values(), i64(0), i64(0), 3, 1, i64(0, 0))


def test_other_types_and_views_of_arrays() -> None:
    keys, offsets = u32(1, 5, 5, 7), i64(0, 2, 4)
    weights, numbers = np.array([3, 4, 5, 6], dtype=np.uint16), i64(0, 1)
    expected = native.dots(Ragged(keys, offsets), weights, numbers, numbers[::-1])
    assert expected is not None
    assert expected.tolist() == [20, 20]
    narrow, strided = offsets.astype(np.int32), np.repeat(keys, 2)[::2]
    other = native.dots(Ragged(strided, narrow), np.repeat(weights, 2)[::2], numbers.astype(np.int32), numbers[::-1])
    assert other is not None
    assert equal(other, expected)
    wanted = Ragged(np.array([5, 7, 1], dtype=np.uint64), i64(0, 2, 3))
    texts_of = Ragged(i64(0, 1, 0), i64(0, 2, 3))
    held = native.holders(wanted, Ragged(keys, offsets), texts_of)
    assert held is not None
    assert held.to_lists() == [[0, 1], [1], [2]]
    narrow_held = native.holders(
        Ragged(np.repeat(wanted.values, 2)[::2], wanted.offsets.astype(np.int32)),
        Ragged(strided, narrow),
        Ragged(texts_of.values.astype(np.int16), texts_of.offsets.astype(np.uint32)),
    )
    assert narrow_held is not None
    assert narrow_held.to_lists() == held.to_lists()
    assert native.holders(wanted, Ragged(keys.astype(np.uint64), offsets), texts_of) is None
    assert (
        native.holders(Ragged(wanted.values.astype(np.int64), wanted.offsets), Ragged(keys, offsets), texts_of) is None
    )


def test_a_text_too_long_for_the_kernel_is_left_to_numpy() -> None:
    # Memory that nobody writes to takes no room.
    longest = Ragged(np.zeros(1 << 28, dtype=np.uint32), i64(0, 1 << 28))
    assert native.script_ngrams(longest, ngrams._kinds(), ngrams._shapes(), ngrams._IGNORED) is None


def test_squares_are_exact_however_many_vectors_there_are() -> None:
    # Beyond 2^53 a sum of doubles is not.
    weights = np.full(4_196_305, 65_535, dtype=np.uint16)
    keys, offsets = np.arange(len(weights), dtype=np.uint32), np.linspace(0, len(weights), 2, dtype=np.int64)
    one = sparse.SparseVectors(keys, weights, offsets)
    assert one.squares.tolist() == [len(weights) * 65_535**2]
    more = sparse.SparseVectors(keys, weights, np.concatenate([offsets, np.full(20, len(weights))]))
    assert more.squares.tolist() == [len(weights) * 65_535**2, *[0] * 20]


@drawn(
    st.lists(st.tuples(texts, texts, st.lists(texts, min_size=1, max_size=4)), min_size=1, max_size=4), examples=(8, 30)
)
@pytest.mark.costly
def test_metrics(drawn: list[tuple[str, str, list[str]]]) -> None:
    rows = {
        "question": [row[0] for row in drawn],
        "answer": [row[1] for row in drawn],
        "contexts": [row[2] for row in drawn],
        "references": [[row[0]] for row in drawn],
    }

    def scores() -> list[Any]:
        batch = Batch(pa.table(rows))
        return [np.asarray(ragauge.parse(name).measure(batch).values) for name in SEMANTIC]

    for plain, fast in zip(*without_and_with(scores), strict=True):
        assert equal(plain, fast)


def u32(*values: int) -> Any:
    return np.array(values, dtype=np.uint32)


def i64(*values: int) -> Any:
    return np.array(values, dtype=np.int64)


@pytest.mark.parametrize("threads", [-1, 1, 2, 7])
def test_threads_change_nothing(threads: int) -> None:
    points = folded(MIXED * 400)
    results: list[Any] = []
    for of in (1, threads):
        with mock.patch("pyarrow.cpu_count", lambda of=of: of):
            features = native.script_ngrams(points, ngrams._kinds(), ngrams._shapes(), ngrams._IGNORED)
            assert features is not None
            keys, _, offsets = features
            weights = (keys & 0xFFF).astype(np.uint16)
            numbers = np.arange(len(points))
            wanted = Ragged.from_lengths(np.unique(keys[:50]).astype(np.uint64), [9, 0, len(np.unique(keys[:50])) - 9])
            chosen = Ragged.from_lengths(numbers[:300], [100, 0, 200])
            held: Any = native.holders(wanted, Ragged(keys, offsets), chosen)
            results.append((*features, native.dots(Ragged(keys, offsets), weights, numbers, numbers[::-1]), held))
    for one, other in zip(*results, strict=True):
        assert equal(getattr(one, "values", one), getattr(other, "values", other))
    assert results[0][-1].lengths.sum() > 0


def test_what_the_functions_refuse() -> None:
    shapes, kinds, out = ngrams._shapes(), b"\0\xff", i64(0)
    texts_of = (u32(1, 2), i64(0, 2))
    with pytest.raises(ValueError, match="output has the wrong size"):
        kernel.script_ngrams(*texts_of, kinds, shapes, 255, 1, i64(0, 0))
    with pytest.raises(ValueError, match="offsets must stay within the values"):
        kernel.script_ngrams(u32(1), i64(0, 2), kinds, shapes, 255, 1, out)
    with pytest.raises(ValueError, match="tables must not be empty"):
        kernel.script_ngrams(*texts_of, b"", shapes, 255, 1, out)
    with pytest.raises(ValueError, match="at most 16 characters"):
        kernel.script_ngrams(*texts_of, kinds, np.full((1, 6), 1 << 20, dtype=np.uint64), 255, 1, out)
    weights = np.ones(2, dtype=np.uint16)
    for numbers in (i64(-1), i64(1)):
        with pytest.raises(ValueError, match="number must be that of a vector"):
            kernel.dots(*texts_of, weights, numbers, i64(0), 1, np.empty(1))
        with pytest.raises(ValueError, match="number must be that of a vector"):
            kernel.holders(np.array([1], np.uint64), i64(0, 1), *texts_of, numbers, i64(0, 1), 1, out)
    with pytest.raises(ValueError, match="one weight a key"):
        kernel.dots(*texts_of, weights[:1], i64(0), i64(0), 1, np.empty(1))
    with pytest.raises(ValueError, match="all keys must belong to a sample"):
        kernel.holders(np.array([1], np.uint64), i64(0, 0), *texts_of, i64(0), i64(0, 1), 1, out)
    near = {"lists": i64(0), "places": i64(0), "weights": i64(1), "zeros": i64(0), "rooms": i64(1)}
    run = i64(0), i64(0)
    for change in (
        {"lists": i64(1)},
        {"places": i64(-1)},
        {"places": i64(1)},
        {"rooms": i64(2)},
        {"rooms": i64(-1)},
        {"zeros": i64(-1)},
        {"zeros": i64(1 << 62)},
    ):
        with pytest.raises(ValueError, match="term must have a list, and sums of its own"):
            kernel.near(i64(0), i64(0, 1), *{**near, **change}.values(), *run, 3, 1, i64(0))
    with pytest.raises(ValueError, match="segments must be those of their sample"):
        kernel.near(i64(0), i64(0, 1), *{**near, "zeros": i64(1)}.values(), *run, 3, 1, i64(0))
    wide = {**near, "rooms": i64(1000)}
    for segments, begin, end in (([500], 600, 999), ([500], 0, 400), ([700, 500], 0, 999), ([500, 500], 0, 999)):
        found = np.array(segments, np.int64), i64(0, len(segments))
        runs = np.full(1000, begin), np.full(1000, end)
        with pytest.raises(ValueError, match="segments must be those of their sample"):
            kernel.near(*found, *wide.values(), *runs, 900, 1, np.zeros(1000, np.int64))
    with pytest.raises(ValueError, match="ignored kind must be from 0 to 255"):
        kernel.script_ngrams(*texts_of, kinds, shapes, 511, 1, out)
    for segment, window in ((1, 3), (-1, 3), (0, 0), (0, 1 << 62)):
        with pytest.raises(ValueError, match="segments must be there, and the window from 1"):
            kernel.near(i64(segment), i64(0, 1), *near.values(), *run, window, 1, i64(0))
    sums = i64(5)
    kernel.near(i64(0), i64(0, 1), *near.values(), *run, 3, 1, sums)
    assert sums.tolist() == [8]
