"""``judged-context-rating``: how far the question can be answered from the passages, as a judge rates it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ragauge.core.protocol import Needs, Stage
from ragauge.core.registry import register
from ragauge.judges.question import ReplyForm
from ragauge.metrics.judged._forms import rating
from ragauge.metrics.judged._ratings import PassagesRating


@register("judged-context-rating", aliases=("nv-context-relevance",), compat={"ragas": {"weighted": "false"}})
@dataclass(frozen=True, kw_only=True)
class JudgedContextRating(PassagesRating):
    """Context relevance rated by a judge: how far the retrieved passages answer the question.

    Formula:
        score = rating / 2

    Unit and range: ratings are 0 (not at all), 1 (in part) and 2 (completely), so the score is 0 to 1. One question a
    sample. Passages that are blank, or none, score 0, and nothing is asked.

    ``undefined``: the question is empty. ``failed``: the judge gave no rating.

    >>> import ragauge
    >>> reply = '{"rating": 1}'
    >>> judge = ragauge.judges.FunctionJudge(lambda messages: reply, "example")
    >>> ragauge.score(JudgedContextRating(judge=judge), question="When did it open?", contexts=["It opened in May."])
    0.5

    Not for: telling which passage is relevant (``judged-context-precision``).

    Source: ragas 0.4.3 ``ContextRelevance`` (``nv_context_relevance``); ``compat=ragas`` takes ratings as written.
    Deviations: ragas asks the same in two wordings and takes their mean, and scores passages that are in the question
    0 without asking.
    """

    prompts_used: ClassVar[tuple[str, ...]] = ("relevance",)
    stage: ClassVar[Stage] = "retrieval"
    needs: ClassVar[Needs] = (("question", "contexts"),)
    column: ClassVar[str] = "question"
    form: ClassVar[ReplyForm] = rating("relevance")
