"""The prompts of judged metrics: a file for each prompt and language, and how a sample's texts are put into one.

A file ``NAME.LANGUAGE.txt`` is the user's message; ``system.LANGUAGE.txt`` comes before each, and
``again.LANGUAGE.txt`` asks once more after a reply that cannot be used. ``{question}`` and other
names in braces are places for data. A paragraph with a place for which a sample has nothing is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Literal, TypeAlias

from ragauge.core.lazy import lazy_pattern
from ragauge.core.messages import Argument
from ragauge.errors import UsageError, did_you_mean, excerpt

Language: TypeAlias = Literal["en", "ja", "ko", "ru", "zh"]
Data: TypeAlias = Mapping[str, "str | int | Sequence[str]"]
"""Name of a place -> a text, a number, or a list of texts, which is numbered from 1."""
Messages: TypeAlias = tuple[tuple[str, str], ...]
"""Pairs (role, text)."""

LANGUAGES: tuple[Language, ...] = ("en", "ja", "ko", "ru", "zh")
PLACES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "accuracy": ("first", "second"),
        "again": ("problem", "schema"),
        "claims": ("text",),
        "entities": ("text",),
        "facts": ("count", "passages", "question"),
        "grade": ("passage", "question"),
        "groundedness": ("answer", "passages"),
        "nuggets": ("answer", "count", "nuggets"),
        "one-nuggets": ("nugget",),
        "one-relevant": ("sentence",),
        "one-support": ("claim", "passage"),
        "one-useful": ("passage",),
        "preference": ("first", "second"),
        "proposal": ("count", "sentences"),
        "questions": ("count", "text"),
        "relevance": ("passages", "question"),
        "relevant": ("count", "question", "sentences"),
        "rubric": ("answer", "criteria"),
        "support": ("claims", "count", "passages"),
        "system": ("key",),
        "useful": ("answers", "count", "passages"),
    }
)
"""Prompt -> the places that it must have."""

_OWN = Path(__file__).parent
# These are instructions of who evaluates, so they are not put between marks.
_OF_THE_USER = {"criteria"}
_KEY_LENGTH = 8
# The sentence of the system's message that asks for JSON, and a line that says what a rating means.
_OF_JSON = lazy_pattern(r"[^.。]*JSON[^.。]*[.。]")
_LEVEL = lazy_pattern(r"(\d+)\s*[:：]\s*(.+)")
# Letters above these shares decide the language; Japanese has Han characters too. As in `ragauge.support`.
_SCRIPTS: tuple[tuple[Language, re.Pattern[str], float], ...] = (
    ("ja", re.compile("[\u3040-\u30ff]"), 0.05),
    ("ko", re.compile("[\u1100-\u11ff\uac00-\ud7af]"), 0.2),
    ("zh", re.compile("[\u3400-\u4dbf\u4e00-\u9fff]"), 0.2),
    ("ru", re.compile("[\u0400-\u04ff]"), 0.2),
)
# Letters of Ukrainian, Belarusian and Serbian, which Russian does not have.
_NOT_RUSSIAN = lazy_pattern("[іїєґўјљњћђџІЇЄҐЎЈЉЊЋЂЏ]")
_LETTER = lazy_pattern(r"[^\W\d_]")
_PLACE = lazy_pattern(r"\{([a-z]+)\}")
# A word in braces was meant as a place; a number, as in a{4}, and JSON were not.
_LIKE_PLACE = lazy_pattern(r"\{\s*([^\W\d][\w-]*)\s*\}")


@dataclass(frozen=True)
class Prompts:
    r"""The prompts of the package, or in their place those of a folder.

    Args:
        folder: holds files ``NAME.LANGUAGE.txt``, or ``NAME.txt`` for all languages; what is not there is the
            package's own. None: no folder.

    Raises:
        UsageError: the folder has no file of a prompt, or a text file of another name; a file lacks a place that its
            prompt must have, or has an unknown one.

    >>> system, user = Prompts().messages("entities", "en", {"text": "Lin Wan came."})
    >>> print(user[1].partition("\n\n")[0])
    Text:
    <aaefddd0>Lin Wan came.</aaefddd0>
    """

    folder: str | None = None

    @cached_property
    def _files(self) -> Mapping[str, str]:
        """The texts of the folder by their names, ``support.en`` or ``support``."""
        if self.folder is None:
            return {}
        folder = Path(self.folder)
        try:
            paths = {path.name.removesuffix(".txt"): path for path in sorted(folder.glob("[!.]*.txt"))}
            _check_names(folder, paths)
            texts = {name: path.read_text(encoding="utf-8-sig") for name, path in paths.items()}
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(
                "RG-JUDGE-011 {prompts} cannot be read: {excerpt}", Argument("prompts", self.folder), excerpt(error)
            ) from None
        for name, text in texts.items():
            _check_places(folder, name, text)
        return texts

    def template(self, name: str, language: Language) -> str:
        """Return the text of prompt ``name`` in a language, with its places."""
        for key in (f"{name}.{language}", name):
            if key in self._files:
                return self._files[key].strip()
        return _own(name, language)

    def version(self, names: Iterable[str]) -> str:
        """Return eight hexadecimal digits of the hash of the prompts ``names`` in all languages."""
        texts = [
            self.template(name, language) for name in sorted({*names, "again", "system"}) for language in LANGUAGES
        ]
        return sha256("\0".join(texts).encode()).hexdigest()[:8]

    def messages(self, name: str, language: Language, data: Data) -> Messages:
        """Return the messages of prompt ``name``: each text of ``data`` between marks that it lacks."""
        texts = [text for value in data.values() if not isinstance(value, int) for text in _listed(value)]
        key = fence(texts)
        fenced = {place: str(value) if place in _OF_THE_USER else _written(value, key) for place, value in data.items()}
        system = _filled(self.template("system", language), {"key": key})
        return ("system", system), ("user", _filled(self.template(name, language), fenced))

    def stated(self, name: str, language: Language, data: Data, each: Sequence[Data]) -> Stated:
        """Return what a decision model is asked in the words of prompt ``name``.

        ``each``: the data of its questions, in words of ``one-NAME``, where the prompt asks for a list.
        """
        texts = [text for value in data.values() if not isinstance(value, int) for text in _listed(value)]
        key = fence([*texts, *(text for one in each for text in one.values() if isinstance(text, str))])
        fenced = {place: str(value) if place in _OF_THE_USER else _written(value, key) for place, value in data.items()}
        system = _OF_JSON.sub("", _filled(self.template("system", language), {"key": key})).strip()
        kept, levels, words = [system], dict[str, str](), list[str]()
        for paragraph, places in _paragraphs(self.template(name, language)):
            if all(place in data for place in places) and any(not isinstance(data[place], int) for place in places):
                kept.append(_filled(paragraph, fenced))
            elif '{"' not in paragraph and all(place in data for place in places):
                lines = _filled(paragraph, fenced).splitlines()
                numbered = [match for line in lines if (match := _LEVEL.fullmatch(line))]
                levels |= {match[1]: match[2] for match in numbered}
                words += [line for line in lines if not _LEVEL.fullmatch(line)]
        own = [
            _filled(
                self.template(f"one-{name}", language),
                {place: _written(value, key) if isinstance(value, int | str) else "" for place, value in one.items()},
            )
            for one in each
        ]
        return Stated("\n\n".join(kept), "\n".join(words), levels, own)


@dataclass(frozen=True)
class Stated:
    """What a decision model is asked: the text, what it is asked as a whole, levels by number, and single questions."""

    state: str
    instructions: str
    levels: Mapping[str, str]
    each: Sequence[str]


def fence(texts: Iterable[str]) -> str:
    """Return eight hexadecimal digits that occur in none of ``texts``: of their hash, hashed again where they do.

    >>> fence(["She sings."])
    '70dc07b5'
    """
    together = "\0".join(texts)
    digest = sha256(together.encode("utf-8", "surrogatepass")).hexdigest()
    while digest[:_KEY_LENGTH] in together.lower():
        digest = sha256(digest.encode()).hexdigest()
    return digest[:_KEY_LENGTH]


def language_of(text: str, named: str | None = None) -> Language:
    """Return the language of the prompts for a sample.

    Args:
        text: the sample's question and answer. Kana says Japanese, Hangul Korean, Han characters Chinese, Cyrillic
            Russian, unless there is a letter that Russian does not have; the rest is English.
        named: the sample's language as a BCP 47 tag, which decides where there is one.

    >>> language_of("谁开了这家茶馆？"), language_of("Who opened it?", "ko-KR"), language_of("ใครเปิดร้านนี้")
    ('zh', 'ko', 'en')
    """
    if named:
        primary = named.replace("_", "-").partition("-")[0].lower()
        return next((language for language in LANGUAGES if language == primary), "en")
    letters = len(_LETTER.findall(text))
    for language, pattern, share in _SCRIPTS:
        if len(pattern.findall(text)) > share * letters:
            return "en" if language == "ru" and _NOT_RUSSIAN.search(text) else language
    return "en"


def _check_names(folder: Path, names: Iterable[str]) -> None:
    """Raise UsageError unless ``names`` are names of prompts, and there is one."""
    allowed = f"NAME.txt or NAME.LANGUAGE.txt, NAME one of {', '.join(PLACES)}, LANGUAGE one of {', '.join(LANGUAGES)}"
    if not names:
        raise UsageError(
            "RG-JUDGE-007 {prompts} must be a folder with a prompt: {allowed}; found none there",
            Argument("prompts", str(folder)),
            allowed,
        )
    prompts = [name for one in PLACES for name in (one, *(f"{one}.{language}" for language in LANGUAGES))]
    for name in names:
        if name not in prompts:
            file, names_of_files = f"{name}.txt", [f"{prompt}.txt" for prompt in prompts]
            advice = did_you_mean(file, names_of_files, otherwise="") or "; rename it, or move it elsewhere"
            raise UsageError(
                "RG-JUDGE-009 a text file in a folder of prompts must be {allowed}; got {folder!r}{advice}",
                allowed,
                str(folder / file),
                advice,
            )


def _check_places(folder: Path, name: str, text: str) -> None:
    """Raise UsageError unless the text of a prompt has the places that it must have, and no unknown one."""
    prompt = name.partition(".")[0]
    absent = [place for place in PLACES[prompt] if f"{{{place}}}" not in text]
    known = sorted(set(_PLACE.findall(_own(prompt, "en"))))
    for match in _LIKE_PLACE.finditer(text):
        if match[1] not in known or match[0] != f"{{{match[1]}}}":
            allowed = ", ".join(f"{{{place}}}" for place in known)
            raise UsageError(
                "RG-JUDGE-010 the places of the prompt {folder}.txt must be among {allowed}; got {match}",
                folder / name,
                allowed,
                match[0],
            )
    if absent:
        lacks = " and ".join(f"{{{place}}}" for place in absent)
        raise UsageError(
            "RG-JUDGE-008 the prompt {folder}.txt must have {lacks}; write it where its data belong",
            folder / name,
            lacks,
        )


@cache
def _own(name: str, language: Language) -> str:
    return (_OWN / f"{name}.{language}.txt").read_text(encoding="utf-8").strip()


def _listed(value: str | Sequence[str]) -> Sequence[str]:
    return [value] if isinstance(value, str) else value


def _written(value: str | int | Sequence[str], key: str) -> str:
    """Return a text between its marks, a list of them with their numbers, or a number."""
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return f"<{key}>{value}</{key}>"
    return "\n".join([f"[{number}] <{key}>{text}</{key}>" for number, text in enumerate(value, 1)])


@cache
def _paragraphs(template: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the paragraphs of a template, each with its places."""
    return tuple((one, tuple(_PLACE.findall(one))) for one in template.split("\n\n"))


def _filled(template: str, values: Mapping[str, str]) -> str:
    """Return a template with its places filled, each once, without the paragraphs that have a place without a value."""
    kept = [one for one, places in _paragraphs(template) if all(place in values for place in places)]
    return _PLACE.sub(lambda place: values[place[1]], "\n\n".join(kept))
