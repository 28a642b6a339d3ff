"""``ragauge gate``: exit with 1 where a run is not good enough, with 5 where more answers have to decide."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from ragauge.cli.faces import face
from ragauge.cli.output import output_format, say, write_blocks, write_json
from ragauge.core.messages import Message, wording_of
from ragauge.results.replacing import replacing

if TYPE_CHECKING:
    from ragauge.gates.gate import Gate

_UNDECIDED = 5
"""The exit code of rules that more answers have to decide."""


@click.command("gate")
@click.argument("run")
@click.option("--baseline", metavar="RUN", help="The run that --max-drop compares with.")
@click.option("--on", metavar="COLUMN", help="The column that pairs samples with the baseline's. [default: id]")
@click.option("--min", "least", multiple=True, metavar="METRIC=X", help="It must be at least X; repeatable.")
@click.option("--max", "most", multiple=True, metavar="METRIC=X", help="At most X, where lower is better; repeatable.")
@click.option("--max-drop", multiple=True, metavar="METRIC=X", help="At most X worse than the baseline; repeatable.")
@click.option("--max-failed", metavar="SHARE", help="At most this share failed or is missing, as in 1%.")
@click.option("--min-scored", type=int, metavar="N", help="At least N samples are scored under each metric.")
@click.option("--min-coverage", metavar="SHARE", help="The share of its samples that each rule needs. [default: 95%]")
@click.option("--confident/--values", default=None, help="Check intervals, so that noise does not fail a run.")
@click.option("--sequential", is_flag=True, help="Check so that one may look after each answer and stop.")
@click.option("--config", type=click.Path(path_type=Path), metavar="FILE", help="A TOML file with [gate].")
@click.option("--junit", type=click.Path(path_type=Path), metavar="FILE", help="Write JUnit XML.")
@click.option("--github", is_flag=True, help="Write ::error lines and the job's summary.")
@output_format("table", "json", "markdown")
def command(run: str, output_format: str, junit: Path | None, github: bool, **options: Any) -> int:  # noqa: FBT001
    """Check RUN, a directory that ragauge score -o wrote; exit with 1 where a rule is not met.

    With --sequential it exits with 5 where no rule is broken but some are not decided yet.

    Rules also come from [gate] in ragauge.toml, or [tool.ragauge.gate] in pyproject.toml; options win over them.
    """
    from ragauge.gates.check import gate
    from ragauge.gates.configuration import primary_setting
    from ragauge.gates.verdicts import with_verdict

    rules = _rules(options)
    pairs = {name: rules[name] for name in ("baseline", "on") if name in rules}
    outcome = with_verdict(gate(run, **rules), run, **pairs, primary=primary_setting(Path(), options["config"]))
    if output_format != "json":
        write_blocks(outcome.blocks(), output_format)
    english = replace(face(), language="en")
    outcome = replace(outcome, checks=tuple([replace(one, why=wording_of(one.why, english)) for one in outcome.checks]))
    if output_format == "json":
        write_json(outcome.to_dict())
    if junit is not None:
        from ragauge.gates.gate import write_junit

        with replacing(junit) as new:
            write_junit(outcome, new)
        say(Message("wrote {file}", junit))
    if github:
        _to_github(outcome)
    return 0 if outcome.passed else _UNDECIDED if outcome.undecided else 1


def _rules(options: dict[str, Any]) -> dict[str, Any]:
    """Return the rules of the settings file and of the command line, which wins."""
    from ragauge.gates.rules import gate_settings, limits, overridden

    rules = gate_settings(Path(), options["config"])
    for name, option in (("min", "least"), ("max", "most"), ("max_drop", "max_drop")):
        rules[name] = overridden(rules.get(name, {}), limits(options[option], f"--{name.replace('_', '-')}"))
    rules["sequential"] = options["sequential"]
    rest = {name: options[name] for name in ("baseline", "max_failed", "min_scored", "min_coverage", "confident", "on")}
    return {**rules, **{name: value for name, value in rest.items() if value is not None}}


def _to_github(outcome: Gate) -> None:
    from ragauge.gates.gate import add_summary, error_lines

    # GitHub reads commands in either stream; standard output may be JSON.
    for line in error_lines(outcome):
        say(line)
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        add_summary(outcome, Path(summary))
    else:
        say("--github: GITHUB_STEP_SUMMARY is not set: no job summary was written")
