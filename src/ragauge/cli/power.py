"""``ragauge power``: how many questions it takes to see a difference."""

from __future__ import annotations

import rich_click as click

from ragauge.cli.output import output_format, write_blocks, write_json
from ragauge.cli.share import SHARE


@click.command("power")
@click.argument("run")
@click.argument("other", required=False)
@click.option("--difference", type=SHARE, default=0.03, show_default=True, metavar="X", help="The difference to show.")
@click.option("-m", "--metric", "metrics", multiple=True, metavar="METRIC", help="Show this metric; repeatable.")
@output_format("table", "json", "markdown")
def command(run: str, other: str | None, difference: float, metrics: tuple[str, ...], output_format: str) -> None:
    """Show how many questions it takes to see a difference, with data like those of RUN.

    With OTHER, a run on the same questions, the spread of their differences counts.
    """
    from ragauge.comparison.sample_sizes import power

    shown = power(run, other, difference=difference, metrics=metrics)
    if output_format == "json":
        write_json(shown.to_dict())
    else:
        write_blocks(shown.blocks(), output_format)
