"""The samples of a page in parts: an index for the list, and chunks of the rest."""

from __future__ import annotations

import json
from typing import Any
from unittest.mock import Mock

import pytest

from ragauge.reports.chunks import CHUNK, Passages, in_chunks
from ragauge.reports.json_columns import json_of
from ragauge.reports.payload import payload
from ragauge.reports.runs import Page, Run, select
from ragauge.reports.texts import Texts
from tests.reports.reading import rows_of
from tests.reports.runs import make_result, rows

INDEXED = {"ids", "questions", "languages", "columns", "by_run"}


def page(count: int) -> dict[str, Any]:
    runs = tuple(Run(name, make_result(rows(count, seed=seed)), {}) for seed, name in enumerate(("before", "after")))
    whole = Page.of(runs, Texts())
    return payload(whole, select(whole, count))


def written(given: dict[str, Any], size: int = CHUNK) -> list[Any]:
    return [json.loads(json_of(part)) for part in in_chunks(given, size)]


@pytest.mark.parametrize(("size", "lengths"), [(1, [1] * 7), (3, [3, 3, 1]), (7, [7]), (100, [7])])
def test_rows_are_those_of_one_chunk_however_they_are_cut(size: int, lengths: list[int]) -> None:
    given = page(7)
    metrics = [metric["name"] for metric in given["metrics"]]
    [index, whole] = written(given)
    same, *chunks = written(given, size)
    assert same == index
    assert [len(chunk["by_run"]) for chunk in chunks] == lengths
    rows = [row for chunk in chunks for row in rows_of(chunk, metrics)]
    assert rows == rows_of(whole, metrics)
    assert all(run["evidence"] and run["parts"] for row in rows for run in row["by_run"])


def test_the_index_is_all_that_the_list_needs() -> None:
    index, *_ = in_chunks(page(5))
    assert index.keys() >= INDEXED
    assert not index.keys() & {"passages", "references", "reference_contexts", "relevance"}
    assert [set(run) for run in index["by_run"]] == [{"answers", "scores", "status", "failure"}] * 2


def test_a_passage_stands_once_in_the_first_row_that_has_it() -> None:
    given = page(9)
    _, chunk = written(given)
    metrics = [metric["name"] for metric in given["metrics"]]
    known: list[str] = []
    for row in rows_of(chunk, metrics):
        known += row.get("passages", [])
        contexts = [context for run in row["by_run"] for context in run["contexts"]]
        assert all(context["passage"] < len(known) for context in contexts)
    assert len(known) == len(set(known))
    assert sorted(known) == sorted(given["passages"])


def test_a_sentence_that_several_metrics_quote_is_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    given = page(6)
    quoted = Mock(wraps=Passages({}).quoted)
    monkeypatch.setattr(Passages, "quoted", quoted)
    list(in_chunks(given))
    best = sum(len(run["evidence"].column("best")[1]) for run in given["by_run"])
    assert 0 < quoted.call_count < best
