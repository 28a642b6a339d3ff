"""``ragauge ask``: ask a system questions, keep its answers as they come, and score them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from ragauge.cli.judging import judging
from ragauge.cli.output import say, users_code, write
from ragauge.cli.score import Outputs, begin, conclude
from ragauge.cli.scoring_options import OneSource, panels, scoring_options
from ragauge.cli.terminal import Meter, progress
from ragauge.core.messages import Argument, Message
from ragauge.errors import RagaugeError, UsageError, reason_of

if TYPE_CHECKING:
    from ragauge.results.result import Result

_CHOSEN = "RG-NOTE-291 without -o, the run goes to {folder}, and each answer at once to {file}"
_RESUMED = "RG-NOTE-292 without -o, the newest run of these questions and this system is resumed: {folder}, from {file}"


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
    a server. Each answer is kept in a file beside the run as it comes (-o runs/today: runs/today.answers.jsonl).
    Without -o, the run goes to a new folder in runs/, named like the questions. Metrics and columns are checked
    before the first call.
    """
    from ragauge.cli.run_folder import answers_of, chosen_folder, free_folder, is_whole, replaces
    from ragauge.engines.evaluate import evaluate

    until, system = parameters.pop("until"), _system(parameters)
    force, resume = parameters["force"], parameters["resume"]
    chosen = None
    if parameters["output"] is None:
        chosen = chosen_folder(questions, getattr(system, "name", system), resume=resume)
    folder = Path(chosen or parameters["output"])
    folder = folder if folder.name not in ("", "..") else folder.resolve()
    _check_unasked(folder, force=force, resume=resume)
    again = resume and not force and answers_of(folder).exists()
    parameters |= {"data": questions, "output": folder}
    options, outputs, asks = begin(context, parameters, may_exist=again)
    options["system"] = system
    answers = answers_of(folder)
    if chosen is not None:
        say(Message(_RESUMED if again else _CHOSEN, folder, answers))
    if options.get("dry_run"):
        raise UsageError(
            "RG-CLI-002 --dry-run counts what a judge would be asked about answers, and there are none yet. "
            "Leave it out."
        )
    stays = again and until is None and not options["preset"] and is_whole(folder, options["metrics"] or ())
    meter = _UnaskedMeter() if stays else Meter()
    try:
        with ExitStack() as stack:
            if asks:
                stack.enter_context(judging(options))
            advance = stack.enter_context(progress(meter=meter))
            stack.enter_context(users_code())
            asked = partial(evaluate, answers=answers, evidence=True, progress=advance)
            result = asked(**options) if until is None else _until_decided(asked, options)
    except _NothingToAskError:
        _show_kept(folder, options, outputs)
        return
    except (KeyboardInterrupt, RagaugeError):
        if meter.work == "asking" and meter.total:
            _say_kept(meter.done - meter.failed, meter.total, answers)
        elif meter.total:
            say(Message("the answers are saved in {file}; the same command with --resume asks none again", answers))
        raise
    if again and not replaces(result, folder):
        outputs = outputs._replace(directory=free_folder(folder))
        template = "RG-NOTE-294 {folder} has scores or samples that this run lacks, so it stays; this run is {other}"
        say(Message(template, folder, outputs.directory))
    conclude(result, outputs._replace(force=force or again), answers)


def _show_kept(folder: Path, options: Mapping[str, Any], outputs: Outputs) -> None:
    """Write the scores of a run in which no question is left to ask, and how its answers are read otherwise."""
    from ragauge.results.result import load

    template = "RG-NOTE-293 nothing is left to ask: each question has its answer in {folder}; these are its scores"
    say(Message(template, folder))
    if mapped := options.get("map"):
        template = (
            "RG-NOTE-310 the answers stay as they were read; to score them otherwise: ragauge score {folder} {map}"
        )
        say(Message(template, folder, Argument("map", mapped)))
    write(load(folder), outputs.form, verbose=outputs.verbose, most=outputs.most)


def _system(parameters: dict[str, Any]) -> Any:
    """Return the system that is named, without the options of one behind an address, which are taken out."""
    from ragauge.endpoints.address import check_scheme, is_address
    from ragauge.systems.http import HttpSystem

    system = parameters["system"]
    http = {name: parameters.pop(f"system_{name}") or "" for name in ("body", "model", "headers")}
    if is_address(system):
        return HttpSystem(url=system, body=_content(http["body"]), model=http["model"], headers=http["headers"])
    check_scheme(system)
    flags = ", ".join([f"--system-{name}" for name, value in http.items() if value])
    if flags:
        raise UsageError("RG-CLI-057 {flags} goes with the address of a system, as in --system http://...", flags)
    return system


class _NothingToAskError(Exception):
    """Each question of a run that is whole has an answer."""


class _UnaskedMeter(Meter):
    """Ends the command before it scores, where each question has an answer at the first report."""

    def asking(self, done: int, failed: int, total: int) -> None:
        """Take the questions that are done; _NothingToAskError where none is left before the first is asked."""
        if self.work != "asking" and done == total:
            raise _NothingToAskError
        super().asking(done, failed, total)


def _check_unasked(folder: Path, *, force: bool, resume: bool) -> None:
    """Raise UsageError where a run is there with its answers, and neither to be resumed nor to be replaced."""
    from ragauge.cli.run_folder import answers_of

    if force or resume or not folder.exists() or not answers_of(folder).exists():
        return
    raise UsageError(
        "RG-CLI-140 {directory} already exists, and so do its answers. To ask again what failed or is new, pass "
        "--resume; to ask all again, name another directory.",
        folder,
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
