"""The form in which texts are compared."""

from __future__ import annotations

import unicodedata


def normalised(text: str) -> str:
    r"""Apply NFKC, fold case, and collapse white space to single spaces, with none at the ends.

    NFKC makes one of full-width and half-width, of ligatures and their letters, of composed and decomposed letters.
    It is applied again after case folding, which can undo it. Nothing is dropped: neither punctuation nor diacritics.

    >>> normalised("ＲＡＧ：  Straße\n")
    'rag: strasse'
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(text.lower().split() if text.isascii() else text.split())
