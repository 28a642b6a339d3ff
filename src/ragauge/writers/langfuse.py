"""``langfuse``: scores on the traces of Langfuse, by its HTTP API."""

from __future__ import annotations

import json
import os
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Annotated, Any, ClassVar, Literal

from ragauge.core.messages import Message
from ragauge.core.options import Range
from ragauge.core.registry import ingredient
from ragauge.display.numbers import interval, percentage
from ragauge.endpoints.endpoint import Endpoint, Refused
from ragauge.endpoints.server import can_be_sent, is_plain_address
from ragauge.errors import OptionError, UsageError
from ragauge.results.score import Score, without_score
from ragauge.writers.places import left_out, spans_of, traces_of
from ragauge.writers.samples import MetricCell, metric_cells
from ragauge.writers.writer import FinishedRun, Written

_CLOUD = "https://cloud.langfuse.com"
_LARGEST, _MOST = 900_000, 100
"""Bytes and scores of a request. The server takes 1 MiB; its own clients send up to 100 scores."""
_ANSWER = 1 << 20


@ingredient("writer", "langfuse")
@dataclass(frozen=True)
class LangfuseWriter:
    """Scores on traces of Langfuse: one for each sample and metric.

    A sample with a score becomes a numeric score. One that failed, is missing or undefined becomes a categorical score
    ``METRIC status`` with the reason as its comment, because a number would be wrong. The comment of a score is the
    evidence, where the run has it. Ids are made from the run, the trace and the metric, and the time is that of the
    run: writing a saved run again replaces its scores, and so does sending a request twice.

    Langfuse has no place for the mean of a run but a dataset run: with ``dataset_run`` the means are written there,
    with interval, coverage and direction.

    The keys are read from the environment variables ``LANGFUSE_PUBLIC_KEY`` and ``LANGFUSE_SECRET_KEY``.

    Args:
        url: the server; by default ``LANGFUSE_BASE_URL``, else ``LANGFUSE_HOST``, else https://cloud.langfuse.com.
        trace: the column with the id of the trace; by default ``trace_id``, else ``id``, where that is a trace's.
        span: the column with the id of the observation; by default ``observation_id``, where there is one.
        dataset_run: the id of a dataset run, which gets the means.
        environment: that of the scores.
        api: ``scores`` sends lists to ``/api/public/scores``, ``ingestion`` batches to ``/api/public/ingestion``, which
            older servers have; ``auto`` takes the first, and the second where the server refuses lists.
        timeout: seconds to wait for an answer.
        retries: how often a request is sent again that was refused for now (429, 5xx, no answer).

    Raises:
        UsageError: a key is not set, no sample has a trace, or Langfuse refuses a key or a score.

    Source: Langfuse's API as its client 5.0.4 has it.
    """

    owner: ClassVar[str] = "writer 'langfuse'"

    url: str = ""
    trace: str = ""
    span: str = ""
    dataset_run: str = ""
    environment: str = ""
    api: Literal["auto", "scores", "ingestion"] = "auto"
    timeout: Annotated[float, Range(0, 86_400, above=True)] = 60.0
    retries: Annotated[int, Range(0, 100)] = 5

    def write(self, run: FinishedRun) -> Written:
        """Write ``run``; errors as of the class."""
        server = self.url or os.environ.get("LANGFUSE_BASE_URL") or os.environ.get("LANGFUSE_HOST") or _CLOUD
        if not is_plain_address(server):
            allowed = "an address such as https://cloud.langfuse.com, without password and query"
            raise OptionError.value(self.owner, "url", allowed, server)
        secret = _secret(self.owner)
        traces = [_plain_id(one) for one in traces_of(run, self.trace, self.owner)]
        spans = [_plain_id(one) for one in spans_of(run, self.span, "observation_id", self.owner)]
        scores = [*_of_cells(run, traces, spans), *(_of_means(run, self.dataset_run) if self.dataset_run else ())]
        if self.environment:
            scores = [{**one, "environment": self.environment} for one in scores]
        _Client(server.rstrip("/"), secret, self).send(scores)
        means = () if self.dataset_run else ("the means were not written: name a dataset run by option 'dataset_run'",)
        return Written(f"{len(scores)} scores at {server}", (*left_out(traces), *means))


def _plain_id(text: str | None) -> str | None:
    """Return an id as Langfuse has it: in JSON of OpenTelemetry's SDK, ids of traces and spans begin with 0x."""
    return None if text is None else text.removeprefix("0x")


def _secret(owner: str) -> str:
    """Return the two keys as basic authentication has them."""
    names = ("LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY")
    keys = [os.environ.get(name, "").strip() for name in names]
    for name, key in zip(names, keys, strict=True):
        if not can_be_sent(key):
            problem = Message("holds no key: only printable ASCII can be sent") if key else Message("is not set")
            raise UsageError(
                "RG-WRITE-007 the environment variable {name} {problem}; {owner} takes the key from it",
                name,
                problem,
                owner,
            )
    return b64encode(":".join(keys).encode()).decode()


def _of_cells(run: FinishedRun, traces: Sequence[str | None], spans: Sequence[str | None]) -> Iterator[dict[str, Any]]:
    """Yield the score of each sample under each metric."""
    ids, common = run.ids(), _common(run)
    directions = {name: run.result[name].direction for name in run.result.metrics}
    for cell in metric_cells(run.result, ids):
        trace, span = traces[cell.place], spans[cell.place]
        if trace is None:
            continue
        yield {
            **_value(cell),
            "id": _id(run, cell.metric, trace, span or "", ids[cell.place]),
            "traceId": trace,
            **({} if span is None else {"observationId": span}),
            **({"comment": cell.explanation} if cell.explanation else {}),
            "timestamp": common["timestamp"],
            "metadata": {**common["metadata"], "sample": ids[cell.place], "direction": directions[cell.metric]},
        }


def _value(cell: MetricCell) -> dict[str, Any]:
    if cell.status == "ok":
        return {"name": cell.metric, "value": cell.score, "dataType": "NUMERIC"}
    return {"name": f"{cell.metric} status", "value": cell.status, "dataType": "CATEGORICAL"}


def _of_means(run: FinishedRun, dataset_run: str) -> Iterator[dict[str, Any]]:
    common = _common(run)
    for score in run.result.table:
        # A metric without a scored sample has no mean.
        if score.group is None and score.scored:
            yield {
                "id": _id(run, score.metric, dataset_run),
                "datasetRunId": dataset_run,
                "name": score.metric,
                "value": score.value,
                "dataType": "NUMERIC",
                "comment": _in_words(score, run.result.options["level"]),
                "timestamp": common["timestamp"],
                "metadata": {**common["metadata"], **score.to_dict()},
            }


def _in_words(score: Score, level: float) -> str:
    ends = interval(score.low, score.high)
    known = f"{percentage(level)} interval {ends}; " if ends else ""
    lost = without_score(score)
    return f"{known}{score.scored} of {score.total} scored{lost and f', {lost}'}; {score.direction} is better"


def _common(run: FinishedRun) -> dict[str, Any]:
    """Return what all scores of a run share."""
    created = run.manifest.get("created") or datetime.now(UTC).isoformat(timespec="milliseconds")
    known = {name: run.manifest[name] for name in ("tag", "commit") if name in run.manifest}
    return {"timestamp": created, "metadata": {"run": run.name, **known}}


def _id(run: FinishedRun, metric: str, *parts: str) -> str:
    """Return the id of a score: the same whenever the same run is written."""
    whole = [run.name, run.manifest.get("created", ""), metric, run.result[metric].signature, *parts]
    return f"ragauge-{sha256(json.dumps(whole).encode()).hexdigest()[:32]}"


_SETTINGS = "url, LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY"


class _Client:
    """Sends scores in requests of the size that the server takes."""

    def __init__(self, server: str, secret: str, writer: LangfuseWriter) -> None:
        self._server, self._secret, self._writer = server, secret, writer
        self._ingestion = writer.api == "ingestion"

    def send(self, scores: Sequence[Mapping[str, Any]]) -> None:
        """Send all scores; UsageError where some were refused, after all others were sent."""
        problems: list[str] = []
        refused = 0
        for batch in _batches(scores):
            answer = self._answer(batch)
            errors, rejected = answer.get("errors") or [], answer.get("rejected")
            objects = isinstance(errors, list) and all(isinstance(one, Mapping) for one in errors)
            if not objects or not isinstance(rejected, int | None):
                raise UsageError(
                    "RG-WRITE-010 {server} did not answer as Langfuse does; look at url of {owner}",
                    self._server,
                    self._writer.owner,
                )
            refused += len(errors) if rejected is None else rejected
            problems += [str(one.get("message") or one.get("error") or one.get("status")) for one in errors]
        if refused:
            reasons = "; ".join(list(dict.fromkeys(problems))[:3])
            raise UsageError(
                "RG-WRITE-008 {server} refused {refused} of {n} scores: {reasons}; the others are written, and "
                "writing the run again replaces them",
                self._server,
                refused,
                len(scores),
                reasons,
            )

    def _answer(self, batch: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        if not self._ingestion:
            try:
                return self._posted("/api/public/scores", list(batch))
            except Refused as refused:
                # Servers before the lists say that the body is wrong.
                if refused.status != 400 or self._writer.api != "auto":
                    raise UsageError(
                        "RG-WRITE-011 {refused}; look at url of {owner}", refused.why, self._writer.owner
                    ) from None
                self._ingestion = True
        try:
            return self._posted("/api/public/ingestion", {"batch": [_event(one) for one in batch]})
        except Refused as refused:
            raise UsageError(
                "RG-WRITE-011 {refused}; look at url of {owner}", refused.why, self._writer.owner
            ) from None

    def _posted(self, path: str, body: object) -> Mapping[str, Any]:
        writer = self._writer
        address = f"{self._server}{path}"
        with Endpoint(
            address, self._secret, writer.timeout, writer.retries, writer.owner, "Basic", settings=_SETTINGS
        ) as endpoint:
            answer = endpoint.post(body, _ANSWER)
        try:
            read = json.loads(answer)
        except ValueError:
            raise UsageError(
                "RG-WRITE-012 {address} did not answer with JSON; look at url of {owner}", address, writer.owner
            ) from None
        if not isinstance(read, dict):
            raise UsageError(
                "RG-WRITE-009 {address} did not answer as Langfuse does; look at url of {owner}", address, writer.owner
            )
        return read


def _event(score: Mapping[str, Any]) -> dict[str, Any]:
    """Return a score as an event of the ingestion, whose own id is made anew where the score has changed."""
    content = sha256(json.dumps(score, sort_keys=True).encode()).hexdigest()[:32]
    body = {name: value for name, value in score.items() if name != "timestamp"}
    return {"id": content, "type": "score-create", "timestamp": score["timestamp"], "body": body}


def _batches(scores: Sequence[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    batch: list[Mapping[str, Any]] = []
    size = 0
    for score in scores:
        length = len(json.dumps(score)) + 200
        if batch and (len(batch) == _MOST or size + length > _LARGEST):
            yield batch
            batch, size = [], 0
        batch.append(score)
        size += length
    if batch:
        yield batch
