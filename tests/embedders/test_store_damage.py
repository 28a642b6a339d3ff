"""A cache that is damaged, full, locked or not a cache: one warning, the right vectors, and no error."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from ragauge.embedders.store import Cached, Store, Stored, key_of
from tests.embedders.counting import Counting

TEXTS = [f"text {number}" for number in range(40)]


def vectors(embedder: Any, store: Store, texts: Any) -> Any:
    cached: Any = Cached(embedder, store)
    return cached.encode(texts, "query").values


def encoded(directory: Any, texts: Any = tuple(TEXTS)) -> Counting:
    """Encode ``texts`` with the cache in ``directory``, expect the right vectors, and return what counted."""
    embedder = Counting()
    with Store(directory) as store:
        for part in (texts[:20], texts):
            values = vectors(embedder, store, part)
            assert values.tolist() == Counting().encode(part, "query").values.tolist()
    return embedder


@pytest.fixture
def cache(tmp_path: Any) -> Any:
    """A folder with the vectors of TEXTS."""
    encoded(tmp_path / "cache")
    assert not encoded(tmp_path / "cache").encoded
    return tmp_path / "cache"


def changed(cache: Any, statement: str, *values: Any) -> None:
    connection = sqlite3.connect(cache / "embeddings.sqlite")
    with connection:
        connection.execute(statement, values)
    connection.close()


def warnings_of(caplog: Any) -> list[str]:
    return [record.message for record in caplog.records if record.name == "ragauge"]


@pytest.mark.parametrize(
    "value",
    [b"", b"odd", b"\0" * 12, b"\0" * 13, np.ones(3, "<f4").tobytes(), "text", "\x00" * 24, 7, 1.5, None],
    ids=lambda value: repr(value)[:20],
)
def test_what_is_no_vector_is_computed_again(cache: Any, value: Any, caplog: Any) -> None:
    changed(cache, "UPDATE embeddings SET value = ?", value)
    assert sorted(text for _, text in encoded(cache).encoded) == sorted(TEXTS)
    assert "20 vectors in the embedding cache are damaged; they are computed again" in warnings_of(caplog)
    assert not encoded(cache).encoded


def test_text_that_is_not_utf8_is_computed_again(cache: Any) -> None:
    changed(cache, "UPDATE embeddings SET value = CAST(x'FF00' AS TEXT)")
    assert len(encoded(cache).encoded) == len(TEXTS)


def test_a_vector_under_another_key_is_no_vector_of_it(cache: Any) -> None:
    changed(
        cache,
        "UPDATE embeddings SET value = (SELECT value FROM embeddings ORDER BY key LIMIT 1) "
        "WHERE key = (SELECT max(key) FROM embeddings)",
    )
    assert len(encoded(cache).encoded) == 1


def test_one_changed_bit_of_a_vector_is_found(cache: Any) -> None:
    key = key_of("counting", "", TEXTS[0])
    with Store(cache) as store:
        assert store.find([key])
    changed(
        cache, "UPDATE embeddings SET value = substr(value, 1, 15) || x'01' || substr(value, 17) WHERE key = ?", key
    )
    assert [text for _, text in encoded(cache).encoded] == [TEXTS[0]]


def test_vectors_of_two_models_are_computed_again(cache: Any) -> None:
    with Store(cache) as store:
        store.put({key_of("counting", "", TEXTS[0]): Stored(np.ones(5, dtype=np.float32))})
    assert len(encoded(cache).encoded) == 20
    assert not encoded(cache).encoded


def test_a_file_that_is_not_a_cache(tmp_path: Any, caplog: Any) -> None:
    for number, content in enumerate(
        [b"this is not a database, and long enough to be looked at" * 20, b"SQLite format 3\0", bytes(5000)]
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "embeddings.sqlite").write_bytes(content)
        assert len(encoded(folder).encoded) == len(TEXTS)
        assert (folder / "embeddings.sqlite").read_bytes() == content or content.startswith(b"SQLite")
    assert any("as embedding cache (file is not a database), so vectors" in message for message in warnings_of(caplog))


def test_a_database_of_something_else(tmp_path: Any, caplog: Any) -> None:
    changed(tmp_path, "CREATE TABLE embeddings (name TEXT)")
    assert len(encoded(tmp_path).encoded) == len(TEXTS)
    assert len(warnings_of(caplog)) == 1


@pytest.mark.parametrize("seed", range(60))
def test_damaged_bytes_of_the_file(cache: Any, seed: int) -> None:
    generator = np.random.default_rng(seed)
    path = cache / "embeddings.sqlite"
    data = bytearray(path.read_bytes())
    if generator.random() < 0.3:
        del data[generator.integers(len(data)) :]
    for _ in range(generator.choice([1, 5, 50, 500])):
        if data:
            data[generator.integers(len(data))] = generator.integers(256)
    path.write_bytes(data)
    encoded(cache)


@pytest.mark.parametrize("kind", ["file", "fifo", "link to itself", "folder", "no name"])
def test_a_place_that_is_no_folder(tmp_path: Any, kind: str, caplog: Any) -> None:
    place = tmp_path / "place"
    if kind == "file":
        place.write_text("")
    elif kind == "link to itself":
        place.symlink_to(place)
    elif kind == "folder":
        (place / "embeddings.sqlite").mkdir(parents=True)
    elif kind == "fifo":
        place.mkdir()
        os.mkfifo(place / "embeddings.sqlite")
    assert len(encoded("nul\0" if kind == "no name" else place).encoded) == len(TEXTS)
    assert len(warnings_of(caplog)) == 1


SCRIPT = """
import os, resource, sys
import numpy as np
from ragauge.embedders.store import Cached, Store
from tests.embedders.counting import Counting
limit, user = int(sys.argv[2]), int(sys.argv[3])
if user:
    os.setuid(user)
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
texts = [str(number) * 50 for number in range(5000)]
embedder = Counting()
with Store(sys.argv[1]) as store:
    for part in (texts, texts):
        values = Cached(embedder, store).encode(part, "query").values
        assert np.array_equal(values, Counting().encode(part, "query").values)
print(sum(embedder.encoded.values()))
"""


def run(directory: Any, *, limit: int = 0, user: int = 0, **environment: str) -> Any:
    command = [sys.executable, "-c", SCRIPT, str(directory), str(limit), str(user)]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment}, check=False)


def test_a_full_disk(tmp_path: Any) -> None:
    done = run(tmp_path, limit=200_000)
    assert done.returncode == 0, done.stderr
    assert "as embedding cache" in done.stderr
    assert "Traceback" not in done.stderr
    assert 5000 < int(done.stdout) <= 10000


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can mount or become another user")
class TestAsRoot:
    """The two conditions that a file size limit does not bring about."""

    def test_a_full_file_system(self, tmp_path: Any) -> None:
        disk = tmp_path / "disk"
        disk.mkdir()
        mounted = subprocess.run(
            ["/bin/mount", "-t", "tmpfs", "-o", "size=256k", "none", disk], capture_output=True, check=False
        )
        if mounted.returncode:
            pytest.skip("no file system can be mounted here")
        try:
            done = run(disk)
            assert (done.returncode, done.stdout) == (0, "5000\n"), done.stderr
            assert "database or disk is full" in done.stderr
        finally:
            subprocess.run(["/bin/umount", disk], check=True)

    def test_a_folder_that_cannot_be_written(self, cache: Any) -> None:
        before = (cache / "embeddings.sqlite").read_bytes()
        for folder in (cache, *cache.parents):
            if folder.name.startswith(("pytest-", "test_", "cache")):
                folder.chmod(0o555)
        done = run(cache, user=65534)
        assert (done.returncode, done.stdout) == (0, "5000\n"), done.stderr
        assert "as embedding cache" in done.stderr
        assert (cache / "embeddings.sqlite").read_bytes() == before


def test_a_cache_that_goes_while_it_is_used(tmp_path: Any) -> None:
    embedder = Counting()
    with Store(tmp_path / "cache") as store:
        Cached(embedder, store).encode(TEXTS, "query")
        shutil.rmtree(tmp_path / "cache")
        values = vectors(embedder, store, [*TEXTS, "new"])
    assert values.tolist() == Counting().encode([*TEXTS, "new"], "query").values.tolist()


@pytest.mark.costly
def test_two_processes_on_one_cache(tmp_path: Any) -> None:
    for number in range(3):
        command = [sys.executable, "-c", SCRIPT, str(tmp_path / str(number)), "0", "0"]
        both = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
        for process in both:
            counted, complaints = process.communicate(timeout=120)
            assert (process.returncode, complaints) == (0, "")
            assert int(counted) <= 5000


def test_a_cache_that_another_process_has_locked(tmp_path: Any, monkeypatch: Any, caplog: Any) -> None:
    monkeypatch.setattr("ragauge.core.sqlite._WAIT_S", 0.1)
    encoded(tmp_path, TEXTS[:5])
    other = sqlite3.connect(tmp_path / "embeddings.sqlite")
    other.execute("BEGIN EXCLUSIVE")
    assert len(encoded(tmp_path).encoded) >= len(TEXTS) - 5
    assert "database is locked" in warnings_of(caplog)[0]
    other.close()
