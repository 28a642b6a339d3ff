"""A system behind an address: each question is one request, and its reply, in JSON or as a stream, is the output."""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from shlex import quote
from typing import Annotated, Any, ClassVar

from ragauge.core.lazy import lazy_pattern
from ragauge.core.messages import Message
from ragauge.core.options import Range, check, checked
from ragauge.endpoints.connections import HttpAnswer
from ragauge.endpoints.endpoint import Empty, Endpoint, Refused, WrongEndpointError
from ragauge.endpoints.models import only_model
from ragauge.endpoints.server import ADDRESS, api_key, can_be_sent, is_plain_address
from ragauge.errors import UsageError, reason_of
from ragauge.formats.opening import LONGEST
from ragauge.systems.calling import LeftCallError
from ragauge.systems.inputs import NAMES
from ragauge.systems.objects import BadOutputError, plain
from ragauge.systems.replies import STREAMS, kind_of_body, streamed, written_stream
from ragauge.systems.services import DIFY, Service, is_of_dify, service_at

KEY = "RAGAUGE_SYSTEM_API_KEY"
"""The environment variable with the key that is sent, where it is set and no other is named."""
_QUESTION, _MESSAGES = "{question}", "{messages}"
_CHAT = "/chat/completions"
_CHAT_HINT = "; if the server speaks OpenAI's chat protocol, name its model: --system-model NAME, or model= in Python"
_EMPTY_HINT = "; if the answer is in another form or place, ask by a function: --system app.py:ask"
_PAGE_HINT = "; give the address that answers with JSON; where that wants a login: --system-headers FILE, or headers="
_LINE = lazy_pattern(r"([!#$%&'*+.^_`|~\w-]+)\s*:\s*(.+)", re.ASCII)
_VERSION = lazy_pattern(r"/v\d\w*(?:/openai)?$", re.ASCII)
"""The end of addresses at which servers speak OpenAI's protocol."""
_VARIABLE = lazy_pattern(r"\$\{(\w+)\}", re.ASCII)
_PLACE = lazy_pattern(r"\{([^\W\d](?:[^\x00-\x7f]|[\w -])*)\}")
"""A name in braces; vowel signs of Hindi and Thai are no letters of a word to Python."""
_HINTS = {
    400: "; if it wants other fields than the question, write them, as in "
    """--system-body '{"query": "{question}"}', or body= in Python""",
    405: "; questions are sent by POST: give the address that takes it, or --system app.py:ask, a function that asks",
    415: "; questions are sent as JSON: for a server that takes another form give --system app.py:ask, a function that "
    "asks",
    429: "; ask it more slowly, as in --rate 30/min, or rate= in Python",
    401: f"; it wants a key: set {KEY}, or give headers: --system-headers FILE, or headers= in Python",
}
_HINTS |= {403: _HINTS[401], 422: _HINTS[400]}
"""What may help against a status."""


@checked("system 'http'")
@dataclass(frozen=True, kw_only=True)
class HttpSystem:
    """A system that answers over HTTP: each question is one POST with JSON.

    The reply is read as what a function returns; nested replies are searched for the answer, the passages and the
    tokens, and ``map`` names their places, as in ``{"answer": "data.text"}``. Of a stream (server-sent events, lines of
    JSON) the pieces of the answer are joined, the other fields of its events are those of the reply, and the column
    ``time_to_first_token`` has the seconds to the first piece that is not empty. Redirects to another server are not
    followed, and headers and key are shown in no message.

    Args:
        url: the address, without password and query; with ``model`` it may lack ``/chat/completions``.
        body: JSON with ``{question}`` in one of its texts, and ``{NAME}`` for a column of the questions; by default
            ``{"question": "{question}"}``, with ``model`` the message of a chat, and what Dify and FastGPT want where
            the address ends as theirs (``/chat-messages``, ``/api/v1/chat/completions``). In a conversation
            ``"{messages}"`` is the list of all messages so far, and ``"{history}"`` that without the question.
        model: the model of a server that speaks OpenAI's chat protocol.
        headers: a file with a header on each line, ``Name: value``, in which ``${NAME}`` is an environment variable.
        key: the environment variable with the API key, sent as ``Authorization: Bearer``; by default
            ``RAGAUGE_SYSTEM_API_KEY``, where it is set.
        timeout: seconds to wait for the whole reply.
        pieces: the path of the pieces in the events of a stream; by default where most events have a text.

    Raises:
        OptionError: an option is wrong.
        UsageError: the file of headers or a variable is not there.
    """

    owner: ClassVar[str] = "system 'http'"

    url: str
    body: str = ""
    model: str = ""
    headers: str = ""
    key: str = ""
    timeout: Annotated[float, Range(0, 86_400, above=True)] = 600.0
    pieces: str = ""

    def __post_init__(self) -> None:
        check(self, "url", ADDRESS, holds=is_plain_address(self.url))
        example = 'JSON with {question} in a text, as in {"question": "{question}"}'
        written = json.dumps(self._template)
        check(self, "body", example, holds=_QUESTION in written or _MESSAGES in written)

    @property
    def name(self) -> str:
        """The address, and a digest of the body where that is given: another body is another system."""
        body = f" body {sha256(json.dumps(self._template).encode()).hexdigest()[:8]}" if self.body or self.model else ""
        return f"{self.address}{body}"

    @property
    def address(self) -> str:
        """The address that is asked."""
        return self.url.rstrip("/").removesuffix(_CHAT) + _CHAT if self.model else self.url

    @property
    def places(self) -> tuple[str, ...]:
        """The names in braces in the texts of the body, but for the question: columns fill them.

        One with spaces may be no column and mean itself.
        """
        return tuple(dict.fromkeys(name for name in _places(self._template) if name != "question"))

    def in_conversation(self) -> HttpSystem:
        """Return the system that gets all messages of a conversation, where it speaks a protocol that has them."""
        template = self._template
        if self.body or "messages" not in template:
            return self
        return replace(self, body=json.dumps({**template, "messages": _MESSAGES}))

    def with_model(self) -> HttpSystem:
        """Return the system with the only model of its server, where none is named and that speaks OpenAI's protocol.

        UsageError where the server has several models.
        """
        is_open = not (self.body or self.model) and self._service is None
        path = self.url.rstrip("/")
        if not is_open or not (path.endswith(_CHAT) or _VERSION.search(path)):
            return self
        line = f"--system {quote(self.url)} --system-model"
        say = logging.getLogger("ragauge").warning
        model = only_model(self.endpoint, lambda name: f"{line} {quote(name)}, or model= in Python", say)
        return replace(self, model=model) if model else self

    @cached_property
    def _service(self) -> Service | None:
        """The service at the address, where nothing else says what it is sent."""
        return None if self.body or self.model else service_at(self.url)

    def say_what_is_sent(self) -> None:
        """Log what a service that was known by its address is sent."""
        if self._service is not None:
            written = json.dumps(self._service.body, ensure_ascii=False)
            template = "the address is one of %s: it is sent %s; another body: --system-body, or body= in Python"
            logging.getLogger("ragauge").warning(template, self._service.name, written)

    @cached_property
    def _template(self) -> Any:
        if self.body:
            try:
                return json.loads(self.body)
            except (ValueError, RecursionError):
                return None
        if self.model:
            return {"model": self.model, "messages": [{"role": "user", "content": _QUESTION}]}
        return {"question": _QUESTION} if self._service is None else self._service.body

    @cached_property
    def endpoint(self) -> Endpoint:
        """The address with its headers; UsageError where a header or the key is not there."""
        key = self.key or (KEY if os.environ.get(KEY, "").strip() else "")
        secret = api_key(key, self.owner) if key else None
        headers = tuple(_headers(Path(self.headers))) if self.headers else ()
        settings = "url, headers and key"
        return Endpoint(self.address, secret, self.timeout, 0, self.owner, settings=settings, headers=headers)

    def __call__(self, question: str | Mapping[str, Any]) -> Any:
        """Return what the server replies; LeftCallError without a reply, BadOutputError where it has no text.

        ``question``: the text, or the columns that fill the body, ``question`` among them.
        """
        values = {"question": question} if isinstance(question, str) else question
        try:
            answer = self.endpoint.answered(_filled(self._template, values), LONGEST)
        except Refused as refused:
            is_temporary = not (refused.final or refused.late)
            raise LeftCallError(
                f"{refused.why}{self._hint(refused)}",
                is_temporary=is_temporary,
                wait=refused.wait,
                cause=str(refused.status or "no answer"),
            ) from None
        except UsageError as error:
            status = error.status if isinstance(error, WrongEndpointError) else 0
            is_lost = status == 404 and not (self.model or self.body)
            raise LeftCallError(f"{error}{self._hint_on_address() if is_lost else _HINTS.get(status, '')}") from None
        if kind_of_body(answer.headers) in STREAMS:
            return streamed(answer, self.pieces or (self._service.pieces if self._service else ""))
        return self._read(answer)

    def _hint(self, refused: Refused) -> str:
        """Return what may help against a refusal; with the body to type, where the server says what it lacks."""
        lacking = _lacking(refused.body)
        if not (self.body or self.model or lacking) and refused.status == 400:
            return self._hint_on_service(refused)
        if not lacking and _lacking(refused.body, "query"):
            return _HINTS[405]
        if not lacking and isinstance(refused, Empty):
            return _EMPTY_HINT
        if not lacking:
            return _HINTS.get(refused.status or 0, "")
        asked = next((path for name in NAMES for path in lacking if path[-1] == name), lacking[0])
        is_own = bool(self.body or self.model)
        body: dict[str, Any] = {}
        for path in lacking:
            _put(body, path, _QUESTION if path == asked and not is_own else path[-1].upper())
        written = json.dumps(body, ensure_ascii=False)
        if is_own:
            # A body may hold secrets, so that of the user is not repeated.
            return f"; it wants more: add to --system-body, or body= in Python, {written}"
        return f"; write what it wants: --system-body {quote(written)}, or body= in Python"

    def _hint_on_service(self, refused: Refused) -> str:
        """Return what to send where the default was refused: the body of Dify, or a model to a chat."""
        if is_of_dify(refused.body):
            return f"; if it is Dify, write what that wants: --system-body {quote(json.dumps(DIFY.body))}, or body="
        return _CHAT_HINT if self.url.rstrip("/").endswith(_CHAT) else _HINTS[400]

    def _hint_on_address(self) -> str:
        """Return what to do where nothing is at the address, which may be the beginning of one."""
        known = {"/v1": ("Dify", "/chat-messages"), "/api": ("FastGPT", "/v1/chat/completions")}
        name, rest = next((one for end, one in known.items() if self.url.rstrip("/").endswith(end)), ("", ""))
        return _CHAT_HINT + (f"; if it is {name}: --system {self.url.rstrip('/')}{rest}" if name else "")

    def _read(self, answer: HttpAnswer) -> Any:
        text = answer.body.decode("utf-8", "replace")
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            output = written_stream(text)
            kind = kind_of_body(answer.headers)
            if output is None and (kind.endswith(("json", "html")) or text.lstrip()[:1] in ("{", "[", "<")):
                said = f"{self.address} replied with something that is not JSON: {self.endpoint.shown(text)}"
                raise BadOutputError(f"{said}{_PAGE_HINT if text.lstrip()[:1] == '<' else ''}") from None
            return output or text


def _lacking(body: str, part: str = "body") -> list[list[str]]:
    """Return the paths of the fields that a server of FastAPI misses in a part of a request, its body or its query.

    >>> _lacking('{"detail": [{"type": "missing", "loc": ["body", "query"], "msg": "Field required"}]}')
    [['query']]
    """
    try:
        said = json.loads(body)["detail"]
        places = [one["loc"][1:] for one in said if one["loc"][0] == part and "required" in one["msg"].lower()]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return []
    return [path for path in places if path and all(isinstance(step, str) for step in path)]


def _put(body: Any, path: list[str], value: str) -> None:
    for step in path[:-1]:
        body[step] = body = body[step] if isinstance(body.get(step), dict) else {}
    body[path[-1]] = value


def _places(template: Any) -> Iterator[str]:
    """Yield the names in braces in the texts of a template; braces with anything else in them are text."""
    if isinstance(template, str):
        yield from _PLACE.findall(template)
    elif isinstance(template, Mapping | list):
        for one in template.values() if isinstance(template, Mapping) else template:
            yield from _places(one)


def _filled(template: Any, values: Mapping[str, Any]) -> Any:
    """Return a template with values in its texts; one that is all of a text stays what it is, as a list or number.

    >>> _filled({"q": "Now: {question}", "k": "{k}"}, {"question": "Tea?", "k": 3})
    {'q': 'Now: Tea?', 'k': 3}
    """
    if isinstance(template, str):
        whole = _PLACE.fullmatch(template)
        if whole and whole[1] in values:
            return plain(values[whole[1]], str)
        return _PLACE.sub(lambda found: _text(values[found[1]]) if found[1] in values else found[0], template)
    if isinstance(template, Mapping):
        return {name: _filled(value, values) for name, value in template.items()}
    return [_filled(one, values) for one in template] if isinstance(template, list) else template


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(plain(value, str), ensure_ascii=False)


def _headers(file: Path) -> Iterator[tuple[str, str]]:
    """Yield the headers of a file, with what environment variables hold; no message shows a value."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = reason_of(error) if isinstance(error, OSError) else Message("not UTF-8")
        raise UsageError("RG-SYSTEM-022 the headers in {file} cannot be read: {why}", file, why) from None
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        absent = [name for name in _VARIABLE.findall(line) if not os.environ.get(name, "").strip()]
        if absent:
            template = "RG-SYSTEM-023 {file} line {number}: the environment variable {name} is not set"
            raise UsageError(template, file, number, absent[0])
        found = _LINE.fullmatch(_VARIABLE.sub(lambda name: os.environ[name[1]].strip(), line.strip()))
        if found is None or not can_be_sent(found[2]):
            template = "RG-SYSTEM-024 {file} line {number}: a header must be Name: value, in printable ASCII"
            raise UsageError(template, file, number)
        yield found[1], found[2]
