"""What all workers of a run compute: metrics, groups and clusters, as they travel to other processes."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragauge.core.batch import Batch, Dataset
from ragauge.core.loading import with_imports
from ragauge.core.options import check_whole
from ragauge.core.protocol import Metric, signature_of
from ragauge.errors import OptionError, UsageError
from ragauge.evaluation.evaluator import Evaluator, Requested, grouping_columns, named
from ragauge.evaluation.ingredients import for_columns, notes_on_untaken, shared_ingredients
from ragauge.evaluation.languages import COLUMN, with_tokenizers
from ragauge.evaluation.partial import Partial
from ragauge.evaluation.summarize import Inference

if TYPE_CHECKING:
    from ragauge.embedders.store import Store

ASKS = "a metric asks a judge, whose answers and limits belong to one process"
"""Why a run with a judge stays in one process."""
_OWN = __name__.split(".", maxsplit=1)[0]
"""This package, whose version is known."""


@dataclass(frozen=True)
class Plan:
    """What every worker of a run does with its samples; a plan pickles.

    Args:
        evaluator: the metrics, groups and cluster; its columns are those of the batches.
        samples: how many there are in all parts together, where that is known: sums of more than 65,536 are kept by
            bucket from the start, so that no part sends more. The result does not depend on it.
        embedding_cache: a directory that keeps vectors from run to run; None: each worker keeps its own.
    """

    evaluator: Evaluator
    samples: int | None = None
    embedding_cache: str | None = None

    @cached_property
    def identity(self) -> str:
        """SHA-256 of everything that decides the sums; parts of other plans do not merge with those of this one."""
        signatures = {name: str(signature_of(metric)) for name, metric in self.evaluator.metrics.items()}
        decides = [signatures, list(self.evaluator.by), self.evaluator.cluster, self.evaluator.evidence]
        return sha256(json.dumps(decides, ensure_ascii=False).encode("utf-8", "surrogatepass")).hexdigest()

    @cached_property
    def code(self) -> str:
        """SHA-256 of the files that define metrics of others, and of what these import from their own folders.

        Signatures do not tell them apart.
        """
        metrics = self.evaluator.metrics.values()
        within = [one for metric in metrics for one in (metric, *getattr(metric, "__dict__", {}).values())]
        modules = {str(getattr(one, "__module__", "")) for one in within}
        files = [getattr(sys.modules.get(name), "__file__", None) for name in modules if name.split(".")[0] != _OWN]
        digest = sha256()
        for file in sorted(with_imports(Path(file) for file in files if file)):
            with suppress(OSError):
                digest.update(sha256(file.read_bytes()).digest())
        return digest.hexdigest()

    def store(self) -> Store | None:
        """Return a store of vectors for all batches of one process; None where no metric has an embedder."""
        if not any(getattr(metric, "embedder", None) is not None for metric in self.evaluator.metrics.values()):
            return None
        from ragauge.embedders.store import Store

        return Store(self.embedding_cache)

    def measure(self, batches: Iterable[Batch], store: Store | None) -> Iterator[Partial]:
        """Measure batches, whose texts are encoded once each with ``store``."""
        if store is not None:
            from ragauge.embedders.store import with_store

            stored = with_store(Dataset("", 0, (), lambda: iter(batches)), store)
            return (self.evaluator.measure(batch) for batch in stored.batches() if len(batch))
        return (self.evaluator.measure(batch) for batch in batches if len(batch))


def plan(  # noqa: PLR0913 - the options of `ragauge.evaluate`
    metrics: Requested | Iterable[Requested] | Mapping[str, str | Metric],
    columns: Iterable[str],
    *,
    by: str | Iterable[str] = (),
    cluster: str | None = None,
    lang: str | None = None,
    ingredients: Mapping[str, Any] | None = None,
    inference: Inference | None = None,
    evidence: bool = False,
    samples: int | None = None,
    embedding_cache: str | None = None,
    languages: Dataset | None = None,
    relayed: bool = False,
) -> tuple[Plan, tuple[str, ...]]:
    """Return the plan for data with ``columns``, and notes on what was chosen.

    Args:
        metrics: as of `ragauge.evaluate`.
        columns: the names of the columns of every batch, ``id`` among them.
        by: columns to group by, each on its own.
        cluster: the column of samples that belong together, for intervals.
        lang: a language tag such as ``zh``, for metrics that leave their tokenizer open; or ``column``.
        ingredients: ``embedder``, ``support``, ``relevance`` or ``matcher`` -> one for all metrics that name none.
        inference: level, method, resamples and seed of the intervals.
        evidence: whether to keep what each score rests on.
        samples: as of `Plan`.
        embedding_cache: as of `Plan`.
        languages: rows with each value that the column ``language`` has, for ``lang="column"``.
        relayed: whether metrics may ask a judge, because the tasks will ask it through one process.

    Raises:
        UsageError: a metric asks a judge and ``relayed`` is False, or ``lang`` is ``column`` and the languages are not
            known.
        ColumnError: the data lack a column that is needed.

    >>> made, notes = plan("token-f1", ["id", "answer", "references"])
    >>> list(made.evaluator.metrics)
    ['token-f1']
    """
    names = tuple(columns)
    if lang == COLUMN and languages is None:
        raise UsageError(f"lang={lang!r} needs all rows first; name one language, or score in one process")
    if samples is not None:
        check_whole("plan", "samples", "a whole number from 0 on", samples, 0)
    if embedding_cache is not None and not isinstance(embedding_cache, str):
        raise OptionError.value("plan", "embedding_cache", "a directory", embedding_cache)
    shared = shared_ingredients(ingredients or {})
    requested = named(metrics, shared)
    notes = notes_on_untaken(requested.values(), shared, named=True) if shared else []
    if not relayed and any(hasattr(metric, "judge") for metric in requested.values()):
        raise UsageError(f"{ASKS}; use ragauge.evaluate without workers")
    # Nothing is read of data without rows: notes on texts are for those who have them.
    known = languages if lang == COLUMN and languages is not None else Dataset("", 0, names, lambda: iter(()))
    requested, chosen = with_tokenizers(requested, lang, known)
    evaluator = Evaluator(
        for_columns(requested, names), grouping_columns("plan", by), cluster, inference or Inference(), evidence
    )
    evaluator.check(names)
    return Plan(evaluator, samples, embedding_cache), (*notes, *chosen)


def resolved(evaluator: Evaluator, data: Dataset) -> Evaluator:
    """Return ``evaluator`` with the columns as ``data`` know them; ColumnError where one is not there."""
    cluster = None if evaluator.cluster is None else data.known(evaluator.cluster)
    own = replace(evaluator, by=tuple(dict.fromkeys(map(data.known, evaluator.by))), cluster=cluster)
    own.check(data.columns)
    return own
