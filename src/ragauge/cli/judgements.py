"""``ragauge judgements``: how far two sets of relevance judgements agree."""

from __future__ import annotations

from typing import Any

import rich_click as click

from ragauge.cli.output import output_format, write_blocks, write_json
from ragauge.cli.share import SHARE


@click.command("judgements")
@click.argument("first")
@click.argument("second")
@click.argument("runs", nargs=-1)
@click.option("-m", "--metric", default="ndcg@10", show_default=True, metavar="METRIC", help="Orders the systems.")
@click.option("--relevant", type=float, default=1.0, show_default=True, metavar="X",
              help="The least grade of a relevant document.")  # fmt: skip
@click.option("--ci", "level", type=SHARE, default=0.95, show_default=True, help="Level of the intervals.")
@click.option("--resamples", type=int, default=1000, show_default=True, help="Bootstrap replicates.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the replicates.")
@output_format("table", "json", "markdown")
def command(runs: tuple[str, ...], output_format: str, **options: Any) -> None:
    """Compare the judgements FIRST and SECOND, such as those of people and of a judge, and the order of RUNS by each.

    These are TREC qrels and runs. ragauge export --to "trec[what=qrels]" writes what a judge graded.
    """
    from ragauge.validation.judgements import judgements

    shown = judgements(runs=runs, **options)
    if output_format == "json":
        write_json(shown.to_dict())
    else:
        write_blocks(shown.blocks(), output_format)
