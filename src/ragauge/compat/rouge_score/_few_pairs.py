"""ROUGE of few predictions with a target each by lists of Python: of so few tokens, arrays take ten times as long.

The tokens, counts and quotients are those of the metrics, so the scores are equal to the last bit.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ragauge.compat.rouge_score.scoring import Score

MOST_CHARACTERS = 1 << 12
"""Of all texts together: arrays are faster beyond."""
_TOKEN = re.compile("[a-z0-9]+")
_TYPE = re.compile("rouge([1-9]|L)")


def orders_of(rouge_types: Iterable[str]) -> Mapping[str, int] | None:
    """Return the n of each type, 0 of ``rougeL``; None where one of them is not counted here.

    >>> orders_of(["rouge2", "rougeL"]), orders_of(["rougeLsum"])
    ({'rouge2': 2, 'rougeL': 0}, None)
    """
    found = {name: _TYPE.fullmatch(name) for name in rouge_types}
    orders = {name: 0 if one[1] == "L" else int(one[1]) for name, one in found.items() if one is not None}
    return orders if len(orders) == len(found) else None


def scores_of(target: str, prediction: str, orders: Mapping[str, int]) -> dict[str, Score]:
    """Return the score of each type, by `orders_of`, with the tokens of rouge-score, not stemmed.

    >>> scores_of("the cat sat on the mat", "a cat sat", {"rougeL": 0})["rougeL"].recall
    0.3333333333333333
    """
    reference, hypothesis = (_TOKEN.findall(text.lower()) for text in (target, prediction))
    scores = {}
    for name, order in orders.items():
        if order:
            match = _shared(hypothesis, reference, order)
            scores[name] = _score(match, len(hypothesis) - order + 1, len(reference) - order + 1)
        else:
            scores[name] = _score(_longest_common(hypothesis, reference), len(hypothesis), len(reference))
    return scores


def _score(match: int, hypothesis: int, reference: int) -> Score:
    precision, recall = match / max(hypothesis, 1), match / max(reference, 1)
    return Score(precision, recall, 2 * precision * recall / (precision + recall) if match else 0.0)


def _shared(hypothesis: Sequence[str], reference: Sequence[str], order: int) -> int:
    """Return how many n-grams both have, each as often as where it comes less often."""
    left, right = (_counted(tokens, order) for tokens in (hypothesis, reference))
    return sum([min(times, right[gram]) for gram, times in left.items() if gram in right])


def _counted(tokens: Sequence[str], order: int) -> Counter[object]:
    return Counter(tokens if order == 1 else zip(*[tokens[start:] for start in range(order)], strict=False))


def _longest_common(left: Sequence[str], right: Sequence[str]) -> int:
    """Return the length of the longest common subsequence, by a bit for each token of ``left`` (Hyyrö 2004)."""
    places: dict[str, int] = {}
    for place, token in enumerate(left):
        places[token] = places.get(token, 0) | 1 << place
    whole = (1 << len(left)) - 1
    rising = whole
    for token in right:
        if token in places:
            common = rising & places[token]
            rising = (rising + common | rising - common) & whole
    return len(left) - rising.bit_count()
