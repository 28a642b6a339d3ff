"""Words before a full stop that does not end a sentence, by language."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Abbreviations:
    """Lower-case words, without their last full stop."""

    never: frozenset[str]
    """Something always follows: titles, ``vgl.``, ``см.``."""
    before_number: frozenset[str]
    """No sentence ends here if a number follows: ``No. 5``; else they are words like others."""
    maybe: frozenset[str]
    """A sentence ends here if the next word is one that often begins sentences: ``etc. The``."""
    starters: frozenset[str]
    """Words that often begin sentences and are no part of names."""
    closing: frozenset[str]
    """What ends an enumeration, without spaces: a sentence ends here if a word with a capital follows: ``и т. д.``"""


@cache
def abbreviations(language: str | None) -> Abbreviations:
    """Return the lists of ``language``; those of all languages where it is None or not known.

    >>> "mr" in abbreviations("en").never, "vgl" in abbreviations("en").never, "vgl" in abbreviations(None).never
    (True, False, True)
    """
    tables = tomllib.loads(Path(__file__).with_name("abbreviations.toml").read_text("utf-8"))
    own = tables.get((language or "").lower().split("-")[0])
    chosen = [own] if own is not None else list(tables.values())
    return Abbreviations(*(_words(chosen, kind.name) for kind in fields(Abbreviations)))


def _words(tables: list[dict[str, str]], kind: str) -> frozenset[str]:
    return frozenset(word for table in tables for word in table.get(kind, "").split())
