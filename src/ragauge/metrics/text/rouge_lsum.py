"""``rouge-lsum``: longest common subsequences of sentences, united."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ragauge.core import compute as pc
from ragauge.core.arrow import scalar, to_numpy
from ragauge.core.batch import Batch
from ragauge.core.ingredients import Ingredient, Tokenizer, ingredient_field
from ragauge.core.ragged import BoolArray, IntArray, Ragged
from ragauge.core.registry import register
from ragauge.core.texts import as_texts, encoded, recoded
from ragauge.metrics.text._lcs import MOST_UNION, Sentences, lcs_lengths, union_costs, union_matches
from ragauge.metrics.text._references import SURFACE, too_long, too_many
from ragauge.metrics.text._rouge import COMPAT, Rouge
from ragauge.tokenizers.auto import Auto
from ragauge.tokenizers.forms import Forms


@register("rouge-lsum", compat=COMPAT)
@dataclass(frozen=True, kw_only=True)
class RougeLsum(Rouge):
    r"""ROUGE-Lsum: the F of the words of a reference in longest common subsequences with the answer's sentences.

    Formula:
        m = sum over sentences r of the reference of |union of LCS(r, a) over sentences a of the answer|
        P = m / tokens of the answer, R = m / tokens of the reference, F = (1 + beta^2) P R / (beta^2 P + R)

    Each sentence of the reference is compared with each of the answer. Sentences are lines: text without line breaks
    is one sentence, and then this is ROUGE-L.

    Unit and range: a share of tokens, 0 to 1. An empty answer scores 0, and so does any text against an empty
    reference; identical text scores 1.

    ``undefined``: the sample has no reference. ``failed``: the texts are too long to compare, some 1,000 lines of 30
    tokens each; a text without line breaks as in ``rouge-l``.

    Not for: text without line breaks, of which it is ROUGE-L (``rouge-l`` says so); and truth: a wrong name costs
    one token.

    Source: Lin 2004, "ROUGE: a package for automatic evaluation of summaries", section 3.2. ``compat=rouge-score``
    equals rouge-score 0.1.2 with ``split_summaries=False``.

    >>> import pyarrow as pa
    >>> texts = {"answer": ["c d\na b"], "references": [["a b\nc d"]]}
    >>> metric = RougeLsum()
    >>> metric.score(metric.measure(Batch(pa.table(texts))).totals())
    array(1.)
    """

    tokenizer: Ingredient[Tokenizer] = ingredient_field(Auto)

    def counts(self, batch: Batch) -> dict[str, IntArray]:
        """Return the words in united subsequences of each reference and its answer, and those of both: (m,) each."""
        answers = _sentences(batch, "answer", self.tokenizer, self.forms)
        references = _sentences(batch, "references", self.tokenizer, self.forms)
        owner = batch.owners("references")
        n = len(owner)
        many = too_many(_tokens_of(answers, len(batch)), _tokens_of(references, n), owner)
        hypotheses = answers.without(owner[many]).repeated(owner, len(batch))
        hypothesis, reference = _tokens_of(hypotheses, n), _tokens_of(references, n)
        alone = _alone(hypotheses, n) & _alone(references, n)
        long = too_long(np.where(alone, hypothesis, 0), np.where(alone, reference, 0), owner)
        long |= many | ~alone & (union_costs(hypotheses, references, n) > MOST_UNION)
        match = _matches(hypotheses, references, alone & ~long, ~alone & ~long)
        return {"match": match, "hypothesis": hypothesis, "reference": reference, "too_long": long.astype(np.int64)}


def _alone(part: Sentences, n: int) -> BoolArray:
    return np.asarray(np.bincount(part.owner, minlength=n) == 1)


def _matches(hypotheses: Sentences, references: Sentences, alone: BoolArray, rest: BoolArray) -> IntArray:
    """Return the counts of `union_matches` for ``rest``; those ``alone`` are counted by ROUGE-L, which is far faster.

    Shapes: ``alone`` and ``rest`` (n,): texts of one sentence each, and others; what is neither counts 0.
    """
    counts = np.zeros(len(alone), dtype=np.int64)
    counts[alone] = lcs_lengths(*(part.where(alone).tokens for part in (hypotheses, references)))
    counts[rest] = union_matches(hypotheses.where(rest), references.where(rest), int(np.count_nonzero(rest)))
    return counts


def _tokens_of(part: Sentences, n: int) -> IntArray:
    return np.bincount(part.owner, weights=part.tokens.lengths, minlength=n).astype(np.int64)


_COLUMNS = ("answer", "references")


def _sentences(batch: Batch, column: str, tokenizer: Tokenizer, forms: Forms) -> Sentences:
    """Return the lines of the texts in ``column``, answers or references, under ``forms``.

    Where no text has two lines, the tokens of whole texts serve, unless line ends at the end may be tokens too.
    """
    reads_ends = getattr(tokenizer, "reads_end_blanks", False)
    if not reads_ends and not any(batch.has_lines(name) for name in _COLUMNS):
        whole = batch.tokens(column, tokenizer, None if forms == SURFACE else forms)
        return Sentences(whole, np.arange(len(whole)))
    key = ("sentences", batch.key_of(tokenizer))
    arrays = [as_texts(batch.flat(name)) if reads_ends else batch.texts(name) for name in _COLUMNS]
    codes, owner = batch.derived(key, lambda: _lines(batch, arrays, tokenizer))[_COLUMNS.index(column)]
    return Sentences(codes if forms == SURFACE else recoded(codes, batch.form_codes(tokenizer, forms)), owner)


def _lines(batch: Batch, arrays: list[pa.Array], tokenizer: Tokenizer) -> list[tuple[Ragged, IntArray]]:
    """Return the codes of the lines that are not empty, and the text of each."""
    lines, owners = [], []
    for split in [pc.split_pattern(array, "\n") for array in arrays]:
        flat = split.flatten()
        kept = pc.not_equal(flat, scalar("", flat.type))
        lines.append(flat.filter(kept))
        owners.append(np.repeat(np.arange(len(split)), to_numpy(pc.list_value_length(split)))[to_numpy(kept)])
    codes = encoded(lines, tokenizer, batch.vocabulary(tokenizer))
    return list(zip(codes, owners, strict=True))
