"""``ragauge ask``: ask a system questions, keep its answers as they come, and score them."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import rich_click as click

from ragauge.cli.judging import NAMES, judging
from ragauge.cli.output import check_writable, say, write, write_per_sample
from ragauge.cli.score import check_directory, check_scored, say_notes, scoring_options
from ragauge.cli.settings import pairs, resolve
from ragauge.errors import RagaugeError, UsageError


@click.command("ask", context_settings={"auto_envvar_prefix": "RAGAUGE"})
@click.argument("questions")
@click.option("--system", required=True, metavar="MODULE:FUNCTION", help="What is asked, as in app:answer.")
@click.option("--concurrency", type=int, default=1, show_default=True, help="Questions at once.")
@click.option("--timeout", type=float, metavar="SECONDS", help="The time that one call may take.")
@click.option("--retries", type=int, default=2, show_default=True, help="Further tries after temporary failures.")
@click.option("--rate", metavar="N/UNIT", help="Calls at most, as in 10/s or 600/min.")
@click.option("--resume", is_flag=True, help="Go on with the answers that an earlier run has kept.")
@scoring_options
@click.pass_context
def command(context: click.Context, /, questions: str, **parameters: Any) -> None:
    """Ask a system the QUESTIONS of a file (JSONL, JSON, CSV, TSV, Parquet, Arrow), and score its answers.

    The system is a function of a question, also an async one, or an object with invoke, query or run. Each answer is
    kept in a file beside the run as it comes (-o runs/today: runs/today.answers.jsonl). Metrics and columns are
    checked before the first call.
    """
    from ragauge.cli.terminal import Meter, progress
    from ragauge.evaluation.evaluate import evaluate
    from ragauge.results.storage import check_free

    parameters |= {"map": pairs(parameters["map"]), "split": pairs(parameters["split"], "--split"), "data": questions}
    parameters |= {"format": parameters.pop("input_format")}
    config = parameters.pop("config")
    options, notes = resolve(context, parameters, config)
    for note in notes:
        say(note)
    form, output, per_sample, force = map(options.pop, ("output_format", "output", "per_sample", "force"))
    tag, more = options.pop("tag"), options.pop("verbose")
    if output is None:
        raise UsageError("name the directory that keeps the run, as in -o runs/today: its answers are kept beside it")
    check_directory(output)
    check_free(output, force=force)
    if per_sample:
        check_writable(per_sample, force=force)
    answers = output.with_name(f"{output.name}.answers.jsonl")
    specs = options["metrics"] or ()
    options["metrics"] = options["metrics"] or None
    if options["dry_run"]:
        raise UsageError(
            "--dry-run counts what a judge would be asked about answers, and there are none yet. Leave it out."
        )
    judged_by = [name for name in ("judge", *NAMES) if options[name]] or [spec for spec in specs if "judge=" in spec]
    meter = Meter()
    try:
        with ExitStack() as stack:
            if judged_by:
                stack.enter_context(judging(options))
            else:
                options = {name: value for name, value in options.items() if name not in NAMES}
            advance = stack.enter_context(progress(meter=meter))
            result = evaluate(**options, answers=answers, evidence=True, progress=advance)
    except (KeyboardInterrupt, RagaugeError):
        if meter.work == "asking" and meter.total:
            _say_kept(meter.done - meter.failed, meter.total, answers)
        raise
    write(result, form, verbose=more)
    sys.stdout.flush()
    say_notes(result, command)
    if per_sample:
        write_per_sample(result, per_sample)
    result.save(output, force=force, tag=tag)
    say(f"saved to {output}; the answers are also in {answers}")
    failed = max(score.failed for score in result.table)
    if failed:
        say(f"to ask only those again that failed, {failed}: the same command with --resume --force")
    check_scored(result)


def _say_kept(count: int, total: int, answers: Path) -> None:
    say(f"{count} of {total} answers are kept in {answers}; to go on, give the same command with --resume")
