"""Corpora as people have them: folders, tables, BEIR, texts in memory; and the messages where something is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragauge.errors import ColumnError, DataError, UsageError
from ragauge.testsets import draw

from .corpora import LANGUAGES, ROWS, TEXTS


def places(corpus: Any, **options: Any) -> set[tuple[str, str, str]]:
    return {(row["passage_id"], row["source"], row["language"]) for row in draw(corpus, 100, **options).rows}


def lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def test_a_folder_of_texts_in_eleven_languages(tmp_path: Path) -> None:
    for tag, told in TEXTS.items():
        (tmp_path / tag).mkdir()
        (tmp_path / tag / "tea.md").write_text(f"# {tag}\n\n{told.passage}\n", encoding="utf-8")
    (tmp_path / "en" / "logo.png").write_bytes(b"\x89PNG")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "notes.txt").write_text("Nothing of what is hidden is read, however long it is.")
    sheet = draw(tmp_path, 100)
    assert {(row["passage_id"], row["source"]) for row in sheet.rows} == {
        (f"{tag}/tea.md#1", f"{tag}/tea.md") for tag in TEXTS
    }
    by_tag = {row["source"][:2]: row for row in sheet.rows}
    # Latin, Cyrillic, Arabic and Devanagari letters write many languages, so they tell none.
    assert {tag: by_tag[tag]["language"] for tag in TEXTS} == dict.fromkeys(TEXTS, "") | {
        "zh": "zh", "ja": "ja", "ko": "ko", "th": "th",
    }  # fmt: skip
    assert all(told.passage in by_tag[tag]["passage"] for tag, told in TEXTS.items())
    assert sheet.notes[0] == "files that are not text or Markdown were left out: 1 .png"


def test_tables_keep_their_ids_and_languages(tmp_path: Path) -> None:
    expected = {(f"d-{tag}", "corpus.jsonl", tag) for tag in LANGUAGES}
    assert places(lines(tmp_path / "corpus.jsonl", ROWS)) == expected
    assert {one for one, _, _ in places(ROWS)} == {f"d-{tag}" for tag in LANGUAGES}
    assert places([TEXTS["zh"].passage]) == {("texts#1", "texts", "zh")}
    assert {tag for _, _, tag in places(ROWS, language="und")} == {"und"}


def test_every_form_of_a_table_draws_the_same(tmp_path: Path) -> None:
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pylist(ROWS)
    pq.write_table(table, tmp_path / "c.parquet")
    pd.DataFrame(ROWS).to_csv(tmp_path / "c.csv", index=False, encoding="gb18030", columns=["id", "text"])
    pd.DataFrame(ROWS).to_csv(tmp_path / "u.csv", index=False)
    drawn = [one["passage"] for one in draw(ROWS, 5).rows]
    for corpus in (table, table.to_pandas(), tmp_path / "c.parquet", tmp_path / "u.csv", iter(ROWS)):
        sheet = draw(corpus, 5)
        assert [one["passage"] for one in sheet.rows] == drawn
    sheet = draw(tmp_path / "c.csv", 100, encoding="gb18030")
    assert {row["passage"] for row in sheet.rows} == {told.passage for told in TEXTS.values()}


def test_a_beir_folder_and_documents_of_langchain(tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    rows = [{"_id": f"d{tag}", "title": f"About {tag}", "text": told.passage} for tag, told in TEXTS.items()]
    lines(tmp_path / "corpus.jsonl", rows)
    assert {(one, source) for one, source, _ in places(tmp_path)} == {(f"d{tag}", f"About {tag}") for tag in TEXTS}
    chunks = [{"page_content": TEXTS["en"].passage, "metadata": {"source": "tea.pdf", "page": 3}}]
    assert places(chunks) == {("tea.pdf#1", "tea.pdf", "")}


def test_a_file_in_another_encoding(tmp_path: Path) -> None:
    text = TEXTS["zh"].passage
    (tmp_path / "gbk.txt").write_bytes(text.encode("gb18030"))
    assert [row["passage"] for row in draw(tmp_path).rows] == [text]
    (tmp_path / "big5.txt").write_bytes(
        "雲山茶館於1990年在寺廟後面的小巷裡開業。林婉創辦了它，她來自雲南。".encode("big5")
    )
    message = r"big5\.txt: is not UTF-8 \(in cp950 \(traditional Chinese\) it reads '雲山.*\n.*encoding='big5'"
    with pytest.raises(DataError, match=message):
        draw(tmp_path)
    assert len(draw(tmp_path / "big5.txt", encoding="big5").rows) == 1


@pytest.mark.parametrize(
    ("corpus", "error", "message"),
    [
        ([{"id": "a", "words": "tea"}], ColumnError, r"no column is named as texts are; .*id, words.*text='COLUMN'"),
        ([{"text": ["a", "b"]}], DataError, r"row 1: text must be text; got a list"),
        ([{"text": "tea \ud800"}], DataError, r"row 1: text must be text; got half a character"),
        ([{"text": "tea"}], DataError, r"no passage of 40 columns or more: 0 passages of 1 document; left out"),
        ("absent.jsonl", DataError, r"absent\.jsonl: file not found"),
        (7, DataError, r"cannot read data of type int"),
    ],
)
def test_messages(corpus: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        draw(corpus)


def test_an_empty_folder_and_a_wrong_column(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"has no text or Markdown files \(.*\); it is empty\. Name a folder"):
        draw(tmp_path)
    lines(tmp_path / "a.jsonl", ROWS)
    with pytest.raises(UsageError, match=r"it has 1 \.jsonl"):
        draw(tmp_path)
    with pytest.raises(ColumnError, match=r"has no column 'body'; its columns are id, text, language"):
        draw(tmp_path / "a.jsonl", text="body")
