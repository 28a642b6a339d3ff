"""``tool-call-f1`` and its kin: the tools that were called beside those that should have been."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.protocol import Average, Direction, Needs, Stage
from ragauge.core.ragged import FloatArray
from ragauge.core.registry import register
from ragauge.core.statistics import Rows, Statistics, Status, ratio
from ragauge.errors import DataError
from ragauge.metrics._object_lists import Fields, fields_of, object_lists

CALLED, WANTED = "tool_calls", "reference_tool_calls"
Call: TypeAlias = tuple[str, Fields]
_ARGUMENTS = ("arguments", "args", "input_parameters", "input")
_SHARES = ("f1", "precision", "recall")
_MALFORMED = "tool calls with malformed arguments"
_NO_FIELDS: Fields = {(): (_MALFORMED, None)}
"""Of a call with malformed arguments: no reference has a field at this path."""


@register(
    "tool-call-f1",
    variants={
        "tool-call-precision": {"of": "precision"},
        "tool-call-recall": {"of": "recall"},
        "tool-call-strict": {"of": "strict"},
        "tool-call-unordered": {"of": "unordered"},
        "tool-call-subset": {"of": "subset"},
        "tool-call-superset": {"of": "superset"},
    },
    meanings={
        "tool-call-precision": "Tool call precision: the share of the tool calls that were made that should have been.",
        "tool-call-recall": "Tool call recall: the share of the tool calls that should have been made that were.",
        "tool-call-strict": "Tool calls in order: the share of the samples whose tool calls are those of the "
        "reference, in their order.",
        "tool-call-unordered": "Tool calls in any order: the share of the samples whose tool calls are those of the "
        "reference, in any order.",
        "tool-call-subset": "Tool calls without others: the share of the samples that make no tool call beside those "
        "of the reference.",
        "tool-call-superset": "Tool calls without gaps: the share of the samples that make all tool calls of the "
        "reference, perhaps among others.",
    },
)
@dataclass(frozen=True, kw_only=True)
class ToolCallF1:
    """Tool call F1: the F of the tool calls that were made and those that should have been, by name and arguments.

    Formula:
        precision = m / calls made; recall = m / calls of the reference; F = 2m / (made + reference)
        m = calls of the reference that were made, each once

    ``tool-call-strict``, ``-unordered``, ``-subset`` and ``-superset`` are 1 or 0 for a sample: the calls are those of
    the reference in their order; in any order; no others than these; or all of these and perhaps more.

    The columns ``tool_calls`` and ``reference_tool_calls`` list in each row, in order, objects with ``name`` and
    ``arguments`` (also ``args``, ``input_parameters``, or OpenAI's ``function``); an object may be JSON in a text.
    An argument that is null is as one that is not there. A null in ``tool_calls`` is no call, as in messages of OpenAI,
    and scores as an empty list. Arguments that a system wrote as broken JSON, or as no object, match no reference;
    a note counts such calls.

    Unit and range: a share of calls, or of samples, 0 to 1. Nothing called scores 0. ``undefined``: the reference lists
    no call; of the last four nothing is, since then no call is right.

    Args:
        of: ``f1``, ``precision``, ``recall``, ``strict``, ``unordered``, ``subset`` or ``superset``.
        arguments: ``exact``: a call is right with all its arguments; ``fields``: a call of the right name counts the F
            of its arguments' fields, as of ``json-match``; ``ignore``: names alone count.
        average: ``samples`` for the mean of the samples' scores, or ``pooled``.

    Raises:
        DataError: a call has no name, or the arguments of one of the reference are no object.

    >>> import pyarrow as pa
    >>> made = [{"name": "search", "arguments": {"q": "tea", "top": 5}}, {"name": "stop", "arguments": {}}]
    >>> wanted = [{"name": "search", "arguments": {"q": "tea", "top": 3}}]
    >>> table = {"id": ["a"], "tool_calls": [json.dumps(made)], "reference_tool_calls": [json.dumps(wanted)]}
    >>> scores = [(one, one.measure(Batch(pa.table(table)))) for one in map(_by, ("exact", "fields", "ignore"))]
    >>> [round(float(one.score(rows.totals())), 4) for one, rows in scores]
    [0.0, 0.3333, 0.6667]

    Not for: what tools answered, nor whether another way leads to the goal too.

    Source: the F of multisets; ``ToolCallF1`` of ragas 0.4.3 compares sets, which is the same where no call is made
    twice. ``strict`` is 1 where its ``ToolCallAccuracy`` is 1, which ignores arguments that the reference lacks.
    Orders as the matches of trajectories in agentevals.
    """

    of: Literal["f1", "precision", "recall", "strict", "unordered", "subset", "superset"] = "f1"
    arguments: Literal["exact", "fields", "ignore"] = "exact"
    average: Average = "samples"

    direction: ClassVar[Direction] = "higher"
    revision: ClassVar[int] = 2
    stage: ClassVar[Stage] = "end-to-end"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    needs: ClassVar[Needs] = ((CALLED, WANTED),)
    null_is_empty: ClassVar[frozenset[str]] = frozenset({CALLED})
    notes: ClassVar[Mapping[str, str]] = {
        _MALFORMED: "their arguments are not valid JSON, or not an object; they match no call of the reference",
    }

    def measure(self, batch: Batch) -> Rows:
        """Count calls: right ones, those made and those of the reference; or samples whose calls are as asked."""
        called, wanted = (batch.derived(name, partial(_calls, batch, name)) for name in (CALLED, WANTED))
        pairs = list(zip(called, wanted, strict=True))
        malformed = [sum(() in fields for _, fields in calls) for calls in called]
        noted = {_MALFORMED: np.array(malformed, dtype=np.int64)}
        if self.of not in _SHARES:
            values = [self._as_asked(*both) for both in pairs]
            one = np.ones(len(pairs), dtype=np.int64)
            return Rows.of({"value": np.array(values, dtype=np.int64), "count": one}, noted=noted)
        right = np.array([self._right(*both) for both in pairs], dtype=np.float64)
        made, listed = (np.array(list(map(len, calls)), dtype=np.int64) for calls in (called, wanted))
        status = np.where(listed == 0, np.uint8(Status.UNDEFINED), np.uint8(Status.OK))
        whole = right if self.arguments == "fields" else right.astype(np.int64)
        return Rows.of({"right": whole, "made": made, "reference": listed}, status=status, noted=noted)

    def score(self, totals: Statistics) -> FloatArray:
        """Return the share of calls, or of samples."""
        if self.of not in _SHARES:
            return ratio(totals["value"], totals["count"])
        right, made, listed = totals["right"], totals["made"], totals["reference"]
        of = {"precision": np.where(listed > 0, np.maximum(made, 1), 0), "recall": listed}
        return ratio(right, of[self.of]) if self.of in of else ratio(2 * right, np.where(listed > 0, made + listed, 0))

    def _right(self, called: Sequence[Call], wanted: Sequence[Call]) -> float:
        if self.arguments != "fields":
            return (Counter(map(self._key, called)) & Counter(map(self._key, wanted))).total()
        degrees = sorted(
            ((_alike(one[1], other[1]), -at, -place) for place, one in enumerate(called)
             for at, other in enumerate(wanted) if one[0] == other[0]),
            reverse=True,
        )  # fmt: skip
        total, used, taken = 0.0, set(), set()
        for degree, at, place in degrees:
            if at not in used and place not in taken:
                total += degree
                used.add(at)
                taken.add(place)
        return total

    def _as_asked(self, called: Sequence[Call], wanted: Sequence[Call]) -> bool:
        made, listed = [self._key(one) for one in called], [self._key(one) for one in wanted]
        if self.of == "strict":
            return made == listed
        more, fewer = Counter(made) - Counter(listed), Counter(listed) - Counter(made)
        return not (more and self.of != "superset") and not (fewer and self.of != "subset")

    def _key(self, call: Call) -> object:
        return call[0] if self.arguments == "ignore" else (call[0], frozenset(call[1].items()))


def _by(arguments: Any) -> ToolCallF1:
    return ToolCallF1(arguments=arguments)


def _alike(one: Fields, other: Fields) -> float:
    """Return the F of the fields of two calls' arguments; 1 where neither has any."""
    fields = len(one) + len(other)
    return 2 * len(one.items() & other.items()) / fields if fields else 1.0


def _calls(batch: Batch, column: str) -> list[list[Call]]:
    """Return name and fields of the arguments of each call of n samples.

    DataError where there is no name, or where arguments of the reference are no object.
    """
    calls: list[list[Call]] = []
    wrong: list[tuple[int, object]] = []
    for row, items in enumerate(object_lists(batch, column)):
        each = [(one, _call(one)) for one in ([None] if items is None else items)]
        wrong += [(row, one) for one, call in each if call is None or (column == WANTED and () in call[1])]
        calls.append([call for _, call in each if call is not None])
    if wrong:
        template = "RG-METRIC-046 column {column} must list tool calls in each row, as {form}; not {rows}"
        raise DataError(template, column, '{"name": "search", "arguments": {"q": "tea"}}', batch.named(wrong))
    return calls


def _call(given: Any) -> Call | None:
    """Return name and fields of the arguments of a call, `_NO_FIELDS` where they are no object; None without a name."""
    one = _read(given)
    function = one.get("function") if isinstance(one, Mapping) else None
    one = _read(function) if isinstance(function, Mapping) else one
    if not isinstance(one, Mapping) or not isinstance(one.get("name"), str) or not one["name"]:
        return None
    arguments: Any = next((one[name] for name in _ARGUMENTS if one.get(name) is not None), {})
    arguments = _read(arguments) if arguments != "" else {}
    if not isinstance(arguments, Mapping):
        return one["name"], _NO_FIELDS
    fields = fields_of(arguments)
    return one["name"], {path: value for path, value in fields.items() if path and value != ("NoneType", None)}


def _read(value: Any) -> Any:
    """Return what a text says as JSON; anything else, and a text that is none, as it is."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return value
