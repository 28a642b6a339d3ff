"""``ragauge history``: each metric over saved runs, and which run moved it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import rich_click as click

from ragauge.cli.output import FORMATS, output_format, write_blocks, write_csv, write_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragauge.comparison.past_runs import History

_CSV_COLUMNS = (
    "run", "path", "created", "tag", "commit", "metric", "value", "low", "high", "scored", "total", "failed", "base",
    "difference", "difference_low", "difference_high", "corrected", "outcome", "reason",
)  # fmt: skip


@click.command("history")
@click.argument("runs", nargs=-1, required=True, metavar="RUNS...")
@click.option("-m", "--metric", "metrics", multiple=True, metavar="METRIC", help="Show this metric; repeatable.")
@click.option(
    "--by",
    default="date",
    show_default=True,
    help="What the runs are named by: date; or tag or commit, the last run of each.",
)
@click.option("--cluster", metavar="COLUMN", help="Samples with the same value belong together; default: as scored.")
@click.option("--on", default="id", show_default=True, metavar="COLUMN", help="The column that pairs samples.")
@click.option("--ci", type=float, default=0.95, show_default=True, help="Level of the intervals of changes.")
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Greatest corrected p of a change.")
@output_format(*FORMATS)
def command(runs: tuple[str, ...], output_format: str, ci: float, **options: Any) -> None:
    """Show each metric over saved RUNS (directories of runs, or folders that hold some), and which run moved it.

    A run is compared with the one before it on the samples of both, as ragauge compare does. ragauge score --tag gives
    a run a label; the commit of git is saved with each run.
    """
    from ragauge.comparison.history import history

    shown = history(*runs, level=ci, **options)
    if output_format == "json":
        write_json(shown.to_dict())
    elif output_format == "csv":
        write_csv(_CSV_COLUMNS, _csv_rows(shown))
    else:
        write_blocks(shown.blocks(), output_format)


def _csv_rows(shown: History) -> Iterator[dict[str, Any]]:
    for run in shown.runs:
        known = run.to_dict()
        for metric, score in known["metrics"].items():
            change = shown.change(metric, run.name)
            plain = {} if change is None else change.to_dict()
            difference = plain.get("difference") or {}
            yield {
                **known,
                **score,
                **{name: plain.get(name) for name in ("base", "reason")},
                **{name: difference.get(name) for name in ("difference", "corrected", "outcome")},
                "difference_low": difference.get("low"),
                "difference_high": difference.get("high"),
            }
