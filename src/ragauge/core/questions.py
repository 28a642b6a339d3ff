"""A question to a judge, which is an LLM that is asked, and its reply; `ragauge.judges` says how they are used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias


@dataclass(frozen=True, kw_only=True)
class Question:
    """One request to a judge, and the form of the reply that is wanted.

    Args:
        prompt: the name of the prompt, as ``faithfulness``.
        version: the version of the prompt, as the hash of its text; it is part of what a cached reply is kept under.
        messages: pairs of role (``system``, ``user``, ``assistant``) and text.
        schema: the JSON Schema that the reply must follow: ``type``, ``properties``, ``required``, ``items``, ``enum``,
            ``minimum``, ``maximum``, ``minItems`` and ``maxItems`` are checked, other keywords only sent.
        max_tokens: the most tokens of a reply.
        label: the key of the reply's object whose label probabilities are wanted, as ``score``; empty: none are.
        labels: the labels that it may have, as ``("1", "2", "3")``.
        expected: a value that a dry run takes for the reply, so that questions that follow from it are counted too.
        again: the message that asks once more after a reply that cannot be used, with ``{problem}`` and ``{schema}`` in
            it; empty: the package's own in English.
        repeat: 0 for the first time that the question is asked, then 1, 2 ...: each is a request of its own.
    """

    prompt: str
    version: str
    messages: tuple[tuple[str, str], ...]
    schema: Mapping[str, Any]
    max_tokens: int = 1024
    label: str = ""
    labels: tuple[str, ...] = ()
    expected: Any = None
    again: str = ""
    repeat: int = 0


Check: TypeAlias = Callable[[Question, Any], str | None]
"""Takes a question and a value that follows its schema; returns what is wrong with the value, None if nothing is."""
Structured: TypeAlias = Literal["json_schema", "json_object", "parsed"]
"""How the form of a reply was held: by the server with a schema, by the server as JSON, or by reading its text."""


class Usage(NamedTuple):
    """Tokens of a reply and of its question, as the server counted them."""

    prompt: int = 0
    completion: int = 0


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What a judge replied to one question.

    Args:
        status: ``ok`` or ``failed``.
        reason: why it failed: a code, ``: ``, and words. Codes: ``refused``, ``content-filter``, ``malformed``,
            ``wrong`` (the form is right, and the check complains), ``truncated``, ``empty``, ``timeout``,
            ``no-answer``, ``http-500`` and the like, ``quota``, ``budget``, ``offline``, ``dry-run``.
        value: the parsed JSON, which follows the schema and which the check accepts; None if it failed.
        usage: tokens of all requests that it took, also where they came from the cache.
        seconds: how long those requests took.
        requests: how many requests were sent for it now; 0 if it came from the cache.
        structured: how its form was held; empty if there was no answer.
        label_probabilities: label -> probability, adding to 1, where they were wanted and the server gave them.
    """

    status: Literal["ok", "failed"]
    reason: str = ""
    value: Any = None
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    requests: int = 0
    structured: Structured | Literal[""] = ""
    label_probabilities: Mapping[str, float] | None = None

    @property
    def ok(self) -> bool:
        """Whether there is a value."""
        return self.status == "ok"

    @property
    def cached(self) -> bool:
        """Whether no request was sent for it."""
        return self.requests == 0

    @property
    def code(self) -> str:
        """The code of the reason, empty where the reply is ok.

        >>> Reply(status="failed", reason="timeout: no answer within 60 s").code
        'timeout'
        """
        return self.reason.partition(":")[0]
