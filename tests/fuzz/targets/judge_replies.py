"""Replies of judges: the first byte says which metric asks, the rest is the text of each reply.

What comes of it is a score in the range of the metric, or a sample without a score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isnan
from random import Random
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from ragauge.core.batch import Batch
from ragauge.core.ingredients import Check, Question, Reply
from ragauge.core.registry import entries
from ragauge.core.statistics import Status
from ragauge.evaluation.partial import measure_cells
from ragauge.judges.reply import Answer, Unusable
from tests.fuzz.making import TEXTS, as_json, damaged
from tests.fuzz.targets.exports import _OTHERS, changed
from tests.metrics.judged.toys import NEEDED

_NAMES = sorted(
    name
    for name, entry in entries("metric").items()
    if name.startswith("judged-") and entry.alias_of is None and not entry.fixed
)
_CLAIMS = {"claims": [{"claim": 1, "passages": [1]}, {"claim": 2, "passages": []}]}
_FORMS: list[Any] = [
    _CLAIMS, {"claims": [{"claim": 1, "passages": [1, 2]}]}, {"claims": ["林婉开的。", "It has a garden."]},
    {"passages": [{"passage": 1, "useful": True}, {"passage": 2, "useful": False}]}, {"entities": ["林婉", "1990"]},
    {"sentences": [{"sentence": 1, "relevant": True}, {"sentence": 2, "relevant": False}]},
    {"questions": ["谁？", "Who?", "Кто?"], "evasive": False}, {"rating": 1}, {"better": 2}, {"rating": 5},
]  # fmt: skip
_REPLIES = st.builds(
    lambda form, others, seed: as_json(changed(form, others, Random(seed))),  # noqa: S311 - no secret is drawn
    st.sampled_from(_FORMS),
    _OTHERS,
    st.integers(0, 2**32),
)
_AROUND = st.sampled_from([(b"", b""), (b"```json\n", b"\n```"), (b"<think>{}</think>", b""), (b"Well: ", b" Done {")])
_TEXT = st.one_of(
    st.builds(lambda reply, around: around[0] + reply + around[1], _REPLIES, _AROUND),
    TEXTS.map(lambda text: text.encode("utf-8", "surrogatepass")),
)
STRATEGY = st.builds(
    lambda place, data: bytes([place]) + data, st.integers(0, len(_NAMES) - 1), st.one_of(_TEXT, damaged(_TEXT))
)
_ROW = {
    "id": "s", "question": "谁开的？", "answer": "林婉开的。有花园。", "contexts": ["林婉开的。", "It rained."],
    "references": ["林婉开的。"], "other_answer": "没有人。",
}  # fmt: skip


_SAMPLE = pa.Table.from_pylist([_ROW])


@dataclass(frozen=True)
class _Judge:
    """A judge that reads the same text as the reply to each question, and asks nothing again."""

    text: str
    signature: str = "fuzzed"

    def ask(self, questions: Sequence[Question], check: Check, session: Any = None) -> list[Reply]:  # noqa: ARG002 - the protocol has it
        return [self._reply(question, check) for question in questions]

    def _reply(self, question: Question, check: Check) -> Reply:
        try:
            return Reply(status="ok", value=Answer(text=self.text).value(question, check))
        except Unusable as error:
            return Reply(status="failed", reason=str(error))


_METRICS: dict[str, Any] = {
    name: entries("metric")[name].cls(judge=_Judge(""), **NEEDED.get(name, {})) for name in _NAMES
}


def target(data: bytes) -> None:
    """Score a sample by a judge that always gives the reply."""
    name, text = _NAMES[(data or b"\0")[0] % len(_NAMES)], data[1:].decode("utf-8", "surrogateescape")
    metric, batch = replace(_METRICS[name], judge=_Judge(text)), Batch(_SAMPLE)
    cells = measure_cells(metric, batch)
    [score], [status] = cells.scores, cells.sums.status
    low, high = metric.range
    assert isnan(score) == (status != Status.OK)
    assert isnan(score) or low <= score <= high
    assert metric.explain(batch).num_rows >= (status == Status.OK)
