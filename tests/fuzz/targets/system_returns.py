"""What systems return and raise: JSON of one call for each question, and whether the system is a coroutine function.

Each call ends in an answer or in the failure of its question, the run in a result; and the same run with ``resume``
asks nothing again but what failed, and reads the same answers.
"""

from __future__ import annotations

import asyncio
import builtins
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any
from unittest.mock import MagicMock, patch

import numpy as np
from hypothesis import strategies as st

import ragauge
from ragauge.systems import objects
from tests.fuzz.making import NUMBERS, TEXTS, VALUES, as_json, damaged, file


def _every_exception() -> list[BaseException]:
    kinds = [one for one in vars(builtins).values() if isinstance(one, type) and issubclass(one, BaseException)]
    made: list[BaseException] = [UnicodeDecodeError("utf-8", b"\xff" * 9999, 0, 1, "http://me:secret@host/?key=secret")]
    for kind in kinds:
        with suppress(TypeError):
            made += [kind("http://me:secret@host/?key=secret")] * (kind is not KeyboardInterrupt)
    return [*made, BaseExceptionGroup("group", [SystemExit(1)]), asyncio.CancelledError()]


class _UnreadableError(Exception):
    """Raises in everything that may be looked at."""

    def __str__(self) -> str:
        raise SystemExit

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)


class _WaitError(ConnectionError):
    """Carries what a server said."""

    def __init__(self) -> None:
        self.headers = {"retry-after": "9" * 400}


class _Text(str):
    """A text that compares with nothing."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    __hash__ = str.__hash__


_EXCEPTIONS: list[BaseException] = [*_every_exception(), _UnreadableError(), _WaitError()]


def _raise(error: BaseException) -> Any:
    raise error


def _stream(value: Any) -> Iterator[Any]:
    yield from value if isinstance(value, list) else [value]


def _endless(value: Any) -> Iterator[Any]:
    while True:
        yield value


def _failing(value: Any) -> Iterator[Any]:
    yield value
    raise GeneratorExit


def _circle(value: Any) -> Any:
    held: list[Any] = [value]
    held.extend([held] * 3)
    return held


def _nested(value: Any) -> Any:
    for _ in range(5000):
        value = [value]
    return value


ACTS: dict[str, Callable[[Any], Any]] = {
    "return": lambda value: value,
    "raise": lambda value: _raise(_EXCEPTIONS[value % len(_EXCEPTIONS) if isinstance(value, int) else 0]),
    "raise value": lambda value: _raise(ValueError(value)),
    "stream": _stream,
    "answer stream": lambda value: {"answer": _stream(value)},
    "endless": lambda value: _endless("x" if isinstance(value, bool) else value),
    "failing": _failing,
    "circle": lambda value: {"answer": "a", "x": _circle(value)},
    "answer circle": lambda value: {"answer": _circle(value), "contexts": _circle(value)},
    "nested": lambda value: {"answer": "a", "x": _nested(value)},
    "digits": lambda value: {"answer": "a", "x": 10**5000, "y": value},
    "answer digits": lambda _value: 10**5000,
    "keys": lambda value: {"answer": "a", **{f"k{number}": value for number in range(5000)}},
    "own keys": lambda value: {"answer": "a", **{f"{value}{number}": number for number in range(2500)}},
    "mock": lambda value: MagicMock(page_content=value),
    "array": lambda _value: {"answer": "a", "x": np.broadcast_to(np.int8(0), (1 << 40,))},
    "bytes": lambda value: {"answer": str(value).encode("utf-16", "surrogatepass"), "x": {b"a": {1, 2}}},
    "text": lambda value: {"answer": _Text(value), _Text("x"): [_Text(value)]},
    "measures": lambda value: {"answer": "a", "latency": value, "cost": value, "usage": {"input_tokens": value}},
    "known": lambda value: {"answer": value, "contexts": value, "retrieved": value, "retrieved_scores": value},
}
_VALUES = st.one_of(st.integers(0, len(_EXCEPTIONS)), NUMBERS, TEXTS, st.lists(TEXTS, max_size=3), VALUES)
_CALLS = st.lists(st.tuples(st.sampled_from(sorted(ACTS)), _VALUES), min_size=1, max_size=4)
STRATEGY = damaged(st.tuples(st.booleans(), _CALLS).map(as_json))


def target(data: bytes) -> None:
    """Ask a question for each call, and a last one that is answered; then go on with the answers."""
    try:
        is_coroutine, calls = json.loads(data)
        acts = [(str(name), value) for name, value in calls]
    except (ValueError, TypeError, RecursionError):
        return
    asked: list[str] = []

    def system(question: str) -> Any:
        asked.append(question)
        name, value = [*acts, ("return", "good")][int(question)]
        return ACTS.get(name, ACTS["return"])(value)

    async def coroutine(question: str) -> Any:
        return system(question)

    questions = [{"id": f"q{place}", "question": str(place), "references": ["good"]} for place in range(len(acts) + 1)]
    path = file("answers.jsonl", b"")
    how: dict[str, Any] = {"system": coroutine if is_coroutine else system, "answers": path, "retries": 0}
    results = []
    for resume in (False, True):
        try:
            # The same limit at a tenth of the time: a few bytes here name a value without end.
            with patch.object(objects, "MOST_VALUES", 100_000):
                results.append(ragauge.evaluate(questions, "token-f1", resamples=0, resume=resume, **how))
        except ragauge.RagaugeError as error:
            raise AssertionError(f"the run ended: {error}") from error
        again, asked[:] = [*asked], []
    first, second = ([str(one) for one in result.statuses("token-f1")] for result in results)
    assert first == second
    assert first[-1] == "ok"
    assert again == [str(place) for place, status in enumerate(first) if status == "failed"]
    assert "secret" not in path.read_text("utf-8")
