"""``RougeScorer`` with the arguments and methods of rouge-score 0.1.2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeAlias

import numpy as np
import pyarrow as pa

from ragauge.compat.rouge_score._few_pairs import MOST_CHARACTERS, orders_of, scores_of
from ragauge.compat.rouge_score.scoring import Score
from ragauge.core.batch import Batch
from ragauge.core.ingredients import Vocabulary
from ragauge.core.lazy import lazy_pattern
from ragauge.core.loading import require
from ragauge.core.ragged import Ragged
from ragauge.core.registry import make_ingredient
from ragauge.core.text_batch import batch_of_texts
from ragauge.errors import DataError
from ragauge.metrics.text.rouge_l import RougeL
from ragauge.metrics.text.rouge_lsum import RougeLsum
from ragauge.metrics.text.rouge_n import RougeN

Rouge: TypeAlias = RougeL | RougeLsum | RougeN

_NGRAMS = lazy_pattern("rouge([1-9])")


class TokenizesText(Protocol):
    """Anything with the method of rouge-score's tokenizers."""

    def tokenize(self, text: str) -> list[str]:
        """Return the tokens of a text."""


@dataclass(frozen=True, eq=False)
class OwnTokenizer:
    """A tokenizer of rouge-score as one of ragauge."""

    own: TokenizesText
    reads_end_blanks: ClassVar[bool] = True
    """Blanks at the end of a text are the tokenizer's too, as `list` makes tokens of them."""

    @property
    def signature(self) -> str:
        """The name of its class."""
        return f"{type(self.own).__name__}@{id(self.own)}"

    def encode(self, texts: pa.Array, vocabulary: Vocabulary) -> Ragged:
        """Return the codes of n strings."""
        return self.encode_strings(texts.to_pylist(), vocabulary)

    def encode_strings(self, texts: Sequence[str], vocabulary: Vocabulary) -> Ragged:
        """Return the codes of n strings of Python."""
        tokens = [self.own.tokenize(text) for text in texts]
        codes = [vocabulary.codes(words) for words in tokens]
        flat = np.concatenate(codes) if codes else np.zeros(0, dtype=np.int32)
        return Ragged.from_lengths(flat, [*map(len, tokens)])


class RougeScorer:
    """ROUGE of one prediction at a time: the metrics of ragauge under ``compat=rouge-score``.

    Args:
        rouge_types: ``rouge1`` to ``rouge9``, ``rougeL``, ``rougeLsum``.
        use_stemmer: stem by Porter's rules for English; without effect on a ``tokenizer`` of one's own.
        split_summaries: for ``rougeLsum``, find sentences with nltk, which needs its data; otherwise lines count.
        tokenizer: an object with a method ``tokenize(text)``; None: that of rouge-score. With ``split_summaries`` it
            gets a blank in place of a line end within a sentence, because lines are what is compared.

    Raises:
        MissingExtraError: ``use_stemmer`` or ``split_summaries`` without nltk.

    >>> scorer = RougeScorer(["rouge1", "rougeL"])
    >>> scorer.score("the cat sat on the mat", "a cat sat")["rougeL"]
    Score(precision=0.6666666666666666, recall=0.3333333333333333, fmeasure=0.4444444444444444)
    """

    def __init__(
        self,
        rouge_types: Sequence[str],
        use_stemmer: bool = False,
        split_summaries: bool = False,
        tokenizer: TokenizesText | None = None,
    ) -> None:
        self.rouge_types = rouge_types
        self._options: dict[str, Any] = {
            "tokenizer": make_ingredient("tokenizer", "rouge-score") if tokenizer is None else OwnTokenizer(tokenizer),
            "stemmer": "porter" if use_stemmer and tokenizer is None else "none",
        }
        self._metrics: Mapping[str, Rouge] | None = None
        # Stems and other tokenizers go by way of arrays.
        self._orders = None if use_stemmer or tokenizer is not None else orders_of(rouge_types)
        self._split = split_summaries
        if split_summaries:
            require("split_summaries", "stem", "nltk")

    def score(self, target: str, prediction: str) -> dict[str, Score]:
        """Return the scores of a prediction against one target, by type.

        Raises:
            TypeError: a text is not a string.
            ValueError: a type is none of those above.
        """
        return self.score_multi([target], prediction)

    def score_multi(self, targets: Sequence[str], prediction: str) -> dict[str, Score]:
        """Return the scores of a prediction against the target with the highest F, by type; errors as of `score`.

        >>> RougeScorer(["rouge1"]).score_multi(["a b", "c"], "c")["rouge1"].fmeasure
        1.0
        """
        return {name: scores[0] for name, scores in self.score_all([targets], [prediction]).items()}

    def score_all(self, targets: Sequence[Sequence[str]], predictions: Sequence[str]) -> dict[str, list[Score]]:
        """Return the scores of n predictions, each against its targets, by type: faster than one after the other.

        rouge-score has no such method.

        >>> scores = RougeScorer(["rouge1"]).score_all([["a b"], ["c"]], ["a b", "a"])
        >>> [score.fmeasure for score in scores["rouge1"]]
        [1.0, 0.0]
        """
        for texts in (predictions, *targets):
            _check_texts(texts)
        if self._orders is not None and _are_few(targets, predictions):
            pairs = zip(targets, predictions, strict=True)
            few = [scores_of(target, prediction, self._orders) for [target], prediction in pairs]
            return {name: [scores[name] for scores in few] for name in self._orders}
        if self._metrics is None:
            self._metrics = {name: self._metric_of(name) for name in self.rouge_types}
        batch = batch_of_texts(predictions, targets)
        lines = batch if not self._split else batch_of_texts(_lines(predictions), [_lines(texts) for texts in targets])
        return {name: _scores(one, lines if name == "rougeLsum" else batch) for name, one in self._metrics.items()}

    def _metric_of(self, name: str) -> Rouge:
        options = {**self._options, "case": "keep", "punctuation": "keep", "nfkc": False, "references_are_words": True}
        if name == "rougeL":
            return RougeL(**options)
        if name == "rougeLsum":
            return RougeLsum(**options)
        order = _NGRAMS.fullmatch(name)
        if order is None:
            raise ValueError(f"a type of ROUGE must be rouge1 to rouge9, rougeL or rougeLsum; got {name!r}")
        return RougeN(order=int(order[1]), **options)


def _are_few(targets: Sequence[Sequence[str]], predictions: Sequence[str]) -> bool:
    """Return whether each of few short predictions has one target."""
    if len(targets) != len(predictions) or len(predictions) > MOST_CHARACTERS or any(len(own) > 1 for own in targets):
        return False
    return sum(map(len, predictions)) + sum([len(own[0]) for own in targets]) <= MOST_CHARACTERS


def _check_texts(texts: Sequence[str]) -> None:
    if isinstance(texts, str) or not texts:
        raise TypeError(f"targets must be a list of at least one text; got {texts!r}")
    wrong = next((text for text in texts if not isinstance(text, str)), "")
    if wrong != "":
        raise TypeError(f"a target and a prediction must be strings; got {type(wrong).__name__}")


def _lines(texts: Sequence[str]) -> list[str]:
    from nltk import sent_tokenize

    return ["\n".join([sentence.replace("\n", " ") for sentence in sent_tokenize(text)]) for text in texts]


def _scores(metric: Rouge, batch: Batch) -> list[Score]:
    rows = metric.measure(batch)
    if rows.reasons:
        raise DataError(next(iter(rows.reasons.values())))
    parts = metric.parts(rows)
    columns = (parts["precision"], parts["recall"], metric.score(rows))
    return [Score(*values) for values in zip(*[column.tolist() for column in columns], strict=True)]
