"""Evaluating with metrics that ask a judge: one session for the run, and what it took beside the result."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace

from ragauge.core.batch import Dataset
from ragauge.errors import OptionError
from ragauge.evaluation.evaluator import Evaluator, Progress
from ragauge.judges.asking import with_session
from ragauge.judges.session import Session
from ragauge.results.result import Result


def evaluate_with_judge(
    evaluator: Evaluator, data: Dataset, session: Session | None, progress: Progress | None
) -> Result:
    """Evaluate ``data``; requests, tokens, cost and latency are in the options of the result, and in a note.

    ``session`` stays open; None: one for this call. Where ``progress`` has a method ``replied``, it is called after
    each reply with the number of replies and of questions so far.

    Raises:
        OptionError: ``session`` is no session.
    """
    if session is not None and not isinstance(session, Session):
        raise OptionError.value("evaluate", "session", "a ragauge.judges.Session, or None", session)
    with ExitStack() as stack:
        own = stack.enter_context(Session()) if session is None else session
        with own.counting(getattr(progress, "replied", None)) as tally:
            result = evaluator(with_session(data, own), progress)
        options = {**result.options, "judge": own.to_dict(tally)}
        return replace(result, options=options, data=replace(data, notes=(*result.data.notes, own.summary(tally))))
