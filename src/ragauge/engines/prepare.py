"""What the driver of a cluster decides once, from the first rows: columns, metrics, and what tasks send."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, TypedDict

import pyarrow as pa

from ragauge.core.batch import Batch, Dataset
from ragauge.core.ingredients import Embedder, Judge, Matcher, RelevanceModel, SupportModel
from ragauge.core.protocol import Metric, name_of
from ragauge.core.sample import SCHEMA
from ragauge.engines.part import ScoredPart, finish, score_part
from ragauge.engines.plan import Plan, plan
from ragauge.engines.task import SAMPLE, Task, by_id
from ragauge.errors import DataError, OptionError, UsageError
from ragauge.evaluation.evaluate import UNUSED
from ragauge.evaluation.evaluator import Evaluator, Requested, grouping_columns, named
from ragauge.evaluation.ingredients import shared_ingredients
from ragauge.evaluation.judging import open_session, with_counts
from ragauge.evaluation.languages import COLUMN
from ragauge.evaluation.partial import Partial
from ragauge.evaluation.presets import chosen
from ragauge.evaluation.summarize import Inference, check_inference
from ragauge.formats import read
from ragauge.formats.column_names import own_names, resolve
from ragauge.formats.sources import export_of
from ragauge.judges.session import Session
from ragauge.judges.tally import Tally
from ragauge.results.result import Result
from ragauge.results.storage import sample_scores_of

HEAD = 1000
"""Rows by which the driver understands the columns."""
UNDERSTOOD = "columns were understood by the first"
"""A note begins so; who has read all rows drops it."""
MOST_LANGUAGES = 10_000
"""Values of a column above which it is not one of languages."""
_ALSO_READ = frozenset({"failure", "in_run"})
_RECORDED = frozenset({"latency", "span_id", "input_tokens", "output_tokens", "cost"})
_MODELS = ("embedder", "support", "relevance")
_LIGHT = frozenset({"lexical", "ngram-recall", "auto", "none"})
"""Ingredients without a model that is loaded from a file."""


class Options(TypedDict, total=False):
    """Arguments that evaluating on a cluster takes; each means what it means in `ragauge.evaluate`."""

    map: Mapping[str, str] | None
    split: Mapping[str, str] | None
    lang: str | None
    preset: str | None
    embedder: str | Embedder | None
    support: str | SupportModel | None
    relevance: str | RelevanceModel | None
    matcher: str | Matcher | None
    judge: str | Judge | None
    session: Session | None
    by: str | Iterable[str]
    cluster: str | None
    ci: float
    interval: str
    resamples: int
    seed: int


@dataclass(frozen=True, eq=False)
class Prepared:
    """What is known before the rows are scored.

    ``task``: what the workers do. ``plan``: its plan, with the judges themselves. ``columns``: of the source, those
    that they read. ``id``: the source's name of ids; None where ids are made from the content of rows. ``data``: the
    source as the result will describe it, without its rows. ``judging``: the session of the judges, and the counts of
    what these rows ask.
    """

    task: Task
    plan: Plan
    columns: tuple[str, ...]
    id: str | None
    data: Dataset
    judging: tuple[Session, Tally] | None = None

    @property
    def has_models(self) -> bool:
        """Whether a metric has an embedder, or a model of support or relevance, which should be loaded once."""
        metrics = self.task.plan.evaluator.metrics.values()
        ingredients = [getattr(metric, name, None) for metric in metrics for name in _MODELS]
        return any(str(one).partition("[")[0] not in _LIGHT for one in ingredients if one is not None)

    def result(self, part: ScoredPart) -> Result:
        """Return the result of the part of all samples."""
        return self._counted(finish(self.plan, part, replace(self.data, rows=part.samples)))

    def with_samples(self, part: ScoredPart, tables: Callable[[Sequence[str]], Iterator[pa.Table]]) -> Result:
        """Return the result of the part of all samples with the samples and their scores.

        ``tables``: returns the rows that tasks wrote with ``samples``, some at a time, always in the same order, with
        the columns of the names that it is given. Scores are kept in memory, the samples' own columns are not.
        """
        names = list(part.partial.columns)
        scores = pa.concat_tables(tables(["id", *names])).cast(
            pa.schema([("id", pa.string()), *self._of_scores(names)])
        )
        columns = {name: sample_scores_of(scores[name]) for name in names}

        def batches() -> Iterator[Batch]:
            for table in tables([SAMPLE]):
                fields = table[SAMPLE].combine_chunks().flatten()
                yield Batch(pa.Table.from_arrays(fields, names=[field.name for field in table.schema.field(0).type]))

        kept = tuple(field.name for field in self.task.samples or ())
        data = Dataset(self.data.source, part.samples, kept, batches, self.data.mapping, self.data.notes)
        partial = Partial(part.partial.sums, tuple(scores["id"].chunks), columns)
        return self._counted(finish(self.plan, part, data, partial))

    def _counted(self, result: Result) -> Result:
        return result if self.judging is None else with_counts(result, self.plan.evaluator, *self.judging)

    def _of_scores(self, names: Iterable[str]) -> list[pa.Field]:
        schema = self.task.scores or pa.schema([])
        return [schema.field(name) for name in names]


def prepare(
    head: pa.Table,
    source: str,
    metrics: Requested | Iterable[Requested] | Mapping[str, Any] | None,
    options: Options,
    *,
    scores: bool,
    samples: bool = False,
    distinct: Callable[[str], pa.Table] | None = None,
) -> Prepared:
    """Decide what the tasks do.

    Args:
        head: the first rows, with all columns.
        source: what the rows are called in messages.
        metrics: as of `ragauge.evaluate`.
        options: likewise.
        scores: whether the scores of samples are wanted beside the sums.
        samples: whether the columns of samples are wanted beside their scores.
        distinct: returns each value of a column once, as a table of that column; for ``lang="column"``.

    Raises:
        UsageError: a metric or an option is wrong, or needs all rows in one process.
        ColumnError: the data lack a column that is needed.
        DataError: the first rows are wrong, or there are none.
    """
    _check(options, metrics)
    shared = shared_ingredients({kind: options.get(kind) for kind in (*_MODELS, "matcher", "judge")})
    requested = None if metrics is None else named(metrics, shared)
    data = _understood(head, source, requested or {}, options)
    left_out: Mapping[str, list[str]] = {}
    if requested is None:
        requested, left_out = chosen(options.get("preset"), data.columns, shared)
        shared = {}
    grouping = grouping_columns("evaluate", options.get("by", ()))
    by, cluster = tuple(map(data.known, grouping)), options.get("cluster")
    cluster = None if cluster is None else data.known(cluster)
    Evaluator(requested, by, cluster).check(data.columns)
    used = _used(requested, (*by, *([cluster] if cluster else [])))
    has_ids = data.mapping.get("id", "id") in head.column_names
    # Ids are made from all columns.
    kept = [name for name in data.columns if name in used or samples or not has_ids]
    inference = Inference(
        options.get("ci", 0.95), options.get("resamples", 1000), options.get("seed", 0),
        options.get("interval", "jackknife"),
    )  # fmt: skip
    own_plan, chosen_notes = plan(
        requested, kept, by=by, cluster=cluster, lang=options.get("lang"), ingredients=shared, inference=inference,
        languages=_languages(data, options.get("lang"), distinct), relayed=True,
    )  # fmt: skip
    unused = [name for name in data.columns if name not in used and name not in _RECORDED]
    notes = (
        f"{UNDERSTOOD} {data.rows:,} rows, and so are notes on texts",
        *data.notes,
        *[f"skipped {', '.join(names)}: needs {columns}" for columns, names in left_out.items()],
        *chosen_notes,
        *([f"{UNUSED}{', '.join(unused)}"] if unused else []),
    )
    sources = {name: data.mapping.get(name, name) for name in kept}
    renamed = {name: name_in for name, name_in in data.mapping.items() if name in kept}
    mapping = {name: name_in for name, name_in in sources.items() if _top(name_in) in head.column_names}
    first = next(data.batches()).table().select(kept)
    task = Task(own_plan, mapping, options.get("split") or {}, {field.name: field.type for field in first.schema})
    if scores or samples:
        task = replace(task, scores=_wide(score_part(_first_row(first, own_plan), own_plan).scores().schema))
    if samples:
        task = replace(task, samples=_written(first.schema))
    described = Dataset(source, 0, tuple(kept), lambda: iter(()), renamed, notes)
    tops = tuple(dict.fromkeys(map(_top, mapping.values())))
    return Prepared(task, own_plan, tops, mapping["id"] if has_ids else None, described)


@contextmanager
def relaying(prepared: Prepared, session: Session | None, place: Callable[[], tuple[str, int]]) -> Iterator[Prepared]:
    """Yield ``prepared`` with tasks that ask judges through this process, which listens as long as it lasts.

    Args:
        prepared: yielded as it is where no metric asks a judge.
        session: kept answers and limits; None: one for this run.
        place: returns the address of this machine as the tasks know it, and how many tasks run at once.

    Raises:
        UsageError: nobody can ask the judge from here, or the session only counts.
    """
    # Signatures tell more of a judge that has answered; the parts of this run are known by those of now.
    plan = replace(prepared.plan)
    asking: dict[str, Any] = {name: one for name, one in plan.evaluator.metrics.items() if hasattr(one, "judge")}
    if not asking:
        yield prepared
        return
    from ragauge.judges.relay import Relay

    with open_session(session) as own, own.counting(None) as tally:
        if own.dry_run:
            raise UsageError("a dry run counts requests in one process; leave out the cluster, or the dry run")
        with Relay([one.judge for one in asking.values()], own, *place()) as relay:
            relayed = {name: replace(one, judge=relay.relayed(one.judge, name_of(one))) for name, one in asking.items()}
            _ = plan.identity
            evaluator = replace(plan.evaluator, metrics={**plan.evaluator.metrics, **relayed})
            task = replace(prepared.task, plan=replace(plan, evaluator=evaluator))
            yield replace(prepared, task=task, plan=plan, judging=(own, tally))


def _first_row(table: pa.Table, own_plan: Plan) -> Batch:
    """Return the first row, for which no judge is asked."""
    batch = Batch(table.slice(0, 1))
    if not any(hasattr(metric, "judge") for metric in own_plan.evaluator.metrics.values()):
        return batch
    from ragauge.judges.asking import SESSION

    return batch.given(SESSION, Session(dry_run=True))


def _languages(data: Dataset, lang: str | None, distinct: Callable[[str], pa.Table] | None) -> Dataset | None:
    """Return rows with each language of all rows, as ``lang="column"`` asks for; None where it is not asked for."""
    if lang != COLUMN or distinct is None or "language" not in data.columns:
        return Dataset("", 0, (), lambda: iter(())) if lang == COLUMN and distinct is not None else None
    name = data.mapping.get("language", "language")
    values = distinct(_top(name))
    if values.num_rows > MOST_LANGUAGES:
        what = f"has more than {MOST_LANGUAGES:,} values, too many for languages"
        raise UsageError(f"lang={lang!r}: the column {name} {what}; name the right column: map={{'language': ...}}")
    return read(values, mapping={"language": name})


def _written(schema: pa.Schema) -> pa.DataType:
    """Return the struct of a sample's columns: one that is null in the first rows is text."""
    kinds = ((field.name, pa.string() if pa.types.is_null(field.type) else field.type) for field in schema)
    return pa.struct([pa.field(name, kind) for name, kind in kinds])


def _used(metrics: Mapping[str, Metric], columns: Iterable[str]) -> set[str]:
    """Return every column that scoring may read: those of ``metrics``, ``columns`` and all known ones."""
    needs = chain.from_iterable(chain.from_iterable(metric.needs) for metric in metrics.values())
    return {*columns, *SCHEMA, *_ALSO_READ, *needs}


def _check(options: Options, metrics: object) -> None:
    """Raise OptionError for an option that a cluster does not take, or a wrong value."""
    if metrics is not None and options.get("preset") is not None:
        raise UsageError("give metrics or a preset, not both")
    allowed = tuple(Options.__annotations__)
    for name in options:
        if name not in allowed:
            raise OptionError.unknown("evaluate on a cluster", name, allowed)
    for name, kind, what in (("map", Mapping, "a dict with names of columns as keys"),
                             ("split", Mapping, "a dict with names of columns as keys"),
                             ("lang", str, "a language tag such as 'zh'"),
                             ("cluster", str, "the name of a column")):  # fmt: skip
        value = options.get(name)
        if value is not None and not isinstance(value, kind):
            raise OptionError.value("evaluate", name, what, value)
    check_inference(
        "evaluate", "ci", options.get("ci", 0.95), options.get("resamples", 1000), options.get("seed", 0),
        options.get("interval", "jackknife"),
    )  # fmt: skip


def _understood(head: pa.Table, source: str, requested: Mapping[str, Any], options: Options) -> Dataset:
    """Return the first rows with known columns."""
    export = export_of(head.column_names)
    if export is not None:
        message = f"{source} are as {export.name} writes them; read these in one process, or rename their columns"
        raise UsageError(message)
    needs = chain.from_iterable(chain.from_iterable(metric.needs) for metric in requested.values())
    mapping = own_names({*needs} - SCHEMA.keys()) | dict(options.get("map") or {})
    try:
        data = replace(read(head, mapping=mapping, split=options.get("split")), source=source)
    except DataError as error:
        name = resolve(head.column_names, mapping).sources.get("id")
        ids = pa.chunked_array([], pa.string()) if name is None else head.column(name)
        raise DataError.of(source, [by_id(problem, ids) for problem in error.problems or [str(error)]]) from None
    return data


def _top(name: str) -> str:
    """Return the column of the source that a dotted name points into."""
    return name.partition(".")[0]


def _wide(schema: pa.Schema) -> pa.Schema:
    """Return a schema in which all numbers are float64: the narrow types of a batch depend on its values."""
    return pa.schema([pa.field(field.name, _wide_type(field.type)) for field in schema])


def _wide_type(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_struct(kind):
        return pa.struct([pa.field(field.name, _wide_type(field.type)) for field in _fields(kind)])
    if pa.types.is_dictionary(kind):
        return kind.value_type
    return pa.float64() if pa.types.is_integer(kind) or pa.types.is_floating(kind) else kind


def _fields(kind: pa.StructType) -> Iterator[pa.Field]:
    return (kind.field(place) for place in range(kind.num_fields))
