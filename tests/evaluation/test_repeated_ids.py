"""Rows that share an id: what is read at once, and what stays an error."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import ragauge
from ragauge.engines.evaluate import samples_of
from ragauge.errors import DataError
from ragauge.evaluation.repeated_ids import rows_apart
from ragauge.evaluation.request import RunRequest

ONE = {"id": "1", "question": "谁种茶？", "answer": "林婉", "references": ["林婉"]}
TWO = {"id": "2", "question": "몇 시?", "answer": "9시", "references": ["10시"]}


def evaluated(rows: list[dict[str, Any]], **options: Any) -> ragauge.Result:
    return ragauge.evaluate(rows, "exact-match", **options)


def test_rows_equal_in_every_column_are_read_once() -> None:
    result = evaluated([ONE, TWO, ONE, TWO, ONE])
    alone = evaluated([ONE, TWO])
    assert result.table[0] == alone.table[0]
    assert "3 rows are equal in every column to an earlier one with the same id, and read once: row 3, 4, 5" in (
        result.data.notes
    )
    assert result.to_arrow()["id"].to_pylist() == ["1", "2"]
    assert result.to_arrow().column_names == alone.to_arrow().column_names
    assert result.data.mapping == alone.data.mapping


def test_the_id_keeps_the_name_that_it_has_in_the_data(tmp_path: Path) -> None:
    path = tmp_path / "qa.csv"
    path.write_text("질문 ID,질문,답변,정답\n7,몇 시?,9시,9시\n7,몇 시?,9시,9시\n", encoding="utf-8")
    result = ragauge.evaluate(path, "exact-match", map={"id": "질문 ID"}, resamples=0)
    assert result.to_arrow()["id"].to_pylist() == ["7"]
    assert dict(result.data.mapping)["id"] == "질문 ID"


def test_several_answers_to_a_question_are_samples_with_intervals_by_question() -> None:
    other = {**ONE, "answer": "无"}
    rows = [ONE, other, TWO, {**TWO, "answer": "10시"}, {**ONE, "id": "3"}]
    result = evaluated(rows)
    as_repeats = evaluated(
        [
            {**row, "id": f"{row['id']}#{number}", "question_id": row["id"]}
            for row, number in zip(rows, "12121", strict=True)
        ],
        cluster="question_id",
    )
    assert result.to_arrow()["id"].to_pylist() == ["1#1", "1#2", "2#1", "2#2", "3#1"]
    assert result.table[0].value == as_repeats.table[0].value == 0.6
    assert (result.table[0].low, result.table[0].high) == (as_repeats.table[0].low, as_repeats.table[0].high)
    assert result.options["cluster"] == "question_id"
    assert not [note for note in result.data.notes if note.startswith("unused columns")]
    # Also for ragauge.repeats.
    assert "3 questions by question_id, 5 answers" in repr(ragauge.repeats(result))


def test_rows_with_other_questions_are_samples_of_a_group() -> None:
    rows = [ONE, {**TWO, "id": "1"}, {**ONE, "id": "2", "question": "哪里？"}, {**TWO}]
    result = evaluated(rows)
    assert result.table[0].value == 0.5
    assert result.options["cluster"] == "group_id"
    assert result.data.rows == 4
    assert [note for note in result.data.notes if note.startswith("rows with the same id have different questions")]
    # A cluster of the user's own stays.
    assert evaluated([{**row, "c": row["question"]} for row in rows], cluster="c").options["cluster"] == "c"


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param([ONE, {**ONE, "answer": "无", "references": ["无"]}], id="other references"),
        pytest.param([{**ONE, "rater": "x"}, {**ONE, "rater": "y"}], id="equal answers"),
        pytest.param([ONE, {**ONE, "contexts": ["茶"]}], id="other passages"),
        pytest.param([ONE, {**ONE, "answer": "无"}, {**ONE, "question": "哪里？"}], id="both"),
        pytest.param([{**ONE, "question": None}, {**ONE, "question": None, "references": ["x"]}], id="no question"),
    ],
)
def test_what_has_no_single_reading_stays_an_error(rows: list[dict[str, Any]]) -> None:
    with pytest.raises(DataError, match="id '1' is already that of row 1") as error:
        evaluated(rows)
    assert "drop_duplicates" not in str(error.value)


def test_what_is_strict_or_read_once_stays_an_error() -> None:
    for options in ({"strict": True}, {"turns": True}):
        with pytest.raises(DataError):
            evaluated([ONE, ONE], **options)
    with pytest.raises(DataError):
        evaluated(iter([ONE, ONE]))  # type: ignore[arg-type]
    assert rows_apart(RunRequest(data=[ONE]), DataError("RG-DATA-112 another"), samples_of) is None


def test_a_column_of_groups_that_the_user_names_is_not_unused() -> None:
    result = evaluated([ONE, {**ONE, "answer": "无"}], map={"group_id": "id"})
    assert not [note for note in result.data.notes if note.startswith("unused columns")]
