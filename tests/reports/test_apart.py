"""Groups are named where they are worse than the rest, and not by chance."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ragauge
from ragauge.reports.runs import Page, load_runs
from ragauge.reports.sections.apart import ApartGroups, apart_groups
from ragauge.reports.texts import Texts

BINARY = "hit=column:name=x,low=0,high=1"


def apart(data: list[dict[str, Any]], metrics: Any = BINARY, **more: Any) -> ApartGroups:
    return apart_groups(Page.of(load_runs(ragauge.evaluate(data, metrics, by="group", **more)), Texts()))


def samples(**groups: list[float]) -> list[dict[str, Any]]:
    return [
        {"id": f"{name}-{place}", "x": x, "group": name} for name, xs in groups.items() for place, x in enumerate(xs)
    ]


def test_one_miss_in_a_small_group_is_chance() -> None:
    groups = {name: [1.0] * 8 for name in ("en", "ja", "ko", "ru", "ar", "hi", "th")}
    looked = apart(samples(zh=[1.0] * 7 + [0.0], **groups))
    assert looked.groups == []
    assert looked.method is not None
    assert looked.method.values == {"groups": "8", "metrics": "1", "tests": "8"}
    [named] = apart(samples(zh=[0.0] * 7 + [1.0], **groups)).groups
    assert (named.group, [rest for *_, rest in named.metrics]) == ("zh", [1.0])


def test_the_more_groups_are_looked_at_the_larger_a_difference_must_be() -> None:
    bad, good = [1.0] * 7 + [0.0] * 5, [1.0] * 11 + [0.0]
    assert [one.group for one in apart(samples(a=bad, b=good * 3)).groups] == ["a"]
    assert apart(samples(a=bad, **{f"g{place}": good for place in range(30)})).groups == []


@pytest.mark.costly
def test_chance_names_a_group_in_few_of_many_pages() -> None:
    """Of 100 data without any difference at most 5 % may name one."""
    random = np.random.default_rng(0)
    pages = 0
    for _ in range(100):
        xs = (random.random(60) < 0.9).astype(float)
        pages += bool(apart([{"id": str(place), "x": x, "group": place % 6} for place, x in enumerate(xs)]).groups)
    assert pages <= 5


@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_the_worse_side_depends_on_the_direction(direction: str) -> None:
    data = samples(a=[0.8, 0.9, 0.7, 0.9, 0.8, 0.9], b=[0.1, 0.2, 0.1, 0.2, 0.1, 0.3])
    [named] = apart(data, f"x=column:name=x,direction={direction}").groups
    assert named.group == {"higher": "b", "lower": "a"}[direction]


def test_samples_of_a_cluster_count_as_one() -> None:
    """Twelve samples of two clusters are no twelve independent ones."""
    data = samples(a=[0.0] * 12, b=[1.0] * 8 + [0.0] * 4)
    assert [one.group for one in apart(data).groups] == ["a"]
    clustered = [row | {"document": f"{row['group']}{place % 2}"} for place, row in enumerate(data)]
    assert apart(clustered, cluster="document").groups == []


def test_metrics_that_are_no_mean_of_samples_are_not_looked_at() -> None:
    data = [{"id": str(place), "answer": "a b c", "references": ["a b c"], "group": place % 2} for place in range(20)]
    assert apart(data, "bleu").method is None


def test_a_group_of_fewer_than_five_samples_is_not_looked_at() -> None:
    good = [1.0] * 40
    assert apart(samples(a=[0.0] * 4, b=good)).groups == []
    assert [one.group for one in apart(samples(a=[0.0] * 5, b=good)).groups] == ["a"]
