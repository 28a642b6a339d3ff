"""Numbers of passages in the column citations that count from 0, over all samples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import ragauge
from ragauge.core.batch import Batch, Dataset
from ragauge.engines.prepare import prepare
from ragauge.evaluation.citation_numbers import counted_from_one
from ragauge.evaluation.request import RunRequest

OPENED, DESIGNED = "The bridge opened in 1932.", "Maria Olsen designed the bridge."


def row(answer: str, cited: Any, **more: Any) -> dict[str, Any]:
    return {"answer": answer, "contexts": [OPENED, DESIGNED], "citations": [{"text": answer, "citations": cited}],
            **more}  # fmt: skip


@pytest.mark.parametrize("written", [False, True])
def test_a_zero_in_one_sample_tells_of_all(written: bool, tmp_path: Path) -> None:
    rows = [row(DESIGNED, [1]), row(OPENED, [0])]
    if written:
        rows = [{**one, "citations": json.dumps(one["citations"])} for one in rows]
    for source in (rows, tmp_path / "rows.jsonl"):
        if isinstance(source, Path):
            source.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
        result = ragauge.evaluate(source, ["citation-recall", "citation-precision"])
        assert [one.value for one in result.table] == [1, 1]
        assert "citations count passages from 0, as 1 sample has a 0, the first of them " in " ".join(result.data.notes)
        assert ragauge.evaluate(result, ["citation-recall"]).table[0].value == 1


@pytest.mark.parametrize("rows", [[row(DESIGNED, [2]), row(OPENED, [1])], [row(DESIGNED, [2]), row(OPENED, [0, 1])]])
def test_ranks_from_1_stay_also_beside_one_0(rows: list[dict[str, Any]]) -> None:
    result = ragauge.evaluate(rows, ["citation-recall"])
    assert (result.table[0].value, "from 0" in " ".join(result.data.notes)) == (1, False)


def test_one_0_among_many_is_a_slip() -> None:
    rows = [{**row(DESIGNED, [2]), "contexts": [OPENED, DESIGNED, "It is red."]} for _ in range(40)]
    result = ragauge.evaluate([*rows, {**row(OPENED, [0]), "contexts": rows[0]["contexts"]}], ["citation-recall"])
    assert result.table[0].value == pytest.approx(40 / 41)
    assert "from 0" not in " ".join(result.data.notes)


def test_ids_are_no_numbers() -> None:
    rows = [row(OPENED, ["0", 0], retrieved=["0", "1"]), row(DESIGNED, ["1"], retrieved=["0", "1"])]
    assert ragauge.evaluate(rows, ["citation-recall"]).table[0].value == 1
    mixed = pa.table({"id": ["a", "b"], "contexts": [["x", "y", "z"]] * 2, "retrieved": [["7", "1", "c"], None],
                      "citations": [[{"text": "x", "citations": ["0", "1", "c"]}], None]})  # fmt: skip
    [batch] = counted_from_one(Dataset.of(Batch(mixed), "rows")).batches()
    assert batch.column("citations").to_pylist() == [[{"text": "x", "citations": ["1", "1", "c"]}], None]


def test_one_sample() -> None:
    assert ragauge.score("citation-recall", **row(OPENED, [0])) == 1
    assert ragauge.score("citation-recall", **row(DESIGNED, [1])) == 0


def test_tasks_of_a_cluster_count_as_the_first_rows_do() -> None:
    rows = [row(OPENED, [0], id="a"), row(DESIGNED, [1], id="b")]

    class Rows:
        source = "table"

        def head(self) -> pa.Table:
            return pa.Table.from_pylist(rows)

    prepared = prepare(Rows(), RunRequest(metrics=["citation-recall"]), scores=True)  # type: ignore[arg-type]
    assert any("count passages from 0" in note for note in prepared.data.notes)
    for one in rows:
        [scores, _] = prepared.task.rows(pa.Table.from_pylist([one]).to_batches(), 0)
        assert scores.column("citation-recall").to_pylist()[0]["score"] == 1
