"""Groups as columns: one row for each metric, for text that has room for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ragauge.core.messages import Message
from ragauge.display.table import Table, TableColumn, TableRow


class GroupCell(NamedTuple):
    """What a metric has in a group, on how many samples, and what a reader should know of it."""

    group: str
    metric: str
    texts: tuple[str, ...]
    """The same, the longest first."""
    samples: int
    note: str = ""
    total: int = 0
    """The samples of the group, with those that the metric has no score for; 0: not known."""


def pivots(title: str, cells: Sequence[GroupCell], notes: Iterable[str] = ()) -> tuple[Table, ...]:
    """Return tables of metrics by groups, one for each text of a cell; none of one metric or one group.

    Rows show those better. The first row has the number of samples of each group that its metrics have; where these
    differ, all of the group, and other numbers stand in parentheses before their texts. What is noted of all metrics of
    a group is noted once.

    >>> cells = [
    ...     GroupCell("en", "recall", ("0.5",), 8),
    ...     GroupCell("zh", "recall", ("0.7",), 9),
    ...     GroupCell("en", "bleu", ("0.1",), 8),
    ...     GroupCell("zh", "bleu", ("0.2",), 9),
    ...     GroupCell("zh", "ter", ("–",), 7),
    ... ]
    >>> [row.cells for row in pivots("by language", cells)[0].rows]
    [('samples', '8', '9'), ('recall', '0.5', '0.7'), ('bleu', '0.1', '0.2'), ('ter', '', '(7) –')]
    """
    groups, metrics = (
        list(dict.fromkeys(cell.group for cell in cells)),
        list(dict.fromkeys(cell.metric for cell in cells)),
    )
    if len(groups) < 2 or len(metrics) < 2:
        return ()
    of_group = {group: Counter(cell.samples for cell in cells if cell.group == group) for group in groups}
    usual = {group: counts.most_common(1)[0][0] for group, counts in of_group.items()}
    usual |= {cell.group: cell.total for cell in cells if cell.total and len(of_group[cell.group]) > 1}
    # A group is data: its name is not looked up in the language of the interface.
    columns = (TableColumn("metric", "name"), *[TableColumn(Message("{group}", group), "number") for group in groups])
    tables = []
    for form in range(len(cells[0].texts)):
        texts = {(cell.metric, cell.group): cell.texts[form] for cell in cells}
        half = [_HALF_WIDTH] if any("±" in text for text in texts.values()) else []
        texts |= {(cell.metric, cell.group): f"({cell.samples:,}) {cell.texts[form]}"
                  for cell in cells if cell.samples != usual[cell.group]}  # fmt: skip
        rows = [(Message("samples"), *[f"{usual[group]:,}" for group in groups])]
        rows += [(metric, *[texts.get((metric, group), "") for group in groups]) for metric in metrics]
        tables.append(Table(title, columns, tuple(map(TableRow, rows)), (*half, *notes, *_notes(cells))))
    return tuple(tables)


_HALF_WIDTH = "± half the width of the interval"


def _notes(cells: Sequence[GroupCell]) -> Iterator[str]:
    metrics = Counter(cell.group for cell in cells)
    noted: dict[tuple[str, str], list[str]] = {}
    for cell in cells:
        if cell.note:
            noted.setdefault((cell.group, cell.note), []).append(cell.metric)
    for (group, words), names in noted.items():
        if len(names) == metrics[group]:
            yield Message("{run}: {words}", group, words)
        else:
            yield Message("{run}, {metrics}: {reason}", group, ", ".join(names), words)
