"""Archives of inspect_ai: damage, compression and size."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pyarrow as pa
import pytest

from ragauge.errors import DataError
from ragauge.formats import read
from tests.formats.test_inspect_ai import INSPECT
from tests.frameworks.reading import GOLD, READ, parts


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_log_with_damage_in_a_sample(method: int, tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("samples/a.json", json.dumps({**INSPECT, "output": "x" * 5000}))
    whole = bytearray(path.read_bytes())
    for place in range(60, 90):
        path.write_bytes(bytes([*whole[:place], whole[place] ^ 0x55, *whole[place + 1 :]]))
        with pytest.raises(DataError, match=r"log.eval: cannot be read as a log of inspect_ai"):
            read(path)


def test_a_sample_of_a_log_that_is_too_long_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = json.dumps(INSPECT).encode()
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("samples/茶.json", content)
    monkeypatch.setattr("ragauge.formats.sources.inspect_ai.LONGEST", len(content))
    assert parts(path) == {**READ, "references": [GOLD]}
    monkeypatch.setattr("ragauge.formats.sources.inspect_ai.LONGEST", len(content) - 1)
    with pytest.raises(DataError, match=r"samples/茶.json is longer than 0 MiB"):
        read(path)


@pytest.mark.parametrize("beside", [b"", b"\x99\x99\x04\x00abcd"])
def test_a_log_compressed_with_zstandard(beside: bytes, tmp_path: Path) -> None:
    """Python reads no such archive, so it is made of a stored one: the method and the size are changed after."""
    path, content = tmp_path / "log.eval", json.dumps(INSPECT).encode()
    with zipfile.ZipFile(path, "w") as archive:
        entry = zipfile.ZipInfo("samples/茶.json")
        entry.extra = beside
        archive.writestr("header.json", "{}")
        archive.writestr(entry, pa.compress(content, "zstd", asbytes=True))
    whole = bytearray(path.read_bytes())
    for mark, method, size in ((b"PK\x03\x04", 8, 22), (b"PK\x01\x02", 10, 24)):
        start = whole.rindex(mark)
        whole[start + method] = 93
        whole[start + size : start + size + 4] = len(content).to_bytes(4, "little")
    path.write_bytes(whole)
    assert parts(path) == {**READ, "references": [GOLD]}
