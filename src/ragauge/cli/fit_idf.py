"""``ragauge fit-idf``: compute the inverse document frequencies of a corpus, for the embedder ``lexical``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from ragauge.cli.output import check_output, say
from ragauge.core.messages import Counted, Message
from ragauge.errors import ColumnError, did_you_mean
from ragauge.results.replacing import replacing

if TYPE_CHECKING:
    from ragauge.core.batch import Dataset

_TEXT_COLUMNS = ("question", "answer", "references", "contexts", "reference_contexts")


@click.command("fit-idf")
@click.argument("data")
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), metavar="FILE", help="The table.")
@click.option("--column", "columns", multiple=True, metavar="COLUMN", help="A column of texts; repeatable.")
@click.option("--by", metavar="COLUMN", help="Count the rows of each value apart, such as languages.")
@click.option("--force", is_flag=True, help="Replace FILE.")
def command(data: str, output: Path, columns: tuple[str, ...], by: str | None, force: bool) -> None:  # noqa: FBT001
    """Compute how rare each n-gram is in the texts of DATA; use the table as `lexical[idf=FILE]`.

    Without --column the texts are those of question, answer, references, contexts and reference_contexts. Each distinct
    text counts once. With fewer than thousands of texts of your domain, the table of the package is better.
    """
    from ragauge.embedders.ngrams import fit
    from ragauge.formats import read

    check_output(output, force=force)
    dataset = read(data)
    chosen = _chosen(dataset, columns, by)
    groups = _groups(dataset, chosen, by)
    table = fit(groups)
    with replacing(output) as new:
        table.save(new)
    count = sum(map(len, groups.values()))
    texts = Counted(count, "distinct text")
    say(Message("{texts} of {columns} from {source}", texts, ", ".join(chosen), dataset.source))
    use_as, signed = f"lexical[idf={output}]", f"idf={table.digest}"
    say(Message("saved to {file}; use it as {embedder}, whose signature says {idf}", output, use_as, signed))


def _chosen(dataset: Dataset, columns: tuple[str, ...], by: str | None) -> tuple[str, ...]:
    """Return the requested columns, or the known columns of texts."""
    for name in (*columns, *((by,) if by else ())):
        if name not in dataset.columns:
            hint = did_you_mean(name, dataset.columns)
            raise ColumnError("RG-CLI-020 there is no column {name!r} in {source}{hint}", name, dataset.source, hint)
    chosen = columns or tuple(name for name in _TEXT_COLUMNS if name in dataset.columns)
    if not chosen:
        raise ColumnError(
            "RG-CLI-019 {source} has none of {columns}. Name a column of texts, as in --column NAME.",
            dataset.source,
            ", ".join(_TEXT_COLUMNS),
        )
    return chosen


def _groups(dataset: Dataset, columns: tuple[str, ...], by: str | None) -> dict[str, list[str]]:
    """Return the distinct texts of each value of ``by``, sorted."""
    groups: dict[str, set[str]] = {}
    for batch in dataset.batches():
        names = batch.column(by).to_pylist() if by else [None] * len(batch)
        for column in columns:
            for name, field in zip(names, batch.column(column).to_pylist(), strict=True):
                texts = field if isinstance(field, list) else [field]
                group = groups.setdefault(str(name) if name is not None else "all", set())
                group.update(text for text in texts if isinstance(text, str))
    return {name: sorted(texts) for name, texts in sorted(groups.items())}
