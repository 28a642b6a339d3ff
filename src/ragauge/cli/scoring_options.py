"""The options of the commands that score: how data are read, scored and written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import rich_click as click

from ragauge.cli.judging import JUDGE_FLAGS, judge_options
from ragauge.cli.output import FORMATS, Command, output_format, verbose
from ragauge.cli.share import SHARE
from ragauge.cli.terminal import words
from ragauge.core.messages import Message
from ragauge.errors import UsageError


class OneSource(click.RichCommand):
    """A command that takes one DATA: the error for several files names the pattern that reads them as one."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; UsageError of ours where those that are left over are files, as DATA is."""
        typed = list(args)
        ctx.allow_extra_args = True
        left = super().parse_args(ctx, args)
        files = [ctx.params.get("data") or ctx.params.get("questions") or "", *left]
        if left and all(Path(one).is_file() for one in files):
            from ragauge.formats.folders import pattern_of

            pattern = pattern_of(files)
            moved = Message(" move them into a folder and name them by a pattern in quotes:") if not pattern else ""
            again = f"{ctx.command_path} '{pattern or f'parts/*{Path(files[0]).suffix}'}'"
            raise UsageError(_SEVERAL, len(files), moved, again)
        ctx.allow_extra_args = False
        return super().parse_args(ctx, typed) if left else left


_SEVERAL = "RG-CLI-141 got {n} files, and takes one; to read them as one data set:{moved} {command}"


class Workers(click.IntRange):
    """A whole number, or "all": one for each core that this process may use."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number of processes; click's error where the value is not one."""
        if value == "all":
            from ragauge.engines.processes import Processes

            return Processes.one_per_core()
        if not str(value).strip().lstrip("+-").isdecimal():
            template = "{value!r} is not a number of processes; put DATA before --workers, or write --workers=4"
            self.fail(words()(Message(template, value)))
        return super().convert(value, param, ctx)


_OPTIONS = (
    click.option(
        "-m", "--metric", "metrics", multiple=True, metavar="METRIC", help="A metric, as in ndcg@10; repeatable."
    ),
    click.option(
        "--preset",
        metavar="NAME",
        help="retrieval, generation, rag, summary, translation or all, in place of -m.",
    ),
    click.option("--map", multiple=True, metavar="A=B", help="Column A is called B in the data; repeatable."),
    click.option(
        "--split", multiple=True, metavar="A=SEP", help="Fields of column A hold several texts, separated by SEP."
    ),
    click.option("--lang", metavar="TAG", help="Use this language's tokenizer, as in zh; column: that of each row."),
    click.option(
        "--tokenizer", metavar="NAME", help="For all metrics that take one and have none: zh, words, FILE.py:FUNCTION."
    ),
    click.option(
        "--embedder", metavar="NAME", help="For all metrics that take one and have none: use, blend, st[...]."
    ),
    click.option("--support", metavar="NAME", help="Support for all metrics without one of their own: nli[model=...]."),
    click.option(
        "--relevance", metavar="NAME", help="Relevance for all metrics without one of their own: reranker[model=...]."
    ),
    click.option(
        "--matcher", metavar="NAME", help="A matcher of passages for all metrics without their own: edit, exact."
    ),
    click.option(
        "--duplicates", type=click.Choice(("error", "first")), help="A document retrieved twice; by default an error."
    ),
    judge_options,
    click.option(
        "--by",
        multiple=True,
        metavar="COLUMN",
        help="Also one row per value of this column, or for answers that answer and decline (answered); repeatable.",
    ),
    click.option("--turns", is_flag=True, help="Data are conversations, and each of their turns is a sample."),
    click.option("--cluster", metavar="COLUMN", help="Samples with the same value belong together (for intervals)."),
    click.option("--ci", type=SHARE, default=0.95, show_default=True, help="Level of the intervals."),
    click.option(
        "--interval",
        default="jackknife",
        show_default=True,
        help="How intervals are made: jackknife, or percentile of the bootstrap.",
    ),
    click.option(
        "--resamples", type=int, default=1000, show_default=True, help="Bootstrap replicates; 0: no intervals."
    ),
    click.option("--seed", type=int, default=0, show_default=True, help="Seed of the replicates."),
    click.option("--embedding-cache", metavar="DIR", help="Keep vectors of texts here from run to run."),
    click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Read the first N samples only."),
    click.option(
        "--input-format", metavar="NAME", help="Format of DATA, as in csv; default: by suffix or first bytes."
    ),
    click.option(
        "--encoding", metavar="NAME", help="Encoding of DATA if it is not UTF-8, as in big5; GBK is recognised."
    ),
    click.option("--strict", is_flag=True, help="Never guess what a column holds by words in its name."),
    output_format(*FORMATS),
    verbose("Also the parts of each score, as precision and recall, and how texts are tokenised."),
    click.option(
        "-o", "--output", type=click.Path(path_type=Path), metavar="DIR", help="Save the run to this directory."
    ),
    click.option("--tag", metavar="TEXT", help="A label, saved with the run of -o, that ragauge history shows."),
    click.option("--force", is_flag=True, help="Replace the files of -o and --per-sample."),
    click.option(
        "--per-sample", type=click.Path(path_type=Path), metavar="FILE", help="Scores: .jsonl, .csv or .parquet."
    ),
    click.option("--config", type=click.Path(path_type=Path), metavar="FILE", help="Settings; default: ragauge.toml."),
)


_PANELS = {
    "System": (
        "--system",
        "--system-body",
        "--system-model",
        "--system-headers",
        "--concurrency",
        "--timeout",
        "--retries",
        "--rate",
        "--repeats",
        "--until",
    ),
    "Metrics": (
        "--metric",
        "--preset",
        "--lang",
        "--tokenizer",
        "--embedder",
        "--support",
        "--relevance",
        "--matcher",
        "--duplicates",
    ),
    "Data": ("--map", "--split", "--run", "--qrels", "--limit", "--input-format", "--encoding", "--strict"),
    "Output": ("--output", "--tag", "--force", "--per-sample", "--output-format", "--verbose"),
    "Groups and intervals": ("--by", "--turns", "--cluster", "--ci", "--interval", "--resamples", "--seed"),
    "A language model as judge": JUDGE_FLAGS,
    "Speed, clusters and settings": ("--workers", "--resume", "--engine", "--master", "--embedding-cache", "--config"),
}
"""The options in the help, by what they are for."""


def scoring_options(command: Command) -> Command:
    """Return a command with the options that say how data are read, scored and written."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def panels(command: Any) -> Any:
    """Show the options of a command in panels; those that are in none stand below the others."""
    own = {flag for parameter in command.params for flag in parameter.opts}
    for name, flags in _PANELS.items():
        if options := [flag for flag in flags if flag in own]:
            command = click.option_panel(name, options=options)(command)
    return command
