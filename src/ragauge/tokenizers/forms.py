"""Normalisation of tokens (case, punctuation, stem), once per distinct token and not once per token."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from sys import maxunicode
from threading import Lock
from typing import Annotated, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from ragauge.core.ingredients import Vocabulary
from ragauge.core.lazy import lazy_pattern
from ragauge.core.loading import release, require
from ragauge.core.messages import Message
from ragauge.core.ragged import IntArray, offsets_of
from ragauge.errors import OptionError
from ragauge.languages.folding import is_mark, normalize

Stem = Callable[[str], str]

# rouge-score 0.1.2 (tokenize.py) stems words of more than three characters.
_LONGEST_UNSTEMMED = 3
_SNOWBALL = "snowball-"
_NAMES = "none, porter or snowball-<language>"


def stemmer_of(name: str) -> Stem:
    """Return the stemmer ``none``, ``porter`` (of words that rouge-score stems) or ``snowball-<language>``.

    Another name raises OptionError; a library that is not installed, MissingExtraError.

    >>> stemmer_of("none")("jumping")
    'jumping'
    """
    if name == "none":
        return str
    if name == "porter":
        stem = porter()
        return lambda word: stem(word) if len(word) > _LONGEST_UNSTEMMED else word
    if name.startswith(_SNOWBALL):
        return _snowball(name.removeprefix(_SNOWBALL))
    raise OptionError.value("a tokenizer's forms", "stemmer", _NAMES, name)


class _StemmerNames:
    """The names that `stemmer_of` takes; the languages of Snowball are known where its library is installed."""

    def __contains__(self, name: str) -> bool:
        if not name.startswith(_SNOWBALL) or find_spec("snowballstemmer") is None:
            return name in ("none", "porter") or name.startswith(_SNOWBALL)
        import snowballstemmer

        return name.removeprefix(_SNOWBALL) in snowballstemmer.algorithms()

    def __str__(self) -> str:
        return _NAMES


Stemmer: TypeAlias = Annotated[str, _StemmerNames()]


def versions_of(name: str) -> Mapping[str, str]:
    """Return the library of the stemmer ``name`` with its version; an empty mapping for ``none``.

    >>> versions_of("none"), list(versions_of("snowball-russian"))
    ({}, ['snowballstemmer'])
    """
    if name == "none":
        return {}
    from importlib.metadata import PackageNotFoundError

    library = "nltk" if name == "porter" else "snowballstemmer"
    try:
        return {library: release(library)}
    except PackageNotFoundError:
        return {library: "none"}


def porter() -> Stem:
    """Return the Porter stemmer of nltk with its extensions, for words of any length."""
    require("stemmer=porter", "stem", "nltk")
    from nltk.stem.porter import PorterStemmer

    stem: Stem = PorterStemmer().stem
    return stem


def _snowball(language: str) -> Stem:
    require(f"stemmer={_SNOWBALL}{language}", "stem", "snowballstemmer")
    import snowballstemmer

    known = sorted(snowballstemmer.algorithms())
    if language not in known:
        allowed = Message("one of {names}", ", ".join([_SNOWBALL + name for name in known]))
        raise OptionError.value("a tokenizer's forms", "stemmer", allowed, _SNOWBALL + language)
    stem: Stem = snowballstemmer.stemmer(language).stemWord
    return stem


CodeArray = npt.NDArray[np.int32]

# Of category P, but they change the number before them.
_KEPT = frozenset("%‰‱٪％﹪")
# Unicode's Default_Ignorable_Code_Point, which NFKC_Casefold deletes: soft hyphens, joiners, variation selectors.
_IGNORABLE = lazy_pattern(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
# Of category Sm, but in generated text they draw tables.
_RULES = frozenset("|｜")
# Modifier symbols, control and format characters. Private use and code points that Python's Unicode does not know yet
# are kept, because they may be letters, such as newer characters of Han.
_SILENT = frozenset({"Sk", "Cc", "Cf"})
Case: TypeAlias = Literal["fold", "lower", "keep"]
CASES: Mapping[Case, Callable[[str], str]] = {"fold": str.casefold, "lower": str.lower, "keep": str}


@dataclass(frozen=True, slots=True)
class Forms:
    """The form under which a token is counted.

    Applied in this order: NFKC, case, punctuation, stem. Metrics of different forms share one segmentation. A token of
    which nothing is left is dropped.

    Args:
        case: ``fold`` is Unicode's full case folding (``ß`` becomes ``ss``), ``lower`` is `str.lower`.
        punctuation: ``drop`` deletes tokens that consist of punctuation, modifier symbols, white space and control
            characters only; percent signs, currency, mathematical signs and emoji stay.
        stemmer: ``none``; ``porter`` for English words of more than three letters, as rouge-score does it; or
            ``snowball-<language>``.
        nfkc: Unicode's compatibility form: full-width letters and digits, ligatures and the like become plain ones,
            and invisible characters, such as soft hyphens, are deleted. With ``case=fold`` this is NFKC_Casefold.

    >>> Forms(punctuation="drop").of(["Straße", "ＧＰＴ", "。", "%"])
    ['strasse', 'gpt', None, '%']
    """

    case: Case = "fold"
    punctuation: Literal["keep", "drop"] = "keep"
    stemmer: str = "none"
    nfkc: bool = True

    def of(self, words: Sequence[str]) -> list[str | None]:
        """Return the form of each word; None where it is dropped. Errors are those of `stemmer_of`."""
        case = CASES[self.case]
        forms = [composed(word, case) if self.nfkc else case(word) for word in words]
        if self.punctuation == "keep":
            kept = [form != "" for form in forms]
        else:
            kept = [form.isalnum() or not all(map(_is_punctuation, form)) for form in forms]
        stem = stemmer_of(self.stemmer)
        return [stem(form) if keep else None for form, keep in zip(forms, kept, strict=True)]

    def apply(self, vocabulary: Vocabulary) -> CodeArray:
        """Return for each surface code of ``vocabulary`` the code of its form, -1 where it is dropped.

        Form codes count from 0 in order of first appearance: those of a vocabulary that has grown begin with those of
        the vocabulary before.

        >>> vocabulary = Vocabulary()
        >>> _ = vocabulary.codes(["The", "the", ".", "cat"])
        >>> Forms(punctuation="drop").apply(vocabulary)
        array([ 0,  0, -1,  1], dtype=int32)
        """
        forms = self.of(vocabulary.words)
        kept = np.array([form is not None for form in forms], dtype=bool)
        table = np.full(len(forms), -1, dtype=np.int32)
        table[kept] = Vocabulary().codes([form for form in forms if form is not None])
        return table


def composed(text: str, case: Callable[[str], str]) -> str:
    r"""Return ``text`` under ``case`` in Unicode's compatibility form, without invisible characters.

    NFKC comes before and after ``case``, because folding can undo a composition of NFKC.

    >>> composed("co\u00adoperate ＧＰＴ", str.casefold)
    'cooperate gpt'
    """
    if text.isascii():
        return case(text)
    return normalize("NFKC", _IGNORABLE.sub("", case(normalize("NFKC", text))))


# How the kernel reads `KnownForms`: its lower bits are the code point of the form.
_BIT_SILENT, _BIT_KNOWN, _BIT_OTHER = (1 << bit for bit in (21, 22, 23))
_DROPPED = b"\xff"
_MOST_WORDS = 1 << 16


class KnownForms:
    """The forms of words for the kernel, found as they are asked for.

    A code point is known where its form is one code point whatever stands beside it; a word of such code points is
    written one by one. All other words are kept with their forms.
    """

    def __init__(self, forms: Forms) -> None:
        self._forms = forms
        self._words: dict[str, bytes] = {}
        self._lock = Lock()
        # Past the end of the table the kernel takes its last entry. All words are kept where they are stemmed.
        stems = forms.stemmer != "none"
        self._points = np.full(1, _BIT_OTHER, dtype=np.uint32) if stems else np.zeros(maxunicode + 1, dtype=np.uint32)
        if not stems:
            self._points[:0x80] = [self._point(chr(code)) for code in range(0x80)]
        self._joined = self._join()

    def __len__(self) -> int:
        return len(self._words)

    @property
    def points(self) -> npt.NDArray[np.uint32]:
        """The forms of code points, 0 where one is not known."""
        return self._points

    def known(self) -> tuple[npt.NDArray[np.uint32], bytes, IntArray, bytes, IntArray]:
        """Return `points`, and words with their forms: letters and offsets of each."""
        return (self._points, *self._joined)

    def learn(self, words: Sequence[str]) -> bool:
        """Find the forms of words; return whether any of them was not known."""
        found, points = self.learn_points("".join(words)), self._points
        with self._lock:
            if len(points) > 1:
                words = [word for word in words if any(points[ord(char)] == _BIT_OTHER for char in word)]
            new = [word for word in words if word not in self._words]
            forms = [_DROPPED if form is None else form.encode() for form in self._forms.of(new)]
            self._words.update(zip(new, forms, strict=True))
            self._joined = self._join()
        return bool(found or new)

    def learn_points(self, text: str) -> bool:
        """Find the forms of the characters of a text; return whether any of them was not known."""
        points = self._points
        found = [] if len(points) == 1 else [char for char in {*text} if not points[ord(char)]]
        for char in found:
            points[ord(char)] = self._point(char)
        return bool(found)

    def _join(self) -> tuple[bytes, IntArray, bytes, IntArray]:
        words, forms = [word.encode() for word in self._words], self._words.values()
        return (b"".join(words), offsets_of([*map(len, words)]), b"".join(forms), offsets_of([*map(len, forms)]))

    def _point(self, char: str) -> int:
        """Return the form of a character as the kernel reads it."""
        forms, case = self._forms, CASES[self._forms.case]
        plain = normalize("NFKC", char) if forms.nfkc else char
        form = composed(char, case) if forms.nfkc else case(char)
        if case(plain) != form or any(len(stage) != 1 or (forms.nfkc and is_mark(stage)) for stage in (plain, form)):
            return _BIT_OTHER
        if plain == "Σ" and forms.case == "lower":  # it depends on where it stands
            return _BIT_OTHER
        return ord(form) | _BIT_KNOWN | (_BIT_SILENT if forms.punctuation == "drop" and _is_punctuation(form) else 0)


_known: dict[Forms, KnownForms] = {}


def known_forms(forms: Forms) -> KnownForms:
    """Return what this process knows of ``forms``; where it knows very many words, it begins anew."""
    found = _known.get(forms)
    if found is None or len(found) > _MOST_WORDS:
        found = _known[forms] = KnownForms(forms)
    return found


def _is_punctuation(char: str) -> bool:
    category = unicodedata.category(char)
    return char in _RULES or ((category[0] in "PZ" or category in _SILENT) and char not in _KEPT)
