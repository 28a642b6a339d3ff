"""Bytes that are not UTF-8: what they may say, so that their reader knows what to save the file from."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

# Encodings that spreadsheets still write, whose they are, and the bytes of their common characters: of GB 2312 and
# Big5 the first level, of KS X 1001 the syllables, of JIS X 0208 kana and the first level.
_ENCODINGS: Mapping[str, tuple[str, bytes]] = MappingProxyType(
    {
        "gb18030": ("Chinese", rb"[\xa1-\xa3\xb0-\xd7][\xa1-\xfe]"),
        "big5": ("traditional Chinese", rb"[\xa1\xa4-\xc6][\x40-\x7e\xa1-\xfe]"),
        "cp932": ("Japanese", rb"[\x81-\x83\x88-\x97][\x40-\x7e\x80-\xfc]"),
        "cp949": ("Korean", rb"[\xa1-\xa3\xb0-\xc8][\xa1-\xfe]"),
        "cp1251": ("Cyrillic", rb"[\xc0-\xff\xa8\xb8]{2,}"),
        "cp1256": ("Arabic", rb"[\xc0-\xf6]{2,}"),
        "cp1252": ("Western European", rb"(?<![\x80-\xff])[\xc0-\xff]{1,2}(?![\x80-\xff])"),
    }
)
_COMMON = 0.8
_SHOWN = 30

ADVICE = (
    "The file is not UTF-8. In Excel: File > Save As > CSV UTF-8. Elsewhere, with the encoding in which a line reads "
    "right: iconv -f ENCODING -t UTF-8 old.csv > new.csv"
)


def readings(line: bytes) -> str:
    """Say how ``line`` reads in the encodings that it is likely to be in; nothing where there is none.

    >>> readings("Zoë".encode("cp1252"))
    "in cp1252 (Western European) it reads 'Zoë'"
    """
    found = []
    total = len(re.findall(rb"[\x80-\xff]", line))
    for encoding, (whose, common) in _ENCODINGS.items():
        rest = len(re.findall(rb"[\x80-\xff]", re.sub(common, b"", line)))
        if rest > (1 - _COMMON) * total:
            continue
        try:
            text = line.decode(encoding).strip()
        except UnicodeDecodeError:
            continue
        found.append(f"in {encoding} ({whose}) it reads {text[:_SHOWN]!r}")
    return "; ".join(found)
