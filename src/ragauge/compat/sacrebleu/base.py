"""What BLEU and chrF share: sacrebleu's arguments, checked, and turned into one batch of answers and references."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from ragauge._version import __version__
from ragauge.core.batch import Batch
from ragauge.core.protocol import Metric
from ragauge.core.statistics import Rows
from ragauge.core.text_batch import batch_of_texts
from ragauge.errors import DataError, OptionError


class SacrebleuScore:
    """A score of 0 to 100 and the name of its metric.

    >>> print(SacrebleuScore("chrF2", 12.3456))
    chrF2 = 12.35
    """

    _verbose = ""

    def __init__(self, name: str, score: float) -> None:
        self.name = name
        self.score = score

    def format(self, width: int = 2, score_only: bool = False, signature: str = "", is_json: bool = False) -> str:
        """Return the score as text: with its name and parts, alone, or as JSON.

        Args:
            width: digits after the point.
            score_only: leave out the name; without effect on JSON.
            signature: shown behind the name.
            is_json: return a JSON object.
        """
        rounded = f"{self.score:.{width}f}"
        if is_json:
            fields = {"name": self.name, "score": float(rounded), "signature": signature}
            fields |= {"verbose_score": self._verbose} if self._verbose else {}
            pairs = [pair.partition(":") for pair in signature.split("|") if pair]
            return json.dumps({**fields, **{key: value for key, _, value in pairs}}, indent=1, ensure_ascii=False)
        if score_only:
            return rounded
        name = f"{self.name}|{signature}" if signature else self.name
        return f"{name} = {rounded} {self._verbose}".rstrip()

    def __repr__(self) -> str:
        return self.format()


class BLEUScore(SacrebleuScore):
    """BLEU, 0 to 100, and the counts behind it.

    Args:
        score: BLEU.
        counts: n-grams of each order that a reference has, clipped.
        totals: n-grams of each order.
        precisions: smoothed precisions, 0 to 100.
        bp: the brevity penalty, 0 to 1.
        sys_len: tokens of the answers.
        ref_len: tokens of the references that are closest in length.

    >>> print(BLEUScore(50.0, [2, 1], [2, 2], [100.0, 50.0], 1.0, 2, 2))
    BLEU = 50.00 100.0/50.0 (BP = 1.000 ratio = 1.000 hyp_len = 2 ref_len = 2)
    """

    def __init__(
        self,
        score: float,
        counts: Sequence[float],
        totals: Sequence[float],
        precisions: Sequence[float],
        bp: float,
        sys_len: int,
        ref_len: int,
    ) -> None:
        super().__init__("BLEU", score)
        self.counts, self.totals, self.precisions = list(counts), list(totals), list(precisions)
        self.bp, self.sys_len, self.ref_len = bp, sys_len, ref_len

    @property
    def prec_str(self) -> str:
        """The precisions with one digit."""
        return "/".join([f"{precision:.1f}" for precision in self.precisions])

    @property
    def ratio(self) -> float:
        """The length of the answers by that of the references; 0 where these are empty."""
        return self.sys_len / self.ref_len if self.ref_len else 0.0

    @property
    def _verbose(self) -> str:  # type: ignore[override]
        lengths = f"ratio = {self.ratio:.3f} hyp_len = {self.sys_len:d} ref_len = {self.ref_len:d}"
        return f"{self.prec_str} (BP = {self.bp:.3f} {lengths})"


class CHRFScore(SacrebleuScore):
    """ChrF or chrF++, 0 to 100.

    >>> CHRFScore(40.0, char_order=6, word_order=2, beta=2).name
    'chrF2++'
    """

    def __init__(self, score: float, char_order: int, word_order: int, beta: int) -> None:
        super().__init__(f"chrF{beta}{'+' * word_order}", score)
        self.char_order, self.word_order, self.beta = char_order, word_order, beta


class SacrebleuSignature:
    """How a score was computed, in the form of sacrebleu; ``version`` is that of ragauge.

    >>> print(SacrebleuSignature({"nrefs": 1, "case": "mixed"}).format().partition("|version")[0])
    nrefs:1|case:mixed
    """

    _SHORT: Mapping[str, str] = {
        "nrefs": "#", "case": "c", "eff": "e", "tok": "tok", "smooth": "s", "nc": "nc", "nw": "nw", "space": "s",
        "version": "v",
    }  # fmt: skip

    def __init__(self, info: Mapping[str, object]) -> None:
        self.info = {**info, "version": f"ragauge-{__version__}"}

    def format(self, short: bool = False) -> str:
        """Return ``name:value`` of all options, joined by ``|``."""
        return "|".join([f"{self._SHORT[name] if short else name}:{value}" for name, value in self.info.items()])

    def __str__(self) -> str:
        return self.format()

    __repr__ = __str__


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
    def _of_few(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> SacrebleuScore | None:
        """Return the score of few short texts; None where arrays have to count."""

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
        answers = [self._prepared(text) for text in hypotheses]
        if (score := self._of_few(answers, references)) is not None:
            return score
        batch: Batch = batch_of_texts(answers, references)
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
