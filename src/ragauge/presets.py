"""Which metrics are computed when none is named."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from ragauge.errors import ColumnError, UnknownNameError
from ragauge.measuring import columns_read
from ragauge.protocol import Metric
from ragauge.registry import parse_all

_AT_10 = ("hit-rate@10", "precision@10", "recall@10", "mrr@10", "map", "ndcg@10")
# A RAG system retrieves a handful of passages: cutting them at 10 would punish precision for what was never asked for.
_WHOLE = ("hit-rate", "precision", "recall", "mrr", "map", "ndcg")
_GENERATION = ("bleu", "rouge-1", "rouge-2", "rouge-l", "chrf", "token-f1", "exact-match")

PRESETS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"retrieval": _AT_10, "generation": _GENERATION, "rag": (*_WHOLE, *_GENERATION)}
)


def chosen(preset: str | None, columns: Iterable[str]) -> tuple[dict[str, Metric], dict[str, str]]:
    """Return the metrics of ``preset`` whose columns are there, and why the others were left out.

    Without a preset: all default metrics, with cutoffs where documents have ids.

    Raises:
        UnknownNameError: there is no such preset.
        ColumnError: no metric is left.
    """
    names = tuple(columns)
    if preset is not None and preset not in PRESETS:
        raise UnknownNameError.of("preset", preset, PRESETS)
    by_id = {"retrieved", "relevance"} <= set(names)
    wanted = PRESETS[preset] if preset else ((*_AT_10, *_GENERATION) if by_id else PRESETS["rag"])
    kept, left_out = {}, {}
    for name, metric in ((name, metric) for text in wanted for name, metric in parse_all(text).items()):
        try:
            columns_read(metric, names)
        except ColumnError as error:
            left_out[name] = str(error)
        else:
            kept[name] = metric
    if not kept:
        raise ColumnError(_nothing(preset, left_out))
    return kept, left_out


def _nothing(preset: str | None, left_out: Mapping[str, str]) -> str:
    which = f"preset {preset!r}" if preset else "default metrics"
    return f"none of the {which} can be computed: {next(iter(left_out.values()))}"
