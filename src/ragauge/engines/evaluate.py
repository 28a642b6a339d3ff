"""The calls that most programs need: evaluate, score."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import chdir, suppress
from dataclasses import replace
from functools import partial
from math import isnan, nan
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

from ragauge.core.batch import Dataset
from ragauge.core.ingredients import Embedder, Judge, Matcher, RelevanceModel, SupportModel, Tokenizer
from ragauge.core.messages import Joined
from ragauge.core.protocol import FAILURE, Metric, columns_lacked
from ragauge.core.statistics import Totals
from ragauge.core.text_batch import TextBatch
from ragauge.engines.local import OneProcess
from ragauge.engines.plan import Plan, plan
from ragauge.errors import ColumnError, DataError, RagaugeError, UsageError
from ragauge.evaluation.answered import with_answered
from ragauge.evaluation.citation_numbers import counted_from_one
from ragauge.evaluation.evaluator import Progress
from ragauge.evaluation.input import put_back, rows_of, rows_of_tokens
from ragauge.evaluation.kept_samples import Read, on_kept_run, read_samples
from ragauge.evaluation.likely import (
    context_of,
    encoding_of,
    likely_columns,
    notes_on,
    with_advice,
    with_nulls_if_failed,
)
from ragauge.evaluation.repeated_ids import rows_apart
from ragauge.evaluation.request import Requested, RunRequest, named, take_tokens
from ragauge.evaluation.turns import read_turns, with_earlier
from ragauge.formats import read
from ragauge.formats.column_names import known_name
from ragauge.metrics.function import Function
from ragauge.metrics.parse import parse
from ragauge.results.result import Result

if TYPE_CHECKING:
    from ragauge.engines.pool import Pool
    from ragauge.judges.session import Session
    from ragauge.systems.calling import System


def evaluate(  # noqa: PLR0913 - the options of the command line
    data: object = None,
    metrics: Requested | Iterable[Requested] | Mapping[str, str | Metric | Function] | None = None,
    *,
    run: object = None,
    qrels: object = None,
    system: System | str | None = None,
    concurrency: int = 1,
    timeout: float | None = None,
    retries: int = 2,
    rate: str | None = None,
    repeats: int = 1,
    turns: bool = False,
    answers: str | PathLike[str] | None = None,
    resume: bool = False,
    preset: str | None = None,
    map: Mapping[str, str] | None = None,  # noqa: A002 - the name of the option on the command line
    split: Mapping[str, str] | None = None,
    lang: str | None = None,
    tokenizer: str | Tokenizer | Callable[[str], list[str]] | None = None,
    embedder: str | Embedder | None = None,
    support: str | SupportModel | None = None,
    relevance: str | RelevanceModel | None = None,
    matcher: str | Matcher | None = None,
    duplicates: Literal["error", "first"] | None = None,
    judge: str | Judge | None = None,
    session: Session | None = None,
    by: str | Iterable[str] | None = (),
    cluster: str | None = None,
    ci: float = 0.95,
    interval: str = "jackknife",
    resamples: int = 1000,
    seed: int = 0,
    limit: int | None = None,
    format: str | None = None,  # noqa: A002 - as in `ragauge.formats.read`
    encoding: str | None = None,
    strict: bool = False,
    embedding_cache: str | PathLike[str] | None = None,
    evidence: bool = False,
    workers: int | Literal["all"] | None = None,
    parts: str | PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Result:
    """Evaluate a run: samples with their answers and contexts, or a ranking with its judgements.

    Args:
        data: a path, a data frame, an Arrow object, a list of dicts or of `Sample`; with ``system``, the questions. A
            saved run, its directory or the result itself: the samples that it kept; then metrics, groups, cluster,
            language and intervals that are left at their defaults are those of the run.
        metrics: specs such as ``"ndcg@10"`` or metric objects, also by names; by default all whose columns are there.
        run: a TREC run: a path, or ``{query: {document: score}}``.
        qrels: its judgements: a path, or ``{query: {document: grade}}``.
        system: called with each question: a function, a coroutine function, an object with invoke, query or run, or
            the name of one, ``module:function``. Its answer, contexts, ids and latency are recorded, exceptions too.
        concurrency: questions that the system is asked at once.
        timeout: seconds that one call may take.
        retries: further tries after a failure that looks temporary, such as a broken connection.
        rate: calls at most, as in ``10/s`` or ``600/min``.
        repeats: how often each question is asked, for `ragauge.repeats`. Above 1, a column ``question_id`` says whose
            answer a sample is, and is the ``cluster`` unless another is named.
        turns: ``data`` are conversations: lists of messages, or rows with columns ``conversation`` and ``turn``. Each
            turn is a sample, for which passages of earlier turns count where it refers to them, and ``conversation`` is
            the ``cluster``. A system is asked the questions of one after the other, and told what was said before.
        answers: a file that keeps each answer as it comes; after an interrupt KeyboardInterrupt is raised. Without a
            file, an interrupted run returns a result of the questions that were answered.
        resume: continue with ``answers``: a question with an answer there is not asked again; or with ``parts``; or,
            where ``data`` is a saved run, with its scores: only samples that failed are scored again.
        preset: ``retrieval``, ``generation``, ``rag``, ``summary``, ``translation`` or ``all``, instead of ``metrics``.
        map: known column -> its name in the data.
        split: column of texts -> the separator between the texts, where a field holds them all in one.
        lang: a language tag such as ``zh``, to tokenise texts by the language's own tokenizer wherever a metric does
            not name one; ``column``: by that of each row's ``language``.
        tokenizer: a tokenizer such as ``words``, or a function text -> tokens, for every metric that takes one and does
            not name its own; UsageError if none of ``metrics`` takes it.
        embedder: an embedder such as ``use``, for every metric that takes one and does not name its own (an object:
            that has the default one); UsageError if none of ``metrics`` takes it.
        support: a support model such as ``nli``, likewise.
        relevance: a relevance model such as ``reranker``, likewise.
        matcher: a matcher of passages such as ``edit``, likewise.
        duplicates: ``first``: a document retrieved twice for a query counts the first time only; by default it is an
            error. For every metric that takes the option and does not name its own.
        judge: an LLM that judged metrics ask, such as ``chat[url=http://localhost:11434/v1,model=qwen3]``, likewise.
        session: a `ragauge.judges.Session`: the judge cache, and limits on calls and cost.
        by: columns to group by, each on its own.
        cluster: the column of samples that belong together, for intervals.
        ci: level of the intervals.
        interval: how they are made: ``jackknife``, or ``percentile`` of bootstrap replicates.
        resamples: bootstrap replicates of ``percentile``; 0 for no intervals, whatever the method.
        seed: of the replicates.
        limit: read so many samples only.
        format: the format of the file, such as ``csv``, where neither its suffix nor its first bytes tell it.
        encoding: of a file that is not UTF-8, such as ``big5``, where its first bytes do not tell it.
        strict: never guess what a column holds by words in its name: where no metric can be computed without, it is an
            error.
        embedding_cache: a directory that keeps vectors of texts from run to run.
        evidence: keep the evidence of each score, for `Result.explain`, for a saved run and for its report.
        workers: processes that score at once, with the same result; "all": one for each core; None: this process alone.
            They take about a second to start, so they help from some ten thousand texts on, or a thousand where a
            sample takes milliseconds.
        parts: a folder that keeps the parts that ``workers`` have finished, for ``resume``; remove it when all is done.
            None: a temporary one.
        progress: called at the start and after each batch with the number of samples done and their total; with a
            system first after each question.

    Raises:
        UsageError: a metric or an argument is wrong.
        DataError: the data are wrong.

    >>> result = evaluate([{"retrieved": ["a", "b"], "relevance": {"b": 1}}], "mrr", resamples=0)
    >>> result["mrr"].value
    0.5
    """
    request = on_kept_run(RunRequest(**locals()))
    engine = engine_of(request)
    request, data, work = _planned(request, engine.read)
    data = replace(data, notes=(*data.notes, *work.notes))
    if request.resume and isinstance(request.data, Result) and request.system is None:
        from ragauge.engines.resume import resumed

        result = resumed(request.data, work, data, engine, request.session, progress)
    else:
        result = engine.run(work, data, progress)
    return result if request.lang is None else replace(result, options={**result.options, "lang": request.lang})


def _planned(request: RunRequest, read_data: Read) -> tuple[RunRequest, Dataset, Plan]:
    """Return the request, its samples and its plan.

    Columns are guessed where the user named neither any of them nor a metric, and where nothing can be scored without.
    """
    own, data = _with_samples(request, read_data)
    free = request.metrics is None and all(known == source for known, source in (request.map or {}).items())
    likely = likely_columns(request, data) if free else {}
    likely.pop(FAILURE, None)
    if likely:
        # Fields that cannot be read as the guess has it show that it is wrong.
        with suppress(RagaugeError):
            return _guessing(request, read_data, likely)
    try:
        return own, data, plan(own, data)
    except ColumnError as error:
        likely = likely_columns(request, data)
        with suppress(ColumnError):
            if likely:
                return _guessing(request, read_data, likely)
        raise with_advice(error, request, data) from None


def _guessing(request: RunRequest, read_data: Read, likely: Mapping[str, str]) -> tuple[RunRequest, Dataset, Plan]:
    request = replace(request, map={**(request.map or {}), **likely})
    own, data = _with_samples(request, read_data)
    data = replace(data, notes=(*data.notes, *notes_on(likely)))
    return own, data, plan(own, data)


def _with_samples(request: RunRequest, read_data: Read) -> tuple[RunRequest, Dataset]:
    """Return the samples of a request, and the request with the cluster of rows that share an id."""
    own = request
    try:
        data = samples_of(request, read_data)
    except DataError as error:
        found = rows_apart(request, error, partial(samples_of, read_data=read_data))
        if found is None:
            raise
        own, data = found
    return own, with_answered(data, request.by)


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
    rows = rows_of_tokens(columns) if take_tokens([one]) else rows_of(columns)
    try:
        return evaluate(rows, [one], resamples=0).table[0].value if value is None else value
    except ColumnError:
        absent = columns_lacked(one, [known_name(name) or name for name in columns])
        if not absent:
            raise
        raise ColumnError(
            "RG-ENG-003 {metric} needs {needed}; score got {columns}",
            one,
            Joined([f"{name}=..." for name in absent], " and "),
            ", ".join(columns),
        ) from None


def engine_of(request: RunRequest) -> OneProcess | Pool:
    """Return what runs the plan of a request: this process, or workers of this machine."""
    if request.workers is None:
        return OneProcess(request.session)
    from ragauge.engines.pool import Pool

    return Pool(request)


def samples_of(request: RunRequest, read_data: Read = read) -> Dataset:
    """Return the samples of ``request``; with a system, its questions with the answers.

    ``read_data``: reads them where there is neither a run nor a system, as `ragauge.formats.read` does.

    Raises:
        UsageError: there is nothing to read.
        DataError: the data are wrong.
    """
    if request.run is not None:
        options: dict[str, Any] = {name: value for name, value in request.reading.items() if name != "split"}
        from ragauge.formats import read_retrieval

        data = read_retrieval(request.run, request.qrels, data=request.data, **options)
    elif request.data is None:
        raise UsageError("RG-ENG-004 there is nothing to evaluate: give data, or a run and its qrels")
    else:
        try:
            data = _read_or_answered(request, read_data)
        except ColumnError as error:
            found = context_of(request, error)
            if found is None:
                raise
            mapped, note = found
            data = samples_of(replace(request, map={**(request.map or {}), **mapped}), read_data)
            return replace(data, notes=(*data.notes, note))
        except DataError as error:
            encoding = encoding_of(request, error)
            if encoding is None:
                raise
            return samples_of(replace(request, encoding=encoding), read_data)
    data = counted_from_one(with_earlier(data) if request.turns else data)
    return put_back(data) if request.takes_tokens else data


def _read_or_answered(request: RunRequest, read_data: Read) -> Dataset:
    if request.system is None:
        reader = partial(read_turns, read_data) if request.turns else read_data
        return with_nulls_if_failed(read_samples(request.data, reader, **request.reading))
    from ragauge.evaluation.run_system import answered

    # A system may change the folder of the process, and paths are of the folder in which the run was started.
    with chdir(os.curdir):
        return answered(request)


def score_of_texts(metric: Metric, columns: Mapping[str, object]) -> float | None:
    """Return the score of one answer; NaN where it is undefined, None where the columns must be read as data are.

    The number is that of `evaluate`, to the last bit.

    >>> from ragauge.metrics.parse import parse
    >>> score_of_texts(parse("rouge-1"), {"answer": "a b", "references": ["a b c", "d"]})
    0.8
    >>> score_of_texts(parse("rouge-1"), {"answer": ["a b"], "references": ["a b c"]}) is None
    True
    """
    answer, references = columns.get("answer"), columns.get("references")
    texts = [references] if isinstance(references, str) else references
    if len(columns) != 2 or not isinstance(answer, str) or not isinstance(texts, list) or not texts:
        return None
    from ragauge.metrics.text import ReferenceMetric

    if not isinstance(metric, ReferenceMetric) or not all(
        isinstance(text, str) and _is_valid(text) for text in (answer, *texts)
    ):
        return None
    try:
        rows = metric.measure(TextBatch([answer], [texts]))
    except RagaugeError:
        # `evaluate` raises it again, in the words for data.
        return None
    if not rows.ok.all():
        return nan
    if metric.average == "pooled":
        return float(metric.score(rows.totals()))
    score = float(metric.score(rows)[0])
    return score if isnan(score) else float(Totals.of(value=score)["value"])


def _is_valid(text: str) -> bool:
    """Return whether ``text`` has no half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
