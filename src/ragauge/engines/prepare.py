"""Scoring on a cluster: the driver decides columns, metrics and what tasks send from the first rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, Protocol, TypedDict

import pyarrow as pa

from ragauge.core.batch import Batch, Dataset
from ragauge.core.ingredients import Embedder, Judge, Matcher, RelevanceModel, SupportModel, Tokenizer
from ragauge.core.messages import Argument, Message
from ragauge.core.protocol import name_of
from ragauge.core.sample import SCHEMA
from ragauge.engines.judging import open_session, with_counts
from ragauge.engines.part import ScoredPart, finish, score_part
from ragauge.engines.plan import Plan, asks_judge, columns_used, plan
from ragauge.engines.task import SAMPLE, Task, by_id, repeated_ids, whole
from ragauge.errors import DataError, OptionError, UsageError
from ragauge.evaluation.citation_numbers import notes_on_zero
from ragauge.evaluation.languages import COLUMN
from ragauge.evaluation.partial import Partial
from ragauge.evaluation.request import RunRequest
from ragauge.formats import read
from ragauge.formats.column_names import resolve
from ragauge.formats.sources import export_of
from ragauge.judges.question import SESSION
from ragauge.judges.session import Session, Tally
from ragauge.results.result import Result
from ragauge.results.storage import sample_scores_of

HEAD = 1000
"""Rows by which the driver understands the columns."""
UNDERSTOOD = "RG-NOTE-027 columns were understood by the first {n:,} rows, and so are notes on texts"
"""A note begins so; who has read all rows drops it."""
MOST_LANGUAGES = 10_000
"""Values of a column above which it is not one of languages."""
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
    tokenizer: str | Tokenizer | Callable[[str], list[str]] | None
    duplicates: Literal["error", "first"] | None
    judge: str | Judge | None
    session: Session | None
    by: str | Iterable[str]
    cluster: str | None
    ci: float
    interval: Literal["jackknife", "percentile"]
    resamples: int
    seed: int


@dataclass(frozen=True, eq=False)
class Prepared:
    """A run on a cluster before its rows are scored.

    ``task``: the work of each task. ``plan``: its plan, with the judges themselves. ``columns``: of the source, those
    that tasks read. ``id``: the source's name of ids; None where ids are made from the content of rows. ``data``: the
    source as the result will describe it, without its rows. ``judging``: the session of the judges, and the counts of
    the questions about these rows.
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
        schema = self.task.scores or pa.schema([])
        fields = [pa.field("id", pa.string()), *map(schema.field, names)]
        scores = pa.concat_tables(tables(["id", *names])).cast(pa.schema(fields))
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


class ClusterRows(Protocol):
    """The rows of a table on a cluster, with the operations of its engine."""

    @property
    def source(self) -> str:
        """Name of the rows in messages."""

    def head(self) -> pa.Table:
        """Return the first `HEAD` rows, with all columns."""

    def distinct(self, name: str) -> pa.Table:
        """Return each value of a column once, as a table of that column."""

    def place(self) -> tuple[str, int]:
        """Return the address of this process as the tasks know it, and how many of them run at once."""

    def repeated_ids(self, prepared: Prepared) -> list[object]:
        """Return some of the ids that several rows have."""

    def scored(self, prepared: Prepared) -> tuple[list[dict[str, Any]], Any]:
        """Let tasks score the rows; return rows of `SUMS`, and the scores of samples as the cluster's own table."""


class Scored(NamedTuple):
    """A run on a cluster after its rows were scored: all parts merged, and the scores of samples as its own table."""

    prepared: Prepared
    part: ScoredPart
    scores: Any


def score_rows(
    rows: ClusterRows, request: RunRequest, *, scores: bool, samples: bool = False, check_ids: bool = True
) -> Scored:
    """Score ``rows`` on their cluster.

    Args:
        rows: the table and its engine.
        request: the metrics and options; its data are not read.
        scores: also return the scores of samples.
        samples: likewise, with a column ``sample``, a struct of the sample's own columns.
        check_ids: make sure first that no id comes twice.

    Raises:
        UsageError: something needs all rows in one process.
        ColumnError: the data lack a column that is needed, ids among them.
        DataError: rows are wrong, each named by its id.
    """
    prepared = prepare(rows, request, scores=scores, samples=samples)
    with relaying(prepared, request.session, rows.place) as relayed:
        # Ids that are made from content are known by it alone.
        ids = rows.repeated_ids(relayed) if check_ids or relayed.id is None else []
        if ids:
            raise repeated_ids(rows.source, ids, relayed.id or "id", has_own=relayed.id is not None)
        sums, table = rows.scored(relayed)
        return Scored(relayed, whole(sums, rows.source), table)


def request_of(metrics: object, options: Options) -> RunRequest:
    """Return the request of a call on a cluster; OptionError for an option that it does not take."""
    allowed = tuple(Options.__annotations__)
    for name in options:
        if name not in allowed:
            raise OptionError.unknown("evaluate on a cluster", name, allowed)
    arguments: dict[str, Any] = {**options}
    return RunRequest(metrics=metrics, **arguments)


def prepare(rows: ClusterRows, request: RunRequest, *, scores: bool, samples: bool = False) -> Prepared:
    """Decide what the tasks do, from the first rows; the arguments are those of `score_rows`.

    Raises:
        UsageError: an option needs all rows in one process.
        ColumnError: the data lack a column that is needed.
        DataError: the first rows are wrong, or there are none.
    """
    head = rows.head()
    data = _understood(head, rows.source, request)
    work = plan(request, data, languages=_languages(rows, data) if request.lang == COLUMN else None)
    used = columns_used(work.evaluator)
    has_ids = data.mapping.get("id", "id") in head.column_names
    # Ids are made from all columns.
    kept = [name for name in data.columns if name in used or samples or not has_ids]
    sources = {name: data.mapping.get(name, name) for name in kept}
    renamed = {name: name_in for name, name_in in data.mapping.items() if name in kept}
    mapping = {name: name_in for name, name_in in sources.items() if _top(name_in) in head.column_names}
    first = next(data.batches()).table().select(kept)
    of_citations = notes_on_zero(data)
    kinds = {field.name: field.type for field in first.schema}
    task = Task(work, mapping, data.split, kinds, cites_from_zero=bool(of_citations) and "citations" in kept)
    if scores or samples:
        schema = score_part(_first_row(first, work), work).scores().schema
        task = replace(task, scores=pa.schema([field.with_type(_wide(field.type)) for field in schema]))
    if samples:
        # A column that is null in the first rows is text.
        types = [(field.name, pa.string() if pa.types.is_null(field.type) else field.type) for field in first.schema]
        task = replace(task, samples=pa.struct(types))
    notes = (Message(UNDERSTOOD, data.rows), *data.notes, *of_citations, *work.notes)
    described = Dataset(rows.source, 0, tuple(kept), lambda: iter(()), renamed, notes)
    tops = tuple(dict.fromkeys(map(_top, mapping.values())))
    return Prepared(task, work, tops, mapping["id"] if has_ids else None, described)


@contextmanager
def relaying(prepared: Prepared, session: object, place: Callable[[], tuple[str, int]]) -> Iterator[Prepared]:
    """Yield ``prepared`` with tasks that ask judges through this process, which listens as long as it lasts.

    Args:
        prepared: yielded as it is where no metric asks a judge.
        session: the judge cache and limits; None: one for this run.
        place: returns the address of this machine as the tasks know it, and how many tasks run at once.

    Raises:
        UsageError: this process cannot ask the judge, or the session only counts.
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
            raise UsageError(
                "RG-ENG-031 a dry run counts requests in one process; leave out the cluster, or the dry run"
            )
        with Relay([one.judge for one in asking.values()], own, *place()) as relay:
            relayed = {name: replace(one, judge=relay.relayed(one.judge, name_of(one))) for name, one in asking.items()}
            _ = plan.identity
            evaluator = replace(plan.evaluator, metrics={**plan.evaluator.metrics, **relayed})
            task = replace(prepared.task, plan=replace(plan, evaluator=evaluator))
            yield replace(prepared, task=task, plan=plan, judging=(own, tally))


def _first_row(table: pa.Table, own_plan: Plan) -> Batch:
    """Return the first row, for which no judge is asked."""
    batch = Batch(table.slice(0, 1))
    if not asks_judge(own_plan.evaluator.metrics):
        return batch
    return batch.given(SESSION, Session(dry_run=True))


def _languages(rows: ClusterRows, data: Dataset) -> Dataset | None:
    """Return rows with each language of all rows; None where there is no column of languages."""
    if "language" not in data.columns:
        return None
    name = data.mapping.get("language", "language")
    values = rows.distinct(_top(name))
    if values.num_rows > MOST_LANGUAGES:
        raise UsageError(
            "RG-ENG-029 {lang}: the column {name} has more than {most:,} values, too many for "
            "languages; name the right column: {map}",
            Argument("lang", COLUMN),
            name,
            MOST_LANGUAGES,
            Argument("map", {"language": next((one for one in data.columns if one not in SCHEMA), "COLUMN")}),
        )
    return read(values, mapping={"language": name})


def _understood(head: pa.Table, source: str, request: RunRequest) -> Dataset:
    """Return the first rows with known columns."""
    export = export_of(head.column_names)
    if export is not None:
        raise UsageError(
            "RG-ENG-030 {source} are as {name} writes them; read these in one process, or rename their columns",
            source,
            export.name,
        )
    mapping = request.mapping or {}
    try:
        data = replace(read(head, mapping=mapping, split=request.split), source=source)
    except DataError as error:
        name = resolve(head.column_names, mapping).sources.get("id")
        ids = pa.chunked_array([], pa.string()) if name is None else head.column(name)
        raise DataError.of(source, [by_id(problem, ids) for problem in error.problems or [error.message]]) from None
    made = {known: name for known, name in data.mapping.items() if _top(name) not in head.column_names}
    for known, names in made.items():
        template = (
            "RG-ENG-044 {known} is made of {names}, which tasks do not join; score in one process, or join them first"
        )
        raise UsageError(template, known, names)
    return data


def _top(name: str) -> str:
    """Return the column of the source that a dotted name points into."""
    return name.partition(".")[0]


def _wide(kind: pa.DataType) -> pa.DataType:
    """Return a type in which all numbers are float64: the narrow types of a batch depend on its values."""
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_wide(field.type)) for field in kind])
    if pa.types.is_dictionary(kind):
        return kind.value_type
    return pa.float64() if pa.types.is_integer(kind) or pa.types.is_floating(kind) else kind
