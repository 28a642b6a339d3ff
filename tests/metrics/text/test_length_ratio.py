"""Length ratio: words of the answer for each word of the reference."""

from __future__ import annotations

import pytest

from ragauge import compare, evaluate, score
from tests.metrics.text.test_every_language import TEXTS


@pytest.mark.parametrize(("answer", "references", "value"), [
    ("a cat sat", ["there is a cat on it"], 0.5),
    ("a b c", ["a", "a b c d"], 3 / 4),
    ("a b c", ["a b", "a b c d"], 3 / 2),
    ("", ["a"], 0.0),
    ("a b", [""], 2.0),
    ("猫坐着", ["猫坐"], 1.5),
])  # fmt: skip
def test_values_worked_by_hand(answer: str, references: list[str], value: float) -> None:
    """The second: the closest length; the third: the shorter of two."""
    assert score("length-ratio:references_are_words=true", answer=answer, references=references) == value


@pytest.mark.parametrize("language", TEXTS)
def test_every_language(language: str) -> None:
    text, _ = TEXTS[language]
    assert score("length-ratio", answer=text, references=[text + " " + text]) == 0.5


def test_the_corpus_value_is_that_of_all_words() -> None:
    """1 + 3 words beside 2 + 3: a mean would be .75."""
    rows = [{"answer": "a", "references": ["a b"]}, {"answer": "a b c", "references": ["a b c"]}]
    assert evaluate(rows, "length-ratio", resamples=0)["length-ratio"].value == 0.8


def test_the_direction_is_the_users() -> None:
    """Longer is better or worse as is asked."""
    rows = [{"id": str(i), "answer": "a b", "references": ["a b"]} for i in range(20)]
    longer = [{**row, "answer": "a b c d"} for row in rows]
    for direction, sign in (("higher", 1), ("lower", -1)):
        spec = f"length-ratio:direction={direction}"
        pair = [evaluate(data, spec, resamples=0) for data in (rows, longer)]
        assert compare(*pair)[spec].gain == sign
