"""Answers and references as lists of codes: tokens, characters or lines."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from ragauge.core.arrow import filled, to_numpy
from ragauge.core.batch import Batch
from ragauge.core.ingredients import Tokenizer, Vocabulary
from ragauge.core.ragged import BoolArray, IntArray, Ragged
from ragauge.core.sample import SCHEMA
from ragauge.metrics.text._union_lcs import Sentences
from ragauge.tokenizers.forms import CodeArray, Forms, recoded

if TYPE_CHECKING:
    import pyarrow as pa

SURFACE = Forms(case="keep", punctuation="keep", stemmer="none", nfkc=False)
"""Tokens as they stand in the text."""

# Texts that repeat at least this often on average are cut once each.
_WORTH_IT = 1.5


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """What n answers say and what their m references say, in one numbering.

    Shapes: ``hypotheses`` (n) and ``references`` (m) lists of codes; ``owner`` (m,) the sample of each reference,
    ascending.
    """

    hypotheses: Ragged
    references: Ragged
    owner: IntArray

    @property
    def undefined(self) -> BoolArray:
        """Say which samples have no reference, (n,)."""
        return np.asarray(np.bincount(self.owner, minlength=len(self.hypotheses)) == 0)

    @property
    def pairs(self) -> Compared:
        """Return the same with one hypothesis per reference: m of each."""
        if len(self.owner) == len(self.hypotheses) and (self.owner == np.arange(len(self.owner))).all():
            return self
        return Compared(self.hypotheses.take(self.owner), self.references, np.arange(len(self.owner)))


def compared(batch: Batch, tokenizer: Tokenizer, forms: Forms) -> Compared:
    """Return the tokens of answers and references under ``forms``."""
    return batch.derived(
        ("compared", tokenizer.signature, forms),
        lambda: Compared(
            tokens(batch, "answer", tokenizer, forms),
            tokens(batch, "references", tokenizer, forms),
            owners(batch, "references"),
        ),
    )


def tokens(batch: Batch, column: str, tokenizer: Tokenizer, forms: Forms) -> Ragged:
    """Return the form codes of the texts in ``column``; those of a list column one after the other."""

    def make() -> Ragged:
        codes = surfaces(batch, column, tokenizer)
        return codes if forms == SURFACE else recoded(codes, forms_table(batch, tokenizer, forms))

    return batch.derived(("tokens", column, tokenizer.signature, forms), make)


def surfaces(batch: Batch, column: str, tokenizer: Tokenizer) -> Ragged:
    """Return the surface codes of the texts in ``column``; answers and references are cut in one go."""
    together: list[str] = [name for name in ("answer", "references") if name in batch.names]
    if column not in together:
        return batch.derived(("surfaces", column, tokenizer.signature), lambda: encoded(batch, tokenizer, [column])[0])
    key = ("surfaces", *together, tokenizer.signature)
    return batch.derived(key, lambda: encoded(batch, tokenizer, together))[together.index(column)]


def encoded(batch: Batch, tokenizer: Tokenizer, columns: list[str]) -> list[Ragged]:
    """Cut the texts of ``columns``, each into its own lists of surface codes."""
    return encoded_texts([texts(batch, column) for column in columns], tokenizer, vocabulary_of(batch, tokenizer))


def encoded_texts(arrays: list[pa.Array], tokenizer: Tokenizer, vocabulary: Vocabulary) -> list[Ragged]:
    """Cut several arrays of texts at once, so that what repeats among them is looked at once."""
    import pyarrow as pa

    codes = _distinct_once(pa.concat_arrays(arrays), tokenizer, vocabulary)
    edges = np.cumsum([0, *map(len, arrays)]).tolist()
    return [_lists(codes, first, last) for first, last in pairwise(edges)]


def vocabulary_of(batch: Batch, tokenizer: Tokenizer) -> Vocabulary:
    """Return the vocabulary that all columns of ``batch`` share under ``tokenizer``."""
    return batch.derived(("vocabulary", tokenizer.signature), Vocabulary)


def forms_table(batch: Batch, tokenizer: Tokenizer, forms: Forms) -> CodeArray:
    """Return the form code of each surface code known so far."""
    vocabulary = vocabulary_of(batch, tokenizer)
    key = ("forms", tokenizer.signature, forms, len(vocabulary))
    return batch.derived(key, lambda: forms.apply(vocabulary))


def texts(batch: Batch, column: str) -> pa.Array:
    """Return the texts of ``column``, those of a list column one after the other; null is an empty text.

    White space at the end is taken off, as sacrebleu does before its tokenizers see a text. Texts that are lists of
    tokens stay as they are, for ``tokenizer=none``.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    array = flat(batch, column)
    if _is_list(array.type):
        return array
    return pc.utf8_rtrim_whitespace(filled(array.cast(pa.large_string()), ""))


def flat(batch: Batch, column: str) -> pa.Array:
    """Return ``column``, the items of a column of several texts per sample one after the other."""
    array = batch.column(column)
    return array.flatten() if _is_list(array.type) and SCHEMA.get(column) != "text" else array


def owners(batch: Batch, column: str) -> IntArray:
    """Return which sample holds each text of the list column, ascending."""
    import pyarrow.compute as pc

    lengths = to_numpy(filled(pc.list_value_length(batch.column(column)), 0))
    return np.repeat(np.arange(len(batch)), lengths)


def _lists(codes: Ragged, first: int, last: int) -> Ragged:
    offsets = codes.offsets[first : last + 1]
    return Ragged(codes.values[offsets[0] : offsets[-1]], offsets - offsets[0])


def _is_list(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def _distinct_once(array: pa.Array, tokenizer: Tokenizer, vocabulary: Vocabulary) -> Ragged:
    if _is_list(array.type):
        return tokenizer.encode(array, vocabulary)
    distinct = array.dictionary_encode()
    if len(distinct.dictionary) * _WORTH_IT > len(array):
        return tokenizer.encode(array, vocabulary)
    return tokenizer.encode(distinct.dictionary, vocabulary).take(to_numpy(distinct.indices))


Case: TypeAlias = Literal["keep", "lower", "fold"]
CASES: Mapping[str, Callable[[str], str]] = MappingProxyType({"keep": str, "lower": str.lower, "fold": str.casefold})

# The highest character that `str.isspace` knows is U+3000.
_IS_SPACE = np.array([chr(code).isspace() for code in range(0x3001)])
_CODE_POINTS = 0x110000


def compared_characters(batch: Batch, case: Case, *, whitespace: bool, nfkc: bool) -> Compared:
    """Return the characters of answers and references, numbered anew, with or without white space."""

    def make() -> Compared:
        texts = (cased(_texts(batch, name).to_pylist(), case, nfkc=nfkc) for name in ("answer", "references"))
        parts = [_characters(part, whitespace=whitespace) for part in texts]
        known = np.zeros(_CODE_POINTS, dtype=bool)
        for part in parts:
            known[part.values] = True
        numbers = np.cumsum(known.astype(np.int64)) - 1
        answers, references = (Ragged(numbers[part.values], part.offsets) for part in parts)
        return Compared(answers, references, owners(batch, "references"))

    return batch.derived(("characters", case, whitespace, nfkc), make)


def cased(texts: list[str], case: Case, *, nfkc: bool) -> list[str]:
    """Return ``texts`` under ``case``; with ``nfkc``, one spelling for what looks the same.

    >>> cased(["Cafe\N{COMBINING ACUTE ACCENT}", "ＡＢ"], "lower", nfkc=True)
    ['café', 'ab']
    """
    if nfkc and not unicodedata.is_normalized("NFKC", "".join(texts)):
        texts = [unicodedata.normalize("NFKC", text) for text in texts]
    return texts if case == "keep" else [CASES[case](text) for text in texts]


def _texts(batch: Batch, column: str) -> pa.Array:
    import pyarrow as pa

    return filled(flat(batch, column).cast(pa.large_string()), "")


def _characters(texts: list[str], *, whitespace: bool) -> Ragged:
    """Return the code points of each text."""
    points = np.frombuffer("".join(texts).encode("utf-32-le"), dtype=np.uint32)
    codes = Ragged.from_lengths(points, np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)))
    return codes if whitespace else _without_spaces(codes)


def _without_spaces(codes: Ragged) -> Ragged:
    kept = ~_IS_SPACE[np.minimum(codes.values, len(_IS_SPACE) - 1)] | (codes.values >= len(_IS_SPACE))
    before = np.zeros(len(kept) + 1, dtype=np.int64)
    np.cumsum(kept.astype(np.int64), out=before[1:])
    return Ragged(codes.values[np.flatnonzero(kept)], before[codes.offsets])


_COLUMNS = ("answer", "references")


def sentences(batch: Batch, column: str, tokenizer: Tokenizer, forms: Forms) -> Sentences:
    """Return the lines of the texts in ``column``, answers or references, under ``forms``.

    Where no text has two lines, the tokens of whole texts serve.
    """
    import pyarrow.compute as pc

    arrays = [texts(batch, name) for name in _COLUMNS]
    if not any(pc.any(pc.match_substring(array, "\n")).as_py() for array in arrays):
        whole = tokens(batch, column, tokenizer, forms)
        return Sentences(whole, np.arange(len(whole)))
    key = ("sentences", tokenizer.signature)
    codes, owner = batch.derived(key, lambda: _lines(batch, arrays, tokenizer))[_COLUMNS.index(column)]
    return Sentences(recoded(codes, forms_table(batch, tokenizer, forms)), owner)


def _lines(batch: Batch, arrays: list[pa.Array], tokenizer: Tokenizer) -> list[tuple[Ragged, IntArray]]:
    import pyarrow.compute as pc

    lines = [pc.split_pattern(array, "\n") for array in arrays]
    codes = encoded_texts([line.flatten() for line in lines], tokenizer, vocabulary_of(batch, tokenizer))
    return [
        (part, np.repeat(np.arange(len(line)), to_numpy(pc.list_value_length(line))))
        for part, line in zip(codes, lines, strict=True)
    ]
