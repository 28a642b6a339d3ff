"""What BLEU and chrF share: sacrebleu's arguments, checked, and turned into one batch of answers and references."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TypeAlias

from ragauge.compat.sacrebleu.scores import SacrebleuScore, SacrebleuSignature
from ragauge.core.batch import Batch
from ragauge.core.protocol import Metric
from ragauge.core.statistics import Rows
from ragauge.core.text_batch import batch_of_texts
from ragauge.errors import DataError, OptionError

Streams: TypeAlias = Sequence[Sequence[str | None]]
"""One list for each place of a reference, as long as the answers; None where an answer has fewer references."""


class SacrebleuMetric(ABC):
    """A metric with the methods of sacrebleu's."""

    def __init__(self, references: Streams | None, *, lowercase: bool) -> None:
        self.lowercase = lowercase
        self._references = None if references is None else self._by_answer(references)
        self.num_refs: int | None = None if self._references is None else _number_of(self._references)
        """References of each answer, -1 where answers have different numbers; None before the first score."""

    @property
    @abstractmethod
    def metric(self) -> Metric:
        """The metric of ragauge that computes the score."""

    @abstractmethod
    def get_signature(self) -> SacrebleuSignature:
        """Return how the last score was computed; ValueError before the first."""

    @abstractmethod
    def _score(self, rows: Rows) -> SacrebleuScore:
        """Return the score of the summed counts."""

    def _prepared(self, text: str) -> str:
        return text.lower() if self.lowercase else text

    def _signature(self, **options: object) -> SacrebleuSignature:
        if self.num_refs is None:
            raise ValueError("the number of references is not known yet; compute a score first")
        number = "var" if self.num_refs == -1 else self.num_refs
        return SacrebleuSignature({"nrefs": number, "case": "lc" if self.lowercase else "mixed", **options})

    def sentence_score(self, hypothesis: str, references: Sequence[str]) -> SacrebleuScore:
        """Return the score of one answer.

        Args:
            hypothesis: the answer.
            references: its references.

        Raises:
            TypeError: an argument is of another type.
        """
        if not isinstance(hypothesis, str):
            raise self._type_error("hypothesis", "a string", hypothesis)
        if isinstance(references, str) or not isinstance(references, Sequence):
            raise self._type_error("references", "a list of strings", references)
        return self._scored([hypothesis], [self._texts(references)])

    def corpus_score(
        self, hypotheses: Sequence[str], references: Streams | None, n_bootstrap: int = 1
    ) -> SacrebleuScore:
        """Return the score of all answers together.

        Args:
            hypotheses: n answers.
            references: one list of n references for each place of a reference; None: those that the metric was made
                with.
            n_bootstrap: 1; for an interval call `ragauge.evaluate`.

        Raises:
            TypeError: an argument is of another type.
            DataError: answers and references differ in number. sacrebleu scores the shorter of the two.
            OptionError: ``n_bootstrap`` is not 1.
        """
        if n_bootstrap != 1:
            allowed = "1; for a score with its interval call ragauge.evaluate"
            raise OptionError.value(type(self).__name__, "n_bootstrap", allowed, n_bootstrap)
        if isinstance(hypotheses, str) or not isinstance(hypotheses, Sequence):
            raise self._type_error("hypotheses", "a list of strings", hypotheses)
        wrong = next((text for text in hypotheses if not isinstance(text, str)), "")
        if wrong != "":
            raise self._type_error("each of hypotheses", "a string", wrong)
        by_answer = self._references if references is None else self._by_answer(references)
        if by_answer is None:
            raise RuntimeError("there are no references; pass them to corpus_score, or when the metric is made")
        return self._scored(hypotheses, by_answer)

    def _scored(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> SacrebleuScore:
        if len(hypotheses) != len(references):
            raise DataError(
                "RG-COMPAT-006 {kind}: {n} hypotheses, but references of {n2}; references must hold one list for "
                "each place of a reference, with one text for each hypothesis",
                type(self).__name__,
                len(hypotheses),
                len(references),
            )
        if not all(references):
            raise DataError(
                "RG-COMPAT-007 {kind}: hypothesis {index} has no reference; give one",
                type(self).__name__,
                references.index([]) + 1,
            )
        self.num_refs = _number_of(references)
        batch: Batch = batch_of_texts([self._prepared(text) for text in hypotheses], references)
        return self._score(self.metric.measure(batch))

    def _by_answer(self, references: Streams) -> list[list[str]]:
        """Return the references of each answer."""
        if isinstance(references, str) or not isinstance(references, Sequence):
            raise self._type_error("references", "a list of lists of strings", references)
        for stream in references:
            if isinstance(stream, str) or not isinstance(stream, Sequence):
                raise self._type_error("each of references", "a list of strings", stream)
        lengths = {len(stream) for stream in references}
        if len(lengths) > 1:
            shown = ", ".join(map(str, sorted(lengths)))
            raise DataError(
                "RG-COMPAT-008 {kind}: the lists of references have different lengths: {shown}; pad with None",
                type(self).__name__,
                shown,
            )
        return [self._texts(texts) for texts in zip(*references, strict=True)]

    def _texts(self, references: Sequence[str | None]) -> list[str]:
        texts = [text for text in references if text is not None]
        wrong = next((text for text in texts if not isinstance(text, str)), "")
        if wrong != "":
            raise self._type_error("each reference", "a string", wrong)
        return [self._prepared(text) for text in texts]

    def _type_error(self, name: str, allowed: str, value: object) -> TypeError:
        return TypeError(f"{type(self).__name__}: {name} must be {allowed}; got {type(value).__name__}")


def _number_of(references: Sequence[Sequence[str]]) -> int:
    numbers = {len(texts) for texts in references}
    return numbers.pop() if len(numbers) == 1 else -1
