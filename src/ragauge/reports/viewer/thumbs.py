"""The thumbs of the runs that are shown: those that were given, and further ones."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock

from ragauge.errors import DataError
from ragauge.reports.viewer.folders import RunFolders, Version, ViewedRun, check_inside
from ragauge.results.result import load
from ragauge.results.thumbs import Thumbs, answers_by_id

_KEPT = 8
"""Runs whose answers are kept: going back and forth between two runs reads none anew."""


class RunThumbs:
    """Thumbs by the keys of runs. Several threads may use it at once."""

    def __init__(self, folders: RunFolders) -> None:
        self._folders = folders
        self._lock = Lock()
        self._answers: dict[tuple[str, Version], Mapping[str, str | None]] = {}

    def given(self, key: str) -> dict[str, bool] | None:
        """Return the thumbs of a run, by the ids of samples; None where there is no such run."""
        run = self._folders.run(key)
        if run is None or run.problem:
            return None
        with self._lock:
            return Thumbs.of_run(run.path).read(self._of(run))

    def add(self, key: str, name: str, good: bool | None) -> bool:  # noqa: FBT001 - the content of a request
        """Keep a thumb; return whether there is such a run with such a sample. UsageError where it cannot be kept."""
        run = self._folders.run(key)
        if run is None or run.problem:
            return False
        with self._lock:
            answers = self._of(run)
            if name not in answers:
                return False
            Thumbs.of_run(run.path).add(name, answers[name], good=good)
        return True

    def _of(self, run: ViewedRun) -> Mapping[str, str | None]:
        """Return the answers of a run; none where it cannot be read."""
        known = (run.key, run.version)
        if known not in self._answers:
            try:
                check_inside(run.path)
                self._answers[known] = answers_by_id(load(run.path))
            except DataError:
                return {}
            while len(self._answers) > _KEPT:
                del self._answers[next(iter(self._answers))]
        return self._answers[known]
