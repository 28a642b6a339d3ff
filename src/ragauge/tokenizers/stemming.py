"""Stemmers by name: one word in, its stem out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError

from ragauge.errors import OptionError
from ragauge.extras import release, require

Stem = Callable[[str], str]

# rouge-score 0.1.2 (tokenize.py) stems words of more than three characters.
_LONGEST_UNSTEMMED = 3
_SNOWBALL = "snowball-"


def stemmer_of(name: str) -> Stem:
    """Return the stemmer ``none``, ``porter`` or ``snowball-<language>``.

    Raises:
        OptionError: there is no such stemmer.
        MissingExtraError: its library is not installed.

    >>> stemmer_of("none")("jumping")
    'jumping'
    """
    if name == "none":
        return str
    if name == "porter":
        return _porter_of_long_words()
    if name.startswith(_SNOWBALL):
        return _snowball(name.removeprefix(_SNOWBALL))
    raise OptionError.value("a tokenizer's forms", "stemmer", "none, porter or snowball-<language>", name)


def versions_of(name: str) -> Mapping[str, str]:
    """Return the library of the stemmer ``name``, and its version.

    >>> versions_of("none"), list(versions_of("snowball-russian"))
    ({}, ['snowballstemmer'])
    """
    if name == "none":
        return {}
    library = "nltk" if name == "porter" else "snowballstemmer"
    try:
        return {library: release(library)}
    except PackageNotFoundError:
        return {library: "none"}


def porter() -> Stem:
    """Return the Porter stemmer of nltk with its extensions, for words of any length.

    Raises:
        MissingExtraError: nltk is not installed.
    """
    require("stemmer=porter", "stem", "nltk")
    from nltk.stem.porter import PorterStemmer

    stem: Stem = PorterStemmer().stem
    return stem


def _porter_of_long_words() -> Stem:
    """Return `porter`, used on the words that rouge-score stems."""
    stem = porter()
    return lambda word: stem(word) if len(word) > _LONGEST_UNSTEMMED else word


def _snowball(language: str) -> Stem:
    require(f"stemmer={_SNOWBALL}{language}", "stem", "snowballstemmer")
    import snowballstemmer

    known = sorted(snowballstemmer.algorithms())
    if language not in known:
        allowed = "one of " + ", ".join(_SNOWBALL + name for name in known)
        raise OptionError.value("a tokenizer's forms", "stemmer", allowed, _SNOWBALL + language)
    stem: Stem = snowballstemmer.stemmer(language).stemWord
    return stem
