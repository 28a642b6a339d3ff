"""Texts in other encodings than UTF-8: which one they are likely to be in."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Annotated, Any, TypeAlias
from unicodedata import category

from ragauge.core.messages import Argument, Joined, Message
from ragauge.errors import worded

_MARKS = {b"\xff\xfe\0\0": "utf-32", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
_THAI = rb"[\xe0-\xe4]?[\xa1-\xce][\xd1\xd4-\xda]?[\xe7-\xec]?[\xd0\xd2\xd3\xe5]?|[\xcf\xe6\xf0-\xf9]"
"""A consonant with its vowels and its tone mark, each in its place; or a digit or a sign."""
_SIGN = rb"[\x80\x82\x84\x85\x91-\x94\x96\x97\xa0\xa1\xa3\xa7\xaa\xab\xb0\xb7\xba\xbb\xbf]"  # euro, quotes, ª, º
_BETWEEN = rb"(?<=[A-Za-z])(?:[\x82\x84]|[\x91\x93\x94\xa1\xbf](?=[A-Za-z]))"
"""Quotes and marks where no text has them: an opening one behind a letter, or any between two."""
_WESTERN = rb"(?!%(between)s)(?:%(sign)s{0,2}[\xc0-\xff]{1,2}%(sign)s{0,2}|%(sign)s{1,2})" % {
    b"sign": _SIGN,
    b"between": _BETWEEN,
}
"""One or two letters, or signs beside them or alone."""
_LETTERS = (
    rb"(?<=[A-Za-z])[%(small)s]{1,2}|[%(small)s]{1,2}(?=[A-Za-z])|(?:(?<![A-Za-z])|(?<=[A-Z]))[%(large)s](?=[A-Za-z])"
)
"""Small letters beside others, and capitals that begin a word or follow one."""
_DOS = _LETTERS % {
    b"small": rb"\x81-\x8d\x91\x93-\x98\x9b\xa0-\xa4\xe1",
    b"large": rb"\x80\x8e-\x90\x92\x99\x9a\x9d\xa5\xb5-\xb7\xd6\xe0\xe3\xe9",
}
_MAC = _LETTERS % {
    b"small": rb"\x87-\x9f\xa7\xbe\xbf\xcf\xd8",
    b"large": rb"\x80-\x86\xae\xaf\xcb-\xce\xe5-\xef\xf1-\xf4",
}
_LEAD, _KANJI = rb"[\x81-\x9f\xe0-\xfc]", rb"[\x81-\x83\x88-\x97][\x40-\x7e\x80-\xfc]"
# Encodings that spreadsheets still write, their script, and the bytes of their common characters: the first level of
# GB 2312 and Big5, the syllables of KS X 1001, kana and the first level of JIS X 0208; whole runs of Thai; words of
# alphabets of two letters or more, capitals in front, last letters last, in Greek with an accent; Western letters.
_ALONE = rb"(?<![\x80-\xff])(?:%s)(?![\x80-\xff])"
_WORD = rb"(?<![A-Za-z\x80-\xff])(?=[\x80-\xff]{2})(?:%s)(?![A-Za-z\x80-\xff])"
_ENCODINGS: Mapping[str, tuple[str, bytes]] = {
    "gb18030": ("Chinese", rb"[\xa1-\xa3\xb0-\xd7][\xa1-\xfe]"),
    "cp950": ("traditional Chinese", rb"[\xa1\xa4-\xc6][\x40-\x7e\xa1-\xfe]"),
    "cp932": (
        "Japanese",
        rb"(?:(?<![A-Za-z])|(?<=%(lead)s.))%(kanji)s|%(kanji)s(?=%(lead)s)" % {b"lead": _LEAD, b"kanji": _KANJI},
    ),
    "euc_jp": ("Japanese", rb"[\xa1-\xa5\xb0-\xcf][\xa1-\xfe]"),
    "cp949": ("Korean", rb"[\xa1-\xa3\xb0-\xc8][\xa1-\xfe]"),
    "johab": ("Korean", rb"[\x88-\xd3][\x41-\x7e\x81-\xfe]|[\xd9-\xf9][\x31-\xfe]"),
    "cp874": ("Thai", _ALONE % (b"(?:%s){2,}" % _THAI)),
    "cp1255": ("Hebrew", _WORD % rb"[\xe0-\xe9\xeb\xec\xee\xf0-\xf2\xf4\xf6-\xfa]+[\xea\xed\xef\xf3\xf5]?"),
    "cp1253": (
        "Greek",
        _WORD % rb"(?=.{1,3}(?![\x80-\xff])|[\xa2\xb8-\xfe]?[\xe0-\xfb]*[\xb8-\xbf\xdc-\xdf\xfc-\xfe])"
        rb"[\xa2\xb8-\xfe][\xdc-\xfe]*",
    ),
    "koi8-r": ("Cyrillic", _WORD % rb"[\xe0-\xff\xb3]?[\xc0-\xdf\xa3]+"),
    "cp1256": ("Arabic", rb"[\xc0-\xd6\xd8-\xdf\xe1\xe3-\xe6\xec\xed\xf0-\xf3\xf5\xf6]{2,}"),
    "cp866": ("Cyrillic", _WORD % rb"[\x80-\x9f\xf0]?[\xa0-\xaf\xe0-\xef\xf1]+|[\x80-\x9f\xf0]{2,5}"),
    "cp1251": (
        "Cyrillic",
        _WORD % rb"[\xc0-\xdf\xa8\xaa\xaf\xb2]?[\xe0-\xff\xb3\xb4\xb8\xba\xbf]+|[\xc0-\xdf\xa8]{1,5}",
    ),
    "cp1258": ("Vietnamese", rb"[\xc0-\xff]"),
    "cp1254": ("Turkish", rb"[\xc2\xc7\xd0\xd6\xdc-\xde\xe2\xe7\xee\xf0\xf6\xfb-\xfe]|%s" % _SIGN),
    "cp1252": ("Western European", _ALONE % _WESTERN),
    "cp850": ("Western European", rb"%s|%s" % (_DOS, _ALONE % rb"[\xa6\xa7\xa8\xad-\xaf\xf5\xf8]{1,2}")),
    "mac_roman": ("Western European", rb"%s|%s" % (_MAC, _ALONE % rb"[\xa4\xc0\xc1\xc7-\xca\xd0-\xd5\xdb\xe3]{1,2}")),
    "cp1250": (
        "Central European",
        _ALONE % rb"[\x8a\x8c-\x8f\x9a\x9c-\x9f\xa3\xa5\xaa\xaf\xb3\xb9\xba\xbc\xbe-\xff]{1,3}",
    ),
}
_FIRST_OF = (
    ("cp1255", "cp1253", "koi8-r", "cp1256", "cp1251"),
    ("cp1258", "cp1254", "cp1252", "cp1250"),
    ("cp1254", "cp1252", "cp1250"),
    ("cp1252", "cp1250"),
    *(("euc_jp", other) for other in ("cp950", "gb18030", "cp949", "cp874")),
)
"""Of encodings whose letters share their bytes the first that fits: it asks for more."""
_SHARE = 0.8
"""Share of the bytes above 127 that must belong to common characters, for an encoding to be likely."""
_SHARES = {"cp1253": 0.7}
"""That of others: some Greek words have no accent."""
_OWN: Mapping[str, tuple[bytes, float]] = {
    "cp1254": (rb"[\xd0\xdd\xde\xf0\xfd\xfe]", 0.2),
    "cp1258": (rb"[AEIOUYaeiouy\xc2\xc3\xca\xd4\xd5\xdd\xe2\xe3\xea\xf4\xf5\xfd][\xcc\xd2\xde\xec\xf2]", 0.2),
}
"""Bytes of which a text of any length has a share: letters of Turkish alone, tone marks behind Vietnamese vowels."""
_NEEDED: Mapping[str, tuple[bytes, float]] = {
    "euc_jp": (rb"([\xa4\xa5][\xa1-\xf6])|[\x80-\xff]{2}", 0.25),
    "cp1250": (rb"([\xa3\xa5\xaa\xaf\xb3\xb9\xba\xbc\xbe-\xff])|[\x80-\xff]", 0.15),
}
"""Bytes, in the group of a pattern, of which a text has a share: kana; letters that no Western text of a Mac has."""
_MIXED: Mapping[str, str] = {
    "cp1256": "[\u0600-\u06ff][\xc0-\xff]|[\xc0-\xff][\u0600-\u06ff]",
    "cp1251": "[а-яё]Я",
    "cp1252": r"[ªº][a-zãâîþ]|(?s:\A(?=.*[õûÕÛ])(?=.*[áíóú])(?=.*[öü]))",
}
"""What a text has that is in another encoding: Latin within Arabic words, a capital я in a word of Russian from a Mac,
ş of Romanian, and ő or ű beside other letters of Hungarian."""
_KOREAN, _SYLLABLES = 0.95, 4
_FREQUENT = (
    "[이다는을에의가고하지로은한기사리어서자시도를나해으인대아여부정일그스수있라게들니요까습합년국과제구전보주상장동생]"
)
"""Syllables that are more than half of those of Korean texts."""
_ENOUGH = 20
"""Bytes above 127 in which such a share shows."""
_FROM = {"euc_jp": _ENOUGH, "cp1258": _ENOUGH, "cp1254": 6}
"""Bytes above 127 from which such an encoding is the first; with fewer, both are likely."""
_READ, _CHECKED = 20, 200
"""Lines by which an encoding is told, and those for which it is checked."""
_SHOWN = 30
"""Characters of a line that a message shows."""


_NAME_ENCODING = (
    "The file is not UTF-8. Save it as UTF-8 (in Excel: File > Save As > CSV UTF-8), or pass the encoding in which a "
    "line reads right, as in {encoding}"
)
READ_AS = "RG-NOTE-004 read as {encoding} and not as UTF-8"
NOT_UTF_8 = "RG-DATA-110"
"""The code of a line that is not UTF-8."""


def readings(line: bytes, lines: Iterable[bytes] = ()) -> str:
    """Return a clause that shows ``line`` in each encoding that is likely for it and the ``lines`` behind; else empty.

    >>> readings("Zoë".encode("cp1252"))
    "in cp1252 (Western European) it reads 'Zoë'"
    """
    wrong = [one for one in islice(lines, _READ) if not one.isascii() and not is_utf_8(one)]
    fitting = _fitting(b"\n".join([line, *wrong])) or _fitting(line)
    texts = {encoding: line.decode(encoding, "replace").strip() for encoding in fitting}
    template = "in {encoding} ({language}) it reads {text!r}"
    read = [Message(template, one, worded(_ENCODINGS[one][0]), text[:_SHOWN]) for one, text in texts.items()]
    return Joined(read, "; ") if read else ""


def is_utf_8(line: bytes) -> bool:
    """Return whether a line is text in UTF-8."""
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def encoding_shown(problems: Iterable[str]) -> str | None:
    """Return the encoding that alone fits the first of ``problems`` with a line that is not UTF-8; None for no such.

    Of several it is Western European, whose letters stand alone between others.
    """
    shown = [one.values["readings"] for one in problems if isinstance(one, Message) and one.code == NOT_UTF_8]
    read = [one.values["readings"].parts[0] for one in shown if isinstance(one, Message)]
    return _clear([one.values["encoding"] for one in read[0]]) if read else None


def _clear(fitting: list[str]) -> str | None:
    is_western = "cp1252" in fitting and not {"cp850", "mac_roman", "cp1254", "cp1258"} & {*fitting}
    return "cp1252" if is_western else fitting[0] if len(fitting) == 1 else None


def clear_encoding(lines: Iterable[bytes]) -> str | None:
    """Return the encoding that alone fits the lines that are not ASCII; None where some are UTF-8, or several fit.

    >>> clear_encoding(["누가 차를 재배합니까?".encode("cp949")])
    'cp949'
    """
    wrong = [line for line in lines if not line.isascii()]
    encoding = _clear(_fitting(b"\n".join(wrong[:_READ]))) if wrong else None
    return encoding if encoding and fits(encoding, wrong) else None


def fits(encoding: str, lines: Iterable[bytes]) -> bool:
    """Return whether all ``lines`` with other letters than ASCII are in an encoding, which is likely for the first.

    >>> fits("cp1252", ["Zoë".encode("cp1252")]), fits("cp1252", ["Zoë".encode()])
    (True, False)
    """
    first: list[bytes] = []
    for line in lines:
        if line.isascii():
            continue
        if is_utf_8(line):
            return False
        try:
            line.decode(encoding)
        except UnicodeDecodeError:
            return False
        if len(first) < _CHECKED:
            first.append(line)
    return encoding in _fitting(b"\n".join(first))


def encoding_advice(problems: Iterable[str]) -> Message:
    """Return what to do about ``problems`` with lines that are not UTF-8, with the encoding that they show."""
    return Message(_NAME_ENCODING, Argument("encoding", encoding_shown(problems) or "NAME"))


def likely_encoding(head: bytes) -> str | None:
    r"""Return the encoding of a text that is not UTF-8, by its first bytes; None where it is UTF-8, or several fit.

    A byte order mark shows UTF-16, as do lines of its characters. Of the others only GB 18030 is recognised, because
    the bytes of its characters are those of no other East Asian encoding.

    >>> likely_encoding("问题,答案\n谁种茶？,林婉在云南种茶。\n".encode("gbk")), likely_encoding("质问".encode())
    ('gb18030', None)
    """
    marked = next((name for mark, name in _MARKS.items() if head.startswith(mark)), None)
    if marked is None and b"\0" in head:
        marked = next((name for name in ("utf-16-be", "utf-16-le") if _is_text(head, name)), None)
    if marked is not None:
        return marked
    try:
        # A character may be cut at the end.
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        lines = head[: head.rfind(b"\n") + 1] or head
        fitting = [] if b"\0" in lines else _fitting(lines)
        return fitting[0] if fitting in (["gb18030"], ["gb18030", "euc_jp"]) else None
    return None


def _is_text(head: bytes, encoding: str) -> bool:
    """Return whether the first bytes of a text are lines of assigned characters in an encoding of two bytes."""
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(head)
    except UnicodeDecodeError:
        return False
    ends = head[encoding == "utf-16-be" :: 2].count(b"\n")
    are_assigned = all(category(one) not in ("Cc", "Cn", "Co") or one.isspace() for one in set(text))
    return are_assigned and ends < 2 * text.count("\n")


def _fitting(text: bytes) -> list[str]:
    """Return the encodings in which most of a text's characters are common ones."""
    fitting = []
    total = len(re.findall(rb"[\x80-\xff]", text))
    for encoding, (_, common) in _ENCODINGS.items():
        rest = len(re.findall(rb"[\x80-\xff]", re.sub(common, b"", text)))
        is_rare = rest > (1 - _SHARES.get(encoding, _SHARE)) * total
        if is_rare and encoding != "gb18030":
            continue
        try:
            read = text.decode(encoding)
        except UnicodeDecodeError:
            continue
        if _is_likely(text, encoding, read, total, is_rare=is_rare):
            fitting.append(encoding)
    if "cp949" in fitting and _is_plain_korean(text.decode("cp949")):
        return ["cp949"]
    first_of = [group for group in _FIRST_OF if total >= _FROM.get(group[0], 0)]
    later = {one for group in first_of for one in [name for name in group if name in fitting][1:]}
    return [one for one in fitting if one not in later]


def _is_likely(text: bytes, encoding: str, read: str, total: int, *, is_rare: bool) -> bool:
    """Return whether a text that an encoding can ``read`` has what texts in it have, too.

    ``total``: its bytes above 127. ``is_rare``: few of them are of characters that the encoding's pattern has.
    """
    if encoding == "johab":
        return _is_korean(read)
    if encoding in _MIXED and re.search(_MIXED[encoding], read):
        return False
    if encoding in _OWN:
        pattern, share = _OWN[encoding]
        return len(re.findall(pattern, text)) >= share * total
    if encoding == "gb18030" and is_rare:
        return _is_traditional(read)
    pattern, share = _NEEDED.get(encoding, (b"()", 0.0))
    return total < _ENOUGH or sum(map(len, re.findall(pattern, text))) >= share * total


def _is_korean(text: str) -> bool:
    """Return whether nearly all syllables of a text are those that Korean uses: johab has all that could be built."""
    hangul = re.findall("[가-힣]", text)
    between = len(re.findall("[A-Za-z][가-힣](?![가-힣])", text))
    if len(hangul) < _SYLLABLES or between > 0.02 * len(hangul):
        return False
    return len("".join(hangul).encode("euc_kr", "ignore")) >= 2 * _KOREAN * len(hangul)


def _is_plain_korean(text: str) -> bool:
    """Return whether a text is of syllables, and has the frequent ones as Korean has them: no other text read so does.

    >>> _is_plain_korean("누가 차를 재배합니까?"), _is_plain_korean("问题,回答".encode("gb18030").decode("cp949"))
    (True, False)
    """
    hangul, other = len(re.findall("[가-힣]", text)), len(re.findall("[^\x00-\x7f가-힣]", text))
    frequent = len(re.findall(_FREQUENT, text))
    return frequent >= _SYLLABLES - 1 and frequent >= 0.15 * hangul and hangul >= 0.9 * (hangul + other)


def _is_traditional(text: str) -> bool:
    """Return whether most characters of a text are the common ones of traditional Chinese, which GB 18030 has too."""
    han = re.findall("[\u3400-\u9fff]", text)
    leads = "".join(han).encode("big5", "ignore")[::2]
    return len(han) >= _SYLLABLES and sum(0xA4 <= lead <= 0xC6 for lead in leads) >= _SHARE * len(han)


def _known(encoding: Any) -> str:
    """Return the name of an encoding; ValueError where Python knows no encoding of texts by that name."""
    try:
        "".encode(encoding)
    except (LookupError, TypeError):
        raise ValueError(encoding) from None
    return str(encoding)


Encoding: TypeAlias = Annotated[
    Annotated[str, _known] | None,
    "the name of an encoding of texts, such as gb18030, big5, cp932, cp949 or cp1252",
]
"""The encoding of a file of texts; None: as its first bytes show."""
