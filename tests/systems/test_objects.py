"""Objects of frameworks as values of JSON types, within limits."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import pytest

from ragauge.systems import objects
from ragauge.systems.objects import Allowance, BadOutputError, by_class_name, plain


@dataclass
class Node:
    name: str
    next: Any = field(default=None, repr=False)


def test_numbers_that_json_lacks_are_null_and_decimals_are_floats() -> None:
    assert plain([Decimal("0.5"), Decimal("NaN"), float("inf"), 3, True, None], by_class_name) == [
        0.5, None, None, 3, True, None,
    ]  # fmt: skip


def test_objects_that_hold_each_other_in_a_circle_end() -> None:
    first, second = Node("first"), Node("second")
    first.next, second.next = second, first
    value, depth = plain(first, by_class_name), 0
    while isinstance(value, dict):
        value, depth = value["next"], depth + 1
    assert (value, depth) == ("<Node>", 8), "an object and its fields are two of 16 levels"


def test_a_number_of_too_many_digits_is_refused() -> None:
    with pytest.raises(BadOutputError, match="the system returned a number of more than 4,300 digits"):
        plain(10**4400, by_class_name)


@pytest.mark.parametrize(("value", "said"), [([0] * 20, "more than 9 values"), ("tea" * 4, "of text")])
def test_an_output_that_is_too_large_is_refused(value: object, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objects, "MOST_VALUES", 9)
    monkeypatch.setattr(objects, "LONGEST", 9)
    with pytest.raises(BadOutputError, match=f"the system returned .*{said}. Return less"):
        plain(value, by_class_name)


def test_reading_ends_at_its_time() -> None:
    with pytest.raises(TimeoutError):
        plain(["a"], by_class_name, Allowance(until=0.0))
