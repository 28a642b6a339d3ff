"""Questions: the form of the replies to a prompt, and asking through the session of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, cast

from ragauge.core.batch import Batch, Dataset, in_small_batches
from ragauge.core.ingredients import Check, Judge, Question, Reply, Usage
from ragauge.judges.prompts import PLACES, Data, Language, Prompts, Stated
from ragauge.judges.session import METRIC, Session
from ragauge.judges.typed import SCHEMA, Shares, Typed, as_messages, options_of

Complaint: TypeAlias = str | None
Complain: TypeAlias = Callable[[Data, Any], Complaint]
Schema: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Deciding:
    """How a decision model is asked what a prompt asks for.

    Args:
        each: takes the data of a question; returns those of single questions, in the words of ``one-NAME``.
        typed: takes the data and the words; returns the typed questions, in their order.
        value: takes the data and the shares of each of these; returns a reply as a model writes it, and the label
            probabilities of a rating.
        left_out: the data that the text needs not hold, because the single questions do.
    """

    each: Callable[[Data], Sequence[Data]]
    typed: Callable[[Data, Stated], Sequence[Typed]]
    value: Callable[[Data, Sequence[Shares]], tuple[Any, Mapping[str, float] | None]]
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class ReplyForm:
    """The form of the replies to a prompt; its schema is the same for all samples, because servers compile each.

    Args:
        prompt: the name of the prompt.
        schema: the JSON Schema of a reply.
        complaint: takes the data of a question and a reply; returns what is wrong with the reply, None if nothing is.
        tokens: takes the data of a question; returns the most tokens of its reply.
        expected: takes the data of a question; returns a reply of the usual size, which a dry run takes for the reply.
        label: the key of the reply whose label probabilities are wanted; empty: none are.
        labels: the labels that it may have.
        deciding: how a decision model is asked; None: the reply has to be written.
    """

    prompt: str
    schema: Schema
    complaint: Complain
    tokens: Callable[[Data], int]
    expected: Callable[[Data], Any]
    label: str = ""
    labels: tuple[str, ...] = ()
    deciding: Deciding | None = None

    def decisions(
        self, wording: Prompts, languages: Sequence[Language], data: Sequence[Data], most: int
    ) -> list[list[Question]]:
        """Return the questions to a decision model about each of n samples, each with at most ``most`` typed ones."""
        version = wording.version(prompts_of_decisions([self.prompt]))
        return [
            self._decisions(wording, version, language, one, most)
            for language, one in zip(languages, data, strict=True)
        ]

    def _decisions(self, wording: Prompts, version: str, language: Language, data: Data, most: int) -> list[Question]:
        deciding = cast("Deciding", self.deciding)
        kept = {name: value for name, value in data.items() if name not in deciding.left_out}
        stated = wording.stated(self.prompt, language, kept, deciding.each(data))
        asked = deciding.typed(data, stated)
        return [
            Question(
                prompt=self.prompt,
                version=version,
                messages=as_messages(stated.state, part),
                schema=SCHEMA,
                max_tokens=0,
                expected={"probabilities": [[1.0, *[0.0] * (len(options_of(one)) - 1)] for one in part]},
            )
            for start in range(0, len(asked), most)
            for part in [asked[start : start + most]]
        ]

    def decided(self, data: Data, replies: Sequence[Reply], threshold: float | None = None) -> Reply:
        """Return the reply to `decisions` as a model writes it: failed where one of them is.

        ``threshold``: a probability from which it is 1, and below which 0; None: it stays.
        """
        shares = [one for reply in replies if reply.ok for one in reply.value["probabilities"]]
        if threshold is not None:
            shares = [[float(one[0] >= threshold)] if len(one) == 1 else one for one in shares]
        lost = next((reply for reply in replies if not reply.ok), None)
        value, labels = (None, None) if lost else cast("Deciding", self.deciding).value(data, shares)
        usage = Usage(*(sum(counts) for counts in zip(*(reply.usage for reply in replies), strict=True)))
        seconds, requests = sum(reply.seconds for reply in replies), sum(reply.requests for reply in replies)
        last = lost or (replies[-1] if replies else Reply(status="ok"))
        return replace(last, value=value, label_probabilities=labels, usage=usage, seconds=seconds, requests=requests)

    def questions(
        self, wording: Prompts, languages: Sequence[Language], data: Sequence[Data], *, thinking: int = 0
    ) -> list[Question]:
        """Return n questions in the words of ``wording``, each in its language and with its data.

        ``thinking``: tokens that the model may take to think before each reply.
        """
        version = wording.version([self.prompt])
        return [
            Question(
                prompt=self.prompt,
                version=version,
                messages=wording.messages(self.prompt, language, one),
                schema=self.schema,
                max_tokens=self.tokens(one) + thinking,
                label=self.label,
                labels=self.labels,
                expected=self.expected(one),
                again=wording.template("again", language),
            )
            for language, one in zip(languages, data, strict=True)
        ]

    def check(self, questions: Sequence[Question], data: Sequence[Data]) -> Check:
        """Return the check of the replies to n questions with their data."""
        data_of = dict(zip(map(key_of, questions), data, strict=True))
        return lambda question, value: self.complaint(data_of[key_of(question)], value)


def prompts_of_decisions(names: Iterable[str]) -> list[str]:
    """Return the names of prompts with those of their single questions, which a decision model is asked."""
    return [name for prompt in names for name in (prompt, f"one-{prompt}") if name in PLACES]


def decides(judge: object) -> int:
    """Return how many typed questions one request to a judge may hold; 0 for one that writes text."""
    return max([int(getattr(one, "questions_at_once", 0)) for one in getattr(judge, "judges", (judge,))])


def key_of(question: Question) -> tuple[Any, ...]:
    """Return what tells a question from the others that one judge is asked in a run."""
    return question.prompt, question.messages, question.labels


def schema_of(**properties: Schema) -> Schema:
    """Return the JSON Schema of an object that has exactly these properties."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


SESSION = "judge session"
"""The key under which a batch has the `Session` of the run."""
# The messages of so many bytes of texts are in memory at once; as many questions keep 64 connections busy.
_BATCH_BYTES = 1 << 24
# A limit of so many calls lets one sample be asked at a time, ten times as many ten.
_CALLS_OF_SAMPLE = 16


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

    Questions asked before in the run, or in an earlier one with the same cache, are not asked again. ``metric`` is the
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
    """Return ``data`` in batches of at most 16 MB that share ``session``.

    Where requests are limited, batches are so small that the limit leaves few samples half asked.
    """
    most = session.budget.max_calls
    samples = None if most is None else max(most // _CALLS_OF_SAMPLE, 1)
    return in_small_batches(data, _BATCH_BYTES, SESSION, session, samples=samples)
