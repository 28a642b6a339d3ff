"""Patterns of what frames the claims of an answer: markers of citations, list marks, labels, sources, courtesies.

All are patterns of RE2, which takes linear time. Words are those of ``languages/framing.toml``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, TypeAlias

from ragauge import languages
from ragauge.grounding.citations import PASSAGE

Rule: TypeAlias = tuple[str, str, tuple[str, ...]]
"""A pattern, what is written in place of what it matches, and texts of which each match has at least one.

Without these, in lower case, the pattern is not tried, because RE2 compiles it at each call, which takes longer than to
match a few texts."""

_OPEN, _CLOSE = r"[\[［【〔]", r"[\]］】〕]"
_OPEN_ANY, _CLOSE_ANY = r"[(（\[［【〔]", r"[)）\]］】〕]"
_INSIDE = r"[^\[\]［］【】()（）]"
_BRACKETS, _ROUNDS = ("[", "［", "【", "〔"), ("(", "（")
_ANY = ("",)
_NUMBERS = r"\^?[1-9]\d{0,2}(?:\s*(?:[,;，、–-]|and|und|et|y|и|和|と)\s*\^?\d{1,3})*"
_FILE = r"[\w ./-]{1,80}\.(?:md|pdf|txt|html?|docx?|xlsx?|pptx?|csv|jsonl?|xml)"
_LINK = r"(?:https?://|www\.)[^\s<>()\"“”，。、（）]+"
_PAGE = (
    r"(?:pp?|pages?|seiten?|s|с|стр|pág|págs|página|ص|صفحة|पृ|पृष्ठ|หน้า|第|页|頁|ページ|페이지|쪽|§|lines?|l)"
    rf"\.?\s*\d{_INSIDE}*"
)
_KEY = rf"(?:{PASSAGE}|отрыв[а-яё]*|текст|(?:ال)?فقرة|ข้อความ|(?:แหล่ง)?ที่มา|段落|문단|단락)"
_REST = rf"(?:\s*[,，;；:：、،]\s*{_INSIDE}+)?"
_NAMED = rf"{_KEY}[\s:：_#-]*(?:no\.|nr\.|№|n°)?\s*(?:{_NUMBERS}|0)"
# Set by frameworks: [S1], [id: 0], a part of a hash, a named footnote; a number with its page.
_SHORT_NAME = (
    rf"[SDPR]\d{{1,3}}|id[\s:：]*\d{{1,4}}|[0-9a-f]{{7}}[0-9a-f-]*|\^[\w-]{{1,30}}"
    rf"|[1-9]\d{{0,2}}\s*[,，]\s*{_PAGE}"
)
# Of ChatGPT, OpenAI's assistants, Gemini, Bedrock, RAGFlow, Cohere and GraphRAG, in this order.
_OF_SYSTEMS: tuple[Rule, ...] = (
    (r"\s*\x{E200}[^\x{E200}\x{E201}]*\x{E201}", "", ("\ue200",)),
    (r"\s*:contentReference\[oaicite:\d+\]\{index=\d+\}", "", ("{",)),
    (r"\s*【\d+:\d+†[^【】]{0,80}】", "", ("†",)),
    (r"\s*\[cite_start\]\s*|\s*%\[\d{1,3}\]%", "", ("[",)),
    (r"\s*##\d{1,3}\$\$", "", ("#",)),
    (r"</?co(?::[^<>]{0,60})?>", "", ("<",)),
    (r"\s*\[Data:[^\[\]]+\]", "", ("[",)),
)
_CITING = "cite|ref|citation|source|sup|doc|document"
_TAG = f"b|i|em|strong|u|s|code|pre|small|a|span|mark|font|h[1-6]|{_CITING}|passage|answer|final_answer|response|output"
_BREAKING_TAG = "p|br|hr|li|ul|ol|div|table|thead|tbody|tr|td|th"
_THOUGHT = r"(?is)^.*</(?:think|thinking|reasoning)>"
_HEADING = r"^\s*(?:#{1,6}\s|\*\*[^*\d]*[^*\d.!?。！？।؟…]\*\*:?\s*$)"
# A full stop behind a number is that of an ordinal where a word in lower case follows, or one of these.
_ORDINAL_OF = (
    "Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|Jahrhundert|Weltkrieg|Klasse"
)
_ORDINAL = rf"^(\s*)(\d{{1,3}}\. (?:\p{{Ll}}|(?:{_ORDINAL_OF})\b))"
_TICKED = r"^\s*[-*+•]\s+\[[ xX✓✔]\]\s+|^\s*(?:\d\x{FE0F}?\x{20E3}|🔟)\s*|^\s*\d{1,2}(?:\.\d{1,2}){1,3}\.\s+"
# A dash is a sign before a digit, and a Chinese numeral part of a number before another: -5, > 50 %, 一、二线.
_LIST_MARKS = (
    r"^\s*(?:(?:(?:\d{1,3}[.)]|[a-zA-Z]\)|#{1,6})(?:\s+|$)|[(（](?:\d{1,3}|[a-z])[)）]\s*|[①-⑳➀-➓]\s*)+"
    r"|(?:[-*+•·・▪◦‣–—>]+\s+|・\s*|(?:\d{1,3}[、．）]|[(（][一二三四五六七八九十]{1,3}[)）]|[一二三四五六七八九十]{1,3}、)\s*)+"
    r"([^\s\d.一二三四五六七八九十]|$))"
)
_OF_LIST_MARKS = (
    *"#)(（）、．・①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳➀➁➂➃➄➅➆➇➈➉➊➋➌➍➎➏➐➑➒➓",
    *(f"{digit}." for digit in "0123456789"),
    *(mark + blank for mark in "-*+•·▪◦‣–—>" for blank in " \t\n\f\r"),
)
# Also signs above those of Latin-1: it compiles in a tenth of the time of letters and marks.
_LETTER = r"[A-Za-z,\x{AA}-\x{10FFFF}]"
# Emoji, arrows and underscores, behind which a capital would tell a name.
_SIGNS = (
    r"^(?:[\x{2190}-\x{21FF}\x{2300}-\x{23FF}\x{25A0}-\x{27BF}\x{2B00}-\x{2BFF}\x{1F000}-\x{1FAFF}"
    r"\x{FE0F}\x{200B}-\x{200D}\x{FEFF}_=~]|\s)+"
)
# A single digit in round brackets; several only at the end, where they are no coordinates.
_ROUND = r"[(（][1-9][)）]"
_ROUND_LIST = r"(?:[(（][1-9](?:\s*[,，、;–-]\s*[1-9])*[)）]\s*)+"
# Languages whose sentences go on behind the name of a source without a mark.
_WITHOUT_MARK = ("ja", "ko", "de", "hi", "th")
EDGE = r"[\s\p{P}\p{S}\x{200d}\x{fe0f}]+"
"""Characters at the ends of a sentence that are not part of what is said."""
OTHER_EDGES = " \t\n\f\r\u200d\ufe0f"
"""Those of them that are neither punctuation nor symbols."""
_BEFORE_COLON = r"[\s*_`\"'”’»」』)）\]】-]*"

NOTHING = (
    (_HEADING, ("#", "*")),
    (r"^\s*```\w*\s*$", ("`",)),
    (rf"(?i)^\s*(?:[-*+•]|\d{{1,3}}[.)])?\s*\[[^\[\]]{{1,200}}\]\({_LINK}\)\s*$", ("](",)),
    (rf"(?i)^\s*\[\^?[\w-]{{1,30}}\]:\s|^\s*\[\d{{1,3}}\].{{0,200}}{_LINK}\s*$", ("]",)),
)
"""Patterns of sentences as written that claim nothing: headings, fences, links alone, notes, addresses of sources; and
texts of which each match has at least one."""
RULE_OF_TABLE = r"^\s*(?:\|[\s|:-]*--|:?--[\s:-]*\|)[\s|:-]*$"
"""The pattern of the line between the header of a table and its rows."""
THOUGHT_ENDS = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)
"""What ends the thoughts that a model writes before its answer."""


@cache
def rules() -> tuple[Rule, ...]:
    """Return the patterns of what frames a claim within a sentence, in the order in which they are replaced."""
    table = languages.table("framing")
    sources = "|".join(table["sources"].values())
    source = rf"(?:{sources})\s*[:：]\s*[^()（）\[\]［］【】]+"
    labels, openers = ("|".join(table[name].values()) for name in ("labels", "openers"))
    return (
        *_OF_SYSTEMS,
        # Links and HTML.
        (r"\[\^?\d{1,3}\]\([^()\s]*\)", "", _BRACKETS),
        (rf"\s*[(（]\s*\[[^\[\]]+\]\({_LINK}\)\s*[)）]", "", _BRACKETS),
        (r"!?\[([^\[\]]{1,200})\]\((?:https?://|www\.|mailto:|[#/.])[^()\s]*\)", r"\1", _BRACKETS),
        (rf"\s*[(（]\s*(?:(?:{sources})\s*[:：]?\s*)?{_LINK}\s*[)）]", "", _ROUNDS),
        (rf"([.!?。！？।…]|\p{{Thai}})\s*{_LINK}\s*$", r"\1", ("/",)),
        (_THOUGHT, "", ("<",)),
        (rf"(?i)\s*<(?:{_CITING})(?:\s[^<>]{{0,200}})?>[\s\[(]*(?:{_NUMBERS}|{_NAMED})[\s\])]*</(?:{_CITING})>", "",
         ("<",)),
        (rf"(?i)<sup>[^<>]{{0,40}}</sup>|</?(?:{_TAG})(?:\s[^<>]{{0,200}})?/?>", "", ("<",)),
        (rf"(?i)</?(?:{_BREAKING_TAG})(?:\s[^<>]{{0,200}})?/?>", " ", ("<",)),
        (r"&nbsp;|&#160;", " ", ("&",)),
        # Emphasis, code, tables.
        (r"(^|[^\w*])\*\*\*?([^*\s][^*]{0,300})\*\*\*?", r"\1\2", ("*",)),
        (r"`+", "", ("`",)),
        (r"(^|[\s(（])\*([^\s*][^*]{0,200})\*", r"\1\2", ("*",)),
        (r"^\s*\|\s*|\s\|\s*$", "", ("|",)),
        (r"\s+\|\s+", ", ", ("|",)),
        # Marks of lists; an ordinal is hidden from them.
        (_TICKED, "", ("[", ".", "\u20e3", "🔟")),
        (_ORDINAL, r"\1@\2", tuple(f"{digit}. " for digit in "0123456789")),
        (_LIST_MARKS, r"\1", _OF_LIST_MARKS),
        (r"^(\s*)@", r"\1", _ANY),
        (_SIGNS, "", _ANY),
        (rf"(?i)^\s*(?:{labels})\s*[:：]\s*", "", (":", "：")),
        *_attributions(table),
        (rf"(?i)^\s*(?:{openers})\s*[,，、،:：]\s*", "", (",", "，", "、", "،", ":", "：")),
        (rf"^\s*(?:{table['openers']['th']})(?:\s+|$)", "", ("สรุป", "ดังนั้น", "โดยรวม")),
        # Markers of citations and sources, with the blank before them.
        (rf"(?i)\s*[(（]\s*(?:{sources})\s*[:：]?\s*(?:{_OPEN}\s*{_NUMBERS}\s*{_CLOSE}\s*)+[)）]", "", _BRACKETS),
        (rf"(?i)\s*{_OPEN}\s*(?:{_NUMBERS}|{_NAMED}{_REST}|{_SHORT_NAME})(?:†[^\[\]【】［］]{{0,80}})?\s*{_CLOSE}", "",
         _BRACKETS),
        (rf"(?i)\s*{_OPEN_ANY}\s*(?:{source}|{_NAMED}{_REST}|{_FILE}\s*[,，]\s*{_PAGE})\s*{_CLOSE_ANY}", "",
         (*_BRACKETS, *_ROUNDS)),
        (rf"(?i)\s*{_OPEN}\s*{_FILE}(?:[#:,，]\s*{_INSIDE}{{1,40}})?\s*{_CLOSE}", "", _BRACKETS),
        (rf"([^\s(（]\s|[\x{{3001}}-\x{{9FFF}}\x{{AC00}}-\x{{D7A3}}]){_ROUND_LIST}([\p{{P}}\s]*)$", r"\1\2",
         _ROUNDS),
        (rf"({_LETTER})\s{_ROUND}(\s)", r"\1\2", _ROUNDS),
        (r"([.!?。！？।؟]|\p{Thai})[¹²³⁰⁴-⁹]+$", r"\1", tuple("¹²³⁰⁴⁵⁶⁷⁸⁹")),
        (r"([.!?。！？।])\^\d{1,2}\^?$", r"\1", ("^",)),
        (r"\s+([.。！？!?।])$", r"\1", _ANY),
        (r"^[\s,，:：;；、،]+", "", _ANY),
    )  # fmt: skip


def _attributions(table: Mapping[str, Any]) -> Iterator[Rule]:
    """Yield for each language the pattern of a source that is named where a sentence begins, and one of markers."""
    number = r"\s*(?:no\.|nr\.|#|№|n°)?\s*[\[［【(（]?\d{1,3}[\]］】)）]?"
    numbers = rf"{number}(?:\s*(?:[,、，]|and|und|y|et|и|和|と|및|و|और|และ){number})*"
    by_marker = []
    for language, pattern in table["attributions"].items():
        name, statement = table["text"][language], table["statements"].get(language)
        end = r"\s*[,，:：、،]\s*"
        if language in _WITHOUT_MARK:
            end = rf"{end}|\s+|$" if language == "th" else rf"{end}|\s*"
        whole = rf"(?:{pattern})(?:{end})"
        by_marker.append(whole)
        whole += rf"|{statement}" if statement else ""
        written = whole.replace("{text}", rf"(?:(?:{name})(?:{numbers})?)").replace("{number}", rf"(?:{name}){numbers}")
        yield rf"(?i)^\s*(?:{written})", "", tuple(table["fragments"][language].split())
    marker = r"(?:[\[［【][^\[\]【】]+[\]］】])+"
    patterns = "|".join(by_marker).replace("{text}", marker).replace("{number}", marker)
    yield rf"(?i)^\s*(?:{patterns})", "", _BRACKETS


def letters(pattern: str) -> tuple[str, ...]:
    r"""Return the letters of a pattern, in lower case; not those of its escapes.

    >>> letters(r"\s*Abba|c")
    ('a', 'b', 'c')
    """
    return tuple(sorted(set(filter(str.isalpha, re.sub(r"\\\w", "", pattern).lower()))))


@cache
def introduces() -> tuple[str, tuple[str, ...]]:
    """Return the pattern of a line that introduces an answer or a part of it, or is a source and nothing else.

    With it, texts of which each match has at least one: colons, and beginnings of what is in addresses and file names.
    """
    announced = "|".join(languages.table("framing")["announcements"].values())
    lead = r"[^.!?。！？।؟\p{Nd}]+[:：]"
    pattern = rf"(?i)^(?:{EDGE})?(?:(?:{announced}).{{0,80}}[:：]|{lead}|{_LINK}|{_FILE})\s*$"
    return pattern, (":", "：", "www.", ".md", ".p", ".txt", ".htm", ".doc", ".xl", ".xml", ".c", ".j")


@cache
def nothing_claimed() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return for each language the pattern of whole short sentences that claim nothing, and its letters.

    What is not a letter at both ends is left out first: in each pattern it would take most of the time to compile it.
    What follows a source is not counted, which would take as long: the sentences are short.
    """
    table = languages.table("framing")
    found = []
    for language, courtesies in table["courtesy"].items():
        source, courtesy = table["sources"][language], "|".join(courtesies)
        named = rf"(?:{source})(?:{_BEFORE_COLON}[:：].*)?"
        found.append((rf"(?i)^(?:{named}|{courtesy})$", letters(f"{source} {courtesy}")))
    return tuple(found)


@cache
def whole(name: str) -> str:
    """Return the pattern of a sentence without its ends that is one of the words of a table: ``sources``, ``assent``.

    >>> whole("assent")[:16]
    '(?i)^(?:yes|no|y'
    """
    return rf"(?i)^(?:{'|'.join(languages.table('framing')[name].values())})$"
