"""``ragauge ask``: ask a system questions, keep its answers as they come, and score them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from ragauge.cli.judging import judging
from ragauge.cli.output import say, users_code
from ragauge.cli.score import begin, conclude
from ragauge.cli.scoring_options import OneSource, panels, scoring_options
from ragauge.core.messages import Message
from ragauge.errors import RagaugeError, UsageError, reason_of

if TYPE_CHECKING:
    from ragauge.results.result import Result


@panels
@click.command("ask", cls=OneSource, context_settings={"auto_envvar_prefix": "RAGAUGE"})
@click.argument("questions")
@click.option("--system", required=True, metavar="MODULE:FUNCTION", help="What is asked: app:answer, or an address.")
@click.option("--system-body", metavar="JSON", help="Body of a request, with {question} in it; @FILE: that of a file.")
@click.option("--system-model", metavar="NAME", help="The model, where the address speaks OpenAI's chat protocol.")
@click.option("--system-headers", metavar="FILE", help="Headers, as in: X-Key: ${KEY}; a key: RAGAUGE_SYSTEM_API_KEY.")
@click.option("--concurrency", type=int, default=1, show_default=True, help="Questions at once.")
@click.option("--timeout", type=float, metavar="SECONDS", help="The time that one call may take.")
@click.option("--retries", type=int, default=2, show_default=True, help="Further tries after temporary failures.")
@click.option("--rate", metavar="N/UNIT", help="Calls at most, as in 10/s or 600/min.")
@click.option("--repeats", type=int, default=1, show_default=True, help="Times that each question is asked.")
@click.option(
    "--until", type=click.Choice(("decided",)), help="Ask in random order, until the rules of [gate] are decided."
)
@click.option("--resume", is_flag=True, help="Resume with the answers that an earlier run has saved.")
@scoring_options
@click.pass_context
def command(context: click.Context, /, questions: str, **parameters: Any) -> None:
    """Ask a system the QUESTIONS of a file (JSONL, JSON, CSV, TSV, Parquet, Arrow), and score its answers.

    The system is a function of a question, also an async one, an object with invoke, query or run, or the address of
    a server. -o is required: each answer is kept in a file beside the run as it comes (-o runs/today:
    runs/today.answers.jsonl). Metrics and columns are checked before the first call.
    """
    from ragauge.cli.terminal import Meter, progress
    from ragauge.endpoints.address import check_scheme, is_address
    from ragauge.engines.evaluate import evaluate
    from ragauge.systems.http import HttpSystem

    until = parameters.pop("until")
    _check_unasked(parameters["output"], force=parameters["force"])
    options, outputs, asks = begin(context, {**parameters, "data": questions})
    http = {name: options.pop(f"system_{name}") or "" for name in ("body", "model", "headers")}
    if is_address(options["system"]):
        body, model, headers = _content(http["body"]), http["model"], http["headers"]
        options["system"] = HttpSystem(url=options["system"], body=body, model=model, headers=headers)
    else:
        check_scheme(options["system"])
        flags = ", ".join([f"--system-{name}" for name, value in http.items() if value])
        if flags:
            raise UsageError("RG-CLI-057 {flags} goes with the address of a system, as in --system http://...", flags)
    if outputs.directory is None:
        raise UsageError(
            "RG-CLI-001 name the directory that keeps the run, as in -o runs/today: its answers are kept beside it"
        )
    answers = _answers_of(outputs.directory)
    if options.get("dry_run"):
        raise UsageError(
            "RG-CLI-002 --dry-run counts what a judge would be asked about answers, and there are none yet. "
            "Leave it out."
        )
    meter = Meter()
    try:
        with ExitStack() as stack:
            if asks:
                stack.enter_context(judging(options))
            advance = stack.enter_context(progress(meter=meter))
            stack.enter_context(users_code())
            asked = partial(evaluate, answers=answers, evidence=True, progress=advance)
            result = asked(**options) if until is None else _until_decided(asked, options)
    except (KeyboardInterrupt, RagaugeError):
        if meter.work == "asking" and meter.total:
            _say_kept(meter.done - meter.failed, meter.total, answers)
        elif meter.total:
            say(Message("the answers are saved in {file}; the same command with --resume asks none again", answers))
        raise
    conclude(result, outputs, answers)


def _answers_of(directory: Path) -> Path:
    return directory.with_name(f"{directory.name}.answers.jsonl")


def _check_unasked(output: str | Path | None, *, force: bool) -> None:
    """Raise UsageError where a run is there with its answers, and is not to be replaced."""
    if output is None or force or not Path(output).exists() or not _answers_of(Path(output)).exists():
        return
    raise UsageError(
        "RG-CLI-140 {directory} already exists, and so do its answers. To ask again what failed or is new and score "
        "all, pass --resume --force; to ask all again, name another directory.",
        output,
    )


def _until_decided(evaluate: Callable[..., Result], options: dict[str, Any]) -> Result:
    """Ask until the rules of the settings are decided; UsageError where there are none, or the same question again."""
    from ragauge.gates.check import gate
    from ragauge.gates.rules import gate_settings
    from ragauge.gates.sequential import until_decided

    rules = gate_settings(Path())
    if not rules.keys() & {"min", "max", "max_drop"} or options["repeats"] > 1:
        raise UsageError(
            "RG-CLI-100 --until decided needs rules in [gate] of ragauge.toml (min, max or max-drop), and asks each "
            "question once, without --repeats"
        )
    return until_decided(evaluate, partial(gate, **rules, sequential=True), options)


def _content(body: str) -> str:
    """Return a body, of ``@FILE`` what the file holds."""
    if not body.startswith("@"):
        return body
    try:
        return Path(body[1:]).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = reason_of(error) if isinstance(error, OSError) else Message("not UTF-8")
        raise UsageError("RG-CLI-058 {file} cannot be read: {why}", body[1:], why) from None


def _say_kept(count: int, total: int, answers: Path) -> None:
    template = "{n} of {total} answers are saved in {file}; to resume, give the same command with --resume"
    say(Message(template, count, total, answers))
