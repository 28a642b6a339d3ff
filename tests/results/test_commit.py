"""The commit that is checked out, as git itself says."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from ragauge.results.commit import current_commit

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(folder: Path, *arguments: str) -> str:
    named = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    done = subprocess.run(
        [str(shutil.which("git")), *named, *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "仓库"
    folder.mkdir()
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "one")
    return folder


def test_branches_packed_branches_and_detached_heads(repository: Path) -> None:
    inside = repository / "a" / "b"
    inside.mkdir(parents=True)
    assert current_commit(inside) == git(repository, "rev-parse", "HEAD")
    git(repository, "checkout", "-q", "-b", "topic/one")
    git(repository, "commit", "-q", "--allow-empty", "-m", "two")
    git(repository, "pack-refs", "--all")
    assert current_commit(inside) == git(repository, "rev-parse", "HEAD")
    git(repository, "checkout", "-q", "--detach", "main")
    assert current_commit(inside) == git(repository, "rev-parse", "main")


def test_worktrees(repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "-q", "-b", "other", str(tmp_path / "other"))
    git(tmp_path / "other", "commit", "-q", "--allow-empty", "-m", "two")
    assert current_commit(tmp_path / "other") == git(tmp_path / "other", "rev-parse", "HEAD")
    assert current_commit(tmp_path / "other") != current_commit(repository)


def test_where_there_is_no_commit(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    assert current_commit(tmp_path) is None
    for content in (b"ref: refs/heads/.invalid\n", b"\xff\xfe", b"", b"no hash"):
        (tmp_path / ".git" / "HEAD").write_bytes(content)
        assert current_commit(tmp_path) is None
    shutil.rmtree(tmp_path / ".git")
    (tmp_path / ".git").write_text("gitdir: nowhere\n", encoding="utf-8")
    assert current_commit(tmp_path) is None
