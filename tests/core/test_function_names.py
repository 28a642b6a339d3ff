"""Functions of one source that are bound to different values are told apart, or said not to be."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from threading import Lock
from typing import Any

import numpy as np
import pytest

from ragauge.core.function_names import constants_of, described, name_of_function

MODEL = "小"
OTHER: dict[str, int] = {}


def closure(value: Any) -> Callable[[], Any]:
    return lambda: value


def with_default(value: Any) -> Callable[[], Any]:
    def answer(text: str = value) -> str:
        return text

    return answer


def of_global() -> Any:
    return MODEL, OTHER


def calls_another() -> float:
    return called() / 2


def called() -> float:
    return called_in_turn() + 1


def called_in_turn() -> float:
    return 0.2


class Client:
    def __init__(self, value: Any) -> None:
        self.value = value

    def answer(self) -> Any:
        return self.value

    def __call__(self) -> Any:
        return self.value


def bound(value: Any) -> Any:
    return Client(value).answer


def applied(value: Any) -> Any:
    return partial(str, value)


@pytest.mark.parametrize("make", [closure, with_default, bound, applied, Client], ids=lambda make: make.__name__)
@pytest.mark.parametrize(
    ("one", "other"),
    [
        (0.2, 0.9), ("小", "大"), (("a", 1), ("a", 2)), (["a"], ["b"]), ({"a": 1}, {"a": 2}), ({"a"}, {"b"}),
        (np.zeros(3), np.ones(3)), (np.float32(0.5), np.float32(0.25)), (len, sum), (int, str),
        (closure(1), closure(2)), (Client(1), Client(2)), (Client([closure("a")]), Client([closure("b")])),
    ],
)  # fmt: skip
def test_functions_with_other_values_are_others(make: Any, one: Any, other: Any) -> None:
    first, second, same = make(one), make(other), make(one)
    told = [(name_of_function(function), described(function)) for function in (first, second, same)]
    assert None not in told[0]
    assert told[0] != told[1]
    assert told[0] == told[2]


@pytest.mark.parametrize("make", [closure, with_default, bound, applied, Client], ids=lambda make: make.__name__)
@pytest.mark.parametrize("value", [Lock(), object(), [Lock()], Client(Lock()), np.array([object()])])
def test_what_cannot_be_told_is_said(make: Any, value: Any) -> None:
    assert described(make(value)) is None


def test_an_object_within_itself_cannot_be_told() -> None:
    client = Client(None)
    client.value = client
    assert described(client.answer) is None


def test_numbers_and_texts_among_global_variables_count(monkeypatch: pytest.MonkeyPatch) -> None:
    before = name_of_function(of_global)
    assert dict(constants_of(of_global)) == {"MODEL": "小"}
    monkeypatch.setitem(globals(), "MODEL", "大")
    assert name_of_function(of_global) != before
    OTHER["b"] = 1
    monkeypatch.setitem(globals(), "MODEL", "小")
    assert name_of_function(of_global) == before


def test_a_counter_that_a_function_changes_does_not_count() -> None:
    calls = 0

    def answer() -> int:
        nonlocal calls
        calls += 1
        return calls

    before = name_of_function(answer), described(answer)
    answer()
    assert (name_of_function(answer), described(answer)) == before


def test_a_function_that_calls_itself_is_told() -> None:
    def walk(depth: int) -> int:
        return walk(depth - 1) if depth else 0

    assert described(walk) == ""


def test_functions_of_its_module_that_a_function_calls_tell_it_from_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def changed() -> float:
        return 0.9

    before = described(calls_another)
    assert described(calls_another) == before != ""
    monkeypatch.setattr(sys.modules[__name__], "called_in_turn", changed)
    assert described(calls_another) != before
