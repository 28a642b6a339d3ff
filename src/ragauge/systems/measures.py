"""Measures of an answer that a system gives beside it: seconds, tokens and cost."""

from __future__ import annotations

from collections.abc import Mapping
from math import isinf
from numbers import Real
from typing import Any

from ragauge.formats.fields import kind_of
from ragauge.formats.objects import as_mapping
from ragauge.systems.objects import Allowance, BadOutputError, as_number, by_class_name, plain
from ragauge.systems.paths import shallowest

MEASURED = ("latency", "time_to_first_token", "input_tokens", "output_tokens", "cost")
"""Columns of numbers: seconds twice, tokens that went in and came out, and money in the unit that the system uses."""
_LARGEST = 1e300
"""Largest measure: the sum over all answers is a number, too."""
USAGE = ("usage", "usage_metadata", "token_usage")
_TOKENS = {
    "input_tokens": ("input_tokens", "prompt_tokens"),
    "output_tokens": ("output_tokens", "completion_tokens"),
    "cost": ("cost", "total_cost", "total_price"),
}


def usage_of(output: Mapping[str, Any], left: Allowance) -> dict[str, Any]:
    """Return the object with tokens that is nearest to the top of an output, under the name ``usage``."""
    found = shallowest(output, lambda place: place.name in USAGE and as_mapping(place.value) is not None)
    return {"usage": plain(found[0].value, by_class_name, left)} if found else {}


def tokens_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return tokens and cost that an output says under another name, as in ``usage``.

    >>> tokens_of({"usage": {"prompt_tokens": 7, "completion_tokens": 2}})
    {'input_tokens': 7, 'output_tokens': 2}
    """
    usage: Mapping[str, Any] = next((row[name] for name in USAGE if isinstance(row.get(name), Mapping)), {})
    return {
        column: as_number(next(usage[name] for name in names if usage.get(name) is not None))
        for column, names in _TOKENS.items()
        if any(usage.get(name) is not None for name in names)
    }


def with_measures(columns: dict[str, Any], output: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``columns`` without measures that are missing, as NaN is; BadOutputError where one is not a number."""
    for name in MEASURED:
        value, own = columns.get(name), output.get(name)
        # As a value of JSON an infinite number is missing.
        if isinstance(own, Real) and not isinstance(own, int) and isinf(own):
            raise BadOutputError(f"the system's {name} must be a finite number; got {own}")
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
            raise BadOutputError(f"the system's {name} must be a number; got {kind_of(value)}")
        if value is not None and not is_measure(value):
            raise BadOutputError(f"the system's {name} must be a number of at most {_LARGEST:g}")
    return {name: value for name, value in columns.items() if name not in MEASURED or value is not None}


def is_measure(value: object) -> bool:
    """Return whether a value is a number that sums of measures can hold.

    >>> is_measure(0.5), is_measure(True), is_measure(float("nan")), is_measure(10**400)
    (True, False, False, False)
    """
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _LARGEST
