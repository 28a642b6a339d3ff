"""Lines that are cut at once: equal to those read one by one, wherever a block ends, and left to them otherwise."""

from __future__ import annotations

import io
import random

import numpy as np
import pytest

from ragauge.formats import trec, trec_lines
from ragauge.formats.trec_lines import TrecLines, plain_lines

RUN = "q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 2 1.5 tag\nq2 Q0 d1 1 -1 tag\n"
IDS = ("q1", "q2", "q12", "12", "中文問1", "日本", "한국어", "рус", "عرب", "हिंदी", "ไทย", "\U0001f600")
SCORES = ("1", "-2.50", "1e-3", "0.1", "7.123456789012345", ".5", "3.")


def cut(content: str | bytes, delimiter: str = " ") -> TrecLines | None:
    raw = content.encode() if isinstance(content, str) else content
    return plain_lines(io.BytesIO(raw), trec.RUN, delimiter.encode())


def rows(lines: TrecLines) -> tuple[list[str], list[int], list[str], list[str]]:
    numbers = [value.hex() for value in lines.numbers.tolist()]
    return lines.queries.to_pylist(), lines.lengths.tolist(), lines.documents.to_pylist(), numbers


def many(seed: int, delimiter: str) -> str:
    """Make up lines whose queries repeat, change, and come back."""
    draw = random.Random(seed)  # noqa: S311
    queries = [query for _ in range(30) for query in [draw.choice(IDS)] * draw.randint(1, 6)]
    lines = [(query, "Q0", draw.choice(IDS), "1", draw.choice(SCORES), "tag") for query in queries]
    return "".join(delimiter.join(line) + "\n" for line in lines)


@pytest.mark.parametrize("delimiter", [" ", "\t"])
@pytest.mark.parametrize("block", [60, 61, 64, 127, 300, 1 << 19])
def test_lines_are_the_same_wherever_a_block_ends(monkeypatch: pytest.MonkeyPatch, block: int, delimiter: str) -> None:
    monkeypatch.setattr(trec_lines, "BLOCK", block)
    for seed in range(6):
        content = many(seed, delimiter)
        slow = trec.line_by_line(io.BytesIO(content.encode()), trec.RUN, "run")
        for ending in (content, content.removesuffix("\n")):
            lines = cut(ending, delimiter)
            assert lines is not None
            assert rows(lines) == rows(slow)


@pytest.mark.parametrize("letter", [*" \t\r\n\0#\"'\x1f\x7f\x85\u2028\u3000,.é文", "\ufeff"])
def test_one_letter_more_is_read_as_by_line_or_left_to_it(letter: str) -> None:
    left = 0
    for place in range(len(RUN) + 1):
        content = RUN[:place] + letter + RUN[place:]
        lines = cut(content)
        left += lines is None
        if lines is not None:
            # A mark of bytes before the first line is taken off before lines are read.
            assert rows(lines) == rows(trec.line_by_line(io.BytesIO(content.encode()), trec.RUN, "run"))
    assert left >= 3, "in a score no letter may stand"


@pytest.mark.parametrize("raw", [b"q Q0 caf\xe9 1 1.0 t\n", b"q Q0 d 1 1.0 \xed\xa0\x80\n", b"\xff Q0 d 1 1.0 t\n"])
def test_bytes_that_are_no_text_are_left_to_the_reader_of_lines(raw: bytes) -> None:
    assert cut(raw) is None


SHORT = "q Q0 d 1 1 t\nq Q0 d 1 t\n"
SHIFTED = ("q Q0 d 1 1\nq Q0 d 1 1 t t\n", " q Q0 d 1 1\n")


@pytest.mark.parametrize("content", ["", "\n", SHORT, *SHIFTED, "q Q0\n" * 3, RUN.replace(" ", "\t")])
def test_lines_of_another_number_of_fields_are_left(content: str) -> None:
    assert cut(content) is None


@pytest.mark.parametrize(
    "content",
    [*(f"q Q0 d 1 {score} t\n" for score in ("nan", "1e999", "1_0", "")), "# Q0 d 1 1 t\n", RUN + "#q Q0 d 1 1 t\n"],
)
def test_lines_of_another_form_are_left(content: str) -> None:
    assert cut(content) is None


def test_a_line_longer_than_a_block_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trec_lines, "BLOCK", 24)
    assert cut(RUN) is not None
    for line in (f"q3 Q0 a{'-long' * 20}-document 1 1 tag", f"q3 Q0 d 1 1 the-tag-of-{'a-' * 40}system"):
        assert cut(f"{RUN}{line}\n") is None


def test_stretches_of_a_block_are_of_one_query_each() -> None:
    queries = ["1", "1", "22", "22", "1", "12345678901", "12345678901", "12345678902", "1", "1"]
    content = "".join(f"{query} Q0 d{i} 1 1 t\n" for i, query in enumerate(queries))
    parts = trec_lines._by_arrow(content.encode(), trec.RUN, b" ")
    assert parts is not None
    [lines] = parts
    assert lines.queries.to_pylist() == ["1", "22", "1", "12345678901", "12345678902", "1"]
    assert lines.lengths.tolist() == [2, 2, 1, 2, 1, 2]


@pytest.mark.parametrize("block", [32, 1 << 19])
def test_the_header_of_beir_is_left_out(monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr(trec_lines, "BLOCK", block)
    header = "query-id\tcorpus-id\tscore\n"
    lines = plain_lines(io.BytesIO((header + "q1\td1\t1\nq1\td2\t0\n" * 2).encode()), trec.BEIR_QRELS, b"\t")
    assert lines is not None
    assert rows(lines) == (["q1"], [4], ["d1", "d2"] * 2, [(1.0).hex(), (0.0).hex()] * 2)
    assert plain_lines(io.BytesIO(header.encode()), trec.BEIR_QRELS, b"\t") is None


def test_fields_stay_when_the_next_block_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trec_lines, "BLOCK", 40)
    content = "".join(f"q{i % 7} Q0 d{i} 1 {i}.5 t\n" for i in range(100))
    lines = cut(content)
    assert lines is not None
    assert lines.documents.to_pylist() == [f"d{i}" for i in range(100)]
    assert np.array_equal(lines.numbers, np.arange(100) + 0.5)
