"""The parts of OpenAI's protocol that a server understands: found out by the first request, while the others wait."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any

from ragauge.core.ingredients import Structured

_ORDER: tuple[Structured, ...] = ("json_schema", "json_object", "parsed")
_NEWER = "max_completion_tokens"
# Parameters that some models refuse, by what their servers write.
_OPTIONAL = ("temperature", "seed", "logprobs")
_TICK_S = 0.2


@dataclass(frozen=True)
class Dialect:
    """How requests are written.

    Args:
        structured: how the form of replies is held.
        limit: the parameter for the most tokens of a reply.
        without: parameters that the server refuses.

    >>> Dialect().after("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.").limit
    'max_completion_tokens'
    >>> Dialect().after("response_format json_schema is not supported").structured
    'json_object'
    """

    structured: Structured = "json_schema"
    limit: str = "max_tokens"
    without: frozenset[str] = frozenset()

    @property
    def refused(self) -> str:
        """The parameters that decide a reply and that the server refuses, joined by ``/``."""
        return "/".join(sorted(self.without - {"logprobs"}))

    def after(self, complaint: str, *, fixed: bool = False) -> Dialect | None:
        """Return what to try after the server has complained; None where nothing is left. ``fixed``: the form is."""
        if _NEWER in complaint and self.limit != _NEWER:
            return replace(self, limit=_NEWER)
        for name in _OPTIONAL:
            if re.search(rf"\b(top_)?{name}\b", complaint) and name not in self.without:
                return replace(self, without=self.without | {name})
        if fixed or self.structured == _ORDER[-1]:
            return None
        return replace(self, structured=_ORDER[_ORDER.index(self.structured) + 1])

    def payload(self, values: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
        """Return the request with ``values``, of which ``max_tokens`` is one, for replies that follow ``schema``."""
        payload = {self.limit if name == "max_tokens" else name: value for name, value in values.items()}
        for name in self.without:
            payload.pop(name, None)
            payload.pop(f"top_{name}", None)
        if self.structured == "json_schema":
            form = {"name": "reply", "strict": True, "schema": strict(schema)}
            payload["response_format"] = {"type": "json_schema", "json_schema": form}
        elif self.structured == "json_object":
            payload["response_format"] = {"type": "json_object"}
        return payload


class Negotiation:
    """The dialect of a server, found out by one request alone while all others wait.

    ``output``: how the form of replies is held, or ``auto``.
    """

    def __init__(self, output: str) -> None:
        self.fixed = output != "auto"
        self.dialect = Dialect(_ORDER[_ORDER.index(output)] if output in _ORDER else _ORDER[0])
        self.known = False
        self._lock = Lock()
        # The weakest form of all answers that were used, and all parameters that any of them was without.
        self._used: Dialect | None = None
        self._noting = Lock()

    @property
    def shown(self) -> Mapping[str, str]:
        """The dialect for a signature: the weakest of all answers that were used, so that it holds of each of them."""
        used = self._used or self.dialect
        output = used.structured if self.fixed or self.known or self._used else "auto"
        return {"output": output, **({"refused": used.refused} if used.refused else {})}

    @contextmanager
    def turn(self, pause: Callable[[float], None]) -> Iterator[None]:
        """Wait until the dialect is known, or until it is this request's turn to find it out."""
        if not self.known:
            while not self._lock.acquire(timeout=_TICK_S):
                pause(0)
            try:
                if not self.known:
                    pause(0)
                    yield
                    return
            finally:
                self._lock.release()
        yield

    def settle(self, dialect: Dialect) -> None:
        """Note that a request in this dialect was answered."""
        with self._noting:
            self.dialect, self.known = dialect, True

    def note(self, structured: Structured, refused: str) -> None:
        """Note the dialect of an answer that is used; cached ones decide also how the next requests are sent."""
        with self._noting:
            before = self._used or Dialect(structured)
            weaker = max(structured, before.structured, key=_ORDER.index)
            without = before.without | set(filter(None, refused.split("/")))
            self._used = replace(before, structured=weaker, without=without)
            if not self.known:
                form = self.dialect.structured if self.fixed else weaker
                self.dialect = replace(self.dialect, structured=form, without=self.dialect.without | without)


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
