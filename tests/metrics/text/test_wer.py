"""Word error rate: the words to change, over those of the reference."""

from __future__ import annotations

import pytest

from ragauge import evaluate, parse, score
from tests.parity.texts import batch_of


@pytest.mark.parametrize(("answer", "reference", "value"), [
    ("the cat sat on mat", "the cat sits on the mat", 2 / 6),
    ("The cat, sat.", "the cat sat", 0.0),
    ("", "one two", 1.0),
    ("one two three", "one", 2.0),
    ("one two", "", 2.0),
    ("", "", 0.0),
    ("茶馆开了", "茶馆关了", 1 / 4),
])  # fmt: skip
def test_values_worked_by_hand(answer: str, reference: str, value: float) -> None:
    assert score("wer", answer=answer, references=[reference]) == pytest.approx(value, abs=1e-15)


def test_the_reference_of_fewest_errors_for_its_length_counts() -> None:
    """One error of two words is more than one of four."""
    assert score("wer", answer="a b c e", references=["a b", "a b c d"]) == 0.25


def test_words_or_characters_of_chinese_and_japanese_are_never_one_word_a_line() -> None:
    pairs = [("今天天气很好", "今天天气不好"), ("今日は天気がいい", "今日は天気が悪い")]
    for answer, reference in pairs:
        assert 0 < score("wer", answer=answer, references=[reference]) < 0.5
    pytest.importorskip("rjieba")
    found = score("wer:tokenizer=zh", answer="我们喜欢北京", references=["我们喜欢上海"])
    assert found == pytest.approx(1 / 3)


def test_the_corpus_value_is_all_errors_over_all_words() -> None:
    """1 of 1 and 0 of 3: a mean of rates would be .5."""
    rows = [{"answer": "x", "references": ["a"]}, {"answer": "b c d", "references": ["b c d"]}]
    assert evaluate(rows, "wer", resamples=0)["wer"].value == 0.25
    assert evaluate(rows, "wer:average=samples", resamples=0)["wer:average=samples"].value == 0.5


def test_a_text_that_is_too_long_is_failed_and_others_are_not() -> None:
    metric = parse("wer:tokenizer=whitespace")
    rows = metric.measure(batch_of(["a " * 400_000, "a"], [["b " * 400_000], ["a"]]))
    assert rows.ok.tolist() == [False, True]
