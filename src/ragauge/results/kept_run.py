"""A saved run as data: whether something is one, and what is known of the samples that it kept."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import cast

from ragauge.core.messages import Message, codes_in
from ragauge.results.result import Result, load
from ragauge.results.storage import MANIFEST

_KEPT_BY = "RG-NOTE-046 the samples are those that {run} kept; their source was not read again"
_OF_SAMPLES = frozenset(f"RG-NOTE-{number:03}" for number in (*range(1, 10), *range(15, 25), 35, 36, 45, 46, 47))
"""Codes of notes on samples and on the system that answered: those on scores are of the metrics of a run alone."""


def is_kept_run(source: object) -> bool:
    """Return whether ``source`` is a result, or the directory of a saved run.

    >>> is_kept_run("data.jsonl"), is_kept_run([{"answer": "tea"}])
    (False, False)
    """
    if not isinstance(source, str | os.PathLike):
        return isinstance(source, Result)
    # Unlike Path.is_file, it takes every text, also one that cannot be a path.
    return os.path.isfile(os.path.join(source, MANIFEST))  # noqa: PTH113, PTH118


def kept_run(source: object) -> Result | None:
    """Return the run that ``source`` is or names, with the notes on its samples alone; None where it is other data.

    Raises:
        DataError: the run is damaged.
    """
    if not is_kept_run(source):
        return None
    run = source if isinstance(source, Result) else load(Path(cast(str, source)))
    notes = [note for note in run.data.notes if _OF_SAMPLES.intersection(codes_in(note))]
    if not isinstance(source, Result):
        notes.insert(0, Message(_KEPT_BY, Path(cast(str, source))))
    return replace(run, data=replace(run.data, notes=tuple(notes)))
