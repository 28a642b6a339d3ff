"""``chat``: any server that speaks OpenAI's ``/chat/completions``."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Annotated, Any, ClassVar, Literal
from urllib.parse import urlsplit

from ragauge.core.messages import Message
from ragauge.core.options import Range, Text, check
from ragauge.core.registry import ingredient
from ragauge.endpoints.endpoint import Endpoint, Refused, Shown, read
from ragauge.endpoints.server import ADDRESS, Server, can_be_sent
from ragauge.errors import UsageError, excerpt, worded
from ragauge.judges.base import JudgeBase, NoAnswer, Request
from ragauge.judges.client import Client, NotUnderstoodError, Rate
from ragauge.judges.dialect import Dialect, Negotiation
from ragauge.judges.reply import MOST_TOKENS, Answer, estimated_tokens
from ragauge.judges.structured import label_probabilities

_KEY = "RAGAUGE_JUDGE_API_KEY"
_OPENAI_KEY, _OPENAI = "OPENAI_API_KEY", "api.openai.com"
_MOST_ALTERNATIVES = 20
# Replies of fewer tokens are too short for any question, so a server that takes no more gets no further request.
_LEAST_TOKENS = 256
_VERSION = re.compile(r"[\w.-]*", re.ASCII)


@ingredient("judge", "chat")
@dataclass(frozen=True)
class Chat(Server, JudgeBase):
    """An LLM behind OpenAI's chat protocol: OpenAI, Azure, vLLM, Ollama, llama.cpp, a proxy and others.

    Temporary failures (429, 5xx, no answer) are retried: after the time that the server asks for, else after about
    0.5 s, 1 s, 2 s ...; a slow answer once. Parameters that a server does not know (``seed``, ``max_tokens``,
    ``response_format``) are left out or renamed; the signature says so. A redirect to another server is not followed.

    Args:
        url: the address without ``/chat/completions``, as in ``http://localhost:11434/v1``; without password and
            query, because signatures and saved runs show it.
        model: the model's name on the server.
        key: the environment variable that holds the API key. By default ``RAGAUGE_JUDGE_API_KEY``, if it is set, and
            for api.openai.com also ``OPENAI_API_KEY``.
        key_file: a file with the API key instead.
        temperature: of the sampling; 0 takes the most probable token each time.
        seed: of the sampling; repeats of a question count up from it.
        output: how replies get their form: by the server with ``json_schema`` or ``json_object``, or ``parsed`` from
            the text. ``auto``: the first of these that the server takes.
        parallel: requests under way at once.
        timeout: seconds to wait for the whole answer.
        retries: how often a request is sent again after a temporary failure.
        requests_per_minute: the most requests that are sent in a minute; 0: no limit.
        tokens_per_minute: the most tokens of questions and replies in a minute; 0: no limit.
        api_version: the version that addresses of Azure with a deployment need, as in ``2024-10-21``. The key is then
            sent in the header ``api-key``.

    Raises:
        OptionError: url or model is not given, or a number is not allowed.
        UsageError: the key is not set, or the server says that key, url or model are wrong (401, 403, 404).
    """

    owner: ClassVar[str] = "judge 'chat'"
    path: ClassVar[str] = "/chat/completions"

    url: Annotated[str, Text(ADDRESS)]
    model: Annotated[str, Text("the model's name on the server")]
    key: str = ""
    key_file: str = ""
    temperature: Annotated[float, Range(0, 2)] = 0.0
    seed: Annotated[int, Range(0, 2**31 - 1)] = 0
    output: Literal["auto", "json_schema", "json_object", "parsed"] = "auto"
    parallel: Annotated[int, Range(1, 1024)] = 64
    timeout: Annotated[float, Range(0, 86_400, above=True)] = 120.0
    retries: Annotated[int, Range(0, 100)] = 5
    requests_per_minute: Annotated[int, Range(0, 10**9)] = 0
    tokens_per_minute: Annotated[int, Range(0, 10**12)] = 0
    api_version: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        allowed = "a version of Azure's API, as in 2024-10-21"
        check(self, "api_version", allowed, holds=bool(_VERSION.fullmatch(self.api_version)))

    def endpoint(self) -> Endpoint:
        """Return the address that is asked; UsageError where there is no API key."""
        plain = super().endpoint()
        if not self.api_version:
            return plain
        return replace(plain, address=f"{plain.address}?api-version={self.api_version}", scheme="", header="api-key")

    @property
    def identity(self) -> Any:
        """Address, model and parameters."""
        address = self.url.rstrip("/").removesuffix(self.path) + self.path
        version = f"?api-version={self.api_version}" if self.api_version else ""
        return [address + version, self.model, self.temperature, self.seed, self.output]

    @property
    def decides(self) -> Mapping[str, str]:
        """Address, model and parameters; how the form of replies is held, once it is known."""
        parts = {"model": self.model, **self._client.negotiation.shown, "seed": str(self.seed)}
        version = {"api_version": self.api_version} if self.api_version else {}
        return {**version, **parts, "temperature": f"{self.temperature:g}", "url": self.url}

    @property
    def takes_seed(self) -> bool:
        """Whether no answer so far came without the seed, because the server refuses it."""
        return "seed" not in self._client.negotiation.shown.get("refused", "").split("/")

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

    @property
    def _client(self) -> Client:
        """The client that all threads share; made once, because setdefault is atomic."""
        client: Client | None = vars(self).get("_shared_client")
        if client is None:
            rate = Rate(self.requests_per_minute, self.tokens_per_minute)
            made = Client(self.endpoint, Negotiation(self.output), rate, self.retries)
            client = vars(self).setdefault("_shared_client", made)
        return client

    def begin(self) -> None:
        """Read the API key, so that an error comes before the first question."""
        self._client.begin()

    def end(self) -> None:
        """Close connections that are open, where no other thread uses them."""
        self._client.end()

    def note(self, answer: Answer) -> None:
        """Note how the form of an answer was held."""
        self._client.negotiation.note(answer.structured, answer.refused)

    def answer(self, request: Request) -> Answer:
        """Send one request, again where that may help, and return its answer."""
        client = self._client
        labels = bool(request.question.labels)
        with client.negotiation.turn(request.pause, labels=labels):
            dialect = client.negotiation.dialect
            while True:
                begun, tokens = monotonic(), estimated_tokens(request.messages) + request.max_tokens
                write = partial(Dialect.payload, values=self._values(request), schema=request.question.schema)
                try:
                    body = client.post(write(dialect), request, tokens)
                    answer = read_answer(body, request, client.endpoint.shown)
                    break
                except NotUnderstoodError as refused:
                    if refused.too_much and request.max_tokens >= 2 * _LEAST_TOKENS:
                        request = replace(request, max_tokens=request.max_tokens // 2)
                        continue
                    other = client.negotiation.below(dialect, refused.complaint, refused.status, write, labels=labels)
                    if other is None:
                        # After some that no dialect helps nothing else is asked, where none was answered.
                        alone = None if client.negotiation.known else False
                        raise NoAnswer(f"http-{refused.status}", refused.why, alone=alone) from None
                    dialect = other
            client.negotiation.settle(dialect, labels=labels)
        masked = client.endpoint.masked
        shown: dict[str, Any] = {name: masked(getattr(answer, name)) for name in ("text", "refusal", "finish")}
        answer = replace(answer, **shown).counted(request.messages, request.max_tokens)
        client.rate.answered(answer.prompt_tokens + answer.completion_tokens - tokens)
        return replace(answer, structured=dialect.structured, refused=dialect.refused, seconds=monotonic() - begun)

    def _values(self, request: Request) -> dict[str, Any]:
        values: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": role, "content": text} for role, text in request.messages],
            "temperature": self.temperature,
            "seed": self.seed + request.question.repeat,
            "max_tokens": request.max_tokens,
        }
        return values | ({"logprobs": True, "top_logprobs": _MOST_ALTERNATIVES} if request.question.labels else {})


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


def read_answer(body: bytes, request: Request, shown: Shown = excerpt) -> Answer:
    """Return the answer in the body of a reply; NoAnswer where it holds none; ``shown`` returns an excerpt of it."""
    try:
        return read(body, Chat.path, partial(_answer, request), shown)
    except Refused as refused:
        raise NoAnswer("no-answer", refused.why, alone=True) from None


def _answer(request: Request, document: Any) -> Answer:
    usage = document.get("usage") or {}
    tokens: dict[str, Any] = {f"{one}_tokens": _count(usage.get(f"{one}_tokens")) for one in ("prompt", "completion")}
    if not document.get("choices"):
        return Answer(text="", finish="empty", **tokens)
    choice = document["choices"][0]
    message = choice.get("message") or {}
    finish = str(choice.get("finish_reason") or "stop")
    return Answer(
        text=_written(message, finish),
        finish=finish,
        refusal=_text(message.get("refusal")),
        labels=_labels(choice, request),
        **tokens,
    )


def _labels(choice: Mapping[str, Any], request: Request) -> Mapping[str, float] | None:
    question = request.question
    tokens = (choice.get("logprobs") or {}).get("content")
    return label_probabilities(tokens, question.label, question.labels) if question.labels and tokens else None


def _written(message: Mapping[str, Any], finish: str) -> str:
    """Return the text of a message: its content, else arguments of a call, else, of one that ended, its thoughts."""
    calls = message.get("tool_calls") or [{"function": message.get("function_call")}]
    arguments = (calls[0].get("function") or {}).get("arguments") or ""
    called = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    thoughts = message.get("reasoning_content") or message.get("reasoning") if finish == "stop" else ""
    texts = (_text(message.get("content")), called, _text(thoughts))
    return next((text for text in texts if text.strip()), "")


def _text(content: Any) -> str:
    """Return the text of a message, which some servers send in parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content)
    return content if isinstance(content, str) else ""


def _count(value: Any) -> int:
    usable = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < MOST_TOKENS
    return int(value) if usable else 0
