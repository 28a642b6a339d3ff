"""From rankings and judgements to the ranks of judged documents."""

from ragauge.ranking.from_arrow import ArrowRankings
from ragauge.ranking.from_dicts import DictRankings
from ragauge.ranking.ranks import JudgedRanks, Rankings

__all__ = ["ArrowRankings", "DictRankings", "JudgedRanks", "Rankings"]
