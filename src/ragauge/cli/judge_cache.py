"""``ragauge judge-cache``: show the cached answers of judges, and remove some."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import rich_click as click

from ragauge.cli.output import output_format, say, write_blocks, write_json
from ragauge.core.messages import Counted, Message


@click.command("judge-cache")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--prune-days", type=click.FloatRange(min=0), metavar="N", help="Remove answers older than N days.")
@click.option("--prune-judge", default="", metavar="TEXT", help="Remove those of judges whose spec holds TEXT.")
@click.option("--prune-prompt", default="", metavar="NAME", help="Remove those to this prompt.")
@click.option("--prune-failed", is_flag=True, help="Remove refused, filtered, truncated and unreadable ones.")
@output_format("table", "json", "markdown")
def command(
    file: Path, *, prune_days: float | None, prune_judge: str, prune_prompt: str, prune_failed: bool, output_format: str
) -> None:
    """Show how many answers of each judge are in FILE.

    With several --prune options, only answers that match all of them are removed.
    """
    from ragauge.display.table import Table, TableColumn, TableRow
    from ragauge.judges.cache import CachedAnswers, cached_answers, prune

    if prune_days is not None or prune_judge or prune_prompt or prune_failed:
        removed = prune(file, days=prune_days, judge=prune_judge, prompt=prune_prompt, failed=prune_failed)
        say(Message("removed {replies}", Counted(removed, "reply", "replies")))
    rows = [asdict(row) for row in cached_answers(file)]
    if output_format == "json":
        write_json({"answers": rows})
        return
    undated = sum(row.pop("undated") for row in rows)
    failed = sum(row["failed"] for row in rows)
    names = [name for name in CachedAnswers.__annotations__ if name != "undated"]
    columns = [TableColumn(name, "name" if name == "judge" else "text") for name in names]
    shown = [TableRow(tuple(map(str, row.values()))) for row in rows]
    write_blocks([Table(str(file), tuple(columns), tuple(shown))], output_format)
    replies = Counted(sum(row["answers"] for row in rows), "reply", "replies")
    say(Message("{replies}, {size:.1f} MB", replies, file.stat().st_size / 1e6))
    if failed:
        lost = Counted(failed, "reply", "replies")
        say(Message("{replies} refused, cut off or unreadable; --prune-failed removes them, to ask again", lost))
    if undated:
        damaged = Counted(undated, "reply", "replies")
        say(Message("{replies} without a time, as in a damaged file; --prune-days removes these too", damaged))
