"""Normalisation of tokens (case, punctuation, stem), once per distinct token and not once per token."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Annotated, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from ragauge.core.ingredients import Vocabulary
from ragauge.core.lazy import lazy_pattern
from ragauge.core.loading import release, require
from ragauge.core.messages import Message
from ragauge.errors import OptionError
from ragauge.languages.folding import normalize

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


def _is_punctuation(char: str) -> bool:
    category = unicodedata.category(char)
    return char in _RULES or ((category[0] in "PZ" or category in _SILENT) and char not in _KEPT)
