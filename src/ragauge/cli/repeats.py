"""``ragauge repeats``: what several answers to each question say."""

from __future__ import annotations

from typing import Any

import rich_click as click

from ragauge.cli.output import output_format, write_blocks, write_json
from ragauge.cli.share import SHARE


@click.command("repeats")
@click.argument("run")
@click.option("--by", metavar="COLUMN", help="The column of the questions; default: that of --cluster.")
@click.option("-m", "--metric", "metrics", multiple=True, metavar="METRIC", help="Show this metric; repeatable.")
@click.option("--passing", type=float, metavar="X", help="The score that passes; default: 1, of scores 0 and 1.")
@click.option("-k", type=int, metavar="N", help="Answers that pass@k and pass^k draw; default: as most questions have.")
@click.option("--ci", "level", type=SHARE, default=0.95, show_default=True, help="Level of the intervals.")
@click.option("--consistency", multiple=True, metavar="METRIC",
              help="Compare the answers to a question by this metric, as token-f1; repeatable.")  # fmt: skip
@click.option("--others", type=click.Choice(("each", "together")), default="each", show_default=True,
              help="Compare an answer with each other one, or with all at once, as self-BLEU does.")  # fmt: skip
@output_format("table", "json", "markdown")
def command(run: str, output_format: str, **options: Any) -> None:
    """Show how often several answers to a question pass in RUN, how much they vary, and what more of them would tell.

    RUN is a directory that ragauge ask --repeats or ragauge score -o wrote; a sample is an answer.
    """
    from ragauge.comparison.repeats import repeats

    shown = repeats(run, **options)
    if output_format == "json":
        write_json(shown.to_dict())
    else:
        write_blocks(shown.blocks(), output_format)
