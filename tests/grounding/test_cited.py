"""What each sentence of an answer cites, and which sentences count."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from ragauge.core.batch import Batch
from ragauge.grounding.cited import CitedSentences, cited_in


def found(answers: list[str | None], **columns: Any) -> CitedSentences:
    ids = [str(place) for place in range(len(answers))]
    contexts = [["One.", "Two."]] * len(answers)
    batch = Batch(pa.table({"id": ids, "answer": answers, "contexts": contexts, **columns}))
    return cited_in(batch, by_ids="retrieved" in columns)


def test_passages_are_numbered_through_the_batch() -> None:
    one = found(["It opened [2].", None, "林婉种茶【1】【3】。"])
    assert (one.sentence.tolist(), one.passage.tolist()) == ([0, 1, 1], [1, 4, -1])
    assert one.sentences.lengths.tolist() == [1, 0, 1]
    assert one.sentences.windows(1).values.tolist() == ["It opened [2].", "林婉种茶【1】【3】。"]
    assert [text.strip() for text in one.sentences.strings.values] == ["It opened.", "林婉种茶。"]


def test_ids_and_citations_beside_the_text() -> None:
    beside = [[{"text": "Open.", "citations": ["b"]}]]
    one = found(["Open. It is red [a]."], retrieved=[["a", "b"]], citations=beside)
    assert (one.sentence.tolist(), one.passage.tolist()) == ([0, 1], [1, 0])


@pytest.mark.parametrize(
    ("citations", "passages", "unread"),
    [
        ([{"text": "Open.", "citations": [2]}], [1], 0),
        ('[{"text": "Open.", "citations": [2]}]', [1], 0),
        ([{"text": "Open.", "citations": [2]}, {"text": "Closed.", "citations": [1]}], [1], 1),
        ([1, 2], [], 1),
        ("[[1]]", [], 1),
        ("not JSON", [], 1),
        ([], [], 0),
        (None, [], 0),
    ],
)
def test_citations_that_no_sentence_has_are_counted(citations: Any, passages: list[int], unread: int) -> None:
    one = found(["Open. It is red."], citations=pa.array([citations]))
    assert (one.passage.tolist(), one.unread.tolist()) == (passages, [unread])


@pytest.mark.parametrize(
    "text",
    ["The passages do not say when it opened", "文档没有说明它何时开业", "In den Texten steht nicht, wann es öffnete"],
)
def test_what_is_not_said_counts_where_it_cites(text: str) -> None:
    assert found([f"{text}."]).counted.tolist() == [False]
    assert found([f"{text} [1]."]).counted.tolist() == [True]


def test_numbers_from_0_are_counted_by_sample() -> None:
    one = found(["Open [0]. Red [1].", "Open [0]. Red [2].", None])
    assert (one.passage.tolist(), one.from_zero.tolist()) == ([0, 1, -1, 3], [1, 0, 0])
