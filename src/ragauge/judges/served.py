"""Judges that are models behind a server: its address, key and limits, and what is added to each request."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from ragauge.core.ingredients import Question
from ragauge.core.messages import Message
from ragauge.core.options import Range, Text
from ragauge.endpoints.endpoint import Endpoint
from ragauge.endpoints.server import ADDRESS, Server, can_be_sent
from ragauge.errors import UsageError, worded
from ragauge.judges.base import JudgeBase
from ragauge.judges.client import Client, Rate
from ragauge.judges.dialect import Negotiation
from ragauge.judges.extra import Extra, extra_in

_KEY = "RAGAUGE_JUDGE_API_KEY"
_OPENAI_KEY, _OPENAI = "OPENAI_API_KEY", "api.openai.com"


@dataclass(frozen=True)
class ServedJudge(Server, JudgeBase):
    """A judge behind a server; its subclasses say in which protocol it is asked, and what its options mean."""

    url: Annotated[str, Text(ADDRESS)]
    model: Annotated[str, Text("the model's name on the server")]
    key: str = ""
    key_file: str = ""
    extra: str = ""
    parallel: Annotated[int, Range(1, 1024)] = 64
    timeout: Annotated[float, Range(0, 86_400, above=True)] = 120.0
    retries: Annotated[int, Range(0, 100)] = 5
    requests_per_minute: Annotated[int, Range(0, 10**9)] = 0
    tokens_per_minute: Annotated[int, Range(0, 10**12)] = 0

    def endpoint(self) -> Endpoint:
        """Return the address that is asked; UsageError where there is no API key."""
        return replace(super().endpoint(), headers=self.added.sent_headers(), hidden=self.added.secrets)

    @cached_property
    def added(self) -> Extra:
        """What is added to each request; UsageError where its file cannot be read."""
        return extra_in(self.extra, self.owner) if self.extra else Extra()

    def most_tokens(self, question: Question) -> int:
        """Return the most tokens of a reply: those that the file of extra fields asks for, else the question."""
        return self.added.most_tokens or question.max_tokens

    @property
    def lacks(self) -> Sequence[str]:
        """What its server refuses, so that requests are sent without."""
        return self._client.negotiation.lacks

    def secret(self) -> str | None:
        """Return the API key; None where there is none; UsageError where the one that is named cannot be sent."""
        if self.key_file:
            return _secret_in(self.key_file, self.owner)
        if self.key:
            return super().secret()
        names = [_KEY, *([_OPENAI_KEY] if urlsplit(self.url).hostname == _OPENAI else [])]
        for name in names:
            if os.environ.get(name, "").strip():
                return replace(self, key=name).secret()
        return None

    def negotiation(self) -> Negotiation:
        """Return what finds out how its server wants requests."""
        return Negotiation("parsed")

    @property
    def _client(self) -> Client:
        """The client that all threads share; made once, because setdefault is atomic."""
        client: Client | None = vars(self).get("_shared_client")
        if client is None:
            rate = Rate(self.requests_per_minute, self.tokens_per_minute)
            made = Client(self.endpoint, self.negotiation(), rate, self.retries)
            client = vars(self).setdefault("_shared_client", made)
        return client

    def begin(self) -> None:
        """Read the API key, so that an error comes before the first question."""
        self._client.begin()

    def end(self) -> None:
        """Close connections that are open, where no other thread uses them."""
        self._client.end()


def _secret_in(path: str, owner: str) -> str:
    try:
        secret = Path(path).read_text(encoding="utf-8-sig").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not text"
        raise UsageError(
            "RG-JUDGE-017 key_file of {owner} must be a file with the API key; {path!r} cannot be read: {why}",
            owner,
            path,
            worded(why),
        ) from None
    if not can_be_sent(secret):
        problem = Message("has characters that cannot be sent") if secret else Message("is empty")
        template = (
            "RG-JUDGE-018 key_file of {owner} must hold the API key alone, in printable ASCII; {path!r} {problem}"
        )
        raise UsageError(template, owner, path, problem)
    return secret
