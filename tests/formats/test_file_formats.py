"""File formats that other packages add, and how the format of a file is chosen."""

from __future__ import annotations

import gzip
import io
import threading
import tomllib
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, BinaryIO, cast

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ragauge.core import names
from ragauge.core.batch import Dataset, concatenated
from ragauge.errors import DataError, OptionError, UnknownNameError, UsageError
from ragauge.formats import file_formats, read, register_format
from ragauge.formats.runs import read_qrels
from tests.approved import pattern
from tests.formats.files import known_suffixes

TOML = '[[samples]]\nuser_input = "Who?"\nresponse = "Anna"\n[[samples]]\nuser_input = "When?"\n'
ROWS = [{"question": "Who?", "answer": "Anna"}, {"question": "When?", "answer": None}]


@pytest.fixture(autouse=True)
def formats(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget formats that a test registers."""
    monkeypatch.setattr(file_formats, "_formats", dict(file_formats._formats))
    names.load_plugins.cache_clear()


def read_toml(stream: BinaryIO) -> Iterator[dict[str, Any]]:
    yield from tomllib.load(stream)["samples"]


def rows(data: Dataset) -> list[dict[str, Any]]:
    table = concatenated(data.batches()).table()
    return table.drop_columns(["id"]).to_pylist()  # type: ignore[no-any-return]


@pytest.mark.parametrize("name", ["qa.toml", "qa.TOML", "qa.toml.gz"])
def test_a_registered_suffix_selects_the_format(tmp_path: Path, name: str) -> None:
    register_format("toml", suffixes=[".toml"])(read_toml)
    content = TOML.encode()
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    assert rows(read(tmp_path / name)) == ROWS


def test_a_name_selects_the_format_whatever_the_suffix(tmp_path: Path) -> None:
    register_format("toml")(read_toml)
    (tmp_path / "qa.csv").write_text(TOML)
    assert rows(read(tmp_path / "qa.csv", format="toml")) == ROWS
    (tmp_path / "qa.txt").write_text("user_input;response\nWho?;Anna\nWhen?;\n")
    assert rows(read(tmp_path / "qa.txt", format="csv")) == ROWS


@pytest.mark.parametrize("as_table", [True, False])
def test_a_format_may_return_arrow_data(tmp_path: Path, as_table: bool) -> None:
    table = pa.table({"user_input": ["Who?", "When?"], "response": ["Anna", None]})

    @register_format("two", suffixes=[".two"])
    def read_two(stream: BinaryIO) -> Iterator[pa.RecordBatch | pa.Table]:
        assert stream.read() == b"content"
        parts = [table.slice(0, 1), table.slice(1)]
        yield from parts if as_table else [part.to_batches()[0] for part in parts]

    (tmp_path / "qa.two").write_bytes(b"content")
    assert rows(read(tmp_path / "qa.two")) == ROWS


def test_rows_of_a_registered_format_are_checked_as_all_are(tmp_path: Path) -> None:
    register_format("toml", suffixes=[".toml"])(read_toml)
    (tmp_path / "qa.toml").write_text('[[samples]]\nanswer = "a"\n[[samples]]\nanswer = true\n')
    with pytest.raises(DataError, match=pattern("formats.qa_toml_row_answer_must_be_text", folder=tmp_path)):
        read(tmp_path / "qa.toml")


def test_errors_of_a_reader_name_the_file_and_the_format(tmp_path: Path) -> None:
    register_format("toml", suffixes=[".toml"])(read_toml)
    (tmp_path / "qa.toml").write_text("= 1")
    with pytest.raises(DataError, match=pattern("formats.qa_toml_format_toml_cannot_read_it", folder=tmp_path)):
        read(tmp_path / "qa.toml")


def test_installed_packages_add_formats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "toml_format.py").write_text(
        "import tomllib\n"
        "from ragauge.formats import register_format\n"
        "@register_format('toml', suffixes=['.toml'])\n"
        "def read_toml(stream):\n"
        "    return tomllib.load(stream)['samples']\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    point = EntryPoint("toml", "toml_format", "ragauge.formats")
    monkeypatch.setattr("importlib.metadata.entry_points", lambda *, group: [point] if group == point.group else [])
    (tmp_path / "qa.toml").write_text(TOML)
    assert rows(read(tmp_path / "qa.toml")) == ROWS


def test_a_package_that_cannot_be_loaded_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("broken", "no_such_module", "ragauge.formats")
    monkeypatch.setattr("importlib.metadata.entry_points", lambda *, group: [point])
    (tmp_path / "qa.toml").write_text(TOML)
    with pytest.raises(UsageError, match=pattern("formats.the_package_that_provides_no_such_module")):
        read(tmp_path / "qa.toml")


def test_unknown_names_and_suffixes_list_what_there_is(tmp_path: Path) -> None:
    register_format("toml", suffixes=[".toml"])(read_toml)
    (tmp_path / "qa.bin").write_bytes(b"\0\1")
    expected = pattern("formats.qa_bin_the_name_ends_in_bin", folder=tmp_path, suffixes=known_suffixes())
    assert ".toml" in known_suffixes()
    with pytest.raises(DataError, match=expected):
        read(tmp_path / "qa.bin")
    with pytest.raises(UnknownNameError, match=pattern("formats.unknown_file_format_cvs_did_you_mean")):
        read(tmp_path / "qa.bin", format="cvs")
    there_are = ", ".join(sorted(file_formats._formats))
    with pytest.raises(
        UnknownNameError, match=pattern("formats.unknown_file_format_zzz_there_are_arrow", names=there_are)
    ):
        read(tmp_path / "qa.bin", format="zzz")


def test_a_reader_that_returns_nothing_is_to_yield_rows(tmp_path: Path) -> None:
    register_format("ledger", suffixes=[".ledger"])(cast("Any", lambda _: None))
    (tmp_path / "qa.ledger").write_bytes(b"x")
    with pytest.raises(UsageError, match="the reader of file format 'ledger' must yield rows; it returned None"):
        read(tmp_path / "qa.ledger")


def test_suffixes_are_not_one_text() -> None:
    with pytest.raises(UsageError, match=r"must be a tuple; write suffixes=\('.ledger',\)"):
        register_format("ledger", suffixes=".ledger")


def test_a_format_is_for_files_only() -> None:
    with pytest.raises(OptionError, match=pattern("formats.format_has_no_effect_on_data_in_memory")):
        read([{"answer": "a"}], format="csv")


def test_a_split_of_another_column_or_by_nothing() -> None:
    rows = [{"answer": "a", "references": ["a"]}]
    with pytest.raises(OptionError, match=r"split=\{'answer': ';'\}: name one of references, contexts"):
        read(rows, split={"answer": ";"})
    with pytest.raises(OptionError, match=r"split=\{'references': ''\}: the separator must not be empty"):
        read(rows, split={"references": ""})


@pytest.mark.parametrize(
    ("name", "suffixes", "expected"),
    [
        ("csv", [".x"], "two file formats claim csv: 'csv' and 'csv'"),
        ("mine", [".tsv"], r"two file formats claim \.tsv: 'tsv' and 'mine'"),
        ("mine", ["toml"], "must be in lower case and begin with a full stop; got 'toml'"),
        ("mine", [".TOML"], r"must be in lower case and begin with a full stop; got '\.TOML'"),
    ],
)
def test_names_and_suffixes_that_cannot_be_registered(name: str, suffixes: list[str], expected: str) -> None:
    with pytest.raises(UsageError, match=expected):
        register_format(name, suffixes=suffixes)(read_toml)


def test_a_module_that_is_imported_again_registers_again() -> None:
    register_format("toml", suffixes=[".toml"])(read_toml)
    register_format("toml", suffixes=[".toml"])(read_toml)


@pytest.mark.parametrize(("name", "reader"), [("qrels.txt", read_qrels), ("run.parquet", read)])
def test_no_thread_of_arrow_holds_a_file_of_python(
    name: str, reader: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thread that lets go of a Python object while the interpreter ends aborts the process."""
    threads = set()

    class Watched(io.BufferedReader):
        def read(self, size: int | None = -1) -> bytes:
            threads.add(threading.get_ident())
            return super().read(size)

    path = tmp_path / name
    if name == "run.parquet":
        pq.write_table(pa.table({"answer": ["a"] * 1000, "question": ["b"] * 1000}), path)
    else:
        path.write_text("q1 0 d1 1\n" * 1000)
    monkeypatch.setattr(Path, "open", lambda self, mode: Watched(io.FileIO(self, mode)))
    reader(path)
    assert threads == {threading.get_ident()}
