"""``ragauge compare``: which run is better, with intervals and tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from ragauge.cli.output import FORMATS, output_format, say, verbose, write_blocks, write_csv, write_json
from ragauge.cli.share import SHARE
from ragauge.core.messages import Message

if TYPE_CHECKING:
    from ragauge.comparison.comparison import Comparison
    from ragauge.comparison.difference import Difference
    from ragauge.display.table import Paragraph

_CSV_COLUMNS = (
    "metric", "primary", "run", "group", "base", "candidate", "difference", "low", "high", "alone_low",
    "alone_high", "test", "p", "corrected",
    "outcome", "wins", "ties", "losses", "effect", "error", "detectable", "scored", "total", "units", "direction",
)  # fmt: skip


@click.command("compare")
@click.argument("base")
@click.argument("candidates", nargs=-1, required=True, metavar="CANDIDATE...")
@click.option("-m", "--metric", "metrics", multiple=True, metavar="METRIC", help="Compare this metric; repeatable.")
@click.option(
    "--primary",
    multiple=True,
    metavar="METRIC",
    help="The verdict rests on this metric; at most five. Default: those of [report], or -m, or chosen.",
)
@click.option("--by", multiple=True, metavar="COLUMN", help="Also compare each value of this column; repeatable.")
@click.option("--cluster", metavar="COLUMN", help="Samples with the same value belong together; default: as scored.")
@click.option("--on", default="id", show_default=True, metavar="COLUMN", help="The column that pairs samples.")
@click.option(
    "--test",
    default="randomisation",
    show_default=True,
    help="How differences are tested: randomisation, bootstrap, wilcoxon, mcnemar or t.",
)
@click.option(
    "--correction",
    default="holm",
    show_default=True,
    help="How p is corrected for several tests: holm, bonferroni, bh or none.",
)
@click.option("--interval", default="percentile", show_default=True, help="How intervals are made: percentile or bca.")
@click.option("--ci", type=SHARE, default=0.95, show_default=True, help="Level of the intervals.")
@click.option("--alpha", type=SHARE, default=0.05, show_default=True, help="Greatest corrected p of a difference.")
@click.option("--trials", type=int, default=10_000, show_default=True, help="Trials of the randomisation test.")
@click.option("--resamples", type=int, default=2000, show_default=True, help="Bootstrap replicates.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of trials and replicates.")
@click.option("--worst", type=click.IntRange(0), default=0, metavar="N", help="Show the N samples that got worse most.")
@output_format(*FORMATS)
@verbose("Also samples better and worse, effects, and what these samples could have shown.")
def command(
    base: str,
    candidates: tuple[str, ...],
    worst: int,
    output_format: str,
    ci: float,
    *,
    verbose: bool,
    **options: Any,
) -> None:
    """Compare saved runs, CANDIDATEs with BASE: directories that ragauge score -o wrote.

    Samples are paired by id and not scored again. A run is better or worse where the corrected p is at most alpha.
    Rules of [gate] in ragauge.toml decide the verdict.
    """
    from ragauge.cli.terminal import Meter, progress
    from ragauge.comparison.compare import compare
    from ragauge.gates.check import by_rules
    from ragauge.gates.configuration import primary_setting
    from ragauge.gates.rules import gate_settings

    if not options["metrics"]:
        options["primary"] = options["primary"] or primary_setting(Path())
    with progress(meter=Meter(work="comparing")):
        comparison = by_rules(compare(base, *candidates, level=ci, **options), gate_settings(Path()))
    for note in notes_on(base, candidates):
        say(note)
    if output_format == "json":
        write_json(comparison.to_dict(worst))
    elif output_format == "csv":
        write_csv(_CSV_COLUMNS, map(_csv_row, comparison.table))
    else:
        details = verbose or output_format == "markdown"
        write_blocks([*_standing(comparison), *comparison.blocks(worst, details=details)], output_format)


def _standing(comparison: Comparison) -> Iterator[Paragraph]:
    """Yield how the best of several candidates stands to each other run."""
    from ragauge.comparison.every_pair import pairs_of, primary_names, standing
    from ragauge.display.table import Paragraph

    if len(comparison.candidates) > 1:
        names = [comparison.base, *[one.name for one in comparison.candidates]]
        places = range(len(primary_names(comparison)))
        yield Paragraph(standing(comparison, pairs_of(comparison), names, places))


def notes_on(base: str, candidates: Iterable[str]) -> list[str]:
    """Return a note for each candidate that is the base itself."""
    template = "{base} is compared with itself: both names are of one directory"
    return [Message(template, base) for one in candidates if Path(one).resolve() == Path(base).resolve()]


def _csv_row(difference: Difference) -> dict[str, Any]:
    group = "=".join(map(str, next(iter(difference.group.items())))) if difference.group else ""
    return {**difference.to_dict(), "group": group}
