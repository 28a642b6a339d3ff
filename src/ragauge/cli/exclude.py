"""``ragauge exclude``: leave samples out of a saved run afterwards, with who, when and why."""

from __future__ import annotations

import rich_click as click

from ragauge.cli.output import FORMATS, output_format, say, verbose, write
from ragauge.core.messages import Message
from ragauge.errors import UsageError


@click.command("exclude")
@click.argument("run")
@click.option("--id", "ids", multiple=True, metavar="ID", help="The id of a sample; repeatable.")
@click.option("--row", "rows", type=click.IntRange(1), multiple=True, metavar="N",
              help="The sample in row N of the data, from 1; repeatable.")  # fmt: skip
@click.option(
    "--why", "--reason", "why", default="", metavar="TEXT", help="The reason, which each table of the run shows."
)
@click.option("--who", metavar="NAME", help="Who leaves it out; default: user.name of git, else your user name.")
@click.option("--undo", is_flag=True, help="Take back samples that were left out.")
@verbose("Also the parts of each score, as precision and recall.")
@output_format(*FORMATS)
def command(
    run: str,
    *,
    ids: tuple[str, ...],
    rows: tuple[int, ...],
    why: str,
    who: str | None,
    undo: bool,
    verbose: bool,
    output_format: str,
) -> None:
    """Leave samples out of RUN, a directory that ragauge score -o wrote, and show its scores without them.

    The run keeps the samples, and records who left them out, when and why. All tables of the run are then without them,
    and say so. Nothing is scored again.
    """
    from ragauge.evaluation.exclude import exclude
    from ragauge.results.left_out import left_out_in

    if not undo and not why.strip():
        raise UsageError("RG-CLI-060 say why by --why, as in --why 'the passage is of another customer'")
    result = exclude(run, ids, rows=rows, why=why, who=who, undo=undo)
    write(result, output_format, verbose=verbose)
    for note in left_out_in(result.data.notes) or [Message("no sample of {run} is left out", run)]:
        say(note)
