"""TREC RAG and its tools: answers by sentence with what each cites, and nuggets as nuggetizer assigned them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ragauge.formats.sources.export import Export, row_by_row
from ragauge.formats.sources.payloads import first_of

_IDS = ("topic_id", "narrative_id", "request_id", "qid", "id")
_QUESTIONS = ("topic", "narrative", "question", "query", "problem_statement", "title")
_READ = frozenset({"metadata", "references", "answer", "responses", "documents", *_IDS, *_QUESTIONS})


def _sentences(row: Mapping[str, Any]) -> list[Mapping[str, Any]] | None:
    """Return the sentences of an answer, each with its text and citations; None where it has another form."""
    found = row.get("responses", row.get("answer"))
    are_cited = isinstance(found, list) and all(isinstance(one, Mapping) and "text" in one for one in found)
    return found if are_cited and any("citations" in one for one in found) else None


def _answered(row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the sample of an answer: its sentences joined by blanks; in ``citations`` each with the ids it cites."""
    about = {**row, **(row.get("metadata") or {})}
    documents = [str(one) for one in row.get("references") or ()]
    sentences = _sentences(row) or []
    cited = [{"text": one["text"], "citations": _ids(one.get("citations"), documents)} for one in sentences]
    sample = {
        "id": first_of(about, _IDS),
        "question": first_of(about, _QUESTIONS),
        "answer": " ".join(one["text"] for one in cited),
        "retrieved": documents,
        "contexts": _texts(row.get("documents"), documents),
    }
    others = {name: value for name, value in about.items() if name not in _READ}
    yield {**others, **{name: value for name, value in sample.items() if value is not None}, "citations": cited}


def _ids(citations: Any, documents: Sequence[str]) -> list[str]:
    """Return the ids of documents that are cited by place from 0 on, by id, or as keys, in their order.

    A place without a document is a rank from 1 on, as elsewhere in ``citations``.

    >>> _ids([1, 7], ["a", "b"]), _ids(["b"], ["a", "b"]), _ids({"a": 0.5}, ["a", "b"])
    (['b', '8'], ['b'], ['a'])
    """
    return [_id(one, documents) for one in citations or ()]


def _id(cited: Any, documents: Sequence[str]) -> str:
    if not isinstance(cited, int) or cited < 0:
        return str(cited)
    known = documents[cited] if cited < len(documents) else str(cited)
    return known if known in documents else str(cited + 1)


def _texts(documents: Any, ids: Sequence[str]) -> list[str] | None:
    """Return the texts of documents by their ids, where the row holds all of them."""
    if not isinstance(documents, Mapping) or not documents.keys() >= set(ids):
        return None
    return [one["text"] if isinstance(one, Mapping) else str(one) for one in map(documents.__getitem__, ids)]


def _assigned(row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the sample of an answer, or of one retrieved passage, whose nuggets nuggetizer assigned."""
    taken = {"qid", "query", "answer_text", "candidate_text", *(["text"] if "candidate_text" in row else [])}
    others = {name: value for name, value in row.items() if name not in taken}
    # Passages of one question are samples of their own.
    passage = {"id": f"{row['qid']} {row.get('docid', '')}".strip(), "topic_id": row["qid"]}
    sample = {"question": first_of(row, ("query", "text")), "answer": first_of(row, ("answer_text", "candidate_text"))}
    yield {**others, **sample, **(passage if "candidate_text" in row else {"id": row["qid"]})}


def _within(envelope: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the rows in what Castorini's commands print, which are answers or nuggets."""
    for artifact in envelope["artifacts"]:
        data = artifact.get("data")
        for row in data if isinstance(data, list) else [data]:
            read = _answered if _sentences(row) else _assigned if _is_assigned(row) else None
            yield from [row] if read is None else read(row)


def _is_assigned(row: Mapping[str, Any]) -> bool:
    return any(row.keys() >= {"qid", "nuggets", text} for text in ("answer_text", "candidate_text"))


EXPORTS = (
    Export(
        "answers of TREC RAG",
        [("topic_id", "response_length", "answer")],
        row_by_row(_answered),
        {"question": "topic, narrative", "answer": "answer, responses", "retrieved": "references"},
        lambda row: bool(_sentences(row)),
    ),
    Export(
        "nuggets of nuggetizer",
        [("answer_text", "qid", "nuggets"), ("candidate_text", "qid", "nuggets")],
        row_by_row(_assigned),
        {"question": "query, text", "answer": "answer_text, candidate_text"},
    ),
    Export("what a command of Castorini prints", [("schema_version", "artifacts")], row_by_row(_within)),
)
