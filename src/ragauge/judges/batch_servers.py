"""Servers of batches, by OpenAI's and Anthropic's protocols: requests are sent together, and answered within a day."""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

from ragauge.core.messages import Message
from ragauge.endpoints.endpoint import Endpoint, OtherFormError, Refused, backoff, read

# Bytes of an answer: one with the answers of a batch holds all of them.
_LONGEST = 1 << 30
# Seconds for a whole file; a question has fewer.
_FILE_S = 600.0
_WINDOW = "24h"
# The most pages of 100 batches, from the newest, among which one is looked for.
_PAGES = 50
# The server has not taken what it answers so; after any other error of it, a batch may be there all the same.
_NOT_TAKEN = (429, 503, 529)
# The statuses of errors, which Anthropic's results name by their type.
_STATUSES = {
    "invalid_request_error": 400, "authentication_error": 401, "billing_error": 402, "permission_error": 403,
    "not_found_error": 404, "request_too_large": 413, "rate_limit_error": 429, "overloaded_error": 529,
}  # fmt: skip


class BatchOutcome(NamedTuple):
    """What became of a request: the status and the body of its answer; or, without one, a code and words.

    ``code``: ``expired``: it was not answered in time, and may be sent again; ``cancelled``; ``no-answer``.
    """

    status: int = 0
    body: bytes = b""
    code: str = ""
    words: str = ""


class Ended(NamedTuple):
    """The outcomes of a batch that ended, by the name of the request, and that of those that are not among them."""

    outcomes: Mapping[str, BatchOutcome]
    rest: BatchOutcome


@dataclass(frozen=True)
class BatchServer(ABC):
    """A server of batches. ``endpoint``: that of a single request."""

    endpoint: Endpoint

    @abstractmethod
    def send(self, requests: Mapping[str, Mapping[str, Any]], mark: str) -> str:
        """Send requests, name -> body, as one batch, and return its id.

        ``mark``: by which `find` may know the batch. Raises Refused, or WrongEndpointError.
        """

    @abstractmethod
    def find(self, mark: str) -> str | None:
        """Return the id of the batch with a mark; None where there is none, or it cannot be told."""

    @abstractmethod
    def ended(self, batch: str) -> Ended | None:
        """Return what became of a batch; None as long as it is under way. Raises Refused, or WrongEndpointError."""

    def _sent(self, method: str, address: str, payload: object, parse: Callable[[bytes], Any], kind: str = "") -> Any:
        headers = (*self.endpoint.known_headers, *([("Content-Type", kind)] if kind else []))
        own = replace(
            self.endpoint,
            address=address,
            method=method,
            known_headers=headers,
            timeout=max(self.endpoint.timeout, _FILE_S),
        )
        trials = self.endpoint.retries if method == "POST" else 0
        with own:
            for attempt in range(trials):
                try:
                    return parse(own.post_once(payload, _LONGEST))
                except Refused as refused:
                    if refused.status not in _NOT_TAKEN:
                        raise
                    time.sleep(backoff(attempt, refused))
            return parse(own.post_once(payload, _LONGEST))

    def _json(
        self, method: str, address: str, payload: object, parse: Callable[[Any], Any], kind: str = ""
    ) -> Any:  # fmt: skip
        path = urlsplit(address).path
        return self._sent(method, address, payload, lambda body: read(body, path, parse, self.endpoint.shown), kind)


class OpenAIBatches(BatchServer):
    """OpenAI's protocol: a file of requests at ``/files``, a batch at ``/batches``, and files of answers."""

    @property
    def _base(self) -> str:
        return self.endpoint.address.removesuffix("/chat/completions")

    def send(self, requests: Mapping[str, Mapping[str, Any]], mark: str) -> str:
        """Send requests; see `BatchServer.send`."""
        path = urlsplit(self.endpoint.address).path
        lines = [
            json.dumps({"custom_id": name, "method": "POST", "url": path, "body": body})
            for name, body in requests.items()
        ]
        kind, form = _form("\n".join(lines).encode())
        file = self._json("POST", f"{self._base}/files", form, _id_of, kind)
        batch = {
            "input_file_id": file,
            "endpoint": path,
            "completion_window": _WINDOW,
            "metadata": {"ragauge": mark},
        }
        return str(self._json("POST", f"{self._base}/batches", batch, _id_of))

    def find(self, mark: str) -> str | None:
        """Return the id of a batch; see `BatchServer.find`."""

        def parse(document: Any) -> tuple[str | None, str]:
            listed = {_id_of(one): one.get("metadata") or {} for one in document["data"]}
            found = next((name for name, data in listed.items() if data.get("ragauge") == mark), None)
            return found, next(reversed(listed), "") if document.get("has_more") else ""

        found, last = None, ""
        for _ in range(_PAGES):
            after = f"&after={quote(last, safe='')}" if last else ""
            found, last = self._json("GET", f"{self._base}/batches?limit=100{after}", None, parse)
            if found or not last:
                break
        return found

    def ended(self, batch: str) -> Ended | None:
        """Return what became of a batch; see `BatchServer.ended`."""
        found = self._json("GET", f"{self._base}/batches/{quote(batch, safe='')}", None, _state)
        if found is None:
            return None
        files, rest = found
        outcomes: dict[str, BatchOutcome] = {}
        for file in files:
            address = f"{self._base}/files/{quote(file, safe='')}/content"
            outcomes |= self._sent("GET", address, None, lambda body: _outcomes(body, _of_openai))
        return Ended(outcomes, rest)


class AnthropicBatches(BatchServer):
    """Anthropic's protocol: requests, their state and their answers at ``/v1/messages/batches``."""

    def send(self, requests: Mapping[str, Mapping[str, Any]], mark: str) -> str:  # noqa: ARG002 - it takes no marks
        """Send requests; see `BatchServer.send`."""
        listed = [{"custom_id": name, "params": body} for name, body in requests.items()]
        return str(self._json("POST", f"{self.endpoint.address}/batches", {"requests": listed}, _id_of))

    def find(self, mark: str) -> str | None:  # noqa: ARG002 - it takes no marks
        """Return None: a batch has no mark."""
        return None

    def ended(self, batch: str) -> Ended | None:
        """Return what became of a batch; see `BatchServer.ended`."""
        address = f"{self.endpoint.address}/batches/{quote(batch, safe='')}"

        def has_ended(document: Any) -> bool:
            return _known(document["processing_status"], ("in_progress", "canceling"), ("ended",))

        if not self._json("GET", address, None, has_ended):
            return None
        outcomes = self._sent("GET", f"{address}/results", None, lambda body: _outcomes(body, _of_anthropic))
        return Ended(outcomes, _LACKING)


_LACKING = BatchOutcome(code="no-answer", words=Message("the results of the batch lack it"))
_EXPIRED = BatchOutcome(code="expired", words=Message("its batch was not answered in time"))
_CANCELLED = BatchOutcome(code="cancelled", words=Message("its batch was cancelled"))
_SERVERS = {"/chat/completions": OpenAIBatches, "/v1/messages": AnthropicBatches}


def batch_server(path: str, endpoint: Endpoint) -> BatchServer | None:
    """Return the server of batches behind an ``endpoint`` of chat whose protocol has ``path``; None: it has none."""
    kind = _SERVERS.get(path)
    return None if kind is None else kind(endpoint)


def _id_of(document: Any) -> str:
    if not isinstance(document["id"], str) or not document["id"]:
        raise OtherFormError("id must be a text")
    return document["id"]


def _known(status: Any, under_way: tuple[str, ...], ended: tuple[str, ...]) -> bool:
    """Return whether a status says that a batch has ended; OtherFormError for one that is not known."""
    if status in under_way:
        return False
    if status not in ended:
        raise OtherFormError(f"the status must be one of {', '.join([*under_way, *ended])}")
    return True


def _state(document: Any) -> tuple[list[str], BatchOutcome] | None:
    """Return the files with the outcomes of a batch, and that of the rest; None as long as it is under way."""
    status = document["status"]
    rests = {"completed": _LACKING, "expired": _EXPIRED, "cancelled": _CANCELLED, "failed": _LACKING}
    if not _known(status, ("validating", "in_progress", "finalizing", "cancelling"), tuple(rests)):
        return None
    rest = rests[status]
    if status == "failed":
        errors = (document.get("errors") or {}).get("data") or [{}]
        words = errors[0].get("message") or errors[0].get("code") or status
        rest = BatchOutcome(code="batch-failed", words=str(words))
    files = [document.get(name) for name in ("output_file_id", "error_file_id")]
    return [str(file) for file in files if file], rest


def _outcomes(body: bytes, parse: Callable[[Any], BatchOutcome]) -> dict[str, BatchOutcome]:
    """Return the outcomes in lines of JSON by the names of their requests; a line of another form is none."""
    outcomes = {}
    for line in body.splitlines():
        try:
            document = json.loads(line)
            outcomes[str(document["custom_id"])] = parse(document)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue
    return outcomes


def _of_openai(document: Any) -> BatchOutcome:
    if document.get("response"):
        response = document["response"]
        return BatchOutcome(int(response["status_code"]), json.dumps(response["body"]).encode())
    error = document["error"]
    known = {"batch_expired": _EXPIRED, "batch_cancelled": _CANCELLED}.get(error.get("code"))
    return known or BatchOutcome(code="no-answer", words=str(error["message"]))


def _of_anthropic(document: Any) -> BatchOutcome:
    result = document["result"]
    if result["type"] == "succeeded":
        return BatchOutcome(200, json.dumps(result["message"]).encode())
    if result["type"] == "errored":
        error = result["error"]
        kind = error.get("error", error).get("type")
        return BatchOutcome(_STATUSES.get(kind, 500), json.dumps(error).encode())
    return {"expired": _EXPIRED, "canceled": _CANCELLED}[result["type"]]


def _form(content: bytes) -> tuple[str, bytes]:
    """Return the type and the body of a form with a file of requests."""
    boundary = f"ragauge-{sha256(content).hexdigest()}"
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n'
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="requests.jsonl"\r\n'
        "Content-Type: application/jsonl\r\n\r\n"
    )
    return f"multipart/form-data; boundary={boundary}", b"".join(
        [head.encode(), content, f"\r\n--{boundary}--\r\n".encode()]
    )
