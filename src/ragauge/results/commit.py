"""The commit of git that is checked out, which a saved run keeps; read from git's files, without git."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

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
