"""Why a proposed question or its answer is dropped, as far as that is known without a person."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

import numpy as np
import pyarrow as pa

from ragauge import languages
from ragauge.core.arrow import to_arrow
from ragauge.core.batch import Batch
from ragauge.core.lazy import lazy_pattern
from ragauge.core.ragged import BoolArray
from ragauge.core.statistics import Status
from ragauge.embedders.lexical import Lexical
from ragauge.languages.scripts import overlap, shares
from ragauge.metrics.rag.groundedness import Groundedness

COPIED = 0.9
"""Share of a question's letters and digits that are in the passage in one run, from which it is a copy.

Of 1,716 questions that people wrote (half of XQuAD in eleven languages) .9 takes 12 for copies, and .8 takes 49.
"""
GROUNDED = 0.5
"""The `groundedness` of an answer in its passage, from which the answer is taken for supported."""
NEAR = 0.9
"""The cosine of two questions, by the embedder `lexical`, from which one of them is dropped."""
_NO_LETTER = lazy_pattern(r"[\W_]+")
_PAIRS = 1 << 18
"""Pairs of questions that are compared at once."""


def reasons_against(questions: Sequence[str], answers: Sequence[str], passages: Sequence[str]) -> list[str]:
    """Return for each of n proposals why it is dropped, empty where nothing speaks against it.

    A question must not copy the passage or point at it, must be in its script, and the answer must be grounded in it.

    >>> reasons_against(["Who founded it according to the passage?"], ["Lin Wan"], ["Lin Wan founded the tea house."])
    ['the question points at the passage: according to the passage']
    """
    pairs = zip(questions, passages, strict=True)
    copied = [copies(question, passage) for question, passage in pairs]
    same_script = overlap(shares(questions), shares(passages)).tolist()
    grounded = _grounded(answers, passages).tolist()
    reasons = []
    for question, copy, same, has_ground in zip(questions, copied, same_script, grounded, strict=True):
        words = pointing(question)
        against = (
            (words, f"the question points at the passage: {words}"),
            (copy, "the question copies the passage"),
            (not same, "the question is in another script than the passage"),
            (not has_ground, "the answer is not grounded in the passage"),
        )
        reasons.append(next((why for holds, why in against if holds), ""))
    return reasons


def pointing(question: str) -> str:
    """Return the words by which a question points at a passage that only its writer sees; empty where there are none.

    >>> pointing("根据这段文字，茶馆是谁开的？"), pointing("What did Lin Wan open?")
    ('这段文字', '')
    """
    match = _pointing().search(question)
    return match[0].strip() if match else ""


def copies(question: str, passage: str) -> bool:
    """Return whether nine tenths of the letters and digits of a question are in the passage in one run.

    >>> (
    ...     copies("The tea house opened in 1990?", "The tea house opened in 1990."),
    ...     copies("When did it open?", "It opened."),
    ... )
    (True, False)
    """
    own, other = _letters(question), _letters(passage)
    size = -int(-COPIED * len(own) // 1)
    return bool(own) and any(own[first : first + size] in other for first in range(len(own) - size + 1))


def near_duplicates(questions: Sequence[str]) -> dict[int, int]:
    """Return the place of each question that is nearly the same as an earlier one, with the place of that.

    Questions that are dropped drop no others. Two are nearly the same from a cosine of `NEAR` of their n-grams on.

    >>> near_duplicates(["茶馆是谁开的？", "茶馆是谁开的", "When did the tea house open?"])
    {1: 0}
    """
    vectors = Lexical().encode(questions, "query")
    near: dict[int, list[int]] = {}
    rows = max(1, _PAIRS // max(len(questions), 1))
    for first in range(0, len(questions), rows):
        later, earlier = np.tril_indices(min(rows, len(questions) - first), first - 1, len(questions))
        later += first
        is_near = vectors.cosine(later, earlier) >= NEAR
        for one, other in zip(later[is_near].tolist(), earlier[is_near].tolist(), strict=True):
            near.setdefault(one, []).append(other)
    dropped: dict[int, int] = {}
    for one in sorted(near):
        kept = [other for other in sorted(near[one]) if other not in dropped]
        if kept:
            dropped[one] = kept[0]
    return dropped


def _grounded(answers: Sequence[str], passages: Sequence[str]) -> BoolArray:
    contexts = to_arrow([[one] for one in passages], pa.list_(pa.string()))
    ids = to_arrow([str(place) for place in range(len(answers))], pa.string())
    columns = {"id": ids, "answer": to_arrow(list(answers), pa.string()), "contexts": contexts}
    rows = Groundedness().measure(Batch(pa.table(columns)))
    return np.asarray((rows.status == Status.OK) & (rows["value"] >= GROUNDED))


def _letters(text: str) -> str:
    return _NO_LETTER.sub("", text).casefold()


@cache
def _pointing() -> re.Pattern[str]:
    tables = languages.table("pointing")
    return re.compile("|".join(f"(?:{one})" for own in tables.values() for one in own), re.IGNORECASE)
