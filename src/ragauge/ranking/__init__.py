"""From rankings and judgements to the ranks of judged documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragauge.core.lazy import lazy_names

if TYPE_CHECKING:
    from ragauge.ranking.from_arrow import ArrowRankings
    from ragauge.ranking.from_dicts import DictRankings
    from ragauge.ranking.ranks import JudgedRanks, Rankings

__all__ = ["ArrowRankings", "DictRankings", "JudgedRanks", "Rankings"]
_HOMES = {
    "ragauge.ranking.from_arrow": "ArrowRankings",
    "ragauge.ranking.from_dicts": "DictRankings",
    "ragauge.ranking.ranks": "JudgedRanks Rankings",
}
__getattr__ = lazy_names(__name__, _HOMES)
