"""The saved runs of folders: found without following links, named by keys, damaged ones with their error."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, TypeAlias

from ragauge.core.messages import Message
from ragauge.errors import DataError, UsageError, did_you_mean
from ragauge.results.schema import EVIDENCE, SAMPLES, SCORES
from ragauge.results.score import Score
from ragauge.results.storage import MANIFEST, read_manifest

Version: TypeAlias = tuple[int, int, int]
"""Inode, time of change in nanoseconds, and size of a manifest: another one is another run."""
_FILES = (MANIFEST, SAMPLES, SCORES, EVIDENCE)
_NEEDED = (SAMPLES, SCORES)
PARTS = ".parts"
"""How folders end that keep what several processes have scored of a run."""
_LARGEST = 64 << 20
_MADE_BY = "; name a folder of saved runs, as in ragauge view runs; one is made by: ragauge score DATA -o runs/today"
"""Bytes of a manifest that is read: a run of 1,000 metrics by 1,000 groups has less."""


@dataclass(frozen=True)
class ViewedRun:
    """A folder that holds a run; ``problem`` says why it cannot be read, and then ``manifest`` is empty.

    ``key``: 16 hexadecimal digits of its place. Addresses hold keys and no paths, so no address names another file.
    """

    key: str
    name: str
    path: Path
    version: Version
    manifest: Mapping[str, Any]
    problem: str = ""

    @property
    def created(self) -> str:
        """The time at which it was saved, in UTC; empty for a damaged run."""
        return str(self.manifest["run"]["created"]) if self.manifest else ""

    @cached_property
    def scores(self) -> Mapping[str, Score]:
        """Scores over all samples, by metric."""
        metrics = self.manifest["metrics"] if self.manifest else []
        return {one["metric"]: Score.from_dict(one) for one in metrics if one["group"] is None}

    @property
    def task(self) -> str:
        """The fingerprint of its questions, references and judgements."""
        return str(self.manifest["data"].get("task", "")) if self.manifest else ""

    @property
    def samples(self) -> int:
        """Number of its samples; 0 for a damaged run."""
        return int(self.manifest["data"]["samples"]) if self.manifest else 0

    @property
    def failed(self) -> int:
        """Most samples that failed under one of its metrics, as all do where the system did not answer."""
        return max((score.failed for score in self.scores.values()), default=0)

    @property
    def made_of(self) -> str:
        """Its tag, where it has one."""
        return str(self.manifest["run"].get("tag") or "") if self.manifest else ""


class Folder(NamedTuple):
    """A folder as it is now, and all that is in it; names and entries of the system, since there may be thousands."""

    path: str
    name: str
    """Below its root; of a root its own name."""
    entries: Mapping[str, os.DirEntry[str]]


class RunFolders:
    """Folders with saved runs at any depth, which are looked through again at each call; links are not followed."""

    def __init__(self, folders: Sequence[str | Path]) -> None:
        self.roots = tuple(dict.fromkeys(Path(folder).resolve() for folder in folders))
        for root, folder in zip(self.roots, dict.fromkeys(map(Path, folders)), strict=False):
            if not root.exists():
                near = [one.name for one in root.parent.iterdir()] if root.parent.is_dir() else []
                raise DataError(
                    "RG-REPORT-007 {folder}: folder not found{hint}",
                    folder,
                    did_you_mean(root.name, near, otherwise="") or Message(_MADE_BY),
                )
            if not root.is_dir():
                raise UsageError(
                    "RG-REPORT-008 {folder} is not a folder; name a folder of saved runs, as in ragauge view runs",
                    folder,
                )
        self._lock = Lock()
        self._read: dict[str, ViewedRun] = {}

    def runs(self, folders: Iterable[Folder] | None = None) -> list[ViewedRun]:
        """Return all runs, the newest first, damaged ones last; ``folders``: what `folders` has just found."""
        with self._lock:
            there_now = self.folders() if folders is None else folders
            with_runs = [one for one in there_now if _holds_a_run(one.entries)]
            there = {one.path: self._run(one) for one in with_runs}
            self._read = there
        return sorted(there.values(), key=lambda run: (run.created, run.name), reverse=True)

    def run(self, key: str) -> ViewedRun | None:
        """Return the run with this key; None where there is none (any more)."""
        return next((run for run in self.runs() if run.key == key), None)

    def folders(self) -> Iterator[Folder]:
        """Yield each root and each folder below it."""
        names_of_roots = [root.name for root in self.roots]
        for root in self.roots:
            label = root.name if names_of_roots.count(root.name) == 1 else root.as_posix()
            waiting = [(str(root), label or str(root), "" if len(self.roots) == 1 else f"{label}/")]
            while waiting:
                path, name, prefix = waiting.pop()
                folder = Folder(path, name, _entries(path))
                yield folder
                below = sorted(filter(_may_hold_runs, folder.entries.values()), key=lambda one: one.name, reverse=True)
                waiting += [(one.path, f"{prefix}{one.name}", f"{prefix}{one.name}/") for one in below]

    def _run(self, folder: Folder) -> ViewedRun:
        """Return the run in a folder, as it was read before if its manifest is still the same."""
        version = _version(folder.entries.get(MANIFEST))
        before = self._read.get(folder.path)
        absent = next((file for file in _NEEDED if file not in folder.entries), None)
        if before is not None and before.version == version and not before.problem and absent is None:
            return before
        path, name = Path(folder.path), folder.name
        key = sha256(os.fsencode(path)).hexdigest()[:16]
        try:
            check_inside(path)
            manifest = read_manifest(path)
        except DataError as error:
            problem = str(error)
            if "RG-RUN-011" in error.codes:  # not a saved run
                problem = f"{path / MANIFEST} is damaged, or not the manifest of a run; score the data again"
            return ViewedRun(key, name, path, version, {}, problem)
        if absent is not None:
            problem = f"{path / absent} is missing, so the run cannot be read; score the data again"
            return ViewedRun(key, name, path, version, {}, problem)
        return ViewedRun(key, name, path, version, manifest)


def _entries(path: str) -> dict[str, os.DirEntry[str]]:
    """Return what is in a folder, by name; nothing where it is gone or cannot be read."""
    try:
        with os.scandir(path) as entries:
            return {one.name: one for one in entries}
    except OSError:
        return {}


def _may_hold_runs(entry: os.DirEntry[str]) -> bool:
    # Folders that are being written have a name that begins with a dot.
    return not entry.name.startswith(".") and not entry.name.endswith(PARTS) and entry.is_dir(follow_symlinks=False)


def _holds_a_run(entries: Mapping[str, os.DirEntry[str]]) -> bool:
    there = [entries[file] for file in _FILES if file in entries]
    return any(one.is_symlink() or one.is_file(follow_symlinks=False) for one in there)


def check_inside(path: Path) -> None:
    """Raise DataError where a file of a run is a link, or no file: nothing outside the run may be read."""
    for name in _FILES:
        file = path / name
        try:
            mode = file.lstat()
        except OSError:
            if name == MANIFEST:
                raise DataError(
                    "RG-REPORT-009 {path} has no {manifest}, without which it is not a saved run; score it again; if "
                    "it is still being written, wait",
                    path,
                    MANIFEST,
                ) from None
            continue
        if stat.S_ISLNK(mode.st_mode) or not stat.S_ISREG(mode.st_mode):
            raise DataError(
                "RG-REPORT-005 {file} is a link or no plain file, and is not opened; copy the file there instead", file
            )
        if name == MANIFEST and mode.st_size > _LARGEST:
            raise DataError(
                "RG-REPORT-006 {file} has {st_size:,} bytes; a manifest has at most {largest:,}",
                file,
                mode.st_size,
                _LARGEST,
            )


def is_plain(path: Path) -> bool:
    """Return whether there is a plain file, neither a link nor a pipe, of a size that may be read."""
    try:
        mode = path.lstat()
    except OSError:
        return False
    return stat.S_ISREG(mode.st_mode) and mode.st_size <= _LARGEST


def _version(manifest: os.DirEntry[str] | None) -> Version:
    try:
        there = None if manifest is None else manifest.stat(follow_symlinks=False)
    except OSError:
        there = None
    if there is None:
        return 0, 0, 0
    return there.st_ino, there.st_mtime_ns, there.st_size
