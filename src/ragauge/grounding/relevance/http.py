"""``http``: any server that reranks passages at ``/rerank``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

import numpy as np

from ragauge.core.messages import Message
from ragauge.core.options import BatchSize, Range, Text
from ragauge.core.ragged import FloatArray, Ragged
from ragauge.core.registry import Signed, ingredient
from ragauge.endpoints.endpoint import Endpoint, OtherFormError, Refused, Shown, by_number, read
from ragauge.endpoints.server import ADDRESS, MOST_BYTES, Server
from ragauge.errors import excerpt
from ragauge.grounding.support.cross_encoder import logistic

# Single precision gives probabilities a little above 1.
_ROUNDING = 1e-6

Query: TypeAlias = tuple[str, tuple[str, ...]]
"""A question and distinct passages."""
Answer: TypeAlias = list[float] | str
"""A number for each passage, or why there is none."""


@ingredient("relevance", "http")
@dataclass(frozen=True)
class HttpReranker(Server, Signed):
    """The probability that a reranker on a server gives: Cohere, Jina, vLLM, text-embeddings-inference and others.

    Each question is sent with the passages of its sample, each distinct one once. A request that is refused for now
    (429, 5xx, no answer in time) is sent again, as by the embedder ``http``. A sample fails where a request for it has
    no answer, or a wrong one: a score that is no finite number, or not one for each passage. Whether a server cuts long
    passages is its own affair and cannot be seen from here. A redirect to another server is not followed.

    ``scores=auto`` takes the scores of a sample as they are if all are from 0 to 1, else each passes the logistic
    function. A sample whose logits all happen to lie there is so taken for another scale: where it is known what the
    server gives, name it.

    Args:
        url: up to and without ``/rerank``, as in ``http://localhost:8000/v1``; it must hold no password or query,
            because signatures and saved runs show it.
        model: the model's name on the server.
        key: the environment variable that holds the API key; none by default, so that no server gets another's key.
        field: the name of the passages in a request; ``texts`` for text-embeddings-inference.
        scores: what the server gives. ``probability``: a sample with a score outside 0 to 1 fails. ``logit``: each
            score passes the logistic function. ``auto``: see above.
        batch: passages per request; a model that reads all passages together should get all of a sample at once.
        parallel: requests under way at once.
        timeout: seconds to wait for the whole answer.
        retries: how often a request is sent again.

    Raises:
        OptionError: url or model is not given, or an option has a value that it does not take.
        UsageError: the key is not set, or the server says that key, url or model are wrong (401, 403, 404).

    Source: the ``/rerank`` of Cohere, ``{"results": [{"index", "relevance_score"}]}``, which others have
    taken over, and that of text-embeddings-inference, ``[{"index", "score"}]``.
    """

    owner: ClassVar[str] = "relevance 'http'"
    path: ClassVar[str] = "/rerank"
    compared_by: ClassVar[str] = "reranker"

    url: Annotated[str, Text(ADDRESS)]
    model: Annotated[str, Text("the model's name on the server")]
    key: str = ""
    field: Literal["documents", "texts"] = "documents"
    scores: Literal["auto", "probability", "logit"] = "auto"
    batch: BatchSize = 32
    parallel: Annotated[int, Range(1, 256)] = 4
    timeout: Annotated[float, Range(0, 86_400, above=True)] = 60.0
    retries: Annotated[int, Range(0, 100)] = 5

    @property
    def decides(self) -> Mapping[str, str]:
        """The address, the model and the kind of scores; what the server has under that name is not known."""
        return {"model": self.model, "scores": self.scores, "url": self.url}

    def probabilities(self, questions: Ragged, passages: Ragged) -> FloatArray:
        """Return the probability of each passage, (m,); 0 for blank passages; see `ragauge.RelevanceModel`."""
        return self.answers(questions, passages)[0]

    def answers(self, questions: Ragged, passages: Ragged) -> tuple[FloatArray, Mapping[int, str]]:
        """Return `probabilities`, and why there are none, by sample."""
        places = _places(questions, passages)
        question = dict(zip(questions.rows.tolist(), questions.values.tolist(), strict=True))
        samples: dict[int, Query] = {row: (question[row], tuple(by_text)) for row, by_text in places.items()}
        answers = self._answers(list(dict.fromkeys(samples.values())))
        values, reasons = np.zeros(len(passages.values)), {}
        for row, by_text in places.items():
            answer = answers[samples[row]]
            if isinstance(answer, str):
                reasons[row] = answer
            for number, same in enumerate(by_text.values()):
                values[same] = math.nan if isinstance(answer, str) else answer[number]
        return values, reasons

    def _answers(self, queries: Sequence[Query]) -> dict[Query, Answer]:
        """Return the probabilities of the passages of each of ``queries``, in one or several requests."""
        requests = [
            (place, (question, texts[first : first + self.batch]))
            for place, (question, texts) in enumerate(queries)
            for first in range(0, len(texts), self.batch)
        ]
        with self.endpoint() as endpoint:
            ask = partial(_reranked, endpoint, self.model, self.field)
            answers = self.in_parallel(ask, [request for _, request in requests])
        joined: list[Answer] = [[] for _ in queries]
        for (place, _), answer in zip(requests, answers, strict=True):
            before = joined[place]
            if isinstance(before, list):
                joined[place] = answer if isinstance(answer, str) else before + answer
        return {query: self._probable(answer) for query, answer in zip(queries, joined, strict=True)}

    def _probable(self, answer: Answer) -> Answer:
        """Return scores of one sample as probabilities, or why they are none."""
        if isinstance(answer, str):
            return answer
        scores = np.array(answer)
        outside = (scores < -_ROUNDING) | (scores > 1 + _ROUNDING)
        if self.scores == "logit" or (self.scores == "auto" and outside.any()):
            with np.errstate(over="ignore"):
                return list(logistic(scores).tolist())
        if outside.any():
            return f"the server gave the score {scores[outside][0]:.6g}, no probability; for logits pass scores=logit"
        return list(scores.clip(0.0, 1.0).tolist())


def _places(questions: Ragged, passages: Ragged) -> dict[int, dict[str, list[int]]]:
    """Return where each distinct passage stands, by sample; without blank ones, and samples without a question."""
    asking, places = set(questions.rows.tolist()), dict[int, dict[str, list[int]]]()
    for place, (row, text) in enumerate(zip(passages.rows.tolist(), passages.values.tolist(), strict=True)):
        if row in asking and text.strip():
            places.setdefault(row, {}).setdefault(text, []).append(place)
    return places


def _reranked(endpoint: Endpoint, model: str, field: str, query: Query) -> Answer:
    """Return the scores of the passages of one request."""
    question, texts = query
    try:
        payload = {"model": model, "query": question, field: list(texts)}
        return _read(endpoint.post(payload, MOST_BYTES * (len(texts) + 1)), len(texts), endpoint.shown)
    except Refused as refused:
        return endpoint.shown(str(refused))


def _read(body: bytes, count: int, shown: Shown = excerpt) -> list[float]:
    """Return the scores of an answer in the order of the ``count`` passages; Refused where it has others."""
    numbers, scores = read(body, HttpReranker.path, _numbered, shown)
    return by_number(numbers, scores, count, "score", "passage")


def _numbered(content: Any) -> tuple[list[int], list[float]]:
    items: Sequence[Mapping[str, Any]] = content["results"] if isinstance(content, dict) else content
    numbers = [int(str(item["index"])) for item in items]
    return numbers, [_score(item["relevance_score" if "relevance_score" in item else "score"]) for item in items]


def _score(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise OtherFormError(Message("a score must be a finite number; got {value!r}", value))
    return float(value)
