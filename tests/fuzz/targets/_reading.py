"""What the readers of files have in common."""

from __future__ import annotations

from ragauge.formats import read
from tests.fuzz.making import file


def read_file(name: str, data: bytes) -> None:
    """Read samples from a file of that name, and all their values."""
    for batch in read(str(file(name, data))).batches():
        batch.table().to_pylist()
