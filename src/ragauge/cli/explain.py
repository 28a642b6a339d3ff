"""``ragauge explain``: print the evidence for the scores of a sample."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import rich_click as click

_SUPPORTED = {True: "yes", False: "no", None: "-"}


@click.command("explain")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--id", "sample", required=True, metavar="ID", help="The id of the sample.")
@click.option("-m", "--metric", "metrics", multiple=True, metavar="METRIC", help="Only this metric; repeatable.")
@click.option(
    "--output-format", type=click.Choice(("text", "json")), default="text", show_default=True, help="What is printed."
)
def command(run: Path, sample: str, metrics: tuple[str, ...], output_format: str) -> None:
    """Print the evidence for the scores of one sample of the saved RUN: segment, best match, similarity."""
    from ragauge.results.result import load

    result = load(run)
    wanted = {result.name(metric) for metric in metrics}
    rows = [row for row in result.explain(sample).to_pylist() if not wanted or row["metric"] in wanted]
    if output_format == "json":
        json.dump(rows, sys.stdout, ensure_ascii=False, indent=1)
        sys.stdout.write("\n")
        return
    scores = _scores(result, sample)
    # Scores without evidence, as of an empty answer, are printed too.
    explained = result.evidence.metrics if result.evidence is not None else []
    for metric in (name for name in explained if not wanted or name in wanted):
        click.echo(f"{metric}  {scores[metric]}")
        for row in rows:
            if row["metric"] == metric:
                _print_segment(row)


def _print_segment(row: dict[str, Any]) -> None:
    from ragauge.display.numbers import printable

    similarity = "" if row["similarity"] is None else f"{row['similarity']:.2f}"
    click.echo(f"  {_SUPPORTED[row['supported']]:3} {row['what']}: {printable(row['text'])}")
    if row["best"] is not None:
        click.echo(f"     {similarity:4}  {printable(row['best'])}")


def _scores(result: Any, sample: str) -> dict[str, str]:
    """Return the sample's score or status under each metric."""
    import numpy as np
    import pyarrow as pa

    ids = pa.chunked_array(list(result.ids)).cast(pa.string()).to_pylist()
    place = ids.index(sample)
    scores = {}
    for name in result.metrics:
        score, status = result.scores(name)[place], result.statuses(name)[place]
        scores[name] = str(status) if np.isnan(score) else f"{score:.4f}"
    return scores
