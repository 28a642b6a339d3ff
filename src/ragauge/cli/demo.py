"""``ragauge demo``: score the bundled example, and print the commands to try next."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import rich_click as click

from ragauge.cli.output import say, write
from ragauge.errors import UsageError

if TYPE_CHECKING:
    from ragauge.results.result import Result


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
    from ragauge.reports.report import report

    example = Example(output)
    example.check_free(force=force)
    example.write_data()
    results = example.score()
    report(example.runs.values(), example.report, language=language)
    result = results["after"]
    write(replace(result, table=tuple(score for score in result.table if score.group is None)), "table", sys.stdout)
    _say_next_steps(example)


@dataclass(frozen=True)
class Example:
    """The files of the example under ``directory``; ``data`` and ``runs`` map each system to its path."""

    directory: Path

    @property
    def data(self) -> dict[str, Path]:
        """The questions and answers of each system."""
        from ragauge.demo import SYSTEMS

        return {system: self.directory / "data" / f"{system}.jsonl" for system in SYSTEMS}

    @property
    def runs(self) -> dict[str, Path]:
        """The saved run of each system."""
        return {system: self.directory / "runs" / system for system in self.data}

    @property
    def report(self) -> Path:
        """The page."""
        return self.directory / "report.html"

    def check_free(self, *, force: bool) -> None:
        """Remove an earlier example if ``force``.

        Raises:
            UsageError: the directory exists and must not be replaced, or holds files that are not of an example.
        """
        if not self.directory.exists():
            return
        if not force:
            message = f"{self.directory} already exists. Name another directory with -o, or pass --force to replace it."
            raise UsageError(message)
        found = self.directory.iterdir() if self.directory.is_dir() else [self.directory]
        foreign = sorted({path.name for path in found} - {"data", "runs", self.report.name})
        if foreign:
            message = (
                f"{self.directory} holds files that are not of the example ({foreign[0]}), so --force does not "
                "replace it. Name another directory with -o."
            )
            raise UsageError(message)
        shutil.rmtree(self.directory)

    def write_data(self) -> None:
        """Write the bundled questions and answers.

        Raises:
            UsageError: the directory cannot be written.
        """
        from ragauge.demo import samples

        try:
            for system, path in self.data.items():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(samples(system))
        except OSError as error:
            message = f"{self.directory} cannot be written: {error.strerror or error}"
            raise UsageError(message) from error

    def score(self) -> dict[str, Result]:
        """Score each system and save its run."""
        from ragauge.demo import COLUMNS, METRICS
        from ragauge.evaluation.evaluate import evaluate

        results = {system: evaluate(path, METRICS, by=COLUMNS, evidence=True) for system, path in self.data.items()}
        for system, result in results.items():
            result.save(self.runs[system])
        return results


def _say_next_steps(example: Example) -> None:
    before, after = (quote(str(run)) for run in example.runs.values())
    data = quote(str(example.data["after"]))
    say("64 questions in 8 languages, answered before and after a re-ranker was added")
    say(f"these are the scores of {after}; the report compares them with {before}")
    say(f"open in a browser:  {example.report}")
    say("then try:")
    for line in (
        f"ragauge compare {before} {after} --worst 3",
        f"ragauge explain {after} --id th-3",
        f"ragauge score {data} --by language",
        "ragauge score YOUR_FILE -o runs/today && ragauge report runs/today",
    ):
        say(f"  {line}")
