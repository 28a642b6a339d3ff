"""``ragauge fit-idf``: learn from a corpus how rare each n-gram is, for the embedder ``lexical``."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from ragauge.cli.output import check_new_file, say
from ragauge.errors import ColumnError, did_you_mean

if TYPE_CHECKING:
    from ragauge.core.batch import Batch, Dataset

_TEXTS = ("question", "answer", "references", "contexts", "reference_contexts")


@click.command("fit-idf")
@click.argument("data")
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), metavar="FILE", help="The table.")
@click.option("--column", "columns", multiple=True, metavar="COLUMN", help="Texts to learn from; repeatable.")
@click.option("--by", metavar="COLUMN", help="Count the rows of each value apart, as with languages.")
@click.option("--force", is_flag=True, help="Replace FILE.")
def command(data: str, output: Path, columns: tuple[str, ...], by: str | None, force: bool) -> None:  # noqa: FBT001
    """Learn from the texts of DATA how rare each n-gram is; use it as ``lexical[idf=FILE]``.

    Without --column: all that are there of question, answer, references, contexts, reference_contexts. Each distinct
    text counts once. Thousands of texts of the domain are worth it; from fewer, the table in the package is better.
    """
    from ragauge.embedders._idf import fit
    from ragauge.formats import read

    check_new_file(output, force=force)
    dataset = read(data)
    chosen = _chosen(dataset, columns, by)
    groups = _groups(dataset, chosen, by)
    table = fit(groups)
    table.save(output)
    count = sum(map(len, groups.values()))
    say(f"{count} distinct texts of {', '.join(chosen)} from {dataset.source}")
    say(f"saved to {output}; use it as lexical[idf={output}], whose signature says idf={table.digest}")


def _chosen(dataset: Dataset, columns: tuple[str, ...], by: str | None) -> tuple[str, ...]:
    """Return the columns to learn from, all of which are there."""
    for name in (*columns, *((by,) if by else ())):
        if name not in dataset.columns:
            message = f"there is no column {name!r} in {dataset.source}{did_you_mean(name, dataset.columns)}"
            raise ColumnError(message)
    found = columns or tuple(name for name in _TEXTS if name in dataset.columns)
    if not found:
        message = f"{dataset.source} has none of {', '.join(_TEXTS)}; name a column of texts: --column NAME"
        raise ColumnError(message)
    return found


def _groups(dataset: Dataset, columns: tuple[str, ...], by: str | None) -> dict[str, list[str]]:
    """Return the distinct texts, sorted, under each value of ``by``."""
    groups: dict[str, set[str]] = {}
    for batch in dataset.batches():
        names = batch.column(by).to_pylist() if by else [None] * len(batch)
        for name, row in zip(names, _rows(batch, columns), strict=True):
            groups.setdefault(str(name) if name is not None else "all", set()).update(row)
    return {name: sorted(texts) for name, texts in sorted(groups.items())}


def _rows(batch: Batch, columns: tuple[str, ...]) -> Iterator[Iterator[str]]:
    """Yield the texts of each row."""
    cells = [map(_texts, batch.column(name).to_pylist()) for name in columns]
    return map(chain.from_iterable, zip(*cells, strict=True))


def _texts(cell: Any) -> list[str]:
    """Return the texts in a cell: none, one or a list."""
    if isinstance(cell, str):
        return [cell]
    return [text for text in cell or () if isinstance(text, str)] if not isinstance(cell, int | float | dict) else []
