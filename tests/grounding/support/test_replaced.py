"""A word in the place of another, in a sentence of the passage that says the rest of the claim."""

from __future__ import annotations

import numpy as np
import pytest

from ragauge.grounding.support._explained import reasons_of
from ragauge.grounding.support._reading import Reader
from ragauge.grounding.support._replaced import replaced
from tests.grounding.support.test_features import degrees

# Language: a sentence of the passage, and the same with one word in the place of another.
SWAPPED = {
    "en": ("A brown horse stands on the wide meadow.", "A brown sheep stands on the wide meadow."),
    "de": ("Ein braunes Pferd steht auf der weiten Wiese.", "Ein braunes Schaf steht auf der weiten Wiese."),
    "ja": ("草原の木立の中に馬が二頭います。", "草原の木立の中に象が二頭います。"),
    "zh": ("一匹棕色的马站在宽阔的草地上。", "一匹棕色的羊站在宽阔的草地上。"),
    "ko": ("갈색 말이 넓은 초원에 조용히 서 있다.", "갈색 양이 넓은 초원에 조용히 서 있다."),
    "ru": ("Коричневая лошадь стоит на широком лугу.", "Коричневая корова стоит на широком лугу."),
}


def shares(*pairs: tuple[str, str]) -> list[float]:
    reader = Reader()
    sentences = reader.texts([sentence for _, sentence in pairs])
    claims = reader.beside(reader.texts([claim for claim, _ in pairs]), sentences)
    ends = np.array([len(sentence) for _, sentence in pairs])
    found = replaced(reader.index.units, (claims, sentences), (np.zeros(len(pairs), dtype=np.int64), ends))
    return [float(value) for value in found]


@pytest.mark.parametrize("language", SWAPPED)
def test_a_word_in_the_place_of_another_is_seen_and_a_copy_has_none(language: str) -> None:
    sentence, swapped = SWAPPED[language]
    one, none, shorter = shares((swapped, sentence), (sentence, sentence), (sentence[: len(sentence) // 2], sentence))
    assert one > 0.3
    assert none == 0
    assert shorter == 0
    copied, other = degrees((sentence, [sentence]), (swapped, [sentence]))
    assert other < copied - 0.02


def test_sentences_that_share_few_words_are_no_copies() -> None:
    assert shares(("The bridge carries trains.", "The road of the village was closed on Monday.")) == [0.0]


def test_it_weighs_less_in_a_long_claim() -> None:
    words = ("village", "mill", "school", "river", "bridge", "tower", "garden", "market", "harbour", "forest", "castle")
    rest = "stands on the wide meadow" + "".join(f", behind the old {word} of {word[::-1]}" for word in words)
    (long,) = shares((f"A brown sheep {rest}.", f"A brown horse {rest}."))
    assert 0 < long < 0.5


def test_an_ending_behind_a_value_is_no_word() -> None:
    assert shares(("터널 길이는 1.8킬로미터이다.", "터널 길이는 1.8킬로미터이고, 굽은 곳이 없다.")) == [0.0]


def test_the_sentence_of_a_passage_counts_wherever_it_stands() -> None:
    sentence, swapped = SWAPPED["en"]
    around = "The village has two mills and a school. {} Nobody has lived there for a long time."
    alone, inside = degrees((swapped, [sentence]), (swapped, [around.format(sentence)]))
    assert np.isclose(alone, inside, atol=0.1)


def test_it_is_given_as_the_reason() -> None:
    sentence, swapped = SWAPPED["en"]
    reason = "a sentence of the passage has other words in the place of some of the claim's"
    passage = f"Two mills are near it. {sentence}"
    assert reasons_of(Reader(), [swapped, sentence], [passage] * 2, [sentence] * 2) == [reason, None]
