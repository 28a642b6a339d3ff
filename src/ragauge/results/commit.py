"""The commit of git that is checked out, and the name of its user; read from git's files, without git."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from ragauge.core.lazy import lazy_pattern

_HASH = lazy_pattern(r"[0-9a-f]{40}|[0-9a-f]{64}")
_USER = lazy_pattern(r"^\s*\[user\][^\[]*?^\s*name\s*=\s*\"?([^\"\n#;]+)", re.IGNORECASE | re.MULTILINE)


def current_commit(folder: Path) -> str | None:
    """Return the hash of the commit that is checked out where ``folder`` is; None outside of a repository of git.

    Changes that are not committed are not seen.
    """
    with suppress(OSError, ValueError):
        git = _git_folder(folder)
        return None if git is None else _head(git)
    return None


def user_name(folder: Path) -> str:
    """Return who works in ``folder``: ``user.name`` of git there or of the user, else the name in the system."""
    home = Path(os.environ.get("XDG_CONFIG_HOME") or Path("~", ".config").expanduser(), "git", "config")
    files = [Path("~", ".gitconfig").expanduser(), home]
    with suppress(OSError, ValueError):
        git = _git_folder(folder)
        files = [*([] if git is None else [_shared(git) / "config"]), *files]
    for file in files:
        with suppress(OSError, ValueError):
            found = _USER.search(file.read_text(encoding="utf-8"))
            if found and found[1].strip():
                return found[1].strip()
    from getpass import getuser

    try:
        return getuser()
    except (OSError, KeyError, ImportError):
        return "unknown"


def _git_folder(folder: Path) -> Path | None:
    """Return the folder of git where ``folder`` is, also of a worktree or submodule, whose ``.git`` is a file."""
    place = folder.resolve()
    git = next((parent / ".git" for parent in (place, *place.parents) if (parent / ".git").exists()), None)
    if git is None or not git.is_file():
        return git
    return git.parent / git.read_text(encoding="utf-8").removeprefix("gitdir:").strip()


def _shared(git: Path) -> Path:
    """Return the folder that a worktree shares with the others: its branches and its configuration are there."""
    common = git / "commondir"
    return git / common.read_text(encoding="utf-8").strip() if common.exists() else git


def _head(git: Path) -> str | None:
    """Return the commit of a folder of git."""
    head = (git / "HEAD").read_text(encoding="utf-8").strip()
    if not head.startswith("ref:"):
        return head if _HASH.fullmatch(head) else None
    name = head.removeprefix("ref:").strip()
    shared = _shared(git)
    for place in (git, shared):
        if (place / name).is_file():
            commit = (place / name).read_text(encoding="utf-8").strip()
            return commit if _HASH.fullmatch(commit) else None
    return _packed(shared / "packed-refs", name)


def _packed(file: Path, name: str) -> str | None:
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    pairs = (line.partition(" ") for line in lines)
    return next((commit for commit, _, ref in pairs if ref == name and _HASH.fullmatch(commit)), None)
