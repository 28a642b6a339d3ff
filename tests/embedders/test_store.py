"""Vectors on disk: across runs, through kills, with several writers."""

import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragauge.embedders.dense import DenseVectors
from ragauge.embedders.store import Cached, Store, Stored, key_of
from ragauge.errors import DataError
from tests.embedders.counting import Counting


def cached(embedder: Any, store: Any) -> Any:
    return Cached(embedder, store)


WRITER = """
import sys
import numpy as np
from ragauge.embedders.store import Store, Stored, key_of
first, last = int(sys.argv[2]), int(sys.argv[3])
with Store(sys.argv[1]) as store:
    for number in range(first, last):
        store.put({key_of("x", "", str(number)): Stored(np.full(8, number, dtype=np.float32))})
        print(number, flush=True)
"""


def writer(directory: Any, first: Any, last: Any) -> Any:
    command = [sys.executable, "-c", WRITER, str(directory), str(first), str(last)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def found(directory: Any, numbers: Any) -> Any:
    with Store(directory) as store:
        keys = {key_of("x", "", str(number)): number for number in numbers}
        return {keys[key]: stored.vector.tolist() for key, stored in store.find(list(keys)).items()}


def test_two_writers_at_once(tmp_path: Any) -> None:
    writers = [writer(tmp_path, 0, 300), writer(tmp_path, 200, 500), writer(tmp_path, 400, 600)]
    assert [process.communicate() and process.returncode for process in writers] == [0, 0, 0]
    assert found(tmp_path, range(600)) == {number: [number] * 8 for number in range(600)}


def test_a_killed_writer_leaves_what_it_had_put(tmp_path: Any) -> None:
    process = writer(tmp_path, 0, 1_000_000)
    time.sleep(0.2)
    seen = [int(process.stdout.readline()) for _ in range(50)]
    process.send_signal(signal.SIGKILL)
    process.communicate()
    kept = found(tmp_path, range(50))
    assert kept == {number: [number] * 8 for number in seen}
    with Store(tmp_path) as store:
        store.put({b"after": Stored(np.ones(1, dtype=np.float32))})


def test_a_second_run_encodes_nothing(tmp_path: Any) -> None:
    first, second = Counting(), Counting()
    for embedder in (first, second):
        with Store(tmp_path) as store:
            vectors = cached(embedder, store).encode(["b", "a", "b", ""], "query")
            assert vectors.values[:, 1].tolist() == [98, 97, 98, 0]
    assert (sum(first.encoded.values()), sum(second.encoded.values())) == (3, 0)


def test_another_signature_role_or_text_is_another_vector(tmp_path: Any) -> None:
    with Store(tmp_path) as store:
        for name in ("one", "two"):
            embedder = Counting(name, symmetric=False)
            for role in ("query", "passage", "query"):
                cached(embedder, store).encode(["a"], role)
            assert sum(embedder.encoded.values()) == 2


def test_failures_are_asked_for_again() -> None:
    with Store() as store:
        vectors = cached(Counting(failing={"b"}), store).encode(["a", "b", "b"], "query")
        assert dict(vectors.failures) == {1: "lost", 2: "lost"}
        assert np.isnan(vectors.cosine(np.array([0]), np.array([1]))).all()
        assert not cached(Counting(), store).encode(["a", "b"], "query").failures


def test_another_dimension_than_before_is_another_model(tmp_path: Any) -> None:
    class Wider(Counting):
        def encode(self, texts: Any, role: Any) -> Any:
            made = super().encode(texts, role)
            return DenseVectors(np.pad(made.values, ((0, 0), (0, 1))))

    with Store(tmp_path) as store:
        cached(Counting(), store).encode(["a"], "query")
        with pytest.raises(DataError, match=r"gave vectors of 3 numbers before, and now of 4; it is another model"):
            cached(Wider(), store).encode(["a", "b"], "query")
        assert cached(Counting(), store).encode(["a", "b"], "query").values.shape == (2, 3)


def test_windows_are_kept_beside_vectors(tmp_path: Any) -> None:
    class Long(Counting):
        def encode(self, texts: Any, role: Any) -> Any:
            made = super().encode(texts, role)
            return DenseVectors(made.values, {}, {place: 2 for place, text in enumerate(texts) if len(text) > 1})

    for _ in range(2):
        with Store(tmp_path) as store:
            assert dict(cached(Long(), store).encode(["a", "bb", "bb"], "query").windowed) == {1: 2, 2: 2}


def test_a_thousand_vectors_are_written_at_a_time(monkeypatch: Any) -> None:
    written: list[int] = []
    monkeypatch.setattr(Store, "put", lambda _store, vectors: written.append(len(vectors)))
    with Store() as store:
        cached(Counting(), store).encode([str(number) for number in range(2500)], "query")
    assert written == [1024, 1024, 452]


def test_a_run_without_directory_leaves_nothing(tmp_path: Any, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    with Store() as store:
        cached(Counting(), store).encode(["a"], "query")
    assert list(tmp_path.iterdir()) == []


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000000) SELECT i, i FROM n"


@pytest.mark.parametrize(
    "statements",
    [
        (f"CREATE VIEW embeddings(key, value) AS {ENDLESS}",),
        (
            "CREATE TABLE embeddings (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID",
            f"CREATE TRIGGER slow AFTER INSERT ON embeddings BEGIN SELECT count(*) FROM ({ENDLESS}); END",  # noqa: S608 - it must not run
        ),
        ("CREATE TABLE users (name)",),
    ],
)
def test_a_file_with_anything_else_is_neither_run_nor_changed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, statements: tuple[str, ...]
) -> None:
    with closing(sqlite3.connect(tmp_path / "embeddings.sqlite")) as connection:
        for statement in statements:
            connection.execute(statement)
    before = (tmp_path / "embeddings.sqlite").read_bytes()
    begun = time.process_time()
    with Store(tmp_path) as store:
        assert not store.find([b"key"])
        store.put({b"key": Stored(np.ones(1, dtype=np.float32))})
        assert [*store.find([b"key"])] == [b"key"]
    assert time.process_time() - begun < 1
    assert "as embedding cache (it is another program's file)" in caplog.text
    assert (tmp_path / "embeddings.sqlite").read_bytes() == before
