"""Scores, distances and ranks within documents that say another order than their list."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ragauge
from ragauge.core.messages import codes_in
from ragauge.formats import read

Document = Callable[[str, float], dict[str, Any]]
UNREAD: dict[str, tuple[str, Document]] = {
    "similarity": ("similarity", lambda one, s: {"id": one, "text": one, "similarity": s}),
    "Elasticsearch": ("_score", lambda one, s: {"id": one, "text": one, "_score": s}),
    "Azure": ("@search.score", lambda one, s: {"id": one, "content": one, "@search.score": s}),
    "Azure, reranked": (
        "@search.rerankerScore",
        lambda one, s: {"id": one, "content": one, "@search.score": 1 - s, "@search.rerankerScore": s},
    ),
    "Weaviate 3": (
        "_additional.certainty",
        lambda one, s: {"id": one, "text": one, "_additional": {"certainty": s, "distance": 1 - s}},
    ),
    "Weaviate 4": ("metadata.distance", lambda one, s: {"id": one, "text": one, "metadata": {"distance": 1 - s}}),
    "Weaviate, reranked": (
        "_additional.rerank.score",
        lambda one, s: {"id": one, "text": one, "_additional": {"certainty": 1 - s, "rerank": {"score": s}}},
    ),
    "Cohere": (
        "relevance_score",
        lambda one, s: {"id": one, "index": 3, "relevance_score": s, "document": {"text": one}},
    ),
    "rerank": ("rerank_score", lambda one, s: {"id": one, "text": one, "rerank_score": s}),
    "LangChain": ("metadata.score", lambda one, s: {"id": one, "page_content": one, "metadata": {"score": s}}),
    "LangChain, reranked": (
        "metadata.relevance_score",
        lambda one, s: {"id": one, "page_content": one, "metadata": {"relevance_score": s}},
    ),
    "Haystack": ("meta.score", lambda one, s: {"id": one, "content": one, "meta": {"score": s}}),
    "Qdrant": ("payload.similarity", lambda one, s: {"id": one, "text": one, "payload": {"similarity": s}}),
    "Milvus": ("entity.distance", lambda one, s: {"id": one, "text": one, "entity": {"distance": 1 - s}}),
    "per cent": ("similarity", lambda one, s: {"id": one, "text": one, "similarity": f"{s:.0%}"}),
    "rank": ("metadata.rank", lambda one, s: {"id": one, "text": one, "metadata": {"rank": round(3 - s)}}),
    **{
        name: (name, lambda one, s, name=name: {"id": one, "text": one, name: s})  # type: ignore[misc]
        for name in [
            *[
                "相似度",
                "類似度",
                "유사도",
                "сходство",
                "التشابه",
                "समानता",
                "ความคล้ายคลึง",
                "Ähnlichkeit",
                "similarité",
            ],
            "similitud",
        ]
    },
}
READ: dict[str, tuple[str, Document]] = {
    "Qdrant": ("251", lambda one, s: {"id": one, "score": s, "payload": {"text": one}}),
    "Pinecone": ("251", lambda one, s: {"id": one, "score": s, "metadata": {"text": one}}),
    "Milvus": ("252", lambda one, s: {"id": one, "distance": 1 - s, "entity": {"text": one}}),
}


def _said(rows: Any) -> list[str]:
    return [note for note in read(rows).notes if "another order" in note]


@pytest.mark.parametrize(
    "judged", [("retrieved", {"relevance": {"b": 1}}), ("contexts", {"reference_contexts": ["b"]})]
)
@pytest.mark.parametrize("form", ["rows", "csv", "frame"])
@pytest.mark.parametrize("store", UNREAD)
def test_numbers_that_are_not_read_are_noted(
    store: str, form: str, judged: tuple[str, dict[str, Any]], tmp_path: Path
) -> None:
    key, document = UNREAD[store]
    found, right = judged
    rising = [document("a", 0.1), document("b", 0.9)]
    rows = [{found: rising, **right}, {found: rising[::-1], **right}]
    given: Any = rows
    if form == "csv":
        given = tmp_path / "rows.csv"
        written = [[json.dumps(one, ensure_ascii=False) for one in row.values()] for row in rows]
        quoted = ["\t".join(row) for row in [list(rows[0]), *written]]
        given = given.with_suffix(".tsv")
        given.write_text("\n".join(quoted), encoding="utf-8")
    if form == "frame":
        given = pytest.importorskip("pandas").DataFrame(rows)
    [note] = _said(given)
    assert note.startswith(
        f"{found}: in 1 field, {key} of the documents says another order than their list; the order of"
    )
    assert not _said([rows[1]])


@pytest.mark.parametrize("store", READ)
def test_numbers_that_are_read_are_noted_where_they_move_documents(store: str) -> None:
    code, document = READ[store]
    row = {"retrieved": [document("a", 0.1), document("b", 0.9)], "relevance": {"b": 1}}
    result = ragauge.evaluate([row], ["mrr"], resamples=0)
    [note] = _said([row])
    assert codes_in(note) == (f"RG-NOTE-{code}",)
    assert result["mrr"].value == 1
    assert not _said([row | {"retrieved": row["retrieved"][::-1]}])  # type: ignore[index]


def test_a_position_in_a_text_and_other_numbers_are_no_rank() -> None:
    found = [
        {"id": one, "text": one, "metadata": {"position": 9 - place, "page": 9 - place, "grade": place}}
        for place, one in enumerate("ab")
    ]
    assert not _said([{"retrieved": found, "relevance": {"b": 1}}])
    some = [{"id": "a", "similarity": 0.1}, {"id": "b", "similarity": None}]
    assert not _said([{"retrieved": some, "relevance": {"b": 1}}])
    assert not _said([{"retrieved": ["a", "b"], "relevance": {"b": 1}}])


def test_pairs_of_a_passage_and_its_score_are_passages() -> None:
    pairs = [[{"page_content": "a"}, 0.1], [{"page_content": "b"}, 0.9]]
    row = {"contexts": pairs, "reference_contexts": ["b"]}
    assert ragauge.evaluate([row], ["mrr"], resamples=0)["mrr"].value == 0.5
    texts = [["a", 0.1], ["b", 0.9]]
    assert ragauge.evaluate([row | {"contexts": texts}], ["mrr"], resamples=0)["mrr"].value == 0.5
    # They may be distances; an order that is neither's is noted.
    assert not _said([row])
    [note] = _said([row | {"contexts": [*pairs, [{"page_content": "c"}, 0.5]]}])
    assert note.startswith("contexts: in 1 field, score of each pair of the documents says another order")
    [note] = _said([{"retrieved": texts, "relevance": {"b": 1}}])
    assert "score was read, highest first" in note
