"""Random samples with every known column, in many scripts, with nulls."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from ragauge.core.batch import Batch

WORDS = [
    "猫",
    "坐在",
    "垫子",
    "上",
    "the cat",
    "sat",
    "42",
    "東京",
    "タワー",
    "고양이가",
    "кошка",
    "القط",
    "बिल्ली",
    "แมว",
    "Ünïcode",
    "!",
    "…",
]

SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("question", pa.string()),
        ("answer", pa.string()),
        ("references", pa.list_(pa.string())),
        ("contexts", pa.list_(pa.string())),
        ("reference_contexts", pa.list_(pa.string())),
        ("earlier_contexts", pa.list_(pa.string())),
        ("retrieved", pa.list_(pa.string())),
        ("retrieved_scores", pa.list_(pa.float64())),
        ("relevance", pa.list_(pa.struct([("id", pa.string()), ("grade", pa.float64())]))),
        ("language", pa.string()),
        ("latency", pa.float64()),
        ("other_answer", pa.string()),
        *[(name, pa.bool_()) for name in ("answerable", "is_answerable", "is_impossible", "unanswerable")],
        (
            "nuggets",
            pa.list_(pa.struct([("text", pa.string()), ("importance", pa.string()), ("assignment", pa.string())])),
        ),
        ("subtopics", pa.list_(pa.list_(pa.string()))),
        *[
            (name, pa.list_(pa.struct([("document", pa.string()), ("start", pa.int64()), ("end", pa.int64())])))
            for name in ("retrieved_spans", "reference_spans")
        ],
        *[
            (name, pa.list_(pa.struct([("name", pa.string()), ("arguments", pa.string())])))
            for name in ("tool_calls", "reference_tool_calls")
        ],
    ]
)

texts = st.lists(st.sampled_from(WORDS), min_size=0, max_size=8).map(" ".join)
passages = st.lists(texts, max_size=4)
nuggets = st.lists(
    st.fixed_dictionaries(
        {
            "text": st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join),
            "importance": st.sampled_from(["vital", "okay", None]),
            "assignment": st.sampled_from(["support", "partial_support", "not_support", None, None]),
        }
    ),
    max_size=4,
)
spans = st.lists(
    st.builds(
        lambda document, start, length: {"document": document, "start": start, "end": start + length},
        st.sampled_from(["a", "茶", None]),
        st.integers(0, 30),
        st.integers(0, 20),
    ),
    max_size=4,
)
tool_calls = st.lists(
    st.fixed_dictionaries(
        {
            "name": st.sampled_from(["search", "查询", "stop"]),
            "arguments": st.sampled_from(['{"q": "tea", "top": 5}', '{"q": "茶", "top": 5}', "{}", "", None]),
        }
    ),
    max_size=4,
)


@st.composite
def rankings(draw: st.DrawFn) -> dict[str, Any]:
    documents = draw(st.lists(st.sampled_from([f"d{i}" for i in range(12)]), max_size=8, unique=True))
    scores = draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=len(documents), max_size=len(documents)))
    grades = draw(st.dictionaries(st.sampled_from([f"d{i}" for i in range(14)]), st.integers(-1, 3), max_size=6))
    relevance = [{"id": name, "grade": float(grade)} for name, grade in grades.items()]
    return {"retrieved": documents, "retrieved_scores": scores, "relevance": relevance}


@st.composite
def rows(draw: st.DrawFn) -> dict[str, Any]:
    row = {
        "question": draw(texts),
        "answer": draw(texts),
        "references": draw(passages),
        "contexts": draw(passages),
        "reference_contexts": draw(passages),
        "earlier_contexts": draw(passages),
        "language": draw(st.sampled_from(["zh", "en", None])),
        "latency": draw(st.floats(0, 1000)),
        "other_answer": draw(texts),
        "answerable": (answerable := draw(st.booleans())),
        "is_answerable": answerable,
        "is_impossible": not answerable,
        "unanswerable": not answerable,
        "nuggets": draw(nuggets),
        "subtopics": draw(st.lists(st.lists(st.sampled_from([f"d{i}" for i in range(14)]), max_size=4), max_size=3)),
        **{name: draw(spans) for name in ("retrieved_spans", "reference_spans")},
        **{name: draw(tool_calls) for name in ("tool_calls", "reference_tool_calls")},
        **draw(rankings()),
    }
    absent = draw(st.sets(st.sampled_from(sorted(row)), max_size=2)) if draw(st.integers(0, 3)) == 0 else set()
    if absent & {"retrieved", "retrieved_scores"}:
        absent = absent | {"retrieved", "retrieved_scores"}
    return {name: None if name in absent else value for name, value in row.items()}


def table_of(found: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist([{"id": f"s{place}", **row} for place, row in enumerate(found)], schema=SCHEMA)


batches = st.lists(rows(), min_size=1, max_size=9).map(lambda found: Batch(table_of(found)))
