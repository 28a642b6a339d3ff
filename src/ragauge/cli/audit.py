"""``ragauge audit``: what a published number is worth."""

from __future__ import annotations

import rich_click as click

from ragauge.cli.output import output_format, write_blocks, write_json
from ragauge.cli.share import SHARE


@click.command("audit")
@click.option("--n", type=int, required=True, metavar="N", help="Questions behind the number.")
@click.option("--value", type=SHARE, required=True, metavar="X", help="The number, a share, as in .71 or 71%.")
@click.option("--claim", type=SHARE, required=True, metavar="X", help="The share that it is held against.")
@click.option("--ci", "level", type=SHARE, default=0.95, show_default=True, help="Level of the intervals.")
@output_format("table", "json", "markdown")
def command(n: int, value: float, claim: float, level: float, output_format: str) -> None:
    """Show what a published share is worth: its interval, and whether it differs from a claim beyond chance."""
    from ragauge.comparison.sample_sizes import audit

    shown = audit(n=n, value=value, claim=claim, level=level)
    if output_format == "json":
        write_json(shown.to_dict())
    else:
        write_blocks(shown.blocks(), output_format)
