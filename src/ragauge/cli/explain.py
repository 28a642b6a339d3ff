"""``ragauge explain``: print the evidence for the scores of a sample."""

from __future__ import annotations

from math import isnan
from pathlib import Path

import rich_click as click

from ragauge.cli.output import output_format, write_json

_SUPPORTED = {True: "yes", False: "no", None: "-"}


@click.command("explain")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--id", "sample", required=True, metavar="ID", help="The id of the sample.")
@click.option("-m", "--metric", "metrics", multiple=True, metavar="METRIC", help="Only this metric; repeatable.")
@output_format("text", "json")
def command(run: Path, sample: str, metrics: tuple[str, ...], output_format: str) -> None:
    """Print the evidence for the scores of one sample of the saved RUN: segment, best match, similarity."""
    from ragauge.display.numbers import printable
    from ragauge.results.result import load

    result = load(run)
    wanted = {result.name(metric) for metric in metrics}
    rows = [row for row in result.explain(sample).to_pylist() if not wanted or row["metric"] in wanted]
    if output_format == "json":
        write_json(rows, indent=1, ensure_ascii=False)
        return
    place = [str(one) for ids in result.ids for one in ids.to_pylist()].index(sample)
    # Scores without evidence, as of an empty answer, are printed too.
    for metric in result.evidence.metrics if result.evidence is not None else []:
        if wanted and metric not in wanted:
            continue
        score = result.scores(metric)[place]
        click.echo(f"{metric}  {result.statuses(metric)[place] if isnan(score) else f'{score:.4f}'}")
        for row in rows:
            if row["metric"] == metric:
                click.echo(f"  {_SUPPORTED[row['supported']]:3} {row['what']}: {printable(row['text'])}")
                if row["best"] is not None:
                    similarity = "" if row["similarity"] is None else f"{row['similarity']:.2f}"
                    click.echo(f"     {similarity:4}  {printable(row['best'])}")
                if row.get("why") is not None:
                    click.echo(f"           {printable(row['why'])}")
