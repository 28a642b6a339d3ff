"""A file of JSON Lines that several processes read, a block of lines each: what is read is as if one had read it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from io import BytesIO
from os import fstat, getpid
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeAlias

import pyarrow as pa

from ragauge.core.batch import Dataset
from ragauge.core.options import checked_value
from ragauge.core.temporary import temporary_folder
from ragauge.errors import ColumnError
from ragauge.formats.convert import Converted
from ragauge.formats.encodings import Encoding
from ragauge.formats.file_formats import opened_source
from ragauge.formats.json import parsed_rows
from ragauge.formats.opening import BLOCK, LONGEST, Lines, blocks, changed, file_state
from ragauge.formats.question_sheet import MARKS
from ragauge.formats.reading import MOST_PROBLEMS, Reading
from ragauge.formats.rows import Segment, SegmentFile, Spool, no_room
from ragauge.formats.shapes import shaped
from ragauge.formats.source import MOST_ABSENT, MOST_COLUMNS, Chunk, Problem, Source, of_rows
from ragauge.formats.splitting import check_split

FEWEST = 4
"""Blocks of 4 MiB from which it pays to let several processes read."""
_LOOK_BACK = 1 << 16


class ReadBlock(NamedTuple):
    """The rows that a process read of a block, in a file, and what is known of the whole source by them.

    ``lines``: how many the block has. ``names``: of its columns. ``sources``: known column -> its name in the block.
    ``absent`` and ``problems``: as of a `Chunk`. ``rows``: without their columns, and with places within the block;
    None where it has none. ``stored``: the file with the columns, the first byte of them and their size.
    """

    lines: int
    names: tuple[str, ...]
    sources: Mapping[str, str]
    absent: int
    problems: list[Problem]
    rows: Converted | None
    stored: tuple[str, int, int]


_HANDED_OVER = "workers hand over the rows that they read in temporary files"
Readers: TypeAlias = Callable[["BlockReader", int], Generator[ReadBlock | None]]
"""From a reader and the number of blocks to each block after the first, in order; None of one that is read here."""


@dataclass(frozen=True)
class BlockReader:
    """Reads blocks of the file at ``path`` in any process; it pickles.

    ``names``: of the columns in the first block. ``by_values``: those of them that were recognised by their fields.
    ``folder``: of temporary files with the rows, until all is read.
    """

    path: str
    mapping: Mapping[str, str]
    split: Mapping[str, str]
    names: tuple[str, ...]
    by_values: Mapping[str, str]
    folder: str

    def chunk(self, number: int) -> tuple[int, Chunk]:
        """Return the number of lines of a block, and its rows, with places from 1."""
        with Path(self.path).open("rb") as file:
            lines = block_of(file, number)
        rows = parsed_rows(lines)
        chunk = of_rows(rows.rows, rows.places, rows.problems)
        return len(lines.lines), shaped(chunk, [*self.mapping.values(), *self.split], written=False)

    def read(self, number: int) -> ReadBlock | None:
        """Read a block, and write its rows to a file; None where it takes all blocks before it to understand it.

        Raises:
            DataError: the folder of temporary files is full.
        """
        lines, chunk = self.chunk(number)
        if chunk.columns.keys() >= MARKS:
            return None
        reading = Reading(Source(self.path, iter(())), self.mapping, self.split, Spool(), self.names, self.by_values)
        try:
            rows = reading.understood(chunk)
        except ColumnError:
            return None
        names = tuple(chunk.columns)
        if rows is None:
            return ReadBlock(lines, names, {}, chunk.absent, reading.problems, None, ("", 0, 0))
        known_columns = reading.known_so_far()[2]
        sources = {known: name for known, name in known_columns.items() if name in chunk.columns}
        # As where one process reads: rows may have no columns.
        stored = self._stored(pa.RecordBatch.from_pydict(rows.columns or {"id": pa.nulls(len(chunk.places))}))
        return ReadBlock(lines, names, sources, chunk.absent, reading.problems, rows._replace(columns={}), stored)

    def _stored(self, batch: pa.RecordBatch) -> tuple[str, int, int]:
        try:
            segment = self._file.written(pa.Table.from_batches([batch]))
        except OSError as error:
            raise no_room(_HANDED_OVER, str(Path(self.folder).parent), error) from error
        return str(self._path), segment.start, segment.size

    @cached_property
    def _path(self) -> Path:
        return Path(self.folder, f"rows-{getpid()}")

    @cached_property
    def _file(self) -> SegmentFile:
        return SegmentFile(self._path)


class NotInBlocksError(Exception):
    """A line is so long that the file must be read from its beginning."""


def blocks_in(size: int) -> int:
    """Return the number of blocks of a file of ``size`` bytes; the last is what follows the last line end.

    >>> blocks_in(BLOCK), blocks_in(BLOCK + 1)
    (2, 3)
    """
    return -(-size // BLOCK) + 1


def block_of(file: BinaryIO, number: int) -> Lines:
    """Return the lines that end in a block of the file; they are those of `ragauge.formats.opening.blocks`."""
    size = fstat(file.fileno()).st_size
    start = _line_start(file, min(number * BLOCK, size))
    end = size if number * BLOCK >= size else _line_start(file, min((number + 1) * BLOCK, size))
    file.seek(start)
    content = file.read(end - start)
    return next(blocks(BytesIO(content), len(content) + 1), Lines(1, [], []))


def _line_start(file: BinaryIO, end: int) -> int:
    """Return where the line begins that goes on at, or begins at, ``end``."""
    start, end_of_line = end, -1
    while start and end_of_line < 0 and end - start <= LONGEST:
        before, start = start, max(0, start - _LOOK_BACK)
        file.seek(start)
        end_of_line = file.read(before - start).rfind(b"\n")
    begin = start + end_of_line + 1
    if end - begin > LONGEST:
        raise NotInBlocksError
    return begin


def read_in_blocks(source: str, readers: Readers, reading: Mapping[str, Any]) -> Dataset | None:
    """Read a file of JSON Lines with the help of other processes; None where one process reads it as fast.

    Args:
        source: the path of the file.
        readers: the other processes.
        reading: options of `ragauge.formats.read`; ``limit`` must be None.

    Raises:
        DataError, ColumnError, OptionError: as `ragauge.formats.read` does, with the same words.
    """
    mapping, split = dict(reading["mapping"] or {}), dict(reading["split"] or {})
    check_split(split)
    checked_value("read", "encoding", reading["encoding"], Encoding)
    import tempfile

    try:
        tempfile.gettempdir()
    except FileNotFoundError:
        return None  # Nowhere to hand rows over.
    before = file_state(source)
    with opened_source(source, reading["format"], reading["encoding"]) as opened:
        count = 0 if before is None or opened.lines is None else blocks_in(before[0])
        first = next(opened.chunks, None) if count >= FEWEST else None
        if first is None or first.notes or first.columns.keys() >= MARKS or opened.lines is None:
            return None
        with temporary_folder() as folder:
            whole = Reading(opened, mapping, split, Spool())
            whole.add(first)
            names, by_values, _ = whole.known_so_far()
            reader = BlockReader(opened.lines, mapping, whole.split, names, by_values, folder)
            try:
                _add_all(whole, reader, readers(reader, count))
            except NotInBlocksError:
                return None
        if file_state(source) != before:
            raise changed(opened.name)
        whole.check()
        return whole.dataset()


def _add_all(whole: Reading, reader: BlockReader, others: Generator[ReadBlock | None]) -> None:
    """Add all blocks after the first; those that do not fit the others are read again, in this process."""
    with Path(reader.path).open("rb") as file:
        lines = len(block_of(file, 0).lines)
    if not lines:
        # The first line is longer than a block: the stream gave it together with those of the blocks after it.
        raise NotInBlocksError
    files: dict[str, SegmentFile] = {}
    with closing(others):
        for number, block in enumerate(others, 1):
            if len(whole.problems) >= MOST_PROBLEMS:
                return
            if block is None or not _fits(whole, block):
                more, chunk = reader.chunk(number)
                whole.add(_moved(chunk, lines))
            else:
                more, segment = block.lines, None
                whole.absent += block.absent
                whole.problems += [Problem(place + lines, what) for place, what in block.problems]
                if block.rows is not None:
                    path, start, size = block.stored
                    segment = Segment(files.setdefault(path, SegmentFile(Path(path))), start, size)
                    whole.keep(_moved_rows(block.rows, lines), segment)
            lines += more


def _fits(whole: Reading, block: ReadBlock) -> bool:
    """Return whether a block was understood as all blocks before it; else it must be converted again."""
    names, _, known_columns = whole.known_so_far()
    if block.rows is None:
        return whole.absent + block.absent <= MOST_ABSENT and len({*names, *block.names}) <= MOST_COLUMNS
    sources = {known: name for known, name in known_columns.items() if name in block.names}
    known = set(names).issuperset(block.names)
    return known and sources == block.sources and whole.absent + block.absent <= MOST_ABSENT


def _moved(chunk: Chunk, lines: int) -> Chunk:
    """Return ``chunk`` with places after so many ``lines``."""
    problems = [Problem(place + lines, what) for place, what in chunk.problems]
    return replace(chunk, places=_after(chunk.places, lines), problems=problems)


def _moved_rows(rows: Converted, lines: int) -> Converted:
    problems = [Problem(place + lines, what) for place, what in rows.problems]
    return rows._replace(places=_after(rows.places, lines), problems=problems)


def _after(places: Any, lines: int) -> Any:
    if isinstance(places, range):
        return range(places.start + lines, places.stop + lines)
    return [place + lines for place in places]
