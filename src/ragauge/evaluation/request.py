"""The arguments of a run, checked once: `ragauge.evaluate`, the command line, tests and clusters all make a request."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, is_dataclass, replace
from functools import cached_property
from itertools import chain
from types import MappingProxyType
from typing import Annotated, Any, Literal, TypeAlias, cast

from ragauge.core.messages import Argument, Joined, Message
from ragauge.core.names import HOMES
from ragauge.core.options import Range, checked, default_of, option_fields
from ragauge.core.protocol import Metric, name_of
from ragauge.core.registry import entries, lookup, make_ingredient
from ragauge.core.sample import SCHEMA, ByColumn, ColumnNames, Duplicates, OneColumn
from ragauge.core.spec import write
from ragauge.embedders import get
from ragauge.endpoints.address import check_scheme, is_address
from ragauge.errors import UnknownNameError, UsageError, excerpt
from ragauge.evaluation.evaluator import AnyProgress, Evaluator
from ragauge.evaluation.input import ASIDE, aside
from ragauge.evaluation.languages import COLUMN
from ragauge.evaluation.summarize import Inference, IntervalMethod, Level, Resamples, Seed
from ragauge.formats.column_names import own_names
from ragauge.formats.encodings import Encoding
from ragauge.judges.address import judge_at
from ragauge.metrics.function import Function, of_function
from ragauge.metrics.parse import parse, parse_all
from ragauge.results.kept_run import is_kept_run
from ragauge.systems.pace import Concurrency, Rate, Retries, Timeout

_OF_SERVERS: Mapping[str, str] = {"embedder": "http", "judge": "chat"}
"""Kind -> its ingredient that is the model of a server."""


def shared_ingredient(kind: str, value: object) -> object:
    """Return the ingredient of a text or a function, made once for all metrics; an object as it is.

    ``kind``: ``tokenizer``, ``embedder``, ``support``, ``relevance``, ``matcher`` or ``judge``.

    Raises:
        UnknownNameError: there is no ingredient of that name.
    """
    try:
        # An address names the judge itself, as on the command line.
        at = judge_at(str(value), {}) if kind == "judge" and is_address(value) else None
        return get(value) if kind == "embedder" and isinstance(value, str) else make_ingredient(kind, at or value)
    except UnknownNameError:
        if kind in _OF_SERVERS and isinstance(value, str):
            check_scheme(value)
            if is_address(value):
                of_judge = judge_at(value, {"model": "NAME"}) if kind == "judge" else None
                written = of_judge or f"{_OF_SERVERS[kind]}[url={value.partition('[')[0]},model=NAME]"
                template = "RG-EVAL-026 {value!r} is an address; write {argument} with the model's name"
                raise UsageError(template, value, Argument(kind, written)) from None
        # The option may have words of its own; each metric checks them.
        if kind not in ("support", "relevance"):
            raise
        return None if (kind, value) == ("relevance", "none") else value


def with_shared(metric: Metric, shared: Mapping[str, Any]) -> Metric:
    """Return a metric object with the ``shared`` ingredients in place of those options that have their defaults."""
    if isinstance(metric, type) or not is_dataclass(metric):
        return metric
    options: Any = metric
    defaults = {field.name: default_of(field) for field in option_fields(type(metric))}
    for name in getattr(metric, "not_shared", ()):
        defaults.pop(name, None)
    open_options = {
        name: value for name, value in shared.items() if name in defaults and getattr(options, name) == defaults[name]
    }
    return cast("Metric", replace(options, **open_options)) if open_options else metric


def takes(metric: object, name: str) -> bool:
    """Return whether ``metric`` has the option ``name``, and uses it beside its other options."""
    return hasattr(metric, name) and name not in getattr(metric, "not_shared", ())


def notes_on_untaken(metrics: Iterable[Metric], shared: Mapping[str, Any], *, named: bool) -> list[str]:
    """Return a note for each of the ``shared`` ingredients that none of ``metrics`` has taken.

    Raises:
        UsageError: there is such a one, and the user ``named`` the metrics.
    """
    every: list[Any] = list(metrics)
    sentences: list[str] = []
    for name, value in shared.items():
        having = [metric for metric in every if hasattr(metric, name)]
        if not any(getattr(metric, name) == value for metric in having):
            why = Message("each metric names its own {name}", name) if having else _no_option(name, every)
            if having and not any(takes(metric, name) for metric in having):
                why = Message("with their other options the metrics here do not use {name}", name)
            sentences.append(Message("{given} has no effect: {why}", Argument(name, write(value)), why))
    if sentences and named:
        raise UsageError("RG-EVAL-004 {sentences}; leave it out", Joined(sentences, "; "))
    return sentences


def _options_of(cls: type) -> set[str]:
    return {field.name for field in option_fields(cls)} if is_dataclass(cls) else set()


def _no_option(name: str, metrics: Iterable[Metric]) -> str:
    """Return in words that no metric has the option ``name``; of a judge also which metrics ask one in their place."""
    if name != "judge":
        having = [
            one for one, entry in entries("metric").items() if not entry.alias_of and name in _options_of(entry.cls)
        ]
        some = [*having[:3], f"{len(having) - 3} more"] if len(having) > 4 else having
        return Message("no metric here has the option {name}; those that have: {metrics}", name, ", ".join(some))
    twins = [f"judged-{name_of(metric)}" for metric in metrics]
    judged = [lookup("metric", one) for one in twins if ("metric", one) in HOMES]
    names = dict.fromkeys(entry.alias_of or entry.name for entry in judged)
    asking = f"{' and '.join(names)} {'do' if len(names) > 1 else 'does'}" if names else "those named judged-... do"
    return f"no metric here asks a language model; {asking}"


Requested: TypeAlias = str | Metric | type[Metric] | Function
"""A metric as a call asks for it: its spec, the object, its class with the default options, or a function."""

_Flag: TypeAlias = Annotated[bool | None, "True or False"]
_Workers: TypeAlias = Annotated[int, Range(1)] | Literal["all"] | None
_WORKERS = 'a whole number from 1, or "all" for one per core'
_OF_SYSTEMS = ("concurrency", "timeout", "retries", "rate", "repeats", "answers")
QUESTION_ID = "question_id"
"""The column of the id of the question that an answer is one of several to."""
CONVERSATION = "conversation"
"""The column that says to which conversation a sample belongs, of which it is one turn."""
_INGREDIENTS = ("tokenizer", "embedder", "support", "relevance", "matcher", "judge")


@checked("evaluate")
@dataclass(frozen=True, kw_only=True)
class RunRequest:
    """The arguments of `ragauge.evaluate`, which says what each of them means.

    Raises:
        OptionError: an argument has a wrong value.
        UsageError: arguments do not go together, or a metric is wrong.
    """

    data: object = None
    metrics: object = None
    run: object = None
    qrels: object = None
    system: object = None
    concurrency: Concurrency = 1
    timeout: Timeout = None
    retries: Retries = 2
    rate: Rate = None
    repeats: Annotated[int, Range(1, 1000)] = 1
    turns: _Flag = False
    answers: Annotated[str | None, "the path of a file"] = None
    resume: _Flag = False
    preset: Annotated[str | None, "the name of a preset"] = None
    map: ByColumn = None
    split: ByColumn = None
    lang: Annotated[str | None, f"a language tag such as 'zh', or {COLUMN!r}"] = None
    tokenizer: object = None
    embedder: object = None
    support: object = None
    relevance: object = None
    matcher: object = None
    duplicates: Annotated[Duplicates | None, "error or first"] = None
    judge: object = None
    session: object = None
    by: ColumnNames = ()
    cluster: OneColumn = None
    ci: Level = 0.95
    interval: IntervalMethod = "jackknife"
    resamples: Resamples = 1000
    seed: Seed = 0
    limit: Annotated[Annotated[int, Range(1)] | None, "a whole number from 1"] = None
    format: Annotated[str | None, "the name of a file format"] = None
    encoding: Encoding = None
    strict: _Flag = False
    embedding_cache: Annotated[str | None, "a directory"] = None
    evidence: _Flag = False
    workers: Annotated[_Workers, _WORKERS] = None
    parts: Annotated[str | None, "a folder"] = None
    progress: AnyProgress = None

    def __post_init__(self) -> None:
        if self.repeats > 1 and self.cluster is None:
            object.__setattr__(self, "cluster", QUESTION_ID)
        if self.turns:
            object.__setattr__(self, "cluster", self.cluster or CONVERSATION)
            if self.repeats > 1:
                raise UsageError("RG-ENG-053 repeats cannot be used with turns: ask the conversations in several runs")
        if self.metrics is not None and self.preset is not None:
            raise UsageError("RG-EVAL-014 give metrics or a preset, not both")
        # Wrong metrics are errors before data are read.
        _ = self.requested_metrics
        if self.run is not None or self.qrels is not None:
            self._check_ranking()
        if self.system is None:
            self._check_unasked()
        if self.parts is not None:
            if self.workers is None:
                raise UsageError("RG-ENG-043 parts keeps what workers finish; pass workers, or leave it out")
            if self.system is not None:
                raise UsageError("RG-ENG-006 parts cannot be used with a system, whose answers are kept by answers")

    def _check_ranking(self) -> None:
        if self.run is None or self.qrels is None:
            present, absent = ("run", "qrels") if self.qrels is None else ("qrels", "run")
            raise UsageError(
                "RG-ENG-002 {present} needs {absent}: a ranking is scored against judgements. Pass both.",
                present,
                absent,
            )
        of_data = ("map", "format", "encoding") if self.data is None else ()
        for option in ("system", "split", *of_data):
            if getattr(self, option):
                raise UsageError(
                    "RG-ENG-005 {option} has no effect on a run and its qrels; leave it out, or give data", option
                )

    def _check_unasked(self) -> None:
        """Raise UsageError for arguments that say how a system is asked, where there is none."""
        # With parts, resume is about them; with a saved run, about its scores.
        resumes = self.parts is not None or is_kept_run(self.data)
        names = [*_OF_SYSTEMS, *([] if resumes else ["resume"])]
        without = [name for name in names if getattr(self, name) != getattr(type(self), name)]
        if without:
            raise UsageError(
                "RG-ENG-001 {without} has no effect without a system that is asked; leave it out, or pass system",
                ", ".join(without),
            )

    @cached_property
    def shared(self) -> dict[str, Any]:
        """What is named once for all metrics, by the option that takes it: ingredients, and ``duplicates``."""
        by_kind = {kind: getattr(self, kind) for kind in _INGREDIENTS}
        shared = {kind: shared_ingredient(kind, one) for kind, one in by_kind.items() if one is not None}
        return shared if self.duplicates is None else {**shared, "duplicates": self.duplicates}

    @cached_property
    def requested_metrics(self) -> dict[str, Metric] | None:
        """The metrics by their names in the call, equal ones once; None: the preset, or the data, decide."""
        return None if self.metrics is None else named(cast("Any", self.metrics), self.shared)

    @cached_property
    def takes_tokens(self) -> bool:
        """Whether the metrics read lists of tokens; UsageError where some do, and others read texts."""
        return take_tokens((self.requested_metrics or {}).values())

    @property
    def inference(self) -> Inference:
        """The options of the intervals."""
        return Inference(self.ci, self.resamples, self.seed, self.interval)

    @property
    def mapping(self) -> Mapping[str, str] | None:
        """Known column -> its name in the data, with the columns of others that metrics read under their own names."""
        needs = [columns for metric in (self.requested_metrics or {}).values() for columns in metric.needs]
        others = {*chain.from_iterable(needs)} - SCHEMA.keys()
        # The metric column:name=output reads a column of that name, which would else be read as the answer.
        mapping = own_names(others) | dict(self.map or {}) if others else self.map
        return aside(mapping) if self.takes_tokens else mapping

    @property
    def reading(self) -> dict[str, Any]:
        """The options of `ragauge.formats.read`."""
        names = ("split", "limit", "format", "encoding")
        return {"mapping": self.mapping, **{name: getattr(self, name) for name in names}}


def named(
    metrics: Requested | Iterable[Requested] | Mapping[str, str | Metric | Function],
    shared: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, Metric]:
    """Return metric objects by their names in the call, equal ones once; UsageError for none, or what is not a metric.

    ``shared``: ingredients for the metrics that take them and name none of their own.
    """
    if isinstance(metrics, Mapping) and metrics:
        built_by_name = {
            name: parse(one, shared) if isinstance(one, str) else with_shared(of_function(one), shared)
            for name, one in metrics.items()
        }
        return dict(Evaluator(built_by_name).metrics)
    several = isinstance(metrics, Iterable) and not isinstance(metrics, str)
    requested: dict[str, Metric] = {}
    by_spec: dict[str, list[Metric]] = {}
    for item in cast("Iterable[Requested]", metrics if several else [metrics]):
        built: Any = of_function(item)
        if not isinstance(built, str) and not hasattr(built, "measure"):
            raise UsageError(
                "RG-EVAL-015 a metric must be a spec such as 'ndcg@10', a metric object, or a function of a sample; "
                "got {item!r}",
                item,
            )
        if isinstance(item, type):
            try:
                built = item()
            except TypeError as error:
                name = item.__name__
                raise UsageError(
                    "RG-EVAL-016 the metric class {name} must be given its options, as in {name}(...); {error}",
                    name,
                    excerpt(str(error)),
                ) from error
        own = parse_all(built, shared) if isinstance(built, str) else {str(built): with_shared(built, shared)}
        for name, metric in own.items():
            same = by_spec.setdefault(str(metric), [])
            if metric in same:
                continue
            if name in requested:
                raise UsageError(
                    "RG-EVAL-032 two metrics are called {name!r}; name each, as in "
                    'evaluate(data, {{"first": f, "second": g}})',
                    name,
                )
            same.append(metric)
            requested[name] = metric
    if not requested:
        raise UsageError(
            "RG-EVAL-012 metrics must name at least one metric; leave it out to score all whose columns are there"
        )
    return requested


def take_tokens(metrics: Iterable[Metric]) -> bool:
    """Return whether ``metrics`` read lists of tokens; UsageError where some do, and others read texts."""
    reading = [metric for metric in metrics if not set(ASIDE).isdisjoint(chain.from_iterable(metric.needs))]
    tokenizers = {str(metric): str(getattr(metric, "tokenizer", "")) for metric in reading}
    others = [name for name, tokenizer in tokenizers.items() if tokenizer != "none"]
    if others and len(others) < len(tokenizers):
        raise UsageError(
            "RG-EVAL-013 tokenizer=none reads lists of tokens, and {others} reads texts; score them in two runs",
            ", ".join(others),
        )
    return bool(tokenizers) and not others
