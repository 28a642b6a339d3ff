"""Where in a trace each sample belongs: its trace id, and that of its span or observation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragauge.core.lazy import lazy_pattern
from ragauge.errors import UsageError
from ragauge.writers.writer import FinishedRun

# Ids of OpenTelemetry are 32 hexadecimal digits, with 0x in JSON of its SDK; older ones of Langfuse are UUIDs.
_TRACE_ID = lazy_pattern(r"(?:0x)?(?!0{32})[0-9a-fA-F]{32}")
_UUID = lazy_pattern(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def traces_of(run: FinishedRun, column: str, owner: str) -> list[str | None]:
    """Return the trace id of each sample, None where it has none.

    Args:
        run: the run.
        column: the column that holds them, or ``id``; if empty, ``trace_id`` where there is such a column, else ``id``,
            of which only what looks like the id of a trace is taken.
        owner: whose option ``trace`` is, for messages.

    Raises:
        UsageError: there is no such column, or no sample has a trace.
    """
    chosen = column or ("trace_id" if "trace_id" in run.result.data.columns else "id")
    if chosen != "id":
        _check_column(run, owner, "trace", chosen)
    values: Sequence[Any] = run.ids() if chosen == "id" else run.column(chosen)
    # Ids of samples are of any form where nobody said that they are those of traces.
    traces = [_text(one) if column or chosen != "id" or _is_trace(one) else None for one in values]
    if not any(traces):
        raise UsageError(
            "RG-WRITE-022 no sample has a trace: {chosen} holds no id of one; name the column that does as "
            "option 'trace' of {owner}, as in trace=my_column",
            chosen,
            owner,
        )
    return traces


def spans_of(run: FinishedRun, column: str, usual: str, owner: str) -> list[str | None]:
    """Return the id of the span of each sample: of ``column``, or if that is empty of ``usual``, where there is one."""
    if column:
        _check_column(run, owner, "span", column)
    return [_text(one) for one in run.column(column or usual)]


def _check_column(run: FinishedRun, owner: str, option: str, column: str) -> None:
    columns = run.result.data.columns
    if column not in columns:
        template = "RG-WRITE-021 option {option!r} of {owner} must be a column of the data ({has}); got {column!r}"
        raise UsageError(template, option, owner, ", ".join(map(repr, columns)), column)


def _is_trace(value: Any) -> bool:
    return isinstance(value, str) and bool(_TRACE_ID.fullmatch(value) or _UUID.fullmatch(value))


def _text(value: Any) -> str | None:
    return None if value is None or not str(value).strip() else str(value).strip()


def left_out(traces: Sequence[object | None]) -> tuple[str, ...]:
    """Return a note on the samples without a trace, none where all have one.

    >>> left_out(["a", None, None])
    ('2 of 3 samples have no trace, and were left out',)
    """
    without = sum([one is None for one in traces])
    verb = "has" if without == 1 else "have"
    were = "was" if without == 1 else "were"
    return (f"{without} of {len(traces)} samples {verb} no trace, and {were} left out",) if without else ()
