"""The folder of a run of ``ragauge ask``: which it is where none is named, and when another run may take its place."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path

from ragauge.results.result import Result, load
from ragauge.results.storage import MANIFEST, read_manifest

_SUFFIXES = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".txt", ".md", ".xlsx", ".parquet", ".arrow", ".html", ".gz")
"""Endings that the name of a folder does not get from a file of questions."""


def answers_of(folder: Path) -> Path:
    """Return the file that keeps the answers of a run.

    >>> answers_of(Path("runs/today")).as_posix()
    'runs/today.answers.jsonl'
    """
    return folder.with_name(f"{folder.name}.answers.jsonl")


def is_taken(folder: Path) -> bool:
    """Return whether a run, or its answers, are there already."""
    return folder.exists() or answers_of(folder).exists()


def free_folder(folder: Path) -> Path:
    """Return ``folder``, or with the first number that makes it free: ``runs/q``, ``runs/q-2``, ``runs/q-3``."""
    return next(one for one in _numbered(folder) if not is_taken(one))


def chosen_folder(questions: str, system: str, *, resume: bool) -> Path:
    """Return the folder of a run where the user names none: a free one, ``runs/`` with the name of the questions.

    Args:
        questions: the file.
        system: its name in the first line of files of answers.
        resume: take the newest of these folders with answers of the system, first of those whose run is not whole.
    """
    name = Path(questions).name
    while Path(name).suffix.lower() in _SUFFIXES:
        name = Path(name).stem
    folder = Path("runs", re.sub(r"[^\w.-]+", "-", name).strip("-.") or "questions")
    earlier = [one for one in _there(folder) if _system_of(answers_of(one)) == system] if resume else []
    newest = sorted(earlier, key=lambda one: answers_of(one).stat().st_mtime_ns, reverse=True)
    return next((one for one in newest if not is_whole(one)), newest[0] if newest else free_folder(folder))


def is_whole(folder: Path, metrics: Iterable[str] = ()) -> bool:
    """Return whether a run is saved that has scores of all ``metrics``, and in which no sample failed."""
    if not (folder / MANIFEST).is_file():
        return False
    saved = load(folder)
    return all(name in saved for name in metrics) and not any(score.failed for score in saved.table)


def replaces(result: Result, folder: Path) -> bool:
    """Return whether ``result`` has all samples and metrics of the run saved in ``folder``, so that nothing is lost."""
    if not (folder / MANIFEST).is_file():
        return True
    saved = load(folder)
    specs = [{(name, str(metric)) for name, metric in one.metrics.items()} for one in (saved, result)]
    has_metrics = specs[0] <= specs[1]
    return has_metrics and _ids(saved) <= _ids(result) and not read_manifest(folder)["run"].get("left_out")


def _ids(result: Result) -> set[str]:
    return {one for part in result.ids for one in part.to_pylist()}


def _numbered(folder: Path) -> Iterator[Path]:
    yield folder
    yield from (folder.with_name(f"{folder.name}-{number}") for number in count(2))


def _there(folder: Path) -> Iterator[Path]:
    """Yield the numbered folders that have answers, up to the first that is free."""
    for one in _numbered(folder):
        if not is_taken(one):
            return
        if answers_of(one).is_file():
            yield one


def _system_of(answers: Path) -> object:
    """Return the name of the system in a file of answers; None where the first line has none."""
    with answers.open("rb") as file:
        try:
            head = json.loads(file.readline())
        except ValueError:
            return None
    return head.get("answers_of") if isinstance(head, dict) else None
