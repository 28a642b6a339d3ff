"""``answer-language``: whether the answer is in the language that was asked for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import ClassVar, Literal

import numpy as np
import pyarrow as pa

from ragauge import languages
from ragauge.core.batch import Batch
from ragauge.core.protocol import Needs, Stage, columns_read, evidence
from ragauge.core.registry import register
from ragauge.core.statistics import Rows
from ragauge.grounding.support.units import likely_languages_of, may_be, recognised_languages
from ragauge.languages.simplified import written_in
from ragauge.metrics._sample_mean import SampleMean, rows_of
from ragauge.sentences import split

_SCRIPTS = {"hant": "hant", "tw": "hant", "hk": "hant", "mo": "hant", "hans": "hans", "cn": "hans", "sg": "hans"}
_SAME = {
    "nb": "no", "nn": "no", "fil": "tl", "iw": "he", "in": "id", "mo": "ro", "yue": "zh", "sr": "sr hr", "bs": "hr sr",
    "sh": "hr sr",
}  # fmt: skip
"""Code -> those of the same language, or of what is written alike, as Serbian in Latin letters is."""
_OF_A_COUNTRY: Mapping[str, str] = {
    "br": "pt", "cn": "zh", "cz": "cs", "dk": "da", "gb": "en", "gr": "el", "jp": "ja", "kr": "ko", "se": "sv",
    "ua": "uk", "us": "en", "vn": "vi",
}  # fmt: skip
"""The code of a country -> that of its language, for which it is written by mistake."""
_ALIKE = 0.8
"""How alike a name must be to be proposed, a ratio of difflib: below it "other" is alike "khmer"."""
_NO_KANA = 12
"""From so many characters on, a text of Han alone is no Japanese: one is hardly written without kana."""
_IN_BRACKETS = re.compile(r"\s*[(（].*")
_SEPARATORS = re.compile(r"[-_.@]")
_NOT_RUSSIAN = re.compile("[\u0400\u0402-\u040f\u0450\u0452-\u052f]")
"""Cyrillic letters of other alphabets, such as Ukrainian, Serbian and Kazakh."""
_MOST_FOREIGN = 0.03
"""The highest share of these letters in a Russian text, which may name somebody; chosen by hand."""
Wanted = tuple[frozenset[str], str]
"""The languages of which an answer may be in any, none where these are not known, and the script."""


@register("answer-language")
@dataclass(frozen=True, kw_only=True)
class AnswerLanguage(SampleMean):
    """Answer language: the share of the answer that is in the language asked for, by its sentences.

    Formula:
        score = characters of sentences in the wanted language / characters of sentences whose language is told

    The wanted language is that of the column ``language``, a tag such as ``zh`` or ``en-US`` or a name such as
    ``English`` or ``中文``, or else that of the question. It is told by scripts and by function words, for the eleven
    languages that groundedness reads, 44 others (Italian, Portuguese, Dutch, Polish, Turkish, Ukrainian ...) and 18
    with a script of their own (Greek, Hebrew, Bengali, Tamil ...); another is recognised as not being these where its
    script says so. Where as many words speak for several of the others, as in short texts of close relatives such as
    Danish and Norwegian, each of these is right. Where Japanese is wanted, fewer than 12 Han characters tell nothing.
    Chinese that is wanted in traditional or simplified characters (``zh-Hant``, ``zh-TW``, ``zh-Hans``, ``zh-CN``, or
    as the question) has to be in these.

    Unit and range: a share of characters, 0 to 1. An empty answer scores 0. ``undefined``: the wanted language is none
    of these, or nothing tells the language of the question or of the answer, as of a name or a number.

    >>> import pyarrow as pa
    >>> data = {"question": ["Когда он открыт?", "Wie hoch ist er?"], "answer": ["С девяти часов.", "It is 20 m high."]}
    >>> metric = AnswerLanguage()
    >>> metric.score(metric.measure(Batch(pa.table(data)))).tolist()
    [1.0, 0.0]

    Not for: answers of a word or two, which few words tell apart (of 20 characters 87 % are told right and 2 % wrong,
    of 50 97 % and 1 %, as the guide on trust says); nor for what is quoted in another language on purpose, which lowers
    it.

    Source: the language consistency of BERGEN (Rau et al. 2024), here by sentences and without a model.
    """

    average: Literal["samples"] = "samples"

    needs: ClassVar[Needs] = (("answer", "language"), ("question", "answer"))
    stage: ClassVar[Stage] = "end-to-end"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    revision: ClassVar[int] = 6

    def measure(self, batch: Batch) -> Rows:
        """Return the share of each answer that is in the wanted language."""
        wanted, answers = self._wanted(batch), batch.strings("answer")
        values, undefined = np.zeros(len(batch)), np.zeros(len(batch), dtype=bool)
        for row, known in enumerate(_known(batch, wanted)):
            undefined[row] = not wanted[row][0] or (bool(answers[row].strip()) and not known)
            right = [len(text) for likely, text in known if _is_right(likely, text, wanted[row])]
            values[row] = sum(right) / max(sum(len(text) for _, text in known), 1)
        return rows_of(np.where(undefined, 0.0, values), undefined, {})

    def explain(self, batch: Batch) -> pa.Table:
        """Return one row per sentence whose language is told: ``best`` has its code, or those it may be of."""
        wanted = self._wanted(batch)
        found = [(row, *one) for row, known in enumerate(_known(batch, wanted)) for one in known]
        right = [_is_right(likely, text, wanted[row]) if wanted[row][0] else None for row, likely, text in found]
        return evidence(
            batch,
            np.array([row for row, _, _ in found], dtype=np.int64),
            what="answer sentence",
            texts=[text for _, _, text in found],
            best=[" ".join(likely) for _, likely, _ in found],
            supported=right,
        )

    def _wanted(self, batch: Batch) -> list[Wanted]:
        if "language" in columns_read(self, batch.names):
            return [_wanted_by(name) for name in batch.strings("language")]
        return _asked(batch.strings("question"))

    @staticmethod
    def untold(names: Iterable[str]) -> dict[str, str]:
        """Return those of ``names`` that are no language which is told, each with the most alike that is; "" for none.

        >>> AnswerLanguage.untold(["English", "Englsh", "kr", "klingon"])
        {'Englsh': 'english', 'kr': 'ko', 'klingon': ''}
        """
        from difflib import get_close_matches

        unread = [name for name in names if not _wanted_by(name)[0]]
        return {
            name: _OF_A_COUNTRY.get(_bare(name)) or next(iter(get_close_matches(_bare(name), _named(), 1, _ALIKE)), "")
            for name in unread
        }


def _known(batch: Batch, wanted: Sequence[Wanted]) -> Iterator[list[tuple[tuple[str, ...], str]]]:
    """Yield the sentences of each answer whose language is told, with its codes; else the answer, if it tells one."""
    answers = batch.strings("answer")
    starts, ends = split(batch.texts("answer"))
    places = zip(starts.rows.tolist(), starts.values.tolist(), ends.values.tolist(), strict=True)
    sentences = [answers[row][first:last] for row, first, last in places]
    told, whole = _told(sentences), _told(answers)
    for row, (first, last) in enumerate(pairwise(starts.offsets.tolist())):
        several = zip(told[first:last], sentences[first:last], strict=True)
        for some in (several, [(whole[row], answers[row])]):
            known = [(one, text) for one, text in some if one and not _may_be_japanese(one, text, wanted[row])]
            if known:
                break
        yield known


def _is_right(likely: tuple[str, ...], text: str, wanted: Wanted) -> bool:
    languages, script = wanted
    return not languages.isdisjoint(likely) and (not script or written_in(text) in ("", script))


def _may_be_japanese(likely: tuple[str, ...], text: str, wanted: Wanted) -> bool:
    """Return whether a text that is told to be Chinese may as well be the Japanese that is wanted."""
    return "ja" in wanted[0] and likely == ("zh",) and len(text) < _NO_KANA and written_in(text) != "hans"


@cache
def _wanted_by(name: str) -> Wanted:
    """Return the language and the script of a name or tag, empty where it is not one that is told."""
    bare = _bare(name)
    tag = _named().get(bare) or _named().get(_IN_BRACKETS.sub("", bare), bare)
    language, *rest = _SEPARATORS.split(tag.lower())
    told = frozenset(_SAME.get(language, language).split()) & frozenset(recognised_languages())
    return told, next((_SCRIPTS[part] for part in rest if part in _SCRIPTS), "")


def _bare(name: str) -> str:
    """Return a name in lower case, without the Thai word for language."""
    return " ".join(name.casefold().split()).removeprefix("ภาษา")


@cache
def _named() -> dict[str, str]:
    """Return the tags of languages by their names."""
    return {name: tag for tag, names in languages.table("named").items() for name in names}


def _told(texts: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the likely languages of each text; where Cyrillic letters are not Russian, those that have them."""
    found = zip(likely_languages_of(texts), texts, strict=True)
    return [_with_letters(text) if likely == ("ru",) and _is_not_russian(text) else likely for likely, text in found]


def _is_not_russian(text: str) -> bool:
    return len(_NOT_RUSSIAN.findall(text)) > _MOST_FOREIGN * len(text)


def _with_letters(text: str) -> tuple[str, ...]:
    """Return the languages that have all letters of a Cyrillic text which Russian lacks; ``other`` where none has.

    >>> _with_letters("Потяг відправляється о дев'ятій."), _with_letters("Ӕрмӕст")
    (('uk',), ('other',))
    """
    found = set(_NOT_RUSSIAN.findall(text.lower()))
    having = (name for name, own in languages.table("others")["others"].items() if found <= set(own.get("letters", "")))
    return tuple(name for name in having if may_be(name, text)) or ("other",)


def _asked(questions: list[str]) -> list[Wanted]:
    return [
        (frozenset(likely) - {"other"}, written_in(question) if likely == ("zh",) else "")
        for likely, question in zip(_told(questions), questions, strict=True)
    ]
