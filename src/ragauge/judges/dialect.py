"""How requests to a judge's server are written: the dialects, and which of them it takes."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any

from ragauge.core.ingredients import Structured

_ORDER: tuple[Structured, ...] = ("json_schema", "json_object", "parsed")
FORMS = frozenset(_ORDER[:2])
_FORM = r"response_?format|json_?\s?(schema|object|mode)|structured.outputs?|grammar|guided"
# Parts that a request can go without, in the order in which they are left out where the server names nothing, and the
# words of servers that name them. OpenAI refuses logprobs with 403; the templates of Gemma have no system role.
LADDER: Mapping[str, str] = {
    "logprobs": r"\b(top_)?logprobs\b",
    "json_schema": _FORM,
    "json_object": _FORM,
    "seed": r"\bseed\b",
    "temperature": r"\btemperature\b",
    "system": r"\b(system|developer)\W{1,3}(role|message|prompt|instruction)|(role|message|instruction)\W+system\b",
    "max_tokens": r"max_completion_tokens",
}
# After errors that name nothing, label probabilities alone are left out, then forms, then both.
_ONE_BY_ONE = tuple(map(frozenset, ((), ("logprobs",), ("json_schema",), FORMS, (*FORMS, "logprobs"))))
_TICK_S = 0.2


@dataclass(frozen=True)
class Dialect:
    """How requests are written: ``without`` those steps of `LADDER`.

    >>> Dialect(frozenset({"json_schema"})).structured
    'json_object'
    """

    without: frozenset[str] = frozenset()

    @property
    def structured(self) -> Structured:
        """How the form of replies is held."""
        return next(form for form in _ORDER if form not in self.without)

    @property
    def refused(self) -> str:
        """The parameters that decide a reply and that the server refuses, joined by ``/``."""
        return "/".join(sorted(self.without - FORMS - {"logprobs", "max_tokens"}))

    def below(self, complaint: str, write: Callable[[Dialect], object], steps: Collection[str]) -> Dialect | None:
        """Return the next dialect to try; None where nothing is left.

        Args:
            complaint: of the server. What it names is left out first.
            write: returns the request in a dialect: one that is the same need not be tried.
            steps: what may be left out although the server does not name it.

        >>> complaint = "Unsupported parameter: 'seed'"
        >>> Dialect().below(complaint, lambda dialect: dialect, LADDER).refused
        'seed'
        """
        named = [name for name, words in LADDER.items() if re.search(words, complaint, re.IGNORECASE)]
        for name in [*named, *(name for name in LADDER if name in steps)]:
            other = replace(self, without=self.without | {name})
            if write(other) != write(self):
                return other
        return None

    def payload(self, values: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
        """Return the request with ``values``, of which ``max_tokens`` is one, for replies that follow ``schema``."""
        payload = {name: value for name, value in values.items() if name.removeprefix("top_") not in self.without}
        if "max_tokens" in self.without:
            payload["max_completion_tokens"] = values["max_tokens"]
        if "system" in self.without:
            payload["messages"] = _without_system(values["messages"])
        if self.structured == "json_schema":
            form = {"name": "reply", "strict": True, "schema": strict(schema)}
            payload["response_format"] = {"type": "json_schema", "json_schema": form}
        elif self.structured == "json_object":
            payload["response_format"] = {"type": "json_object"}
        return payload


def _without_system(messages: list[dict[str, str]]) -> list[dict[str, str]]:
    """Return messages whose first is of the user, and begins with those of the system."""
    system = [one["content"] for one in messages if one["role"] == "system"]
    first, *others = [one for one in messages if one["role"] != "system"]
    return [{**first, "content": "\n\n".join([*system, first["content"]])}, *others]


class Negotiation:
    """The dialect of a server, found out by one request alone while all others wait.

    Requests for label probabilities have parameters of their own, so the first of them is alone too.

    ``output``: how the form of replies is held, or ``auto``. ``without``: what is left out from the start.
    """

    def __init__(self, output: str, without: frozenset[str] = frozenset()) -> None:
        self.fixed = output != "auto"
        forms = frozenset(_ORDER[: _ORDER.index(output)] if output in _ORDER else ())
        self.dialect = Dialect(forms | without)
        self._asked = self.dialect
        # Whether requests with label probabilities were answered, and those without.
        self._known: frozenset[bool] = frozenset()
        # Whether no dialect helped a request with label probabilities, or one without.
        self._hopeless: frozenset[bool] = frozenset()
        self._lock = Lock()
        # The weakest form of all answers that were used, and all parameters that any of them was without.
        self._used: Dialect | None = None
        self._noting = Lock()

    @property
    def known(self) -> bool:
        """Whether any request was answered, so that address, key and model are right."""
        return bool(self._known)

    def knows(self, *, labels: bool) -> bool:
        """Return whether a request with label probabilities, or one without, was answered."""
        return labels in self._known

    @property
    def lacks(self) -> list[str]:
        """What requests are sent without, because the server refuses it; another name of a parameter is no lack."""
        return [name for name in LADDER if name in self.dialect.without - self._asked.without - {"max_tokens"}]

    @property
    def shown(self) -> Mapping[str, str]:
        """The dialect for a signature: the weakest of all answers that were used, so that it holds of each of them."""
        used = self._used or self.dialect
        output = used.structured if self.fixed or self.known or self._used else "auto"
        return {"output": output, **({"refused": used.refused} if used.refused else {})}

    @contextmanager
    def turn(self, pause: Callable[[float], None], *, labels: bool) -> Iterator[None]:
        """Wait until the dialect is known, or until it is this request's turn to find it out."""
        if labels not in self._known:
            while not self._lock.acquire(timeout=_TICK_S):
                pause(0)
            try:
                if labels not in self._known:
                    pause(0)
                    yield
                    return
            finally:
                self._lock.release()
        yield

    def below(
        self, dialect: Dialect, complaint: str, status: int | None, write: Callable[[Dialect], object], *, labels: bool
    ) -> Dialect | None:
        """Return the dialect to try after ``dialect``; None where nothing is left.

        As soon as a request like it was answered, or no dialect helped one, only what the server names is left out. An
        error of the server (500) or a 403 without a name may be about label probabilities, or one of its grammars.
        """
        is_open = labels not in self._known and labels not in self._hopeless
        has_failed = status in (403, 500)
        steps = LADDER if is_open and not has_failed else ()
        form = dialect.structured
        other = dialect.below(complaint, write, [step for step in steps if not (self.fixed and step in FORMS)])
        if other is None and is_open and has_failed:
            other = self._without_one(dialect, write)
        if other is None:
            self._hopeless |= {labels}
        return None if other and self.fixed and other.structured != form else other

    def _without_one(self, dialect: Dialect, write: Callable[[Dialect], object]) -> Dialect | None:
        """Return the next dialect after ``dialect``, of those that lack label probabilities, forms or both."""
        kept = self.dialect.without | (dialect.without - FORMS - {"logprobs"})
        lacking = dialect.without - kept
        place = _ONE_BY_ONE.index(lacking) if lacking in _ONE_BY_ONE else -2
        others = [replace(dialect, without=kept | one) for one in _ONE_BY_ONE[place + 1 :]]
        return next((one for one in others if write(one) != write(dialect)), None)

    def settle(self, dialect: Dialect, *, labels: bool) -> None:
        """Note that a request in this dialect was answered."""
        with self._noting:
            self.dialect, self._known = dialect, self._known | {labels}

    def note(self, structured: Structured, refused: str) -> None:
        """Note the dialect of an answer that is used; cached ones decide also how the next requests are sent."""
        with self._noting:
            forms = frozenset(_ORDER[: _ORDER.index(structured)])
            without = forms | set(filter(None, refused.split("/")))
            self._used = Dialect(without | (self._used or Dialect()).without)
            if not self.known:
                own = without - FORMS if self.fixed else self._used.without
                self.dialect = Dialect(self.dialect.without | own)


def strict(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema as strict servers want it: objects have all their properties, and no others.

    >>> strict({"type": "object", "properties": {"n": {"type": "integer"}}})["required"]
    ['n']
    """
    parts: dict[str, Any] = dict(schema)
    if "properties" in parts:
        parts["properties"] = {name: strict(part) for name, part in parts["properties"].items()}
        parts |= {"required": list(parts["properties"]), "additionalProperties": False}
    if isinstance(parts.get("items"), Mapping):
        parts["items"] = strict(parts["items"])
    return parts
