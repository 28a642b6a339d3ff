"""``opentelemetry``: an event on the trace of each sample for each metric, as the GenAI conventions have them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from string import hexdigits
from time import time_ns
from typing import Any, ClassVar, NamedTuple

from ragauge._version import __version__
from ragauge.core.registry import ingredient
from ragauge.errors import MissingExtraError, UsageError
from ragauge.formats.fields import counted
from ragauge.writers.measures import descriptions, score_numbers
from ragauge.writers.places import left_out, spans_of, traces_of
from ragauge.writers.samples import MetricCell, metric_cells
from ragauge.writers.writer import FinishedRun, Written

RESULT, SUMMARY = "gen_ai.evaluation.result", "ragauge.evaluation.summary"
"""Names of the events: of a sample under a metric, and of the mean of a metric."""
_AT_A_TIME = 500
"""Events between two flushes: the SDK drops events where more than 2048 wait."""


@ingredient("writer", "opentelemetry")
@dataclass(frozen=True)
class OpenTelemetryWriter:
    """Events ``gen_ai.evaluation.result``, one for each sample and metric, on the trace that the sample carries.

    An event has ``gen_ai.evaluation.name`` (the metric), ``gen_ai.evaluation.score.value``,
    ``gen_ai.evaluation.score.label`` and ``gen_ai.evaluation.explanation``. The label is the status: ``ok``,
    ``undefined``, ``missing`` or ``failed``. An event that is not ``ok`` has no value, and one that ``failed`` has
    ``error.type``. The explanation is the evidence where the run has it, or the reason. A ``response_id`` column
    becomes ``gen_ai.response.id``.

    The mean of each metric is an event ``ragauge.evaluation.summary`` of no trace, with ``low``, ``high``,
    ``coverage``, the counts and the direction as attributes ``ragauge.*``.

    Events are logs of OpenTelemetry. They go to the logger provider that the application has set, and if there is none
    to the OTLP server of ``url`` over HTTP.

    Args:
        url: where OTLP logs go, as in http://localhost:4318/v1/logs; by default as the variables
            ``OTEL_EXPORTER_OTLP_ENDPOINT`` and ``OTEL_EXPORTER_OTLP_HEADERS`` say.
        trace: the column with the id of the trace, 32 hexadecimal digits; by default ``trace_id``, else ``id``.
        span: the column with the id of the span, 16 hexadecimal digits; by default ``span_id``, where there is one.

    Raises:
        MissingExtraError: the SDK is not installed.
        UsageError: no sample has a trace, an id is of another form, or the server does not take the events.

    Source: the semantic conventions of GenAI, event ``gen_ai.evaluation.result`` (in development, 2026).
    """

    owner: ClassVar[str] = "writer 'opentelemetry'"

    url: str = ""
    trace: str = ""
    span: str = ""

    def write(self, run: FinishedRun) -> Written:
        """Write ``run``; errors as of the class."""
        traces = [_number(one, 32, "trace", self.owner) for one in traces_of(run, self.trace, self.owner)]
        spans, notes = self._spans(run)
        target = _target(self.url)
        events, moment = 0, _moment(run)
        for name, attributes, place in _events(run):
            if place is not None and traces[place] is None:
                continue
            context = None if place is None else _context(traces[place] or 0, spans[place] or 0)
            target.emit(event_name=name, timestamp=moment, context=context, attributes=attributes)
            events += 1
            if events % _AT_A_TIME == 0:
                target.flush()
        target.flush()
        return Written(f"{events} events to {target.where}", (*left_out(traces), *notes))

    def _spans(self, run: FinishedRun) -> tuple[list[int | None], tuple[str, ...]]:
        """Return the span of each sample, and a note on ids of another form in a column that was not named."""
        texts = spans_of(run, self.span, "span_id", self.owner)
        usable = [one if self.span or one is None or _hexadecimal(one, 16) else None for one in texts]
        lost = sum([one is not None for one in texts]) - sum([one is not None for one in usable])
        many = counted(lost, "id in column span_id is", "ids in column span_id are")
        note = f"{many} not of 16 hexadecimal digits: events there are on the trace alone"
        return [_number(one, 16, "span", self.owner) for one in usable], ((note,) if lost else ())


def _events(run: FinishedRun) -> Iterator[tuple[str, dict[str, Any], int | None]]:
    """Yield the name and the attributes of each event, and the place of its sample; None for a mean."""
    ids, responses = run.ids(), run.column("response_id")
    described = descriptions(run.result)
    known = {"ragauge.run": run.name, **{f"ragauge.run.{name}": run.manifest[name] for name in _known(run)}}
    for cell in metric_cells(run.result, ids):
        words = {"ragauge.sample.id": ids[cell.place], "ragauge.direction": described[cell.metric]["direction"]}
        response = responses[cell.place]
        answered = {} if response is None else {"gen_ai.response.id": str(response)}
        yield RESULT, {**_of_cell(cell), **answered, **words, **known}, cell.place
    for score in run.result.score_table().to_pylist():
        if score["by"] is None:
            name = score["metric"]
            numbers = {f"ragauge.{word or 'mean'}": one for word, one in score_numbers(score).items()}
            words = {f"ragauge.{word}": text for word, text in described[name].items()}
            yield SUMMARY, {"gen_ai.evaluation.name": name, **numbers, **words, **known}, None


def _known(run: FinishedRun) -> list[str]:
    return [name for name in ("tag", "commit") if name in run.manifest]


def _of_cell(cell: MetricCell) -> dict[str, Any]:
    attributes: dict[str, Any] = {
        "gen_ai.evaluation.name": cell.metric,
        "gen_ai.evaluation.score.label": cell.status,
    }
    if cell.status == "ok":
        attributes["gen_ai.evaluation.score.value"] = cell.score
    if cell.status == "failed":
        # The conventions' word for an error that has no name of its own.
        attributes["error.type"] = "_OTHER"
    return {**attributes, **({"gen_ai.evaluation.explanation": cell.explanation} if cell.explanation else {})}


def _number(text: str | None, digits: int, option: str, owner: str) -> int | None:
    """Return an id of hexadecimal digits as a number; also one in the form of a UUID."""
    if text is None:
        return None
    plain = _hexadecimal(text, digits)
    if not plain:
        raise UsageError(
            "RG-WRITE-019 option {option!r} of {owner} must name ids of {digits} hexadecimal digits; got {text!r}",
            option,
            owner,
            digits,
            text,
        )
    return int(plain, 16)


def _hexadecimal(text: str, digits: int) -> str:
    """Return an id without what stands between and before its digits; empty where it is of another form."""
    plain = text.replace("-", "").removeprefix("0x")
    valid = len(plain) == digits and {*plain} <= {*hexdigits} and {*plain} != {"0"}
    return plain if valid else ""


def _moment(run: FinishedRun) -> int:
    """Return when the run was made, or now, in nanoseconds since 1970."""
    created = run.manifest.get("created")
    return time_ns() if created is None else int(datetime.fromisoformat(created).timestamp() * 1e9)


def _context(trace: int, span: int) -> Any:
    """Return the context of a span that another process has ended; ``span`` 0: of the trace as a whole."""
    from opentelemetry.trace import NonRecordingSpan, SpanContext, set_span_in_context
    from opentelemetry.trace.span import TraceFlags

    return set_span_in_context(
        NonRecordingSpan(SpanContext(trace, span, is_remote=True, trace_flags=TraceFlags(TraceFlags.SAMPLED)))
    )


class EventTarget(NamedTuple):
    """Where events go."""

    emit: Callable[..., None]
    flush: Callable[[], None]
    """Sends the events that wait; UsageError where they are refused."""
    where: str


def _target(url: str) -> EventTarget:
    try:
        from opentelemetry._logs import get_logger_provider
        from opentelemetry.sdk._logs import LoggerProvider
    except ImportError:
        raise MissingExtraError.of("writer 'opentelemetry'", "opentelemetry-sdk", "otel") from None
    provider = get_logger_provider()
    if not url and isinstance(provider, LoggerProvider):
        emit: Any = provider.get_logger("ragauge", __version__).emit
        return EventTarget(emit, lambda: _check(accepted=provider.force_flush()), "the logger provider of this process")
    return _server(url)


def _server(url: str) -> EventTarget:
    """Return a server as target, which gets all events since the last flush in one request and must accept it."""
    try:
        from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
        from opentelemetry.sdk._logs import LoggerProvider
        from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
        from opentelemetry.sdk.resources import Resource
    except ImportError:
        library = "opentelemetry-exporter-otlp-proto-http"
        raise MissingExtraError.of("writer 'opentelemetry'", library, "otel") from None
    exporter, waiting = OTLPLogExporter(endpoint=url or None), InMemoryLogRecordExporter()
    provider = LoggerProvider(Resource.create({"service.name": "ragauge"}), shutdown_on_exit=False)
    provider.add_log_record_processor(SimpleLogRecordProcessor(waiting))

    def flush() -> None:
        _send(exporter, waiting.get_finished_logs())
        waiting.clear()

    emit: Any = provider.get_logger("ragauge", __version__).emit
    return EventTarget(emit, flush, url or "the OTLP server that the environment names")


def _send(exporter: Any, events: Sequence[Any]) -> None:
    from opentelemetry.sdk._logs.export import LogRecordExportResult

    if events:
        _check(accepted=exporter.export(events) is LogRecordExportResult.SUCCESS)


def _check(*, accepted: bool) -> None:
    if not accepted:
        raise UsageError(
            "RG-WRITE-020 the OTLP server did not take the events; look at url of writer 'opentelemetry', or at "
            "the variables OTEL_EXPORTER_OTLP_*"
        )
