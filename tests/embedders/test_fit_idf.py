"""``ragauge fit-idf``: another table from the user's own corpus."""

import json
from typing import Any

import numpy as np
import pytest

from ragauge.cli import main
from ragauge.embedders import get, ngrams


@pytest.fixture
def ran(tmp_path: Any, capsys: Any) -> Any:
    def run(rows: Any, *options: Any, output: Any = "own.idf") -> Any:
        (tmp_path / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        with pytest.raises(SystemExit) as ended:
            main(["fit-idf", str(tmp_path / "data.jsonl"), "-o", str(tmp_path / output), *options])
        return ended.value.code, capsys.readouterr().err

    return run


ROWS = [
    {"id": "1", "question": "甲乙", "contexts": ["甲丙", "甲丁"], "language": "zh", "note": "戊己"},
    {"id": "2", "question": "甲乙", "contexts": None, "language": "ja", "note": None},
]


def test_the_table_is_made_of_the_distinct_texts_and_is_used_by_name(ran: Any, tmp_path: Any) -> None:
    code, said = ran(ROWS)
    assert code == 0
    assert "3 distinct texts of question, contexts" in said
    table = ngrams.load(tmp_path / "own.idf")
    np.testing.assert_array_equal(table.levels, ngrams.fit({"x": ["甲丁", "甲丙", "甲乙"]}).levels)
    embedder = get(f'lexical[idf="{tmp_path / "own.idf"}"]')
    assert embedder.signature == f"lexical[idf={table.digest},revision=1]" != get("lexical").signature
    assert table.digest in said


def test_columns_and_groups_are_chosen(ran: Any, tmp_path: Any) -> None:
    code, _ = ran(ROWS, "--column", "question", "--column", "note", "--by", "language")
    assert code == 0
    assert ngrams.load(tmp_path / "own.idf").made_of == {"texts": {"ja": 1, "zh": 2}}


def test_a_table_is_not_overwritten(ran: Any) -> None:
    assert ran(ROWS)[0] == 0
    code, said = ran(ROWS)
    assert code == 2
    assert "--force" in said
    assert ran(ROWS, "--force")[0] == 0


@pytest.mark.parametrize("option", ["--column", "--by"])
def test_a_column_that_is_not_there_is_said(ran: Any, option: Any) -> None:
    code, said = ran(ROWS, option, "languag")
    assert code == 2
    assert "did you mean language" in said


def test_data_without_texts_are_said(ran: Any) -> None:
    code, said = ran([{"id": "1", "retrieved": ["a"]}])
    assert code == 2
    assert "--column NAME" in said
    code, said = ran([{"id": "1", "question": None, "answer": None}, {"id": "2", "question": None, "answer": None}])
    assert code == 3
    assert "no text" in said
