"""How alike the answers to a question are, by metrics that compare an answer with references."""

from __future__ import annotations

import pytest

import ragauge
from ragauge.errors import ColumnError, OptionError, UsageError

from .test_repeats import run


def test_consistency_is_the_mean_over_pairs_of_a_question() -> None:
    found = ragauge.repeats(
        run({"q1": ["old tea", "old tea", "old ale"], "q2": ["x", "y"], "q3": ["z"]}), consistency="token-f1"
    )
    [one] = found.consistency.values()
    # Of three pairs one is equal and two share a word of two; q3 has nothing to compare.
    assert one.value == pytest.approx(((1 + 0.5 + 0.5) / 3 + 0) / 2)
    assert one.low <= one.value <= one.high
    assert found.to_dict()["consistency"]["token-f1"]["value"] == one.value
    assert "how alike the answers to a question are" in str(found)


def test_together_is_self_bleu() -> None:
    """Each answer against all others at once, as Zhu et al. 2018 define self-BLEU; the mean of the sentences."""
    answers = ["the red house is old now", "the red house is new", "a house is old now and red"]
    found = ragauge.repeats(run({"q": answers}), consistency=["bleu"], others="together").consistency["bleu"]
    own = [ragauge.score("bleu", answer=one, references=[two for two in answers if two != one]) for one in answers]
    assert found.value == pytest.approx(sum(own) / 3)
    each = ragauge.repeats(run({"q": answers}), consistency="bleu").consistency["bleu"]
    assert each.value < found.value


@pytest.mark.parametrize(
    "pair", ["林婉种茶。|林婉种茶。", "お茶です。|お茶です。", "Ελένη ήρθε.|Ελένη ήρθε.", "مرحبا بك|مرحبا بك"]
)
def test_equal_answers_are_alike_in_any_language(pair: str) -> None:
    assert ragauge.repeats(run({"q": pair.split("|")}), consistency="token-f1").consistency["token-f1"].value == 1.0


def test_consistency_that_cannot_be_told() -> None:
    rows = [{"q": 1, "value": 1.0, "answer": None}, {"q": 1, "value": 0.0, "answer": "a"}]
    result = ragauge.evaluate(rows, "column:name=value", cluster="q")
    with pytest.raises(UsageError, match="no question has two answers to compare"):
        ragauge.repeats(result, consistency="token-f1")
    without = ragauge.evaluate([{"q": 1, "value": 1.0}] * 2, "column:name=value", cluster="q")
    with pytest.raises(UsageError, match="the run has no column answer"):
        ragauge.repeats(without, consistency="token-f1")
    with pytest.raises(ColumnError):
        ragauge.repeats(run(), consistency="groundedness")
    with pytest.raises(OptionError):
        ragauge.repeats(run(), consistency="token-f1", others="some")  # type: ignore[arg-type]
