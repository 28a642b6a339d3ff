"""Values that show one rule again and again: the README's tests take one of them, .ci/run all.

``others_long`` and ``drawn`` leave all but the first to the long tests. Of the cases that are left, a run that names no
files has one of each test, which its seed draws; ``RAGAUGE_CASES=NUMBER`` says how many, ``RAGAUGE_CASES=all`` has all,
and so has a run of named files.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis.strategies import SearchStrategy

from tests import fresh

VARIABLE, ALL = "RAGAUGE_CASES", "all"
_CASES = 1


def others_long(values: Iterable[Any], quick: int = 1) -> list[Any]:
    """Return the values for ``parametrize``; those after the first ``quick`` make long tests."""
    return [
        value if place < quick else pytest.param(value, marks=pytest.mark.long) for place, value in enumerate(values)
    ]


def drawn(*strategies: SearchStrategy[Any], examples: tuple[int, int]) -> Callable[[Callable[..., None]], Any]:
    """Return a decorator that runs a test with few drawn values, and in the long tests with more."""

    def decorated(test: Callable[..., None]) -> Any:
        def run(most: int) -> None:
            settings(max_examples=most, deadline=None)(given(*strategies)(test))()

        run.__name__, run.__module__, run.__doc__ = test.__name__, test.__module__, test.__doc__
        return pytest.mark.parametrize("most", others_long(examples))(run)

    return decorated


def choose(config: pytest.Config) -> None:
    """Let a run that names no files have one case of each test, unless the environment says how many."""
    whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    if whole and not (config.option.keyword or config.option.markexpr or os.environ.get("RAGAUGE_LONG")):
        os.environ.setdefault(VARIABLE, str(_CASES))


def header() -> str:
    """Return the line of the header; empty where nothing is left out."""
    most = os.environ.get(VARIABLE, ALL)
    return (
        ""
        if most == ALL
        else f"at most {most} of the cases of each test, and none that is costly: {VARIABLE}=all has all"
    )


def left_out(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """Return the tests that ``RAGAUGE_CASES`` leaves out: all but so many cases of each, and costly ones.

    The seed of the run draws the cases; long ones where there are no others.
    """
    most = os.environ.get(VARIABLE, ALL)
    if most == ALL:
        return []
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    found = []
    for many in cases.values():
        wanted = [one for one in many if not one.get_closest_marker("long")] or many
        Random(f"{fresh.seed()} {many[0].nodeid}").shuffle(wanted)  # noqa: S311 - nothing secret
        found += [one for place, one in enumerate(wanted) if place >= int(most) or one.get_closest_marker("costly")]
    return found
