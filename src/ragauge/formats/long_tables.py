"""Tables with one document a row, as a query's results often are: what turns them into samples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import pyarrow as pa

from ragauge import languages
from ragauge.core.messages import Counted, Message
from ragauge.formats.column_names import folded
from ragauge.formats.fields import is_list

_IDS = frozenset({*languages.table("columns")["corpus"]["id"].split(), "did", "pid"}) - {"_id", "id"}
_ENDS = ("_doc_id", "_docid", "_document_id", "_passage_id", "_chunk_id")
_RANKED = ("rank", "score", "relevant", "is_relevant", "relevance", "label", "grade", "rel")
_REPEATED = frozenset({"id", "repeat", "question_id"})
_LOOKED_AT = 1000
"""Rows that are looked at for passages of one answer in several rows."""


def names_of_documents(names: Iterable[str]) -> list[str]:
    """Return the names that a column with the id of one document has.

    >>> names_of_documents(["question", "Doc ID", "score"])
    ['Doc ID']
    """
    return [name for name in names if folded(name) in _IDS or folded(name).endswith(_ENDS)]


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


def notes_on_passages(tables: Sequence[pa.Table], sources: Mapping[str, str]) -> list[Message]:
    """Return a note where rows repeat a question and its answer with one other passage each.

    ``sources``: known column -> its name in the source.
    """
    names = ("question", "answer", "contexts")
    parts = [table.select(names)[:_LOOKED_AT].to_pylist() for table in tables if {*names} <= {*table.column_names}]
    rows = list(chain.from_iterable(parts))[:_LOOKED_AT]
    alone = [row for row in rows if row["question"] and row["answer"] and len(row["contexts"] or ()) == 1]
    by_answer: dict[tuple[str, str], set[str]] = {}
    for row in alone:
        by_answer.setdefault((row["question"], row["answer"]), set()).update(row["contexts"])
    several = [passages for passages in by_answer.values() if len(passages) > 1]
    if not rows:
        return _notes_on_repeats(tables)
    if not several or len(alone) < len(rows):
        return []
    own = {name: sources.get(name, name) for name in (*names, "references")}
    by = [own["question"], own["answer"], *([own["references"]] if "references" in sources else [])]
    code = f"frame.groupby({by}, sort=False).agg(contexts=({own['contexts']!r}, list)).reset_index()"
    template = (
        "RG-NOTE-116 {answers} in several rows, with one passage each, and each row counts as a sample; where a sample "
        "is an answer with all its passages, in pandas: {code}"
    )
    return [Message(template, Counted(len(several), "answer is", "answers are"), code)]


def _notes_on_repeats(tables: Sequence[pa.Table]) -> list[Message]:
    """Return a note where rows without passages repeat the question and the answer of another, and nothing says why."""
    names = ("question", "answer")
    having = [table for table in tables if {*names} <= {*table.column_names}]
    if not having or any(_REPEATED & {*table.column_names} for table in having):
        return []
    rows = list(chain.from_iterable(table.select(names)[:_LOOKED_AT].to_pylist() for table in having))[:_LOOKED_AT]
    asked = [(row["question"], row["answer"]) for row in rows if row["question"] and row["answer"]]
    again = len(asked) - len(set(asked))
    template = (
        "RG-NOTE-118 {rows} the question and the answer of another one, and each row counts as a sample; if a row is "
        "one passage of an answer, make one row of each answer first"
    )
    return [Message(template, Counted(again, "row repeats", "rows repeat"))] if again else []
