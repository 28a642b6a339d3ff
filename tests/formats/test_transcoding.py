"""Texts in other encodings, read piece by piece as UTF-8."""

from __future__ import annotations

import io

import pytest

from ragauge.errors import DataError
from ragauge.formats.transcoding import stream_of, transcoded


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
