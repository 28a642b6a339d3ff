"""``ragauge history``: each metric over saved runs, and which run moved it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from ragauge.cli.output import FORMATS, output_format, verbose, write_blocks, write_csv, write_json
from ragauge.cli.share import SHARE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragauge.comparison.past_runs import History

_CSV_COLUMNS = (
    "run", "path", "created", "tag", "commit", "metric", "value", "low", "high", "scored", "total", "failed", "base",
    "difference", "difference_low", "difference_high", "corrected", "outcome", "reason", "primary", "overall_base",
    "overall_difference", "overall_low", "overall_high", "overall_corrected", "overall_outcome",
)  # fmt: skip
_OVERALL = ("difference", "low", "high", "corrected", "outcome")


@click.command("history")
@click.argument("runs", nargs=-1, required=True, metavar="RUNS...")
@click.option("-m", "--metric", "metrics", multiple=True, metavar="METRIC", help="Show this metric; repeatable.")
@click.option(
    "--by",
    default="date",
    show_default=True,
    help="What the runs are named by: date; or tag or commit, the last run of each.",
)
@click.option("--baseline", metavar="RUN", help="Compare each run with this one: its folder, name or tag.")
@click.option(
    "--primary",
    multiple=True,
    metavar="METRIC",
    help="Corrected apart from the others; at most five. Default: those of [report], or -m, or chosen.",
)
@click.option("--cluster", metavar="COLUMN", help="Samples with the same value belong together; default: as scored.")
@click.option("--on", default="id", show_default=True, metavar="COLUMN", help="The column that pairs samples.")
@click.option("--ci", type=SHARE, default=0.95, show_default=True, help="Level of the intervals of changes.")
@click.option("--alpha", type=SHARE, default=0.05, show_default=True, help="Greatest corrected p of a change.")
@output_format(*FORMATS)
@verbose("Also a table for each metric, with the interval and the change of each run.")
def command(runs: tuple[str, ...], output_format: str, ci: float, *, verbose: bool, **options: Any) -> None:
    """Show each metric over saved RUNS (directories of runs, or folders that hold some), and which run moved it.

    A run is compared with the one before it, and the last one with the first, on the samples of both, as ragauge
    compare does. ragauge score --tag gives a run a label; the commit of git is saved with each run.
    """
    from ragauge.cli.terminal import Meter, progress
    from ragauge.comparison.history import history
    from ragauge.gates.configuration import primary_setting

    if not options["metrics"]:
        options["primary"] = options["primary"] or primary_setting(Path())

    with progress(meter=Meter(work="comparing")):
        shown = history(*runs, level=ci, **options)
    if output_format == "json":
        write_json(shown.to_dict())
    elif output_format == "csv":
        write_csv(_CSV_COLUMNS, _csv_rows(shown))
    else:
        write_blocks(shown.blocks(details=verbose or output_format == "markdown"), output_format)


def _csv_rows(shown: History) -> Iterator[dict[str, Any]]:
    for run in shown.runs:
        known = run.to_dict()
        for metric, score in known["metrics"].items():
            change = shown.change(metric, run.name)
            plain = {} if change is None else change.to_dict()
            difference = plain.get("difference") or {}
            overall = next((one for one in shown.overall if (one.metric, one.run) == (metric, run.name)), None)
            from_first = {} if overall is None or overall.difference is None else overall.difference.to_dict()
            yield {
                **known,
                **score,
                **{name: plain.get(name) for name in ("base", "reason")},
                **{name: difference.get(name) for name in ("difference", "corrected", "outcome", "primary")},
                "difference_low": difference.get("low"),
                "difference_high": difference.get("high"),
                "overall_base": overall and overall.base,
                **{f"overall_{name}": from_first.get(name) for name in _OVERALL},
            }
