"""``decisions``: a decision model behind a server, which answers typed questions with probabilities."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import monotonic
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from ragauge.core.messages import Message
from ragauge.core.options import Range
from ragauge.core.registry import ingredient
from ragauge.endpoints.endpoint import Refused, Shown, WrongEndpointError, read
from ragauge.errors import UsageError, excerpt
from ragauge.judges.client import Client, NotUnderstoodError, Rate
from ragauge.judges.dialect import Negotiation
from ragauge.judges.reply import Answer, estimated_tokens, token_count
from ragauge.judges.request import NoAnswer, Request
from ragauge.judges.served import ServedJudge
from ragauge.judges.typed import ONE_EACH, OtherProbabilitiesError, Typed, of_messages, options_of, shares_of

Protocol: TypeAlias = Literal["decisions", "systemone"]
PROTOCOLS: tuple[Protocol, ...] = ("decisions", "systemone")
"""Each is the end of its address too."""
# A server without the address of one protocol may have that of the other.
_NOT_THERE = (404, 405, 501)


@ingredient("judge", "decisions")
@dataclass(frozen=True)
class Decisions(ServedJudge):
    """A decision model: it reads a text once, and gives the probability of each answer to typed questions about it.

    It writes no text, so nothing has to be parsed or asked for again. Its protocol is OpenAI's ``/decisions`` or System
    One's ``/systemone`` (TypeSafe, llama.cpp, Ollama, vLLM, SGLang, OpenRouter and others). A probability that is
    missing, no number from 0 to 1, or of something else fails its own request.

    Args:
        url: the address with or without ``/decisions`` or ``/systemone``, as in ``https://api.openai.com/v1``; without
            password and query, because signatures and saved runs show it.
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
        tokens_per_minute: the most tokens of questions in a minute; 0: no limit.
        protocol: ``decisions`` or ``systemone``; ``auto``: that of the address's end, else the first of these that the
            server has.
        questions: the most questions of one request; more of one sample are several requests.

    Raises:
        OptionError: url or model is not given, or a number is not allowed.
        UsageError: the key is not set, or the server says that key, url or model are wrong (401, 403, 404).
    """

    owner: ClassVar[str] = "judge 'decisions'"
    asks_again: ClassVar[int] = 0

    protocol: Literal["auto", "decisions", "systemone"] = "auto"
    questions: Annotated[int, Range(1, 2000)] = 200

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.added

    @property
    def questions_at_once(self) -> int:  # type: ignore[override]  # of the class where it writes text
        """The most typed questions of one request."""
        return self.questions

    @property
    def _base(self) -> str:
        """The address without the end that names a protocol."""
        address = self.url.rstrip("/")
        return next((address.removesuffix(f"/{one}") for one in PROTOCOLS if address.endswith(f"/{one}")), address)

    @property
    def _given(self) -> Protocol | None:
        """The protocol that the options name; None where the first reply finds it out."""
        if self.protocol != "auto":
            return self.protocol
        return next((one for one in PROTOCOLS if self.url.rstrip("/").endswith(f"/{one}")), None)

    @property
    def _spoken(self) -> Protocol | None:
        found: Protocol | None = vars(self).get("_found")
        return self._given or found

    @property
    def speaks(self) -> str:
        """The protocol that the first reply has shown; empty where the options name one, or nothing was asked."""
        return "" if self._given else self._spoken or ""

    @property
    def identity(self) -> Any:
        """Address, model and what is added to requests."""
        added = [dict(self.added.body)] if self.added.body else []
        return ["decisions", self._base, self._given, self.model, *added]

    @property
    def decides(self) -> Mapping[str, str]:
        """Address, model, and the protocol, once it is known."""
        extra = {"extra": self.added.digest} if self.added.digest else {}
        return {**extra, "model": self.model, "protocol": self._spoken or "auto", "url": self._base}

    @property
    def takes_seed(self) -> bool:
        """Never: repeats are equal requests."""
        return False

    def note(self, answer: Answer) -> None:
        """Note in which protocol an answer was given: a run from the cache has the signature of the first run."""
        if answer.protocol in PROTOCOLS:
            vars(self).setdefault("_found", answer.protocol)

    def answer(self, request: Request) -> Answer:
        """Send one request with typed questions, and return their probabilities as JSON."""
        try:
            state, asked = of_messages(request.messages)
        except ValueError:
            template = "RG-JUDGE-030 {owner} gives probabilities and writes no text; ask a judge of another kind"
            raise UsageError(template, self.owner) from None
        begun, tokens = monotonic(), estimated_tokens(request.messages)
        with self._client.negotiation.turn(request.pause, labels=False):
            body, protocol = self._posted(request, state, asked, tokens)
        client = self._clients[protocol]
        shown = client.endpoint.shown
        answer = read_decisions(body, asked, protocol, shown)
        refusal = client.endpoint.masked_reply(answer.refusal)
        answer = replace(answer, refusal=refusal, protocol=protocol).counted(request.messages, 0)
        client.rate.answered(answer.prompt_tokens - tokens)
        return replace(answer, seconds=monotonic() - begun)

    def _posted(self, request: Request, state: str, asked: Sequence[Typed], tokens: int) -> tuple[bytes, Protocol]:
        """Return the body of the answer, and the protocol in which it was given."""
        # A cached answer may be of another day, so the other is tried too.
        known = self._spoken if self._given or self._client.negotiation.known else None
        tried: list[Protocol] = [known] if known else sorted(PROTOCOLS, key=lambda one: one != self._spoken)
        for place, protocol in enumerate(tried):
            client = self._clients[protocol]
            try:
                body = client.post(self.added.added(_written(protocol, self.model, state, asked)), request, tokens)
            except (NotUnderstoodError, WrongEndpointError, NoAnswer) as error:
                if _status(error) in _NOT_THERE and place + 1 < len(tried):
                    continue
                if isinstance(error, NotUnderstoodError):
                    alone = None if client.negotiation.known else False
                    raise NoAnswer(f"http-{error.status}", error.why, alone=alone) from None
                raise
            vars(self)["_found"] = protocol
            client.negotiation.settle(client.negotiation.dialect, labels=False)
            return body, protocol
        raise AssertionError

    @property
    def _clients(self) -> dict[Protocol, Client]:
        """The clients of both protocols, which share their limits; made once, because setdefault is atomic."""
        clients: dict[Protocol, Client] | None = vars(self).get("_shared_clients")
        if clients is None:
            rate, negotiation = Rate(self.requests_per_minute, self.tokens_per_minute), Negotiation("parsed")
            made = {one: Client(partial(self._at, one), negotiation, rate, self.retries) for one in PROTOCOLS}
            clients = vars(self).setdefault("_shared_clients", made)
        return clients

    def _at(self, protocol: Protocol) -> Any:
        return replace(self.endpoint(), address=f"{self._base}/{protocol}")

    @property
    def path(self) -> str:  # type: ignore[override]  # of the class where it has one protocol
        """The end of the address."""
        return f"/{self._spoken or PROTOCOLS[0]}"

    @property
    def _client(self) -> Client:
        return self._clients[self._spoken or PROTOCOLS[0]]

    def begin(self) -> None:
        """Read the API key, so that an error comes before the first question."""
        for client in self._clients.values():
            client.begin()

    def end(self) -> None:
        """Close connections that are open, where no other thread uses them."""
        for client in self._clients.values():
            client.end()


def read_decisions(body: bytes, asked: Sequence[Typed], protocol: Protocol, shown: Shown = excerpt) -> Answer:
    """Return the answer in the body of a reply; NoAnswer where it holds no probabilities of what was ``asked``."""
    try:
        return read(body, f"/{protocol}", partial(_answer, asked, protocol), shown)
    except Refused as refused:
        raise NoAnswer("malformed", refused.why, paid=True) from None
    except OtherProbabilitiesError as other:
        words = shown(other.message)
        raise NoAnswer("malformed", other.message if words == other.message else words, paid=True) from None


def _status(error: Exception) -> int | None:
    code = error.code.removeprefix("http-") if isinstance(error, NoAnswer) else ""
    return int(code) if code.isdigit() else getattr(error, "status", None)


def _written(protocol: Protocol, model: str, state: str, asked: Sequence[Typed]) -> dict[str, Any]:
    named = {f"q{number}": one for number, one in enumerate(asked, 1)}
    if protocol == "decisions":
        return {"model": model, "input": state, "questions": [{**one, "name": name} for name, one in named.items()]}
    return {"model": model, "state": state, "questions": {name: _of_system_one(one) for name, one in named.items()}}


def _of_system_one(asked: Typed) -> dict[str, Any]:
    kind, instructions = asked["type"], asked["instructions"]
    if kind == "predicate":
        return {"type": "noul", "instructions": instructions}
    if kind == "choice":
        criteria: Any = {one["value"]: one.get("description") for one in asked["choices"]}
    else:
        criteria = [": ".join(filter(None, [one["label"], one.get("description")])) for one in asked["levels"]]
    return {"type": kind, "instructions": instructions, "criteria": criteria}


def _answer(asked: Sequence[Typed], protocol: Protocol, document: Any) -> Answer:
    usage = document.get("usage") or {}
    tokens = token_count(usage.get("input_tokens", usage.get("prompt_tokens")))
    answers = _in_order(len(asked), document["answers"])
    refused = next((number for number, one in enumerate(answers, 1) if one.get("type") == "refusal"), None)
    if refused is not None:
        words = answers[refused - 1].get("refusal") or answers[refused - 1].get("reason") or ""
        return Answer(
            text="",
            refusal=Message("question {number} {words}", refused, excerpt(str(words))).strip(),
            prompt_tokens=tokens,
        )
    given = [_given_in(one, of_question, protocol) for one, of_question in zip(answers, asked, strict=True)]
    text = json.dumps({"probabilities": shares_of(asked, given)})
    return Answer(text=text, prompt_tokens=tokens)


def _in_order(count: int, answers: Any) -> list[Any]:
    """Return the answers in the order of the questions; OtherProbabilitiesError unless there is one for each."""
    names = [f"q{number}" for number in range(1, count + 1)]
    if isinstance(answers, Mapping):
        named = dict(answers)
    else:
        given = [one.get("name") for one in answers]
        # An answer without a name is that of its place.
        named = dict(zip(names if given == [None] * count else given, answers, strict=True))
        if len(named) < len(answers):
            raise OtherProbabilitiesError("RG-JUDGE-084 an answer comes twice")
    if sorted(map(str, named)) != sorted(names):
        lacking = next((name for name in names if name not in named), None)
        if lacking is None:
            raise OtherProbabilitiesError(ONE_EACH, count, len(named))
        template = "RG-JUDGE-079 there must be one answer for each of {count} questions; {name} has none"
        raise OtherProbabilitiesError(template, count, lacking)
    return [named[name] for name in names]


def _given_in(answer: Any, asked: Typed, protocol: Protocol) -> Any:
    if asked["type"] == "predicate":
        return answer["probability" if protocol == "decisions" else "noul"]
    given = answer["probabilities"]
    if isinstance(given, Mapping) or not all(isinstance(one, Mapping) for one in given):
        return given
    names = [one.get("label", one.get("value")) for one in given]
    if len(names) != len(options_of(asked)):
        return [one["probability"] for one in given]
    return {str(name): one["probability"] for name, one in zip(names, given, strict=True)}
