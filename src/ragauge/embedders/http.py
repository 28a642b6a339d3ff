"""``http``: any server that speaks OpenAI's ``/embeddings``."""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from typing import Annotated, Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import numpy as np

from ragauge.core.ingredients import Role
from ragauge.core.options import BatchSize, Range, Text, check
from ragauge.core.registry import ingredient
from ragauge.embedders._base import EmbedderBase
from ragauge.embedders.dense import DenseVectors
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


Answer = list[float] | str
"""A vector, or why there is none."""


@ingredient("embedder", "http")
@dataclass(frozen=True)
class Http(EmbedderBase):
    """Dense vectors from a server: OpenAI, vLLM, Ollama, text-embeddings-inference and others.

    A request that is refused for now (429, 5xx, no answer in time) is sent again, after as long as the server asks for,
    else after 0.5 s, 1 s, 2 s ... A batch that is refused for good is sent again text by text. A text that still has no
    vector, or one with NaN or of another length than most have, is a failure of that text alone. Whether a server cuts
    long texts is its own affair and cannot be seen from here.

    Args:
        url: up to and without ``/embeddings``, as in ``http://localhost:11434/v1``.
        model: the model's name on the server.
        key: the environment variable that holds the API key; none by default, so that no server gets another's key.
        batch: texts per request.
        parallel: requests under way at once.
        timeout: seconds to wait for an answer.
        retries: how often a request is sent again.
        query: what is put before questions.
        passage: what is put before passages.

    Raises:
        OptionError: url or model is not given, or a number is not allowed.
        UsageError: the key is not set, or the server says that key, url or model are wrong (401, 403, 404).
    """

    url: Annotated[str, Text("an address such as http://localhost:11434/v1")]
    model: Annotated[str, Text("the model's name on the server")]
    key: str = ""
    batch: BatchSize = 64
    parallel: Annotated[int, Range(1, 256)] = 4
    timeout: Annotated[float, Range(0, 86_400, above=True)] = 60.0
    retries: Annotated[int, Range(0, 100)] = 5
    query: str = ""
    passage: str = ""

    def __post_init__(self) -> None:
        is_address = self.url.startswith(("http://", "https://"))
        check(self, "url", "an address such as http://localhost:11434/v1", holds=is_address)

    @property
    def decides(self) -> Mapping[str, str]:
        """The address, the model and the prompts; what the server has under that name is not known."""
        prompts = {"passage": f'"{self.passage}"', "query": f'"{self.query}"'}
        return {"model": self.model, **prompts, "url": self.url}

    @property
    def symmetric(self) -> bool:
        """Whether questions and passages get the same prompt."""
        return self.query == self.passage

    def encode(self, texts: Sequence[str], role: Role) -> DenseVectors:
        """Return one vector per text; failures are in its ``failures``."""
        prompt = self.query if role == "query" else self.passage
        asked = [prompt + text for text in texts]
        batches = [asked[first : first + self.batch] for first in range(0, len(asked), self.batch)]
        endpoint = Endpoint(self.url, self.model, self._secret(), self.timeout, self.retries)
        with ThreadPoolExecutor(self.parallel) as pool:
            try:
                answers = [answer for part in pool.map(lambda some: _ask(endpoint, some), batches) for answer in part]
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        return _vectors(answers)

    def _secret(self) -> str | None:
        if not self.key:
            return None
        if self.key not in os.environ:
            message = f"the environment variable {self.key!r} is not set; embedder 'http' takes the API key from it"
            raise UsageError(message)
        return os.environ[self.key]


def _ask(endpoint: Endpoint, texts: Sequence[str]) -> list[Answer]:
    """Ask for a batch, and where it is refused for good, for each text of it."""
    try:
        return list(endpoint.embed(texts))
    except Refused as refused:
        if refused.final and len(texts) > 1:
            return [answer for text in texts for answer in _ask(endpoint, [text])]
        return [str(refused)] * len(texts)


def _vectors(answers: Sequence[Answer]) -> DenseVectors:
    """Make a matrix of the vectors; those that do not fit in are failures."""
    lengths = [len(answer) for answer in answers if isinstance(answer, list)]
    width = max(set(lengths), key=lambda length: (lengths.count(length), -length), default=1)
    values = np.zeros((len(answers), max(width, 1)), dtype=np.float32)
    failures: dict[int, str] = {}
    for place, answer in enumerate(answers):
        if isinstance(answer, str):
            failures[place] = answer
        elif len(answer) != width or not width:
            failures[place] = f"the vector has {len(answer)} numbers where others have {width}"
        else:
            values[place] = answer
    for place in np.flatnonzero(~np.isfinite(values).all(axis=1)).tolist():
        failures[place] = "the vector holds NaN or infinity"
    return DenseVectors(values, failures)
