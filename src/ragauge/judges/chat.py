"""``chat``: any server that speaks a protocol of chat."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from time import monotonic
from typing import Annotated, Any, ClassVar, Literal

from ragauge.core.ingredients import Structured
from ragauge.core.lazy import lazy_pattern
from ragauge.core.options import Range, check
from ragauge.core.registry import ingredient
from ragauge.endpoints.endpoint import Endpoint, Refused, Shown, read
from ragauge.errors import excerpt
from ragauge.judges.batch_servers import BatchOutcome, BatchServer, batch_server
from ragauge.judges.client import NotUnderstoodError
from ragauge.judges.dialect import Dialect, Negotiation
from ragauge.judges.reply import Answer, estimated_tokens, token_count
from ragauge.judges.request import NoAnswer, Request
from ragauge.judges.served import ServedJudge
from ragauge.judges.structured import label_probabilities
from ragauge.judges.wires import OPENAI, Wire, wire_of

_OMITTED = frozenset({"seed", "temperature", "logprobs"})
"""Fields that a file of extra fields leaves out of what is negotiated."""
_MOST_ALTERNATIVES = 20
# Replies of fewer tokens are too short for any question, so a server that takes no more gets no further request.
_LEAST_TOKENS = 256
# The last is that of a fence around it.
_ENDS_OF_JSON = ("}", "]", "```")
_VERSION = lazy_pattern(r"[\w.-]*", re.ASCII)


@ingredient("judge", "chat")
@dataclass(frozen=True)
class Chat(ServedJudge):
    """An LLM behind a chat protocol: that of OpenAI (Azure, vLLM, llama.cpp, a proxy ...), of Ollama or of Anthropic.

    Temporary failures (429, 5xx, no answer) are retried: after the time that the server asks for, else after about
    0.5 s, 1 s, 2 s ...; a slow answer once. Parameters that a server does not know (``seed``, ``max_tokens``,
    ``response_format``) are left out or renamed; the signature says so. A redirect to another server is not followed.

    Args:
        url: the address without ``/chat/completions``, as in ``http://localhost:11434/v1``; one that ends in
            ``/api/chat`` or ``/v1/messages`` is asked as Ollama or Anthropic want it. Without password and query,
            because signatures and saved runs show it.
        model: the model's name on the server.
        key: the environment variable that holds the API key. By default ``RAGAUGE_JUDGE_API_KEY``, if it is set, and
            for api.openai.com also ``OPENAI_API_KEY``.
        key_file: a file with the API key instead.
        extra: a file in JSON with fields that the body of each request has besides, null for one that is left out,
            and headers: ``{"body": {"seed": null}, "headers": {"X-Team": "${TEAM}"}}``; ``${TEAM}`` is an environment
            variable.
        parallel: requests under way at once.
        timeout: seconds to wait for the whole answer.
        retries: how often a request is sent again after a temporary failure.
        requests_per_minute: the most requests that are sent in a minute; 0: no limit.
        tokens_per_minute: the most tokens of questions and replies in a minute; 0: no limit.
        temperature: of the sampling; 0 takes the most probable token each time.
        seed: of the sampling; repeats of a question count up from it.
        output: how replies get their form: by the server with ``json_schema`` or ``json_object``, or ``parsed`` from
            the text. ``auto``: the first of these that the server takes.
        api_version: the version that addresses of Azure with a deployment need, as in ``2024-10-21``. The key is then
            sent in the header ``api-key``.

    Raises:
        OptionError: url or model is not given, or a number is not allowed.
        UsageError: the key is not set, or the server says that key, url or model are wrong (401, 403, 404).
    """

    owner: ClassVar[str] = "judge 'chat'"

    temperature: Annotated[float, Range(0, 2)] = 0.0
    seed: Annotated[int, Range(0, 2**31 - 1)] = 0
    output: Literal["auto", "json_schema", "json_object", "parsed"] = "auto"
    api_version: str = ""

    @property
    def path(self) -> str:  # type: ignore[override]  # of the class where it has one protocol
        """The end of the address."""
        return self.wire.path

    @cached_property
    def wire(self) -> Wire:
        """The protocol."""
        return wire_of(self.url)

    def __post_init__(self) -> None:
        super().__post_init__()
        allowed = "a version of Azure's API, as in 2024-10-21"
        check(self, "api_version", allowed, holds=bool(_VERSION.fullmatch(self.api_version)))
        _ = self.added

    def endpoint(self) -> Endpoint:
        """Return the address that is asked; UsageError where there is no API key."""
        plain = super().endpoint()
        if not self.api_version:
            known = tuple(self.wire.headers.items())
            return replace(plain, known_headers=known, scheme=self.wire.scheme, header=self.wire.key_header)
        return replace(plain, address=f"{plain.address}?api-version={self.api_version}", scheme="", header="api-key")

    @property
    def identity(self) -> Any:
        """Address, model and parameters."""
        address = self.url.rstrip("/").removesuffix(self.path) + self.path
        version = f"?api-version={self.api_version}" if self.api_version else ""
        added = [dict(self.added.body)] if self.added.body else []
        return [address + version, self.model, self.temperature, self.seed, self.output, *added]

    @property
    def decides(self) -> Mapping[str, str]:
        """Address, model and parameters; how the form of replies is held, once it is known."""
        parts = {"model": self.model, **self._client.negotiation.shown, "seed": str(self.seed)}
        version = {"api_version": self.api_version} if self.api_version else {}
        version |= {"extra": self.added.digest} if self.added.digest else {}
        return {**version, **parts, "temperature": f"{self.temperature:g}", "url": self.url}

    @property
    def takes_seed(self) -> bool:
        """Whether no answer so far came without the seed, because the server refuses it."""
        return "seed" not in self._client.negotiation.shown.get("refused", "").split("/")

    def negotiation(self) -> Negotiation:
        """Return what finds out which requests the server takes."""
        return Negotiation(self.output, self.wire.lacks | self.added.without & _OMITTED)

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
                write = partial(self._written, request)
                try:
                    body = client.post(write(dialect), request, tokens)
                    answer = read_answer(body, request, client.endpoint.shown, self.wire)
                    break
                except NotUnderstoodError as refused:
                    if refused.too_much and request.max_tokens >= 2 * _LEAST_TOKENS:
                        request = replace(request, max_tokens=request.max_tokens // 2)
                        continue
                    other = client.negotiation.below(dialect, refused.complaint, refused.status, write, labels=labels)
                    if other is None:
                        if refused.wrong and not client.negotiation.known:
                            raise refused.wrong from None
                        # After some that no dialect helps nothing else is asked, where none was answered.
                        alone = None if client.negotiation.known else False
                        raise NoAnswer(f"http-{refused.status}", refused.why, alone=alone) from None
                    dialect = other
            client.negotiation.settle(dialect, labels=labels)
        answer = self._masked(answer).counted(request.messages, request.max_tokens)
        client.rate.answered(answer.prompt_tokens + answer.completion_tokens - tokens)
        return replace(answer, structured=dialect.structured, refused=dialect.refused, seconds=monotonic() - begun)

    def _masked(self, answer: Answer) -> Answer:
        masked = self._client.endpoint.masked_reply
        shown: dict[str, Any] = {name: masked(getattr(answer, name)) for name in ("text", "refusal", "finish")}
        return replace(answer, **shown)

    def batch_server(self) -> BatchServer | None:
        """Return the server of batches behind its address; None where its protocol has none."""
        return None if self.api_version else batch_server(self.path, self.endpoint())

    def batched(self, request: Request) -> dict[str, Any] | None:
        """Return the body of a request in a batch; None as long as no answer has shown how the server wants it."""
        negotiation = self._client.negotiation
        known = negotiation.knows(labels=bool(request.question.labels))
        return self._written(request, negotiation.dialect) if known else None

    @property
    def form_of_batches(self) -> tuple[Structured, str]:
        """How the form of replies is held, and which parameters are left out."""
        dialect = self._client.negotiation.dialect
        return dialect.structured, dialect.refused

    def of_batch(self, outcome: BatchOutcome, request: Request, form: tuple[Structured, str], seconds: float) -> Answer:
        """Return the answer that a batch brought to a request; NoAnswer where it brought none."""
        client = self._client
        if outcome.code:
            raise NoAnswer(outcome.code, client.endpoint.shown(outcome.words), alone=True)
        body = outcome.body if outcome.status < 300 else client.filtered(outcome.status, outcome.body)
        answer = self._masked(read_answer(body, request, client.endpoint.shown, self.wire))
        answer = answer.counted(request.messages, request.max_tokens)
        return replace(answer, structured=form[0], refused=form[1], seconds=seconds)

    def _written(self, request: Request, dialect: Dialect) -> dict[str, Any]:
        payload = dialect.payload(self._values(request), request.question.schema)
        return self.added.added(self.wire.written(payload))

    def _values(self, request: Request) -> dict[str, Any]:
        values: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": role, "content": text} for role, text in request.messages],
            "temperature": self.temperature,
            "seed": self.seed + request.question.repeat,
            "max_tokens": request.max_tokens,
        }
        return values | ({"logprobs": True, "top_logprobs": _MOST_ALTERNATIVES} if request.question.labels else {})


def read_answer(body: bytes, request: Request, shown: Shown = excerpt, wire: Wire = OPENAI) -> Answer:
    """Return the answer in the body of a reply; NoAnswer where it holds none; ``shown`` returns an excerpt of it."""
    try:
        return read(body, wire.path, lambda document: _answer(request, wire.read(document)), shown)
    except Refused as refused:
        raise NoAnswer("no-answer", refused.why, alone=True) from None


def _answer(request: Request, document: Any) -> Answer:
    usage = document.get("usage") or {}
    tokens: dict[str, Any] = {
        f"{one}_tokens": token_count(usage.get(f"{one}_tokens")) for one in ("prompt", "completion")
    }
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
    """Return the text of a message: its content, else arguments of a call, else thoughts that end in a reply.

    JSON with words behind it is a draft.
    """
    calls = message.get("tool_calls") or [{"function": message.get("function_call")}]
    arguments = (calls[0].get("function") or {}).get("arguments") or ""
    called = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    thoughts = _text(message.get("reasoning_content") or message.get("reasoning")) if finish == "stop" else ""
    texts = (_text(message.get("content")), called, thoughts if thoughts.rstrip().endswith(_ENDS_OF_JSON) else "")
    return next((text for text in texts if text.strip()), "")


def _text(content: Any) -> str:
    """Return the text of a message, which some servers send in parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content)
    return content if isinstance(content, str) else ""
