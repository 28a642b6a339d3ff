"""Evaluations that are not saved yet, as far as their folder shows them: answers, scored parts, runs being saved."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from threading import Condition, Thread
from time import time
from typing import Literal

from ragauge.comparison.compare import compare
from ragauge.core.protocol import FAILURE
from ragauge.errors import RagaugeError
from ragauge.reports.texts import PageText, message
from ragauge.reports.viewer.folders import PARTS, RunFolders, Version, ViewedRun, check_inside, is_plain
from ragauge.results.result import load


@dataclass(frozen=True)
class RunOutcome:
    """A sentence on a run; ``kind`` is better, worse, mixed, unclear or equal, and empty where nothing is decided."""

    text: PageText
    kind: str = ""


_Pair = tuple[str, Version, str, Version]
_WAITING = RunOutcome(message("view.outcome.waiting"))
_FIRST = RunOutcome(message("view.outcome.first"))


class RunOutcomes:
    """Compares runs in a thread of its own, so that no page waits; the newest first, each pair once."""

    def __init__(self) -> None:
        self._known: dict[_Pair, RunOutcome] = {}
        self._waiting: list[tuple[ViewedRun, ViewedRun]] = []
        self._changed = Condition()
        Thread(target=self._work, daemon=True).start()

    def of(self, runs: Sequence[ViewedRun]) -> dict[str, RunOutcome]:
        """Return the outcome of each of all ``runs``, by key; what is not known yet is computed from now on."""
        before = bases(runs)
        pairs = {run.key: (run, before.get(run.key)) for run in runs if not run.problem}
        with self._changed:
            self._waiting = [
                (run, base) for run, base in pairs.values() if base is not None and _pair(run, base) not in self._known
            ]
            self._changed.notify()
            return {
                key: _FIRST if base is None else self._known.get(_pair(run, base), _WAITING)
                for key, (run, base) in pairs.items()
            }

    def _work(self) -> None:
        while True:
            with self._changed:
                while not self._waiting:
                    self._changed.wait()
                run, base = self._waiting.pop(0)
            if _pair(run, base) not in self._known:
                outcome = _outcome(run, base)
                with self._changed:
                    self._known[_pair(run, base)] = outcome


def bases(runs: Iterable[ViewedRun]) -> dict[str, ViewedRun]:
    """Return for each run, by key, the last run before it that has the same questions and one of its metrics."""
    found: dict[str, ViewedRun] = {}
    last: dict[tuple[str, str], ViewedRun] = {}
    in_order = sorted((run for run in runs if run.task), key=_moment)
    for _, at_once in groupby(in_order, key=lambda run: run.created):
        named = [(run, [(run.task, metric) for metric in run.scores]) for run in at_once]
        for run, metrics in named:
            earlier = [last[one] for one in metrics if one in last]
            if earlier:
                found[run.key] = max(earlier, key=_moment)
        for run, metrics in named:
            last |= dict.fromkeys(metrics, run)
    return found


def _moment(run: ViewedRun) -> tuple[str, str]:
    return run.created, run.name


def _pair(run: ViewedRun, base: ViewedRun) -> _Pair:
    return run.key, run.version, base.key, base.version


def _outcome(run: ViewedRun, base: ViewedRun) -> RunOutcome:
    """Compare as ``ragauge compare`` does."""
    try:
        for one in (base, run):
            check_inside(one.path)
        comparison = compare(load(base.path), load(run.path))
    except (RagaugeError, OSError, MemoryError) as error:
        why = (str(error) or type(error).__name__).splitlines()[0]
        return RunOutcome(message("view.outcome.problem", base=base.name, why=why))
    counts = Counter(one.outcome for one in comparison.table)
    if counts["nothing"] == counts.total():
        return RunOutcome(message("view.outcome.nothing", base=base.name), "worse")
    better, worse = counts["better"], counts["worse"]
    kind = "mixed" if better and worse else "better" if better else "worse" if worse else "unclear"
    values = {"base": base.name, "better": better, "worse": worse, "unclear": counts["unclear"] + counts["equal"]}
    if (more := run.failed - base.failed) > 0:
        with_failures = "mixed" if better else "worse"
        return RunOutcome(message(f"view.outcome.{kind}.failed", failed=f"{more:,}", **values), with_failures)
    if counts["equal"] == counts.total() - counts["nothing"]:
        return RunOutcome(message("view.outcome.equal", base=base.name), "equal")
    return RunOutcome(message(f"view.outcome.{kind}", **values), kind)


_ANSWERS = ".answers.jsonl"
_PLAN, _PART = "plan.json", "part-??????.arrow"
"""Of ``ragauge score --workers``: what names the number of parts, and the files of finished ones."""
_SAVING = re.compile(r"\.(.+)\.[0-9a-f]{8}\.new")
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
    ``age``: seconds since the last change.
    """

    key: str
    name: str
    kind: Literal["answers", "parts", "saving"]
    done: int
    failed: int
    total: int | None
    age: float

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

    def __init__(self, folders: RunFolders) -> None:
        self._folders = folders
        self._read: dict[Path, _Progress] = {}

    def under_way(self, runs: list[ViewedRun]) -> list[UnderWay]:
        """Return what is under way beside the saved ``runs``, the newest first. One thread at a time may call it."""
        saved = {run.path: run for run in runs}
        shown = [one for folder, name in self._folders.folders() for one in self._in(folder, name, saved)]
        return sorted(shown, key=lambda one: (one.age, one.name))

    def _in(self, folder: Path, name: str, saved: Mapping[Path, ViewedRun]) -> Iterator[UnderWay]:
        there: list[os.DirEntry[str]] = []
        # A run that is saved meanwhile gets another name, and finished parts go.
        with suppress(OSError), os.scandir(folder) as entries:
            there = sorted((entry for entry in entries if not entry.is_symlink()), key=lambda entry: entry.name)
        for entry in there:
            with suppress(OSError):
                seen = self._seen(entry, folder, name, saved)
                if seen is not None:
                    yield seen

    def _seen(
        self, entry: os.DirEntry[str], folder: Path, name: str, saved: Mapping[Path, ViewedRun]
    ) -> UnderWay | None:
        """Return what an entry of a folder shows of a run; OSError where it is gone, or cannot be read."""
        shown_run = _named(entry)
        if shown_run is None:
            return None
        kind, run = shown_run
        changed = entry.stat().st_mtime
        if kind == "answers" and _finished(saved.get(folder / run), changed):
            return None
        done, failed, total = self._counts(Path(entry.path), kind)
        key = sha256(os.fsencode(entry.path)).hexdigest()[:16]
        shown = run if folder in self._folders.roots else f"{name}/{run}"
        return UnderWay(key, shown, kind, done, failed, total, max(0.0, time() - changed))

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
