"""Rows within a document of JSON: files of SQuAD, pages of a data viewer, tables of pandas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ragauge.formats.sources.export import Export, row_by_row


def _squad(document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield each question of a file of SQuAD with its right answers and the passage that has them."""
    for article in document["data"]:
        for paragraph in article["paragraphs"]:
            for one in paragraph["qas"]:
                answers = [answer["text"] for answer in one.get("answers") or ()]
                yield {
                    "id": one.get("id"),
                    "question": one.get("question"),
                    "references": list(dict.fromkeys(answers)),
                    "reference_contexts": [paragraph["context"]],
                    "title": article.get("title"),
                }


def _is_squad(document: Mapping[str, Any]) -> bool:
    data = document.get("data")
    first = data[0] if isinstance(data, Sequence) and data and not isinstance(data, str) else None
    return isinstance(first, Mapping) and "paragraphs" in first


EXPORTS = (
    Export(
        "a file of SQuAD",
        [],
        row_by_row(_squad),
        {"question": "qas.question", "references": "qas.answers", "reference_contexts": "paragraphs.context"},
        _is_squad,
    ),
    Export(
        "rows of a data viewer",
        [("features", "rows")],
        row_by_row(lambda page: [one["row"] for one in page["rows"]]),
    ),
    Export(
        "a table of pandas",
        [("schema", "data")],
        row_by_row(lambda table: [{name: row[name] for name in row if name != "index"} for row in table["data"]]),
    ),
)
