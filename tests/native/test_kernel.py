"""The functions of the kernel themselves: what they refuse, and threads."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

kernel: Any = pytest.importorskip("ragauge_native", reason="ragauge was installed without a compiler of C++20")


def lists(*texts: list[int]) -> tuple[Any, Any]:
    flat = np.array([code for text in texts for code in text], dtype=np.int32)
    return flat, np.cumsum([0, *map(len, texts)], dtype=np.int64)


def utf8(*texts: str) -> tuple[Any, Any]:
    encoded = [text.encode() for text in texts]
    return b"".join(encoded), np.cumsum([0, *map(len, encoded)], dtype=np.int64)


def numbers(count: int) -> Any:
    return np.empty(count, dtype=np.int64)


def test_shared_ngrams() -> None:
    counts = numbers(3)
    kernel.shared(*lists([7, 7, 8]), *lists([7, 8], [9]), np.array([0, 2]), 3, 1, counts)
    assert counts.tolist() == [2, 1, 0]


ROUGE = (b"", False, True, False, False)
AS_WRITTEN = (*(b"",) * 5, False)
KNOWN = 1 << 22
"""Marks the form of a code point that is known."""


def test_tokens_are_numbered_within_a_sample() -> None:
    lengths = numbers(2), numbers(2)
    found = kernel.tokens(*utf8("A b a", "b"), *utf8("b", "c b"), np.arange(3), *ROUGE, AS_WRITTEN, 1, *lengths)
    left, right = (np.frombuffer(part, np.int32).tolist() for part in found)
    assert (left, right) == ([0, 1, 0, 0], [1, 1, 0])
    assert [length.tolist() for length in lengths] == [[3, 1], [1, 2]]


def known(points: Any, words: dict[str, bytes] | None = None) -> tuple[Any, ...]:
    """Return forms as the kernel takes them."""
    sides = [word.encode() for word in words or ()], [*(words or {}).values()]
    letters = [part for side in sides for part in (b"".join(side), np.cumsum([0, *map(len, side)], dtype=np.int64))]
    return (points.astype(np.uint32), *letters, False)


def test_words_whose_form_is_not_known_are_asked_for() -> None:
    points, lengths = np.arange(0x100) | KNOWN, (numbers(1), numbers(1))
    points[[ord("ß"), ord("Ä")]] = 0, ord("ä") | KNOWN
    flags = np.full(1, 2, dtype=np.uint8), True, True, False, False

    def tokens(left: str, right: str, words: dict[str, bytes]) -> Any:
        return kernel.tokens(*utf8(left), *utf8(right), np.arange(2), *flags, known(points, words), 1, *lengths)

    assert tokens("Straße", "Straße", {}) == "Straße".encode()
    found = tokens("Straße", "Strasse", {"Straße": b"Strasse"})
    assert [np.frombuffer(part, np.int32).tolist() for part in found] == [[0], [0]]
    assert tokens("Straße", "ß", {"Straße": b"\xff", "ß": b"\xff"}) == (b"", b"")
    assert tokens("Äa", "äa", {}) == (b"\0" * 4, b"\0" * 4)


def test_characters_whose_form_is_not_known_are_not_counted() -> None:
    points, lengths, counts = (np.arange(0xE0) | KNOWN).astype(np.uint32), (numbers(3), numbers(3)), numbers(3)
    points[[ord("ß"), ord("A")]] = 0, ord("a") | KNOWN
    kernel.characters(*utf8("Aa", "ß", "a"), *utf8("aa", "a", "ß"), b"\0", points, 1, 1, *lengths, counts)
    assert [length.tolist() for length in lengths] == [[2, -1, -1]] * 2
    assert counts[0] == 2


def test_forms_of_wrong_sizes_are_refused() -> None:
    lengths = numbers(1), numbers(1)
    for wrong in (known(np.arange(3) | KNOWN)[:3], known(np.arange(3) | KNOWN, {"a": b"b"})[:3]):
        forms = (*wrong, b"", np.zeros(3, dtype=np.int64), False)
        with pytest.raises(ValueError, match="form for each word"):
            kernel.tokens(*utf8("a"), *utf8("a"), np.arange(2), *ROUGE, forms, 1, *lengths)


@pytest.mark.parametrize("threads", [-1, 0, 1, 2, 7, 100])
def test_threads_change_nothing(threads: int) -> None:
    random = np.random.default_rng(5)
    texts = [random.integers(0, 50, random.integers(0, 300)).tolist() for _ in range(6_000)]
    left, right = lists(*texts[:3_000]), lists(*texts[3_000:])
    first, counts, lengths = np.arange(3_001), [numbers(9_000), numbers(9_000)], [numbers(3_000), numbers(3_000)]
    for of, count, length in zip((1, threads), counts, lengths, strict=True):
        kernel.shared(*left, *right, first, 3, of, count)
        kernel.subsequences(*left, *right, of, length)
    assert counts[0].tolist() == counts[1].tolist()
    assert lengths[0].tolist() == lengths[1].tolist()


def test_no_texts() -> None:
    kernel.shared(*lists(), *lists(), np.zeros(1, np.int64), 4, 2, numbers(0))
    kernel.subsequences(*lists(), *lists(), 2, numbers(0))
    kernel.characters(*utf8(), *utf8(), b"\0", b"", 6, 2, numbers(0), numbers(0), numbers(0))
    done = kernel.tokens(*utf8(), *utf8(), np.zeros(1, np.int64), *ROUGE, AS_WRITTEN, 2, numbers(0), numbers(0))
    assert done == (b"", b"")


@pytest.mark.parametrize(
    ("offsets", "problem"),
    [
        ([0, 9], "within the values"),
        ([-1, 2], "within the values"),
        ([0, 2, 1, 2], "must not fall"),
        ([], "must not be empty"),
    ],
)
def test_offsets_that_leave_the_values_are_refused(offsets: list[int], problem: str) -> None:
    codes, wrong = np.array([1, 2], dtype=np.int32), np.array(offsets, dtype=np.int64)
    n = max(len(offsets) - 1, 0)
    with pytest.raises(ValueError, match=problem):
        kernel.subsequences(codes, wrong, codes, wrong, 1, numbers(n))
    with pytest.raises(ValueError, match=problem):
        kernel.shared(codes, wrong, codes, wrong, np.arange(n + 1), 2, 1, numbers(2 * n))


@pytest.mark.parametrize("first", [[0, 0], [1, 1], [0, 2], [0], [0, 1, 1]])
def test_references_that_belong_to_no_sample_are_refused(first: list[int]) -> None:
    with pytest.raises(ValueError, match="right"):
        kernel.shared(*lists([1]), *lists([1]), np.array(first), 1, 1, numbers(1))


def test_negative_codes_wrong_sizes_and_orders_are_refused() -> None:
    one = lists([1, -1])
    with pytest.raises(ValueError, match="negative"):
        kernel.shared(*one, *one, np.arange(2), 1, 1, numbers(1))
    with pytest.raises(ValueError, match="negative"):
        kernel.subsequences(*one, *one, 1, numbers(1))
    with pytest.raises(ValueError, match="negative"):
        kernel.edits(*one, *one, 1, numbers(1))
    with pytest.raises(ValueError, match="as many"):
        kernel.edits(*lists([1]), *lists([1], [2]), 1, numbers(1))
    with pytest.raises(ValueError, match="wrong size"):
        kernel.subsequences(*lists([1]), *lists([1]), 1, numbers(2))
    with pytest.raises(ValueError, match="order"):
        kernel.shared(*lists([1]), *lists([1]), np.arange(2), 0, 1, numbers(0))
    with pytest.raises(ValueError, match="as many"):
        kernel.subsequences(*lists([1]), *lists([1], [2]), 1, numbers(1))
    with pytest.raises(ValueError, match="wrong size"):
        kernel.shared(*lists([1], [1], [1], [1]), *lists([1]), np.array([0, 1, 1, 1, 1]), 1 << 62, 1, numbers(0))
    with pytest.raises(ValueError, match="wrong size"):
        kernel.characters(*utf8(*"abcd"), *utf8(*"abcd"), b"\0", b"", 1 << 62, 1, numbers(4), numbers(4), numbers(0))
    with pytest.raises(TypeError):
        kernel.subsequences("a", "b")


def test_words_of_wrong_arguments_are_refused() -> None:
    table = np.zeros(128, dtype=np.uint8)
    with pytest.raises(ValueError, match="table"):
        kernel.words(*utf8("a"), b"", 1, numbers(1))
    with pytest.raises(ValueError, match="wrong size"):
        kernel.words(*utf8("a", "b"), table, 1, numbers(1))
    assert kernel.words(*utf8(), table, 1, numbers(0)) == (b"", (b"", b""))


@pytest.mark.parametrize("cut", [b"\xe8", b"\xe8\x8c", b"\xf0\x9f", b"a\xff\xff\xff"])
def test_words_that_are_not_utf8_are_read_to_their_end_and_no_further(cut: bytes) -> None:
    data, offsets = np.frombuffer(cut, dtype=np.uint8), np.array([0, len(cut)])
    for kind in range(11):
        tokens = numbers(1)
        codes, (words, lengths) = kernel.words(data, offsets, np.full(1, kind, dtype=np.uint8), 3, tokens)
        assert len(codes) == 4 * tokens[0]
        assert int(np.frombuffer(lengths, np.int64).sum()) == len(words) <= len(cut)


def misaligned(values: Any) -> Any:
    """Return a copy of the values that begins between the places where its type may lie."""
    room = np.zeros(values.nbytes + 1, dtype=np.uint8)[1:]
    room[:] = values.view(np.uint8)
    return room.view(values.dtype)


def test_arguments_that_are_not_aligned_are_refused() -> None:
    codes, offsets = lists([1, 2])
    with pytest.raises(ValueError, match="aligned"):
        kernel.subsequences(misaligned(codes), offsets, codes, offsets, 1, numbers(1))
    with pytest.raises(ValueError, match="aligned"):
        kernel.subsequences(codes, offsets, codes, misaligned(offsets), 1, numbers(1))
    with pytest.raises(ValueError, match="aligned"):
        kernel.subsequences(codes, offsets, codes, offsets, 1, misaligned(np.zeros(1, dtype=np.int64)))
    for dtype, wide in ((np.int32, False), (np.int64, True)):
        starts = np.array([0, 1], dtype=dtype)
        for side in ((misaligned(starts), starts), (starts, misaligned(starts))):
            columns = [part for offsets in side for part in (b"a", offsets, wide, np.array([0, 1]))]
            with pytest.raises(ValueError, match="aligned"):
                kernel.matches(*columns, 1, numbers(1), np.zeros(1, dtype=bool))


def test_bytes_that_are_not_utf8_are_read_to_their_end_and_no_further() -> None:
    random = np.random.default_rng(8)
    table = np.zeros(0x3002, dtype=np.uint8)
    for size in range(60):
        noise = random.integers(0, 256, size).astype(np.uint8), np.array([0, size // 2, size])
        counts, lengths = numbers(12), (numbers(2), numbers(2))
        kernel.characters(*noise, *noise, table, b"", 6, 1, *lengths, counts)
        assert (lengths[0] == lengths[1]).all()
        for rules in (b"", table, table + np.uint8(2), table + np.uint8(3)):
            for words, forms in itertools.product((False, True), (AS_WRITTEN, known(np.arange(0x3002) | KNOWN))):
                flags = words, False, True, True
                left, right = kernel.tokens(*noise, *noise, np.arange(3), rules, *flags, forms, 1, *lengths)
                assert len(left) == len(right) == 4 * lengths[0].sum()
