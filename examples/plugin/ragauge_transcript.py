"""A file format: questions and answers as a transcript, with the passages between them."""

from collections.abc import Iterator
from typing import BinaryIO

import ragauge

COLUMNS = {"Q": "question", "A": "answer", "R": "reference"}


@ragauge.register_format("transcript", suffixes=(".transcript",))
def read_transcript(file: BinaryIO) -> Iterator[dict[str, object]]:
    """Yield a row per block of lines that begin with ``Q:``, ``A:``, ``R:`` or ``P:``; a blank line ends a block."""
    row: dict[str, object] = {}
    passages: list[str] = []
    for line in [*file.read().decode("utf-8").splitlines(), ""]:
        kind, colon, text = line.partition(":")
        if not line.strip():
            if row:
                yield {**row, "contexts": passages}
            row, passages = {}, []
        elif kind == "P":
            passages.append(text.strip())
        elif colon and kind in COLUMNS:
            row[COLUMNS[kind]] = text.strip()
        else:
            raise ValueError(f"a line must begin with Q:, A:, R: or P:; got {line!r}")
