"""One comment of a pull request, written once and changed from then on, found by a mark that readers do not see."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from ragauge.core.options import check
from ragauge.display.numbers import printable
from ragauge.endpoints.endpoint import Endpoint, Refused, WrongEndpointError, backoff
from ragauge.errors import UsageError, excerpt

_PAGE = 100
"""Comments of a request: the most that GitHub and GitLab list at a time."""
_LONGEST = 1 << 26
"""Bytes of an answer that are read: a page of comments that are all as long as they may be has less."""
_MOST_PAGES = 100
"""GitLab takes 5,000 comments; so many pages say that the server goes round in a circle."""


@dataclass(frozen=True)
class PullRequest:
    """A pull request of a service, with the addresses of its comments."""

    comments: str
    """Where comments are listed, and new ones posted."""
    comment: str
    """Where one is changed; its id follows."""
    user: str
    """Where the service says whose the token is."""
    change: str
    """The method that changes one: PATCH or PUT."""
    secret: str = field(repr=False)
    timeout: float
    retries: int
    owner: str

    def put(self, text: str, mark: str) -> dict[str, Any]:
        """Write ``text`` as the comment that begins with ``mark``, or as a new one, and return what the service says.

        After a failure of the connection or of the service the comment is looked for again before it is sent again, so
        there are never two.

        Raises:
            UsageError: the service refuses, or does not answer.
        """
        for attempt in range(self.retries + 1):
            try:
                return self._put_once(text, mark)
            except Refused as refused:
                if refused.final or attempt == self.retries:
                    raise UsageError("RG-WRITE-018 {owner}: {refused}", self.owner, refused.why) from None
                time.sleep(backoff(attempt, refused))
        raise AssertionError("a last try returns or raises")

    def _put_once(self, text: str, mark: str) -> dict[str, Any]:
        body = {"body": text.encode("utf-8", "backslashreplace").decode()}
        own = self._find(mark)
        if own is None:
            return self._comment("POST", self.comments, body)
        if own["body"].replace("\r\n", "\n").strip() == body["body"].strip():
            return own
        return self._comment(self.change, f"{self.comment}/{own['id']}", body)

    def _find(self, mark: str) -> dict[str, Any] | None:
        """Return the first comment of our own that begins with ``mark``; None where there is none.

        One of somebody else stays as it is: who wrote it could change afterwards what we say.
        """
        me: int | None = None
        for page in range(1, _MOST_PAGES + 1):
            listed = self._asked("GET", f"{self.comments}?per_page={_PAGE}&page={page}&sort=asc", None)
            if not isinstance(listed, list) or not all(map(_is_comment, listed)):
                raise UsageError(
                    "RG-WRITE-016 {comments} does not list comments; look at url of {owner}", self.comments, self.owner
                )
            for one in listed:
                if one["body"].startswith(mark):
                    me = me or self._me()
                    if _is_of(me, one):
                        return dict(one)
            if len(listed) < _PAGE:
                break
        return None

    def _me(self) -> int | None:
        """Return the id of the token's user; None where the service does not say, as for the token of a job."""
        with suppress(WrongEndpointError):
            user = self._asked("GET", self.user, None)
            return user.get("id") if isinstance(user, dict) else None
        return None

    def _comment(self, method: str, address: str, body: dict[str, str]) -> dict[str, Any]:
        answer = self._asked(method, address, body)
        if not _is_comment(answer):
            raise UsageError(
                "RG-WRITE-015 {address} does not answer with a comment; look at url of {owner}", address, self.owner
            )
        return dict(answer)

    def _asked(self, method: str, address: str, body: dict[str, str] | None) -> Any:
        with Endpoint(address, self.secret, self.timeout, 0, self.owner, method=method) as endpoint:
            answer = endpoint.post(body, _LONGEST)
        try:
            return json.loads(answer)
        except (ValueError, RecursionError):
            raise UsageError(
                "RG-WRITE-017 {address} does not answer with JSON; look at url of {owner}", address, self.owner
            ) from None


def _is_comment(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("id"), int) and isinstance(value.get("body"), str)


def _is_of(user: int | None, comment: dict[str, Any]) -> bool:
    """Return whether a comment is of the user with that id; where none is known, whether it is of no person."""
    author = comment.get("user") or comment.get("author")
    if not isinstance(author, dict):
        return False
    return author.get("id") == user if user is not None else author.get("type", "Bot") == "Bot"


def refusal(error: WrongEndpointError, what: str) -> str:
    """Return why a service refuses a request, in its own words, behind ``what`` it refuses."""
    words = error.body
    with suppress(ValueError, KeyError, TypeError, RecursionError):
        words = json.loads(error.body)["message"]
    return f"{what}: {error.status} {printable(excerpt(str(words)))}".rstrip()


def hidden_mark(instance: Any) -> str:
    """Return the first line of the comment of a writer with the option ``mark``; OptionError where it cannot be one."""
    allowed = "letters, digits, '.', '-' and '_', without '--'"
    mark = instance.mark
    legal = all(char.isalnum() or char in ".-_" for char in mark) and mark and "--" not in mark
    check(instance, "mark", allowed, holds=bool(legal))
    return f"<!-- ragauge: {mark} -->"
