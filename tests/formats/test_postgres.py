"""Arrays of Postgres in a field."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragauge.core.batch import concatenated
from ragauge.formats import read
from ragauge.formats.postgres import items_of_array


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ('{"d1","d 2"}', ["d1", "d 2"]),
        ('{d1,"d, 2",NULL}', ["d1", "d, 2"]),
        ('{"a \\"b\\" \\\\ c"}', ['a "b" \\ c']),
        ('{"d1": 1}', None),
        ('{"d1"', None),
        ('{"a" "b"}', None),
        ("{'a','b'}", None),
        ('{"' + "a" * 50_000, None),
    ],
)
def test_items(text: str, items: list[str] | None) -> None:
    assert items_of_array(text) == items


def test_an_array_of_passages_is_a_list(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('answer,contexts\nAnna.,"{""Anna grows tea."",""茶是绿的。""}"\n', encoding="utf-8")
    batch = concatenated(read(path).batches())
    assert batch.column("contexts").to_pylist() == [["Anna grows tea.", "茶是绿的。"]]
