"""Numbers as text."""

from __future__ import annotations

import pytest

from ragauge.display.numbers import label, number, printable


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1.0000"),
        (-0.5, "-0.5000"),
        (99.99999, "100.0000"),
        (5e-7, "0.0000005000"),
        (5e-12, "5e-12"),
        (1e6, "1,000,000.00"),
    ],
)
def test_numbers_keep_four_places_or_four_digits(value: float, text: str) -> None:
    assert number(value) == text


def test_the_label_of_all_samples_is_empty() -> None:
    assert (label(None), label({"g": 1.5})) == ("", "1.5")


def test_only_control_characters_are_escaped() -> None:
    assert printable("中文, عربي, 🍵") == "中文, عربي, 🍵"
    assert printable("a\u2028b\x7f") == r"a\u2028b\x7f"
