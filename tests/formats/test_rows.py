"""Data larger than memory: kept in a temporary file, and gone with it."""

from __future__ import annotations

import gc
import json
import mmap
import subprocess
import sys
import tempfile
import weakref
from pathlib import Path

import pyarrow as pa
import pytest

import ragauge
from ragauge.core.batch import concatenated
from ragauge.errors import DataError
from ragauge.evaluation.evaluator import Evaluator
from ragauge.formats import read
from ragauge.formats.rows import Spool
from ragauge.metrics.parse import parse_all
from tests.approved import approved

ROWS = [
    {"question": f"{i}", "answer": "a" * 100, "topic": i if i % 2 else i / 2, "deep": {"n": i}} for i in range(3000)
]


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragauge.formats.tables._ROWS", 100)


@pytest.mark.parametrize("spool_above", [0, 100_000, 1 << 40])
def test_the_same_rows_from_disk(spool_above: int, temporary: Path, small_chunks: None) -> None:
    expected = concatenated(read(ROWS).batches()).table()
    spooled = read(ROWS, spool_above=spool_above, batch_size=256)
    assert concatenated(spooled.batches()).table().equals(expected)
    assert concatenated(spooled.batches()).table().equals(expected)
    assert list(temporary.iterdir()) == []


def test_types_that_widen_on_disk(temporary: Path, small_chunks: None) -> None:
    rows = [{"answer": "a", "x": 1}] * 150 + [{"answer": "b", "x": "y", "late": 1}] * 150
    data = read(rows, spool_above=0)
    column = concatenated(data.batches()).column("x").to_pylist()
    assert column == ["1"] * 150 + ["y"] * 150


@pytest.mark.costly
def test_arrow_memory_is_given_back(temporary: Path, small_chunks: None) -> None:
    before = pa.total_allocated_bytes()
    data = read(ROWS, spool_above=0)
    for _ in data.batches():
        pass
    gc.collect()
    assert pa.total_allocated_bytes() - before < 50_000
    del data


def test_nothing_is_left_after_an_error(temporary: Path, small_chunks: None) -> None:
    with pytest.raises(DataError):
        read([*ROWS, {"answer": True}], spool_above=0)
    assert list(temporary.iterdir()) == []


def test_tables_in_memory_are_not_copied_to_disk(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: pytest.fail("a temporary file"))
    assert read(pa.Table.from_pylist(ROWS), spool_above=0).rows == len(ROWS)


def test_a_full_disk(monkeypatch: pytest.MonkeyPatch, small_chunks: None) -> None:
    def full(**_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    monkeypatch.setattr(tempfile, "tempdir", "/full")
    with pytest.raises(DataError) as caught:
        read(ROWS, spool_above=0)
    assert str(caught.value) == (approved("formats.the_data_take_more_than_the_mib"))


def test_a_spool_keeps_order_over_schemas() -> None:
    for spool_above in (0, 12, 1000):
        store = Spool(spool_above)
        for column in ({"a": [1]}, {"a": [2]}, {"a": ["x"]}, {"a": [3]}):
            store.add(pa.RecordBatch.from_pydict(column))
        tables = store.tables()
        assert [value for table in tables for value in table["a"].to_pylist()] == [1, 2, "x", 3]


def numbers(count: int) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict({"a": pa.array([0.5] * count)})


def test_a_spool_holds_all_that_it_may_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: pytest.fail("a temporary file"))
    store = Spool(spool_above=3 * numbers(4).nbytes)
    for _ in range(3):
        store.add(numbers(4))
    assert [table.num_rows for table in store.tables()] == [12]
    with pytest.raises(pytest.fail.Exception, match="a temporary file"):
        store.add(numbers(1))


@pytest.mark.parametrize(("batch", "rows"), [(4, [8, 8, 8, 4]), (8, [8] * 4), (9, [9] * 4)])
def test_a_spool_writes_tables_of_a_segment_each(
    batch: int, rows: list[int], temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragauge.formats.rows._SEGMENT", numbers(8).nbytes)
    count = 7 if batch == 4 else 4
    store = Spool(spool_above=count * numbers(batch).nbytes - 1)
    for _ in range(count):
        store.add(numbers(batch))
    tables = store.tables()
    assert [table.num_rows for table in tables] == rows
    assert [table.num_rows for table in tables[1:3]] == rows[1:3]


class Maps:
    """The maps of temporary files that are there now, and the most bytes that were mapped at once."""

    def __init__(self) -> None:
        self.sizes: dict[int, int] = {}
        self.most = self.made = 0

    def add(self, made: mmap.mmap) -> None:
        self.sizes[id(made)] = len(made)
        weakref.finalize(made, self.sizes.pop, id(made))
        self.most = max(self.most, sum(self.sizes.values()))
        self.made += 1


@pytest.fixture
def maps(monkeypatch: pytest.MonkeyPatch) -> Maps:
    maps = Maps()

    class Watched(mmap.mmap):
        def __init__(self, *_: object, **__: object) -> None:
            maps.add(self)

    monkeypatch.setattr("ragauge.formats.rows.mmap.mmap", Watched)
    return maps


def test_few_rows_of_the_file_are_in_memory_at_once(
    temporary: Path, small_chunks: None, maps: Maps, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("ragauge.formats.rows._SEGMENT", 20_000)
    monkeypatch.setattr(Spool.__init__, "__defaults__", (0,))
    rows = [{"id": f"{i}", "question": "Who?", "answer": "Anna. " * 9, "contexts": ["Anna."]} for i in range(3000)]
    data = read(rows, spool_above=0, batch_size=256)
    evaluator = Evaluator(parse_all("groundedness:support=ngram-recall"), evidence=True)
    result = evaluator(data)
    assert maps.sizes == {}
    result.save(tmp_path / "run")
    loaded = ragauge.load(tmp_path / "run")
    assert maps.made > 100
    # Two parts of the evidence, one batch each; all of it takes 2.5 MB.
    assert maps.most < 600_000
    assert maps.sizes == {}
    inside = evaluator(read(rows))
    for one in (result, loaded):
        assert one.table == inside.table
        assert [i for ids in one.ids for i in ids.to_pylist()] == [row["id"] for row in rows]
        assert one.explain("2999").equals(inside.explain("2999"))
        assert one.evidence is not None
        assert one.evidence.metrics == list(inside.metrics)


def test_without_a_folder_for_temporary_files_rows_stay_in_memory(
    small_chunks: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(tempfile, "_candidate_tempdir_list", list)
    assert concatenated(read(ROWS, spool_above=0).batches()).table().equals(concatenated(read(ROWS).batches()).table())


MEASURE = """
import sys
from pathlib import Path
from ragauge.formats import read
from ragauge.formats.rows import Spool

def resident():
    [line] = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmRSS")]
    return int(line.split()[1])

next(read([{"question": "warm"}]).batches()).texts("question")
before = peak = resident()
add = Spool.add

def watched(store, batch):
    global peak
    add(store, batch)
    peak = max(peak, resident())

Spool.add = watched
data = read(sys.argv[1], spool_above=1 << 22)
for batch in data.batches():
    batch.texts("question"), batch.texts("answer")
    peak = max(peak, resident())
print(data.rows, (peak - before) // 1024)
"""


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="how much memory the process has is known only there")
def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    """Pages of the temporary file that are in memory are counted too."""
    path = tmp_path / "run.jsonl"
    line = json.dumps({"question": "q" * 200, "answer": "a" * 800}) + "\n"
    with path.open("w") as file:
        file.writelines(line * 1000 for _ in range(150))
    found = subprocess.run([sys.executable, "-c", MEASURE, str(path)], capture_output=True, check=True)
    rows, megabytes = map(int, found.stdout.split())
    assert path.stat().st_size > 150e6
    assert rows == 150_000
    assert megabytes < 125
