"""A run as the page shows it: its result, what it is called, and what is known of when and how it was scored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeAlias, cast

from ragauge.errors import UsageError
from ragauge.manifests import read_manifest
from ragauge.result import Result
from ragauge.saved import load

Given: TypeAlias = Result | str | PathLike[str]
"""A result, or the directory of a saved one."""


@dataclass(frozen=True, eq=False)
class Run:
    """``directory`` and ``manifest`` are None and empty where the result was not read from disk."""

    name: str
    result: Result
    directory: Path | None
    manifest: Mapping[str, Any]

    @property
    def created(self) -> str | None:
        """When it was scored, in UTC."""
        return cast("str | None", self.manifest.get("run", {}).get("created"))

    @property
    def version(self) -> str | None:
        """Of the ragauge that scored it."""
        return cast("str | None", self.manifest.get("run", {}).get("ragauge"))


def runs_of(given: Given | Iterable[Given], names: Sequence[str] = ()) -> tuple[Run, ...]:
    """Read what was given.

    Args:
        given: results or directories; one, or several, the baseline first.
        names: what to call them; by default directories by as much of their ends as tells them apart.

    Raises:
        UsageError: there is no run, as many names as runs are not given, or two names are equal.
        DataError: a directory is no saved run.
    """
    runs = [given] if isinstance(given, Result | str | PathLike) else list(given)
    if not runs:
        message = "there is nothing to report; give a saved run or a result"
        raise UsageError(message)
    called = list(names) or default_names([None if isinstance(run, Result) else Path(fspath(run)) for run in runs])
    if len(called) != len(runs) or len(set(called)) != len(called):
        message = f"give each run a name of its own: {len(runs)} runs, and the names {', '.join(map(repr, called))}"
        raise UsageError(message)
    return tuple(_run(name, run) for name, run in zip(called, runs, strict=True))


def _run(name: str, given: Given) -> Run:
    if isinstance(given, Result):
        return Run(name, given, None, {})
    directory = Path(fspath(given))
    return Run(name, load(directory), directory, read_manifest(directory))


def default_names(directories: Sequence[Path | None]) -> list[str]:
    """Call directories by as much of their ends as tells them apart, results by their place.

    >>> default_names([Path("runs/today")]), default_names([Path("a/today"), Path("b/today"), None])
    (['today'], ['a/today', 'b/today', 'run 3'])
    >>> default_names([Path("today"), Path("today")])
    ['today (1)', 'today (2)']
    """
    parts = [
        (f"run {place}",) if directory is None else directory.resolve().parts
        for place, directory in enumerate(directories, 1)
    ]
    names = [part[-1] for part in parts]
    for depth in range(2, 4):
        twice = {name for name, count in Counter(names).items() if count > 1}
        several = [name in twice and parts.count(part) == 1 for part, name in zip(parts, names, strict=True)]
        names = [
            "/".join(part[-depth:]) if longer else name
            for part, name, longer in zip(parts, names, several, strict=True)
        ]
    counts = Counter(names)
    return [f"{name} ({place})" if counts[name] > 1 else name for place, name in enumerate(names, 1)]
