"""Citations in answers: markers such as ``[1]``, or lists beside sentences, and the sentence that each stands with."""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any
from unicodedata import category

from ragauge import languages
from ragauge.core.lazy import lazy_pattern

_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
PASSAGE = (
    r"(?:citations?|cite|refs?|references?|docs?|documents?|passages?|contexts?|sources?|chunks?|dokumente?n?|quellen?"
    r"|passagen?|referenz(?:en)?|documentos?|fuentes?|pasajes?|fragmentos?|referencias?|extraits?|références?"
    r"|документ[а-яё]*|источник[а-яё]*|фрагмент[а-яё]*|ссылк[аеиу]|сноск[аеиу]"
    r"|(?:ال)?(?:وثيقة|مستند|مقطع|مصدر|مرجع)|दस्तावेज़|दस्तावेज|स्रोत|संदर्भ|सन्दर्भ|अनुच्छेद|(?:การ)?อ้างอิง|เอกสาร(?:อ้างอิง)?"
    r"|แหล่งข้อมูล|(?:แหล่ง)?ที่มา|文档|文檔|(?:参考|參考)?(?:文献|文獻|资料|資料)|文書|段落|来源|來源|参考|參考|参照|引用|出典|出处|出處"
    r"|문서|출처|지문|참고 ?(?:문헌|자료)|참고|참조|자료|(?:doc|ref|réf|dok|док|ист)\.)"
)
"""The pattern of names of passages that a number follows, in eleven languages."""
_NUMBER = r"\^?\d{1,3}"
_AND = r"\s*(?:[,;，；、،]|and|und|et|y|и|و|和|と)\s*"
_DASH = r"\s*[-–~～]\s*"
_NUMBERS = rf"{_NUMBER}(?:(?:{_AND}|{_DASH}){_NUMBER})*"
# Within a line: "by these passages:" and a list, whose items have numbers, name none.
_AFTER_NAME = r"[^\S\n]*(?:no\.|nr\.|#|№|n°)?(?:[^\S\n]|[:：_#-])*"
# Where in a passage: it stays that passage.
_PAGE = r"(?:\s*[,，]\s*(?:pp?|pages?|s|seiten?|с|стр|págs?|ص|पृ|หน้า|第|ページ|쪽|§)\.?\s*\d[^,，;；]*)?"
_OWN_PAGE = r"(?:(?:pp?|pages?|s|seiten?|с|стр|págs?|ص|पृ|หน้า)(?:\.\s*|\s+)|第|§\s*)\d[^\[\]\n]{0,20}"
"""A page in brackets of its own behind a marker."""
_CIRCLED = {chr(first + one): str(one + 1) for first, most in ((0x2460, 20), (0x2776, 10)) for one in range(most)}
"""Numbers in circles, white and black."""
_CIRCLES = "".join(_CIRCLED)
_IS_FILE = lazy_pattern(r"[\w./-]{1,80}\.(?:md|pdf|txt|html?|docx?|xlsx?|pptx?|csv|jsonl?|xml)", re.IGNORECASE)
_GAP = "[ \u00a0\u2009\u202f]"
"""A space before a raised number."""
_MARKER = lazy_pattern(
    # A note at the end that says what a number stands for: "[^1]: hours.md".
    # "<co: 0>" of Cohere opens what "</co: 0>" cites.
    r"(?P<note>^[ \t]*\[\^?\d{1,3}\]:[^\n]*$|<co:\s*\d[\d,\s]*>)"
    r"|\\?(?P<twice>\[(?=\[[^\[\]\n]{1,200}\]\]))?[\[［【〔](?P<square>[^\[\]［］【】〔〕\n]{1,200})[\]］】〕](?(twice)\])"
    rf"(?:\((?:https?://|[#/.])[^()\s]*\))?(?:[^\S\n]?\[{_OWN_PAGE}\])?"
    r"|<(?P<tag>sup|cite|ref|co)>\s*\[?(?P<sup>[^<>\[\]]{1,40})\]?\s*</(?P=tag)>"
    rf"|[(（]{PASSAGE}\.?{_AFTER_NAME}(?P<within>(?:[\[［【〔]{_NUMBERS}[\]］】〕](?:{_AND}|\s)?)+)[)）]"
    r"|[(（](?P<round>[^()（）\[\]［］【】\n]{1,200})[)）]"
    # Not of a unit: m², km², كم², किमी². Behind a year it is none of an exponent.
    r"|(?:(?<=[.!?。！？।؟…\"”’»」])|(?<=(?:[^\W\d_]|[\u064b-\u065f]){3})|(?<=[\u0e00-\u0e7f\u3040-\u9fff\uac00-\ud7a3])"
    r"|(?<=[\u0900-\u0963\u0980-\u0dff])(?<!\bमी)(?<!किमी)(?<!सेमी)(?<!मिमी)|(?<=\b(?:1[5-9]|20)\d\d)"
    rf"|(?:(?<=[^\W\d_]{{3}}{_GAP})|(?<=[.!?。！？।؟…\"”’»」]{_GAP})|(?<=[\u0900-\u0dff\u0e00-\u9fff\uac00-\ud7a3]{_GAP})"
    rf"|(?<=\b(?:1[5-9]|20)\d\d{_GAP}))(?<!मी{_GAP})(?!\S+\s*[-+=*/×·<>^(]))"
    r"(?P<raised>[⁰¹²³⁴-⁹]+(?:[,，˒⁻][⁰¹²³⁴-⁹]+)*)"
    # RAGFlow's: "##0$$", and Cohere's, both from 0. A number in braces is also code: "${1}", "x{2}", "{{1}}".
    r"|##(?P<ragflow>\d{1,3})\$\$|</co:\s*(?P<cohere>\d{1,3}(?:,\s*\d{1,3})*)>"
    r"|(?<![${\\)\]}'\"`])(?<!\b[A-Za-z])(?<!\b\w[A-Za-z])\{(?P<braces>\d{1,3}(?:,\s?\d{1,3})*)\}(?![}'\"`])"
    # Behind a word and before a mark or a blank, else it may be that of an item in a list: "①甲②乙".
    rf"|(?<=[^\s])[^\S\n]*(?P<circled>(?:(?<=\S)[{_CIRCLES}]+(?=\s)|[{_CIRCLES}]+(?=\s*(?:$|[.,;:!?。，；：！？、।،؛؟\n\[［【〔(（]))))"
    rf"|(?P<named>(?<![a-zà-ɏЀ-ӿ]){PASSAGE}{_AFTER_NAME}{_NUMBERS}(?!\d))",
    re.IGNORECASE | re.MULTILINE,
)
_ALL_NUMBERS = lazy_pattern(rf"(?P<numbers>{_NUMBERS}){_PAGE}(?:†.*)?", re.IGNORECASE)
_NAMED = lazy_pattern(rf"(?:{PASSAGE}\s*[:：]\s*)?{PASSAGE}{_AFTER_NAME}(?P<numbers>{_NUMBERS}){_PAGE}", re.IGNORECASE)
# Also labels, code and issues: markers only where there is such a passage.
_WEAK = lazy_pattern(r"\^(\d{1,3})\^|[#S](\d{1,3})|(\d{1,3})(?:\.|:pp?\.\s?\d+)")
_NAME_AGAIN = lazy_pattern(rf"(?<=\d)({_AND}){PASSAGE}{_AFTER_NAME}(?=\^?\d)", re.IGNORECASE)
"""A name behind a number, as in "document 2, document 3"."""
_YEAR = lazy_pattern(r"(?<![\d.,=])(?<!=\s)(?:1[5-9]|20)\d\d")
_MARKS = ".!?。！？।؟…"
_OF_SOURCE = lazy_pattern(rf"{PASSAGE}\s*[:：]\s*(?P<id>.+)", re.IGNORECASE)
# RAGFlow's of today, which count from 0, or of a name.
_BY_ID = lazy_pattern(r"ID\s*[:：]\s*(?P<id>[^,;]+)", re.IGNORECASE)
# Thai and Lao write no full stop, Khmer and Burmese often none: there a marker before a space ends the sentence.
_NEXT = lazy_pattern(r"[ \u3000]+[“\"'(]?[\u0e01-\u0e45\u0e81-\u0ec4\u1000-\u102a\u1780-\u17b3]")
_SENTENCE_MARK = lazy_pattern("[\u104b\u17d4]")
_PARTS = lazy_pattern(r"[,;，；、،]")
_AT_END = lazy_pattern(r"[^\S\n]*(?:$|[\n\[［【(（])")
_CLAUSE = 8
"""Characters before such a marker: fewer are a phrase such as "according to [1]"."""
_ALONE = lazy_pattern(r"\s*(?:$|[.,;:!?。，；：！？、।॥،؛؟\n\[［【(（])")


class Citations:
    """The citations of one answer: where its markers stand, and the passages that each points at.

    Args:
        text: the answer.
        ids: names of the passages, in their order; empty where they have none. A number is the rank of a passage; only
            one beyond their number is taken for an id. Ranks count from 1; from 0 where a marker is ``[0]`` and none
            is the number of passages or more, and in the markers of RAGFlow, ``##0$$`` and ``[ID:0]``. Numbers in
            circles and braces, which also are list marks and code, are markers only where there is such a passage.
        passages: how many there are.
        cited: sentences of the answer, in their order, each with the names or ranks of the passages that it cites,
            where these are not in the text.

    >>> text = "It opens at nine [1, 3]. 根据文档2，it is free (Source: hours.md)."
    >>> found = Citations(text, ["a", "b", "hours.md"], 3)
    >>> [places for _, places in found.markers]
    [[0, 2], [1], [2]]
    >>> Citations("It opens at nine [1][4].", [], 2).markers[1][1]
    [-1]
    >>> Citations("It opens. It is free.", ["a", "b"], 2, [("It is free.", ["b", "c"])]).of_sentences([0, 10], [9, 21])
    [[], [1, -1]]
    """

    def __init__(
        self, text: str, ids: Sequence[str], passages: int, cited: Sequence[tuple[str, Sequence[str]]] = ()
    ) -> None:
        self.text, self._passages = text, passages
        self._ids: Mapping[str, int] = {one.casefold(): place for place, one in reversed([*enumerate(ids[:passages])])}
        self.markers: list[tuple[tuple[int, int], list[int]]] = []
        """Where each marker begins and ends, and the places of the passages that it names; -1: there is none."""
        found = [*_MARKER.finditer(text)]
        self.from_zero = self._counts_from_zero(found)
        """Whether its numbers count from 0: one is 0, and none the number of passages or more."""
        framing = []
        for match in found:
            places = None if match["note"] else self._cited(match)
            if match["note"]:
                framing.append(match.span())
            elif places is not None:
                self.markers.append((match.span(), places))
                # A name within a sentence is a word of it: "According to passage 2 it is free".
                framing += [match.span()] if match["named"] is None else []
        self._framing = framing
        self._beside: list[tuple[int, int, list[int]]] = []
        self.unplaced = 0
        """How many of ``cited`` the answer has not, from the one before on: what they cite counts for no sentence."""
        end = 0
        for sentence, names in cited:
            first = text.find(sentence.strip(), end)
            if first < 0:
                self.unplaced += 1
            elif sentence.strip():
                end = first + len(sentence.strip())
                self._beside.append((first, end, [place for name in names for place in self._named(name)]))

    @property
    def plain(self) -> str:
        """The answer with blanks in place of markers, so that all else keeps its place."""
        if not self._framing:
            return self.text
        edges = [0, *(edge for span in self._framing for edge in span), len(self.text)]
        cut = [self.text[first:last] for first, last in pairwise(edges)]
        return "".join(" " * len(part) if number % 2 else part for number, part in enumerate(cut))

    @property
    def parted(self) -> str:
        """The text of `plain` with a line break behind each marker that ends a sentence without a mark."""
        plain = self.plain
        if _SENTENCE_MARK.search(plain):
            return plain
        begins = 0
        for first, last in self._framing:
            if len(plain[begins:first].strip()) >= _CLAUSE and _NEXT.match(self.text, last):
                plain = f"{plain[: last - 1]}\n{plain[last:]}"
                begins = last
        return plain

    def of_sentences(self, starts: Sequence[int], ends: Sequence[int]) -> list[list[int]]:
        """Return the places that each sentence of `plain` cites, each once; -1 for each that is no passage.

        A marker between two sentences belongs to the first, or to the second where markers stand before the sentences:
        one before the first sentence, and none behind the last.
        """
        cited: list[list[int]] = [[] for _ in starts]
        for first, last, places in self._beside:
            for own in range(max(bisect_right(starts, first) - 1, 0), bisect_left(starts, last)):
                cited[own] += [place for place in places if place < 0 or place not in cited[own]]
        if not starts or not self.markers:
            return cited
        before = self.markers[0][0][1] <= starts[0] and self.markers[-1][0][0] < ends[-1]
        for (first, last), places in self.markers:
            behind = bisect_left(starts, last)
            own = max(behind - 1, 0)
            if before and behind < len(starts) and (behind == 0 or first >= ends[own]):
                own = behind
            cited[own] += [place for place in places if place < 0 or place not in cited[own]]
        return cited

    def _counts_from_zero(self, found: Sequence[re.Match[str]]) -> bool:
        """Return whether numbers count from 0: a marker is of 0 alone, and no number is that of passages or more."""
        written = [match["square"] or match["sup"] or "" for match in found]
        numbers = [int(one) for text in written if _ALL_NUMBERS.fullmatch(text) for one in re.findall(r"\d+", text)]
        alone = any(text.strip().isdecimal() and int(text) == 0 for text in written)
        return alone and "0" not in self._ids and max(numbers) < self._passages

    def _cited(self, match: re.Match[str]) -> list[int] | None:
        """Return the places that a match names; None: it is no marker."""
        if from_zero := match["ragflow"] or match["cohere"]:
            return [self._place(int(number)) for number in from_zero.split(",")]
        within = (match["square"] or "").strip()
        square = None if within.casefold() in self._ids else _WEAK.fullmatch(within)
        if weak := match["braces"] or match["circled"] or (square and next(filter(None, square.groups()))):
            single = [_CIRCLED[one] for one in weak] if match["circled"] else [weak]
            places = [place for one in single for place in self._numbered(one)]
            return None if min(places) < 0 else places
        within = ",".join(re.findall(_NUMBERS, match["within"] or "", re.IGNORECASE))
        raised = re.sub("[˒⁻]", ",", match["raised"] or "").translate(_SUPERSCRIPT)
        content = (match["named"] or match["square"] or match["sup"] or match["round"] or within or raised).strip()
        content = content.removesuffix("\\").rstrip() if match[0].startswith("\\") else content
        if content.casefold() in self._ids and not content.isdigit():
            return [self._ids[content.casefold()]]
        source = _OF_SOURCE.fullmatch(content)
        is_known = source is not None and source["id"].casefold() in self._ids and not source["id"].isdigit()
        listed = self._without_names(content)
        named = None if is_known else _NAMED.fullmatch(listed)
        named = named or (_ALL_NUMBERS.fullmatch(listed) if listed != content else None)
        if numbers := named or _ALL_NUMBERS.fullmatch(content):
            unclear = match["round"] and not named and not self._is_alone(match)
            return None if unclear else [*self._numbered(numbers["numbers"])]
        if match["square"] and (several := [one.strip() for one in _BY_ID.findall(content)]):
            own = [self._ids.get(one.casefold(), -1) for one in several]
            return [
                self._place(int(one)) if place < 0 and one.isdecimal() else place
                for one, place in zip(several, own, strict=True)
            ]
        parts = [part.strip() for part in _PARTS.split(source["id"] if source else content)]
        # A remark may look like a marker; known ids, files, and what is called a source are none. A page is no passage.
        ids = [self._ids.get(part.casefold(), -1) for part in parts]
        known = [place for place, part in zip(ids, parts, strict=True) if place >= 0 or _IS_FILE.fullmatch(part)]
        return known or ([-1] if source else None)

    def _without_names(self, content: str) -> str:
        """Return "see document 2, document 3" as "document 2, 3", where no part is an id."""
        if not self._ids.keys().isdisjoint(part.strip().casefold() for part in _PARTS.split(content)):
            return content
        return _NAME_AGAIN.sub(r"\1", _seen().sub("", content))

    def _named(self, name: str) -> Iterator[int]:
        """Yield the place of the passage of a name, else of a rank; -1 where there is none."""
        known = self._ids.get(name.casefold())
        yield from [known] if known is not None else self._numbered(name) if name.isdecimal() else [-1]

    def _is_alone(self, match: re.Match[str]) -> bool:
        """Return whether a number in round brackets is a marker: one digit, before a mark or the end of a sentence.

        It stands behind a word, a year or another marker; or behind a sentence, where a line ends.
        """
        one = re.search(r"\d\d", match["round"]) is None
        before = self.text[: match.start()].rstrip()
        if before[-1:] in _MARKS and "\n" not in self.text[len(before) : match.start()]:
            return bool(before) and one and _AT_END.match(self.text, match.end()) is not None
        behind = category(before[-1:] or " ")[0] in "LM" or _YEAR.fullmatch(before, max(len(before) - 4, 0)) is not None
        behind |= bool(self.markers) and self.markers[-1][0][1] == len(before)
        return one and behind and any(after.match(self.text, match.end()) for after in (_ALONE, _NEXT))

    def _numbered(self, numbers: str) -> Iterator[int]:
        """Yield the place of each number of "1, 3-5"."""
        for part in re.split(_AND, numbers.replace("^", ""), flags=re.IGNORECASE):
            first, *last = [int(one) for one in re.split(_DASH, part)]
            for number in range(first, last[-1] + 1) if last and last[-1] >= first else (first, *last):
                rank = self._place(number if self.from_zero else number - 1)
                yield rank if rank >= 0 else self._ids.get(str(number), -1)

    def _place(self, rank: int) -> int:
        """Return the place of a rank that counts from 0; -1: there is none."""
        return rank if 0 <= rank < self._passages else -1


@cache
def _seen() -> re.Pattern[str]:
    """Return the pattern of "see" and its like before the name of a passage."""
    sources = "|".join(languages.table("framing")["sources"].values())
    return re.compile(rf"^(?:{sources})\s*(?={PASSAGE}{_AFTER_NAME}\^?\d)", re.IGNORECASE)


def beside(citations: Any) -> list[tuple[str, list[str]]]:
    """Return the sentences of an answer with the names that each cites, by a value of the column ``citations``.

    Only lists of objects with ``text`` and ``citations`` are such, also as JSON in a text. Another value has none.

    >>> beside([{"text": "It opened.", "citations": [1, "a"]}, "b"]), beside("a")
    ([('It opened.', ['1', 'a'])], [])
    """
    if isinstance(citations, str):
        try:
            citations = json.loads(citations)
        except (ValueError, RecursionError):
            return []
    found = [one for one in citations if isinstance(one, Mapping)] if isinstance(citations, list) else []
    return [
        (one["text"], list(map(str, one["citations"] or ())))
        for one in found
        if isinstance(one.get("text"), str) and isinstance(one.get("citations", ""), list | None)
    ]
