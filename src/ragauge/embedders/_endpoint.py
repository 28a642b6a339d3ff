"""One request to a server's ``/embeddings``, sent again where that may help."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from ragauge.errors import UsageError

_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 60.0
_WRONG = (401, 403, 404)
_LATER = (408, 409, 425, 429, 500, 502, 503, 504, 529)
_SHOWN = 200


class Refused(Exception):  # noqa: N818 - not an error of ours until all retries are spent
    """The server gave no vectors. ``final``: the same request would be refused again; ``wait``: seconds it asks for."""

    def __init__(self, why: str, *, final: bool, wait: float | None = None) -> None:
        super().__init__(why)
        self.final = final
        self.wait = wait


@dataclass(frozen=True)
class Endpoint:
    """Where to ask, and how patiently."""

    url: str
    model: str
    secret: str | None
    timeout: float
    retries: int

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector per text.

        Raises:
            Refused: there are none, and all retries are spent or would not help.
            UsageError: address, key or model are wrong.
        """
        for attempt in range(self.retries):
            try:
                return _read(self._post(texts), len(texts))
            except Refused as refused:
                if refused.final:
                    raise
                asked = _FIRST_WAIT_S * 2**attempt if refused.wait is None else refused.wait
                time.sleep(min(max(asked, 0.0), _LONGEST_WAIT_S))
        return _read(self._post(texts), len(texts))

    def _post(self, texts: Sequence[str]) -> bytes:
        body = json.dumps({"input": list(texts), "model": self.model, "encoding_format": "float"}).encode()
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "ragauge"}
        if self.secret:
            headers["Authorization"] = f"Bearer {self.secret}"
        address = self.url.rstrip("/").removesuffix("/embeddings") + "/embeddings"
        request = Request(address, body, headers)  # noqa: S310 - the option takes http and https only
        try:
            with urlopen(request, timeout=self.timeout) as answer:  # noqa: S310
                data: bytes = answer.read()
                return data
        except HTTPError as error:
            with error:
                raise self._meaning(error) from None
        except (URLError, HTTPException, OSError) as error:
            why = getattr(error, "reason", error)
            message = f"no answer from {address}: {why}"
            raise Refused(message, final=False) from None

    def _meaning(self, error: HTTPError) -> Exception:
        said = error.read(_SHOWN).decode("utf-8", "replace").strip()
        message = f"{self.url} answered {error.code}: {said}" if said else f"{self.url} answered {error.code}"
        if error.code in _WRONG:
            return UsageError(f"{message}; look at url, model and key of embedder 'http'")
        later = error.code in _LATER
        return Refused(message, final=not later, wait=_wait(error.headers.get("Retry-After")) if later else None)


def _wait(asked: str | None) -> float | None:
    """Read ``Retry-After``: seconds, or a date."""
    if asked is None:
        return None
    try:
        seconds = float(asked)
        return seconds if math.isfinite(seconds) else None
    except ValueError:
        pass
    try:
        return parsedate_to_datetime(asked).timestamp() - time.time()
    except ValueError:
        return None


def _read(body: bytes, count: int) -> list[list[float]]:
    """Return the vectors in the order of the texts."""
    try:
        items: list[Mapping[str, Any]] = json.loads(body)["data"]
        numbers = [_place(item.get("index"), place) for place, item in enumerate(items)]
        vectors = {number: _numbers(item["embedding"]) for number, item in zip(numbers, items, strict=True)}
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        message = f"the answer is not what /embeddings gives: {error!r}"
        raise Refused(message, final=True) from None
    if len(items) != count:
        message = f"the answer holds {len(items)} vectors for {count} texts"
        raise Refused(message, final=True)
    if sorted(vectors) != list(range(count)):
        message = f"the answer numbers its {count} vectors {', '.join(map(str, numbers[:5]))}, not from 0 on"
        raise Refused(message, final=True)
    return [vectors[place] for place in range(count)]


def _place(index: object, place: int) -> int:
    """Read the number of a vector; without one it stands at its ``place``."""
    return place if index is None else int(str(index))


def _numbers(values: Sequence[float | None]) -> list[float]:
    """Return a vector's numbers; null, as some servers write NaN, becomes NaN."""
    return [math.nan if value is None else float(value) for value in values]
