"""A multilingual example that comes with the package: two versions of a small system that answers questions.

``before.jsonl`` and ``after.jsonl`` hold 64 questions in eight languages about an imagined tea house, with the passages
that were retrieved and the answers that were given, before and after a re-ranker was put in. How they were made, and
what in them is made up, says ``tests/demo/write.py``.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from ragauge.errors import UsageError
from ragauge.evaluation.evaluate import evaluate
from ragauge.reports.report import report
from ragauge.results.result import Result

SYSTEMS = ("before", "after")
METRICS = (
    "hit-rate@3",
    "precision@3",
    "recall@5",
    "mrr",
    "ndcg@5",
    "token-f1",
    "rouge-l",
    "groundedness",
    "answer-correctness",
    "column:name=latency,direction=lower",
)
COLUMNS = ("language", "topic")

_DATA, _RUNS, _REPORT = "data", "runs", "report.html"


@dataclass(frozen=True)
class Demonstrated:
    """Where everything is: ``data`` and ``runs`` by system, and the page."""

    data: dict[str, Path]
    runs: dict[str, Path]
    results: dict[str, Result]
    report: Path


def demonstrate(directory: Path, *, language: str = "en", force: bool = False) -> Demonstrated:
    """Write the example to ``directory``, score both systems, save the runs, and report on them.

    Args:
        directory: must not exist yet, unless
        force: replaces what an earlier call wrote there.
        language: of the report, ``en`` or ``zh``.

    Raises:
        UsageError: the directory exists, or cannot be made.
    """
    check_free(directory, force=force)
    data = {system: directory / _DATA / f"{system}.jsonl" for system in SYSTEMS}
    runs = {system: directory / _RUNS / system for system in SYSTEMS}
    try:
        (directory / _DATA).mkdir(parents=True)
        for system, path in data.items():
            path.write_bytes(samples(system))
    except OSError as error:
        message = f"{directory} cannot be written: {error.strerror or error}"
        raise UsageError(message) from error
    results = {system: evaluate(path, METRICS, by=COLUMNS) for system, path in data.items()}
    for system, result in results.items():
        result.save(runs[system])
    return Demonstrated(data, runs, results, report(runs.values(), directory / _REPORT, language=language))


def samples(system: str) -> bytes:
    """Return the lines that say what ``system`` made of the questions."""
    return (files(__package__) / f"{system}.jsonl").read_bytes()


def check_free(directory: Path, *, force: bool) -> None:
    """Make way for the example.

    Raises:
        UsageError: ``directory`` exists and must not be replaced, or holds what no example wrote.
    """
    if not directory.exists():
        return
    if not force:
        message = f"{directory} exists already; name another directory with -o, or --force to replace it"
        raise UsageError(message)
    foreign = sorted(_names(directory) - {_DATA, _RUNS, _REPORT})
    if foreign:
        message = f"{directory} holds more than the example ({foreign[0]}), so --force does not replace it"
        raise UsageError(message)
    shutil.rmtree(directory)


def _names(directory: Path) -> set[str]:
    found: Iterable[Path] = directory.iterdir() if directory.is_dir() else [directory]
    return {path.name for path in found}
