"""The evidence of the samples of a page, by column."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ragauge.core.messages import Message, Spelled
from ragauge.reports.segments import SegmentColumns, in_all_wordings
from ragauge.results.evidence import StoredEvidence, version_of
from ragauge.results.notes import restored

ROWS: list[dict[str, Any]] = [
    {
        "metric": "b",
        "id": "2",
        "what": "answer",
        "text": "Tea.",
        "best": None,
        "similarity": 0.12344,
        "supported": None,
    },
    {"metric": "a", "id": "1", "what": "answer", "text": "Tea.", "best": "Tea", "similarity": 1.0, "supported": True},
    {"metric": "a", "id": "1", "what": "answer", "text": "No.", "best": "Tea", "similarity": None, "supported": False},
    {"metric": "gone", "id": "1", "what": "answer", "text": "", "best": "", "similarity": 0.0, "supported": True},
    {"metric": "a", "id": "elsewhere", "what": "x", "text": "x", "best": "x", "similarity": 0.0, "supported": True},
]


def segments(source: Path | Sequence[pa.Table] = ()) -> SegmentColumns:
    tables = source or [pa.Table.from_pylist(ROWS)]
    evidence = StoredEvidence(tables, version_of(source.stat()) if isinstance(source, Path) else None)
    return SegmentColumns.of(evidence, pa.array(["1", "0", "2"]), {"a": 5, "b": 3}, restored)


def listed(held: SegmentColumns, name: str) -> list[Any]:
    values, codes = held.column(name)
    return [values[code] for code in codes]


def test_each_sample_has_the_segments_of_its_metrics_in_their_order() -> None:
    held = segments()
    assert held.rows.lengths.tolist() == [2, 0, 1]
    assert listed(held, "metric") == [5, 5, 3]
    assert listed(held, "text") == ["Tea.", "No.", "Tea."]
    assert listed(held, "similarity") == [1.0, None, 0.1234]
    assert listed(held, "supported") == [True, False, None]
    assert listed(held, "why") == [None] * 3, "the run keeps none"
    assert listed(held.at([2, 0]), "text") == ["Tea.", "Tea.", "No."]


def test_evidence_of_a_file_is_the_same_whatever_its_groups_of_rows(tmp_path: Path) -> None:
    """A file holds texts as places in what differs, in each group of rows others; an old one has no reasons."""
    reasons = [None, "b", None, "a", "b"]
    rows: list[dict[str, Any]] = [{**row, "why": why} for row, why in zip(ROWS, reasons, strict=True)]
    for given in (ROWS, rows):
        table, path = pa.Table.from_pylist(given), tmp_path / "evidence.parquet"
        pq.write_table(table, path, row_group_size=2)
        in_memory, in_file = (segments(source) for source in ([table], path))
        assert in_file.rows.lengths.tolist() == in_memory.rows.lengths.tolist()
        for name in in_memory.codes:
            assert listed(in_file, name) == listed(in_memory, name)
    assert listed(in_file, "why") == ["b", None, None]


def test_a_value_stands_once_for_each_sample_that_has_it() -> None:
    pairs, which = segments().at([2, 0]).distinct("best")
    assert [pairs[place] for place in which] == [(0, None), (1, "Tea"), (1, "Tea")]
    assert len(pairs) == 2


def test_messages_of_one_english_text_keep_their_own_wordings() -> None:
    said = "answer sentence"
    worded = list(map(in_all_wordings, [Message(said), "of the data", Spelled(said, "--sentence"), None, said]))
    assert worded == [(said, "回答的句子"), "of the data", said, None, (said, "回答的句子")]
