"""The folder of a run's parts: a file for each finished part, so that a killed run can be resumed."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa

from ragauge.core.messages import Argument, Counted, Message
from ragauge.core.temporary import lock_file
from ragauge.engines.part import ScoredPart, stream_of
from ragauge.errors import DataError, UsageError, excerpt, reason_of
from ragauge.results.score import SampleScores
from ragauge.results.storage import sample_scores_of

PART = "part-??????.arrow"
"""The files of finished parts."""
_PLAN, _LOCK = "plan.json", ".lock"
UNFINISHED = (
    "RG-ENG-020 {folder} holds {parts} of a run that did not end. Pass {resume} to go on, or {force} to begin again."
)
"""The message of a run that would begin again where another one was not finished."""
_FORCE = Argument("force", value=True)
_PLACE = b"place"
_HEAD = 1 << 12
"""Bytes of the first line of a part at most."""
_QUICK = "lz4"
"""Compression of scores and evidence: they are written and read once, so speed matters more than size."""
_DAMAGES = (pa.ArrowException, OSError, LookupError, TypeError, ValueError, RecursionError)
"""Errors of reading a file that is not as it was written."""
Place: TypeAlias = tuple[int, int]
"""A batch, and which of its tables of evidence: there is one for each metric that has any."""


class FinishedPart(NamedTuple):
    """A part as it is kept: its sums, the scores of its samples by metric, and their evidence as `evidence_bytes`."""

    part: ScoredPart
    columns: Mapping[str, SampleScores]
    evidence: bytes


@dataclass(frozen=True)
class PartFiles:
    """Files of parts in ``folder``, each there when its part is finished.

    A file begins with a line of JSON: the digest of the samples, the digest of all that follows, and the size of the
    sums, which come first. The rest is Arrow streams: the scores, and the evidence as `evidence_bytes`.
    """

    folder: Path

    def write(self, number: int, digest: str, part: ScoredPart, evidence: bytes) -> None:
        """Write a part that was just scored; ``digest``: of its samples, by which a later run knows it."""
        sums = part.to_bytes()
        content = (sums, stream_of(part.scores(), _QUICK), evidence)
        head = {"digest": digest, "content": _digest(content), "sums": len(sums)}
        with _whole(self._path(number)) as path, path.open("wb") as file:
            file.writelines([json.dumps(head).encode(), b"\n", *content])

    def read(self, number: int, digest: str, source: str) -> FinishedPart | None:
        """Return a part that an earlier run finished; None where there is none.

        Raises:
            DataError: the file is damaged, or the samples of ``source`` had another digest.
        """
        path = self._path(number)
        if not path.is_file():
            return None
        try:
            with path.open("rb") as file:
                head, content = json.loads(file.readline(_HEAD)), file.read()
            if head["digest"] == digest:
                # Before anything is read: Arrow takes damaged streams for others, or ends the process.
                if head["content"] != _digest([content]):
                    raise ValueError("its content is not what was written")
                return _finished(content, head["sums"])
        except (DataError, *_DAMAGES) as error:
            raise DataError(
                "RG-ENG-024 part {number} in {folder} is damaged: {why}. To go on, remove {name} to score it again",
                number,
                self.folder,
                excerpt(str(error)),
                path.name,
            ) from None
        raise DataError(
            "RG-ENG-036 {changed}: part {number} differs; pass {force} to score all again",
            self._changed(source),
            number,
            _FORCE,
        )

    def _path(self, number: int) -> Path:
        return self.folder / f"part-{number:06}.arrow"

    def finished(self) -> list[int]:
        """Return the numbers of the parts that are finished."""
        return sorted(int(path.name[5:11]) for path in self.folder.glob(PART))

    def check(self, *, resume: bool) -> None:
        """Raise UsageError where the folder has finished parts and ``resume`` is False, or another process uses it."""
        if not (self.folder / _PLAN).exists():
            return
        with locked(self.folder):
            finished = len(self.finished())
        if finished and not resume:
            raise UsageError(
                UNFINISHED,
                self.folder,
                Counted(finished, "part"),
                Argument("resume", value=True),
                _FORCE,
            )

    def begin(self, about: Mapping[str, Any]) -> None:
        """Take the folder for a run that ``about`` describes.

        Raises:
            UsageError: it has parts of other metrics or options, or other files.
            DataError: it has parts of other data.
        """
        path = self.folder / _PLAN
        if not path.exists():
            foreign = sorted(one.name for one in self.folder.iterdir() if not one.name.startswith((".", "data-")))
            if foreign:
                raise UsageError(
                    "RG-ENG-025 {folder} is not a folder of parts (it has {foreign}); name another",
                    self.folder,
                    foreign[0],
                )
        if not self.finished():
            # Nothing is lost of a run that finished no part.
            with _whole(path) as new:
                new.write_text(json.dumps(about), encoding="utf-8")
            return
        before = self._begun()
        of, total = before["samples"], before["parts"]
        if (of, total) != (about["samples"], about["parts"]):
            changed = self._changed(about["source"])
            raise DataError(
                "RG-ENG-021 {changed}: there were {of} samples, and are {samples}; pass {force} to score all again",
                changed,
                of,
                about["samples"],
                _FORCE,
            )
        # The parts have the digests of their samples, so the file's name does not matter.
        if {**before, "source": ""} != {**about, "source": ""}:
            own = before["source"]
            data = "" if own == about["source"] else Message("with {source} as its data, and ", own)
            raise UsageError(
                "RG-ENG-022 {folder} was begun {data}with other metrics or options, another version, or before a "
                "metric's file was changed: give the same as then, or pass {force} to score all again",
                self.folder,
                data,
                _FORCE,
            )

    def _begun(self) -> dict[str, Any]:
        """Return the description that the run was begun with; DataError where its file is damaged."""
        path = self.folder / _PLAN
        try:
            about: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            _ = about["samples"], about["parts"], about["source"]
        except _DAMAGES:
            raise DataError("RG-ENG-026 {path} is damaged; pass {force} to score all again", path, _FORCE) from None
        return about

    def _changed(self, source: str) -> str:
        """Return the clause that the samples of ``source`` differ from those of the parts."""
        begun = self._begun()["source"]
        if begun == source:
            return Message("{source} has changed since {folder} was begun", source, self.folder)
        other = "{source} has other samples than {begun}, with which {folder} was begun"
        return Message(other, source, begun, self.folder)


@contextmanager
def locked(folder: Path) -> Iterator[PartFiles]:
    """Make ``folder`` and hold it against other processes; the system releases it if this one is killed.

    Raises:
        UsageError: another process uses it, or it cannot be made.
    """
    with writable(folder):
        folder.mkdir(parents=True, exist_ok=True)
        file = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        if lock_file(file) is False:
            raise UsageError(
                "RG-ENG-019 another process scores into {folder}. Wait for it, or name another output.", folder
            )
        yield PartFiles(folder)
    finally:
        os.close(file)


@contextmanager
def writable(folder: Path) -> Iterator[None]:
    """Raise UsageError where the system refuses to write into ``folder``, as on a full disk."""
    try:
        yield
    except OSError as error:
        raise UsageError("RG-ENG-023 {folder} cannot be written: {why}", folder, reason_of(error)) from error


def remove(folder: Path) -> None:
    """Remove a folder of parts; UsageError where it is not one, or another process scores into it."""
    if not folder.exists():
        return
    foreign = [path.name for path in folder.iterdir() if not path.name.startswith(("part-", ".", "data-", _PLAN))]
    if foreign:
        raise UsageError(
            "RG-ENG-018 {folder} is not only parts of a run (it has {foreign}), so it is not removed",
            folder,
            foreign[0],
        )
    with locked(folder):
        # In this order a kill leaves finished parts with their plan, or a plan alone, and that is begun anew.
        for path in folder.glob("part-*"):
            with suppress(OSError):
                path.unlink()
        shutil.rmtree(folder, ignore_errors=True)
    # Windows removes no file that is open, as that of the lock was.
    if folder.exists() and not [path for path in folder.iterdir() if path.name != _LOCK]:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _whole(path: Path) -> Iterator[Path]:
    """Yield a name beside ``path``, which gets the name in one step once it is written."""
    beside = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
    try:
        with writable(path.parent):
            yield beside
            # A name that outlives a power failure must not be that of an empty file.
            with beside.open("r+b") as file:
                os.fsync(file.fileno())
            beside.replace(path)
    finally:
        with suppress(OSError):
            beside.unlink()


def _digest(contents: Iterable[bytes]) -> str:
    """Return the SHA-256 of ``contents`` one after the other."""
    hashed = sha256()
    for one in contents:
        hashed.update(one)
    return hashed.hexdigest()


def _finished(content: bytes, sums: int) -> FinishedPart:
    """Return the part in the content of a file, of which the first ``sums`` bytes are its sums."""
    part, streams = ScoredPart.from_bytes(content[:sums]), pa.BufferReader(content[sums:])
    scores = _table(streams)
    columns = {name: sample_scores_of(scores[name]) for name in scores.column_names if name != "id"}
    return FinishedPart(part, columns, streams.read())


def _table(streams: pa.NativeFile) -> pa.Table:
    """Read the next of several Arrow streams."""
    table = pa.ipc.open_stream(streams).read_all()
    table.validate(full=True)
    return table


def evidence_bytes(tables: Iterable[tuple[Place, pa.Table]]) -> bytes:
    """Return tables of evidence with their places as Arrow streams, one after the other."""
    placed = (table.replace_schema_metadata({_PLACE: json.dumps(place)}) for place, table in tables)
    return b"".join(stream_of(table, _QUICK) for table in placed)


def evidence_tables(content: bytes) -> Iterator[tuple[Place, pa.Table]]:
    """Yield the tables of `evidence_bytes` with their places."""
    streams = pa.BufferReader(content)
    while streams.tell() < streams.size():
        table = _table(streams)
        batch, place = json.loads(table.schema.metadata[_PLACE])
        # Kept, the place would be written into the file of a saved run.
        yield (batch, place), table.replace_schema_metadata(None)
