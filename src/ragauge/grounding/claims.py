"""What sentences of an answer claim: without markers of citations, list marks, names of sources and courtesies."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, TypeAlias
from unicodedata import category

import numpy as np
import pyarrow as pa

from ragauge.core import compute as pc
from ragauge.core.arrow import filled, to_arrow, to_numpy
from ragauge.core.batch import Batch
from ragauge.core.ragged import BoolArray, IntArray
from ragauge.core.texts import Segments
from ragauge.grounding import framing as frames
from ragauge.sentences import split

Framing: TypeAlias = Literal["skip", "count"]

# Longer sentences say more than a courtesy. Characters.
_LONGEST_COURTESY = 120
# Where a courtesy may begin within a sentence: behind a full stop and a blank or, in Thai, behind a blank.
_INNER = r"[.．]\s+\S|\p{Thai}.*\s\p{Thai}"
_LAST = rf"^(?:.*\p{{Thai}}.*|.*[.．])\s+(?P<end>\S.{{1,{_LONGEST_COURTESY}}})$"
_AT_ENDS = rf"^{frames.EDGE}|{frames.EDGE}$"


def bare(texts: pa.Array) -> tuple[pa.Array, BoolArray]:
    """Return n sentences without what frames their claims, and a mask of those that may claim something, (n,).

    Left out are markers of citations and footnotes, links, names of sources in parentheses, marks of lists, headings,
    emphasis, code and tables, and at the beginning "according to passage 2", "Final answer:" and "in summary,".
    Headings, short lines before a colon, lines between the rows of a table, sources alone, and sentences that greet,
    offer help or take leave claim nothing. Recognised in English, Chinese, Japanese, Korean, Russian, Arabic, Hindi,
    Thai, German, Spanish and French.

    >>> sentences = ["2. It **opens** at nine [1][2].", "According to passage 2, it opens (Source: hours.md).", "Sure!"]
    >>> claims, some = bare(pa.array(sentences, pa.large_string()))
    >>> claims.to_pylist()[:2], some.tolist()
    (['It opens at nine.', 'it opens.'], [True, True, False])
    """
    plain, written = texts, _written(texts)
    for pattern, replacement, one_of in frames.rules():
        if any(map(written.__contains__, one_of)):
            plain = pc.replace_substring_regex(plain, pattern, replacement)
    plain = _without_last_courtesy(pc.utf8_trim_whitespace(plain))
    nothing = _without_letters(plain)
    for pattern, one_of in frames.NOTHING:
        if any(map(written.__contains__, one_of)):
            nothing |= to_numpy(pc.match_substring_regex(texts, pattern))
    short = np.flatnonzero(to_numpy(pc.utf8_length(plain)) <= _LONGEST_COURTESY)
    some = plain.take(to_arrow(short))
    nothing[short] |= _courteous(some)
    pattern, one_of = frames.introduces()
    if any(map(_written(some).__contains__, one_of)):
        nothing[short] |= to_numpy(pc.match_substring_regex(some, pattern))
    return plain, ~nothing


def sentences_of(batch: Batch, column: str, framing: Framing) -> tuple[Segments, BoolArray]:
    """Return the sentences of a column, and a mask of those that may claim something, (s,).

    With ``framing`` skipped they are compared as `bare` ones; else as they are, and all of them count. A text of which
    nothing is left claims what it says: "**Paris**", "Sure!".
    """
    sentences = batch.segments(column, split)
    if framing == "count":
        return sentences, np.ones(len(sentences), dtype=bool)

    return batch.derived(("bare sentences", column), lambda: claims_of(sentences))


def claims_of(sentences: Segments) -> tuple[Segments, BoolArray]:
    """Return sentences that are compared as `bare` ones, and a mask of those that may claim something, (s,).

    Also nothing is claimed by the header of a table, by what follows a line "Sources:" behind a claim, and by thoughts.
    """
    encoded = to_arrow(sentences.strings.values, pa.large_string()).dictionary_encode()
    plain, some = bare(encoded.dictionary)
    place = to_numpy(encoded.indices).astype(np.int64)
    claimed = some[place] & ~_thoughts(sentences)
    claimed &= ~_headers_of_tables(encoded.dictionary, place, sentences.source)
    claimed &= ~_behind_sources(encoded.dictionary, place, sentences.source, claimed)
    compared = np.array(plain.to_pylist(), dtype=object)[place]
    return replace(sentences, compared=compared), _some_of_each(claimed, sentences.source)


def without_assent(sentences: Segments, claimed: BoolArray) -> BoolArray:
    """Return the mask ``claimed`` (s,) without sentences that only say yes or no, where their text claims more.

    >>> import pyarrow as pa
    >>> texts = Segments.of(pa.array(["Yes. It opens at nine.", "No."])).split(split)
    >>> without_assent(texts, np.ones(3, dtype=bool)).tolist()
    [False, True, True]
    """
    written = to_arrow(sentences.strings.values, pa.large_string())
    said = _without_ends(written)
    less = claimed & ~to_numpy(pc.match_substring_regex(said, frames.whole("assent")))
    counts = np.bincount(sentences.source, less, len(sentences.texts))
    return np.asarray(np.where(counts[sentences.source] > 0, less, claimed))


def _some_of_each(claimed: BoolArray, source: IntArray) -> BoolArray:
    """Return the mask with all sentences of the texts of which none claims anything, (s,)."""
    counts = np.bincount(source, claimed)
    return np.asarray(claimed | (counts[source] == 0))


def _thoughts(sentences: Segments) -> BoolArray:
    """Return a mask of the sentences of what a model thought before its answer, between tags, (s,)."""
    ends = np.zeros(len(sentences.texts), dtype=np.int64)
    for place, text in enumerate(sentences.texts):
        if "</" in text and (last := [*frames.THOUGHT_ENDS.finditer(text)]):
            ends[place] = last[-1].end()
    return np.asarray(sentences.ends <= ends[sentences.source])


def _headers_of_tables(texts: pa.Array, place: IntArray, source: IntArray) -> BoolArray:
    """Return a mask of the sentences before a line that parts the header of a table from its rows, (s,)."""
    rule = to_numpy(pc.match_substring_regex(texts, frames.RULE_OF_TABLE))[place]
    header = np.zeros(len(place), dtype=bool)
    header[:-1] = rule[1:] & (source[1:] == source[:-1])
    return header


def _behind_sources(texts: pa.Array, place: IntArray, source: IntArray, claimed: BoolArray) -> BoolArray:
    """Return a mask of the sentences that follow the name of a list of sources, behind a claim of their text, (s,)."""
    named = pc.match_substring_regex(_without_ends(texts), frames.whole("sources"))
    heads = to_numpy(named)[place]
    if not heads.any():
        return heads
    before = np.cumsum(claimed)
    first = np.searchsorted(source, source)
    behind = heads & (before > before[first] - claimed[first])
    count = np.cumsum(behind)
    return np.asarray(count - (count - behind)[first] > 0)


def _courteous(texts: pa.Array) -> BoolArray:
    """Return a mask of the texts, none longer than a courtesy, that claim nothing, (n,). A number claims something."""
    some, written = np.zeros(len(texts), dtype=bool), _written(texts)
    texts = _without_ends(texts)
    for pattern, one_of in frames.nothing_claimed():
        if any(map(written.__contains__, one_of)):
            some |= to_numpy(pc.match_substring_regex(texts, pattern))
    return np.asarray(some & ~to_numpy(pc.match_substring_regex(texts, r"\p{Nd}")))


def _without_last_courtesy(texts: pa.Array) -> pa.Array:
    """Return texts without a courtesy at their end: behind an abbreviation and in Thai it is no sentence of its own."""
    some = np.flatnonzero(to_numpy(pc.match_substring_regex(texts, _INNER)))
    if not len(some):
        return texts
    found = filled(pc.struct_field(pc.extract_regex(texts.take(to_arrow(some)), _LAST), "end"), "")
    courteous = _courteous(found)
    if not courteous.any():
        return texts
    whole = texts.to_pylist()
    for place, end in zip(some[courteous].tolist(), found.filter(to_arrow(courteous)).to_pylist(), strict=True):
        whole[place] = whole[place][: -len(end)].rstrip()
    return to_arrow(whole, pa.large_string())


def _without_letters(texts: pa.Array) -> BoolArray:
    """Return a mask of the texts without a letter or a digit, (n,)."""
    # Most texts have one of ASCII, for which RE2 compiles in a hundredth of the time.
    nothing = ~to_numpy(pc.match_substring_regex(texts, "[0-9A-Za-z]"))
    rest = np.flatnonzero(nothing)
    if len(rest):
        nothing[rest] = ~to_numpy(pc.match_substring_regex(texts.take(to_arrow(rest)), r"[\p{L}\p{Nd}]"))
    return nothing


def _without_ends(texts: pa.Array) -> pa.Array:
    """Return the texts without what is not said at their ends: each `framing.EDGE` there.

    The characters at hand are trimmed: RE2 would compile all marks and symbols of Unicode at each call.
    """
    kinds = {char: category(char) for char in set("".join(texts.to_pylist()))}
    # RE2 may know characters that Python does not.
    if "Cn" in kinds.values():
        return pc.replace_substring_regex(texts, _AT_ENDS, "")
    ends = "".join([char for char, kind in kinds.items() if kind[0] in "PS" or char in frames.OTHER_EDGES])
    return pc.utf8_trim(texts, characters=ends) if ends else texts


def _written(texts: pa.Array) -> str:
    """Return all that is written in texts, in lower case."""
    return "\n".join(texts.to_pylist()).lower()
