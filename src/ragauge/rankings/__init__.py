"""From rankings and judgements to the ranks of judged documents."""

from ragauge.rankings.arrow import ArrowRankings
from ragauge.rankings.dicts import DictRankings
from ragauge.rankings.judged import JudgedRanks, Rankings

__all__ = ["ArrowRankings", "DictRankings", "JudgedRanks", "Rankings"]
