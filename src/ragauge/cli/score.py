"""``ragauge score``: read data, compute metrics, print scores."""

from __future__ import annotations

import sys
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import rich_click as click
from click.core import ParameterSource

from ragauge.cli.judging import NAMES, UNNAMED, embedder_at, judge_flags_typed, judge_text, judging, write_plan
from ragauge.cli.output import check_writable, say, users_code, write, write_per_sample
from ragauge.cli.scoring_options import OneSource, Workers, panels, scoring_options
from ragauge.cli.settings import FROM_USER, pairs, resolve
from ragauge.cli.trust import code_of_run, resuming
from ragauge.core.loading import allowing_code_of_runs
from ragauge.core.messages import Counted, Message
from ragauge.errors import NothingScoredError, UsageError

if TYPE_CHECKING:
    from ragauge.results.result import Result

_FILES = (".html", ".htm", ".json", ".jsonl", ".csv", ".tsv", ".xlsx", ".md", ".txt", ".parquet", ".pdf")


@panels
@click.command("score", cls=OneSource, context_settings={"auto_envvar_prefix": "RAGAUGE"})
@click.argument("data", required=False)
@click.option("--run", metavar="FILE", help="A ranking: TREC run or JSON {query: {document: score}}; needs --qrels.")
@click.option("--qrels", metavar="FILE", help="Its judgements: TREC or BEIR qrels, or JSON.")
@click.option(
    "--workers", type=Workers(min=1), is_flag=False, flag_value="all", metavar="[N]",
    help="Processes that score at once; without N, one for each core. Not given: one process.",
)  # fmt: skip
@click.option(
    "--resume", is_flag=True,
    help="Resume with the parts that --workers and -o finished; of a saved run, score again only what failed.",
)  # fmt: skip
@click.option("--engine", type=click.Choice(("spark", "ray")), help="Score DATA by the tasks of a cluster.")
@click.option("--master", metavar="URL", help="Where --engine runs, as in local[2]; default: on this machine.")
@scoring_options
@click.pass_context
def command(context: click.Context, /, **parameters: Any) -> None:
    """Score DATA (JSONL, JSON, CSV, TSV, Parquet, Arrow, Excel; - for standard input), or a run against its qrels.

    DATA may be a directory that -o wrote: the samples that it kept are scored again, without -m under its own metrics.

    Without -m, all default metrics are computed whose columns are in the data. Settings also come from variables such
    as RAGAUGE_LANG=zh, and from [score] in ragauge.toml or [tool.ragauge.score] in pyproject.toml: see ragauge init.
    """
    engine, master = parameters.pop("engine"), parameters.pop("master")
    if parameters["workers"] is not None and parameters["data"] is not None and engine is None:
        from ragauge.engines.processes import Processes

        Processes.start_early(parameters["workers"], parameters["data"])
    from ragauge.cli.terminal import progress
    from ragauge.engines.evaluate import evaluate
    from ragauge.results.kept_run import is_kept_run

    options, outputs, asks = begin(context, parameters)
    if engine is not None or master is not None:
        from ragauge.cli.cluster import Target, score_on_cluster

        if context.get_parameter_source("workers") is ParameterSource.DEFAULT:
            # Those of the settings file are for one machine.
            options["workers"] = None
        target = Target(outputs.directory, outputs.per_sample, outputs.force, outputs.tag)
        with judging(options) if asks else nullcontext(), users_code():
            result = score_on_cluster(options, engine, master, target)
        conclude(result, outputs._replace(directory=None, per_sample=None))
        return
    if options["data"] is None and options["run"] is None:
        raise UsageError("RG-CLI-033 nothing to score. Name DATA, or --run and --qrels; see ragauge score --help.")
    for option, absent in (("run", "qrels"), ("qrels", "run")):
        if options[option] is not None and options[absent] is None:
            raise UsageError(
                "RG-CLI-037 --{option} needs --{absent}: a ranking is scored against judgements. Pass both.",
                option,
                absent,
            )
    with ExitStack() as stack:
        of_run = options["resume"] and is_kept_run(options["data"])
        if not of_run and (options["workers"] is not None or options["resume"]):
            from ragauge.cli.workers import folder_of, keeping

            options["parts"] = folder_of(options, outputs.directory, force=outputs.force)
            stack.enter_context(keeping(options["parts"]))
        session = stack.enter_context(judging(options)) if asks else None
        stack.enter_context(allowing_code_of_runs(code_of_run(Path(options["data"] or ""))))
        with progress() as advance, users_code():
            result = evaluate(**options, evidence=outputs.directory is not None, progress=advance)
        if session is not None and session.dry_run:
            write_plan(session, outputs.form)
            return
        conclude(result, outputs)
    directory = outputs.directory
    parts = None if directory is None else directory.with_name(f"{directory.name}.parts")
    if options["workers"] is None and parts is not None and parts.is_dir():
        from ragauge.cli.workers import tell_of_parts

        tell_of_parts(parts, force=outputs.force)


_MOST = 8
"""Metrics that a table shows where none is named; more are no overview."""


class Outputs(NamedTuple):
    """Where a command writes its result, and how."""

    form: str
    directory: Path | None
    per_sample: Path | None
    force: bool
    tag: str | None
    verbose: bool
    most: int | None = None
    """How many metrics a table shows; None for all."""


def begin(
    context: click.Context, parameters: dict[str, Any], *, may_exist: bool = False
) -> tuple[dict[str, Any], Outputs, bool]:
    """Return what `prepared` does but for the notes, which are said."""
    options, outputs, asks, notes = prepared(context, parameters, may_exist=may_exist)
    for note in notes:
        say(note)
    look = not (parameters["dry_run"] or parameters["offline"])
    options["embedder"] = embedder_at(options["embedder"], look=look)
    return options, outputs, asks


def prepared(
    context: click.Context, parameters: dict[str, Any], *, may_exist: bool = False
) -> tuple[dict[str, Any], Outputs, bool, list[str]]:
    """Return the arguments of `evaluate`, where its result goes, whether a judge is asked, and notes on the settings.

    Settings of files are in the arguments, and what can be wrong with the outputs is an error here, as is a folder that
    exists, unless it ``may_exist``. Without a judge, its options are not among the arguments.
    """
    from ragauge.results.storage import check_free

    parameters |= {"map": pairs(parameters["map"]), "split": pairs(parameters["split"], "--split")}
    parameters |= {"format": parameters.pop("input_format")}
    config = parameters.pop("config")
    with users_code():
        options, notes = resolve(context, parameters, config)
    names = ("output_format", "output", "per_sample", "force", "tag", "verbose")
    most = None if options["metrics"] or options["preset"] else _MOST
    outputs = Outputs(*map(options.pop, names))._replace(most=most)
    if outputs.directory is not None and outputs.directory.name in ("", ".."):
        # "." has no name that parts or answers beside it could have.
        outputs = outputs._replace(directory=outputs.directory.resolve())
    if outputs.tag is not None and not outputs.directory:
        raise UsageError("RG-CLI-034 --tag is kept with a saved run: it needs -o, the directory of the run. Pass both.")
    if outputs.directory:
        check_directory(outputs.directory)
        check_free(outputs.directory, force=outputs.force or may_exist)
    if outputs.per_sample:
        check_writable(outputs.per_sample, force=outputs.force)
    options["metrics"] = options["metrics"] or None
    own = [name for name in ("judge", *NAMES) if options[name] is not None and options[name] is not False]
    of_run = _metrics_of_run(context, options)
    outputs = outputs._replace(most=None) if of_run else outputs
    specs = [*(options["metrics"] or ()), *of_run]
    asks = bool(own or [spec for spec in specs if "judge=" in spec])
    if not asks:
        options = {name: value for name, value in options.items() if name not in NAMES}
    return options, outputs, asks, notes


def _metrics_of_run(context: click.Context, options: dict[str, Any]) -> list[str]:
    """Return the metrics of the saved run that is scored again, where the user names none; none for other data.

    UsageError where they name a server that the user did not, and the run is not trusted.
    """
    from ragauge.cli.trust import check_run
    from ragauge.results.kept_run import is_kept_run
    from ragauge.results.storage import read_manifest

    named = options["metrics"] or options["preset"] or options.get("run")
    if named or not is_kept_run(options["data"]):
        return []
    specs = list(read_manifest(Path(options["data"]))["run"]["metrics"].values())
    users = judge_text(options, lambda _: UNNAMED) if context.get_parameter_source("judge") in FROM_USER else None
    # Of a run that is resumed, the judge of the user is asked or none.
    asked = [spec for spec in specs if not (users and options.get("resume") and "judge=" in spec)]
    check_run(Path(options["data"]), asked, users)
    return specs


def conclude(result: Result, outputs: Outputs, answers: Path | None = None) -> None:
    """Write a result, what to know about it, and why samples failed; save it where that is wanted.

    ``answers``: the file that keeps the answers of a system. NothingScoredError where no sample has a score.
    """
    failed = max([score.failed for score in result.table], default=0)
    nothing = not sum([score.scored for score in result.table])
    if failed:
        _say_failures(result, 0 if nothing else failed)
    if not (failed and nothing and outputs.form == "table"):
        write(result, outputs.form, verbose=outputs.verbose, most=outputs.most)
    sys.stdout.flush()
    _say_data(result, verbose=outputs.verbose)
    if outputs.per_sample:
        write_per_sample(result, outputs.per_sample)
    if outputs.directory:
        result.save(outputs.directory, force=outputs.force, tag=outputs.tag)
        also = "saved to {folder}; the answers are also in {file}"
        say(Message(also, outputs.directory, answers) if answers else Message("saved to {folder}", outputs.directory))
    again = 0 if answers or not outputs.directory else _failed_unasked(result)
    if again and outputs.directory:
        template = "to score those again that failed ({n}): ragauge score {folder} --resume{named} -o {folder} --force"
        named = "".join(f" {option}" for option in resuming(outputs.directory, result))
        say(Message(template, again, outputs.directory, named))
    if answers and failed:
        template = "to ask those again that failed ({n}), add --resume to the same command"
        say(Message(template, failed))
    if nothing:
        raise nothing_scored(result)


def _failed_unasked(result: Result) -> int:
    """Return how many samples failed under a metric though the system under test did not."""
    import numpy as np

    from ragauge.core.protocol import failures
    from ragauge.core.statistics import Status

    by_system = np.concatenate([failures(batch)[0] for batch in result.data.batches()])
    failed = [column.status == Status.FAILED for column in result.columns.values()]
    return int(np.count_nonzero(np.any(failed, axis=0) & ~by_system))


def _say_data(result: Result, *, verbose: bool) -> None:
    """Say how many samples there were, how their columns were understood, and the notes of the run."""
    from ragauge.results.notes import usual_notes

    data = result.data
    say(Message("{samples} from {source}", Counted(data.rows, "sample"), data.source))
    if data.mapping:
        say(Message("columns: {columns}", ", ".join([f"{known} <- {name}" for known, name in data.mapping.items()])))
    for note in data.notes if verbose else usual_notes(data.notes):
        say(note)
    unused = [] if "judge" in result.options else judge_flags_typed()
    if unused:
        say(Message("RG-NOTE-034 {flags} changed nothing: no metric here asks a judge", ", ".join(unused)))


def nothing_scored(result: Result) -> NothingScoredError:
    """Return the error of a result in which no sample has a score: with the first reason, where samples failed."""
    why = Message("no sample has what the metrics need")
    failures = [one for one in result.failures() if isinstance(one, Message)]
    without = [score.metric for score in result.table if score.undefined]
    if failures:
        why = Message("every sample failed: {reason}", failures[0].values["reason"])
    elif without:
        template = "no sample has a value; ragauge metrics {metric} says when one is undefined"
        why = Message(template, without[0])
    return NothingScoredError("RG-CLI-035 nothing could be scored: {why}", why)


def _say_failures(result: Result, failed: int) -> None:
    """Say why samples failed, before the scores: a reader knows then that these leave out the ``failed`` ones."""
    if failed:
        say(Message("{n} of {total} samples failed; the scores leave them out", failed, result.data.rows))
    for line in result.failures():
        say(line)


def check_directory(path: Path) -> None:
    """Refuse the name of a file, which suggests that the user wants a page or only the scores."""
    if path.suffix.lower() in _FILES and not path.is_dir():
        raise UsageError(
            "RG-CLI-036 -o must be a directory, which keeps the whole run; got {path!r}. For a page: -o "
            "runs/today, then ragauge report runs/today -o report.html; for scores: --output-format json > "
            "scores.json, or --per-sample scores.csv",
            str(path),
        )
