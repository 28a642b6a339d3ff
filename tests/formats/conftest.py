"""Files of tests, written where messages show their bare names."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.formats.files import Write


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Write a file; messages then show its bare name."""
    monkeypatch.chdir(tmp_path)

    def written(name: str, content: bytes | str) -> str:
        Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    return written
