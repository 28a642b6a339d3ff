"""Judges that the tasks of a cluster ask through one process, which has the cache and the limits for all."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from contextvars import copy_context
from dataclasses import asdict, dataclass, field, replace
from hmac import compare_digest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from secrets import token_hex
from threading import BoundedSemaphore, Event, Lock, Thread
from typing import Any, Self, cast

from urllib3 import HTTPConnectionPool, Timeout
from urllib3.exceptions import HTTPError

from ragauge.core.ingredients import Judge, Question
from ragauge.core.messages import Message, code_and_text, packed, unpacked
from ragauge.errors import UsageError, excerpt, reason_of
from ragauge.judges.base import AskingCall, JudgeBase
from ragauge.judges.reply import Answer
from ragauge.judges.request import NoAnswer, Request
from ragauge.judges.session import METRIC, Session

_OF_QUESTION = ("prompt", "version", "schema", "label", "labels", "repeat")
_UNREACHED = (
    "RG-JUDGE-019 the process that asks the judge for all tasks does not answer at {host}:{port} ({why}): let the "
    "machines of the cluster reach it"
)
UNREACHED = code_and_text(_UNREACHED)[0]
"""The code with which the error of a task begins that cannot reach this process."""
_WAITING = 2
"""Requests of tasks for each that may be under way: while one is answered, the next has arrived."""
# So many that different questions under way seldom share one.
_LOCKS = 1 << 14
_CONNECT_S = 30.0
# A machine that is gone is noticed after two minutes; by the defaults of Linux it takes two hours.
_KEEPALIVE = [
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    *(
        (socket.IPPROTO_TCP, getattr(socket, name), value)
        for name, value in (("TCP_KEEPIDLE", 60), ("TCP_KEEPINTVL", 15), ("TCP_KEEPCNT", 4))
        if hasattr(socket, name)
    ),
]


class Relay:
    """Answers what tasks ask, with the judges and the session of this process, as long as it is open.

    It listens to HTTP at ``host``. Whoever asks must name the secret that its `RelayedJudge`s carry.

    Args:
        judges: the judges that may be asked; those with equal texts are one.
        session: their cache, limits and counts.
        host: the address of this machine as the tasks know it.
        tasks: how many of them ask at once, among which the requests under way are shared out.

    Raises:
        UsageError: a judge is not a `JudgeBase`, has the text of another or no API key, or ``host`` is not an address
            of this machine.
    """

    def __init__(self, judges: Iterable[Judge], session: Session, host: str, tasks: int) -> None:
        members: list[Any] = [one for judge in judges for one in getattr(judge, "judges", (judge,))]
        for judge in members:
            if not isinstance(judge, JudgeBase):
                name = type(judge).__name__
                raise UsageError(
                    "RG-JUDGE-012 a judge that the tasks of a cluster ask must be a ragauge.judges.JudgeBase; "
                    "got {name}",
                    name,
                )
        self.session, self._tasks = session, tasks
        self._judges: dict[str, JudgeBase] = {str(judge): judge for judge in members}
        alike = next((one for one in members if one.identity != self._judges[str(one)].identity), None)
        if alike is not None:
            template = "RG-JUDGE-077 two judges here are {judge}: on a cluster each needs a name of its own"
            raise UsageError(template, alike)
        self._turns = {name: BoundedSemaphore(judge.parallel) for name, judge in self._judges.items()}
        self._stop, self._stack = Event(), ExitStack()
        self._locks = [Lock() for _ in range(_LOCKS)]
        # The session counts for the evaluation that this thread has begun.
        self._context = copy_context()
        self._host, self._token = host, token_hex(32)

    def __enter__(self) -> Self:
        try:
            self._server = _Server(self._host, self)
        except OSError as error:
            raise UsageError(
                "RG-JUDGE-013 this process asks the judge for all tasks, and {host}, by which the tasks should reach "
                "it, cannot be listened to: {reason_of}",
                self._host,
                reason_of(error),
            ) from None
        with ExitStack() as stack:
            stack.callback(self._server.server_close)
            if not self.session.offline:
                for judge in self._judges.values():
                    judge.begin()
                    stack.callback(judge.end)
            self._stack = stack.pop_all()
        Thread(target=self._server.serve_forever, daemon=True).start()
        self._stack.callback(self._server.shutdown)
        self._stack.callback(self._stop.set)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def relayed(self, judge: Judge, metric: str) -> Judge:
        """Return a judge for tasks in place of ``judge``, with its text and signature; for a jury, a jury of them.

        ``metric``: for which the requests are counted.
        """
        if hasattr(judge, "judges"):
            members = tuple(self.relayed(one, metric) for one in judge.judges)
            return cast("Judge", replace(cast("Any", judge), judges=members))
        own = self._judges[str(judge)]
        share = min(own.parallel, -(-_WAITING * own.parallel // max(self._tasks, 1)))
        address = (self._host, self._server.server_address[1], self._token)
        kinds = (own.asks_again, own.questions_at_once)
        return RelayedJudge(address, str(own), own.signature, json.dumps(own.identity), metric, share, *kinds)

    def knows(self, token: str) -> bool:
        """Return whether ``token`` is the secret of this relay."""
        return compare_digest(token.encode(), self._token.encode())

    def reply(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to a request of a task, or why there is none, as JSON types."""
        try:
            return self._context.copy().run(self._answered, message)
        except NoAnswer as none:
            return {"failed": [none.code, packed(none.words), none.alone]}
        except Exception as error:  # noqa: BLE001 - it is raised in the task, and by it where the run was started
            return {"error": packed(error.message) if isinstance(error, UsageError) else excerpt(error)}

    def _answered(self, message: Mapping[str, Any]) -> dict[str, Any]:
        METRIC.set(message["metric"])
        judge, key = self._judges[message["judge"]], bytes.fromhex(message["key"])
        messages = tuple((role, text) for role, text in message["messages"])
        of_question = {**message["question"], "labels": tuple(message["question"]["labels"])}
        question = Question(messages=messages, max_tokens=message["max_tokens"], **of_question)
        asking = AskingCall(judge, lambda *_: None, self.session, self._stop)
        # Equal questions, as of a repeated task, wait for each other, so that the second finds the first one's answer.
        with self._locks[int.from_bytes(key) % _LOCKS], self._turns[message["judge"]]:
            return {"answer": asking.answer(key, question).to_json()}


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 1024

    def __init__(self, host: str, relay: Relay) -> None:
        self.relay = relay
        if ":" in host:
            self.address_family = socket.AF_INET6
        super().__init__((host, 0), _Handler)

    def server_bind(self) -> None:
        """Bind without asking for the name of the address, which may take seconds."""
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()

    def handle_error(self, *_: Any) -> None:
        """Do nothing: a task that was ended takes no answer."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = 60

    def do_POST(self) -> None:
        relay = self.server.relay
        if not relay.knows(self.headers.get("Authorization", "")):
            self.send_error(403)
            return
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        content = json.dumps(relay.reply(message)).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Write nothing."""


@dataclass(frozen=True)
class RelayedJudge(JudgeBase):
    """A judge whose requests another process sends: a `Relay` at ``address``, its host, port and secret.

    Args:
        address: of the relay.
        text: the judge as a spec.
        signed: its signature.
        identity_json: what decides its answers, as JSON.
        metric: for which the requests are counted.
        parallel: requests of this task under way at once.
        asks_again: as of the judge.
        questions_at_once: likewise.
    """

    address: tuple[str, int, str] = field(repr=False)
    text: str
    signed: str
    identity_json: str
    metric: str
    parallel: int
    asks_again: int = 1  # type: ignore[misc]  # a judge of one's own may ask more often
    questions_at_once: int = 0  # type: ignore[misc]  # as of the judge

    def __str__(self) -> str:
        return self.text

    @property
    def signature(self) -> str:
        """That of the judge."""
        return self.signed

    @property
    def identity(self) -> Any:
        """That of the judge."""
        return json.loads(self.identity_json)

    def answer(self, request: Request) -> Answer:
        """Let the relay answer; UsageError where nothing can be answered, ConnectionError where nobody listens."""
        question = {name: value for name, value in asdict(request.question).items() if name in _OF_QUESTION}
        message = {"judge": self.text, "metric": self.metric, "key": request.key.hex(), "question": question}
        replied = self._posted({**message, "messages": request.messages, "max_tokens": request.max_tokens})
        if "error" in replied:
            raise UsageError(unpacked(replied["error"]))
        if "failed" in replied:
            code, words, alone = replied["failed"]
            raise NoAnswer(code, unpacked(words), alone=alone)
        return Answer.from_json(replied["answer"])

    def _posted(self, message: Mapping[str, Any]) -> dict[str, Any]:
        host, port, token = self.address
        # An answer may take as long as the limits of the server ask for.
        timeout = Timeout(connect=_CONNECT_S, read=None)
        try:
            with HTTPConnectionPool(host, port, timeout=timeout, retries=False, socket_options=_KEEPALIVE) as relay:
                headers = {"Authorization": token}
                replied: dict[str, Any] = relay.request("POST", "/", json=message, headers=headers).json()
        except (OSError, HTTPError, ValueError) as error:
            # Clusters pass on the text of an error alone, so its code is written before it.
            unreached = Message(_UNREACHED, host, port, excerpt(error))
            raise ConnectionError(f"{unreached.code} {unreached}") from error
        return replied
