"""Evaluations that are not saved yet, as far as their folder shows them: answers, scored parts, runs being saved."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from time import time
from typing import Literal

from ragauge.core.lazy import lazy_pattern
from ragauge.core.protocol import FAILURE
from ragauge.reports.texts import PageText
from ragauge.reports.viewer.folders import PARTS, Folder, ViewedRun, is_plain

_ANSWERS = ".answers.jsonl"
_PLAN, _PART = "plan.json", "part-??????.arrow"
"""Of ``ragauge score --workers``: what names the number of parts, and the files of finished ones."""
_SAVING = lazy_pattern(r"\.(.+)\.[0-9a-f]{8}\.new")
"""The folder that a run is written to before it gets its name."""
_MOST_READ = 32 << 20
"""Bytes of a file of answers that one look reads; the next look goes on."""
_SILENT = 120
"""Seconds without an answer after which the page says that it may have stopped."""


@dataclass(frozen=True)
class UnderWay:
    """A run that is not saved yet.

    ``kind``: ``answers`` of a system come, ``parts`` are scored by several processes, or the folder is being saved.
    ``done``: answers or parts, of which so many ``failed``; ``total`` is None where nobody wrote it.
    ``age``: seconds since the last change; ``path``: its file or folder; ``estimates``: its scores so
    far, in words.
    """

    key: str
    name: str
    kind: Literal["answers", "parts", "saving"]
    done: int
    failed: int
    total: int | None
    age: float
    path: Path | None = None
    estimates: Sequence[PageText] = ()

    @property
    def silent(self) -> bool:
        """Whether nothing has come for two minutes."""
        return self.age > _SILENT


@dataclass
class _Progress:
    """What was read of a file of answers: ids, whether each failed, and up to which byte."""

    inode: int
    at: int = 0
    total: int | None = None
    failed: dict[str, bool] = field(default_factory=dict)


class Watch:
    """Looks at the folders of runs for what is under way; a file of answers is read once, as it grows."""

    def __init__(self, roots: Collection[Path]) -> None:
        self._roots = roots
        self._read: dict[Path, _Progress] = {}

    def under_way(self, runs: list[ViewedRun], folders: Iterable[Folder]) -> list[UnderWay]:
        """Return what is under way in ``folders`` beside the saved ``runs``, the newest first.

        One thread at a time may call it.
        """
        saved = {run.path: run for run in runs}
        shown = [one for folder in folders for one in self._in(folder, saved)]
        return sorted(shown, key=lambda one: (one.age, one.name))

    def _in(self, folder: Folder, saved: Mapping[Path, ViewedRun]) -> Iterator[UnderWay]:
        for entry in folder.entries.values():
            # A run that is saved meanwhile gets another name, and finished parts go.
            with suppress(OSError):
                seen = None if entry.is_symlink() else self._seen(entry, folder, saved)
                if seen is not None:
                    yield seen

    def _seen(self, entry: os.DirEntry[str], folder: Folder, saved: Mapping[Path, ViewedRun]) -> UnderWay | None:
        """Return what an entry of a folder shows of a run; OSError where it is gone, or cannot be read."""
        shown_run = _named(entry)
        if shown_run is None:
            return None
        kind, run = shown_run
        changed = entry.stat().st_mtime
        if kind == "answers" and _finished(saved.get(Path(folder.path) / run), changed):
            return None
        done, failed, total = self._counts(Path(entry.path), kind)
        key = sha256(os.fsencode(entry.path)).hexdigest()[:16]
        shown = run if Path(folder.path) in self._roots else f"{folder.name}/{run}"
        return UnderWay(key, shown, kind, done, failed, total, max(0.0, time() - changed), Path(entry.path))

    def _counts(self, path: Path, kind: str) -> tuple[int, int, int | None]:
        """Return how many answers or parts there are, how many of them failed, and how many there will be."""
        if kind == "parts":
            return len(list(path.glob(_PART))), 0, _parts_of(path / _PLAN)
        if kind == "saving":
            return 0, 0, None
        progress = self._progress_of(path)
        total = progress.total if (progress.total or 0) >= len(progress.failed) else None
        return len(progress.failed), sum(progress.failed.values()), total

    def _progress_of(self, path: Path) -> _Progress:
        """Read the lines that a file of answers has got since the last look; a last one without its end waits."""
        with path.open("rb") as file:
            inode, size = os.fstat(file.fileno()).st_ino, os.fstat(file.fileno()).st_size
            progress = self._read.get(path)
            if progress is None or progress.inode != inode or progress.at > size:
                progress = self._read[path] = _Progress(inode)
            file.seek(progress.at)
            lines = file.read(_MOST_READ)
        whole = lines[: lines.rfind(b"\n") + 1]
        progress.at += len(whole)
        for line in whole.splitlines():
            _take(progress, line)
        return progress


def _named(entry: os.DirEntry[str]) -> tuple[Literal["answers", "parts", "saving"], str] | None:
    """Return what an entry of a folder shows of which run; None for all that is no work under way."""
    if entry.is_file():
        return ("answers", entry.name.removesuffix(_ANSWERS)) if entry.name.endswith(_ANSWERS) else None
    saving = _SAVING.fullmatch(entry.name)
    if saving:
        return "saving", saving[1]
    if entry.name.endswith(PARTS) and is_plain(Path(entry.path) / _PLAN):
        return "parts", entry.name.removesuffix(PARTS)
    return None


def _parts_of(plan: Path) -> int | None:
    """Return the number of parts that a plan names; None where it cannot be read."""
    try:
        total = json.loads(plan.read_text(encoding="utf-8"))["parts"]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None
    return total if isinstance(total, int) and not isinstance(total, bool) else None


def _take(progress: _Progress, line: bytes) -> None:
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        return
    if not isinstance(answer, dict):
        return
    if "answers_of" in answer:
        total = answer.get("questions")
        progress.total = total if isinstance(total, int) and not isinstance(total, bool) else None
    elif isinstance(answer.get("id"), str):
        progress.failed[answer["id"]] = answer.get("output") is None and FAILURE in answer


def _finished(run: ViewedRun | None, changed: float) -> bool:
    """Return whether a run was saved after its last answer came."""
    if run is None or not run.created:
        return False
    try:
        return datetime.fromisoformat(run.created).timestamp() >= changed
    except ValueError:
        return True
