"""One request to a judge, and why there is no answer to one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event

from ragauge.core.ingredients import Question
from ragauge.core.lazy import lazy_pattern
from ragauge.core.messages import Joined, Message
from ragauge.errors import excerpt

# A reason holds at most an address and an excerpt of what its server wrote.
LONGEST_REASON = 1000
# Codes of failures after which others are likely: nobody answers, or the server does not.
_OF_THE_SERVER = lazy_pattern(r"no-answer|timeout|quota|http-(5\d\d|408|409|425|429)")


class NoAnswer(Exception):  # noqa: N818 - it becomes the reason of a reply
    """There is no answer: a code and words, see `ragauge.core.ingredients.Reply`.

    ``alone``: whether it says nothing about other questions; None: as the code decides. After several failures in a row
    that do, nothing else is asked. ``paid``: whether a reply came that cannot be used, so that it has its price.
    """

    def __init__(self, code: str, words: str, *, alone: bool | None = None, paid: bool = False) -> None:
        super().__init__(f"{code}: {words}")
        self.code, self.words, self.paid = code, words, paid
        self.alone = not _OF_THE_SERVER.fullmatch(code) if alone is None else alone

    @property
    def reason(self) -> str:
        """Code and words, as the reason of a reply has them."""
        reason = Joined([self.code, self.words], ": ")
        short = excerpt(reason, LONGEST_REASON)
        return reason if short == reason else short


@dataclass(frozen=True, kw_only=True)
class Request:
    """One request that a judge sends.

    Args:
        question: the question it belongs to.
        messages: its messages; with a complaint where it is asked once more.
        max_tokens: the most tokens of the answer.
        key: of the answer in the cache.
        stop: set when the run is interrupted.
        given_up: returns why nothing else is asked; None as long as questions are asked.
        limits: is called before each time that the request is sent, with whether the answer to the time before was
            late; returns why the limits of the run do not let it be sent, None where they do.
        early: is called after each reply 429, with the seconds that the request waits before it is sent again.
    """

    question: Question
    messages: tuple[tuple[str, str], ...]
    max_tokens: int
    key: bytes = b""
    stop: Event = field(default_factory=Event)
    given_up: Callable[[], NoAnswer | None] = lambda: None
    limits: Callable[[bool], str | None] = lambda _late: None
    early: Callable[[float], None] = lambda _seconds: None

    def sending(self, *, late: bool = False) -> None:
        """Count that the request is sent now; NoAnswer where the limits of the run do not let it be sent again.

        ``late``: whether it was sent before, and the answer did not come in time.
        """
        refused = self.limits(late)
        if refused:
            raise NoAnswer("budget", refused)

    def jitter(self, attempt: int) -> float:
        """Return a number from 0 to 1 that differs between requests, so that they do not all come back at once."""
        return (int.from_bytes(self.key[:4]) * 2654435761 + attempt * 40503) % 2**32 / 2**32

    def pause(self, seconds: float) -> None:
        """Wait; NoAnswer as soon as the run is interrupted, or nothing else is asked."""
        if self.stop.wait(seconds):
            raise NoAnswer("interrupted", Message("the run was interrupted"))
        if none := self.given_up():
            raise NoAnswer(none.code, none.words)
