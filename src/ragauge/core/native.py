"""The optional compiled kernel, module ``ragauge_native``: the same counts in less time.

It is compiled when ragauge is installed, where there is a compiler of C++20 (``native/build_kernel.py``).

Every function returns None where there is no kernel, or where it does not serve what is asked; the caller then computes
with numpy. Counts are whole numbers and numbers are read as the nearest doubles, so both ways give the same scores to
the last bit.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ragauge.core.arrow import utf8
from ragauge.core.messages import Message
from ragauge.core.ragged import FloatArray, IntArray, Lists, Ragged, offsets_of
from ragauge.errors import UsageError, excerpt

MODULE = "ragauge_native"
ABI = 11
"""What the functions of the kernel take and return; a kernel of another number is refused."""
VARIABLE = "RAGAUGE_NATIVE"
"""The environment variable that turns the kernel off where it is 0."""
INSTALL = "pip install ."
"""In the repository of ragauge: it compiles the kernel anew."""

# A kernel numbers tokens with 32 bits.
_MOST = (1 << 31) - 1
_LONGEST = (1 << 28) - 1
"""The most characters of a text whose n-grams a kernel numbers with 32 bits."""
_ORDERS = {"docid-desc": -1, "docid-asc": 1}


@dataclass(frozen=True, slots=True, eq=False)
class CutRules:
    """How a tokenizer cuts texts, for the kernel.

    Args:
        table: the class of each code point, as `ragauge.tokenizers.mteval.Part`; those past the end have the class of
            the last entry. None: runs of ASCII letters and digits, as rouge-score.
        words: the classes are `ragauge.tokenizers.auto.CharacterClass`, and texts are cut as by ``auto``.
        padded: as `ragauge.tokenizers.mteval.MtevalRules`.
        decoded: entities are replaced first, as by ``13a``.
        stripped: white space at the beginning of a text is taken off first; that at its end always is.
    """

    table: npt.NDArray[np.uint8] | None
    words: bool = False
    padded: bool = True
    decoded: bool = False
    stripped: bool = False


def kernel() -> Any:
    """Return the module of the kernel; None where it is not installed or turned off by ``RAGAUGE_NATIVE=0``.

    Raises:
        UsageError: the kernel is of another version than this ragauge needs, or cannot be imported.
    """
    return None if turned_off() else imported()


def turned_off() -> bool:
    """Return whether the user does not want the kernel."""
    return os.environ.get(VARIABLE) == "0"


@cache
def imported() -> Any:
    """Return what `kernel` returns, also where it is turned off; the same errors."""
    if find_spec(MODULE) is None:
        return None
    advice = "; install ragauge again, in its repository with {install}, or set {variable}=0 to score without it"
    way_out = Message(advice, INSTALL, VARIABLE)
    try:
        module = import_module(MODULE)
    except ImportError as error:
        raise UsageError(
            "RG-CORE-008 the compiled kernel cannot be imported ({reason}){way_out}", excerpt(str(error)), way_out
        ) from error
    interface = getattr(module, "ABI", None)
    if interface != ABI:
        raise UsageError(
            "RG-CORE-007 the compiled kernel has interface {interface}, this ragauge needs {abi}{way_out}",
            interface,
            ABI,
            way_out,
        )
    return module


def byte_sums(data: npt.NDArray[np.uint8], offsets: IntArray) -> npt.NDArray[np.uint64] | None:
    """Return what `ragauge.core.hashing` sums over the bytes of n strings, (n,), or None."""
    if (module := kernel()) is None:
        return None
    sums = np.empty(len(offsets) - 1, dtype=np.uint64)
    module.sums(data, offsets, pa.cpu_count(), sums)
    return sums


def shared_ngrams(left: Ragged, right: Ragged, owner: IntArray, order: int) -> IntArray | None:
    """Return what `ragauge.metrics.text._ngrams.clipped_matches` returns, (n, order), or None."""
    if (module := kernel()) is None or (codes := _int32(left, right)) is None:
        return None
    counts = np.empty((len(left), order), dtype=np.int64)
    first = np.searchsorted(owner, np.arange(len(left) + 1))
    module.shared(codes[0], left.offsets, codes[1], right.offsets, first, order, pa.cpu_count(), counts)
    return counts


def of_pairs(function: Literal["subsequences", "distances", "edits"], left: Ragged, right: Ragged) -> IntArray | None:
    """Return a number of each pair of lists of codes, (n,), or None.

    That is the length of their longest common subsequence, their Levenshtein distance, or the edits of TER.
    """
    # A kernel of this interface need not have all of its functions.
    measure = getattr(kernel(), function, None)
    if measure is None or (codes := _int32(left, right)) is None:
        return None
    numbers = np.empty(len(left), dtype=np.int64)
    measure(codes[0], left.offsets, codes[1], right.offsets, pa.cpu_count(), numbers)
    return numbers


class Known(Protocol):
    """The forms of tokens as far as they are known, see `ragauge.tokenizers.forms.KnownForms`."""

    def known(self) -> tuple[Any, ...]:
        """Return the forms of code points, and words with theirs: letters and offsets of each."""

    def learn(self, words: Sequence[str]) -> bool:
        """Find the forms of words; return whether any of them was not known."""


_AS_WRITTEN = (b"",) * 5


def tokens_by_sample(
    left: pa.Array,
    right: pa.Array,
    owner: IntArray,
    rules: CutRules,
    forms: Known | None = None,
    *,
    articles: bool = False,
) -> tuple[Ragged, Ragged] | None:
    """Return the tokens of n ``left`` and m ``right`` texts, numbered anew in each sample; or None.

    Equal numbers mean equal tokens in the texts of one sample only: text i of ``left``, and the texts of ``right`` that
    it owns, by ``owner`` (m,), ascending. The texts are large strings without null.

    ``forms``: under which tokens are compared; None: as written. ``articles``: with forms, leave out English articles.
    """
    if (module := kernel()) is None or not all(map(_fit, sides := (utf8(left), utf8(right)))):
        return None
    lengths = np.empty(len(left), dtype=np.int64), np.empty(len(right), dtype=np.int64)
    first = np.searchsorted(owner, np.arange(len(left) + 1))
    table = b"" if rules.table is None else rules.table
    flags = rules.words, rules.padded, rules.decoded, rules.stripped
    while True:
        known = _AS_WRITTEN if forms is None else forms.known()
        found = module.tokens(*sides[0], *sides[1], first, table, *flags, (*known, articles), pa.cpu_count(), *lengths)
        if isinstance(found, tuple):
            break
        if forms is None or not forms.learn([word.decode() for word in found.split(b"\xff")]):
            return None
    one, other = (
        Ragged(np.frombuffer(part, np.int32), offsets_of(length)) for part, length in zip(found, lengths, strict=True)
    )
    return one, other


def words(texts: pa.Array, classes: npt.NDArray[np.uint8]) -> tuple[Ragged, list[str]] | None:
    """Return the tokens of n texts by the rules of `ragauge.tokenizers.auto`: n lists of numbers, and words by number.

    ``classes``: the class of each code point. The texts are large strings without null. None: there is no kernel.
    """
    if (module := kernel()) is None or not _fit(side := utf8(texts)):
        return None
    counts = np.empty(len(texts), dtype=np.int64)
    codes, (data, lengths) = module.words(*side, classes, pa.cpu_count(), counts)
    buffers = [None, pa.py_buffer(offsets_of(np.frombuffer(lengths, np.int64))), pa.py_buffer(data)]
    distinct = pa.Array.from_buffers(pa.large_string(), len(lengths) // 8, buffers)
    return Ragged(np.frombuffer(codes, np.int32), offsets_of(counts)), distinct.to_pylist()


def character_ngrams(
    left: pa.Array,
    right: pa.Array,
    gaps: npt.NDArray[np.uint8],
    order: int,
    points: npt.NDArray[np.uint32] | bytes = b"",
) -> tuple[IntArray, IntArray, IntArray] | None:
    """Return how many characters ``left[i]`` and ``right[i]`` have, (n,) each, and the n-grams they share, (n, order).

    ``gaps``: 1 for each code point that is left out; those past its end are as its last entry. ``points``: the forms of
    characters, see `Known`; the lengths are -1, and nothing is counted, where one of both texts has another character.
    """
    if (module := kernel()) is None or not all(map(_fit, sides := (utf8(left), utf8(right)))):
        return None
    lengths = np.empty(len(left), dtype=np.int64), np.empty(len(left), dtype=np.int64)
    counts = np.empty((len(left), order), dtype=np.int64)
    module.characters(*sides[0], *sides[1], gaps, points, order, pa.cpu_count(), *lengths, counts)
    return (*lengths, counts)


def plain_lines(
    data: npt.NDArray[np.uint8], width: int, places: tuple[int, int], delimiter: int, room: npt.NDArray[np.uint64]
) -> list[tuple[bytes, ...]] | None:
    """Return the parts of lines of ``width`` fields that are read, some lines a part, in their order; or None.

    ``places``: the index of the document and of the number. A part: the letters of queries where the query changes, and
    their offsets (int32), the lines of each (int64), the letters and offsets of documents, and numbers (float64).
    ``room``: memory to work in, of at least 6 bytes for each of ``data``. None too where a line is not plain, as
    `ragauge.formats.trec_lines.plain_lines` has it, and where a number is written in a rare way.
    """
    if (module := kernel()) is None:
        return None
    parts: list[tuple[bytes, ...]] | None = module.lines(data, width, *places, delimiter, pa.cpu_count(), room)
    return parts


def matches(retrieved: Lists, judged: Lists) -> tuple[IntArray, IntArray] | None:
    """Return where each judged document was retrieved, a flat index or -1, (m,), and the rows with repeats; or None.

    Where a document is repeated, the index is that of its first place. The values are string or large_string.
    """
    if (module := kernel()) is None:
        return None
    places, repeated = np.empty(len(judged.values), dtype=np.int64), np.empty(len(retrieved), dtype=np.bool_)
    sides = (part for lists in (retrieved, judged) for part in (*_letters(lists.values), lists.offsets))
    module.matches(*sides, pa.cpu_count(), places, repeated)
    return places, np.flatnonzero(repeated)


def dict_ranks(
    scores: Sequence[Any], grades: Sequence[Any], size: int, ties: str, score_dtype: str
) -> tuple[FloatArray, IntArray, IntArray, IntArray] | None:
    """Return the grades of ``size`` judged documents, and where each stands among those retrieved; or None.

    That is how many of its query have a greater score, -1 where it was not retrieved; how many an equal one; and how
    many of these come before it. ``ties``, ``score_dtype``: as in `ragauge.ranking.Rankings.judged`. None too where a
    dict, an id or a number is of another type, or a number is NaN.
    """
    if (module := kernel()) is None:
        return None
    worth = np.empty(size)
    greater, equal, before = (np.empty(size, dtype=np.int64) for _ in range(3))
    dicts, order = (list(scores), list(grades)), _ORDERS.get(ties, 0)
    served = module.dict_ranks(*dicts, score_dtype == "float32", order, worth, greater, equal, before)
    return (worth, greater, equal, before) if served else None


def script_ngrams(
    points: Ragged, kinds: npt.NDArray[np.uint8], shapes: npt.NDArray[np.uint64], ignored: int
) -> tuple[npt.NDArray[np.uint32], IntArray, IntArray] | None:
    """Return the keys, counts and offsets of `ragauge.embedders.ngrams.Features` of n texts, or None.

    ``kinds``: of each code point the row of ``shapes``, or ``ignored``, or any other number, which parts words.
    ``shapes`` (s, 6): orders, as bits; whether the run counts too, has edges, and is also written as letters of Hangul,
    which the last row cuts; the weight; the salt. None too where a text has 2^28 characters or more.
    """
    if (module := kernel()) is None or points.lengths.max(initial=0) > _LONGEST:
        return None
    lengths = np.empty(len(points), dtype=np.int64)
    texts = np.ascontiguousarray(points.values, np.uint32), np.ascontiguousarray(points.offsets, np.int64)
    keys, counts = module.script_ngrams(*texts, kinds, shapes, ignored, pa.cpu_count(), lengths)
    return np.frombuffer(keys, np.uint32), np.frombuffer(counts, np.int64), offsets_of(lengths)


def dots(entries: Ragged, weights: npt.NDArray[np.uint16], left: IntArray, right: IntArray) -> FloatArray | None:
    """Return the dot products of vectors ``left[i]`` and ``right[i]``, (p,), or None; ``entries`` are their keys."""
    if (module := kernel()) is None or entries.values.dtype != np.uint32 or weights.dtype != np.uint16:
        return None
    products = np.empty(len(left))
    keys, offsets, *pairs = np.ascontiguousarray(entries.values), *_int64(entries.offsets, left, right)
    module.dots(keys, offsets, np.ascontiguousarray(weights), *pairs, pa.cpu_count(), products)
    return products


def holders(wanted: Ragged, vectors: Ragged, texts: Ragged) -> Ragged | None:
    """Return which of the vectors of its sample hold each of the m wanted keys, as m lists; or None.

    ``wanted``: n lists of distinct keys, uint64, whose lower halves count. ``vectors``: the keys of each vector,
    uint32; None with others. ``texts``: n lists of numbers of vectors. A holder is a place in the values of ``texts``.
    """
    if (module := kernel()) is None or wanted.values.dtype != np.uint64 or vectors.values.dtype != np.uint32:
        return None
    lengths = np.empty(len(wanted.values), dtype=np.int64)
    keys, dimensions = np.ascontiguousarray(wanted.values), np.ascontiguousarray(vectors.values)
    sides = (keys, *_int64(wanted.offsets), dimensions, *_int64(vectors.offsets, texts.values, texts.offsets))
    places = module.holders(*sides, pa.cpu_count(), lengths)
    return Ragged(np.frombuffer(places, np.int64), offsets_of(lengths))


def near(
    segments: Ragged, terms: tuple[IntArray, ...], runs: tuple[IntArray, IntArray], window: int, size: int
) -> IntArray | None:
    """Return the sums, (size,), that n-grams add in and near the segments that have them; or None.

    ``segments``: lists of rising numbers. ``terms``, (t,) each: the list of each n-gram; where its sums begin, never
    falling; its weight; the segment that its first sum is of; how many sums it has. ``runs``: the first and the last
    segment of the run of each segment.
    """
    if (module := kernel()) is None:
        return None
    sums = np.zeros(size, dtype=np.int64)
    module.near(*_int64(segments.values, segments.offsets, *terms, *runs), window, pa.cpu_count(), sums)
    return sums


def _letters(texts: pa.Array) -> tuple[Any, Any, bool]:
    """Return the letters of texts, their offsets, and whether these have 64 bits; without a copy."""
    wide = pa.types.is_large_string(texts.type)
    _, starts, letters = texts.buffers()
    if starts is None or not len(texts):
        return b"", np.zeros(1, dtype=np.int32), False
    offsets = np.frombuffer(starts, np.int64 if wide else np.int32, len(texts) + 1, texts.offset * (8 if wide else 4))
    return letters or b"", np.require(offsets, requirements="A"), wide


def _int64(*columns: npt.NDArray[Any]) -> list[IntArray]:
    """Return columns of whole numbers as the kernel reads them."""
    return [np.ascontiguousarray(column, dtype=np.int64) for column in columns]


def _int32(*sides: Ragged) -> list[npt.NDArray[np.int32]] | None:
    """Return the codes of each side as int32; None where one is too large."""
    if any(side.values.dtype != np.int32 and side.values.max(initial=0) > _MOST for side in sides):
        return None
    return [np.ascontiguousarray(side.values, dtype=np.int32) for side in sides]


def _fit(texts: tuple[npt.NDArray[np.uint8], IntArray]) -> bool:
    """Return whether the kernel can number the bytes of the texts."""
    return bool(texts[1][-1] - texts[1][0] <= _MOST)
