"""Synonyms from the files of a WordNet database: a small reader of ``index.*``, ``data.*`` and ``*.exc``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from ragauge.errors import OptionError

# The detachment rules of WordNet's morphy(7WN): ending:replacement.
_RULES = {
    "noun": "s: ses:s ves:f xes:x zes:z ches:ch shes:sh men:man ies:y",
    "verb": "s: ies:y es:e es: ed:e ed: ing:e ing:",
    "adj": "er: est: er:e est:e",
    "adv": "",
}
_ENDINGS = {part: [rule.split(":") for rule in rules.split()] for part, rules in _RULES.items()}


@dataclass(frozen=True)
class WordNet:
    """A folder with ``index.noun``, ``data.noun`` and so on, in the format of wndb(5WN); ``noun.exc`` if it exists.

    Words are looked up as written and, by part of speech, in the base forms that WordNet's morphy finds.
    """

    folder: Path
    _known: dict[str, frozenset[str]] = field(default_factory=dict, compare=False, repr=False)

    def synonyms(self, word: str) -> frozenset[str]:
        """Return the single words that share a meaning with ``word``, itself included if WordNet has it."""
        if word not in self._known:
            self._known[word] = frozenset(self._synonyms(word.lower()))
        return self._known[word]

    @cached_property
    def hash(self) -> str:
        """Twelve digits of the SHA-256 of all files that are read."""
        digest = sha256()
        for part in _ENDINGS:
            for path in self._paths(part):
                digest.update(path.read_bytes() if path.exists() else b"")
        return digest.hexdigest()[:12]

    def _synonyms(self, word: str) -> Iterator[str]:
        for part in _ENDINGS:
            for form in self._base_forms(word, part):
                for offset in self._index[part].get(form, ()):
                    yield from self._words(part, offset)

    def _base_forms(self, word: str, part: str) -> list[str]:
        """Return those of ``word`` and its base forms that the index has."""
        forms = [word, *self._exceptions[part].get(word, [])]
        if word not in self._exceptions[part]:
            shortened = [word]
            while shortened and not any(form in self._index[part] for form in forms):
                shortened = [
                    form[: len(form) - len(ending)] + other
                    for form in shortened
                    for ending, other in _ENDINGS[part]
                    if form.endswith(ending)
                ]
                forms += shortened
        return [form for form in dict.fromkeys(forms) if form in self._index[part]]

    def _words(self, part: str, offset: int) -> Iterator[str]:
        """Read the words of one synset; those of several parts are left out."""
        line = self._data[part][offset : self._data[part].index(b"\n", offset)].decode()
        fields = line.split(" ")
        for word in fields[4 : 4 + 2 * int(fields[3], 16) : 2]:
            plain = word.partition("(")[0]
            if "_" not in plain:
                yield plain

    def _paths(self, part: str) -> tuple[Path, Path, Path]:
        return self.folder / f"index.{part}", self.folder / f"data.{part}", self.folder / f"{part}.exc"

    @cached_property
    def _index(self) -> dict[str, dict[str, list[int]]]:
        return {part: dict(_index_lines(_read(self._paths(part)[0]))) for part in _ENDINGS}

    @cached_property
    def _data(self) -> dict[str, bytes]:
        return {part: _read(self._paths(part)[1]) for part in _ENDINGS}

    @cached_property
    def _exceptions(self) -> dict[str, dict[str, list[str]]]:
        tables = {}
        for part in _ENDINGS:
            path = self._paths(part)[2]
            lines = path.read_text().splitlines() if path.exists() else []
            tables[part] = {words[0]: words[1:] for words in map(str.split, lines) if words}
        return tables


def _index_lines(content: bytes) -> Iterator[tuple[str, list[int]]]:
    for line in content.decode().splitlines():
        if not line.startswith(" "):
            lemma, _, count, *rest = line.split()
            yield lemma, [int(offset) for offset in rest[-int(count) :]]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        allowed = "the folder of a WordNet database (index.noun, data.noun, ...) or none"
        raise OptionError.value("meteor", "wordnet", allowed, str(path.parent)) from error
