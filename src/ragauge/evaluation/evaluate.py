"""The calls that most programs need: evaluate, score."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import chain
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from ragauge.core.batch import Dataset
from ragauge.core.ingredients import Embedder, Judge, Matcher, RelevanceModel, SupportModel
from ragauge.core.options import check_whole
from ragauge.core.protocol import Metric, columns_lacked
from ragauge.core.sample import SCHEMA
from ragauge.errors import ColumnError, OptionError, UsageError, column_title
from ragauge.evaluation.evaluator import Evaluator, Progress, Requested, grouping_columns, named
from ragauge.evaluation.ingredients import for_columns, notes_on_untaken, shared_ingredients
from ragauge.evaluation.input import ASIDE, aside, put_back, rows_of, rows_of_tokens
from ragauge.evaluation.languages import COLUMN, with_tokenizers
from ragauge.evaluation.one_sample import score_of_texts
from ragauge.evaluation.presets import chosen
from ragauge.evaluation.summarize import Inference, check_inference
from ragauge.formats.column_names import as_map, guessed, known_name, own_names
from ragauge.metrics.other_names import notes_on_names
from ragauge.metrics.parse import parse
from ragauge.results.result import Result

if TYPE_CHECKING:
    from ragauge.engines.local import LocalEngine
    from ragauge.judges.session import Session
    from ragauge.systems.calling import System

_RECORDED = frozenset({"failure", "in_run", "latency", "span_id", "input_tokens", "output_tokens", "cost"})
_WITHOUT_SYSTEM = {
    "concurrency": 1, "timeout": None, "retries": 2, "rate": None, "answers": None, "resume": False,
}  # fmt: skip
_MOST_NAMED = 10
_Reads: TypeAlias = Callable[[object, Mapping[str, Any]], Dataset]
"""Makes samples of the data and the options of `ragauge.formats.read`."""
UNUSED = "unused columns: "
"""The note begins so; who reads further columns drops it."""
_LOOKED_AT = 100
"""Rows by which it is told whether a column could be a known one."""


def evaluate(  # noqa: C901, PLR0913 - the options of the command line
    data: object = None,
    metrics: Requested | Iterable[Requested] | Mapping[str, str | Metric] | None = None,
    *,
    run: object = None,
    qrels: object = None,
    system: System | str | None = None,
    concurrency: int = 1,
    timeout: float | None = None,
    retries: int = 2,
    rate: str | None = None,
    answers: str | PathLike[str] | None = None,
    resume: bool = False,
    preset: str | None = None,
    map: Mapping[str, str] | None = None,  # noqa: A002 - the name of the option on the command line
    split: Mapping[str, str] | None = None,
    lang: str | None = None,
    embedder: str | Embedder | None = None,
    support: str | SupportModel | None = None,
    relevance: str | RelevanceModel | None = None,
    matcher: str | Matcher | None = None,
    judge: str | Judge | None = None,
    session: Session | None = None,
    by: str | Iterable[str] = (),
    cluster: str | None = None,
    ci: float = 0.95,
    interval: str = "jackknife",
    resamples: int = 1000,
    seed: int = 0,
    limit: int | None = None,
    format: str | None = None,  # noqa: A002 - as in `ragauge.formats.read`
    encoding: str | None = None,
    embedding_cache: str | PathLike[str] | None = None,
    evidence: bool = False,
    workers: int | Literal["all"] | None = None,
    parts: str | PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Result:
    """Evaluate a run: samples with their answers and contexts, or a ranking with its judgements.

    Args:
        data: a path, a data frame, an Arrow object, a list of dicts or of `Sample`; with ``system``, the questions.
        metrics: specs such as ``"ndcg@10"`` or metric objects, also by names; by default all whose columns are there.
        run: a TREC run: a path, or ``{query: {document: score}}``.
        qrels: its judgements: a path, or ``{query: {document: grade}}``.
        system: called with each question: a function, a coroutine function, an object with invoke, query or run, or
            the name of one, ``module:function``. Its answer, contexts, ids and latency are recorded, exceptions too.
        concurrency: questions that the system is asked at once.
        timeout: seconds that one call may take.
        retries: further tries after a failure that looks temporary, such as a broken connection.
        rate: calls at most, as in ``10/s`` or ``600/min``.
        answers: a file that keeps each answer as it comes; after an interrupt KeyboardInterrupt is raised, while
            without it the result has what was answered until then.
        resume: go on with ``answers``: what it has an answer to is not asked again; or with ``parts``.
        preset: ``retrieval``, ``generation`` or ``rag``, in place of ``metrics``.
        map: known column -> its name in the data.
        split: column of texts -> the separator between the texts, where a field holds them all in one.
        lang: a language tag such as ``zh``, to tokenise texts by the language's own tokenizer wherever a metric does
            not name one; ``column``: by that of each row's ``language``.
        embedder: an embedder such as ``use``, for every metric that takes one and does not name its own (an object:
            that has the default one); UsageError if none of ``metrics`` takes it.
        support: a support model such as ``nli``, likewise.
        relevance: a relevance model such as ``reranker``, likewise.
        matcher: a matcher of passages such as ``edit``, likewise.
        judge: an LLM that judged metrics ask, such as ``chat[url=http://localhost:11434/v1,model=qwen3]``, likewise.
        session: a `ragauge.judges.Session`: where a judge's answers are kept, and limits on calls and cost.
        by: columns to group by, each on its own.
        cluster: the column of samples that belong together, for intervals.
        ci: level of the intervals.
        interval: how they are made: ``jackknife``, or ``percentile`` of bootstrap replicates.
        resamples: bootstrap replicates of ``percentile``; 0 for no intervals, whatever the method.
        seed: of the replicates.
        limit: read so many samples only.
        format: the format of the file, such as ``csv``, where neither its suffix nor its first bytes tell it.
        encoding: of a file that is not UTF-8, such as ``big5``, where its first bytes do not tell it.
        embedding_cache: a directory that keeps vectors of texts from run to run.
        evidence: keep what each score rests on, for `Result.explain`, for a saved run and for its report.
        workers: processes that score at once, with the same result; "all": one for each core; None: this process alone.
            They take about a second to start, so they help from some ten thousand texts on, or a thousand where a
            sample takes milliseconds.
        parts: a folder that keeps what ``workers`` have finished, for ``resume``; remove it when all is done. None: a
            temporary one.
        progress: called at the start and after each batch with the number of samples done and their total; with a
            system first after each question.

    Raises:
        UsageError: a metric or an argument is wrong.
        DataError: the data are wrong.

    >>> result = evaluate([{"retrieved": ["a", "b"], "relevance": {"b": 1}}], "mrr", resamples=0)
    >>> result["mrr"].value
    0.5
    """
    if metrics is not None and preset is not None:
        raise UsageError("give metrics or a preset, not both")
    for option, argument, kinds, allowed in (
        ("map", map, Mapping, "a dict with names of columns as keys"),
        ("split", split, Mapping, "a dict with names of columns as keys"),
        ("format", format, str, "the name of a file format"),
        ("encoding", encoding, str, "the name of an encoding, such as 'gb18030'"),
        ("lang", lang, str, f"a language tag such as 'zh', or {COLUMN!r}"),
        ("embedding_cache", embedding_cache, str | PathLike, "a directory"),
        ("evidence", evidence, bool, "True or False"),
        ("resume", resume, bool, "True or False"),
    ):
        if argument is not None and not isinstance(argument, kinds):
            raise OptionError.value("evaluate", option, allowed, argument)
    by_kind = {"embedder": embedder, "support": support, "relevance": relevance, "matcher": matcher, "judge": judge}
    shared = shared_ingredients(by_kind) if [one for one in by_kind.values() if one is not None] else {}
    requested = None if metrics is None else named(metrics, shared)
    check_inference("evaluate", "ci", ci, resamples, seed, interval)
    inference = Inference(ci, resamples, seed, interval)
    groups = grouping_columns("evaluate", by)
    if cluster is not None and not (isinstance(cluster, str) and cluster):
        raise OptionError.value("evaluate", "cluster", "the name of a column", cluster)
    call = {"resume": resume, "alone": run is not None, "system": system}
    engine = None if workers is None and parts is None else _processes(workers, parts, data, **call)
    of_answers = resume and parts is None
    asking = dict(zip(_WITHOUT_SYSTEM, (concurrency, timeout, retries, rate, answers, of_answers), strict=True))
    columns = {"by": groups, "cluster": () if cluster is None else (cluster,)}
    is_asked = system is not None or asking != _WITHOUT_SYSTEM
    asked_of: _Reads | None = None if engine is None or run is not None or data is None else engine.read
    if is_asked:
        from ragauge.evaluation.run_system import asked_by

        asked_of = asked_by(system, asking, _WITHOUT_SYSTEM, tuple((requested or {}).values()), columns, progress)
    needs = [columns for metric in (requested or {}).values() for columns in metric.needs]
    others = {*chain.from_iterable(needs)} - SCHEMA.keys()
    if others and data is not None:
        # The metric column:name=output reads a column of that name, which would else be read as the answer.
        map = own_names(others) | dict(map or {})  # noqa: A001 - as above
    reading = {"mapping": map, "split": split, "limit": limit, "format": format, "encoding": encoding}
    if requested is None:
        requested, dataset = _defaults(preset, _dataset(data, run, qrels, asked_of, reading), shared)
    elif _take_tokens(requested.values()):
        dataset = put_back(_dataset(data, run, qrels, asked_of, reading | {"mapping": aside(map)}))
    else:
        dataset = _dataset(data, run, qrels, asked_of, reading)
    texts = [metrics] if isinstance(metrics, str) else metrics if isinstance(metrics, list | tuple) else ()
    renamed = [one for one in texts if isinstance(one, str) and (one not in requested or one == "faithfulness")]
    renamed_notes = notes_on_names(renamed) if renamed else []
    untaken = notes_on_untaken(requested.values(), shared, named=metrics is not None) if shared else []
    dataset = replace(dataset, notes=(*dataset.notes, *renamed_notes, *untaken))
    if lang is not None or [metric for metric in requested.values() if hasattr(metric, "tokenizer")]:
        requested, notes = with_tokenizers(requested, lang, dataset)
        dataset = replace(dataset, notes=(*dataset.notes, *notes))
    if [metric for metric in requested.values() if getattr(metric, "embedder", None) is not None]:
        requested, dataset = for_columns(requested, dataset.columns), _with_store(dataset, embedding_cache)
    unused = _unused_note(dataset, requested.values(), {*groups, cluster or "id"})
    dataset = replace(dataset, notes=(*dataset.notes, *unused))
    evaluator = Evaluator(requested, groups, cluster, inference, evidence)
    if engine is not None or [metric for metric in requested.values() if hasattr(metric, "judge")]:
        return _elsewhere(evaluator, dataset, engine, embedding_cache, session, progress)
    return evaluator(dataset, progress)


def score(metric: Requested, **columns: object) -> float:
    """Score one sample, or whole columns of samples, with one metric.

    Args:
        metric: a spec, a metric, or the class of a metric, which then has its default options.
        columns: what the metric needs, by column name. In one sample, a string or list of strings; in columns, a list
            with one entry per sample.

    Returns:
        The score; NaN where it is undefined.

    Raises:
        ColumnError: a column that the metric needs was not passed.

    >>> score("ndcg@3:gain=exp,ideal=retrieved", relevance=[3, 2, 3, 0, 1])
    0.9594535145926796
    >>> score("mrr", retrieved=[["a", "b"], ["c"]], relevance=[{"b": 1}, {"c": 1}])
    0.75
    """
    one = parse(metric) if isinstance(metric, str) else next(iter(named([metric]).values()))
    value = score_of_texts(one, columns)
    rows = rows_of_tokens(columns) if _take_tokens([one]) else rows_of(columns)
    try:
        return evaluate(rows, [one], resamples=0).table[0].value if value is None else value
    except ColumnError:
        absent = columns_lacked(one, [known_name(name) or name for name in columns])
        if not absent:
            raise
        message = f"{one} needs {' and '.join(f'{name}=...' for name in absent)}; score got {', '.join(columns)}"
        raise ColumnError(message) from None


def _processes(workers: object, parts: object, data: object, **call: Any) -> LocalEngine:
    from ragauge.engines.local import LocalEngine

    return LocalEngine.of(workers, parts, data, **call)


def _elsewhere(
    evaluator: Evaluator,
    data: Dataset,
    engine: LocalEngine | None,
    cache: str | PathLike[str] | None,
    session: Session | None,
    progress: Progress | None,
) -> Result:
    """Evaluate in several processes, with a judge, or in this process where neither can be."""
    if engine is not None:
        outcome = engine.evaluate(evaluator, data, cache, progress)
        if isinstance(outcome, Result):
            return outcome
        data = replace(data, notes=(*data.notes, outcome))
    if not [metric for metric in evaluator.metrics.values() if hasattr(metric, "judge")]:
        return evaluator(data, progress)
    from ragauge.evaluation.judging import evaluate_with_judge

    return evaluate_with_judge(evaluator, data, session, progress)


def _take_tokens(metrics: Iterable[Metric]) -> bool:
    """Return whether ``metrics`` read lists of tokens; UsageError where some do, and others read texts."""
    reading = [metric for metric in metrics if not set(ASIDE).isdisjoint(chain.from_iterable(metric.needs))]
    tokenizers = {str(metric): str(getattr(metric, "tokenizer", "")) for metric in reading}
    others = [name for name, tokenizer in tokenizers.items() if tokenizer != "none"]
    if others and len(others) < len(tokenizers):
        message = f"tokenizer=none reads lists of tokens, and {', '.join(others)} reads texts; score them in two runs"
        raise UsageError(message)
    return bool(tokenizers) and not others


def _unused_note(data: Dataset, metrics: Iterable[Metric], used: Iterable[str]) -> tuple[str, ...]:
    """Return a note that names the columns which neither a metric nor ``used`` reads; none where there is none."""
    read = {*used, *SCHEMA, *_RECORDED}.union(*[chain.from_iterable(metric.needs) for metric in metrics])
    names = [name for name in data.columns if name not in read]
    if not names:
        return ()
    table = next(iter(data.batches())).table()
    known = {name: name for name in data.columns if name in SCHEMA or name in _RECORDED}
    fields = {name: table[name][:_LOOKED_AT].to_pylist() for name in names[:_MOST_NAMED]}
    likely = {name: f" (looks like {one}: {as_map(one, name)})" for one, name in guessed(fields, known).items()}
    shown = [f"{column_title(name)}{likely.get(name, '')}" for name in fields]
    more = [f"{len(names) - len(shown)} more"] if len(names) > len(shown) else []
    return (f"{UNUSED}{', '.join([*shown, *more])}",)


def _with_store(data: Dataset, directory: str | PathLike[str] | None) -> Dataset:
    from ragauge.embedders.store import with_store

    return with_store(data, None if directory is None else fspath(directory))


def _defaults(preset: str | None, data: Dataset, shared: Mapping[str, Any]) -> tuple[dict[str, Metric], Dataset]:
    kept, left_out = chosen(preset, data.columns, shared)
    notes = (f"skipped {', '.join(names)}: needs {columns}" for columns, names in left_out.items())
    return kept, replace(data, notes=(*data.notes, *notes))


def _dataset(
    data: object,
    run: object,
    qrels: object,
    asked_of: _Reads | None,
    reading: Mapping[str, Any],
) -> Dataset:
    """Read the data; ``reading``: the options of `ragauge.formats.read`."""
    from ragauge.formats import read, read_retrieval

    if reading["limit"] is not None:
        check_whole("evaluate", "limit", "a whole number from 1", reading["limit"], 1)
    if (run is None) != (qrels is None):
        present, absent = ("run", "qrels") if qrels is None else ("qrels", "run")
        raise UsageError(f"{present} needs {absent}: a ranking is scored against judgements. Pass both.")
    if run is not None:
        without = {"system": asked_of, "split": reading["split"]}
        if data is None:
            without |= {"map": reading["mapping"], "format": reading["format"], "encoding": reading["encoding"]}
        for option, value in without.items():
            if value:
                raise UsageError(f"{option} has no effect on a run and its qrels; leave it out, or give data")
        of_rows = {name: value for name, value in reading.items() if name != "split"}
        return read_retrieval(cast("Any", run), cast("Any", qrels), data=data, **of_rows)
    if data is None:
        raise UsageError("there is nothing to evaluate: give data, or a run and its qrels")
    return read(data, **reading) if asked_of is None else asked_of(data, reading)
