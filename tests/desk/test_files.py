"""Files as people have them, in ten languages: ``files.toml`` says what is read of each."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from ragauge.core.batch import concatenated
from ragauge.core.messages import Face, wording_of
from ragauge.core.sample import SCHEMA
from ragauge.errors import RagaugeError
from ragauge.formats import read

FILES: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_name("files.toml").read_text(encoding="utf-8"))
KNOWN = SCHEMA.keys() - {"id"}
OPTIONS = ("mapping", "split", "encoding", "format")


def written(folder: Path, name: str, file: dict[str, Any]) -> Path:
    """Write a file of the corpus: its text, or its rows as JSON Lines."""
    path = folder / name
    rows = [json.dumps(row, ensure_ascii=False) + "\n" for row in file.get("rows", ())]
    path.write_text(file.get("text") or "".join(rows), encoding=file.get("written", "utf-8"), newline="")
    return path


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_read_or_its_error_says_what_to_type(name: str, tmp_path: Path) -> None:
    file = FILES[name]
    path = written(tmp_path, name, file)
    options = {option: file[option] for option in OPTIONS if option in file}
    if "error" in file:
        with pytest.raises(RagaugeError) as caught:
            read(path, **options)
        flags = Face(flags={"map": "--map", "split": "--split", "encoding": "--encoding"})
        assert file["error"] in wording_of(caught.value.message, flags)
        return
    data = read(path, **options)
    batch = concatenated(data.batches())
    for column, values in {**file["read"], **file.get("others", {})}.items():
        found = batch.column(column).to_pylist()
        ids = [[one["id"] for one in row] for row in found] if column == "relevance" else found
        assert ids == [None if value == "(null)" else value for value in values], column
    known = [column for column in data.columns if column in KNOWN]
    assert sorted(known) == sorted(file["read"]), "and no other column is known"
    notes = file.get("notes", [])
    assert len(data.notes) == len(notes), data.notes
    for note, part in zip(data.notes, notes, strict=True):
        assert part in note
