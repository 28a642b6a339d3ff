"""``contains-answer``: whether the answer contains a reference, word for word."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ragauge.core.arrow import to_arrow
from ragauge.core.batch import Batch
from ragauge.core.ingredients import Vocabulary
from ragauge.core.lazy import lazy_pattern
from ragauge.core.protocol import Average
from ragauge.core.ragged import BoolArray, FloatArray, IntArray, Ragged, runs
from ragauge.core.registry import register
from ragauge.core.statistics import Rows, Statistics, ratio
from ragauge.core.texts import encoded
from ragauge.grounding.support.number_words import words_as_digits
from ragauge.languages.folding import normalize
from ragauge.metrics.text._answers import ARTICLES
from ragauge.metrics.text._references import ComparedReferences, ReferenceMetric
from ragauge.tokenizers.forms import CASES, Case, composed
from ragauge.tokenizers.whitespace import Whitespace

# 1,240 or 1.240.000 or 1'240, with one kind of mark; not 0.125, nor 12,345,67.
_GROUPED = lazy_pattern(r"(?<![\d.,])[1-9]\d{0,2}([,.'’٬\u00a0\u2009\u202f])\d{3}(?:\1\d{3})*(?!\d|\1\d)")
# 3,5 but not 1,2,3.
_DECIMAL = lazy_pattern(r"(?<![\d.,])(\d+)[,٫](\d{1,2}|\d{4,})(?![\d.,]*\d)")
_DIGIT = lazy_pattern(r"\d")
_OTHER_DIGIT = lazy_pattern(r"(?![0-9])\d")
_ONES = ("零〇", "一", "二两兩", "三", "四", "五", "六", "七", "八", "九")
_DIGITS = {char: value for value, chars in enumerate(_ONES) for char in chars}
_TENS = {"十": 10, "百": 100, "千": 1000}
_BLOCKS = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
_ONE = rf"(?:[{''.join(_ONES[1:])}]|(?<![\d.])\d+(?:\.\d+)?)"
_BELOW = rf"(?:[零〇]?{_ONE}?[十百千])+(?:[零〇]?{_ONE})?"
# 八千, 三百二十一万 and 1.5万; and three characters or more digit by digit, as of years.
_SPELLED = lazy_pattern(rf"(?:[零〇]?(?:{_BELOW}|{_ONE})[万萬亿億])+(?:[零〇]?(?:{_BELOW}|{_ONE}))?|{_BELOW}")
_HAN_NUMERAL = lazy_pattern(f"[{''.join([*_ONES, *_TENS, *_BLOCKS])}]")
_PLACES = lazy_pattern(rf"[{''.join(_ONES)}]{{3,}}")


def plain_numbers(text: str) -> str:
    """Return ``text`` with its numbers in one form; those that are written in words, only in Chinese characters.

    One mark before three digits is taken for a mark of thousands; both sides are read alike.

    >>> plain_numbers("8,849 m; 8.849 m; 8'849 m; 3,5 km; ٨٬٨٤٩; ८८४९; 0.125")
    '8849 m; 8849 m; 8849 m; 3.5 km; 8849; 8849; 0.125'
    >>> plain_numbers("八千八百四十九米; 1.5万人; 二〇二四年; 三亿零五十; 十二; 一般")
    '8849米; 15000人; 2024年; 300000050; 12; 一般'
    """
    if _DIGIT.search(text):
        text = _OTHER_DIGIT.sub(lambda match: str(unicodedata.decimal(match[0])), text)
        text = _GROUPED.sub(lambda match: re.sub(r"\D", "", match[0]), text)
        text = _DECIMAL.sub(r"\1.\2", text)
    if text.isascii() or not _HAN_NUMERAL.search(text):
        return text
    text = _SPELLED.sub(lambda match: _value(match[0]), text)
    return _PLACES.sub(lambda match: "".join([str(_DIGITS[char]) for char in match[0]]), text)


def _value(numeral: str) -> str:
    """Return the value of a numeral of Chinese characters in digits.

    >>> [_value(text) for text in ("十二", "一万零五", "一亿二千万", "一万亿", "3亿5千万", "1.5万")]
    ['12', '10005', '120000000', '1000000000000', '350000000', '15000']
    """
    total, block, digit = 0.0, 0.0, 0.0
    for part in re.findall(r"\d+(?:\.\d+)?|.", numeral):
        if part in _TENS:
            block, digit = block + (digit or 1.0) * _TENS[part], 0.0
        elif part in _BLOCKS:
            # 一万亿 is 一万 times 亿, but 一亿二千万 is a sum.
            within = total + block + digit if _BLOCKS[part] > total else block + digit
            total, block, digit = (0.0 if _BLOCKS[part] > total else total) + within * _BLOCKS[part], 0.0, 0.0
        else:
            digit = float(_DIGITS.get(part, part))
    return f"{total + block + digit:.15g}"


Unspaced: TypeAlias = Literal["characters", "words"]
Marks: TypeAlias = Literal["drop", "keep"]

KeyArray: TypeAlias = npt.NDArray[np.uint64]

# Written without spaces between words.
_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\u30fc\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}"
# Comes before each Korean syllable but the first of a word: of private use, and taken out of the texts themselves.
_WITHIN = "\uf8ff"
# Tokens whose hashes are compared at once: temporaries of some tens of megabytes.
_BLOCK = 1 << 20

_DPR = {
    "case": "lower",
    "punctuation": "keep",
    "articles": "false",
    "nfkc": "false",
    "numbers": "false",
    "unspaced": "words",
}


@register("contains-answer", compat={"dpr": _DPR})
@dataclass(frozen=True, kw_only=True)
class ContainsAnswer(ReferenceMetric):
    """Answer containment: whether the answer contains one of the references, as whole tokens in a row.

    Formula:
        1 if the tokens of one reference are a run of the answer's tokens, else 0

    References are alternatives, such as the aliases of a name. Case, punctuation, the English articles a, an, the, and
    the form of numbers do not count: 8,849 is 8849, in the digits of any script, and 八千 is 8000. Number words above
    one in Arabic, English, French, German, Hindi, Korean, Russian, Spanish and Thai are digits where a sample has
    digits too: "twelve" is 12. In Chinese, Japanese, Thai and other scripts without spaces each character is a token.
    In Korean each syllable is one, and a run begins where a word does, so that a particle may follow.

    Unit and range: 0 or 1. Identical text scores 1, however long the answer is beside it. A reference of which nothing
    is left is in an empty answer only. References of one word each are alternatives here: one given as the list of
    its words by mistake is not noticed.

    ``undefined``: the sample has no reference. ``failed``: too many references beside so long an answer.

    Args:
        punctuation: ``drop``: marks only part tokens, and U.S. is US; ``keep``: each mark is a token.
        articles: leave out a, an, the, unless nothing else is there.
        numbers: compare numbers by value, whatever their digits and the marks between thousands: 8.849 is 8849 too.
        unspaced: in scripts without spaces, and in Korean, compare ``characters``, or ``words`` between spaces.
        average: ``samples``, or ``pooled``, which is the same here.

    Not for: answers that list many candidates, or deny the right one: 'not Paris' contains 'Paris'; nor for references
    of a sentence, which no answer repeats word for word (``answer-correctness``). Inflected words must be among the
    references: 'Москве' does not contain 'Москва'.

    Source: Karpukhin et al. 2020, "Dense passage retrieval for open-domain question answering", section 5, after Chen
    et al. 2017; ``compat=dpr`` equals ``has_answer`` of its ``qa_validation.py``, but for references without any token,
    which that finds everywhere.

    >>> import pyarrow as pa
    >>> metric = ContainsAnswer()
    >>> answers, references = ["It is 8,849 metres high.", "In Parish."], [["8849", "8848"], ["Paris"]]
    >>> metric.measure(Batch(pa.table({"answer": answers, "references": references})))["match"]
    array([1., 0.])
    """

    case: Case = "fold"
    punctuation: Marks = "drop"
    articles: bool = True
    nfkc: bool = True
    numbers: bool = True
    unspaced: Unspaced = "characters"
    average: Average = "samples"

    def measure(self, batch: Batch) -> Rows:
        """Return whether each answer contains a reference."""
        texts = self.compared(batch)
        pairs = texts.pairs
        match = stand_in(pairs.hypotheses, pairs.references).astype(np.int64)
        return self.best_rows({"match": match, "count": np.ones_like(match)}, texts.owner, len(batch), texts.long)

    def score(self, totals: Statistics) -> FloatArray:
        """Return the share of answers that contain a reference."""
        return ratio(totals["match"], totals["count"])

    def text(self, text: str) -> str:
        """Return one text as tokens with single spaces between.

        >>> ContainsAnswer().text("The U.S. paid $8,849 in Paris."), ContainsAnswer().text("東京は8,849人")
        ('us paid 8849 in paris', '東 京 は 8849 人')
        """
        case, patterns = CASES[self.case], _patterns()
        text = plain_numbers(text) if self.numbers else text
        text = composed(text, case) if self.nfkc else normalize("NFC", case(text))
        if self.unspaced == "characters" and not text.isascii():
            text = _apart(text.replace(_WITHIN, " "))
        if self.punctuation == "keep":
            tokens = patterns["marks"].findall(text)
        else:
            tokens = patterns["words"].findall(patterns["initials"].sub("", text))
        named = [token for token in tokens if token not in ARTICLES] if self.articles else tokens
        return " ".join(named or tokens)

    def compared(self, batch: Batch) -> ComparedReferences:
        """Return the tokens of answers and references as even codes, odd ones within a Korean word: see `stand_in`."""
        vocabulary = Vocabulary()
        sides = [batch.texts(name) for name in ("answer", "references")]
        if self.numbers:
            worded = words_as_digits(sides[0].to_pylist(), sides[1].to_pylist(), batch.owners("references"))
            sides = [to_arrow(side, pa.large_string()) for side in worded]
        columns = [self._column(side) for side in sides]
        answers, references = encoded(columns, Whitespace(), vocabulary)
        within = np.array([word.startswith(_WITHIN) for word in vocabulary.words], dtype=np.int64)
        codes = Vocabulary().codes([word.removeprefix(_WITHIN) for word in vocabulary.words]).astype(np.int64)
        answers, references = (
            Ragged((2 * codes + within)[side.values], side.offsets) for side in (answers, references)
        )
        return ComparedReferences(answers, references, batch.owners("references"))

    def _column(self, texts: pa.Array) -> pa.Array:
        """Return texts as tokens with spaces between, each distinct text read once."""
        distinct = texts.dictionary_encode()
        return to_arrow(map(self.text, distinct.dictionary.to_pylist()), pa.large_string()).take(distinct.indices)


def _apart(text: str) -> str:
    """Return ``text`` with spaces around each character of a script without spaces, and each Korean syllable."""
    patterns = _patterns()
    text = patterns["syllables"].sub(f" {_WITHIN}", text)
    text = patterns["alone"].sub(r" \g<0> ", text)
    return str(patterns["edges"].sub(" ", text))


@cache
def _patterns() -> dict[str, Any]:
    import regex

    hangul, others = r"\p{Hangul}", r"[\p{L}\p{M}\p{N}]"
    texts = {
        # A sign before a number, decimals, and the marks of C++ and C# belong to their token.
        "words": rf"(?:(?<!\w)[-−](?=\d))?{_WITHIN}?{others}+(?:(?<=\d)\.\d+)*(?:(?<=\p{{L}})[+#]+(?!\w))?",
        "marks": rf"{_WITHIN}?{others}+|[^\p{{Z}}\p{{C}}]",
        "initials": r"(?<=\b\p{L})\.(?=\p{L}\b)",
        "syllables": rf"(?<={hangul})(?={hangul})",
        "alone": rf"[{_UNSPACED}]\p{{M}}*",
        "edges": rf"(?<={hangul})(?={others})|(?<={others})(?={hangul})",
    }
    return {name: regex.compile(text, regex.V1) for name, text in texts.items()}


def stand_in(answers: Ragged, references: Ragged) -> BoolArray:
    """Return whether ``references[i]`` is in ``answers[i]`` as a run of tokens, for each of m pairs: (m,).

    An odd code is the token of the even one before it, at a place in an answer where no run may begin. An empty
    reference is in an empty answer.

    >>> answers, references = Ragged.of([[4, 6, 8], [4, 7], [4, 6]]), Ragged.of([[6, 8], [6], [6, 4]])
    >>> stand_in(answers, references)
    array([ True, False, False])
    """
    contained = np.asarray((references.lengths == 0) & (answers.lengths == 0))
    for first, last in runs(answers.offsets[1:] + references.offsets[1:], _BLOCK):
        block = [side.between(first, last) for side in (answers, references)]
        tokens, wanted = (Ragged(side.values >> 1, side.offsets) for side in block)
        begins = np.asarray(block[0].values & 1 == 0)
        pair, place = _of_same_hash(tokens, wanted, begins)
        equal = _equal(tokens, wanted, pair, place)
        contained[first + pair[equal]] = True
        # Different runs of one hash are not known to exist; these compare all places.
        for row in pair[~equal].tolist():
            contained[first + row] = _stands_in(tokens[row], wanted[row], begins[tokens.offsets[row] :])
    return contained


def _of_same_hash(answers: Ragged, references: Ragged, begins: BoolArray) -> tuple[IntArray, IntArray]:
    """Return pairs, and the first place among all answers' tokens of a run whose hash is that of the pair's reference.

    The hash of codes c at places p is the sum of (c + 1) B^p modulo 2^64: that of a run from place p on is B^p times
    that of the same run from 0 on.
    """
    longest = max(len(answers.values), int(references.lengths.max(initial=0)))
    powers = np.cumprod(np.full(longest + 1, _BASE)) * _INVERSE
    sums = _sums(_mixed(answers.values) * powers[: len(answers.values)])
    of_references = _sums(_mixed(references.values) * powers[references.positions])
    wanted = of_references[references.offsets[1:]] - of_references[references.offsets[:-1]]
    lengths = references.lengths[answers.rows]
    place = np.flatnonzero(begins & (lengths > 0) & (answers.positions + lengths <= answers.lengths[answers.rows]))
    pair = answers.rows[place]
    same = sums[place + lengths[place]] - sums[place] == wanted[pair] * powers[place]
    pair, first = np.unique(pair[same], return_index=True)
    return pair, place[same][first]


# An odd number, and its inverse modulo 2^64.
_BASE = np.uint64(0x9E3779B97F4A7C15)
_INVERSE = np.uint64(pow(int(_BASE), -1, 1 << 64))


def _mixed(codes: IntArray) -> KeyArray:
    return np.asarray((codes.astype(np.uint64) + np.uint64(1)) * _MIX)


_MIX = np.uint64(0xBF58476D1CE4E5B9)


def _sums(values: KeyArray) -> KeyArray:
    return np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(values, dtype=np.uint64)])


def _equal(answers: Ragged, references: Ragged, pair: IntArray, place: IntArray) -> BoolArray:
    """Return whether the run of each pair at its place is its reference, token by token."""
    wanted = references.take(pair)
    differs = answers.values[place[wanted.rows] + wanted.positions] != wanted.values
    return np.asarray(np.bincount(wanted.rows, differs, len(pair)) == 0)


def _stands_in(answer: IntArray, reference: IntArray, begins: BoolArray) -> bool:
    """Return whether a reference is in one answer, by comparing the runs at all places."""
    size = len(reference)
    places = np.flatnonzero(begins[: len(answer) - size + 1]).tolist()
    return any(np.array_equal(answer[place : place + size], reference) for place in places)
