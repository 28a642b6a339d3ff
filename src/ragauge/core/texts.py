"""What a batch derives from columns of text: tokens, segments and vectors."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count, pairwise
from types import MappingProxyType
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ragauge.core import compute as pc
from ragauge.core.arrow import filled, to_arrow, to_numpy
from ragauge.core.ingredients import Embedder, Role, Tokenizer, Vectors, Vocabulary
from ragauge.core.ragged import Array, FloatArray, IntArray, Ragged, offsets_of
from ragauge.core.spec import write
from ragauge.errors import UsageError, excerpt

# Texts that repeat at least this often on average are tokenised once each.
_WORTH_IT = 1.5
# Bytes of a text, on average, from which equal ones are not looked for: to do so takes several times their memory.
_LONG = 1 << 20
NO_VECTOR = "the embedder gave no vector"


class TokenForms(Protocol):
    """What is done to a token before it is compared: case, punctuation, stem; see `ragauge.tokenizers.forms.Forms`."""

    def apply(self, vocabulary: Vocabulary) -> npt.NDArray[np.int32]:
        """Return for each code of ``vocabulary`` the code of its form, -1 where it is dropped."""

    def __hash__(self) -> int: ...


def is_list(array: pa.Array) -> bool:
    """Return whether the values of ``array`` are lists."""
    return bool(pa.types.is_list(array.type) or pa.types.is_large_list(array.type))


def as_texts(array: pa.Array) -> pa.Array:
    """Return strings as large strings, null as the empty text."""
    return filled(pc.cast(array, pa.large_string()), "")


def encoded(texts: Sequence[pa.Array], tokenizer: Tokenizer, vocabulary: Vocabulary) -> list[Ragged]:
    """Return the token codes of several arrays of texts, tokenised together: what repeats among them is read once."""
    if sum(array.nbytes for array in texts) > _LONG * sum(map(len, texts)):
        return [_encoded(array, tokenizer, vocabulary) for array in texts]
    together = pa.concat_arrays(texts)
    distinct = None if is_list(together) else pc.dictionary_encode(together)
    if distinct is not None and len(distinct.dictionary) * _WORTH_IT > len(together):
        distinct = None
    codes = _encoded(together if distinct is None else distinct.dictionary, tokenizer, vocabulary)
    if distinct is not None:
        codes = codes.take(to_numpy(distinct.indices))
    edges = np.cumsum([0, *map(len, texts)]).tolist()
    return [codes.between(first, last) for first, last in pairwise(edges)]


def _encoded(texts: pa.Array, tokenizer: Tokenizer, vocabulary: Vocabulary) -> Ragged:
    """Return the token codes of an array of texts; UsageError where the tokenizer returns anything else."""
    codes = tokenizer.encode(texts, vocabulary)
    if not isinstance(codes, Ragged) or len(codes) != len(texts):
        returned = len(codes) if isinstance(codes, Ragged) else type(codes).__name__
        raise UsageError(
            "RG-CORE-011 encode of the tokenizer {tokenizer} must return a Ragged of {n} lists; got {returned}",
            write(tokenizer),
            len(texts),
            returned,
        )
    if codes.offsets[-1] != len(codes.values):
        raise UsageError(
            "RG-CORE-031 encode of the tokenizer {tokenizer} must return lists whose lengths add up to the number of "
            "its tokens, {n}; they add up to {total}",
            write(tokenizer),
            len(codes.values),
            int(codes.offsets[-1]),
        )
    return codes


def recoded(codes: Ragged, table: npt.NDArray[np.int32]) -> Ragged:
    """Look up each of ``codes`` in ``table`` and leave out what is -1 there.

    >>> recoded(Ragged.of([[0, 1], [1, 2]]), np.array([0, -1, 1], dtype=np.int32)).to_lists()
    [[0], [1]]
    """
    values = table[codes.values]
    return Ragged(values, codes.offsets).where(values >= 0)


Splitter: TypeAlias = Callable[[Any], tuple[Ragged, Ragged]]
"""Takes an Arrow array of n strings and returns where segments begin and end in each, as `ragauge.sentences.split`."""


@dataclass(frozen=True, eq=False)
class Segments:
    """The segments of n samples, s in all; each is a part of a text.

    Shapes: ``offsets`` (n + 1,): where each sample's segments begin; ``source`` (s,) rising: the place in ``texts`` of
    the text that holds the segment; ``starts`` and ``ends`` (s,): its place there, in code points; ``texts`` (m,) str.

    >>> import pyarrow as pa
    >>> from ragauge.sentences import split
    >>> sentences = Segments.of(pa.array([["One. Two!", "三。四。"], []])).split(split)
    >>> sentences.strings.to_lists()
    [['One.', 'Two!', '三。', '四。'], []]
    >>> sentences.windows(2).values.tolist()
    ['One. Two!', 'Two!', '三。四。', '四。']
    """

    offsets: IntArray
    source: IntArray
    starts: IntArray
    ends: IntArray
    texts: Array
    compared: Array | None = None
    """What is compared in place of each segment, (s,) str; None: the segment as it is."""

    @classmethod
    def of(cls, column: pa.Array) -> Segments:
        """Return each text of a column whole; a row of strings has one, a row of lists has as many as are listed.

        A null row has no segment; a null within a list is an empty text.
        """
        if is_list(column):
            lengths = filled(pc.list_value_length(column), 0)
            texts = filled(column.flatten().cast(pa.large_string()), "")
        else:
            lengths, texts = column.is_valid().cast(pa.int64()), column.drop_null().cast(pa.large_string())
        return cls.whole(Ragged.from_lengths(objects_of(texts.to_pylist()), to_numpy(lengths)))

    @classmethod
    def whole(cls, texts: Ragged) -> Segments:
        """Return n lists of texts as segments."""
        lengths = np.fromiter(map(len, texts.values), dtype=np.int64, count=len(texts.values))
        return cls(texts.offsets, np.arange(len(lengths)), np.zeros_like(lengths), lengths, texts.values)

    def __len__(self) -> int:
        return len(self.source)

    @property
    def rows(self) -> IntArray:
        """The sample of each segment, (s,)."""
        return np.repeat(np.arange(len(self.offsets) - 1), self.lengths)

    @property
    def lengths(self) -> IntArray:
        """How many segments each sample has, (n,)."""
        return np.diff(self.offsets)

    @cached_property
    def strings(self) -> Ragged:
        """The segments as they are compared, as n lists of str."""
        return self.windows(1) if self.compared is None else Ragged(self.compared, self.offsets)

    def windows(self, width: int) -> Ragged:
        """Return n lists of str: each segment with those that follow it in its text, up to ``width`` segments."""
        last = np.searchsorted(self.source, self.source, side="right") - 1
        ends = self.ends[np.minimum(np.arange(len(self)) + width - 1, last)]
        places = zip(self.source.tolist(), self.starts.tolist(), ends.tolist(), strict=True)
        texts = self.texts
        return Ragged(objects_of([texts[text][start:end] for text, start, end in places]), self.offsets)

    def split(self, splitter: Splitter) -> Segments:
        """Return the segments that ``splitter`` finds in whole texts; each distinct text is split once."""
        encoded = to_arrow(self.texts, pa.large_string()).dictionary_encode()
        starts, ends = splitter(encoded.dictionary)
        chosen = to_numpy(encoded.indices).astype(np.int64)
        starts, ends = starts.take(chosen), ends.take(chosen)
        return Segments(starts.offsets[self.offsets], starts.rows, starts.values, ends.values, self.texts)

    @cached_property
    def not_blank(self) -> Segments:
        """Those whole texts that hold more than white space."""
        kept = np.array([bool(text.strip()) for text in self.texts], dtype=bool)
        return Segments.whole(Ragged(self.texts[kept], offsets_of(kept)[self.offsets]))

    def by_text(self) -> Segments:
        """Return the same segments with one row for each of the m texts instead of one for each sample."""
        offsets = np.searchsorted(self.source, np.arange(len(self.texts) + 1))
        return replace(self, offsets=offsets)

    def take(self, indices: IntArray) -> Segments:
        """Return the segments of the samples at ``indices``, in that order; a sample may be taken several times."""
        places = Ragged(np.arange(len(self)), self.offsets).take(indices)
        source = self.source[places.values]
        # Each repetition is a text of its own, so that windows do not reach across.
        begins = np.concatenate([[True], (np.diff(source) != 0) | (np.diff(places.rows) != 0)])[: len(source)]
        own_source = np.cumsum(begins) - 1
        starts, ends = self.starts[places.values], self.ends[places.values]
        compared = None if self.compared is None else self.compared[places.values]
        return Segments(places.offsets, own_source, starts, ends, self.texts[source[begins]], compared)


def objects_of(texts: Sequence[str]) -> Array:
    """Return texts as an array of objects, (n,)."""
    strings = np.empty(len(texts), dtype=object)
    strings[:] = texts
    return strings


class VectorSpace:
    """All vectors that one embedder made, by number; a text is added when its number is first asked for.

    >>> from ragauge.embedders import get
    >>> space = VectorSpace(get("lexical"))
    >>> question = space.numbers(["who sings"], "query")
    >>> passages = space.numbers(["she sings", "rain", "rain"], "passage")
    >>> question, passages
    (array([0]), array([1, 2, 2]))
    >>> space.cosine(question[[0, 0]], passages[:2]).round(2)
    array([0.52, 0.  ])
    """

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self._vectors: list[Vectors] = []
        self._numbers: defaultdict[str, dict[str, int]] = defaultdict(dict)

    def __len__(self) -> int:
        return sum(map(len, self._numbers.values()))

    @property
    def vectors(self) -> Vectors | None:
        """All vectors; None before any text was encoded."""
        # Joined when they are asked for, and the small ones first: each join copies both sides.
        while len(self._vectors) > 1:
            self._vectors[-2:] = [self._vectors[-2].joined(self._vectors[-1])]
        return self._vectors[0] if self._vectors else None

    def numbers(self, texts: Sequence[str], role: Role) -> IntArray:
        """Return the number of the vector of each of n texts; new texts are encoded."""
        encoded = to_arrow(texts, pa.large_string()).dictionary_encode()
        distinct = encoded.dictionary.to_pylist()
        known = self._numbers[role_key(self.embedder, role)]
        new = [text for text in distinct if text not in known]
        if new or not self._vectors:
            self._vectors.append(one_vector_each(self.embedder, new, role))
            known.update(zip(new, count(len(self)), strict=False))
        numbers = np.fromiter(map(known.__getitem__, distinct), np.int64, len(distinct))
        return np.asarray(numbers[to_numpy(encoded.indices).astype(np.int64)])

    def cosine(self, left: IntArray, right: IntArray) -> FloatArray:
        """Return the cosine of the vectors numbered ``left[i]`` and ``right[i]``, (p,); NaN where one failed."""
        return np.zeros(0) if self.vectors is None else self.vectors.cosine(left, right)

    @property
    def failures(self) -> Mapping[int, str]:
        """Why there is no vector, by number."""
        return getattr(self.vectors, "failures", MappingProxyType({}))

    @property
    def windowed(self) -> Mapping[int, int] | None:
        """How many windows the model read each long text in, by number; None where texts are always read whole."""
        return getattr(self.vectors, "windowed", None)


def one_vector_each(embedder: Embedder, texts: Sequence[str], role: Role) -> Vectors:
    """Return the vectors that ``embedder`` makes of ``texts``; UsageError unless it is one vector per text."""
    try:
        vectors: object = embedder.encode(texts, role)
    except TypeError as error:
        # An error of the call itself has no deeper frame: no line of `encode` was run.
        if error.__traceback__ is None or error.__traceback__.tb_next is not None:
            raise
        raise UsageError(
            "RG-CORE-014 encode of the embedder {embedder} must take (texts, role); got: {reason}",
            write(embedder),
            excerpt(str(error)),
        ) from None
    if not isinstance(vectors, Vectors):
        raise UsageError(
            "RG-CORE-012 encode of the embedder {embedder} must return vectors; got {kind}. Return "
            "ragauge.DenseVectors(array), array of shape (texts, dimensions).",
            write(embedder),
            type(vectors).__name__,
        )
    if len(vectors) != len(texts):
        raise UsageError(
            "RG-CORE-013 encode of the embedder {embedder} must return one vector per text, {n}; got {n2}. "
            "Return a vector for each text, in their order.",
            write(embedder),
            len(texts),
            len(vectors),
        )
    return vectors


@dataclass(frozen=True, eq=False)
class TextVectors:
    """The vectors of n samples' texts.

    Shapes: ``numbers``: n lists of numbers of vectors in ``space``, which all columns of a batch share.
    """

    space: VectorSpace
    numbers: Ragged

    def cosines(self, others: TextVectors) -> list[FloatArray]:
        """Return for each sample the cosine of each of its texts with each of its texts in ``others``.

        Returns:
            n arrays of shape (texts of this sample, texts of it in ``others``); NaN where a vector failed.
        """
        matrices = []
        for left, right in zip(self.numbers.to_lists(), others.numbers.to_lists(), strict=True):
            flat = self.space.cosine(np.repeat(np.array(left, np.int64), len(right)), np.tile(right, len(left)))
            matrices.append(flat.reshape(len(left), len(right)))
        return matrices


def role_key(embedder: Embedder, role: Role) -> str:
    """Return ``role`` where it changes a vector, else an empty string."""
    return "" if getattr(embedder, "symmetric", False) else role
