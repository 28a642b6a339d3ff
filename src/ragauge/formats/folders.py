"""Folders that hold a data set: what datasets.save_to_disk of Hugging Face writes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from ragauge.errors import DataError
from ragauge.formats.source import Source
from ragauge.formats.tables import from_batches, sound

_STATE = "state.json"
_SPLITS = "dataset_dict.json"


def opened_folder(folder: Path) -> Source | None:
    """Open the data set that a folder holds; None where it holds none that is known.

    Raises:
        DataError: the folder has several splits, or a file of it is damaged.
    """
    if (folder / _SPLITS).is_file():
        names = _read(folder / _SPLITS).get("splits") or []
        splits = ", ".join(map(str, names))
        raise DataError(f"{folder}: holds the splits {splits}; name the folder of one, as in {folder / str(names[0])}")
    if not (folder / _STATE).is_file():
        return None
    files = [folder / one["filename"] for one in _read(folder / _STATE)["_data_files"]]
    name = str(folder)
    return Source(name, from_batches(sound(_batches(files), name), name))


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: cannot be read: {error}; copy or save the data set again") from None
    if not isinstance(content, dict):
        raise DataError(f"{path}: must hold a JSON object; save the data set again")
    return content


def _batches(files: list[Path]) -> Iterator[pa.RecordBatch]:
    for file in files:
        with pa.memory_map(str(file)) as whole:
            yield from pa.ipc.open_stream(whole)
