"""Scripts of texts."""

from typing import Any

import pytest

from ragauge.languages.scripts import overlap, scripts, shares


@pytest.mark.parametrize(
    ("char", "script"),
    [
     ("a", "latin"), ("я", "cyrillic"), ("漢", "han"), ("々", "han"), ("の", "hiragana"),
     ("ー", "katakana"), ("글", "hangul"), ("ا", "arabic"), ("ह", "devanagari"), ("ก", "thai"),
     ("1", "digit"), ("१", "digit"), ("。", "gap"), (" ", "gap"), ("\u0301", "mark"),
     ("\u200d", "ignored"), ("\u0651", "ignored"), ("😀", "gap"),
    ],
)  # fmt: skip
def test_each_character_has_its_script(char: Any, script: Any) -> None:
    table = scripts()
    assert table.names[table.of_point[ord(char)]] == script


@pytest.mark.parametrize(
    ("left", "right", "differ"),
    [
        ("Who wrote it?", "他写的。", True),
        ("누가 썼습니까?", "彼が書いた。", True),
        ("iPhone 15 的电池有多大？", "The battery of the iPhone 15 holds 3349 mAh.", True),
        ("他是谁？", "彼は東京大学の教授である。", False),
        ("Who wrote it?", "¿Quién lo escribió?", False),
    ],
)
def test_pairs_in_different_scripts_are_found(left: Any, right: Any, differ: Any) -> None:
    assert overlap(shares([left]), shares([right])).tolist() == [not differ]


def test_texts_without_letters_have_no_shares() -> None:
    assert not shares(["2023?", "", "。"]).any()
    assert len(shares([])) == 0
