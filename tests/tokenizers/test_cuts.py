"""Tokens as arrays over code points."""

import pyarrow as pa
import pytest

from ragauge.core.ingredients import Vocabulary
from ragauge.tokenizers import _points, get

TEXTS = [
    "The cat sat.",
    "",
    "猫坐在mat上。",
    "日本語のテキスト",
    " ",
    "ASCII again, 3.5%",
    "é",
    "𠮷野家𠮷",
    "x",
] * 3


def tokens(name: str) -> list[list[str]]:
    vocabulary = Vocabulary()
    codes = get(name).encode(pa.array(TEXTS), vocabulary)
    words = vocabulary.words
    return [[words[code] for code in codes[i]] for i in range(len(TEXTS))]


@pytest.mark.parametrize("name", ["auto", "13a", "zh"])
@pytest.mark.parametrize("block", [1, 7, 40])
def test_the_size_of_blocks_changes_nothing(monkeypatch, name, block):
    whole = tokens(name)
    monkeypatch.setattr(_points, "_BLOCK", block)
    assert tokens(name) == whole


def test_a_text_longer_than_a_block_stays_whole(monkeypatch):
    monkeypatch.setattr(_points, "_BLOCK", 4)
    assert get("whitespace").tokens("abcdefgh ijk") == ["abcdefgh", "ijk"]


def test_characters_and_words_share_a_vocabulary():
    vocabulary = Vocabulary()
    first = get("auto").encode(pa.array(["猫 cat"]), vocabulary)
    second = get("auto").encode(pa.array(["cat 猫"]), vocabulary)
    assert first[0].tolist() == second[0].tolist()[::-1]


def test_an_entity_that_decoding_makes_is_decoded_whatever_other_texts_hold():
    texts = ["a &amp;lt; b", "a &lt; b"]
    assert [get("13a").tokens(text) for text in texts] == [["a", "<", "b"]] * 2
