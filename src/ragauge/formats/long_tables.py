"""Tables with one document a row, as a query's results often are: what turns them into samples."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import accumulate, chain
from typing import Any

import pyarrow as pa

from ragauge import languages
from ragauge.core.messages import Counted, Message
from ragauge.core.sample import SCHEMA
from ragauge.formats.column_names import OF_A_DOCUMENT, folded, known_name, suggests_passages
from ragauge.formats.fields import is_list
from ragauge.formats.grade_words import grades_of_words
from ragauge.formats.rank_columns import Roles, remarks_on, roles_in_rows, roles_of, with_remarks
from ragauge.formats.recognised_ids import are_names

_IDS = frozenset({*map(folded, languages.table("columns")["corpus"]["id"].split()), "did", "pid"}) - {"_id", "id"}
_ASKED = frozenset(map(folded, languages.table("columns")["asked"]["id"].split()))
"""Columns that say to which question a row belongs."""
_TOPICS = frozenset(map(folded, languages.table("columns")["asked"]["topic"].split()))
"""Columns that say so where their fields are ids, and else name subjects."""
_ENDS = ("_doc_id", "_docid", "_document_id", "_passage_id", "_chunk_id")
_BY = ("id", "question", "answer", "references")
"""Columns that are the same in all rows of an answer."""
_DOCUMENTS = {"contexts": "reference_contexts", "retrieved": "relevance"}
"""What was retrieved -> what is right."""
_LOOKED_AT = 1000
"""Rows that are looked at for passages of one answer in several rows."""


def names_of_documents(names: Iterable[str]) -> list[str]:
    """Return the names that a column with the id of one document has.

    >>> names_of_documents(["question", "Doc ID", "score"])
    ['Doc ID']
    """
    return [name for name in names if folded(name) in _IDS or folded(name).endswith(_ENDS)]


def _names_of_passages(columns: Mapping[str, Sequence[Any]]) -> list[str]:
    """Return the columns with the text of one passage a row; those of known columns are lists by now."""
    return [name for name, fields in columns.items() if suggests_passages(folded(name)) and _are_texts(fields)]


def _are_texts(fields: Sequence[Any]) -> bool:
    return any(fields) and all(isinstance(one, str | None) for one in fields)


def _are_ids(fields: Sequence[Any]) -> bool:
    return all(str(one).replace(".", "", 1).isdecimal() for one in fields) or are_names(list(fields))


def one_document_a_row(columns: Mapping[str, Sequence[Any]], question: str | None) -> tuple[str, str] | None:
    """Return the columns with a row's question and with the id, else the text, of its one document; None for no such.

    The first is ``question``, or names questions; it repeats some. Texts are documents where they have a rank or grade.

    >>> one_document_a_row({"question": ["Who?", "Who?"], "doc_id": ["d1", "d2"]}, "question")
    ('question', 'doc_id')
    >>> one_document_a_row({"question_id": [1, 1], "passage": ["Tea.", "Jam."], "rank": [1, 2]}, None)
    ('question_id', 'passage')
    >>> one_document_a_row({"topic": ["301", "301"], "doc_id": ["d1", "d2"]}, None)
    ('topic', 'doc_id')
    """
    asking = next((name for name in columns if name == question), None)
    asking = asking or next((name for name in columns if folded(name) in _ASKED), None)
    asking = asking or next((name for name in columns if folded(name) in _TOPICS and _are_ids(columns[name])), None)
    names = [name for name in names_of_documents(columns) if not any(map(is_list, columns[name]))]
    seen, differing = _seen(columns, asking)
    is_graded = roles_of(seen, differing).grade is not None
    if is_graded or any(folded(name) in OF_A_DOCUMENT for name in columns):
        passages = _names_of_passages(seen if is_graded else columns)
        names += [name for name in passages if name != asking]
    asked = columns.get(asking or "", ())
    return (str(asking), names[0]) if names and len(set(map(str, filter(_is_there, asked)))) < len(asked) else None


def _is_there(field: Any) -> bool:
    return field is not None and field != ""


def _seen(columns: Mapping[str, Sequence[Any]], question: str | None) -> tuple[dict[str, list[Any]], frozenset[str]]:
    """Return columns with the one item of lists in place of these, and the names of those that differ in a question.

    An object with an id is a text that was read as the id of a relevant document.
    """
    fields = {name: list(map(_alone, values)) for name, values in columns.items()}
    asked: list[Any] = list(
        accumulate(fields.get(question or "", ()), lambda above, one: one if _is_there(one) else above)
    )
    pairs = {
        name: {(str(ours), str(one)) for ours, one in zip(asked, values, strict=False) if _is_there(one)}
        for name, values in fields.items()
    }
    differing = [name for name, found in pairs.items() if len({ours for ours, _ in found}) < len(found)]
    return fields, frozenset(differing)


def _alone(field: Any) -> Any:
    one = field[0] if isinstance(field, list) and len(field) == 1 else field
    return one.get("id") if isinstance(one, dict) else one


def _filled(columns: Mapping[str, Sequence[Any]], question: str, by: Sequence[str]) -> dict[str, str]:
    """Return pandas' code of columns ``by`` with merged cells, of which the first row alone has the value.

    An answer is filled within its question, which may have none.
    """
    merged = [name for name in by if not all(map(_is_there, columns.get(name, ())))]
    empty = {name: ".replace('', None)" if "" in columns[name] else "" for name in merged}
    own = f"frame[{question!r}]" + (f"{empty[question]}.ffill()" if question in merged else "")
    return {
        name: own if name == question else f"frame[{name!r}]{empty[name]}.groupby({own}).ffill()" for name in merged
    }


def advice_on_documents(columns: Mapping[str, Sequence[Any]], question: str, documents: str) -> Message:
    """Return what to do with a table of one document a row; arguments as of `code_of_samples`."""
    template = (
        "In these data a row is one document ({column}), and a sample is a question with all its documents. "
        "In pandas: {code}; then score samples.jsonl"
    )
    code, remarks = code_of_samples(columns, question, documents)
    return with_remarks(Message(template, documents, code), remarks)


def first_fields(
    names: Iterable[str], tables: Sequence[pa.Table], sources: Mapping[str, str]
) -> dict[str, Sequence[Any]]:
    """Return the columns ``names`` of a source with their first fields in the first of ``tables``, as they were read.

    ``sources``: known column -> its name in the source.
    """
    read = {
        sources.get(name, name): table[name][:_LOOKED_AT].to_pylist()
        for table in tables[:1]
        for name in table.column_names
    }
    return {name: read.get(name, []) for name in names}


def code_of_samples(columns: Mapping[str, Sequence[Any]], question: str, documents: str) -> tuple[str, str]:
    """Return code for pandas that makes samples of rows with one document each, by their question and its answer.

    The second text says what is not certain of it, if anything. ``columns``: header -> first fields, which tell grades
    from scores.

    >>> code_of_samples({"q_id": [], "passage": [], "answer": []}, "q_id", "passage")[0].partition(".to_json")[0]
    "frame.groupby(['q_id', 'answer'], sort=False, dropna=False).agg(contexts=('passage', list)).reset_index()"
    """

    def code(roles: Roles) -> str:
        return _code_of_samples(columns, question, documents, roles)

    roles = roles_in_rows(*_seen(columns, question))
    return code(roles), remarks_on(roles, code)


def _code_of_samples(columns: Mapping[str, Sequence[Any]], question: str, documents: str, roles: Roles) -> str:
    of_ids = bool(names_of_documents([documents])) or known_name(documents) == "retrieved"
    known = "retrieved" if of_ids else "contexts"
    lists = {known: documents, **({"relevance": roles.grade} if roles.grade else {})}
    right = "".join(languages.table("columns")["suggest"]["relevance"].split())
    taken = {documents, roles.grade, question, *roles.fits}
    others = [name for name in columns if name not in taken and known_name(name) is None]
    others = [name for name in others if name.isidentifier() and re.search(right, folded(name))]
    is_relevant = known == "retrieved" and not roles.grade and len(others) == 1
    first = {"relevance" if is_relevant else one: one for one in others}
    made = [f"{name}=({own!r}, list)" for name, own in lists.items()]
    made += [f"{name}=({own!r}, 'first')" for name, own in first.items()]
    made += [f"{name}=({own!r}, list)" for name, own in roles.lists.items() if name not in lists]
    of_answer = [name for name in columns if known_name(name) in _BY[1:] or folded(name) in _ASKED]
    by = list(dict.fromkeys([question, *(name for name in of_answer if name != roles.grade)]))
    return _written(by, made, roles._replace(filled=_filled(columns, question, by)))


def _written(by: Sequence[str], lists: Iterable[str], roles: Roles) -> str:
    """Return code for pandas that writes samples of the rows of each group ``by``."""
    grouped = (
        f".groupby({by if len(by) > 1 else by[0]!r}, sort=False, dropna=False).agg({', '.join(lists)}).reset_index()"
    )
    return f"frame{roles.code}{grouped}.to_json('samples.jsonl', orient='records', lines=True)"


def notes_on_passages(tables: Sequence[pa.Table], sources: Mapping[str, str]) -> list[Message]:
    """Return a note where rows repeat a question and its answer with one other passage, or id of one, each.

    ``sources``: known column -> its name in the source.
    """
    own = {name: sources.get(name, name) for name in SCHEMA}
    others = [name for table in tables[:1] for name in table.column_names if name not in SCHEMA]
    asking = [name for name in others if folded(name) in _ASKED]
    for documents, right in _DOCUMENTS.items():
        by = ["question", *(["answer"] if "answer" in sources else []), *asking]
        parts = [
            table.select([*by, documents])[:_LOOKED_AT].to_pylist()
            for table in tables
            if {*by, documents} <= {*table.column_names}
        ]
        read = list(chain.from_iterable(parts))[:_LOOKED_AT]
        rows = list(accumulate(read, partial(_below, by=by)))
        alone = [row for row in rows if all(row[name] for name in (*by, documents)) and len(row[documents]) == 1]
        by_answer: dict[tuple[str, ...], set[str]] = {}
        for row in alone:
            by_answer.setdefault(tuple(row[name] for name in by), set()).update(row[documents])
        several = [found for found in by_answer.values() if len(found) > 1]
        # Cells are merged where rows were filled: a question without an answer does not change that.
        if not several or (len(alone) < len(rows) and rows == read):
            continue
        if documents == "contexts" and "answer" in by:
            roles, keys = _roles(tables, own, [*(own[name] for name in _by_of(tables, sources)), *asking])
            return [_note_on_passages(len(several), keys, own[documents], roles)]
        if "id" not in sources:
            roles, keys = _roles(tables, own, [own.get(name, name) for name in by])
            lists = {documents: own[documents], **({right: own[right]} if right in sources else {})}
            return [_note_on_documents(len(several), keys, lists, roles)]
    asked = any({"question", "answer", "contexts"} <= {*table.column_names} for table in tables)
    return [] if asked else _notes_on_repeats(tables, own)


def _below(above: Mapping[str, Any], row: Mapping[str, Any], by: Sequence[str]) -> Mapping[str, Any]:
    """Return ``row`` with the fields ``by`` of the row above, where it has none of them: their cells are merged."""
    return {**row, **{name: above[name] for name in by}} if not any(row[name] for name in by) else row


def _by_of(tables: Sequence[pa.Table], sources: Mapping[str, str]) -> list[str]:
    """Return the known columns that are the same in all rows of an answer; an id is none where each row has its own."""
    there = [name for name in _BY if name in sources and all(name in table.column_names for table in tables)]
    ids = [one for table in tables if "id" in there for one in table["id"][:_LOOKED_AT].to_pylist()]
    return [name for name in there if name != "id" or len(set(ids)) < len(ids)]


def _roles(tables: Sequence[pa.Table], own: Mapping[str, str], by: Sequence[str]) -> tuple[Roles, list[str]]:
    """Return what the columns of a row's document are for, and those of ``by`` that are the same in its sample.

    All by their names in the source; `relevance` is the grade.
    """
    read, names = own["relevance"], [own.get(name, name) for name in tables[0].column_names]
    columns, differing = _seen(first_fields(names, tables, own), own["question"])
    if read in columns and grades_of_words(map(str, columns[read])) is None:
        columns[read] = []
    known = {own[name] for name in SCHEMA if name not in ("relevance", "references")}
    roles = roles_in_rows({name: fields for name, fields in columns.items() if name not in known}, differing)
    keys = [name for name in by if name != roles.grade]
    return roles._replace(filled=_filled(columns, own["question"], keys)), keys


def _note_on_documents(questions: int, by: Sequence[str], lists: Mapping[str, str], roles: Roles) -> Message:
    """Return the note that ``questions`` are in several rows, with code that makes one row of each."""
    (documents, own), *right = lists.items()
    once = "lambda ids: list(dict.fromkeys(ids))"
    template = (
        "RG-NOTE-185 {questions} in several rows, with one document each ({documents}), and each row counts as a "
        "sample; where a sample is a question with all its documents, in pandas: {code}; then score samples.jsonl"
    )

    def code(roles: Roles) -> str:
        graded = [] if right else [f"{name}=({at!r}, list)" for name, at in roles.lists.items()]
        return _written(
            list(by),
            [f"{documents}=({own!r}, list)", *(f"{name}=({at!r}, {once})" for name, at in right), *graded],
            roles,
        )

    count = Counted(questions, "question is", "questions are")
    return with_remarks(Message(template, count, own, code(roles)), remarks_on(roles, code))


def _note_on_passages(answers: int, by: Sequence[str], contexts: str, roles: Roles) -> Message:
    """Return the note that ``answers`` are in several rows, with code that makes one row of each."""
    template = (
        "RG-NOTE-116 {answers} in several rows, with one passage each, and each row counts as a sample; where a sample "
        "is an answer with all its passages, in pandas: {code}; then score samples.jsonl"
    )

    def code(roles: Roles) -> str:
        lists = {"contexts": contexts, **roles.lists}
        return _written(list(by), [f"{known}=({name!r}, list)" for known, name in lists.items()], roles)

    count = Counted(answers, "answer is", "answers are")
    return with_remarks(Message(template, count, code(roles)), remarks_on(roles, code))


def _notes_on_repeats(tables: Sequence[pa.Table], own: Mapping[str, str]) -> list[Message]:
    """Return a note where rows without passages repeat the question and the answer of another, and nothing says why.

    ``own``: known column -> its name in the source. A column may hold the passages under a name that is not known.
    """
    names = ("question", "answer")
    having = [table for table in tables if {*names} <= {*table.column_names}]
    if not having or any("repeat" in table.column_names for table in having):
        return []
    there = pa.concat_tables([table[:_LOOKED_AT] for table in having], promote_options="permissive")[:_LOOKED_AT]
    others = {name: there[name].to_pylist() for name in there.column_names if name not in SCHEMA}
    asking = [name for name in others if folded(name) in _ASKED]
    # Samples with ids of their own repeat nothing; where an id comes again, a row may be one passage of an answer.
    asking += ["id"] if "id" in there.column_names else []
    rows = there.select([*names, *asking]).to_pylist()
    asked = [tuple(row.values()) for row in rows if row["question"] and row["answer"]]
    again = len(asked) - len(set(asked))
    passages = next(iter(_names_of_passages(others)), None)
    if again and passages is not None and len(asked) == len(rows):
        by = [*(own[name] for name in _by_of([there], own)), *(own.get(name, name) for name in asking)]
        roles, keys = _roles([there], own, list(dict.fromkeys(by)))
        several = sum(count > 1 for count in Counter(asked).values())
        return [_note_on_passages(several, keys, passages, roles)]
    template = (
        "RG-NOTE-118 {rows} the question and the answer of another one, and each row counts as a sample; if a row is "
        "one passage of an answer, make one row of each answer first"
    )
    told_apart = asking or any(_names_systems(fields, asked) for fields in others.values())
    return [Message(template, Counted(again, "row repeats", "rows repeat"))] if again and not told_apart else []


def _names_systems(fields: Sequence[Any], asked: Sequence[tuple[str, ...]]) -> bool:
    """Return whether texts tell rows of one answer apart and come again in others, as names of systems do."""
    if not _are_texts(fields) or len(set(fields)) * 2 > len(fields) or len(fields) != len(asked):
        return False
    return len(set(zip(asked, fields, strict=True))) == len(asked)
