"""The plan of a run: the metrics, groups and clusters that all its processes compute."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from ragauge.core.batch import Batch, Dataset
from ragauge.core.loading import with_imports
from ragauge.core.messages import Argument, Joined, Message
from ragauge.core.options import Range, checked
from ragauge.core.protocol import Metric, signature_of
from ragauge.core.sample import SCHEMA
from ragauge.errors import UsageError, column_title
from ragauge.evaluation.answered import labelled, with_answered
from ragauge.evaluation.evaluator import Evaluator
from ragauge.evaluation.languages import COLUMN, with_tokenizers
from ragauge.evaluation.partial import Partial
from ragauge.evaluation.presets import chosen, price_columns
from ragauge.evaluation.request import CONVERSATION, RunRequest, notes_on_untaken
from ragauge.evaluation.tied_scores import notes_on_ties
from ragauge.evaluation.turns import TURN
from ragauge.evaluation.unmet_ids import note_on_unmet_ids, notes_on_grades
from ragauge.evaluation.unread_languages import notes_on_languages
from ragauge.evaluation.unread_scores import notes_on_unread_scores
from ragauge.formats.proposals import guessed
from ragauge.metrics.function import FunctionMetric
from ragauge.metrics.other_names import notes_on_names

if TYPE_CHECKING:
    from ragauge.embedders.store import Store

ASKS = "a metric asks a judge, whose answers and limits belong to one process"
"""Why a run with a judge stays in one process."""
UNUSED = "RG-NOTE-026 unused columns: {names}"
"""The note begins so; who reads further columns drops it."""
_OWN = __name__.split(".", maxsplit=1)[0]
"""This package: its version tells which code it has."""
_ALSO_READ = frozenset({"failure", "in_run", "citations"})
_RECORDED = frozenset({"latency", "time_to_first_token", "span_id", "input_tokens", "output_tokens", "cost"})
_OF_GROUPS = frozenset({"group_id", "question_id", "repeat"})
"""Names of rows that belong together, as the advice on repeated ids and ``repeats`` give them."""
_READ_BY = {"nuggets": Argument("metrics", "nugget-all"), "turn": Argument("turns", True)}  # noqa: FBT003 - a value
"""Columns that nothing reads by default -> the argument with which they are read."""
_MOST_NAMED = 10
_LOOKED_AT = 100
"""Rows that are looked at to guess whether a column could be a known one."""


@checked("plan")
@dataclass(frozen=True)
class Plan:
    """Metrics, groups and cluster as every process of a run computes them; a plan pickles.

    Args:
        evaluator: the metrics, groups and cluster; its columns are those of the batches.
        samples: how many there are in all parts together, where that is known: sums of more than 65,536 are kept by
            bucket from the start, so that no part sends more. The result does not depend on it.
        embedding_cache: a directory that keeps vectors from run to run; None: each worker keeps its own.
        notes: on the choice of metrics, tokenizers and columns, for readers of the result.
    """

    evaluator: Evaluator
    samples: Annotated[Annotated[int, Range(0)] | None, "a whole number from 0 on"] = None
    embedding_cache: str | None = None
    notes: tuple[str, ...] = field(default=(), metadata={"option": False})

    @cached_property
    def identity(self) -> str:
        """SHA-256 of all that decides the sums: parts of plans with another identity cannot be merged."""
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
        if all(getattr(metric, "embedder", None) is None for metric in self.evaluator.metrics.values()):
            return None
        from ragauge.embedders.store import Store

        return Store(self.embedding_cache)

    def measure(self, batches: Iterable[Batch], store: Store | None) -> Iterator[Partial]:
        """Measure batches, whose texts are encoded once each with ``store``."""
        with_groups = (labelled(batch, self.evaluator.by) for batch in batches)
        stored = with_vectors(Dataset("", 0, (), lambda: with_groups), store)
        return (self.evaluator.measure(batch) for batch in stored.batches() if len(batch))


def with_vectors(data: Dataset, store: Store | None) -> Dataset:
    """Return ``data`` in batches that share the vectors of ``store``; as they are without one."""
    if store is None:
        return data
    from ragauge.embedders.store import with_store

    return with_store(data, store)


def plan(
    request: RunRequest,
    columns: Dataset | Iterable[str],
    *,
    samples: int | None = None,
    languages: Dataset | None = None,
) -> Plan:
    """Choose the metrics with their tokenizers, the groups and the cluster of a run.

    Args:
        request: the arguments of the run.
        columns: the samples; or the names of the columns of every batch, ``id`` among them, where the samples are
            elsewhere.
        samples: as of `Plan`.
        languages: rows with each value of the column ``language``, for ``lang="column"``; None: the samples.

    Raises:
        ColumnError: the data lack a column that is needed.
        UsageError: an ingredient that was named has no effect; or the samples are elsewhere, and a metric asks a judge,
            or ``lang`` is ``column``.

    >>> list(plan(RunRequest(metrics="token-f1"), ["id", "answer", "references"]).evaluator.metrics)
    ['token-f1']
    """
    data = columns if isinstance(columns, Dataset) else Dataset("", 0, tuple(columns), lambda: iter(()))
    data = with_answered(data, request.by)
    metrics, notes = _chosen(request, data)
    if not isinstance(columns, Dataset):
        if request.lang == COLUMN:
            raise UsageError(
                "RG-ENG-027 {lang} needs all rows first; name one language, or score in one process",
                Argument("lang", COLUMN),
            )
        if asks_judge(metrics):
            raise UsageError(
                "RG-ENG-028 a metric asks a judge, whose answers and limits belong to one process; use "
                "ragauge.evaluate without workers"
            )
    if request.lang is not None or any(hasattr(metric, "tokenizer") for metric in metrics.values()):
        metrics, of_tokenizers = with_tokenizers(metrics, request.lang, languages or data)
        notes += of_tokenizers
    # Some metrics compute otherwise where a column is not there.
    metrics = {
        name: metric.for_columns(data.columns) if hasattr(metric, "for_columns") else metric
        for name, metric in metrics.items()
    }
    sources = {**data.mapping, **(request.mapping or {})}
    metrics = {
        name: replace(metric, sources=sources) if isinstance(metric, FunctionMetric) and sources else metric
        for name, metric in metrics.items()
    }
    evaluator = Evaluator(metrics, request.by, request.cluster, request.inference, bool(request.evidence)).on(data)
    if isinstance(columns, Dataset):
        notes += _unused_note(data, evaluator)
        needed = _needed(evaluator)
        by_ids = {"retrieved", "relevance"} <= needed & set(data.columns)
        notes += notes_on_unread_scores(data, needed) + notes_on_ties(data, metrics)
        notes += notes_on_languages(data, metrics)
        # nDCG and its kin have gains of all grades.
        graded = {one for one, metric in metrics.items() if hasattr(metric, "gain") or hasattr(metric, "max_grade")}
        given = {one: getattr(metric, "level", None) for one, metric in metrics.items() if one not in graded}
        levels = {one: level for one, level in given.items() if isinstance(level, int | float)}
        notes = [*(note_on_unmet_ids(data) + notes_on_grades(data, levels) if by_ids else []), *notes]
    return Plan(evaluator, samples, request.embedding_cache, tuple(notes))


def _chosen(request: RunRequest, data: Dataset) -> tuple[dict[str, Metric], list[str]]:
    """Return the metrics that are asked for, or those whose columns are there, and notes on the choice."""
    metrics = request.requested_metrics
    notes: list[str] = []
    if metrics is None:
        metrics, left_out = chosen(request.preset, data.columns, request.shared)
        # How long a system took here is not a column of the rows that somebody chose to give.
        if request.preset in (None, "all") and request.system is None:
            metrics |= price_columns(data)
        template = "RG-NOTE-025 skipped {metrics}: needs {needed}"
        notes += [Message(template, ", ".join(names), needed) for needed, names in left_out.items()]
    specs = request.metrics if isinstance(request.metrics, list | tuple) else [request.metrics]
    texts = [one for one in specs if isinstance(one, str) and (one not in metrics or one == "faithfulness")]
    notes += notes_on_names(texts) if texts else []
    if request.shared:
        notes += notes_on_untaken(metrics.values(), request.shared, named=request.metrics is not None)
    return metrics, notes


def asks_judge(metrics: Mapping[str, Metric]) -> bool:
    """Return whether one of ``metrics`` asks a judge."""
    return any(hasattr(metric, "judge") for metric in metrics.values())


def columns_used(evaluator: Evaluator) -> set[str]:
    """Return the columns that scoring may read: those of metrics, groups and clusters, and all known ones."""
    by_conversation = {TURN} if evaluator.cluster == CONVERSATION else set()
    return {*SCHEMA, *_ALSO_READ, *by_conversation, *evaluator.by, evaluator.cluster or "id", *_needed(evaluator)}


def _needed(evaluator: Evaluator) -> set[str]:
    return set(chain.from_iterable(chain.from_iterable(metric.needs) for metric in evaluator.metrics.values()))


def _unused_note(data: Dataset, evaluator: Evaluator) -> list[str]:
    """Return a note that names the columns which nothing reads; none where there is none."""
    used = columns_used(evaluator) | _RECORDED | _OF_GROUPS
    names = [name for name in data.columns if name not in used]
    # A function of the whole sample may read any column.
    if not names or any(isinstance(metric, FunctionMetric) for metric in evaluator.metrics.values()):
        return []
    table = next(iter(data.batches())).table()
    known = {name: name for name in data.columns if name in SCHEMA or name in _RECORDED | _ALSO_READ}
    fields = {name: table[name][:_LOOKED_AT].to_pylist() for name in names[:_MOST_NAMED]}
    likely = {name: Message(" (for {metrics})", one) for name, one in _READ_BY.items()}
    # Each round names one more of the columns that compete to be the same known one.
    while found := guessed({name: values for name, values in fields.items() if name not in likely}, known):
        looks = {name: (one, Argument("map", {one: name})) for one, name in found.items()}
        likely |= {name: Message(" (looks like {known}: {map})", *one) for name, one in looks.items()}
    shown = [Joined([column_title(name), likely.get(name, "")], "") for name in fields]
    more = [Message("{n} more", len(names) - len(shown))] if len(names) > len(shown) else []
    return [Message(UNUSED, Joined([*shown, *more]))]
