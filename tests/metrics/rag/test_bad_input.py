"""Whatever is wrong with the data has a message or a status; and nothing is asked of a network."""

from __future__ import annotations

import math
import socket
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ragauge
from ragauge.errors import ColumnError, DataError
from tests.approved import pattern

METRICS = ["groundedness", "context-precision", "context-utilization", "context-relevancy", "context-recall"]
METRICS += ["answer-relevancy", "answer-correctness", "semantic-similarity"]
FULL: dict[str, Any] = {"question": "Who?", "answer": "Lin Wan.", "contexts": ["Lin Wan."], "references": ["Lin Wan."]}


@pytest.mark.parametrize("metric", METRICS)
def test_no_network_is_touched(metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    assert 0 <= ragauge.evaluate([FULL], metric, resamples=0).table[0].value <= 1


@pytest.mark.parametrize("metric", METRICS)
def test_a_column_that_is_absent_is_named(metric: str) -> None:
    for name in FULL:
        row = {key: value for key, value in FULL.items() if key != name}
        try:
            ragauge.evaluate([row], metric, resamples=0)
        except ColumnError as error:
            assert f"{name} not found among" in str(error)  # noqa: PT017 - one that does not need it gives no error


@pytest.mark.parametrize("metric", METRICS)
def test_null_rows_are_missing(metric: str) -> None:
    score = ragauge.evaluate([FULL, dict.fromkeys(FULL)], metric, resamples=0).table[0]
    assert (score.scored, score.missing, score.total) == (1, 1, 2)


def test_contexts_of_other_shapes() -> None:
    result = ragauge.evaluate([{**FULL, "contexts": "Lin Wan."}], "groundedness", resamples=0)
    assert result.table[0].value == 1.0
    assert any("1 field is one text, read as one passage" in note for note in result.data.notes), result.data.notes
    result = ragauge.evaluate([{**FULL, "contexts": ["Lin Wan.", 3.5]}], "groundedness", resamples=0)
    assert any("number" in note for note in result.data.notes), result.data.notes
    with pytest.raises(DataError, match="contexts"):
        ragauge.evaluate([{**FULL, "contexts": ["Lin Wan.", ["3.5"], {}]}], "groundedness")
    for shape in ([{"text": "Lin Wan.", "score": 0.5, "id": "d"}], [["It rained."], ["Lin Wan."]]):
        assert ragauge.evaluate([{**FULL, "contexts": shape}], "groundedness", resamples=0).table[0].value == 1.0


def test_empty_texts_and_very_long_ones() -> None:
    long = "Lin Wan founded the tea house. " * 200
    rows = [
        {**FULL, "contexts": ["", " "]},
        {**FULL, "answer": long, "contexts": [long]},
        {**FULL, "answer": "...", "contexts": ["..."]},
    ]
    result = ragauge.evaluate(rows, METRICS, resamples=0)
    assert result.scores("groundedness").tolist() == [0.0, 1.0, 0.0]
    assert all(0 <= score <= 1 for metric in METRICS for score in result.scores(metric))


def test_a_vector_that_is_not_a_number(tmp_path: Path) -> None:
    file = tmp_path / "vectors.parquet"
    pq.write_table(pa.table({"text": ["Lin Wan."], "vector": [[math.nan, 1.0]]}), file)
    with pytest.raises(DataError, match=pattern("metrics.vectors_parquet_row_the_vector_holds_null", folder=tmp_path)):
        ragauge.evaluate([FULL], f"semantic-similarity:embedder=vectors[path={file}]")
