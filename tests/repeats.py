"""Values that show one rule again and again: the README's tests take the first, the long tests the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis.strategies import SearchStrategy

from tests import fresh


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


def one_case_of_each(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """Return one case of each test, which the seed of the run draws; a long one where there is no other."""
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    quick = ([one for one in many if not one.get_closest_marker("long")] or many for many in cases.values())
    return [Random(f"{fresh.seed()} {one[0].nodeid}").choice(one) for one in quick]  # noqa: S311 - nothing secret
