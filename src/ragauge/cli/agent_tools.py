"""The tools of coding agents: what each takes and returns. Each is a case of the command of its name."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from math import isnan
from typing import TYPE_CHECKING, Any

import rich_click as click
from click.core import ParameterSource

from ragauge.cli import compare, explain, metrics, report, score
from ragauge.cli.agent_calls import TEXT, TEXTS, AgentTool, Reply
from ragauge.cli.judging import judging
from ragauge.cli.output import users_code
from ragauge.cli.trust import INGREDIENTS, check_agent, refuse_of_agent
from ragauge.core.loading import checking_code
from ragauge.errors import UsageError

if TYPE_CHECKING:
    from ragauge.core.registry import Entry
    from ragauge.evaluation.evaluator import Progress
    from ragauge.results.result import Result

_SAME = ("average", "stage", "direction", "signature", "compared_by", "notes")
"""Fields of a score that say nothing more of a group than of all samples."""


def _score(context: click.Context, given: Reply, progress: Progress | None) -> Reply:
    """Score the answers or the retrieved documents of a RAG system: of a file (data), of samples given here (rows), or
    of a ranking (run and qrels). Without metric, all default metrics whose columns are there. Each score has its
    interval (low, high), how many samples were scored of all, its direction, and a signature that says how it was
    computed. Give output, a new directory, to save the run for explain, compare and report. Settings of ragauge.toml
    in the folder of the server hold too, as for the command ragauge score.
    """  # noqa: D205 - agents read it as one paragraph
    from ragauge.engines.evaluate import evaluate

    # Variables of the shell may set more, but an agent replaces no file and starts no processes.
    parameters = context.params | {"force": False, "per_sample": None, "workers": None, "resume": False}
    for name in ("engine", "master"):
        del parameters[name]
    if "rows" in given:
        if "data" in given:
            raise UsageError("RG-CLI-062 the samples are in data or in rows; give one of them")
        parameters["data"] = given["rows"]
    named = {name: parameters[name] for name in ("metrics", *INGREDIENTS)}
    typed = ParameterSource.COMMANDLINE
    check_agent({name: value for name, value in named.items() if context.get_parameter_source(name) is typed})
    options, outputs, asks, notes = score.prepared(context, parameters)
    options["workers"] = None
    with judging(options) if asks else nullcontext(), users_code():
        result = evaluate(**options, evidence=outputs.directory is not None, progress=progress)
    reply = _with_short_groups(result.to_dict())
    if outputs.directory is not None:
        result.save(outputs.directory, tag=outputs.tag)
        reply["saved"] = str(outputs.directory.resolve())
    if not any(one.scored for one in result.table):
        raise score.nothing_scored(result)
    others = {"failures": result.failures(), "settings": notes}
    return reply | {name: lines for name, lines in others.items() if lines}


def _with_short_groups(run: Reply) -> Reply:
    """Return a result as JSON types, where scores of groups leave out what they have in common with all samples."""
    of_all = {one["metric"]: one for one in run["metrics"] if one["group"] is None}

    def short(one: Reply) -> Reply:
        same = {} if one["group"] is None else {name: of_all[one["metric"]].get(name) for name in _SAME}
        return {name: value for name, value in one.items() if name not in same or value != same[name]}

    return {**run, "metrics": [short(one) for one in run["metrics"]]}


def _explain(context: click.Context, _: Reply, __: Progress | None) -> Reply:
    """Show what the scores of samples of a saved run rest on: the texts, the score of each metric, and the evidence.
    Of the samples by id or row, else of the worst ones.
    """  # noqa: D205
    from ragauge.results.result import result_of
    from ragauge.results.storage import read_run

    with checking_code(refuse_of_agent):
        saved = read_run(context.params["run"])
        result = result_of(saved)
        found = explain.chosen(result, saved, *[context.params[name] for name in ("ids", "rows", "worst", "metrics")])
    samples = [
        {
            "id": one,
            "row": found.rows[one],
            **_texts(result, found.places[one]),
            "scores": [_cell(result, metric, found.places[one]) for metric in found.metrics or result.metrics],
            "evidence": [
                {name: value for name, value in row.items() if name not in ("id", "message") and value is not None}
                for row in rows
            ],
        }
        for one, rows in found.evidence.items()
    ]
    lead = {} if found.lead is None else {"worst_under": found.lead, "failures": result.failures()}
    return {**lead, "samples": samples}


def _texts(result: Result, place: int) -> Reply:
    names = [name for name in ("question", "answer", "references") if name in result.data.columns]
    return {name: result.column(name)[place].as_py() for name in names}


def _cell(result: Result, metric: str, place: int) -> Reply:
    value, why = float(result.scores(metric)[place]), result.reasons(metric).get(place)
    status = str(result.statuses(metric)[place])
    cell = {"metric": metric, "score": None if isnan(value) else value, "status": status}
    return cell if why is None else {**cell, "why": why}


def _compare(context: click.Context, _: Reply, __: Progress | None) -> Reply:
    """Say which saved run is better: the differences of candidates from a base on the same samples, with intervals,
    tests corrected for their number, and an outcome. Use it in place of looking at two scores. With worst, also the
    samples that got worse most.
    """  # noqa: D205
    from ragauge.comparison.compare import compare as compared

    options = {name: value for name, value in context.params.items() if name not in ("output_format", "verbose")}
    base, candidates, worst, level = (options.pop(name) for name in ("base", "candidates", "worst", "ci"))
    with checking_code(refuse_of_agent):
        comparison = compared(base, *candidates, level=level, **options)
    reply = comparison.to_dict(worst)
    return {**reply, "notes": [*reply["notes"], *compare.notes_on(base, candidates)]}


def _report(context: click.Context, _: Reply, __: Progress | None) -> Reply:
    """Write one self-contained HTML page of saved runs, for a person to open in a browser: scores with intervals, what
    got better, the worst samples with their evidence. The first run is the baseline of the others. The file must not
    exist yet.
    """  # noqa: D205
    from ragauge.reports.report import written

    parameters = context.params
    options = {name: parameters[name] for name in ("names", "metric", "limit", "on", "primary")}
    history, language = parameters["history"] or None, parameters["language"] or "en"
    with checking_code(refuse_of_agent):
        page = written(parameters["runs"], parameters["output"], history=history, language=language, **options)
    path = page.path.resolve()
    return {"report": str(path), "bytes": path.stat().st_size, "notes": report.notes_on(page, parameters["limit"])}


def _metrics(context: click.Context, _: Reply, __: Progress | None) -> Reply:
    """List all metrics with one line each, or define the one called name: formula, range, source, options."""
    from ragauge.core.registry import entries, lookup
    from ragauge.core.spec import parse_spec

    name = context.params["name"]
    with checking_code(refuse_of_agent):
        if name is None:
            known = entries("metric").values()
            return {"metrics": [{"name": metrics.spec_of(one), "is": _meaning(one)} for one in known]}
        entry = lookup("metric", parse_spec(name).name)
    return {"name": metrics.spec_of(entry), "definition": metrics.explanation(entry)}


def _meaning(entry: Entry) -> str:
    from ragauge.core.registry import meaning_of

    return f"= {entry.alias_of}" if entry.alias_of else meaning_of(entry)


_RUN: Mapping[str, Any] = {**TEXT, "description": "The directory of a saved run: an output of score."}
_RUNS: Mapping[str, Any] = {**TEXTS, "description": "Directories of saved runs."}
_ROWS: Mapping[str, Any] = {
    "type": "array",
    "items": {"type": "object"},
    "description": "The samples in place of data: objects with id, question, answer, references, contexts, retrieved, "
    "relevance, or other columns.",
}
TOOLS: Mapping[str, AgentTool] = {
    tool.name: tool
    for tool in (
        AgentTool(
            command=score.command,
            run=_score,
            writes=True,
            arguments={
                "data": {**TEXT, "description": "A path: JSONL, JSON, CSV, TSV, Parquet, Arrow or Excel."},
                "rows": _ROWS,
            },
            options=(
                "metric", "preset", "lang", "tokenizer", "map", "split", "run", "qrels", "by", "cluster", "embedder",
                "support", "relevance", "matcher", "duplicates", "limit", "input_format", "encoding", "strict", "ci",
                "interval", "resamples", "seed", "output", "tag",
            ),
            returns={
                "metrics": "scores of all samples, then of groups, which leave out what they have in common with these",
                "data": "source, number of samples, columns, how they were understood, and notes",
                "options": "groups, and how intervals were made",
                "failures": "why samples failed",
                "settings": "what ragauge.toml has set",
                "saved": "the directory of the run",
            },
        ),
        AgentTool(
            command=explain.command,
            run=_explain,
            arguments={"run": _RUN},
            options=("id", "row", "worst", "metric"),
            required=("run",),
            returns={
                "worst_under": "the metric under which the samples are the worst",
                "samples": "id, row, texts, scores and evidence of each",
                "failures": "why samples failed",
            },
        ),
        AgentTool(
            command=compare.command,
            run=_compare,
            arguments={"base": _RUN, "candidates": _RUNS},
            options=(
                "metric", "by", "cluster", "on", "test", "correction", "interval", "ci", "alpha", "trials", "resamples",
                "seed", "worst",
            ),
            required=("base", "candidates"),
            returns={
                "base": "the base",
                "candidates": "each run, and how many samples are paired",
                "differences": "both values, difference, interval, p and outcome of each metric",
                "worst": "the samples that got worse most",
                "notes": "samples that do not pair, metrics that one run lacks",
                "options": "test, correction, level",
            },
        ),
        AgentTool(
            command=report.command,
            run=_report,
            writes=True,
            arguments={"runs": _RUNS},
            options=("output", "name", "metric", "limit", "on", "history", "language"),
            required=("runs", "output"),
            returns={"report": "the path of the page", "bytes": "its size", "notes": "on a page that is large"},
        ),
        AgentTool(
            command=metrics.command,
            run=_metrics,
            arguments={"name": {**TEXT, "description": "A metric, as in ndcg or groundedness; none: all."}},
            returns={
                "metrics": "how each is asked for, and what it is",
                "name": "how the metric is asked for",
                "definition": "its definition, formula, range, source and options",
            },
        ),
    )
}  # fmt: skip
"""The tools by their names."""
