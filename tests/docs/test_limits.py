"""The limits that docs/reliability.md states are those of the code."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

LINES = (Path(__file__).parents[2] / "docs" / "reliability.md").read_text("utf-8").splitlines()


def whole(number: int) -> str:
    return f"{number:,}"


def mebibytes(number: int) -> str:
    assert number % (1 << 20) == 0
    return f"{number >> 20} MiB"


@pytest.mark.parametrize(
    ("what", "constants", "words"),
    [
        ("a row, a line or a quoted CSV field", ["formats.opening.LONGEST"], "{0}"),
        ("a JSON file that is one object", ["formats.json_text._LONGEST_DOCUMENT"], "{0}"),
        ("columns of a file", ["formats.source.MOST_COLUMNS"], "{0}"),
        ("fields that a row lacks", ["formats.source.MOST_ABSENT"], "{0}, and 16 more for each field that is there"),
        ("problems that one error lists", ["formats.reading.MOST_PROBLEMS"], "reading stops after {0} rows"),
        ("a compressed TREC run", ["formats.opening.LONGEST", "formats.opening._MOST_EXPANDED"], "{0} and {1} times"),
        (
            "a workbook",
            ["formats.opening.LONGEST", "formats.workbook._MOST_TEXT", "formats.workbook._MOST_EXPANDED"],
            "{0}, with long texts {1}, and {2} times",
        ),
        ("a cell of a workbook", ["formats.workbook._LONGEST_CELL"], "{0} characters"),
        (
            "comparisons of sentences for one sample",
            ["grounding.support.scorer.MOST_BY_FEATURES", "grounding.support.scorer.MOST_COMPARED"],
            "{0} by features, else {1}",
        ),
        ("comparisons of characters or tokens", ["metrics.text._references.MOST_STEPS"], "{0}"),
        (
            "tokens of an answer, once for each",
            ["metrics.text._references._MOST_REPEATED", "metrics.text._references._REPEATED"],
            "{0}, or {1} times the sample's tokens",
        ),
        ("pairs of `contexts` and `reference_contexts`", ["metrics.retrieval._ranked._MOST_PAIRS"], "{0}"),
        ("references of one sample", ["metrics.rag._answer_pairs._MOST_REFERENCES"], "{0}"),
        ("evidence shown for more than 100 sentences", ["grounding.notes._SHOWN"], "{0} characters"),
    ],
)
def test_a_limit(what: str, constants: list[str], words: str) -> None:
    [line] = [line for line in LINES if line.startswith(f"| {what}")]
    held = [getattr(import_module(f"ragauge.{name.rpartition('.')[0]}"), name.rpartition(".")[2]) for name in constants]
    form = mebibytes if "MiB" in line.split("|")[2] else whole
    texts = [form(number) if number >= 1000 else str(number) for number in held]
    assert f" {words.format(*texts)}" in line.split("|")[2]
    assert ("evidence" in what) == (f"more than {import_module('ragauge.grounding.notes')._MOST_REPEATED} " in line)
