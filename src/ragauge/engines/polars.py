"""Metrics as expressions of Polars: ``pl.col("answer").ragauge.rouge_l("references")``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ragauge.engines.column_scores import metric_of, names_of, scores_of
from ragauge.errors import MissingExtraError

if TYPE_CHECKING:
    import polars as pl


def register() -> None:
    """Add ``ragauge`` to every expression of Polars: `RagaugeExpressions`.

    Raises:
        MissingExtraError: polars is not installed.
    """
    library = _library()
    if getattr(library.Expr, "ragauge", None) is not RagaugeExpressions:
        library.api.register_expr_namespace("ragauge")(RagaugeExpressions)


class RagaugeExpressions:
    """Metrics of a column of answers, or of what was retrieved, and the columns that it is held against.

    Scores are those of each sample in `ragauge.evaluate`, to the last bit, and null where a sample is undefined,
    missing or failed; `ragauge.evaluate` says why. Batches pass as Arrow arrays, also in lazy frames and in Polars'
    streaming engine.
    """

    def __init__(self, expression: pl.Expr) -> None:
        self._expression = expression

    def score(self, metric: str, *columns: str | pl.Expr) -> pl.Expr:
        """Return the score of each row.

        Args:
            metric: its spec, as in ``"rouge-l:stemmer=english"``.
            columns: names or expressions of what the metric reads beside this one, in the order in which
                `ragauge metrics NAME` lists it.

        Raises:
            UsageError: the spec is wrong, or the metric reads another number of columns.
        """
        library = _library()
        scored = metric_of(metric)
        names = names_of(scored, len(columns))

        def batch_scores(series: Sequence[Any]) -> Any:
            arrays: dict[str, pa.Array] = {name: one.to_arrow() for name, one in zip(names, series, strict=True)}
            return library.Series(scores_of(scored, arrays))

        read = [self._expression, *[library.col(one) if isinstance(one, str) else one for one in columns]]
        options = {"return_dtype": library.Float64, "is_elementwise": True}
        scores: pl.Expr = library.map_batches(read, batch_scores, **options)
        return scores

    def __getattr__(self, name: str) -> Callable[..., pl.Expr]:
        """Return `score` with the metric of that name, underscores for its hyphens."""
        if name.startswith("_"):
            raise AttributeError(name)
        metric = str(metric_of(name.replace("_", "-")))

        def score(*columns: Any) -> pl.Expr:
            return self.score(metric, *columns)

        return score


def _library() -> Any:
    try:
        import polars as pl
    except ImportError:
        raise MissingExtraError.of("expressions of Polars", "polars", "polars") from None
    return pl
