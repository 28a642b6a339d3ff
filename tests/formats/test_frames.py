"""Printed code for pandas reads the file as it was read, and finds the grade under any header."""

from __future__ import annotations

from pathlib import Path

import pytest

import ragauge
from ragauge.errors import ColumnError
from ragauge.formats import peek, read

pandas = pytest.importorskip("pandas")

_NOTES = {
    "de": ("sep=;\nFrage;doc_id;rank;Größe\n", "Was frisst ein Bär ", ("1", "0"), "cp1252"),
    "ko": ("question;doc_id;rank;판정\n", "곰은 무엇을 먹나 ", ("관련", "무관"), "utf-8"),
    "ko 2": ("question\tdoc_id\trank\t관련 여부\n", "곰은 무엇을 먹나 ", ("예", "아니오"), "utf-8"),
    "ru": ("question;doc_id;rank;пометка\n", "Что ест медведь ", ("да", "нет"), "utf-8"),
    "zh": ("title of all\nquestion;doc_id;rank;id;评判\n", "熊吃什么 ", ("是", "否"), "utf-8"),
}


@pytest.mark.parametrize(("header", "asked", "words", "encoding"), _NOTES.values(), ids=_NOTES)
def test_the_printed_line_reads_the_file_and_scores(
    header: str, asked: str, words: tuple[str, str], encoding: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    between = "\t" if "\t" in header else ";"
    own = ["x"] if ";id;" in header else []
    rows = [
        between.join([f"{asked}{n}?", f"d{n}{rank}", str(rank), *own, words[0] if rank == 2 else words[1]])
        for n in range(3)
        for rank in (2, 1)
    ]
    Path("rows.csv").write_bytes((header + "\n".join(rows)).encode(encoding))
    proposal = peek("rows.csv")
    assert proposal.documents is not None
    exec(proposal.documents[1], {"pandas": pandas})  # noqa: S102 - what the user would type
    assert ragauge.evaluate("samples.jsonl", "mrr", resamples=0)["mrr"].value == 0.5
    if not own:
        with pytest.raises(ColumnError) as error:
            ragauge.evaluate("rows.csv")
        code = str(error.value).partition("In pandas: ")[2].partition("; then score")[0]
        assert code == proposal.documents[1]


def test_a_plain_file_needs_no_options(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("question,answer,passage\n" + "Who?,Anna.,Tea grows.\nWho?,Anna.,Jam is sweet.\n")
    assert "read_csv" not in " ".join(read(path).notes)
    path.write_text(path.read_text().replace(",", ";"))
    [note] = [one for one in read(path).notes if "in pandas" in one]
    assert f"in pandas: frame = pandas.read_csv({str(path)!r}, sep=';'); frame." in note
