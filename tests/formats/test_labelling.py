"""Label Studio and Argilla: what was shown to people, and what they said, under the names of their questions."""

from __future__ import annotations

from typing import Any

from ragauge.formats import read
from tests.frameworks.reading import rows

TASK: dict[str, Any] = {"id": 7, "data": {"question": "谁？", "answer": "林婉。"}, "annotations": []}


def ids_of(source: Any) -> list[str]:
    return [one for batch in read(source).batches() for one in batch.column("id").to_pylist()]


def control(name: str, kind: str, value: Any) -> dict[str, Any]:
    return {"from_name": name, "to_name": "answer", "type": kind, "value": {kind: value}}


def test_each_control_is_a_column() -> None:
    comment = {"from_name": "why", "type": "textarea", "value": {"text": ["正确"]}}
    result = [control("grade", "choices", ["correct"]), control("stars", "rating", 4), comment]
    labelled = {**TASK, "annotations": [{"was_cancelled": True, "result": []}, {"result": result}]}
    [row] = rows([labelled])
    assert (row["question"], row["answer"]) == ("谁？", "林婉。")
    assert ids_of([labelled]) == ["7"]
    assert (row["grade"], row["stars"], row["why"]) == ("correct", 4, "正确")


def test_several_choices_are_a_list_and_a_task_without_labels_has_none() -> None:
    one, other = {**TASK, "annotations": [{"result": [control("tags", "choices", ["a", "b"])]}]}, {**TASK, "id": 8}
    first, second = rows([one, other])
    assert "b" in str(first["tags"])
    assert "tags" not in second


def test_records_of_argilla() -> None:
    record = {"id": "r", "fields": {"question": "누가?", "answer": "안나."}, "metadata": None, "suggestions": {}}
    [row] = rows([{**record, "responses": {"quality": [{"value": 3}, {"value": 1}], "empty": []}}])
    assert (row["question"], row["answer"], row["quality"]) == ("누가?", "안나.", 3)
    assert "empty" not in row
