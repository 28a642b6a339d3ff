"""Metrics that ask a judge: one session for the run, and its requests, tokens and cost beside the result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from shlex import quote
from typing import Any

from ragauge.core.batch import Dataset
from ragauge.core.messages import Counted, Joined, Message
from ragauge.errors import OptionError
from ragauge.evaluation.evaluator import Evaluator, Progress
from ragauge.evaluation.partial import measure_cells
from ragauge.judges.question import members, with_session
from ragauge.judges.session import Session, Tally
from ragauge.results.result import Result


def evaluate_with_judge(evaluator: Evaluator, data: Dataset, session: object, progress: Progress | None) -> Result:
    """Evaluate ``data``; requests, tokens, cost and latency are in the options of the result, and in a note.

    ``session`` stays open; None: one for this call. Where ``progress`` has a method ``replied``, it is called after
    each reply with the number of replies and of questions so far.

    Raises:
        OptionError: ``session`` is not a session.
    """
    with open_session(session) as own, own.counting(getattr(progress, "replied", None)) as tally:
        if own.batches is not None:
            own.batches.gather(partial(_asked, evaluator.metrics.values(), data, own))
        return with_counts(evaluator.run(with_session(data, own), progress), evaluator, own, tally)


def _asked(metrics: Iterable[Any], data: Dataset, session: Session) -> None:
    """Ask all that judged metrics ask, for the questions alone."""
    asking = [metric for metric in metrics if hasattr(metric, "judge")]
    for batch in with_session(data, session).batches():
        for metric in asking:
            measure_cells(metric, batch)


@contextmanager
def open_session(session: object) -> Iterator[Session]:
    """Yield ``session``, or one that is closed in the end; OptionError where it is not a session."""
    if session is not None and not isinstance(session, Session):
        raise OptionError.value("evaluate", "session", "a ragauge.judges.Session, or None", session)
    with ExitStack() as stack:
        yield stack.enter_context(Session()) if session is None else session


def with_counts(result: Result, evaluator: Evaluator, session: Session, tally: Tally) -> Result:
    """Return ``result`` with the requests, tokens and cost of its judges, in its options and in notes."""
    options = {**result.options, "judge": session.to_dict(tally)}
    notes = (*result.data.notes, session.summary(tally), *_notes_on_servers(evaluator.metrics.values()))
    unusable, cache = tally.total.unusable, session.store.path
    notes += tuple(_notes_on_functions(evaluator.metrics.values())) if cache is not None else ()
    if unusable and cache is not None:
        prune = f"ragauge judge-cache {quote(str(cache))} --prune-failed"
        notes += (Message(_UNUSABLE, Counted(unusable, "reply of the judge was", "replies of the judge were"), prune),)
    return replace(result, options=options, data=replace(result.data, notes=notes))


_UNUSABLE = (
    "RG-NOTE-131 {replies} refused, cut off or unreadable, and cached, so that a next run has the same; to ask "
    "again, first {command}"
)


_ASKS_ANEW = (
    "RG-NOTE-210 other runs do not find the cached replies of {judge}: its function is bound to something that cannot "
    "be told from another, such as a connection; ragauge.judges.FunctionJudge(function, 'name of the model') finds them"
)


_NO_SEED = (
    "RG-NOTE-028 the judge's server refuses the seed, so repeats are equal requests: they may differ less than they "
    "should"
)


_LACKS = "RG-NOTE-053 the judge's server refuses {lacks}, so it was asked without: {effects}"
_EFFECTS: Mapping[str, Message] = {
    "logprobs": Message("ratings count as they are written"),
    "json_schema": Message("replies may be malformed more often"),
    "json_object": Message("replies may be malformed more often"),
    "seed": Message("replies may differ from run to run"),
    "temperature": Message("replies may differ from run to run"),
    "system": Message("instructions stand in the question"),
}


_SPEAKS = "RG-NOTE-055 the judge's server has /{protocol}, as its first reply shows, and was asked so"


def _judges_of(metrics: Iterable[Any]) -> list[Any]:
    return [one.judge for metric in metrics if hasattr(metric, "judge") for one in members(metric.judge)]


def _notes_on_functions(metrics: Iterable[Any]) -> list[str]:
    """Return a note on each judge whose cached replies no other run finds."""
    anew = [str(judge).partition("@")[0] for judge in _judges_of(metrics) if getattr(judge, "asks_anew", False)]
    return [Message(_ASKS_ANEW, judge) for judge in dict.fromkeys(anew)]


def _notes_on_servers(metrics: Iterable[Any]) -> list[str]:
    """Return notes on what servers of judges refuse: once for each server, and on repeats where that is the seed."""
    asking = [metric for metric in metrics if hasattr(metric, "judge")]
    judges = _judges_of(asking)
    lacking = dict.fromkeys([tuple(getattr(judge, "lacks", ())) for judge in judges])
    spoken = dict.fromkeys([getattr(judge, "speaks", "") for judge in judges])
    on_repeats = _notes_on_repeats(asking)
    # A note on repeats says it already.
    told = {"seed"} if on_repeats else set()
    notes = [_note_on_lacks(lacks) for one in lacking if (lacks := [name for name in one if name not in told])]
    return [*notes, *(Message(_SPEAKS, one) for one in spoken if one), *on_repeats]


def _note_on_lacks(lacks: Sequence[str]) -> Message:
    return Message(_LACKS, ", ".join(lacks), Joined(dict.fromkeys(_EFFECTS[name] for name in lacks), ", "))


def _notes_on_repeats(metrics: Sequence[Any]) -> list[str]:
    """Return a note where a judge was asked the same several times without a seed, because its server refuses it."""
    repeated = [metric for metric in metrics if getattr(metric, "repeats", 1) > 1]
    if all(getattr(judge, "takes_seed", True) for judge in _judges_of(repeated)):
        return []
    return [Message(_NO_SEED)]
