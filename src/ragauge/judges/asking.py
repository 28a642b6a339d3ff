"""Asking the questions of a batch: through the session of the run, each judge of a jury, each repeat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ragauge.core.batch import Batch, Dataset
from ragauge.core.ingredients import Judge
from ragauge.core.questions import Check, Question, Reply
from ragauge.judges.session import Session
from ragauge.judges.tally import METRIC

SESSION = "judge session"
"""Under this key a batch holds the `Session` of the run."""
# The messages of so many bytes of texts are in memory at once; as many questions keep 64 connections busy.
_BATCH_BYTES = 1 << 24


@dataclass(frozen=True)
class Member:
    """One judge of a jury, or one of several repeats of the same judge."""

    judge: Judge
    repeat: int = 0


def members(judge: Judge, repeats: int = 1) -> tuple[Member, ...]:
    """Return the members whose scores are averaged: each judge of a jury, as often as ``repeats`` says."""
    judges: Sequence[Judge] = getattr(judge, "judges", (judge,))
    return tuple(Member(one, repeat) for one in judges for repeat in range(repeats))


def ask(batch: Batch, member: Member, questions: Sequence[Question], check: Check, *, metric: str = "") -> list[Reply]:
    """Return the reply of ``member`` to each question, in their order, through the session of the run of ``batch``.

    What was asked before in the run, or in an earlier one with the same cache, is not asked again. ``metric`` is the
    name under which the requests are counted.
    """
    return ask_in(batch.derived(SESSION, Session), member, questions, check, metric=metric)


def ask_in(
    session: Session, member: Member, questions: Sequence[Question], check: Check, *, metric: str = ""
) -> list[Reply]:
    """Return the reply of ``member`` to each question, as `ask` does, through ``session``."""
    repeated = [replace(question, repeat=member.repeat) for question in questions]
    token = METRIC.set(metric)
    try:
        return member.judge.ask(repeated, check, session)
    finally:
        METRIC.reset(token)


def with_session(data: Dataset, session: Session) -> Dataset:
    """Return ``data`` in batches of at most 16 MB that share ``session``."""

    def batches() -> Iterator[Batch]:
        for batch in data.batches():
            yield from (part.given(SESSION, session) for part in _small(batch))

    return replace(data, batches=batches)


def _small(batch: Batch) -> Iterator[Batch]:
    table = batch.table()
    rows = max(1, len(batch) * _BATCH_BYTES // max(table.nbytes, 1))
    if rows >= len(batch):
        yield batch
        return
    for first in range(0, len(batch), rows):
        yield Batch(table.slice(first, rows))
