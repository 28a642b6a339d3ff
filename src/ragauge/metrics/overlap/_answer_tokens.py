"""The tokens of short answers that count: no punctuation, no articles."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from ragauge.batch import Batch
from ragauge.ingredients import Tokenizer
from ragauge.metrics.overlap._answers import ARTICLES, Evened
from ragauge.metrics.overlap._characters import Case
from ragauge.metrics.overlap._tokens import (
    Compared,
    encoded_texts,
    forms_table,
    owners,
    surfaces,
    vocabulary_of,
)
from ragauge.tokenizers.forms import CodeArray, Forms, recoded

Punctuation: TypeAlias = Literal["drop", "unicode", "ascii"]

_COLUMNS = ("answer", "references")


def compared_answers(
    batch: Batch, tokenizer: Tokenizer, punctuation: Punctuation, case: Case, *, articles: bool, nfkc: bool
) -> Compared:
    """Return the tokens of answers and references: cut and then thinned out, or evened out and then cut."""
    owner = owners(batch, "references")
    if punctuation == "drop":
        forms = Forms(case=case, punctuation="drop", nfkc=nfkc)
        parts = [surfaces(batch, name, tokenizer) for name in _COLUMNS]
        table = _without_articles(batch, tokenizer, forms) if articles else forms_table(batch, tokenizer, forms)
        answers, references = (recoded(part, table) for part in parts)
        return Compared(answers, references, owner)
    evened = Evened(case=case, punctuation=punctuation, articles=articles, nfkc=nfkc)
    columns = [evened.column(batch, name) for name in _COLUMNS]
    answers, references = encoded_texts(columns, tokenizer, vocabulary_of(batch, tokenizer))
    return Compared(answers, references, owner)


def _without_articles(batch: Batch, tokenizer: Tokenizer, forms: Forms) -> CodeArray:
    """Return the table of ``forms``, with articles dropped too."""
    words = vocabulary_of(batch, tokenizer).words

    def make() -> CodeArray:
        is_article = np.fromiter((word.lower() in ARTICLES for word in words), dtype=bool, count=len(words))
        return np.where(is_article, np.int32(-1), forms_table(batch, tokenizer, forms))

    return batch.derived(("without articles", tokenizer.signature, forms, len(words)), make)
