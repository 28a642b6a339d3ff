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
        names = list(map(str, _listed(folder / _SPLITS, "splits")))
        template = "RG-DATA-016 {folder}: holds the splits {names}; name the folder of one, as in {folder2}"
        raise DataError(template, folder, ", ".join(names), folder / names[0])
    if not (folder / _STATE).is_file():
        return None
    listed = _listed(folder / _STATE, "_data_files")
    names = [one["filename"] for one in listed if isinstance(one, dict) and isinstance(one.get("filename"), str)]
    files = [folder / name for name in names]
    if len(files) < len(listed):
        raise DataError(
            "RG-DATA-017 {folder}: a file in _data_files has no name; save the data set again", folder / _STATE
        )
    lost = next((file for file in files if not file.is_file()), None)
    if lost is not None:
        raise DataError("RG-DATA-018 {lost}: file not found; copy or save the data set again", lost)
    name = str(folder)
    return Source(name, from_batches(sound(_batches(files), name), name))


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(
            "RG-DATA-021 {path}: cannot be read: {reason}; copy or save the data set again", path, error
        ) from None
    if not isinstance(content, dict):
        raise DataError("RG-DATA-019 {path}: must hold a JSON object; save the data set again", path)
    return content


def _listed(path: Path, key: str) -> list[Any]:
    """Return the list under ``key``, which must not be empty."""
    listed = _read(path).get(key)
    if not isinstance(listed, list) or not listed:
        raise DataError("RG-DATA-020 {path}: must hold a list under {key}; copy or save the data set again", path, key)
    return listed


def _batches(files: list[Path]) -> Iterator[pa.RecordBatch]:
    for file in files:
        with pa.memory_map(str(file)) as whole:
            yield from pa.ipc.open_stream(whole)
