"""Test sets: passages drawn from a corpus, a sheet of them for people, and questions that a judge proposes.

>>> from ragauge.testsets import draw
>>> corpus = [{"id": "d1", "text": "Lin Wan opened the tea house in 1990, in a lane behind the temple."}]
>>> sheet = draw(corpus, 10)
>>> sheet.rows[0]["passage_id"], sheet.rows[0]["question"]
('d1', '')
"""

from __future__ import annotations

from ragauge.testsets.draw import draw
from ragauge.testsets.propose import propose
from ragauge.testsets.sheet import Sheet

__all__ = ["Sheet", "draw", "propose"]
