"""``ragauge gate``: exit with 1 where a run is not good enough."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from ragauge.cli.output import say

if TYPE_CHECKING:
    from ragauge.gates.gate import Gate

_COLOURS = {"FAIL ": "red", "ok  ": "green"}


@click.command("gate")
@click.argument("run")
@click.option("--baseline", metavar="RUN", help="The run that --max-drop compares with.")
@click.option("--min", "least", multiple=True, metavar="METRIC=X", help="It must be at least X; repeatable.")
@click.option("--max", "most", multiple=True, metavar="METRIC=X", help="At most X, where lower is better; repeatable.")
@click.option("--max-drop", multiple=True, metavar="METRIC=X", help="At most X worse than the baseline; repeatable.")
@click.option("--max-failed", metavar="SHARE", help="At most this share of samples failed, as in 1%.")
@click.option("--min-scored", type=int, metavar="N", help="At least N samples are scored under each metric.")
@click.option("--confident/--values", default=None, help="Judge intervals, so that noise does not fail a run.")
@click.option("--config", type=click.Path(path_type=Path), metavar="FILE", help="A TOML file with [gate].")
@click.option("--junit", type=click.Path(path_type=Path), metavar="FILE", help="Write JUnit XML.")
@click.option("--github", is_flag=True, help="Write ::error lines and the job's summary.")
@click.option("--output-format", type=click.Choice(("table", "json", "markdown")), default="table", show_default=True)
def command(run: str, output_format: str, junit: Path | None, github: bool, **options: Any) -> int:  # noqa: FBT001
    """Check RUN, a directory that ragauge score -o wrote; exit with 1 where a demand is not met.

    Demands also come from [gate] in ragauge.toml, or [tool.ragauge.gate] in pyproject.toml; those given here win.
    """
    from ragauge.gates.check import gate

    found = gate(run, **_demands(options))
    click.echo(_text(found, output_format), color=True)
    if junit is not None:
        from ragauge.gates.gate import write_junit

        write_junit(found, junit)
    if github:
        _to_github(found)
    return 0 if found.passed else 1


def _demands(options: dict[str, Any]) -> dict[str, Any]:
    """Join what the file demands with what the command line does, which wins."""
    from ragauge.gates.rules import gate_settings, limits

    demands = gate_settings(Path(), options["config"])
    for name, given in (("min", "least"), ("max", "most"), ("max_drop", "max_drop")):
        demands[name] = {**demands.get(name, {}), **limits(options[given], f"--{name.replace('_', '-')}")}
    rest = {name: options[name] for name in ("baseline", "max_failed", "min_scored", "confident")}
    return {**demands, **{name: value for name, value in rest.items() if value is not None}}


def _text(found: Gate, form: str) -> str:
    from ragauge.cli.terminal import coloured
    from ragauge.gates.gate import markdown, plain_text

    if form == "json":
        return json.dumps(found.to_dict(), indent=2, allow_nan=False)
    return markdown(found) if form == "markdown" else coloured(plain_text(found), _COLOURS, sys.stdout)


def _to_github(found: Gate) -> None:
    from ragauge.gates.gate import add_summary, error_lines

    # GitHub reads commands in either stream; standard output may be JSON.
    for line in error_lines(found):
        say(line)
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        add_summary(found, Path(summary))
    else:
        say("--github: GITHUB_STEP_SUMMARY is not set, so there is no job summary to write to")
