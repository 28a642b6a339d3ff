"""``jury``: several judges, whose scores are averaged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ragauge.core.ingredients import Check, Judge, Question, Reply
from ragauge.core.registry import Signed, ingredient
from ragauge.errors import OptionError


@ingredient("judge", "jury")
@dataclass(frozen=True)
class Jury(Signed):
    """Several judges, each of which is asked everything; a sample's score is the mean of theirs.

    A metric shows how much the judges differ in the part ``judge variance``. A sample fails if one of the judges gives
    no reply: a mean of those that did would compare samples by different juries.

    Args:
        judges: two or more different judges, joined by ``/``.

    Raises:
        OptionError: there are fewer than two judges, or two are the same.

    >>> from ragauge.judges import get, members
    >>> jury = get("jury[judges=chat[url=http://localhost/v1,model=a]/chat[url=http://localhost/v1,model=b]]")
    >>> [member.judge.model for member in members(jury)]
    ['a', 'b']
    """

    judges: tuple[Judge, ...]

    def __post_init__(self) -> None:
        texts = [str(judge) for judge in self.judges]
        allowed = "two or more different judges, as in chat[url=...,model=a]/chat[url=...,model=b]"
        if not 1 < len(texts) == len(set(texts)):
            raise OptionError.value("judge 'jury'", "judges", allowed, "/".join(texts))

    def ask(self, questions: Sequence[Question], check: Check, session: Any = None) -> list[Reply]:
        """Return for each question the reply of the first judge that has one; metrics ask each judge on its own."""
        each = [judge.ask(questions, check, session) for judge in self.judges]
        return [next((one for one in replies if one.ok), replies[0]) for replies in zip(*each, strict=True)]
