"""Which files of tests were recorded, and what they were then: only those that changed are recorded again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.mutation.reach import ASSETS, Reached


def read(path: Path) -> Any:
    """Return the JSON object in a file, an empty one where there is no file."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def files_of_tests(root: Path, paths: Iterable[str]) -> list[str]:
    """Return the files below ``root`` in which pytest looks for tests."""
    found: set[Path] = set()
    for path in (root / name for name in paths):
        in_source = path.is_relative_to(root / "src")
        found |= {path} if path.is_file() else set(path.rglob("*.py" if in_source else "test_*.py"))
    return sorted(path.relative_to(root).as_posix() for path in found)


def digests_of(root: Path, files: Iterable[str], reached: Reached) -> dict[str, str]:
    """Return a digest of each file of tests; where a test runs scripts of the report, it changes with the scripts."""
    scripts = b"".join(path.read_bytes() for path in sorted((root / ASSETS).rglob("*.js")))
    with_scripts = {
        test.partition("::")[0] for test, found in reached.items() if any(".js:" in one for one in found["functions"])
    }
    return {
        file: hashlib.sha256((root / file).read_bytes() + scripts * (file in with_scripts)).hexdigest()
        for file in files
    }


def shares(files: list[str], processes: int) -> list[list[str]]:
    """Return the files in as many parts, each with every ``processes``-th file."""
    return [files[share::processes] for share in range(min(processes, len(files)))]
