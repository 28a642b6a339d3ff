"""From rankings and judgements to the ranks of judged documents."""

from ragauge.rankings.judged import JudgedRanks, Rankings

__all__ = ["JudgedRanks", "Rankings"]
