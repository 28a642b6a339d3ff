"""Judges: LLMs that are asked. One a file, each registered under its name on the command line.

A metric asks in four steps::

    from ragauge.judges import Question, ask, members

    questions = [Question(prompt="relevant", version=..., messages=(("user", "..."),), schema={...}), ...]
    for member in members(self.judge, self.repeats):  # a jury has several; usually there is one
        replies = ask(batch, member, questions, check, metric=str(self))
        for question, reply in zip(questions, replies):
            ...  # reply.ok: reply.value; else reply.reason

- `Question` (frozen): ``prompt`` (its name), ``version`` (a hash of the prompt's text), ``messages`` (pairs of role and
  text), ``schema`` (JSON Schema of the reply), ``max_tokens``, ``label`` and ``labels`` (the key of the reply whose
  label probabilities are wanted), ``expected`` (what a dry run takes for the reply, so that the questions that follow
  from it are counted too).
- ``check(question, value)`` returns what is wrong with a value that follows the schema, such as indices that are absent
  or come twice, in words that the judge is shown; None where nothing is. A wrong or malformed reply is asked for once
  more; then it is ``failed`` with the true reason, never a default.
- `Reply` (frozen): ``ok``, ``value``, ``reason`` (a code, ``: ``, words) and ``code``, ``usage``, ``seconds``,
  ``cached``, ``structured``, ``label_probabilities``. Replies come in the order of the questions, one each.
- `ask` never raises for one question. UsageError: none can be answered, because the address, key or model is wrong.
  What was asked before in this run, or in an earlier one with the same cache, is not asked again, so a metric need not
  remember replies itself; equal questions of several metrics are one request.
- `Session`: the cache, the limits and the counts of a run. A batch holds it; without one, a session of its own.

A judge of your own: a frozen dataclass that inherits from `JudgeBase` and writes `answer`, one blocking request; or any
object with the two members of `ragauge.core.ingredients.Judge`. `FunctionJudge` makes one of a Python function.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ragauge.core.ingredients import Check, Judge, Question, Reply, Usage
from ragauge.core.lazy import lazy_names
from ragauge.core.registry import make_ingredient

if TYPE_CHECKING:
    from ragauge.judges.base import JudgeBase
    from ragauge.judges.budget import Price
    from ragauge.judges.function import FunctionJudge
    from ragauge.judges.question import Member, ask, members
    from ragauge.judges.reply import Answer
    from ragauge.judges.request import NoAnswer, Request
    from ragauge.judges.session import Session

__all__ = [
    "Answer", "Check", "FunctionJudge", "Judge", "JudgeBase", "Member", "NoAnswer", "Price", "Question", "Reply",
    "Request", "Session", "Usage", "ask", "get", "members",
]  # fmt: skip
# A run without a judge imports the module of addresses alone.
_HOMES = {
    "ragauge.judges.base": "JudgeBase",
    "ragauge.judges.budget": "Price",
    "ragauge.judges.function": "FunctionJudge",
    "ragauge.judges.question": "Member ask members",
    "ragauge.judges.reply": "Answer",
    "ragauge.judges.request": "NoAnswer Request",
    "ragauge.judges.session": "Session",
}
__getattr__ = lazy_names(__name__, _HOMES)


def get(text: str) -> Judge:
    """Make the judge that ``text`` asks for: ``name`` or ``name[key=value,...]``.

    Raises:
        UnknownNameError: no judge has that name.
        OptionError: an option is unknown or has a bad value.

    >>> str(get("chat[url=http://localhost:11434/v1,model=qwen3]"))
    'chat[model=qwen3,url=http://localhost:11434/v1]'
    """
    return cast(Judge, make_ingredient("judge", text))


def __dir__() -> list[str]:
    return __all__
