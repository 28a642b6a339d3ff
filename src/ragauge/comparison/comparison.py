"""What a comparison found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ragauge.comparison.difference import Difference, Fall, falls
from ragauge.comparison.metric_tests import Cells
from ragauge.comparison.pairing import Pairs
from ragauge.errors import UnknownNameError
from ragauge.results.result import Result


@dataclass(frozen=True, eq=False)
class Versus:
    """One candidate against the base: who they are, which samples pair, and the metrics on those."""

    name: str
    base: Result
    candidate: Result
    pairs: Pairs
    cells: tuple[Cells, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Differences of runs from a base. ``comparison["ndcg@10"].outcome`` is one."""

    base: str
    """What the base is called."""
    table: tuple[Difference, ...]
    """All differences: for each candidate the whole first, then the groups."""
    versus: tuple[Versus, ...]
    notes: tuple[str, ...]
    """What a reader should know: samples that do not pair, metrics in one run only, other versions."""
    options: Mapping[str, Any]
    """What else was asked for: test, correction, level, alpha, trials, resamples, seed, by, cluster, on."""

    def __getitem__(self, metric: str) -> Difference:
        """Return the difference of the first candidate over all samples."""
        name = self.versus[0].base.name(metric)
        for difference in self.table:
            if difference.metric == name and difference.group is None:
                return difference
        raise UnknownNameError.of("metric of this comparison:", metric, {one.metric for one in self.table})

    def of(self, run: str) -> list[Difference]:
        """Return the differences of candidate ``run``."""
        return [difference for difference in self.table if difference.run == run]

    def worst(self, count: int = 5, metric: str | None = None) -> list[Fall]:
        """Return the samples that fell most under each metric, or one, of each candidate."""
        wanted = None if metric is None else self.versus[0].base.name(metric)
        return [
            fall
            for versus in self.versus
            for cells in versus.cells
            if wanted in (None, cells.name)
            for fall in falls(cells, versus.base, versus.candidate, versus.pairs, versus.name, count)
        ]

    def to_dict(self, worst: int = 0) -> dict[str, Any]:
        """Return the differences as JSON types; with the ``worst`` samples of each metric."""
        plain = {
            "base": self.base,
            "candidates": [self._pairing(versus) for versus in self.versus],
            "differences": [difference.to_dict() for difference in self.table],
            "notes": list(self.notes),
            "options": dict(self.options),
        }
        return plain | ({"worst": [fall.to_dict() for fall in self.worst(worst)]} if worst else {})

    def _pairing(self, versus: Versus) -> dict[str, Any]:
        pairs = versus.pairs
        return {
            "run": versus.name,
            "paired": len(pairs),
            "only_base": len(pairs.only_base),
            "only_candidate": len(pairs.only_candidate),
        }

    def _repr_html_(self) -> str:
        from ragauge.comparison.tables import html

        return html(self)

    def _repr_markdown_(self) -> str:
        from ragauge.comparison.tables import markdown

        return markdown(self)

    def __str__(self) -> str:
        from ragauge.comparison.tables import plain_text

        return plain_text(self)

    def __repr__(self) -> str:
        return str(self)
