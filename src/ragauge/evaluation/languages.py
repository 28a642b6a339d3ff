"""Choosing a language's own tokenizer: once for a data set, or once per value of its language column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from operator import attrgetter
from typing import Any, cast

import numpy as np

from ragauge.core import compute as pc
from ragauge.core.batch import Batch, Dataset
from ragauge.core.ingredients import Tokenizer
from ragauge.core.messages import Argument, Message
from ragauge.core.protocol import Detailed, Metric, otherwise_named, signature_of
from ragauge.core.ragged import FloatArray
from ragauge.core.statistics import Rows, Statistics, StatusArray
from ragauge.errors import ColumnError
from ragauge.results.notes import TOKENISED
from ragauge.tokenizers import choose

COLUMN = "column"
"""The value of ``lang`` that tokenises each row by its language column."""


@dataclass(frozen=True)
class ByLanguage:
    """A metric that tokenises each row's texts by the tokenizer of the row's language.

    ``metrics`` are (language, metric) pairs that differ from ``base`` in their tokenizer only; rows of another
    language, and of none, are measured by ``base``. The batch must have a column ``language``.
    """

    base: Metric
    metrics: tuple[tuple[str, Metric], ...]

    average = property(attrgetter("base.average"))
    needs = property(attrgetter("base.needs"))
    stage = property(attrgetter("base.stage"))
    direction = property(attrgetter("base.direction"))
    range = property(attrgetter("base.range"))
    revision = property(attrgetter("base.revision"))

    @property
    def versions(self) -> Mapping[str, str]:
        """Those of the metric."""
        return getattr(self.base, "versions", {})

    @property
    def identity(self) -> str:
        """The identities of all that it may measure by."""
        own = (f"{language}={signature_of(metric).identity}" for language, metric in self.metrics)
        return "|".join([signature_of(self.base).identity, *own])

    def __str__(self) -> str:
        return str(self.base)

    def measure(self, batch: Batch) -> Rows:
        """Measure the rows of each language by its metric, and put them back in order."""
        languages = np.array(batch.column("language").to_pylist(), dtype=object)
        by_language = dict(self.metrics)
        measured = []
        for language in dict.fromkeys(languages.tolist()):
            rows = np.flatnonzero(languages == language).astype(np.int64)
            part = batch.derived(("language", language), partial(batch.take, rows))
            measured.append((rows, by_language.get(language, self.base).measure(part)))
        return _scattered(len(batch), measured)

    def score(self, totals: Statistics) -> FloatArray:
        """Score as the metric does."""
        return self.base.score(totals)

    def parts(self, totals: Statistics) -> Mapping[str, FloatArray]:
        """Return the parts that the metric has."""
        return self.base.parts(totals) if isinstance(self.base, Detailed) else {}


def with_tokenizers(metrics: dict[str, Metric], lang: str | None, data: Dataset) -> tuple[dict[str, Metric], list[str]]:
    """Return metrics with the tokenizers that were left open, and notes on how texts are tokenised."""
    if lang is not None:
        metrics, notes = for_language(metrics, lang, data)
    elif names := left_open(metrics):
        notes = [Message(TOKENISED, ", ".join(names), Argument("lang", "TAG"))]
    else:
        notes = []
    return metrics, [*notes, *_notes_on_lost_letters(metrics, data)]


def for_language(metrics: Mapping[str, Metric], lang: str, data: Dataset) -> tuple[dict[str, Metric], list[str]]:
    """Return metrics with the tokenizer of a language where theirs was left open, and notes that say why.

    ``lang``: a BCP 47 tag, or ``column`` for the language of each row; ColumnError where ``data`` have no such column.
    """
    if lang != COLUMN:
        if not left_open(metrics):
            return dict(metrics), [
                Message(
                    "RG-NOTE-011 {lang} changes nothing: no metric here leaves its tokenizer open",
                    Argument("lang", lang),
                )
            ]
        tokenizer, why = choose(lang)
        tokenised = {name: _tokenised_by(metric, tokenizer) for name, metric in metrics.items()}
        return tokenised, [Message("RG-NOTE-012 tokenizer {tokenizer}: {why}", str(tokenizer), why)]
    chosen = {language: choose(language) for language in _languages(data)}
    by_language: dict[str, Metric] = {}
    for name, metric in metrics.items():
        own = tuple([(language, _tokenised_by(metric, tokenizer)) for language, (tokenizer, _) in chosen.items()])
        by_language[name] = metric
        if any(one is not metric for _, one in own):
            by_language[name] = cast("Metric", ByLanguage(metric, own))
    template = "RG-NOTE-013 tokenizer {tokenizer} for {language}: {why}"
    return by_language, [Message(template, str(one), language, why) for language, (one, why) in chosen.items()]


def left_open(metrics: Mapping[str, Metric]) -> list[str]:
    """Return the names of the metrics whose tokenizer was not chosen."""
    return [name for name, metric in metrics.items() if str(getattr(metric, "tokenizer", "")) == "auto"]


def _tokenised_by(metric: Metric, tokenizer: Tokenizer) -> Metric:
    """Return ``metric`` with ``tokenizer``, or itself where it takes none or the user chose one."""
    options: Any = metric
    names = [field.name for field in fields(options)]
    takes_one = "tokenizer" in names and str(options.tokenizer) == "auto"
    return cast("Metric", replace(options, tokenizer=tokenizer)) if takes_one else metric


def _languages(data: Dataset) -> list[str]:
    if "language" not in data.columns:
        raise ColumnError(
            "RG-EVAL-009 {lang} needs the column language{hint}",
            Argument("lang", "column"),
            otherwise_named("language", data.columns),
        )
    tags: dict[str, None] = {}
    for batch in data.batches():
        tags |= dict.fromkeys(tag for tag in batch.column("language").unique().to_pylist() if tag is not None)
    return sorted(tags)


def _scattered(n: int, measured: Sequence[tuple[Any, Rows]]) -> Rows:
    first = measured[0][1]
    values = np.zeros((n, len(first.names)))
    status: StatusArray = np.zeros(n, dtype=np.uint8)
    defaulted = np.zeros(n, dtype=bool)
    reasons: dict[int, str] = {}
    for places, rows in measured:
        values[places], status[places], defaulted[places] = rows.values, rows.status, rows.defaulted
        reasons |= {int(places[row]): why for row, why in rows.reasons.items()}
    return Rows(first.names, values, first.whole, status, defaulted, reasons)


def _notes_on_lost_letters(metrics: Mapping[str, Metric], data: Dataset) -> list[str]:
    """Return a warning of answers in which the tokenizer ``rouge-score`` finds letters but no token."""
    tokenizers = {name: str(getattr(metric, "tokenizer", "")).partition("[")[0] for name, metric in metrics.items()}
    blind = [name for name, tokenizer in tokenizers.items() if tokenizer == "rouge-score"]
    if not blind or "answer" not in data.columns:
        return []
    lost = 0
    for batch in data.batches():
        answers = batch.column("answer")
        letters = pc.match_substring_regex(answers, r"\pL")
        tokens = pc.match_substring_regex(answers, "[0-9A-Za-z]")
        lost += int(pc.sum(pc.and_not(letters, tokens)).as_py() or 0)
    if not lost:
        return []
    warning = (
        "RG-NOTE-014 {metrics}: the tokenizer rouge-score deletes every letter that is not ASCII: {lost} of {rows} "
        "answers have letters but no token, and score 0; leave it out, unless you repeat numbers of rouge-score"
    )
    return [Message(warning, ", ".join(blind), lost, data.rows)]
