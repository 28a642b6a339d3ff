"""What sentences of an answer claim: without markers of citations, list marks, names of sources and courtesies."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Literal, TypeAlias

import numpy as np
import pyarrow as pa

from ragauge import languages
from ragauge.core import compute as pc
from ragauge.core.arrow import filled, to_arrow, to_numpy
from ragauge.core.batch import Batch
from ragauge.core.ragged import BoolArray
from ragauge.core.texts import Segments
from ragauge.sentences import split

Framing: TypeAlias = Literal["skip", "count"]
Rule: TypeAlias = tuple[str, str, frozenset[str]]
"""A pattern of RE2, which takes linear time, what is written in place of what it matches, and characters of which each
match has at least one. Without these the pattern is not tried, because RE2 compiles it at each call, which takes longer
than to match a few texts."""

_OPEN, _CLOSE = r"[\[［【〔]", r"[\]］】〕]"
_OPEN_ANY, _CLOSE_ANY = r"[(（\[［【〔]", r"[)）\]］】〕]"
_BRACKETS, _ANY_BRACKETS = frozenset("[［【〔"), frozenset("(（[［【〔")
_ANY: frozenset[str] = frozenset()
_NUMBERS = r"\^?[1-9]\d{0,2}(?:\s*(?:[,;，、–-]|and|und|et|y|и|和|と)\s*\^?\d{1,3})*"
_FILE = r"[\w ./-]{1,80}\.(?:md|pdf|txt|html?|docx?|xlsx?|pptx?|csv|jsonl?|xml)"
_KEY = (
    r"(?:citation|cite|ref|doc|docs|document|passage|context|source|chunk"
    r"|来源|文档|文檔|资料|参考|引用|出典|文書|資料|문서|출처)"
)
_NAMED = rf"{_KEY}[\s:：_#-]*{_NUMBERS}"
_TAG = "b|i|em|strong|u|s|code|p|br|a|span|cite|ref|li|ul|ol|div|mark|h[1-6]"
_HEADING = r"^\s*(?:#{1,6}\s|\*\*[^*\d]*[^*\d.!?。！？।؟…]\*\*:?\s*$)"
# A full stop behind a number is that of an ordinal where a word in lower case follows, or one of these.
_ORDINAL_OF = (
    "Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|Jahrhundert|Weltkrieg|Klasse"
)
_ORDINAL = rf"^(\s*)(\d{{1,3}}\. (?:\p{{Ll}}|(?:{_ORDINAL_OF})\b))"
# A dash is a sign before a digit, and a Chinese numeral part of a number before another: -5, > 50 %, 一、二线.
_LIST_MARKS = (
    r"^\s*(?:(?:(?:\d{1,3}[.)]|[a-zA-Z]\)|#{1,6})(?:\s+|$)|[(（](?:\d{1,3}|[a-z])[)）]\s*|[①-⑳➀-➓]\s*)+"
    r"|(?:[-*+•·▪◦‣–—>]+\s+|(?:\d{1,3}[、．）]|[(（][一二三四五六七八九十]{1,3}[)）]|[一二三四五六七八九十]{1,3}、)\s*)+"
    r"([^\s\d.一二三四五六七八九十]|$))"
)
# Languages whose sentences go on behind the name of a source without a mark.
_WITHOUT_MARK = ("ja", "ko", "de", "hi", "th")
# Longer sentences say more than a courtesy. Characters.
_LONGEST_COURTESY = 120
# Where a courtesy may begin within a sentence: behind a full stop and a blank or, in Thai, behind a blank.
_INNER = r"[.．]\s+\S|\p{Thai}.*\s\p{Thai}"
_LAST = rf"^(?:.*\p{{Thai}}.*|.*[.．])\s+(?P<end>\S.{{1,{_LONGEST_COURTESY}}})$"
_EDGE = r"[\s\p{P}\p{S}\x{200d}\x{fe0f}]+"
_BEFORE_COLON = r"[\s*_`\"'”’»」』)）\]】-]*"
_AT_ENDS = rf"^{_EDGE}|{_EDGE}$"


def bare(texts: pa.Array) -> tuple[pa.Array, BoolArray]:
    """Return n sentences without what frames their claims, and a mask of those that may claim something, (n,).

    Left out are markers of citations and footnotes, links, names of sources in parentheses, marks of lists, headings,
    emphasis, code and tables, and "according to passage 2" at the beginning. Headings, lines between the rows of a
    table, sources alone, and sentences that greet, offer help or take leave claim nothing. Recognised in English,
    Chinese, Japanese, Korean, Russian, Arabic, Hindi, Thai, German, Spanish and French.

    >>> sentences = ["2. It **opens** at nine [1][2].", "According to passage 2, it opens (Source: hours.md).", "Sure!"]
    >>> claims, some = bare(pa.array(sentences, pa.large_string()))
    >>> claims.to_pylist()[:2], some.tolist()
    (['It opens at nine.', 'it opens.'], [True, True, False])
    """
    plain, written = texts, _characters(texts)
    for pattern, replacement, one_of in _rules():
        if not one_of or one_of & written:
            plain = pc.replace_substring_regex(plain, pattern, replacement)
    plain = _without_last_courtesy(pc.utf8_trim_whitespace(plain))
    nothing = to_numpy(pc.match_substring_regex(texts, _HEADING))
    nothing = nothing | ~to_numpy(pc.match_substring_regex(plain, r"[\p{L}\p{Nd}]"))
    short = np.flatnonzero(to_numpy(pc.utf8_length(plain)) <= _LONGEST_COURTESY)
    some = plain.take(to_arrow(short))
    nothing[short] |= _courteous(some) | to_numpy(pc.match_substring_regex(some, _announcement()))
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
    """Return sentences that are compared as `bare` ones, and a mask of those that may claim something, (s,)."""
    encoded = to_arrow(sentences.strings.values, pa.large_string()).dictionary_encode()
    plain, some = bare(encoded.dictionary)
    place = to_numpy(encoded.indices).astype(np.int64)
    claimed = some[place]
    claiming = np.bincount(sentences.source, claimed, len(sentences.texts)) > 0
    compared = np.array(plain.to_pylist(), dtype=object)[place]
    return replace(sentences, compared=compared), claimed | ~claiming[sentences.source]


def _courteous(texts: pa.Array) -> BoolArray:
    """Return a mask of the texts that claim nothing, (n,). One with a number claims something."""
    some, written = np.zeros(len(texts), dtype=bool), _characters(texts)
    texts = pc.replace_substring_regex(texts, _AT_ENDS, "")
    for pattern, one_of in _nothing_claimed():
        if one_of & written:
            some |= to_numpy(pc.match_substring_regex(texts, pattern))
    return np.asarray(some & ~to_numpy(pc.match_substring_regex(texts, r"\p{Nd}")))


def _without_last_courtesy(texts: pa.Array) -> pa.Array:
    """Return texts without a courtesy at their end: behind an abbreviation and in Thai it is no sentence of its own."""
    some = np.flatnonzero(to_numpy(pc.match_substring_regex(texts, _INNER)))
    found = filled(pc.struct_field(pc.extract_regex(texts.take(to_arrow(some)), _LAST), "end"), "")
    courteous = _courteous(found)
    if not courteous.any():
        return texts
    whole = texts.to_pylist()
    for place, end in zip(some[courteous].tolist(), found.filter(to_arrow(courteous)).to_pylist(), strict=True):
        whole[place] = whole[place][: -len(end)].rstrip()
    return to_arrow(whole, pa.large_string())


@cache
def _rules() -> tuple[Rule, ...]:
    table = languages.table("framing")
    sources = "|".join(table["sources"].values())
    source = rf"(?:{sources})\s*[:：][^()（）\[\]［］【】]{{1,200}}"
    return (
        # Links and HTML.
        (r"\[\^?\d{1,3}\]\([^()\s]*\)", "", _BRACKETS),
        (r"!?\[([^\[\]]{1,200})\]\((?:https?://|www\.|mailto:|[#/.])[^()\s]*\)", r"\1", _BRACKETS),
        (rf"(?i)<sup>[^<>]{{0,40}}</sup>|</?(?:{_TAG})(?:\s[^<>]{{0,200}})?/?>", "", frozenset("<")),
        # Emphasis, code, tables.
        (r"(^|[^\w*])\*\*([^*\s][^*]{0,300})\*\*", r"\1\2", frozenset("*")),
        (r"`+", "", frozenset("`")),
        (r"(^|[\s(（])\*([^\s*][^*]{0,200})\*", r"\1\2", frozenset("*")),
        (r"^\s*\|\s*|\s\|\s*$", "", frozenset("|")),
        (r"\s+\|\s+", ", ", frozenset("|")),
        # Marks of lists; an ordinal is hidden from them.
        (_ORDINAL, r"\1@\2", frozenset("0123456789")),
        (_LIST_MARKS, r"\1", _ANY),
        (r"^(\s*)@", r"\1", _ANY),
        *((pattern, "", one_of) for pattern, one_of in _attributions(table)),
        # Markers of citations and sources, with the blank before them.
        (rf"(?i)\s*{_OPEN}\s*(?:{_NUMBERS}|{_NAMED})(?:†[^\[\]【】［］]{{0,80}})?\s*{_CLOSE}", "", _BRACKETS),
        (rf"(?i)\s*{_OPEN_ANY}\s*(?:{source}|{_NAMED})\s*{_CLOSE_ANY}", "", _ANY_BRACKETS),
        (rf"(?i)\s*{_OPEN}\s*{_FILE}\s*{_CLOSE}", "", _BRACKETS),
        (r"(\p{L}\s|[\p{Han}\p{Hangul}\p{Hiragana}])[(（][1-9][)）]([\p{P}\s]*)$", r"\1\2", frozenset("(（")),
        (r"([.!?。！？।؟]|\p{Thai})[¹²³⁰⁴-⁹]+$", r"\1", _ANY),
        (r"([.!?。！？।])\^\d{1,2}\^?$", r"\1", frozenset("^")),
        (r"\s+([.。！？!?।])$", r"\1", _ANY),
        (r"^[\s,，:：;；、،]+", "", _ANY),
    )


def _attributions(table: Mapping[str, Mapping[str, str]]) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield for each language the pattern of a name of the source at the beginning of a sentence, and its letters."""
    number = r"\s*(?:no\.|nr\.|#|№|n°)?\s*[\[［【(（]?\d{1,3}[\]］】)）]?"
    numbers = rf"{number}(?:\s*(?:[,、，]|and|und|y|et|и|和|と|및|و|और|และ){number})*"
    marker = rf"(?:{_OPEN}\s*(?:{_NUMBERS}|{_NAMED})\s*{_CLOSE}\s*)+"
    for language, pattern in table["attributions"].items():
        name = table["text"][language]
        text = rf"(?:(?:{name})(?:{numbers})?|{marker})"
        whole = pattern.replace("{text}", text).replace("{number}", rf"(?:{name}){numbers}")
        end = r"\s*[,，:：、،]\s*"
        if language in _WITHOUT_MARK:
            end = rf"{end}|\s+|$" if language == "th" else rf"{end}|\s*"
        yield rf"(?i)^\s*(?:{whole})(?:{end})", _letters(re.sub(r"\{\w+\}", "", pattern))


def _letters(pattern: str) -> frozenset[str]:
    """Return the letters of a pattern, in lower case; not those of its escapes."""
    return frozenset(filter(str.isalpha, re.sub(r"\\\w", "", pattern).lower()))


def _characters(texts: pa.Array) -> frozenset[str]:
    """Return the characters of texts, in lower case."""
    return frozenset().union(*(text.lower() for text in texts.to_pylist()))


@cache
def _announcement() -> str:
    """Return the pattern of a line that announces an answer."""
    return rf"(?i)^(?:{_EDGE})?(?:{'|'.join(languages.table('framing')['announcements'].values())}).{{0,80}}[:：]\s*$"


@cache
def _nothing_claimed() -> tuple[tuple[str, frozenset[str]], ...]:
    """Return for each language the pattern of whole sentences that claim nothing, and its letters.

    What is not a letter at both ends is left out first: in each pattern it would take most of the time to compile it.
    """
    table = languages.table("framing")
    found = []
    for language, courtesies in table["courtesy"].items():
        source, courtesy = table["sources"][language], "|".join(courtesies)
        named = rf"(?:{source})(?:{_BEFORE_COLON}[:：].{{0,200}})?"
        found.append((rf"(?i)^(?:{named}|{courtesy})$", _letters(f"{source} {courtesy}")))
    return tuple(found)
