"""``ragauge demo``: score the bundled example, and say what to try next."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import rich_click as click

from ragauge.cli.output import say, write

if TYPE_CHECKING:
    from ragauge.demo import Demonstrated


@click.command("demo")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path("ragauge-demo"),
    show_default=True,
    metavar="DIR",
    help="Where to write the example, its runs and the report.",
)
@click.option("--language", default="en", show_default=True, help="Of the report: en or zh.")
@click.option("--force", is_flag=True, help="Replace an earlier example.")
def command(output: Path, language: str, *, force: bool) -> None:
    """Score a small multilingual example, before and after re-ranking, and write a report of it. Needs no network."""
    from ragauge.demo import demonstrate

    done = demonstrate(output, language=language, force=force)
    result = done.results["after"]
    write(replace(result, table=tuple(score for score in result.table if score.group is None)), "table", sys.stdout)
    _say_more(done)


def _say_more(done: Demonstrated) -> None:
    before, after = (quote(str(run)) for run in done.runs.values())
    data = quote(str(done.data["after"]))
    say("64 questions in 8 languages, answered before and after a re-ranker was put in")
    say(f"these are the scores of {after}; the report compares them with {before}")
    say(f"open in a browser:  {done.report}")
    say("then try:")
    for line in (
        f"ragauge compare {before} {after} --worst 3",
        f"ragauge explain {after} --id th-3",
        f"ragauge score {data} --by language",
        "ragauge score YOUR_FILE -o runs/today && ragauge report runs/today",
    ):
        say(f"  {line}")
