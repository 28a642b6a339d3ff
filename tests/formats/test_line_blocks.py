"""A file of JSON Lines that is read in blocks, in any process, gives what it gives when it is read in order."""

from __future__ import annotations

import json
import pickle
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from ragauge.errors import RagaugeError
from ragauge.formats import read
from ragauge.formats.json import line_chunks
from ragauge.formats.line_blocks import BlockReader, ReadBlock, block_of, blocks_in, read_in_blocks
from ragauge.formats.opening import blocks

BLOCK = 512
ANSWERS = [
    "林婉在云南种茶。", "抹茶は京都で作られる。", "차는 보성에서 자란다.", "Чай растёт в Грузии.", "الشاي في كينيا.",
    "चाय असम में उगती है।", "ชาปลูกที่เชียงราย", "Tea grows in Assam.",
]  # fmt: skip


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragauge.formats.line_blocks.BLOCK", BLOCK)
    monkeypatch.setattr(line_chunks, "__defaults__", (BLOCK,))


def rows(count: int = 60) -> list[dict[str, Any]]:
    return [{"id": f"q{i}", "answer": ANSWERS[i % 8], "references": [ANSWERS[i % 7]], "topic": i} for i in range(count)]


def lines(made: list[Any]) -> bytes:
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in made).encode()


def travelled(one: Any) -> Any:
    return pickle.loads(pickle.dumps(one))  # noqa: S301 - made here


def here(reader: BlockReader, count: int) -> Generator[ReadBlock | None]:
    """Read all blocks in this process, the last first, by two readers that have travelled, as workers do."""
    readers = [travelled(reader) for _ in range(2)]
    read_blocks = {number: readers[number % 2].read(number) for number in reversed(range(1, count))}
    for number in range(1, count):
        yield travelled(read_blocks[number])


def outcome(data: Any) -> Any:
    """Return all that is known of data, or of the error."""
    try:
        made = data()
    except RagaugeError as error:
        return type(error), str(error)
    assert made is not None
    batches = [batch.table().combine_chunks() for batch in made.batches()]
    return made.source, made.rows, made.columns, dict(made.mapping), made.notes, batches


def with_row(place: int, **changed: Any) -> list[dict[str, Any]]:
    made = rows()
    made[place] = {**made[place], **changed}
    return made


CASES: dict[str, tuple[bytes, dict[str, Any]]] = {
    "plain": (lines(rows()), {}),
    "no line end at the end": (lines(rows())[:-1], {}),
    "blank lines and carriage returns": (lines(rows()).replace(b"}\n", b"}\r\n\n"), {}),
    "a line of several blocks": (lines(with_row(20, answer="茶" * 700)), {}),
    "a line that is no JSON": (lines(rows()).replace(b'{"id": "q40"', b'{"id: "q40"'), {}),
    "a line that is not UTF-8": (lines(rows()).replace(b"Assam", b"Ass\xe4m", 3), {}),
    "a row that is a list": (lines([*rows(), [1, 2]]), {}),
    "two rows with one id": (lines(with_row(50, id="q3")), {}),
    "a row without an id": (lines(with_row(50, id=None)), {}),
    "no ids": (lines([{key: row[key] for key in row if key != "id"} for row in rows()]), {}),
    "wrong fields in several blocks": (lines([{**row, "answer": i % 9 or [i]} for i, row in enumerate(rows())]), {}),
    "a late column": (lines([{**row, **({"tag": "x"} if i > 30 else {})} for i, row in enumerate(rows())]), {}),
    "a late column that is rare": (lines(with_row(44, question="谁种茶？")), {}),
    "a late column that could be another": (lines(with_row(44, response="?")), {}),
    "a late column told by its fields": (lines(with_row(44, docs=["Tea is grown in Yunnan, in China."])), {}),
    "types that widen": (lines([{**row, "topic": i / 2 if i > 30 else i} for i, row in enumerate(rows())]), {}),
    "types that mix": (lines(with_row(45, topic="tea")), {}),
    "numbers that no float holds": (
        lines([{**r, "topic": [0.5, 2**60, 3][i // 20]} for i, r in enumerate(rows())]),
        {},
    ),
    "nulls": (lines([{**row, "topic": None if i < 30 else i} for i, row in enumerate(rows())]), {}),
    "other names": (lines([{"键": r["id"], "输出": r["answer"]} for r in rows()]), {"mapping": {"id": "键"}}),
    "objects": (lines([{"id": r["id"], "inputs": {"question": r["answer"]}, "outputs": "x"} for r in rows()]), {}),
    "joined texts": (lines([{**r, "contexts": "a ||| b"} for r in rows()]), {"split": {"contexts": "|||"}}),
    "a column that is not there": (lines(rows()), {"mapping": {"answer": "antwort"}}),
    "numbers as answers": (lines([{**row, "answer": i} for i, row in enumerate(rows())]), {}),
}


@pytest.mark.parametrize("case", CASES)
def test_blocks_are_what_the_whole_file_is(case: str, tmp_path: Path) -> None:
    content, options = CASES[case]
    path = tmp_path / "data.jsonl"
    path.write_bytes(content)
    reading = {"mapping": None, "split": None, "format": None, "encoding": None, **options}
    together = outcome(lambda: read_in_blocks(str(path), here, reading))
    assert together == outcome(lambda: read(path, **reading))


@pytest.mark.parametrize(
    "content", [b"a\nb\nc\n", b"a\n\n\nb", b"a" * 1200 + b"\nb\n" + b"c" * 511 + b"\n", b"\n" * 513]
)
def test_blocks_of_lines_are_those_of_the_stream(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(content)
    with path.open("rb") as file:
        found = [block_of(file, number) for number in range(blocks_in(len(content)))]
    with path.open("rb") as file:
        assert [one.lines for one in found if one.lines] == [one.lines for one in blocks(file, BLOCK)]


@pytest.mark.parametrize("head", [b"\xef\xbb\xbf", b'{"trace_id": "a", "request": {}, "response": {}, "spans": []}\n'])
def test_what_takes_one_process_is_left_to_it(head: bytes, tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    path.write_bytes(head + lines(rows()))
    reading = {"mapping": None, "split": None, "format": None, "encoding": None}
    assert read_in_blocks(str(path), here, reading) is None
    other = path.with_suffix(".csv")
    other.write_text("id,answer\n" + "a,b\n" * 1000, encoding="utf-8")
    assert read_in_blocks(str(other), here, reading) is None


def test_a_line_that_is_too_long_is_found_as_by_one_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragauge.formats.line_blocks.LONGEST", 2000)
    path = tmp_path / "data.jsonl"
    path.write_bytes(lines(with_row(30, answer="茶" * 3000)))
    reading = {"mapping": None, "split": None, "format": None, "encoding": None}
    assert read_in_blocks(str(path), here, reading) is None


def test_fields_that_rows_lack_are_added_up_over_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("source", "reading", "line_blocks"):
        monkeypatch.setattr(f"ragauge.formats.{module}.MOST_ABSENT", 4000)
    # Of 30 columns 80 rows lack all: 2,400 fields, of which 480 are free, 16 for each field that is there.
    block = lines([{f"k{place}": 1 for place in range(30)}, *[{}] * 80])
    block = block[:-1] + b" " * (BLOCK - len(block)) + b"\n"
    path = tmp_path / "data.jsonl"
    reading: dict[str, Any] = {"mapping": None, "split": None, "format": None, "encoding": None}
    for blocks_of_file, limit in ((2, False), (3, True)):
        path.write_bytes(block * blocks_of_file)
        together = outcome(lambda: read_in_blocks(str(path), here, reading))
        assert together == outcome(lambda: read(path, **reading))
        assert ("4,194,304" in str(together)) is limit


@pytest.mark.parametrize("place", [0, 1])
def test_a_first_line_of_several_blocks_is_read_once(place: int, tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    path.write_bytes(lines(with_row(place, answer="茶" * 3 * BLOCK)))
    reading: dict[str, Any] = {"mapping": None, "split": None, "format": None, "encoding": None}
    together = outcome(lambda: read_in_blocks(str(path), here, reading) or read(path, **reading))
    assert together == outcome(lambda: read(path, **reading))


def test_where_no_folder_holds_temporary_files_one_process_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nowhere() -> str:
        raise FileNotFoundError("No usable temporary directory")

    path = tmp_path / "data.jsonl"
    path.write_bytes(lines(with_row(0, answer="茶")))
    monkeypatch.setattr("tempfile.gettempdir", nowhere)
    assert read_in_blocks(str(path), here, {"mapping": None, "split": None, "format": None, "encoding": None}) is None


def test_an_encoding_that_is_none_is_told_as_by_one_process(tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    path.write_bytes(lines(with_row(0, answer="茶")))
    reading: dict[str, Any] = {"mapping": None, "split": None, "format": None, "encoding": "nope"}
    found = outcome(lambda: read_in_blocks(str(path), here, reading))
    assert found == outcome(lambda: read(path, **reading))
    assert "nope" in str(found)
