"""``tokenizer=none``: answers and references that are lists of tokens."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import ragauge
from tests.approved import pattern

NONE = "bleu:order=2,tokenizer=none"
ROWS: list[dict[str, Any]] = [
    {"answer": ["the", "cat", "sat"], "references": [["the", "cat", "sat"], ["a", "cat"]]},
    {"answer": ["猫", "坐"], "references": [["狗", "跑"]]},
]


def test_one_sample() -> None:
    assert ragauge.score(NONE, answer=["a", "b"], references=[["a", "b"]]) == 1.0


def test_columns_equal_the_same_words_with_spaces_between() -> None:
    columns = {name: [row[name] for row in ROWS] for name in ("answer", "references")}
    spaced = [
        {"answer": " ".join(row["answer"]), "references": [" ".join(one) for one in row["references"]]} for row in ROWS
    ]
    expected = ragauge.evaluate(spaced, "bleu:order=2,tokenizer=whitespace", resamples=0).table[0].value
    assert ragauge.score(NONE, **columns) == expected


@pytest.mark.parametrize("form", ["rows", "arrow", "jsonl"])
def test_every_way_in(form: str, tmp_path: Path) -> None:
    data: object = ROWS
    if form == "arrow":
        data = pa.Table.from_pylist(ROWS)
    if form == "jsonl":
        data = tmp_path / "tokens.jsonl"
        (tmp_path / "tokens.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    result = ragauge.evaluate(data, NONE)
    assert result[NONE].scored == 2
    result.save(tmp_path / "run")
    assert ragauge.load(tmp_path / "run")[NONE].value == result[NONE].value


def test_one_list_is_one_reference() -> None:
    rows = [{"answer": row["answer"], "references": row["references"][0]} for row in ROWS]
    assert ragauge.evaluate(rows, "rouge-1:tokenizer=none", resamples=0).table[0].value == 0.5


def test_text_is_refused_with_the_shape() -> None:
    with pytest.raises(ragauge.DataError, match=pattern("evaluation.list_of_dicts_answer_must_be_a")):
        ragauge.evaluate([{"answer": "a b", "references": [["a"]]}], NONE)


@pytest.mark.parametrize("other", ["rouge-1", "chrf", "exact-match", "edit-similarity"])
def test_not_beside_metrics_that_read_texts(other: str) -> None:
    with pytest.raises(ragauge.UsageError, match=f"{other} reads texts; score them in two runs"):
        ragauge.evaluate(ROWS, [NONE, other])
