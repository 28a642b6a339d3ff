"""Forms of texts equal those of unicodedata, however many marks stand in a row."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragauge.languages.folding import is_normalized, normalize

# Marks of several classes, of class 0, and some that decompose into marks of other classes.
MARKS = (
    "\u0300\u0316\u0323\u0344\u0345\u05b0\u0591\u064b\u0670\u093c\u094d\u093e\u0e38\u0e48\u0f71\u0f73\u0f74\u3099\u0359"
)
ROWS = st.lists(st.sampled_from(MARKS), min_size=60, max_size=200).map("".join)
TEXTS = st.lists(ROWS | st.text(max_size=5) | st.sampled_from("eя중か의ﬁ"), max_size=6).map("".join)


@pytest.mark.parametrize("form", ["NFC", "NFKC"])
@given(text=TEXTS)
def test_forms_are_those_of_unicodedata(form: str, text: str) -> None:
    assert normalize(form, text) == unicodedata.normalize(form, text)  # type: ignore[arg-type]


@given(text=TEXTS)
def test_what_counts_as_normalized_is_normalized(text: str) -> None:
    if is_normalized("NFKC", text):
        assert unicodedata.normalize("NFKC", text) == text
    else:
        row = max(map(len, unicodedata.normalize("NFD", text).split("e")), default=0)
        assert unicodedata.normalize("NFKC", text) != text or row >= 64


def test_many_unordered_marks_are_put_in_order() -> None:
    """Python alone takes minutes."""
    text = "b" + "\u0301\u0316" * 500_000
    assert normalize("NFKC", text) == "b" + "\u0316" * 500_000 + "\u0301" * 500_000
