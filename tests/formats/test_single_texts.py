"""One text in the place of a list of passages."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import ragauge
from ragauge.core.batch import concatenated
from ragauge.errors import DataError
from ragauge.formats import read
from tests.frameworks.reading import framework

TEXTS = ["Tea grows here.", "茶产于云南。", "چای", "Чай растёт.", "चाय", "ชา"]


@pytest.mark.parametrize("kind", ["rows", "pandas", "polars", "arrow"])
def test_one_text_is_one_passage_with_a_note(kind: str) -> None:
    rows: list[dict[str, Any]] = [{"question": "?", "answer": one, "contexts": one} for one in [*TEXTS, None]]
    table = pa.Table.from_pylist(rows)
    data: Any = {"rows": rows, "arrow": table}.get(kind)
    if data is None:
        data = framework(kind, kind).DataFrame(table.to_pydict())
    result = read(data)
    passages = concatenated(result.batches()).column("contexts").to_pylist()
    assert passages == [*([one] for one in TEXTS), None]
    assert result.notes == (
        "contexts: 6 fields are one text, read as one passage; if it holds several, pass split={'contexts': '|||'}",
    )


def test_texts_beside_lists_are_passages_and_empty_ones_are_none() -> None:
    rows = [{"retrieved_contexts": one} for one in ("茶。", ["a", "b"], "", None)]
    data = read(rows)
    assert concatenated(data.batches()).column("contexts").to_pylist() == [["茶。"], ["a", "b"], [], None]
    assert data.notes[0].startswith("contexts (from retrieved_contexts): 2 fields are one text, read as one passage")


def test_a_text_that_begins_as_a_list_does_is_an_error_beside_lists() -> None:
    with pytest.raises(DataError, match="must be a list of passages; got one text"):
        read([{"contexts": "[1] Tea."}, {"contexts": ["a"]}])


def test_scores_are_those_of_the_lists() -> None:
    rows = [{"answer": one, "contexts": one} for one in TEXTS]
    lists = [{**row, "contexts": [row["contexts"]]} for row in rows]
    both = [ragauge.evaluate(some, "groundedness", resamples=0)["groundedness"].value for some in (rows, lists)]
    assert both[0] == both[1]
