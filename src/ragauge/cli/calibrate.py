"""``ragauge calibrate``: learn from the user's own data from which similarity on a text counts as support."""

from __future__ import annotations

from pathlib import Path

import rich_click as click

from ragauge.cli.output import check_new_file, say
from ragauge.cli.settings import column_map
from ragauge.errors import OptionError
from ragauge.results.replacing import replacing


@click.command("calibrate")
@click.argument("data")
@click.option("--embedder", default="lexical", show_default=True, metavar="EMBEDDER", help="As in st[model=...].")
@click.option("--similarity", type=click.Choice(("auto", "ngram-recall", "cosine")), default="auto", show_default=True)
@click.option("--alpha", type=float, default=0.05, show_default=True, help="The false-positive rate.")
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), metavar="FILE", help="The thresholds.")
@click.option("--map", "mapping", multiple=True, metavar="A=B", help="Column A is called B in the data; repeatable.")
@click.option("--force", is_flag=True, help="Replace FILE.")
def command(
    data: str, embedder: str, similarity: str, alpha: float, output: Path, mapping: tuple[str, ...], *, force: bool
) -> None:
    """Calibrate the thresholds of an embedder to a false-positive rate of ALPHA, on DATA.

    DATA needs contexts, and questions, answers or references. Claims are compared with the passages of other samples:
    a share ALPHA of these pairs reaches the threshold. A few hundred samples on different topics are enough. Use the
    file as in groundedness:threshold=FILE.
    """
    from ragauge.embedders import get
    from ragauge.formats import read
    from ragauge.support.calibration import calibrate
    from ragauge.support.scorer import similarity_of
    from ragauge.support.thresholds import write

    if not 0 < alpha < 1:
        raise OptionError.value("calibrate", "alpha", "above 0 and below 1", alpha)
    check_new_file(output, force=force)
    model = get(embedder)
    compared_by = similarity_of(similarity, model)
    dataset = read(data, mapping=column_map(mapping))
    thresholds = calibrate(dataset, model, compared_by, alpha=alpha)
    with replacing(output) as new:
        write(new, model.signature, compared_by, {use: one.to_dict() for use, one in thresholds.items()})
    for use, one in thresholds.items():
        matched = f"{one.own:.0%} of {one.columns[0]} reach it with their own {one.columns[1]}"
        say(f"{use}: {one.value:.6g}, from {one.pairs} mismatched pairs at alpha={one.alpha:g}; {matched}")
    say(f"saved to {output}; use it as in groundedness:embedder={embedder},threshold={output}")
