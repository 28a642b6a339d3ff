"""The call that writes a report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any
from uuid import uuid4

from ragauge._version import __version__
from ragauge.errors import UsageError
from ragauge.reporting.choosing import Chosen, choose
from ragauge.reporting.drawing.canvas import legend, mark
from ragauge.reporting.page import render
from ragauge.reporting.payload import encoded, payload
from ragauge.reporting.run import Given, Run, runs_of
from ragauge.reporting.sections.changes import changes
from ragauge.reporting.sections.cutoffs import cutoffs
from ragauge.reporting.sections.distributions import distributions
from ragauge.reporting.sections.groups import groupings
from ragauge.reporting.sections.overview import choice, overview
from ragauge.reporting.sections.relations import relations
from ragauge.reporting.sections.reproducing import recipes
from ragauge.reporting.sections.scorecard import scorecard
from ragauge.reporting.sections.weakest import weakest
from ragauge.reporting.subject import Subject
from ragauge.reporting.texts import Texts

LIMIT = 20_000


def report(
    runs: Given | Iterable[Given],
    path: str | PathLike[str],
    *,
    names: Sequence[str] = (),
    language: str = "en",
    limit: int = LIMIT,
    metric: str | None = None,
    force: bool = False,
) -> Path:
    """Write one self-contained HTML page of ``runs``: it needs no network and can be opened from disk.

    Args:
        runs: results or directories of saved runs; the first is the baseline of the others.
        path: the file to write.
        names: what to call the runs; by default what their directories are called.
        language: of the page when it opens, ``en`` or ``zh``; the reader can change it.
        limit: of more samples than this the page holds half the worst, and a random part of the rest; it says so.
        metric: what samples are worst by; the first of the last run, unless said otherwise.
        force: replace what ``path`` names.

    Returns:
        The path.

    Raises:
        UsageError: the file exists or cannot be written, or an argument has a value that it does not take.
        DataError: a directory is no saved run.

    >>> import ragauge, tempfile
    >>> result = ragauge.evaluate([{"answer": "Anna", "references": ["Anna", "A."]}], "exact-match")
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     page = report(result, Path(directory) / "report.html").read_text(encoding="utf-8")
    >>> page.count("<script"), "http://" in page
    (3, False)
    """
    target = Path(path)
    check_writable(target, force=force)
    html = page(runs_of(runs, names), Texts(language), limit, metric)
    write(target, html)
    return target


def page(runs: tuple[Run, ...], texts: Texts, limit: int = LIMIT, metric: str | None = None) -> str:
    """Return the page of ``runs``."""
    subject = Subject.of(runs, texts)
    chosen = choose(subject.found, subject.asked, limit, metric)
    return render(
        texts,
        encoded(payload(runs, subject.asked, subject.found, chosen)),
        **sections(subject, chosen),
    )


def sections(subject: Subject, chosen: Chosen) -> dict[str, Any]:
    """Return what the templates show, by name."""
    seen = overview(subject)
    return {
        "names": subject.names,
        "version": __version__,
        "marks": [mark(subject.texts, place) for place in range(len(subject.runs))],
        "legend": legend(subject.texts, subject.names),
        "overview": seen,
        "alignment": any(subject.found.left_out),
        "choice": choice(chosen, len(subject.found)),
        "scorecard": scorecard(subject),
        "weakest": weakest(subject, chosen),
        "changes": changes(subject),
        "distributions": distributions(subject),
        "relations": relations(subject),
        "cutoffs": cutoffs(subject),
        "groupings": groupings(subject),
        "recipes": recipes(subject),
    }


def check_writable(path: Path, *, force: bool) -> None:
    """Raise UsageError where ``path`` exists already, or its folder does not."""
    if path.is_dir() or not path.parent.is_dir():
        problem = "is a folder" if path.is_dir() else "its folder does not exist"
        message = f"{path}: {problem}; name a file in a folder that exists, as in report.html"
        raise UsageError(message)
    if path.exists() and not force:
        message = f"{path} exists already; give another file, or --force to replace it"
        raise UsageError(message)


def write(path: Path, html: str) -> None:
    """Write the page beside ``path`` and rename it, so that it is there whole or not at all."""
    beside = path.with_name(f".{path.name}.{uuid4().hex[:8]}")
    try:
        beside.write_text(html, encoding="utf-8", newline="\n")
        beside.replace(path)
    except OSError as error:
        message = f"{path} cannot be written: {error.strerror or error}"
        raise UsageError(message) from error
    finally:
        beside.unlink(missing_ok=True)
