"""rouge-score's tokenizers: the default one, and the base of one's own."""

from __future__ import annotations

from abc import ABC, abstractmethod

from ragauge.core.registry import make_ingredient
from ragauge.tokenizers.forms import stemmer_of


class RougeTokenizer(ABC):
    """The base of one's own tokenizer for `RougeScorer`."""

    @abstractmethod
    def tokenize(self, text: str) -> list[str]:
        """Return the tokens of ``text``."""


Tokenizer = RougeTokenizer
"""The name that it has in rouge-score."""


class DefaultTokenizer(RougeTokenizer):
    """Lower-case ASCII letters and digits; every other character separates.

    Args:
        use_stemmer: stem words of more than three letters by Porter's rules for English.

    Raises:
        MissingExtraError: ``use_stemmer`` without nltk.

    >>> DefaultTokenizer().tokenize("Don't stop")
    ['don', 't', 'stop']
    """

    def __init__(self, use_stemmer: bool = False) -> None:
        self._stem = stemmer_of("porter" if use_stemmer else "none")
        self._tokenizer = make_ingredient("tokenizer", "rouge-score")

    def tokenize(self, text: str) -> list[str]:
        """Return the tokens of ``text``, stemmed if asked for."""
        return [self._stem(token) for token in self._tokenizer.tokens(text)]
