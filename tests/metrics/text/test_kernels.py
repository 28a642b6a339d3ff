"""Counting and aligning on whole numbers, against the plainest code that says the same."""

from __future__ import annotations

import tracemalloc
from collections import Counter

import numpy as np
import pytest

import ragauge
from ragauge.core.ragged import Ragged
from ragauge.core.statistics import Status
from ragauge.metrics.text import _lcs, _ngrams, _pair_ngrams
from ragauge.metrics.text._lcs import Sentences, lcs_lengths, union_matches
from ragauge.metrics.text._ngrams import clipped_matches, representatives
from ragauge.metrics.text._pair_ngrams import shared_ngrams
from tests.parity.texts import batch_of


def lists(random, n: int, longest: int, words: int) -> list[list[int]]:
    return [random.integers(0, words, random.integers(0, longest + 1)).tolist() for _ in range(n)]


def counted(hypothesis: list[int], references: list[list[int]], n: int) -> int:
    def ngrams(text: list[int]) -> Counter[tuple[int, ...]]:
        return Counter(tuple(text[i : i + n]) for i in range(len(text) - n + 1))

    most: Counter[tuple[int, ...]] = Counter()
    for reference in references:
        most |= ngrams(reference)
    return (ngrams(hypothesis) & most).total()


@pytest.mark.parametrize("block", [8, 1 << 15])
@pytest.mark.parametrize(("words", "order"), [(2, 4), (6, 5), (3_000_000, 2), (40, 6)])
@pytest.mark.parametrize("several", [False, True])
def test_clipped_matches(monkeypatch, block, words, order, several):
    monkeypatch.setattr(_ngrams, "_BLOCK", block)
    monkeypatch.setattr(_pair_ngrams, "_BLOCK", block)
    random = np.random.default_rng(0)
    hypotheses = lists(random, 300, 12, words)
    owner = np.sort(random.integers(0, 300, 600)) if several else np.arange(300)
    references = [
        text if random.random() < 0.5 else [*hypotheses[i][2:], *hypotheses[i][:5]]
        for i, text in zip(owner.tolist(), lists(random, len(owner), 12, words), strict=True)
    ]
    of = [[references[j] for j in np.flatnonzero(owner == i)] for i in range(300)]
    expected = [[counted(h, r, n) for n in range(1, order + 1)] for h, r in zip(hypotheses, of, strict=True)]
    found = clipped_matches(Ragged.of(hypotheses, np.int32), Ragged.of(references, np.int32), owner, order)
    assert found.tolist() == expected


def test_a_pair_with_more_shared_words_than_fit():
    text = list(range(5_000))
    pair = Ragged.of([text, [1, 2]], np.int32), Ragged.of([text[::-1], [1, 2]], np.int32)
    assert clipped_matches(*pair, np.arange(2), 6).tolist() == [[5_000, 0, 0, 0, 0, 0], [2, 1, 0, 0, 0, 0]]


@pytest.mark.parametrize(("shared", "fits"), [(1_022, True), (1_023, False), (300, True)])
def test_a_pair_with_large_codes_is_numbered_anew_where_six_words_fit_into_one_number(shared, fits):
    random = np.random.default_rng(4)
    text = random.permutation(5_000)[:shared].tolist()
    other = [*text[::-1][:40], *text, *random.integers(5_000, 9_000, 60).tolist()]
    text += random.permutation(np.arange(9_000, 13_000))[:60].tolist()
    pair = Ragged.of([text], np.int32), Ragged.of([other], np.int32)
    assert clipped_matches(*pair, np.arange(1), 6).tolist() == [[counted(text, [other], n) for n in range(1, 7)]]
    assert (shared_ngrams(*pair, 6)[0, 0] >= 0) == fits


def test_representatives():
    random = np.random.default_rng(1)
    for size in range(60):
        keys = random.integers(0, 1 + size // 2, size).astype(np.uint64)
        groups = representatives(keys)
        assert (keys[groups] == keys).all()
        assert len(np.unique(groups)) == len(np.unique(keys))


def test_keys_that_collide_under_every_multiplier_are_told_apart(monkeypatch):
    monkeypatch.setattr(_ngrams, "_MULTIPLIERS", np.zeros_like(_ngrams._MULTIPLIERS))
    keys = np.arange(60, dtype=np.uint64) % 50
    assert (keys[representatives(keys)] == keys).all()


def table(left: list[int], right: list[int]) -> np.ndarray:
    lengths = np.zeros((len(left) + 1, len(right) + 1), dtype=int)
    for i, one in enumerate(left, 1):
        for j, other in enumerate(right, 1):
            best = max(lengths[i - 1, j], lengths[i, j - 1])
            lengths[i, j] = lengths[i - 1, j - 1] + 1 if one == other else best
    return lengths


def read_back(left: list[int], right: list[int]) -> set[int]:
    lengths, i, j, places = table(left, right), len(left), len(right), set()
    while i and j:
        if left[i - 1] == right[j - 1]:
            i, j = i - 1, j - 1
            places.add(i)
        elif lengths[i, j - 1] > lengths[i - 1, j]:
            j -= 1
        else:
            i -= 1
    return places


def union_of(references: list[list[int]], hypotheses: list[list[int]]) -> int:
    words = Counter(
        sentence[place]
        for sentence in references
        for place in set[int]().union(*(read_back(sentence, other) for other in hypotheses))
    )
    return (words & Counter(word for sentence in hypotheses for word in sentence)).total()


def test_codes_up_to_the_last_character_and_beyond():
    last = 0x110000 - 0x800 - 1
    for largest in (last, last + 1):
        text = Ragged.of([[0, 0xD7FF, 0xD800, largest]], np.int32)
        assert lcs_lengths(text, Ragged.of([[0, 0xD800, 5, largest]], np.int32)).tolist() == [3]


def test_lcs_lengths_of_more_codes_than_there_are_characters():
    """Blocks of pairs have fewer codes, so that each code of a block is a character."""
    size, pairs = 250, 4200
    codes = np.arange(2 * size * pairs, dtype=np.int32) + 0x110000
    left, right = (Ragged.from_lengths(half.ravel(), np.full(pairs, size)) for half in codes.reshape(2, pairs, size))
    right.values[::size] = left.values[::size]
    assert lcs_lengths(left, right).tolist() == [1] * pairs


@pytest.mark.parametrize("words", [3, 40, 2_000_000])
def test_lcs_lengths(words):
    random = np.random.default_rng(2)
    left, right = lists(random, 100, 30, words), lists(random, 100, 30, words)
    expected = [table(*pair)[-1, -1] for pair in zip(left, right, strict=True)]
    assert lcs_lengths(Ragged.of(left, np.int32), Ragged.of(right, np.int32)).tolist() == expected


@pytest.mark.parametrize("block", [200, 1 << 22])
@pytest.mark.parametrize(("longest", "words", "n"), [(8, 4, 300), (40, 9, 40), (150, 5, 8), (150, 60, 8)])
def test_union_matches(monkeypatch, block, longest, words, n):
    monkeypatch.setattr(_lcs, "_BIT_BLOCK", block)
    random = np.random.default_rng(3)
    texts = [[lists(random, int(random.integers(0, 4)), longest, words) for _ in range(n)] for _ in range(2)]
    sides = [
        Sentences(
            Ragged.of([one for text in side for one in text], np.int32),
            np.repeat(np.arange(n), [len(text) for text in side]),
        )
        for side in texts
    ]
    expected = [union_of(reference, hypothesis) for hypothesis, reference in zip(*texts, strict=True)]
    assert union_matches(*sides, n).tolist() == expected  # type: ignore[arg-type,call-arg]


def test_a_long_text_without_line_breaks_is_rouge_l():
    """By bits, one pair of 30,000 words would take hours."""
    random = np.random.default_rng(4)
    answer, reference = (" ".join(map(str, random.integers(0, 50, 30_000).tolist())) for _ in range(2))
    lines = "5 6\n7 8\n9"
    batch = batch_of([answer, lines, "", "5"], [[reference], ["7 8\n5 6", "5 6 7 8"], [reference], ["\n5"]])
    scores = {spec: (metric := ragauge.parse(spec)).score(metric.measure(batch)) for spec in ("rouge-l", "rouge-lsum")}
    assert scores["rouge-lsum"][[0, 2, 3]].tolist() == scores["rouge-l"][[0, 2, 3]].tolist()
    assert scores["rouge-lsum"][1] == pytest.approx(8 / 9)


@pytest.mark.parametrize("spec", ["edit-similarity", "rouge-l:tokenizer=char", "rouge-lsum:tokenizer=char"])
def test_texts_too_long_to_compare_fail_and_the_others_do_not(spec):
    """Compared, these texts would take minutes."""
    long = "ab cd" * 100_000
    batch = batch_of(["ab", long, "ab"], [["ab"], ["ab", long[::-1]], ["ab"]])
    metric = ragauge.parse(spec)
    rows = metric.measure(batch)
    assert rows.status.tolist() == [Status.OK, Status.FAILED, Status.OK]
    assert rows.reasons[1].startswith("too long: ")
    assert metric.score(rows)[[0, 2]].tolist() == [1, 1]


@pytest.mark.parametrize("text", ["a\n" * 6_000, "a\n" * 20_000, "a b c d e\n" * 200_000])
def test_too_many_lines_fail(text):
    """Each line compared with each, these would take ten seconds, a minute, and hours and terabytes."""
    metric = ragauge.parse("rouge-lsum")
    rows = metric.measure(batch_of([text, "a\nb"], [[text], ["b\na"]]))
    assert rows.status.tolist() == [Status.FAILED, Status.OK]
    assert metric.score(rows)[1] == 1


def test_lines_without_tokens_cost_nothing():
    batch = batch_of(["\n" * 50_000 + "a\nb"], [["b" + "\n" * 50_000 + "a"]])
    metric = ragauge.parse("rouge-lsum")
    assert metric.score(metric.measure(batch)).tolist() == [1]


@pytest.mark.parametrize("order", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("beyond", range(-5, 3))
def test_codes_on_either_side_of_the_room_for_one_of_several_in_a_number(order, beyond):
    """Codes that take one bit more than they have would run into each other."""
    random = np.random.default_rng(order)
    codes = [*range(6), *((1 << 62 // order) + np.arange(beyond - 3, beyond + 1))]
    texts = [random.choice(codes, random.integers(1, 14)).tolist() for _ in range(200)]
    left, right = texts[::2], texts[1::2]
    found = shared_ngrams(Ragged.of(left, np.int64), Ragged.of(right, np.int64), order)
    assert found.tolist() == [
        [counted(h, [r], n) for n in range(1, order + 1)] for h, r in zip(left, right, strict=True)
    ]


def test_single_tokens_of_long_texts_are_counted_as_those_of_short_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    left, right = (Ragged.of([[], *lists(random, 200, 12, 6)], np.int32) for _ in range(2))
    expected = shared_ngrams(left, right, 1)
    monkeypatch.setattr(_pair_ngrams, "_LONG", 8)
    assert shared_ngrams(left, right, 1).tolist() == expected.tolist()
    monkeypatch.setattr(_pair_ngrams, "_LONG", -1)
    assert shared_ngrams(left, right, 1).tolist() == expected.tolist()


def test_a_long_text_takes_little_memory() -> None:
    texts = Ragged.from_lengths(np.arange(1_000_000, dtype=np.int32) % 5000, [1_000_000])
    tracemalloc.start()
    try:
        assert shared_ngrams(texts, texts, 1).tolist() == [[1_000_000]]
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()
