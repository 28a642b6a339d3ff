"""Texts in other encodings than UTF-8: which one they are likely to be in, and reading them as UTF-8."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, BinaryIO, TypeAlias, cast

from ragauge.core.messages import Argument, Joined, Message
from ragauge.errors import DataError, excerpt, worded

_BUFFER = 1 << 20
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_THAI = rb"[\xe0-\xe4]?[\xa1-\xce][\xd1\xd4-\xda]?[\xe7-\xec]?[\xd0\xd2\xd3\xe5]?|[\xcf\xe6\xf0-\xf9]"
"""A consonant with its vowels and its tone mark, each in its place; or a digit or a sign."""
_SIGN = rb"[\x80\x82\x84\x85\x91-\x94\x96\x97\xa0\xa1\xa3\xa7\xab\xb0\xb7\xbb\xbf]"  # euro, quotes, dashes
_WESTERN = rb"%(sign)s{0,2}[\xc0-\xff]{1,2}%(sign)s{0,2}|%(sign)s{1,2}" % {b"sign": _SIGN}
"""One or two letters, or signs beside them or alone."""
# Encodings that spreadsheets still write, their script, and the bytes of their common characters: the first level of
# GB 2312 and Big5, the syllables of KS X 1001, kana and the first level of JIS X 0208; whole runs of Thai; words of
# alphabets of two letters or more, capitals in front, last letters last, in Greek with an accent; Western letters.
_ALONE = rb"(?<![\x80-\xff])(?:%s)(?![\x80-\xff])"
_WORD = rb"(?<![A-Za-z\x80-\xff])(?=[\x80-\xff]{2})(?:%s)(?![A-Za-z\x80-\xff])"
_ENCODINGS: Mapping[str, tuple[str, bytes]] = {
    "gb18030": ("Chinese", rb"[\xa1-\xa3\xb0-\xd7][\xa1-\xfe]"),
    "big5": ("traditional Chinese", rb"[\xa1\xa4-\xc6][\x40-\x7e\xa1-\xfe]"),
    "cp932": ("Japanese", rb"[\x81-\x83\x88-\x97][\x40-\x7e\x80-\xfc]"),
    "cp949": ("Korean", rb"[\xa1-\xa3\xb0-\xc8][\xa1-\xfe]"),
    "cp874": ("Thai", _ALONE % (b"(?:%s){2,}" % _THAI)),
    "cp1255": ("Hebrew", _WORD % rb"[\xe0-\xe9\xeb\xec\xee\xf0-\xf2\xf4\xf6-\xfa]+[\xea\xed\xef\xf3\xf5]?"),
    "cp1253": (
        "Greek",
        _WORD % rb"(?=.{1,3}(?![\x80-\xff])|[\xa2\xb8-\xfe]?[\xe0-\xfb]*[\xb8-\xbf\xdc-\xdf\xfc-\xfe])"
        rb"[\xa2\xb8-\xfe][\xdc-\xfe]*",
    ),
    "koi8-r": ("Cyrillic", _WORD % rb"[\xe0-\xff\xb3]?[\xc0-\xdf\xa3]+"),
    "cp1256": ("Arabic", rb"[\xc0-\xd6\xd8-\xdf\xe1\xe3-\xe6\xec\xed\xf0-\xf3\xf5\xf6]{2,}"),
    "cp1251": (
        "Cyrillic",
        _WORD % rb"[\xc0-\xdf\xa8\xaa\xaf\xb2]?[\xe0-\xff\xb3\xb4\xb8\xba\xbf]+|[\xc0-\xdf\xa8]{1,5}",
    ),
    "cp1254": ("Turkish", rb"[\xd0\xdd\xde\xf0\xfd\xfe]"),
    "cp1252": ("Western European", _ALONE % _WESTERN),
    "cp1250": (
        "Central European",
        _ALONE % rb"[\x8a\x8c-\x8f\x9a\x9c-\x9f\xa3\xa5\xaa\xaf\xb3\xb9\xba\xbc\xbe-\xff]{1,3}",
    ),
}
_FIRST_OF = (("cp1255", "cp1253", "koi8-r", "cp1256", "cp1251"), ("cp1254", "cp1252", "cp1250"))
"""Of encodings whose letters share their bytes the first that fits: it asks for more."""
_SHARE = 0.8
"""Share of the bytes above 127 that must belong to common characters, for an encoding to be likely."""
_SHARES = {"cp1254": 0.5, "cp1253": 0.7}
"""That of others: Turkish is told by letters that it alone has, and some Greek words have no accent."""
_SHOWN = 30
"""Characters of a line that a message shows."""


_NAME_ENCODING = (
    "The file is not UTF-8. Save it as UTF-8 (in Excel: File > Save As > CSV UTF-8), or pass the encoding in which a "
    "line reads right, as in {encoding}"
)
NOT_UTF_8 = "RG-DATA-110"
"""The code of a line that is not UTF-8."""


def readings(line: bytes) -> str:
    """Return a clause that shows ``line`` in each likely encoding; empty if none is likely.

    >>> readings("Zoë".encode("cp1252"))
    "in cp1252 (Western European) it reads 'Zoë'"
    """
    texts = {encoding: line.decode(encoding).strip() for encoding in _fitting(line)}
    template = "in {encoding} ({language}) it reads {text!r}"
    read = [Message(template, one, worded(_ENCODINGS[one][0]), text[:_SHOWN]) for one, text in texts.items()]
    return Joined(read, "; ") if read else ""


def encoding_shown(problems: Iterable[str]) -> str | None:
    """Return the encoding that alone fits the first of ``problems`` with a line that is not UTF-8; None for no such.

    Of several it is Western European, whose letters stand alone between others.
    """
    shown = [one.values["readings"] for one in problems if isinstance(one, Message) and one.code == NOT_UTF_8]
    read = [one.values["readings"].parts[0] for one in shown if isinstance(one, Message)]
    fitting = [one.values["encoding"] for one in read[0]] if read else []
    return "cp1252" if "cp1252" in fitting else fitting[0] if len(fitting) == 1 else None


def encoding_advice(problems: Iterable[str]) -> Message:
    """Return what to do about ``problems`` with lines that are not UTF-8, with the encoding that they show."""
    return Message(_NAME_ENCODING, Argument("encoding", encoding_shown(problems) or "NAME"))


def likely_encoding(head: bytes) -> str | None:
    r"""Return the encoding of a text that is not UTF-8, by its first bytes; None where it is UTF-8, or several fit.

    A byte order mark shows UTF-16. Of the others only GB 18030 is recognised, because the bytes of its characters are
    those of no other East Asian encoding.

    >>> likely_encoding("问题,答案\n谁种茶？,林婉在云南种茶。\n".encode("gbk")), likely_encoding("质问".encode())
    ('gb18030', None)
    """
    if head.startswith(_UTF16):
        return "utf-16"
    try:
        # A character may be cut at the end.
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        lines = head[: head.rfind(b"\n") + 1] or head
        fitting = [] if b"\0" in lines else _fitting(lines)
        return fitting[0] if fitting == ["gb18030"] else None
    return None


def _fitting(text: bytes) -> list[str]:
    """Return the encodings in which most of a text's characters are common ones."""
    fitting = []
    total = len(re.findall(rb"[\x80-\xff]", text))
    for encoding, (_, common) in _ENCODINGS.items():
        rest = len(re.findall(rb"[\x80-\xff]", re.sub(common, b"", text)))
        if rest > (1 - _SHARES.get(encoding, _SHARE)) * total:
            continue
        try:
            text.decode(encoding)
        except UnicodeDecodeError:
            continue
        fitting.append(encoding)
    later = {one for group in _FIRST_OF for one in [name for name in group if name in fitting][1:]}
    return [one for one in fitting if one not in later]


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


def transcoded(stream: BinaryIO, encoding: str, name: str) -> BinaryIO:
    """Return a stream of texts in ``encoding`` as UTF-8; reading raises DataError where they are not in it.

    >>> transcoded(io.BytesIO("Zoë".encode("cp1252")), "cp1252", "names.csv").read().decode()
    'Zoë'
    """
    return stream_of(_transcoded(stream, encoding, name))


def _transcoded(stream: BinaryIO, encoding: str, name: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)()
    data = b" "
    while data:
        data = stream.read(_BUFFER)
        try:
            yield decoder.decode(data, final=not data).encode()
        except UnicodeError as error:
            template = "RG-DATA-011 {name}: is not text in {encoding}: {reason}; name another with {encoding2}"
            raise DataError(template, name, encoding, excerpt(str(error)), Argument("encoding", "NAME")) from None


def stream_of(pieces: Iterable[bytes]) -> BinaryIO:
    """Return a stream of bytes that come in pieces, some of which may be empty.

    >>> stream_of([b"tea", b"", b" and jam"]).read()
    b'tea and jam'
    """
    return cast(BinaryIO, io.BufferedReader(_Pieces(pieces), _BUFFER))


class _Pieces(io.RawIOBase):
    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = filter(None, pieces)
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        self._rest = self._rest or memoryview(next(self._pieces, b""))
        taken = self._rest[: len(buffer)]
        self._rest = self._rest[len(taken) :]
        buffer[: len(taken)] = taken
        return len(taken)
