"""``judged-groundedness-rating``: how far the passages support the answer, as a judge rates it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ragauge.core.protocol import Needs, Stage
from ragauge.core.registry import register
from ragauge.judges.question import ReplyForm
from ragauge.metrics.judged._forms import rating
from ragauge.metrics.judged._ratings import PassagesRating


@register(
    "judged-groundedness-rating",
    aliases=("response-groundedness", "nv-response-groundedness"),
    compat={"ragas": {"weighted": "false"}},
)
@dataclass(frozen=True, kw_only=True)
class JudgedGroundednessRating(PassagesRating):
    """Groundedness rated by a judge: how far the retrieved passages support the answer as a whole.

    Formula:
        score = rating / 2

    Unit and range: ratings are 0 (nothing), 1 (a part) and 2 (all of it), so the score is 0 to 1. One question a
    sample. Passages that are blank, or none, score 0, and nothing is asked.

    ``undefined``: the answer is empty. The bounds count it as anything from 0 to 1, because the system claimed nothing.
    ``failed``: the judge gave no rating.

    >>> import ragauge
    >>> reply = '{"rating": 2}'
    >>> judge = ragauge.judges.FunctionJudge(lambda messages: reply, "example")
    >>> ragauge.score(JudgedGroundednessRating(judge=judge), answer="In May.", contexts=["It opened in May."])
    1.0

    Not for: telling which claim is not supported (``judged-faithfulness``).

    Source: ragas 0.4.3 ``ResponseGroundedness`` (``nv_response_groundedness``); ``compat=ragas`` takes ratings as
    written. Deviations: ragas asks the same in two wordings and takes their mean, and scores an answer that is in
    the passages 1 without asking.
    """

    prompts_used: ClassVar[tuple[str, ...]] = ("groundedness",)
    stage: ClassVar[Stage] = "generation"
    needs: ClassVar[Needs] = (("answer", "contexts"),)
    bounds_undefined: ClassVar[bool] = True
    column: ClassVar[str] = "answer"
    form: ClassVar[ReplyForm] = rating("groundedness")
