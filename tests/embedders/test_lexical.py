"""The embedder in the package: the same everywhere, in every script, fast."""

import os
import subprocess
import sys
from hashlib import sha256
from typing import Any

import numpy as np
import pytest

from ragauge import embedders
from ragauge.embedders import lexical
from ragauge.embedders.lexical import Lexical

# question, an answer from its own context, an answer from another: written for this test.
TRIPLES = {
    "en": ("Where does the river Lume rise?", "The river Lume rises in the hills.", "Bakers get up before dawn."),
    "zh": ("卢姆河发源于哪里？", "卢姆河发源于北部的山地。", "面包师天亮前就起床。"),
    "ja": ("ルーメ川の源流はどこですか。", "ルーメ川は北の丘を源流とする。", "パン屋は夜明け前に起きる。"),
    "ko": ("루메강은 어디에서 시작됩니까?", "루메강은 북쪽 언덕에서 시작된다.", "제빵사는 새벽에 일어난다."),
    "ru": ("Где берёт начало река Люма?", "Река Люма начинается на северных холмах.", "Пекари встают до рассвета."),
    "ar": ("أين ينبع نهر لومي؟", "ينبع نهر لومي من التلال الشمالية.", "يستيقظ الخبازون قبل الفجر."),
    "hi": ("लूमे नदी कहाँ से निकलती है?", "लूमे नदी उत्तरी पहाड़ियों से निकलती है।", "नानबाई भोर से पहले उठते हैं।"),
    "th": ("แม่น้ำลูเมเริ่มต้นที่ไหน", "แม่น้ำลูเมเริ่มต้นที่เนินเขาทางเหนือ", "คนทำขนมปังตื่นก่อนรุ่งสาง"),
}


def similarities(*texts: Any) -> Any:
    vectors = Lexical().encode(texts, "passage")
    return vectors.cosine(np.zeros(len(texts) - 1, dtype=np.int64), np.arange(1, len(texts)))


@pytest.mark.parametrize("language", TRIPLES)
def test_shared_words_are_found_in_any_script(language: Any) -> None:
    question, own, other = TRIPLES[language]
    near, far = similarities(question, own, other)
    assert near > far + 0.1


@pytest.mark.parametrize("language", TRIPLES)
def test_a_text_is_like_itself_whatever_stands_beside_it(language: Any) -> None:
    question, own, other = TRIPLES[language]
    assert similarities(question, question)[0] == 1.0
    assert similarities(question, own, other)[0] == similarities(question, own)[0]


def test_texts_without_letters_are_like_nothing() -> None:
    assert similarities("", "", "。", "a").tolist() == [0.0, 0.0, 0.0]


def test_the_same_texts_in_blocks(monkeypatch: Any) -> None:
    texts = [text for triple in TRIPLES.values() for text in triple] * 3
    whole = Lexical().encode(texts, "query")
    monkeypatch.setattr(lexical, "_BLOCK", 50)
    parts = Lexical().encode(texts, "query")
    np.testing.assert_array_equal(whole.keys, parts.keys)
    np.testing.assert_array_equal(whole.weights, parts.weights)
    np.testing.assert_array_equal(whole.offsets, parts.offsets)


def test_no_texts() -> None:
    assert len(Lexical().encode([], "query")) == 0


def test_a_very_long_text_is_read_to_its_end() -> None:
    near, far = similarities(
        "the last word is quincunx", "filler words " * 100_000 + "quincunx", "filler words " * 100_000
    )
    assert near > far
    assert similarities("a word " * 100_000, "a word " * 100_000)[0] == 1.0


# Weights of the texts above: what must not change without a new revision.
DIGEST = "40b830aabdeb64988e8215aef6487f3c42d02583645851c4e2643c1a193782fd"
PROGRAM = """
import sys
from hashlib import sha256
from ragauge.embedders.lexical import Lexical
vectors = Lexical().encode(sys.stdin.read().split("|"), "query")
print(sha256(vectors.keys.tobytes() + vectors.weights.tobytes() + vectors.offsets.tobytes()).hexdigest())
"""


@pytest.mark.parametrize("seed", ["0", "1", "77"])
def test_vectors_are_the_same_in_every_process(seed: Any) -> None:
    texts = "|".join(text for triple in TRIPLES.values() for text in triple)
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONUTF8": "1"}
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM], input=texts.encode(), capture_output=True, env=environment, check=True
    )
    assert run.stdout.decode().strip() == DIGEST


def test_the_factors_are_the_same_whole_numbers_everywhere() -> None:
    of_count, of_level = lexical._factors()
    assert of_count[:5].tolist() == [0, 8, 13, 16, 19]
    assert sha256(of_count.astype("<u4").tobytes() + of_level.astype("<u4").tobytes()).hexdigest()[:8] == "d14133ab"


def test_the_signature_names_the_table_and_the_revision() -> None:
    assert Lexical().signature == f"lexical[idf={Lexical().table.digest},revision=1]"
    assert str(embedders.get("lexical")) == "lexical"
