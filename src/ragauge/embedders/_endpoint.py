"""Requests to a server that speaks OpenAI's protocol: what is sent again, and what is an error of the user's."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from ragauge.errors import UsageError

_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 60.0
# Statuses of RFC 9110 and 6585: address or key are wrong; a later request may be answered (529: overloaded).
_WRONG = (401, 403, 404)
_LATER = (408, 409, 425, 429, 500, 502, 503, 504, 529)
_SHOWN = 200


class Refused(Exception):  # noqa: N818 - an error of ours only when all retries are spent
    """The server gave no answer. ``final``: it would refuse the same request again; ``wait``: seconds it asks for."""

    def __init__(self, why: str, *, final: bool, wait: float | None = None) -> None:
        super().__init__(why)
        self.final = final
        self.wait = wait


@dataclass(frozen=True)
class Endpoint:
    """One address of a server.

    Args:
        address: the whole address, as in ``http://localhost:11434/v1/embeddings``.
        secret: the API key; None: none is sent.
        timeout: seconds to wait for an answer.
        retries: how often a request is sent again.
        owner: whose options url, model and key are, for messages.
    """

    address: str
    secret: str | None
    timeout: float
    retries: int
    owner: str

    def post(self, payload: Mapping[str, object]) -> bytes:
        """Send ``payload`` as JSON and return the body of the answer.

        Raises:
            Refused: there is no answer, and all retries are spent or would not help.
            UsageError: address, key or model are wrong.
        """
        for attempt in range(self.retries):
            try:
                return self._post(payload)
            except Refused as refused:
                if refused.final:
                    raise
                wait = _FIRST_WAIT_S * 2**attempt if refused.wait is None else refused.wait
                time.sleep(min(max(wait, 0.0), _LONGEST_WAIT_S))
        return self._post(payload)

    def _post(self, payload: Mapping[str, object]) -> bytes:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "ragauge"}
        if self.secret:
            headers["Authorization"] = f"Bearer {self.secret}"
        request = Request(self.address, json.dumps(payload).encode(), headers)  # noqa: S310 - http and https only
        try:
            with urlopen(request, timeout=self.timeout) as answer:  # noqa: S310
                data: bytes = answer.read()
                return data
        except HTTPError as error:
            with error:
                raise self._meaning(error) from None
        except (URLError, HTTPException, OSError) as error:
            message = f"no answer from {self.address}: {getattr(error, 'reason', error)}"
            raise Refused(message, final=False) from None

    def _meaning(self, error: HTTPError) -> Exception:
        body = error.read(_SHOWN).decode("utf-8", "replace").strip()
        message = f"{self.address} answered {error.code}" + (f": {body}" if body else "")
        if error.code in _WRONG:
            return UsageError(f"{message}; look at url, model and key of {self.owner}")
        later = error.code in _LATER
        return Refused(message, final=not later, wait=_seconds(error.headers.get("Retry-After")) if later else None)


def _seconds(retry_after: str | None) -> float | None:
    """Read the header ``Retry-After``: seconds, or a date."""
    if retry_after is None:
        return None
    try:
        seconds = float(retry_after)
        return seconds if math.isfinite(seconds) else None
    except ValueError:
        pass
    try:
        return parsedate_to_datetime(retry_after).timestamp() - time.time()
    except ValueError:
        return None
