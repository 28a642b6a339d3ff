"""Data sets of several files: folders of Parquet parts or that datasets wrote, and the files that a pattern names."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from dataclasses import replace
from glob import glob
from itertools import chain
from os import PathLike
from os.path import commonprefix
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa

from ragauge.core.arrow import scalar
from ragauge.core.messages import Message
from ragauge.errors import DataError, excerpt
from ragauge.formats import tables
from ragauge.formats.opening import opened
from ragauge.formats.source import Chunk, Problem, Source
from ragauge.formats.tables import from_batches, sound

_STATE = "state.json"
_SPLITS = "dataset_dict.json"
_BESIDE = frozenset({".csv", ".tsv", ".jsonl", ".ndjson", ".xlsx", ".arrow", ".feather"})
"""Suffixes of files beside Parquet parts that hold rows of their own."""
_SHOWN = 3
_LEFT_OUT = (
    "RG-NOTE-124 only the Parquet files of the folder were read, and not {names}; score such a file alone, as {file}"
)
_NO_FIELD = "__HIVE_DEFAULT_PARTITION__"
"""What Hive and Spark write for null in the name of a folder."""


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
        return _parts(folder)
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


def _parts(folder: Path) -> Source | None:
    """Open the Parquet files of a folder, as Spark and others write a table, in the order of their names.

    Folders named ``lang=de`` in it are parts too: that is their rows' field in the column ``lang``.
    """
    within = [file for file in folder.rglob("*.parquet") if not any(part[0] in "._" for part in _below(folder, file))]
    files = sorted(file for file in within if all("=" in part for part in _below(folder, file)[:-1]))
    # A saved run has such files too, and is no data.
    if not files or (folder / "manifest.json").is_file():
        return None

    beside = [file for file in folder.iterdir() if file.suffix.lower() in _BESIDE and file.name[0] not in "._"]
    left_out = sorted([str(file.relative_to(folder)) for file in {*within, *beside} - {*files}])

    def batches() -> Iterator[pa.RecordBatch]:
        for file in files:
            fields = [part.split("=", 1) for part in _below(folder, file)[:-1]]
            with opened(str(file)) as part:
                for batch in tables.parquet_batches(part):
                    for name, field in fields:
                        value = None if field == _NO_FIELD else unquote(field)
                        same = pa.repeat(scalar(value, pa.string()), len(batch))
                        batch = batch.append_column(name, same)  # noqa: PLW2901
                    yield batch

    chunks = from_batches(batches(), str(folder))
    note = Message(_LEFT_OUT, ", ".join(left_out[:_SHOWN]), folder / left_out[0]) if left_out else None
    return Source(str(folder), chain([Chunk({}, (), notes=[note])], chunks) if note else chunks)


def files_of(source: object) -> list[Path]:
    """Return the files, sorted by name, that a pattern with ``*`` or ``?`` names; [] for any other source.

    >>> files_of("answers.jsonl"), files_of([{"answer": "*"}])
    ([], [])
    """
    pattern = str(source) if isinstance(source, str | PathLike) else ""
    # A text that no file can be called is an error of those who open it.
    with suppress(OSError, ValueError):
        if {*pattern} & {*"*?"} and not Path(pattern).exists():
            # A path takes no absolute pattern.
            return sorted([file for name in glob(pattern, recursive=True) if (file := Path(name)).is_file()])  # noqa: PTH207
    return []


def pattern_of(files: Sequence[str]) -> str | None:
    """Return a pattern that names these files and no others; None where their names have no such pattern.

    >>> pattern_of(["no-such/a.csv", "b.csv"])
    """
    # Of characters, as patterns are.
    pattern = f"{commonprefix(files)}*{commonprefix([one[::-1] for one in files])[::-1]}"  # noqa: RUF071
    return pattern if files_of(pattern) == sorted(map(Path, files)) else None


def joined(name: str, sources: Iterable[AbstractContextManager[Source]]) -> Source:
    """Return sources of one form as one; each is opened after the one before it.

    Rows are numbered as if the files were one. Fields are texts, as those of CSV, only where those of the first are.
    """
    waiting = iter(sources)
    stack = ExitStack()
    first = stack.enter_context(next(waiting))

    def chunks() -> Iterator[Chunk]:
        before = last = 0
        with stack:
            again: AbstractContextManager[Source] = nullcontext(first)
            for opened_next in chain([again], waiting):
                before = last
                with opened_next as part:
                    for chunk in part.chunks:
                        places = [before + place for place in chunk.places] if before else chunk.places
                        problems = [Problem(before + place, what) for place, what in chunk.problems]
                        last = max([last, *places[-1:], *[one.place for one in problems[-1:]]])
                        yield replace(chunk, places=places, problems=problems)

    return replace(first, name=name, chunks=chunks(), resident=False, lines=None)


def _below(folder: Path, file: Path) -> tuple[str, ...]:
    return file.relative_to(folder).parts


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(
            "RG-DATA-021 {path}: cannot be read: {reason}; copy or save the data set again", path, excerpt(str(error))
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
