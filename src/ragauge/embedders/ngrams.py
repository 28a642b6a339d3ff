"""Character n-grams by script, as arrays over code points, and tables of how rare each n-gram is."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ragauge.core import native
from ragauge.core.hashing import HashArray, splitmix64
from ragauge.core.ragged import IntArray, Ragged, offsets_of
from ragauge.errors import DataError, excerpt
from ragauge.languages.folding import folded
from ragauge.languages.scripts import scripts

# Unicode, chapter 3.12: a syllable is 0xAC00 + (lead * 21 + vowel) * 28 + tail.
_SYLLABLES, _LEADS, _VOWELS, _TAILS = 0xAC00, 0x1100, 0x1161, 0x11A7
_MAGIC = b"ragauge idf 1\n"
_BITS = 22
_SHIFT = np.uint32(32 - _BITS)
# An idf is stored in steps of 1/16: 255 steps reach to one text in eight million.
_STEP = 1 / 16
# Texts counted at once: their n-grams take some ten megabytes.
_BATCH = 4096
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
# Marks the beginning and the end of a word; it is above all code points.
_EDGE = 0x110000
_IGNORED = 255
_TEXT = np.uint64(32)
# Fewer n-grams are sorted at once, in less time than they are shared out to their texts.
_FEW = 1 << 12
# Characters from which on the kernel, where it is installed, is faster.
_ENOUGH = 1 << 9


@dataclass(frozen=True)
class Shape:
    """Which n-grams are taken of a run of letters of ``scripts``."""

    scripts: tuple[str, ...]
    orders: tuple[int, ...]  # their lengths
    whole: bool = False  # the run itself counts too
    edged: bool = False  # the run's begin and end count as characters
    weight: int = 4  # of each n-gram, in quarters


# Han: one character is nearly a word, two mostly are. Hiragana is mostly grammar. Thai and its kin put no space between
# words. Scripts that are not named have the shape "word": whole words, and n-grams that inflected forms share.
SHAPES = {
    "word": Shape((), (3, 4, 5), whole=True, edged=True),
    "han": Shape(("han", "bopomofo"), (1, 2)),
    "katakana": Shape(("katakana",), (2, 3), whole=True),
    "hiragana": Shape(("hiragana",), (2,), weight=1),
    "hangul": Shape(("hangul",), (1, 2), whole=True),
    "complex": Shape(("thai", "lao", "khmer", "myanmar", "tibetan"), (2, 3, 4)),
}
JAMO = Shape((), (3, 4, 5))

_NAMES = tuple(SHAPES)
_GAP = len(_NAMES)
_SALT = {name: splitmix64(np.array([place], dtype=np.uint64))[0] for place, name in enumerate((*_NAMES, "jamo"))}


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """The distinct n-grams of n texts, one text after the other."""

    keys: npt.NDArray[np.uint32]  # (m,) hashes, rising within each text; the lowest three bits are the shape's weight
    counts: IntArray  # (m,) how often each occurs in its text
    offsets: IntArray  # (n + 1,)


def features(points: Ragged) -> Features:
    """Return the n-grams of n texts, whose ``points`` are as `ragauge.languages.folding.folded` returns them."""
    if len(points.values) >= _ENOUGH and (known := native.script_ngrams(points, _kinds(), _shapes(), _IGNORED)):
        return Features(*known)
    occurrences = _sorted(list(_occurrences(points)), len(points))
    keys = occurrences.values
    first = np.ones(len(keys), dtype=bool)
    np.not_equal(keys[1:], keys[:-1], out=first[1:])
    first[occurrences.offsets[:-1][occurrences.lengths > 0]] = True
    firsts = np.flatnonzero(first)
    offsets = np.searchsorted(firsts, occurrences.offsets)
    return Features(keys[firsts], np.diff(firsts, append=len(keys)), offsets)


def _sorted(parts: list[HashArray], size: int) -> Ragged:
    """Return the keys of ``size`` texts, uint32 and rising in each, from parts as `_occurrences` yields them."""
    if sum(map(len, parts)) < _FEW:
        every = np.sort(np.concatenate([np.empty(0, dtype=np.uint64), *parts]))
        texts = (every >> _TEXT).astype(np.int64)
        return Ragged(every.astype(np.uint32), np.searchsorted(texts, np.arange(size + 1)))
    occurrences = _by_text(parts, size)
    _sort_each(occurrences)
    return occurrences


def _by_text(parts: list[HashArray], size: int) -> Ragged:
    """Return the keys of ``size`` texts, uint32, from parts in the order of texts as `_occurrences` yields them."""
    numbers = [np.bincount((part >> _TEXT).astype(np.int64), minlength=size) for part in parts]
    offsets = offsets_of(sum(numbers, np.zeros(size, dtype=np.int64)))
    keys, begins = np.empty(offsets[-1], dtype=np.uint32), offsets[:-1].copy()
    for part, own in zip(parts, numbers, strict=True):
        keys[np.arange(len(part)) + np.repeat(begins - offsets_of(own)[:-1], own)] = part.astype(np.uint32)
        begins += own
    return Ragged(keys, offsets)


def _sort_each(lists: Ragged) -> None:
    """Sort each list of keys in place: as rows of matrices, lists of about one length together.

    Short rows take a tenth to a quarter of the time of one long array.
    """
    values, lengths = lists.values, lists.lengths
    sizes = np.frexp(lengths)[1]  # padding to the same power of two at most doubles a row
    for size in np.unique(sizes[lengths > 1]).tolist():
        rows = np.flatnonzero(sizes == size)
        columns = np.arange(lengths[rows].max())
        inside = columns < lengths[rows, None]
        places = (lists.offsets[rows, None] + columns)[inside]
        matrix = np.full(inside.shape, np.iinfo(np.uint32).max, dtype=np.uint32)
        matrix[inside] = values[places]
        matrix.sort(axis=1)
        values[places] = matrix[inside]


def _occurrences(points: Ragged) -> Iterator[HashArray]:
    """Yield all n-grams, shape by shape: the number of the text in the upper 32 bits, the key in the lower."""
    kinds = _kinds()[points.values]
    rows = points.rows
    kept = kinds != _IGNORED
    values, kinds, rows = points.values[kept], kinds[kept], rows[kept]
    for number, name in enumerate(_NAMES):
        inside = np.flatnonzero(kinds == number)
        if len(inside):
            yield from _of_kind(name, values, rows, inside)


def _of_kind(name: str, values: np.ndarray, rows: IntArray, inside: IntArray) -> Iterator[HashArray]:
    """Yield the n-grams of one shape; a run is adjacent letters of that shape in one text."""
    shape, salt = SHAPES[name], _SALT[name]
    texts = rows[inside]
    breaks = (np.diff(inside) != 1) | (np.diff(texts) != 0)
    starts = np.concatenate([[0], np.flatnonzero(breaks) + 1, [len(inside)]])
    runs = Ragged(values[inside].astype(np.uint64), starts)
    of_run = texts[starts[:-1]].astype(np.uint64)
    if shape.whole:
        yield _key(_whole(runs), salt, shape.weight) | of_run << _TEXT
    cut = _edged(runs) if shape.edged else runs
    yield from _windows(cut, of_run, shape, salt)
    if name == "hangul":
        yield from _windows(_jamo(runs), of_run, JAMO, _SALT["jamo"])


def _windows(runs: Ragged, of_run: HashArray, shape: Shape, salt: np.uint64) -> Iterator[HashArray]:
    """Yield the n-grams of each order in ``runs``; runs shorter than the order have none."""
    size = len(runs.values)
    hashes = np.zeros(size, dtype=np.uint64)
    left = np.repeat(runs.offsets[1:], runs.lengths) - np.arange(size)
    texts = np.repeat(of_run, runs.lengths)
    for order in range(1, min(max(shape.orders), size) + 1):
        hashes = hashes[: size - order + 1] * _MULTIPLIER + runs.values[order - 1 :]
        if order in shape.orders:
            there = left[: len(hashes)] >= order
            key = _key(hashes[there] + np.uint64(order), salt, shape.weight)
            yield key | texts[: len(hashes)][there] << _TEXT


def _whole(runs: Ragged) -> HashArray:
    """Hash each run as a whole: the sum of one random word per (place, code point)."""
    places = runs.positions.astype(np.uint64) << np.uint64(21)
    return np.asarray(np.add.reduceat(splitmix64(runs.values + places), runs.offsets[:-1]))


def _edged(runs: Ragged) -> Ragged:
    """Put a mark before and after each run."""
    offsets = runs.offsets + 2 * np.arange(len(runs.offsets))
    values = np.full(offsets[-1], _EDGE, dtype=np.uint64)
    values[np.arange(len(runs.values)) + 2 * runs.rows + 1] = runs.values
    return Ragged(values, offsets)


def _jamo(runs: Ragged) -> Ragged:
    """Write each Hangul syllable as its letters, other letters as they are."""
    index = runs.values.astype(np.int64) - _SYLLABLES
    syllable = (index >= 0) & (index < 11172)
    lead, vowel, tail = index // 588 + _LEADS, index % 588 // 28 + _VOWELS, index % 28
    letters = np.stack([np.where(syllable, lead, index + _SYLLABLES), vowel, tail + _TAILS], axis=1)
    there = np.stack([np.ones(len(index), dtype=bool), syllable, syllable & (tail > 0)], axis=1)
    ends = np.concatenate([[0], np.cumsum(there.sum(axis=1))])
    return Ragged(letters[there].astype(np.uint64), ends[runs.offsets])


def _key(hashes: HashArray, salt: np.uint64, weight: int) -> HashArray:
    """Return hashes mixed to 29 bits, with the weight of the shape in the three bits below."""
    mixed = splitmix64(hashes ^ salt) >> np.uint64(35)
    return np.asarray(mixed << np.uint64(3) | np.uint64(weight))


@cache
def _kinds() -> npt.NDArray[np.uint8]:
    """Return for each code point the place of its shape in SHAPES; a mark of no script has the shape of words."""
    table = scripts()
    kinds = np.full(len(table.names), _NAMES.index("word"), dtype=np.uint8)
    for place, shape in enumerate(SHAPES.values()):
        kinds[[table.names.index(name) for name in shape.scripts]] = place
    kinds[table.names.index("gap")] = _GAP
    kinds[table.names.index("ignored")] = _IGNORED
    return np.asarray(kinds[table.of_point])


@cache
def _shapes() -> npt.NDArray[np.uint64]:
    """Return SHAPES, and JAMO, as `ragauge.core.native.script_ngrams` takes them."""
    rows = [
        (sum(1 << order - 1 for order in shape.orders), shape.whole, shape.edged, name == "hangul", shape.weight)
        for name, shape in {**SHAPES, "jamo": JAMO}.items()
    ]
    return np.column_stack([np.array(rows, dtype=np.uint64), np.array(list(_SALT.values()), dtype=np.uint64)])


@dataclass(frozen=True, eq=False)
class Idf:
    """A table of idf in sixteenths, by the first 22 bits of an n-gram's hash."""

    levels: npt.NDArray[np.uint8]  # (2^22,), never 0
    made_of: Mapping[str, Any] = field(default_factory=dict)  # the numbers of texts it was fitted to, for people

    def of(self, keys: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint8]:
        """Look up n-grams by their 32-bit hashes."""
        return np.asarray(self.levels[keys >> _SHIFT])

    @cached_property
    def digest(self) -> str:
        """Eight hexadecimal digits of the SHA-256 of the table."""
        return sha256(self.levels.tobytes()).hexdigest()[:8]

    def save(self, path: Path) -> None:
        """Write the table to ``path``."""
        head = json.dumps(self.made_of, ensure_ascii=False, sort_keys=True).encode()
        path.write_bytes(_MAGIC + head + b"\n" + zlib.compress(self.levels.tobytes(), 9))


def fit(corpora: Mapping[str, Iterable[str]], *, most: int | None = None) -> Idf:
    """Return the table of how rare each n-gram is, from the share of texts that have it; DataError without a text.

    Of several ``corpora`` (languages, say) the greatest share counts, so that a language with few texts, or one that
    shares its script with many, keeps its own frequent words. All but the ``most`` common n-grams count as never seen.
    """
    share = np.zeros(1 << _BITS, dtype=np.float64)
    sizes = {}
    for name, texts in corpora.items():
        counts, sizes[name] = _counts(texts)
        np.maximum(share, counts / max(sizes[name], 1), out=share)
    size = max(sizes.values(), default=0)
    if size == 0:
        raise DataError("RG-EMB-002 there is no text to fit an IDF table to")
    if most is not None and np.count_nonzero(share) > most:
        share[share < np.partition(share, -most)[-most]] = 0.0
    # An n-gram that was never seen counts as if in half a text.
    idf = -np.log(np.maximum(share, 0.5 / size))
    return Idf(np.clip(np.rint(idf / _STEP), 1, 255).astype(np.uint8), {"texts": sizes})


def _counts(texts: Iterable[str]) -> tuple[npt.NDArray[np.int64], int]:
    """Return how many texts have each n-gram, (2^22,), and how many texts there are."""
    counts, size = np.zeros(1 << _BITS, dtype=np.int64), 0
    rest = iter(texts)
    while batch := list(islice(rest, _BATCH)):
        buckets = (features(folded(batch)).keys >> _SHIFT).astype(np.int64)
        counts += np.bincount(buckets, minlength=len(counts))
        size += len(batch)
    return counts, size


def load(path: Path | str) -> Idf:
    """Read a table that `Idf.save` wrote; DataError where the file is not found or is none."""
    try:
        return _parsed(Path(path).read_bytes())
    except (OSError, ValueError, RecursionError, zlib.error) as error:
        raise DataError(
            "RG-EMB-003 cannot read the IDF table {path!r} ({reason}); make one with: ragauge fit-idf DATA -o FILE",
            str(path),
            excerpt(str(error)),
        ) from None


@cache
def shipped() -> Idf:
    """Return the table that is part of the package."""
    return _parsed(Path(__file__).with_name("lexical.idf").read_bytes())


def _parsed(data: bytes) -> Idf:
    magic, head, packed = data[: len(_MAGIC)], *data[len(_MAGIC) :].split(b"\n", 1)
    if magic != _MAGIC:
        raise ValueError("it does not begin as one")
    # One byte more than a table has: a small file can hold gigabytes of zeros.
    levels = np.frombuffer(zlib.decompressobj().decompress(packed, (1 << _BITS) + 1), dtype=np.uint8)
    if len(levels) != 1 << _BITS or not levels.all():
        raise ValueError("it is damaged")
    return Idf(levels, json.loads(head))
