"""``http``: any server that speaks OpenAI's ``/embeddings``."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from ragauge.embedders._base import EmbedderBase
from ragauge.embedders._dense import DenseVectors
from ragauge.embedders._endpoint import Endpoint, Refused
from ragauge.errors import OptionError, UsageError
from ragauge.ingredients import Role
from ragauge.registry import ingredient

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

    url: str = ""
    model: str = ""
    key: str = ""
    batch: int = 64
    parallel: int = 4
    timeout: float = 60.0
    retries: int = 5
    query: str = ""
    passage: str = ""

    def __post_init__(self) -> None:
        if not self.url.startswith(("http://", "https://")):
            raise OptionError.value("embedder 'http'", "url", "an address such as http://localhost:11434/v1", self.url)
        if not self.model:
            raise OptionError.value("embedder 'http'", "model", "the model's name on the server", self.model)
        for option, least in (("batch", 1), ("parallel", 1), ("retries", 0)):
            if getattr(self, option) < least:
                raise OptionError.value("embedder 'http'", option, f"at least {least}", getattr(self, option))
        if not self.timeout > 0:
            raise OptionError.value("embedder 'http'", "timeout", "more than 0 seconds", self.timeout)

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
