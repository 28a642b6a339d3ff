"""`score` of one answer takes a shorter way than `evaluate`, to the same number."""

from __future__ import annotations

import math

import pytest

import ragauge
from ragauge.errors import DataError
from tests.core.test_text_batch import SPECS, samples
from tests.parity.texts import ODD

TEXTS = [*ODD, '["a", "b"]', "null", "NaN", "None", "0", "\x00", "a\x00b", "[]", "{}", "true"]


@pytest.mark.parametrize("spec", SPECS)
def test_score_is_that_of_evaluate_to_the_last_bit(spec: str) -> None:
    pairs = samples(5)[::3]
    texts = [text for text in TEXTS if spec == "exact-match" or len(text) > 3]
    given = [*pairs, *((text, [text]) for text in texts)]
    data = [{"answer": answer, "references": references} for answer, references in given]
    together = ragauge.evaluate(data, spec, resamples=0).scores(spec)
    for (answer, references), expected in zip(given, together, strict=True):
        found = ragauge.score(spec, answer=answer, references=references)
        assert found == expected or (math.isnan(found) and math.isnan(expected)), (answer, references)
        assert ragauge.score(ragauge.parse(spec), answer=answer, references=references) == found


def test_one_reference_needs_no_list() -> None:
    assert ragauge.score("rouge-1", answer="a b", references="a b") == 1.0


def test_errors_are_those_of_evaluate() -> None:
    with pytest.raises(DataError, match="half a character"):
        ragauge.score("chrf", answer="\ud800", references="a")
    with pytest.raises(DataError, match="look like the words of one reference"):
        ragauge.score("bleu", answer="there is a cat on the mat", references=["there", "is", "a", "cat"])
