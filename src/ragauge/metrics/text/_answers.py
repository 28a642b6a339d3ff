"""Short answers with case, punctuation, articles and white space normalised, as SQuAD does."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import filterfalse
from types import MappingProxyType
from typing import Literal, TypeAlias

import numpy as np
import pyarrow as pa
import regex

from ragauge.core.arrow import to_arrow
from ragauge.core.batch import Batch
from ragauge.core.ingredients import Tokenizer
from ragauge.core.lazy import lazy_pattern
from ragauge.core.texts import as_texts, encoded, recoded
from ragauge.metrics.text._references import ComparedReferences, by_kernel
from ragauge.tokenizers.forms import CASES, Case, CodeArray, Forms, composed

Deleted: TypeAlias = Literal["unicode", "ascii", "none"]
Whitespace: TypeAlias = Literal["single", "keep"]

# SQuAD's evaluate-v1.1.py deletes string.punctuation, which holds ASCII symbols too. Beyond ASCII: category P and
# modifier symbols.
_ASCII = lazy_pattern(f"[{re.escape(string.punctuation)}]")
_UNICODE = regex.compile(rf"[{re.escape(string.punctuation)}\p{{P}}\p{{Sk}}]", regex.V1)
_DELETE: Mapping[Deleted, Callable[[str], str]] = MappingProxyType(
    {"unicode": lambda text: _UNICODE.sub("", text), "ascii": lambda text: _ASCII.sub("", text), "none": str}
)
ARTICLES = frozenset({"a", "an", "the"})
_ARTICLES = frozenset(word.encode() for word in ARTICLES)
_MARKS = string.punctuation.encode()
_ARTICLE = lazy_pattern(rf"\b({'|'.join(sorted(ARTICLES))})\b")


@dataclass(frozen=True, slots=True)
class Normalised:
    """A normalisation of answers before they are compared.

    Args:
        case: ``fold``, ``lower`` or ``keep``.
        punctuation: which marks are deleted: all of ``unicode``, those of ``ascii``, or ``none``.
        articles: delete the English words a, an, the.
        nfkc: take full-width and other compatibility forms for the plain ones, and leave out invisible characters,
            such as soft hyphens and marks of direction.
        whitespace: leave ``single`` spaces between words, or ``keep`` all white space.

    >>> Normalised().text("The  U.S.  “Senate”!")
    'us senate'
    """

    case: Case = "fold"
    punctuation: Deleted = "unicode"
    articles: bool = True
    nfkc: bool = True
    whitespace: Whitespace = "single"

    def text(self, text: str) -> str:
        """Return one text normalised."""
        case = CASES[self.case]
        if text.isascii() and self.punctuation != "none" and self.whitespace == "single":
            # Words without marks that can be printed are letters and digits, among which articles stand apart.
            # As bytes they take a third of the time.
            words = case(text).encode().translate(None, _MARKS).split()
            if (joined := b" ".join(words).decode()).isprintable():
                return b" ".join(filterfalse(_ARTICLES.__contains__, words)).decode() if self.articles else joined
        text = _DELETE[self.punctuation](composed(text, case) if self.nfkc else case(text))
        if self.articles:
            text = _ARTICLE.sub(" ", text)
        return text if self.whitespace == "keep" else " ".join(text.split())

    def column(self, batch: Batch, name: str) -> pa.Array:
        """Return the texts of column ``name`` normalised, each distinct one once."""

        def make() -> pa.Array:
            texts = as_texts(batch.flat(name)) if self.whitespace == "keep" else batch.texts(name)
            distinct = texts.dictionary_encode()
            normalised = to_arrow(map(self.text, distinct.dictionary.to_pylist()), pa.large_string())
            return normalised.take(distinct.indices)

        return batch.derived(("normalised", name, self), make)


Punctuation: TypeAlias = Literal["drop", "unicode", "ascii"]

_COLUMNS = ("answer", "references")


def compared_answers(
    batch: Batch, tokenizer: Tokenizer, punctuation: Punctuation, case: Case, *, articles: bool, nfkc: bool
) -> ComparedReferences:
    """Return the tokens of answers and references: tokenised and then filtered, or normalised and then tokenised."""
    if punctuation == "drop":
        forms = Forms(case=case, punctuation="drop", nfkc=nfkc)
        if (texts := by_kernel(batch, tokenizer, forms, articles=articles)) is not None:
            return texts
        parts = [batch.tokens(name, tokenizer) for name in _COLUMNS]
        table = _without_articles(batch, tokenizer, forms) if articles else batch.form_codes(tokenizer, forms)
        answers, references = [recoded(part, table) for part in parts]
    else:
        normalised = Normalised(case=case, punctuation=punctuation, articles=articles, nfkc=nfkc)
        columns = [normalised.column(batch, name) for name in _COLUMNS]
        answers, references = encoded(columns, tokenizer, batch.vocabulary(tokenizer))
    return ComparedReferences(answers, references, batch.owners("references"))


def _without_articles(batch: Batch, tokenizer: Tokenizer, forms: Forms) -> CodeArray:
    """Return the table of ``forms``, with articles dropped too."""
    words = batch.vocabulary(tokenizer).words

    def make() -> CodeArray:
        is_article = np.fromiter((word.lower() in ARTICLES for word in words), dtype=bool, count=len(words))
        return np.where(is_article, np.int32(-1), batch.form_codes(tokenizer, forms))

    return batch.derived(("without articles", tokenizer.signature, forms, len(words)), make)
