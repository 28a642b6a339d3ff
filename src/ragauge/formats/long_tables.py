"""Tables with one document a row, as a query's results often are: what turns them into samples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ragauge import languages
from ragauge.core.messages import Message
from ragauge.formats.column_names import folded
from ragauge.formats.fields import is_list

_IDS = frozenset({*languages.table("columns")["corpus"]["id"].split(), "did", "pid"}) - {"_id", "id"}
_RANKED = ("rank", "score", "relevant", "relevance", "label", "grade", "rel")


def names_of_documents(names: Iterable[str]) -> list[str]:
    """Return the names that a column with the id of one document has.

    >>> names_of_documents(["question", "Doc ID", "score"])
    ['Doc ID']
    """
    return [name for name in names if folded(name) in _IDS]


def one_document_a_row(columns: Mapping[str, Sequence[Any]], question: str | None) -> str | None:
    """Return the column with one id of a document a row, where questions are repeated; None where there is none.

    >>> one_document_a_row({"question": ["Who?", "Who?"], "doc_id": ["d1", "d2"]}, "question")
    'doc_id'
    """
    asked = columns.get(question or "", ())
    names = [name for name in names_of_documents(columns) if not any(map(is_list, columns[name]))]
    return names[0] if names and len(set(map(str, asked))) < len(asked) else None


def advice_on_documents(names: Iterable[str], question: str, documents: str) -> Message:
    """Return what to do with a table of one document a row."""
    template = (
        "In these data a row is one document ({column}), and a sample is a question with all its documents. "
        "In pandas: {code}; then score samples.jsonl"
    )
    return Message(template, documents, code_of_samples(names, question, documents))


def code_of_samples(names: Iterable[str], question: str, documents: str) -> str:
    """Return code for pandas that makes samples of rows with one document each."""
    found = {word: name for name in names for word in _RANKED if name.lower() == word}
    grades = next((name for word, name in found.items() if word not in ("rank", "score")), None)
    by = [f"{found[one]!r}, ascending={one == 'rank'}" for one in ("rank", "score") if one in found][:1]
    ordered = f".sort_values({by[0]}, kind='stable')" if by else ""
    lists = [f"retrieved=({documents!r}, list)", *([f"relevance=({grades!r}, list)"] if grades else [])]
    grouped = f".groupby({question!r}, sort=False).agg({', '.join(lists)}).reset_index()"
    return f"frame{ordered}{grouped}.to_json('samples.jsonl', orient='records', lines=True)"
