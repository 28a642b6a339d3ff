"""What a user adds to the requests of a judge, or leaves out of them: a file of fields of the body, and headers."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from ragauge.core.lazy import lazy_pattern
from ragauge.endpoints.server import can_be_sent
from ragauge.errors import UsageError, excerpt

_VARIABLE = lazy_pattern(r"\$\{([A-Za-z_]\w*)\}")
_NAME = lazy_pattern(r"[\w!#$%&'*+.^`|~-]+", re.ASCII)
# The fields of the protocols that hold a question, who is asked, and how often.
_OF_QUESTIONS = ("messages", "system", "input", "state", "questions", "model", "n")
_FORM = '{"body": {"top_p": 0.9, "seed": null}, "headers": {"X-Team": "${TEAM}"}}'


@dataclass(frozen=True)
class Extra:
    """Fields of the body of each request, null for one that is left out, and headers, as they are written in a file.

    In a text ``${NAME}`` stands for an environment variable, so that the file, and what is kept of it, has no secret.
    """

    body: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def without(self) -> frozenset[str]:
        """The fields that are left out, as `ragauge.judges.dialect.LADDER` names them."""
        return frozenset({name.removeprefix("top_") for name, value in self.body.items() if value is None})

    @property
    def most_tokens(self) -> int | None:
        """The most tokens of a reply that the body asks for, by the name that a protocol has for them; None: none."""
        asked = [self.body.get(name) for name in ("max_tokens", "max_completion_tokens", "num_predict")]
        return next((one for one in asked if isinstance(one, int) and one > 0), None)

    @property
    def digest(self) -> str:
        """Eight hexadecimal digits of the hash of the body's fields as they are written; empty where there are none."""
        text = json.dumps(self.body, sort_keys=True)
        return sha256(text.encode()).hexdigest()[:8] if self.body else ""

    @cached_property
    def _filled(self) -> tuple[Mapping[str, Any], list[str]]:
        values: list[str] = []
        return _with_variables(dict(self.body), values), values

    @property
    def secrets(self) -> tuple[str, ...]:
        """The values of environment variables in the body."""
        return tuple(self._filled[1])

    def added(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Return a request with the fields of the body in it, those of objects among those that it has."""
        return _merged(payload, self._filled[0])

    def sent_headers(self) -> tuple[tuple[str, str], ...]:
        """Return the headers with their variables; UsageError where one cannot be sent."""
        headers = tuple((name, _with_variables(value, [])) for name, value in self.headers.items())
        for name, value in headers:
            if not (_NAME.fullmatch(name) and can_be_sent(value)):
                template = "RG-JUDGE-026 the header {name!r} of a judge must have a name and a value in printable ASCII"
                raise UsageError(template, name)
        return headers


def extra_in(path: str, owner: str) -> Extra:
    """Return what a file adds; UsageError where it cannot be read, or has another form."""
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8-sig"))
        body, headers = document.pop("body", {}), document.pop("headers", {})
        asked = [name for name in _OF_QUESTIONS if name in body]
        if asked:
            template = (
                "RG-JUDGE-076 extra of {owner} must not set {names}: that is what the judge is asked; take it out of "
                "{path!r}"
            )
            raise UsageError(template, owner, ", ".join(asked), path)
        if not document and all(isinstance(value, str) for value in headers.values()):
            return Extra(dict(body), dict(headers))
        why = f"it has {', '.join(document)}" if document else "a header is not a text"
    except (OSError, ValueError, TypeError, AttributeError, RecursionError) as error:
        why = getattr(error, "strerror", None) or excerpt(str(error))
    template = "RG-JUDGE-027 extra of {owner} must be a file such as {form}; {path!r} is not: {why}"
    raise UsageError(template, owner, _FORM, path, why)


def _merged(payload: Mapping[str, Any], added: Mapping[str, Any]) -> dict[str, Any]:
    merged = {name: value for name, value in payload.items() if name not in added or added[name] is not None}
    for name, value in added.items():
        own = merged.get(name)
        if isinstance(own, Mapping) and isinstance(value, Mapping):
            merged[name] = _merged(own, value)
        elif value is not None:
            merged[name] = value
    return merged


def _with_variables(value: Any, found: list[str]) -> Any:
    """Return a value with environment variables in place of their names, and add what they hold to ``found``."""
    if isinstance(value, Mapping):
        return {name: _with_variables(one, found) for name, one in value.items()}
    if isinstance(value, list):
        return [_with_variables(one, found) for one in value]
    if not isinstance(value, str):
        return value

    def held(match: re.Match[str]) -> str:
        text = os.environ.get(match[1], "").strip()
        if not text:
            template = "RG-JUDGE-028 the environment variable {name!r} is not set; extra of a judge names it"
            raise UsageError(template, match[1])
        found.append(text)
        return text

    return _VARIABLE.sub(held, value)
