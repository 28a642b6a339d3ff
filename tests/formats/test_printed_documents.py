"""Lists of documents as Python prints them: what is read, and what is not such a list."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragauge.errors import DataError
from ragauge.formats import read
from ragauge.formats.printed_documents import are_printed, texts_of_printed


@pytest.mark.parametrize(
    ("printed", "texts"),
    [
        ("[Document(metadata={'a': [1]}, page_content='茶\\n')]", ["茶\n"]),
        ("[Document(page_content=\"it's\"), Document(page_content='чай')]", ["it's", "чай"]),
        ("[NodeWithScore(node=TextNode(id_='1', text='ชา'), score=0.5)]", ["ชา"]),
        ("[Document(page_content=1)]", None),
        ("[Document(), 'tea']", None),
        ("[Document(page_content='tea'", None),
        ("[" + "A(x=" * 20_000, None),
    ],
)
def test_what_is_read(printed: str, texts: list[str] | None) -> None:
    assert are_printed(printed)
    assert texts_of_printed(printed) == texts


def test_a_list_that_is_cut_is_an_error_and_other_brackets_are_text(tmp_path: Path) -> None:
    path = tmp_path / "cut.csv"
    path.write_text("answer,contexts\na,[Document(page_content='tea'\n")
    with pytest.raises(DataError, match="holds objects as Python prints them, which cannot be read; write lists as"):
        read(path)
    assert not are_printed("[1] Tea is green (always).")


def test_nothing_is_called(capsys: pytest.CaptureFixture[str]) -> None:
    assert texts_of_printed("[Document(page_content=print('x'))]") is None
    assert capsys.readouterr().out == ""
