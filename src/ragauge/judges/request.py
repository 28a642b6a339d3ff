"""One request of a judge, and why it has no answer."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event

from ragauge.core.questions import Question

# Codes of failures after which others are likely: nobody answers, or the server does not. All other failures say
# nothing of other questions.
_OF_THE_SERVER = re.compile(r"no-answer|timeout|quota|http-(5\d\d|408|409|425|429)")


class NoAnswer(Exception):  # noqa: N818 - it becomes the reason of a reply
    """There is no answer: a code and words, see `ragauge.core.questions.Reply`.

    ``alone``: it says nothing of other questions. None: as the code has it. After some others in a row nothing else is
    asked.
    """

    def __init__(self, code: str, words: str, *, alone: bool | None = None) -> None:
        super().__init__(f"{code}: {words}")
        self.code = code
        self.alone = not _OF_THE_SERVER.fullmatch(code) if alone is None else alone


@dataclass(frozen=True, kw_only=True)
class Request:
    """One request that a judge sends.

    Args:
        question: the question it belongs to.
        messages: its messages; with a complaint where it is asked once more.
        max_tokens: the most tokens of the answer.
        key: what the answer is kept under.
        number: distinguishes requests, for spreading their retries over time.
        stop: set when the run is interrupted.
        given_up: returns why nothing else is asked, a code, ``: ``, and words; empty as long as questions are asked.
        limits: is called before each time that the request is sent, with whether the answer to the time before was
            late; returns why the limits of the run do not let it be sent, None where they do.
    """

    question: Question
    messages: tuple[tuple[str, str], ...]
    max_tokens: int
    key: bytes = b""
    number: int = 0
    stop: Event = field(default_factory=Event)
    given_up: Callable[[], str] = str
    limits: Callable[[bool], str | None] = lambda _late: None

    def sending(self, *, late: bool = False) -> None:
        """Count that the request is sent now; NoAnswer where the limits of the run do not let it be sent again.

        ``late``: whether it was sent before, and the answer did not come in time.
        """
        refused = self.limits(late)
        if refused:
            raise NoAnswer("budget", refused)

    def jitter(self, attempt: int) -> float:
        """Return a number from 0 to 1 that differs between requests, so that they do not all come back at once."""
        return (self.number * 2654435761 + attempt * 40503) % 2**32 / 2**32

    def pause(self, seconds: float) -> None:
        """Wait; NoAnswer as soon as the run is interrupted, or nothing else is asked."""
        if self.stop.wait(seconds):
            raise NoAnswer("interrupted", "the run was interrupted")
        if self.given_up():
            raise NoAnswer(*self.given_up().split(": ", 1))
