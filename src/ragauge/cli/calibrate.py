"""``ragauge calibrate``: learn from the user's own data from which similarity on a text counts as support."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import rich_click as click

from ragauge.cli.output import check_output, say
from ragauge.cli.settings import column_map
from ragauge.core.messages import Message
from ragauge.errors import OptionError
from ragauge.results.replacing import replacing

METHODS = ("auto", "ngram-recall", "features", "cosine")


@click.command("calibrate")
@click.argument("data")
@click.option("--embedder", default="lexical", show_default=True, metavar="EMBEDDER", help="As in st[model=...].")
@click.option("--support", type=click.Choice(METHODS), default="auto", show_default=True,
              help="How a claim is compared with a passage.")  # fmt: skip
@click.option("--alpha", type=float, default=0.05, show_default=True, help="The false-positive rate.")
@click.option("--human", metavar="COLUMN", help="Labels of samples, 0 or 1: learn from them instead.")
@click.option("--use", type=click.Choice(("support", "relevance")), default="support", help="What the labels judge.")
@click.option("--positive", type=float, metavar="X", help="Labels of at least X are good.")
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), metavar="FILE", help="The thresholds.")
@click.option("--map", "mapping", multiple=True, metavar="A=B", help="Column A is called B in the data; repeatable.")
@click.option("--force", is_flag=True, help="Replace FILE.")
def command(  # noqa: PLR0913 - the options of the command line
    data: str,
    embedder: str,
    support: str,
    alpha: float,
    human: str | None,
    use: Literal["relevance", "support"],
    positive: float | None,
    *,
    output: Path,
    mapping: tuple[str, ...],
    force: bool,
) -> None:
    """Calibrate the thresholds of an embedder to a false-positive rate of ALPHA, or to labels, on DATA.

    DATA needs contexts, and questions, answers or references. Claims are compared with the passages of other samples:
    a share ALPHA of these pairs reaches the threshold. A few hundred samples on different topics are enough. With
    --human the threshold is the one that agrees best with labels of at least 10 samples: 1 where the passages support
    the whole answer (or are relevant to the question), else 0. Use the file as in groundedness:threshold=FILE.
    """
    from ragauge.embedders import get
    from ragauge.formats import read
    from ragauge.grounding.support.calibration import calibrate
    from ragauge.grounding.support.scorer import similarity_of
    from ragauge.grounding.support.thresholds import write
    from ragauge.validation.labelled_threshold import calibrate_with_labels

    if not 0 < alpha < 1:
        raise OptionError.value("calibrate", "alpha", "a number above 0 and below 1", alpha)
    check_output(output, force=force)
    model = get(embedder)
    compared_by = similarity_of(support, model)
    dataset = read(data, mapping=column_map(mapping))
    if human is not None:
        threshold = calibrate_with_labels(dataset, human, model, compared_by, use=use, positive=positive)
        learned: dict[str, dict[str, Any]] = {use: threshold.to_dict()}
        lines = [f"{use}: {threshold}"]
    else:
        thresholds = calibrate(dataset, model, compared_by, alpha=alpha)
        learned = {name: one.to_dict() for name, one in thresholds.items()}
        lines = [f"{name}: {one}" for name, one in thresholds.items()]
    with replacing(output) as new:
        write(new, model, compared_by, learned)
    for line in lines:
        say(line)
    options = ["support=features"] if compared_by == "features" else []
    options += [f"embedder={embedder}"] if embedder != "lexical" or not options else []
    use_as = f"groundedness:{','.join(options)},threshold={output}"
    say(Message("saved to {file}; use it as in {metric}", output, use_as))
