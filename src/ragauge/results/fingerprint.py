"""Where a saved run comes from: fingerprints of its samples, and the commit of git that is checked out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import numpy as np

from ragauge.core.batch import Dataset
from ragauge.core.hashing import combine, hash_array, hash_strings, splitmix64
from ragauge.core.sample import SCHEMA

TASK = ("question", "references", "reference_contexts", "relevance")
"""The columns of the task. Runs are comparable when these agree."""
OUTPUT = ("answer", "contexts", "retrieved", "retrieved_scores")
"""The columns that a system filled."""


def fingerprint(data: Dataset, columns: Iterable[str]) -> str:
    """Return 16 hexadecimal digits of the ids and ``columns`` of ``data``.

    The order of samples and of judgements does not matter; a column that is not there is left out.
    """
    used = [name for name in columns if name in data.columns]
    total = np.uint64(0)
    with np.errstate(over="ignore"):
        for batch in data.batches():
            rows = hash_array(batch.column("id"))
            for name in used:
                hashes = hash_array(batch.column(name), ordered=SCHEMA[name] != "judgements")
                rows = combine(rows, combine(hash_strings([name]), hashes))
            total += splitmix64(rows).sum(dtype=np.uint64)
    return f"{int(total):016x}"


_HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def current_commit(folder: Path) -> str | None:
    """Return the hash of the commit that is checked out where ``folder`` is; None outside of a repository of git.

    Changes that are not committed are not seen.
    """
    place = folder.resolve()
    with suppress(OSError, ValueError):
        for parent in (place, *place.parents):
            git = parent / ".git"
            if git.exists():
                return _head(git)
    return None


def _head(git: Path) -> str | None:
    """Return the commit of ``.git``: a folder, or the file of a worktree or submodule that names it."""
    if git.is_file():
        git = git.parent / git.read_text(encoding="utf-8").removeprefix("gitdir:").strip()
    head = (git / "HEAD").read_text(encoding="utf-8").strip()
    if not head.startswith("ref:"):
        return head if _HASH.fullmatch(head) else None
    name = head.removeprefix("ref:").strip()
    common = git / "commondir"
    # A worktree has a folder of its own, and shares its branches with the others.
    shared = git / common.read_text(encoding="utf-8").strip() if common.exists() else git
    for place in (git, shared):
        if (place / name).is_file():
            commit = (place / name).read_text(encoding="utf-8").strip()
            return commit if _HASH.fullmatch(commit) else None
    return _packed(shared / "packed-refs", name)


def _packed(file: Path, name: str) -> str | None:
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    pairs = (line.partition(" ") for line in lines)
    return next((commit for commit, _, ref in pairs if ref == name and _HASH.fullmatch(commit)), None)
