"""Files and rows of these tests, what is read of them, and what is said of them."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from ragauge.core.batch import concatenated
from ragauge.core.names import load_all
from ragauge.errors import RagaugeError
from ragauge.formats import file_formats, read

Write = Callable[[str, bytes | str], str]
ROWS = [("茶会由谁主持?", "黛西小姐。", "由黛西小姐主持。"), ("Кто ведёт вечер?", "Анна", "Анна Павловна")]


def known_suffixes() -> str:
    """Return the suffixes of all formats there are, as messages list them."""
    load_all("format")
    return ", ".join(sorted(suffix for one in file_formats._formats.values() for suffix in one.suffixes))


def table(path: Path, header: Sequence[str], rows: Sequence[Sequence[str]] = ROWS, **options: Any) -> Path:
    encoding, before = options.pop("encoding", "utf-8"), options.pop("before", "")
    with path.open("w", encoding=encoding, newline="") as file:
        file.write(before)
        csv.writer(file, **options).writerows([header, *rows])
    return path


def message(source: Any, **options: Any) -> str:
    with pytest.raises(RagaugeError) as caught:
        read(source, **options)
    return str(caught.value)


def one(row: dict[str, Any], **options: Any) -> tuple[dict[str, Any], dict[str, str]]:
    data = read([row], **options)
    [found] = concatenated(data.batches()).table().drop_columns(["id"]).to_pylist()
    return found, dict(data.mapping)


def mapping_of(row: dict[str, Any]) -> dict[str, str]:
    return dict(read([row]).mapping)
