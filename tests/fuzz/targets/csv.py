"""CSV as samples."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.fuzz.making import NAMES, TEXTS, damaged
from tests.fuzz.targets._reading import read_file


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


@st.composite
def _tables(draw: st.DrawFn) -> bytes:
    names = draw(st.lists(st.one_of(st.sampled_from(NAMES), TEXTS), max_size=5))
    field = st.one_of(TEXTS, TEXTS.map(_quoted))
    rows = draw(st.lists(st.lists(field, max_size=6), max_size=4))
    delimiter, end = draw(st.sampled_from([",", ";", "\t", "|"])), draw(st.sampled_from(["\n", "\r\n", "\r"]))
    encoding = draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "gb18030"]))
    return end.join(delimiter.join(row) for row in [names, *rows]).encode(encoding, "replace")


STRATEGY = damaged(_tables())


def target(data: bytes) -> None:
    """Read ``data`` as CSV."""
    read_file("data.csv", data)
