"""What an evaluation found: scores, and what each sample contributed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from ragauge.core.arrow import to_arrow
from ragauge.core.batch import Dataset
from ragauge.core.protocol import Metric
from ragauge.core.ragged import FloatArray
from ragauge.core.registry import parse
from ragauge.core.statistics import Status
from ragauge.errors import ColumnError, RagaugeError, UnknownNameError
from ragauge.results.score import Column, Label, Score

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

_WORDS = np.array([status.name.lower() for status in Status])


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """Scores of a run. ``result["ndcg@10"].value`` is one; any equal spelling of the metric finds it."""

    table: tuple[Score, ...]
    """All scores: the whole first, then the groups, metrics in the order asked for."""
    metrics: Mapping[str, str]
    """The canonical spec of each metric, by the name that it was asked for."""
    ids: tuple[Any, ...]
    columns: Mapping[str, Column]
    data: Dataset
    options: Mapping[str, Any]
    """What else was asked for: by, cluster, level, resamples, seed."""

    def __getitem__(self, metric: str | Metric) -> Score:
        name = self.name(metric)
        return next(score for score in self.table if score.metric == name and score.group is None)

    def __contains__(self, metric: str | Metric) -> bool:
        try:
            self.name(metric)
        except RagaugeError:
            return False
        return True

    def __len__(self) -> int:
        return self.data.rows

    def name(self, metric: str | Metric) -> str:
        """Find the name under which ``metric`` was asked for.

        Raises:
            UnknownNameError: the run has no such metric.
        """
        asked = str(metric)
        if asked in self.metrics:
            return asked
        try:
            wanted = str(parse(metric)) if isinstance(metric, str) else asked
        except UnknownNameError:
            # What the run has helps more than what there is.
            wanted = asked
        for name, spec in self.metrics.items():
            if spec == wanted:
                return name
        raise UnknownNameError.of("metric of this run:", asked, self.metrics)

    def title(self, metric: str | Metric) -> str:
        """Return the column title of the metric's scores: its name, unless the data have a column called so."""
        name = self.name(metric)
        return f"{name}|score" if name in self.data.columns else name

    def groups(self, metric: str | Metric, by: str) -> dict[Label, Score]:
        """Return the score of each group of column ``by``, by the value that its samples share.

        Raises:
            ColumnError: the run has no groups by that column.
        """
        name, column = self.name(metric), self.data.known(by)
        if column not in self.options["by"]:
            grouped = ", ".join(map(repr, self.options["by"])) or "no column"
            message = (
                f"by must be a column that the run is grouped by ({grouped}); got {by!r}; score again with by={by!r}"
            )
            raise ColumnError(message)
        return {
            score.group[column]: score
            for score in self.table
            if score.metric == name and score.group is not None and column in score.group
        }

    def range(self, metric: str | Metric) -> tuple[float, float]:
        """Return the least and the greatest value that a metric can have.

        Infinite where there is none, or where the run is a saved one whose metric is not known here.
        """
        try:
            return parse(self.metrics[self.name(metric)]).range
        except RagaugeError:
            return (-inf, inf)

    def scores(self, metric: str | Metric) -> FloatArray:
        """Return the score of each sample in input order, (n,); NaN where it is not ok."""
        return self.columns[self.name(metric)].scores

    def statuses(self, metric: str | Metric) -> npt.NDArray[np.str_]:
        """Return ``ok``, ``undefined``, ``missing`` or ``failed`` for each sample in input order, (n,)."""
        return cast("npt.NDArray[np.str_]", _WORDS[self.columns[self.name(metric)].status])

    def parts(self, metric: str | Metric) -> Mapping[str, FloatArray]:
        """Return the parts of each sample's score in input order, each (n,)."""
        return self.columns[self.name(metric)].parts

    def reasons(self, metric: str | Metric) -> Mapping[int, str]:
        """Return why samples failed, by place in the input."""
        return self.columns[self.name(metric)].reasons

    def to_dict(self) -> dict[str, Any]:
        """Return the scores and what is known of the data as JSON types, as ``--output-format json`` prints them."""
        return {
            "metrics": [score.to_dict() for score in self.table],
            "data": self._data(),
            "options": dict(self.options),
        }

    def to_arrow(self) -> pa.Table:
        """Return one row per sample: the columns of the data, then score and status of each metric."""
        import pyarrow as pa

        table = pa.concat_tables([batch.table() for batch in self.data.batches()], promote_options="permissive")
        for name in self.metrics:
            scores = self.scores(name)
            table = table.append_column(self.title(name), to_arrow(scores, mask=np.isnan(scores)))
            table = table.append_column(f"{name}|status", to_arrow(self.statuses(name).tolist(), pa.string()))
        return table

    def to_pandas(self) -> pd.DataFrame:
        """Return `to_arrow` as a pandas data frame; pandas must be installed."""
        return self.to_arrow().to_pandas()

    def save(self, directory: str | Path, *, force: bool = False) -> None:
        """Write the run to ``directory``; `ragauge.load` reads it back.

        Args:
            directory: must not exist yet, unless
            force: replaces it.

        Raises:
            UsageError: the directory exists.
        """
        from ragauge.results.storage import save

        save(self, Path(directory), force=force)

    def _data(self) -> dict[str, Any]:
        data = self.data
        return {
            "source": data.source,
            "samples": data.rows,
            "columns": list(data.columns),
            "mapping": dict(data.mapping),
            "notes": list(data.notes),
        }

    def __str__(self) -> str:
        from ragauge.results.tables import plain_text

        return plain_text(self.table, self.options["level"])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from ragauge.results.tables import html

        return html(self.table, self.options["level"], self.range, self._heading(), self._notes())

    def _repr_markdown_(self) -> str:
        from ragauge.results.tables import markdown, printable

        notes = "".join(f"\n- {printable(note)}" for note in self._notes())
        return f"{printable(self._heading())}\n\n{markdown(self.table, self.options['level'])}\n{notes}"

    def _heading(self) -> str:
        return f"{self.data.rows} sample{'' if self.data.rows == 1 else 's'} from {self.data.source}"

    def _notes(self) -> list[str]:
        columns = ", ".join(f"{known} <- {given}" for known, given in self.data.mapping.items())
        return [*([f"columns: {columns}"] if columns else []), *self.data.notes]
