"""Edit similarity: one minus the edits from answer to reference, over the longer length."""

from __future__ import annotations

import pytest
from rapidfuzz.distance import Levenshtein

from ragauge import parse, score
from ragauge.core.protocol import signature_of
from ragauge.core.text_batch import batch_of_texts
from tests.tokenizers.samples import mixed


@pytest.mark.parametrize(
    ("answer", "reference", "value"),
    [("kitten", "sitting", 1 - 3 / 7), ("茶馆", "茶楼", 0.5), ("tea", "tea", 1.0), ("abc", "xyz", 0.0)],
)
def test_values_worked_by_hand(answer: str, reference: str, value: float) -> None:
    assert score("edit-similarity", answer=answer, references=[reference]) == pytest.approx(value, rel=1e-12)


def test_the_nearest_reference_counts() -> None:
    assert score("edit-similarity", answer="tea", references=["coffee", "tee"]) == pytest.approx(2 / 3, rel=1e-12)


def test_white_space_that_is_kept_is_compared() -> None:
    texts = mixed(5, 600, [*"abAＡßİ \t\n\u3000\x85\u200b", "  "], longest=8)
    metric = parse("edit-similarity:case=keep,nfkc=false,whitespace=keep")
    found = metric.score(metric.measure(batch_of_texts(texts[::2], [[text] for text in texts[1::2]])))
    pairs = zip(texts[::2], texts[1::2], strict=True)
    assert found.tolist() == pytest.approx([Levenshtein.normalized_similarity(*pair) for pair in pairs], abs=1e-15)
    assert score("edit-similarity:whitespace=keep", answer="A  b", references=["a b"]) == 0.75
    assert score("edit-similarity", answer="A  b", references=["a b"]) == 1.0


def test_white_space_is_in_the_signature_only_where_it_is_kept() -> None:
    identities = [signature_of(parse(spec)).identity for spec in ("edit-similarity", "edit-similarity:whitespace=keep")]
    assert ["whitespace=keep" in identity for identity in identities] == [False, True]
