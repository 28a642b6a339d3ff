"""Options of clients of a server: its address, and the environment variable with the API key."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from threading import Event
from typing import ClassVar, TypeVar
from urllib.parse import urlsplit

from ragauge.core.options import check
from ragauge.endpoints.endpoint import Endpoint
from ragauge.endpoints.threads import in_threads
from ragauge.errors import OptionError, UsageError

Asked = TypeVar("Asked")
Answered = TypeVar("Answered")
ADDRESS = "an address such as http://localhost:11434/v1, without password and query"
MOST_BYTES = 1 << 20
"""The longest answer that is read, for each text of a request."""


class Server:
    """A frozen dataclass with the options ``url``, ``key``, ``parallel``, ``timeout`` and ``retries``."""

    owner: ClassVar[str]
    """Kind and name, for messages: ``embedder 'http'``."""
    path: ClassVar[str]
    """The end of the address, behind ``url``: ``/embeddings``."""

    url: str
    key: str
    parallel: int
    timeout: float
    retries: int

    def __post_init__(self) -> None:
        check(self, "url", ADDRESS, holds=is_plain_address(self.url))
        if self.key and not self.key.isidentifier():
            raise OptionError(
                "RG-NET-003 option 'key' of {owner} must be the name of an environment variable, not the key",
                self.owner,
            )

    def endpoint(self) -> Endpoint:
        """Return the address that is asked; UsageError where there is no API key."""
        address = self.url.rstrip("/").removesuffix(self.path) + self.path
        return Endpoint(address, self.secret(), self.timeout, self.retries, self.owner)

    def in_parallel(self, ask: Callable[[Asked], Answered], requests: Sequence[Asked]) -> list[Answered]:
        """Return what ``ask`` returns for each request, in order; after an error no further request is sent."""
        answers = dict(in_threads(ask, requests, self.parallel, Event()))
        return [answers[place] for place in range(len(requests))]

    def secret(self) -> str | None:
        """Return the API key, None where none is named; UsageError where it is not set, or cannot be sent."""
        return api_key(self.key, self.owner) if self.key else None


def api_key(key: str, owner: str) -> str:
    """Return what the environment variable ``key`` holds; UsageError where it is not set, or cannot be sent."""
    secret = os.environ.get(key, "").strip()
    if can_be_sent(secret):
        return secret
    # A key that was given as its own name is not repeated.
    name = f"the environment variable {key!r}" if key.isupper() else "the environment variable of key"
    problem = "holds no API key: only printable ASCII can be sent" if secret else "is not set"
    raise UsageError("RG-NET-002 {name} {problem}; {owner} takes the API key from it", name, problem, owner)


def can_be_sent(secret: str) -> bool:
    """Return whether ``secret`` is a key that the header of a request can hold."""
    return bool(secret) and secret.isascii() and secret.isprintable()


def is_plain_address(url: str) -> bool:
    """Return whether ``url`` is an HTTP address that can be sent as it is, without password and query."""
    try:
        parts = urlsplit(url)
        holds_place = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    return holds_place and url.isascii() and url.isprintable() and not any(char in url for char in "@?# ")
