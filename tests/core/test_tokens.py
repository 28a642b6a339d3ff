"""Texts and tokens of a batch: what a metric from another package gets in one line."""

from __future__ import annotations

import tracemalloc
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from ragauge.core.batch import Batch
from ragauge.core.ingredients import Vocabulary
from ragauge.core.ragged import Ragged, offsets_of
from ragauge.core.texts import encoded
from ragauge.errors import UsageError
from ragauge.tokenizers import _points, get
from ragauge.tokenizers.forms import Forms

BATCH = Batch(
    pa.table(
        {
            "id": ["a", "b"],
            "answer": ["The cat. \n", None],
            "references": [["the cat", "a dog"], []],
            "contexts": [["cat"], None],
        }
    )
)


def test_texts_of_lists_stand_one_after_the_other_and_null_is_empty() -> None:
    assert BATCH.texts("answer").to_pylist() == ["The cat.", ""]
    assert BATCH.texts("references").to_pylist() == ["the cat", "a dog"]
    np.testing.assert_array_equal(BATCH.owners("references"), [0, 0])


def test_equal_tokens_have_one_code_in_all_columns() -> None:
    tokenizer = get("auto")
    columns = {name: BATCH.tokens(name, tokenizer) for name in ("answer", "references", "contexts")}
    words = BATCH.vocabulary(tokenizer).words
    spelled = {name: [[words[code] for code in text] for text in codes.to_lists()] for name, codes in columns.items()}
    assert spelled == {
        "answer": [["The", "cat", "."], []],
        "references": [["the", "cat"], ["a", "dog"]],
        "contexts": [["cat"]],
    }


def test_forms_are_compared_and_dropped_tokens_left_out() -> None:
    folded = Forms(punctuation="drop")
    answers, references = (BATCH.tokens(name, get("auto"), folded) for name in ("answer", "references"))
    assert answers.to_lists()[0] == references.to_lists()[0]


def test_texts_are_tokenised_once_for_all_metrics() -> None:
    calls = []

    class Counting:
        """A tokenizer that counts its calls."""

        signature = "counting"

        def encode(self, texts: pa.Array, vocabulary: object) -> object:
            calls.append(texts.to_pylist())
            return get("auto").encode(texts, vocabulary)  # type: ignore[arg-type]

    batch = Batch(BATCH.table())
    for _ in range(2):
        batch.tokens("answer", Counting(), Forms())  # type: ignore[arg-type]
        batch.tokens("references", Counting())  # type: ignore[arg-type]
    assert calls == [["The cat.", "", "the cat", "a dog"]]


def test_a_tokenizer_must_return_a_list_for_each_text() -> None:
    class Short:
        signature = "short"

        def encode(self, texts: pa.Array, vocabulary: Vocabulary) -> Ragged:
            return Ragged.of([vocabulary.codes(texts.to_pylist())])

        def __str__(self) -> str:
            return "short"

    with pytest.raises(UsageError, match="encode of the tokenizer short must return a Ragged of 2 lists; got 1"):
        encoded([pa.array(["a", "b"])], Short(), Vocabulary())


def test_the_lists_of_a_tokenizer_must_hold_all_of_its_tokens() -> None:
    class Lossy:
        signature = "lossy"

        def encode(self, texts: pa.Array, vocabulary: Vocabulary) -> Ragged:
            codes = vocabulary.codes([*texts.to_pylist(), "c"])
            return Ragged(codes, offsets_of([1, 1]))

        def __str__(self) -> str:
            return "lossy"

    with pytest.raises(
        UsageError, match=r"lossy must return lists whose lengths .* of its tokens, 3; they add up to 2"
    ):
        encoded([pa.array(["a", "b"])], Lossy(), Vocabulary())


@dataclass(frozen=True)
class Watching:
    """A tokenizer that notes how much memory Arrow has while it works."""

    seen: list[int] = field(default_factory=list)
    signature = "watching"

    def encode(self, texts: pa.Array, vocabulary: Vocabulary) -> Ragged:
        self.seen.append(pa.total_allocated_bytes())
        return get("auto").encode(texts, vocabulary)


def test_long_texts_are_not_copied_to_find_equal_ones() -> None:
    watching, long = Watching(), pa.array(["ab " * 500_000], pa.large_string())
    before = pa.total_allocated_bytes()
    first, second = encoded([long, long], watching, Vocabulary())
    assert (first.values == second.values).all()
    assert max(watching.seen) - before < long.nbytes / 2


@pytest.mark.parametrize("name", ["auto", "13a", "char", "zh", "whitespace"])
def test_long_texts_have_the_tokens_of_short_ones(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    arrays = [pa.array(texts, pa.large_string()) for texts in (["a b", "naïve 猫 b"], ["", "b 猫", "a b"])]
    found = []
    for longest in (1 << 20, 0):
        monkeypatch.setattr("ragauge.core.texts._LONG", longest)
        vocabulary = Vocabulary()
        parts = encoded(arrays, get(name), vocabulary)
        found.append([[[vocabulary.words[code] for code in one] for one in part.to_lists()] for part in parts])
    assert found[0] == found[1]


def test_the_marks_of_a_long_text_are_gone_when_its_words_are_numbered(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = pa.array(["word " * 400_000], pa.large_string())
    number, seen = _points._codes, []

    def numbered(*arguments: Any) -> Any:
        seen.append(tracemalloc.get_traced_memory()[0])
        return number(*arguments)

    monkeypatch.setattr(_points, "_codes", numbered)
    monkeypatch.setenv("RAGAUGE_NATIVE", "0")  # the kernel makes no marks
    tracemalloc.start()
    try:
        assert get("auto").encode(texts, Vocabulary()).lengths.tolist() == [400_000]
    finally:
        tracemalloc.stop()
    assert max(seen) < 6 * texts.nbytes
