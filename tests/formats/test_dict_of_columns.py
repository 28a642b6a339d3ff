"""Dicts of columns, and of one row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragauge.core.batch import concatenated
from ragauge.formats import read
from ragauge.formats.dict_of_columns import is_columns, singular_names


@pytest.mark.parametrize("passages", [["Tea.", "Rum."], [["Tea."], ["Rum."]]])
@pytest.mark.parametrize("names", [("questions", "answers"), ("问题", "回答")])
def test_columns_in_the_plural_and_passages_of_one_text(
    names: tuple[str, str], passages: list[Any], tmp_path: Path
) -> None:
    document = {names[0]: ["谁？", "哪里？"], names[1]: ["林", None], "contexts": passages}
    (tmp_path / "a.json").write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    for source in (document, tmp_path / "a.json"):
        data = read(source)
        batch = concatenated(data.batches())
        assert batch.column("question").to_pylist() == ["谁？", "哪里？"]
        assert batch.column("answer").to_pylist() == ["林", None]
        assert batch.column("contexts").to_pylist() == [["Tea."], ["Rum."]]
        assert data.mapping["answer"] == names[1]


def test_one_row_and_columns_of_another_length() -> None:
    assert not is_columns({"question": "Who?", "contexts": ["Tea.", "Rum."]})
    assert not is_columns({"question": ["Who?", "Where?"], "contexts": ["Tea."]})
    assert not is_columns({"question": [{"role": "user"}, {"role": "assistant"}], "contexts": ["Tea.", "Rum."]})
    assert not is_columns({})


def test_answers_alone_or_of_lists_keep_their_name() -> None:
    assert singular_names({"question": ["Who?"], "answers": ["Anna."]}) == {}
    assert singular_names({"questions": ["Who?"], "answers": [["Anna."]]}) == {}
    assert singular_names({"questions": ["Who?"], "answers": ["Anna."], "response": ["Lin."]}) == {}
