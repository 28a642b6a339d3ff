"""Texts in other encodings, read piece by piece as UTF-8."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from ragauge.errors import DataError
from ragauge.formats.transcoding import lines_of, stream_of, transcoded


@pytest.mark.parametrize("encoding", ["cp949", "euc_jp", "gb18030", "utf-16", "utf-32"])
def test_a_character_may_be_cut_between_two_pieces(encoding: str) -> None:
    class Slow(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            return super().read(min(1, size or 1))

    text = "茶、차\n" if encoding != "euc_jp" else "茶、お茶\n"
    assert transcoded(Slow(text.encode(encoding)), encoding, "tea.csv").read().decode() == text


def test_what_is_not_in_the_encoding_names_the_file() -> None:
    with pytest.raises(DataError, match=r"tea\.csv: is not text in cp949: .*name another with encoding='NAME'"):
        transcoded(io.BytesIO(b"tea\xff\xff"), "cp949", "tea.csv").read()


def test_pieces_may_be_empty_and_are_read_in_any_size() -> None:
    assert stream_of([b"", b"tea", b"", b" and jam"]).read(5) == b"tea a"
    assert stream_of([]).read() == b""


def test_lines_are_read_in_the_encoding_that_alone_makes_sense(tmp_path: Path) -> None:
    path = tmp_path / "questions.txt"
    for encoding, notes in {"utf-8": [], "utf-8-sig": [], "cp949": ["read as cp949 and not as UTF-8"]}.items():
        path.write_text("누가 차를 재배합니까?\n\n 언제 문을 엽니까? \n", encoding=encoding)
        assert lines_of(path, None) == (["누가 차를 재배합니까?", "언제 문을 엽니까?"], notes)
    path.write_text("질문", encoding="cp949")
    with pytest.raises(DataError, match="in cp949"):
        lines_of(path, None)
    assert lines_of(path, "cp949")[0] == ["질문"]
