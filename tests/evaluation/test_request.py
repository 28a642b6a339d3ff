"""A request is what `ragauge.evaluate` is called with, and is checked before anything is read."""

from __future__ import annotations

import inspect
from dataclasses import fields
from typing import Any

import pytest

import ragauge
from ragauge.errors import OptionError, UsageError
from ragauge.evaluation.request import RunRequest


def test_its_fields_are_the_arguments_of_evaluate() -> None:
    arguments = inspect.signature(ragauge.evaluate).parameters.values()
    assert [(one.name, one.default) for one in arguments] == [(one.name, one.default) for one in fields(RunRequest)]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"run": "run.trec"}, "run needs qrels"),
        ({"qrels": "qrels.txt"}, "qrels needs run"),
        ({"run": "run.trec", "qrels": "qrels.txt", "split": {"contexts": ";"}}, "split has no effect on a run"),
        ({"run": "run.trec", "qrels": "qrels.txt", "format": "csv"}, "format has no effect on a run"),
        ({"data": [], "resume": True, "rate": "1/s"}, "rate, resume has no effect without a system"),
        ({"data": [], "parts": "parts", "workers": 2, "system": str.strip}, "kept by answers"),
        ({"metrics": "bleu", "preset": "rag"}, "give metrics or a preset, not both"),
    ],
)
def test_arguments_that_do_not_go_together_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        RunRequest(**options)


@pytest.mark.parametrize(
    ("options", "allowed"),
    [
        ({"concurrency": 0}, "a whole number from 1 to 1024; got 0"),
        ({"retries": True}, "a whole number from 0 to 20; got True"),
        ({"timeout": float("inf")}, "a number of seconds above 0; got inf"),
        ({"rate": "10/day"}, "a number of calls per second, minute or hour, as in '10/s'"),
        ({"parts": 3}, "a folder; got 3"),
        ({"map": {"answer": 3}}, "names of columns as keys and texts as values; got {'answer': 3}"),
        ({"split": {"references": 3}}, "names of columns as keys and texts as values; got {'references': 3}"),
        (
            {"encoding": "foo"},
            "the name of an encoding of texts, such as gb18030, big5, cp932, cp949 or cp1252",
        ),
    ],
)
def test_each_argument_is_checked_as_an_option(options: dict[str, Any], allowed: str) -> None:
    with pytest.raises(OptionError, match="of evaluate must be") as caught:
        RunRequest(data=[], **options)
    assert allowed in str(caught.value)


def test_parts_need_workers() -> None:
    with pytest.raises(UsageError, match="parts keeps what workers finish; pass workers, or leave it out"):
        RunRequest(data=[], parts="folder")
