"""``http``: any server that speaks OpenAI's ``/embeddings``."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, ClassVar

import numpy as np

from ragauge.core.ingredients import Role
from ragauge.core.messages import Message
from ragauge.core.options import BatchSize, Range, Text
from ragauge.core.registry import ingredient
from ragauge.embedders.base import EmbedderBase
from ragauge.embedders.dense import DenseVectors
from ragauge.endpoints.endpoint import Endpoint, OtherFormError, Refused, Shown, by_number, read
from ragauge.endpoints.server import ADDRESS, MOST_BYTES, Server
from ragauge.errors import excerpt

# No known model has vectors of more than 16,384 numbers, each written in up to 26 bytes.
_MOST_NUMBERS = 1 << 15

Answer = list[float] | str  # a vector, or why there is none


@ingredient("embedder", "http")
@dataclass(frozen=True)
class Http(Server, EmbedderBase):
    """Dense vectors from a server: OpenAI, vLLM, Ollama, text-embeddings-inference and others.

    Temporary failures (429, 5xx, no answer in time) are retried: after the time that the server asks for, else after
    0.5 s, 1 s, 2 s ... A batch that is refused for good is sent again text by text. A text that still has no vector, or
    one with NaN or of another length than most, is a failure of that text alone. Whether a server truncates long texts
    cannot be seen. A redirect to another server is not followed.

    Args:
        url: the address without ``/embeddings``, as in ``http://localhost:11434/v1``; without password and query,
            because signatures and saved runs show it.
        model: the model's name on the server.
        key: the environment variable that holds the API key; none by default, so that no server gets another's key.
        batch: texts per request.
        parallel: requests under way at once.
        timeout: seconds to wait for the whole answer.
        retries: how often a request is sent again.
        query: the prompt before questions.
        passage: the prompt before passages.

    Raises:
        OptionError: url or model is not given, or a number is not allowed.
        UsageError: the key is not set, or the server says that key, url or model are wrong (401, 403, 404).
    """

    owner: ClassVar[str] = "embedder 'http'"
    path: ClassVar[str] = "/embeddings"

    url: Annotated[str, Text(ADDRESS)]
    model: Annotated[str, Text("the model's name on the server")]
    key: str = ""
    batch: BatchSize = 64
    parallel: Annotated[int, Range(1, 256)] = 4
    timeout: Annotated[float, Range(0, 86_400, above=True)] = 60.0
    retries: Annotated[int, Range(0, 100)] = 5
    query: str = ""
    passage: str = ""

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
        inputs = [prompt + text for text in texts]
        batches = [inputs[first : first + self.batch] for first in range(0, len(inputs), self.batch)]
        with self.endpoint() as endpoint:
            parts = self.in_parallel(partial(_embedded, endpoint, self.model), batches)
        return _vectors([answer for part in parts for answer in part])


def _embedded(endpoint: Endpoint, model: str, texts: Sequence[str]) -> list[Answer]:
    """Return the answers to a batch; one that is refused for good is sent text by text."""
    try:
        payload = {"input": list(texts), "model": model, "encoding_format": "float"}
        return list(_read(endpoint.post(payload, MOST_BYTES * (len(texts) + 1)), len(texts), endpoint.shown))
    except Refused as refused:
        if refused.final and len(texts) > 1:
            return [answer for text in texts for answer in _embedded(endpoint, model, [text])]
        return [endpoint.shown(str(refused))] * len(texts)


def _vectors(answers: Sequence[Answer]) -> DenseVectors:
    """Make a matrix of the vectors; those that do not fit in are failures."""
    lengths = Counter(len(answer) for answer in answers if isinstance(answer, list))
    width = max(lengths, key=lambda length: (lengths[length], -length), default=1)
    values = np.zeros((len(answers), max(width, 1)), dtype=np.float32)
    failures: dict[int, str] = {}
    for place, answer in enumerate(answers):
        if isinstance(answer, str):
            failures[place] = answer
        elif len(answer) != width or not width:
            failures[place] = f"the vector has {len(answer)} numbers where others have {width}"
        else:
            with np.errstate(over="ignore"):
                values[place] = answer
    return DenseVectors(values, failures)


def _read(body: bytes, count: int, shown: Shown = excerpt) -> list[list[float]]:
    """Return the vectors of an answer in the order of the ``count`` texts; Refused where it has others."""
    numbers, vectors = read(body, Http.path, _numbered, shown)
    return by_number(numbers, vectors, count, "vector", "text")


def _numbered(document: Any) -> tuple[list[int], list[list[float]]]:
    items: list[Mapping[str, Any]] = document["data"]
    # A vector without a number has that of its place.
    numbers = [place if item.get("index") is None else int(str(item["index"])) for place, item in enumerate(items)]
    return numbers, [_numbers(item["embedding"]) for item in items]


def _numbers(values: Sequence[float | None]) -> list[float]:
    """Return a vector's numbers; null, as some servers write NaN, becomes NaN."""
    if not isinstance(values, list) or len(values) > _MOST_NUMBERS:
        raise OtherFormError(Message("an embedding must be a list of at most {n} numbers", _MOST_NUMBERS))
    return [math.nan if value is None else float(value) for value in values]
