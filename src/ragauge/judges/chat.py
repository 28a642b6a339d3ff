"""``chat``: any server that speaks OpenAI's ``/chat/completions``."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Lock
from time import monotonic
from typing import Annotated, Any, ClassVar, Literal

from ragauge.core.options import Range, Text
from ragauge.core.questions import Structured
from ragauge.core.registry import ingredient
from ragauge.embedders._base import Loading
from ragauge.embedders._endpoint import Endpoint, Refused
from ragauge.embedders._server import ADDRESS, Server
from ragauge.judges._base import JudgeBase, NoAnswer, Request
from ragauge.judges._structured import label_probabilities
from ragauge.judges.answers import Answer

# No reply to one question is longer.
_LONGEST = 1 << 22
_MOST_ALTERNATIVES = 20
_ORDER: tuple[Structured, ...] = ("json_schema", "json_object", "parsed")


@ingredient("judge", "chat")
@dataclass(frozen=True)
class Chat(Server, Loading, JudgeBase):
    """An LLM behind OpenAI's chat protocol: OpenAI, Azure, vLLM, Ollama, llama.cpp, a proxy and others.

    Args:
        url: up to and without ``/chat/completions``, as in ``http://localhost:11434/v1``; it must hold no password or
            query, because signatures and saved runs show it.
        model: the model's name on the server.
        key: the environment variable that holds the API key; by default none.
        temperature: of the sampling; 0 takes the most probable token each time.
        seed: of the sampling; repeats of a question count up from it.
        output: how the form of replies is held: ``json_schema`` or ``json_object`` by the server, ``parsed`` by reading
            the text. ``auto``: the first of these that the server takes.
        parallel: requests under way at once.
        timeout: seconds to wait for the whole answer.
        retries: how often a request is sent again where that may help.

    Raises:
        OptionError: url or model is not given, or a number is not allowed.
        UsageError: the key is not set, or the server says that key, url or model are wrong.
    """

    owner: ClassVar[str] = "judge 'chat'"
    path: ClassVar[str] = "/chat/completions"

    url: Annotated[str, Text(ADDRESS)]
    model: Annotated[str, Text("the model's name on the server")]
    key: str = ""
    temperature: Annotated[float, Range(0, 2)] = 0.0
    seed: int = 0
    output: Literal["auto", "json_schema", "json_object", "parsed"] = "auto"
    parallel: Annotated[int, Range(1, 1024)] = 64
    timeout: Annotated[float, Range(0, 86_400, above=True)] = 120.0
    retries: Annotated[int, Range(0, 100)] = 5

    @property
    def identity(self) -> Any:
        """Address, model and parameters."""
        return [self.endpoint_address, self.model, self.temperature, self.seed, self.output]

    @property
    def endpoint_address(self) -> str:
        """The whole address that is asked."""
        return self.url.rstrip("/").removesuffix(self.path) + self.path

    @property
    def decides(self) -> Mapping[str, str]:
        """Address, model and parameters; the form of replies is that which the server took, once it is known."""
        parts = {"temperature": f"{self.temperature:g}", "seed": str(self.seed), "output": self._form.shown}
        return {"model": self.model, **parts, "url": self.url}

    @cached_property
    def _form(self) -> _Form:
        return _Form(self.output)

    @cached_property
    def _endpoint(self) -> Endpoint:
        return self.endpoint()

    def structured(self, answer: Answer) -> None:
        """Take note of how the form of an answer was held."""
        self._form.use(answer.structured)

    def answer(self, request: Request) -> Answer:
        """Send one request and return its answer."""
        begun = monotonic()
        form = self._form
        while True:
            try:
                body = self._endpoint.post(self._payload(request, form.now), _LONGEST)
                break
            except Refused as refused:
                if not refused.final or not form.fall_back():
                    raise NoAnswer("no-answer", self._endpoint.shown(str(refused))) from None
        answer = read_answer(body, request)
        return replace(answer, structured=form.now, seconds=monotonic() - begun)

    def _payload(self, request: Request, form: Structured) -> dict[str, Any]:
        question = request.question
        payload: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": role, "content": text} for role, text in request.messages],
            "temperature": self.temperature,
            "seed": self.seed + question.repeat,
            "max_tokens": request.max_tokens,
        }
        if form == "json_schema":
            schema = {"name": "reply", "strict": True, "schema": question.schema}
            payload["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif form == "json_object":
            payload["response_format"] = {"type": "json_object"}
        if question.labels:
            payload |= {"logprobs": True, "top_logprobs": _MOST_ALTERNATIVES}
        return payload


class _Form:
    """How the form of replies is held, found out by the first request alone while all others wait."""

    def __init__(self, output: str) -> None:
        self._auto = output == "auto"
        self.now: Structured = _ORDER[0] if output == "auto" else output  # type: ignore[assignment]
        self._known = not self._auto
        self._lock = Lock()

    @property
    def shown(self) -> str:
        return self.now if self._known else "auto"

    def fall_back(self) -> bool:
        with self._lock:
            if self._known or self.now == _ORDER[-1]:
                return False
            self.now = _ORDER[_ORDER.index(self.now) + 1]
            return True

    def use(self, form: Structured) -> None:
        if self._auto:
            self.now, self._known = form, True


def read_answer(body: bytes, request: Request) -> Answer:
    """Return the answer in the body of a reply; NoAnswer where it holds none."""
    try:
        document: Any = json.loads(body)
        usage = document.get("usage") or {}
        tokens: dict[str, Any] = {
            f"{one}_tokens": _count(usage.get(f"{one}_tokens")) for one in ("prompt", "completion")
        }
        if not document.get("choices"):
            return Answer(text="", finish="empty", **tokens)
        choice = document["choices"][0]
        message = choice.get("message") or {}
        return Answer(
            text=_text(message.get("content")),
            finish=str(choice.get("finish_reason") or "stop"),
            refusal=_text(message.get("refusal")),
            labels=_labels(choice, request),
            **tokens,
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise NoAnswer("no-answer", f"the answer is not what /chat/completions gives: {error!r}") from None


def _labels(choice: Mapping[str, Any], request: Request) -> Mapping[str, float] | None:
    question = request.question
    tokens = (choice.get("logprobs") or {}).get("content")
    return label_probabilities(tokens, question.label, question.labels) if question.labels and tokens else None


def _text(content: Any) -> str:
    """Return the text of a message, which some servers send in parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content)
    return content if isinstance(content, str) else ""


def _count(value: Any) -> int:
    usable = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value >= 0
    return int(value) if usable else 0
