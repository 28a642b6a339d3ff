"""Read a run and its relevance judgements, from files or dicts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeGuard

import numpy as np
import pyarrow as pa

from ragauge.core import compute as pc
from ragauge.core.arrow import filled, to_arrow, to_numpy, whole
from ragauge.core.batch import Batch, Dataset, concatenated
from ragauge.core.messages import Counted, Joined, Message
from ragauge.core.ragged import BoolArray, IntArray, listed
from ragauge.errors import ColumnError, DataError
from ragauge.formats.column_names import known_name
from ragauge.formats.convert import known_column
from ragauge.formats.reading import read
from ragauge.formats.rows import Batches
from ragauge.formats.runs import as_scores, query_ids, read_qrels, read_run, run_columns
from ragauge.ranking import ArrowRankings, DictRankings

Scores: TypeAlias = Mapping[str, Mapping[str, float]]
"""Query id -> document id -> score, or grade."""
PathOrScores: TypeAlias = "str | PathLike[str] | Scores | Any"
"""A path, scores, or a table or rows with a query, a document and a number each."""
_OF_THE_RUN = frozenset({"id", "retrieved", "retrieved_scores", "relevance", "in_run"})
_QUERIES = ("queries.jsonl", "queries.jsonl.gz", "queries.jsonl.zst")


def read_retrieval(
    run: Any,
    qrels: Any,
    *,
    data: Any = None,
    mapping: Mapping[str, str] | None = None,
    limit: int | None = None,
    format: str | None = None,  # noqa: A002 - as in `read`
    encoding: str | None = None,
) -> Dataset:
    """Read a run and relevance judgements, one row a judged query.

    Args:
        run: a path (TREC run, or JSON), or query id -> document id -> score, or query id -> ids in rank order; a Run
            of ranx; or a table or objects with a query, a document and a score each (PyTerrier, ir_measures).
        qrels: a path (TREC qrels, BEIR's ``qrels/test.tsv``, or JSON), or query id -> document id -> grade, or query
            id -> ids of relevant documents; Qrels of ranx; or a table or objects (also of MTEB and ir_datasets).
        data: rows with further columns of the queries, whose ``id`` is the query's; anything that `read` takes; or
            query id -> question, as BEIR and MTEB hold their queries.
        mapping: for ``data``, as in `read`.
        limit: the greatest number of judged queries to read.
        format: of ``data``, as in `read`.
        encoding: of ``data``, as in `read`.

    Returns:
        Columns ``id``, ``retrieved``, ``retrieved_scores``, ``relevance`` and ``in_run``, which is false where the
        run lacks the query; ``question`` where the judgements are in a BEIR folder; and those of ``data``. The notes
        count queries and rows without a match.

    Raises:
        DataError: a file is wrong, or no judged query is in the run.
        ColumnError: ``data`` have no ids.

    >>> data = read_retrieval({"q1": {"d1": 0.5}}, {"q1": {"d1": 1}, "q2": {"d7": 1}})
    >>> data.rows, data.notes
    (2, ('1 judged query is not in the run',))
    """
    run, qrels = as_scores(run), as_scores(qrels)
    name = Joined([_name(run, "run"), _name(qrels, "qrels")], " and ")
    if _is_scores(run) and _is_scores(qrels):
        paired = _paired_dicts(run, qrels, name, limit)
    else:
        paired = _paired_tables(read_run(run), read_qrels(qrels), name, limit)
    table = paired.table
    notes: tuple[str, ...] = ()
    questions = queries_beside(qrels) if isinstance(qrels, str | PathLike) else None
    if questions is not None:
        # Most queries of a BEIR folder may be without judgements.
        table, notes = _joined(table, questions, "queries.jsonl", all_judged=False)
    if data is None:
        return Dataset.of(paired.batch(table), name, notes=(*paired.notes, *notes))
    rows = read(_as_rows(data), mapping=mapping, format=format, encoding=encoding)
    table, joined_notes = _joined(table, _with_own_ids(rows), "the data")
    notes = (*paired.notes, *notes, *rows.notes, *joined_notes)
    return Dataset.of(paired.batch(table), name, mapping=rows.mapping, notes=notes)


def _name(source: PathOrScores, kind: str) -> str:
    if isinstance(source, Mapping):
        return f"{kind} (dict)"
    return fspath(source) if isinstance(source, str | PathLike) else f"{kind} ({type(source).__name__})"


def _as_rows(data: Any) -> Any:
    """Return query id -> question, as BEIR and MTEB hold queries, as rows; anything else as it is."""
    if not isinstance(data, Mapping) or not data or not all(isinstance(one, str) for one in data.values()):
        return data
    if any(known_name(str(name)) for name in data):
        return data
    return [{"id": query, "question": question} for query, question in data.items()]


def _is_scores(source: PathOrScores) -> TypeGuard[Scores]:
    """Return whether each query has a dict; lists of ids are converted as fields of a file are."""
    return isinstance(source, Mapping) and all(issubclass(kind, Mapping) for kind in set(map(type, source.values())))


class _Paired(NamedTuple):
    """The judged queries as a table, and the function that makes a batch of it once it has all its columns."""

    table: pa.Table
    notes: tuple[str, ...]
    batch: Callable[[pa.Table], Batch]


def _paired_dicts(run: Scores, qrels: Scores, name: str, limit: int | None) -> _Paired:
    """Rank from the dicts themselves; Arrow columns are made of them when something reads them."""
    in_run = list(map(run.__contains__, qrels))
    present = in_run.count(True)
    notes = _notes(len(in_run) - present, len(run) - present)
    _refuse_disjoint(present > 0, run, qrels, name)
    judged = dict(qrels) if limit is None else dict(islice(qrels.items(), limit))
    table = pa.table({"id": query_ids(judged, "qrels (dict)"), "in_run": to_arrow(in_run[:limit])})
    ranked = DictRankings(run, judged)

    def retrieved(most: int | None) -> dict[str, pa.Array]:
        return run_columns([run.get(query, {}) for query in islice(judged, most)])[0]

    lazy = {
        "retrieved": lambda most: retrieved(most)["retrieved"],
        "retrieved_scores": lambda most: retrieved(most)["retrieved_scores"],
        "relevance": lambda most: known_column("relevance", list(islice(judged.values(), most)), "qrels")[0][
            "relevance"
        ],
    }
    return _Paired(table, notes, lambda columns: Batch(columns, lazy=lazy).given("rankings", ranked))


def _paired_tables(run: pa.Table, qrels: pa.Table, name: str, limit: int | None) -> _Paired:
    table, counts = join(run, qrels)
    missing, unjudged = counts["missing_queries"], counts["unjudged_queries"]
    _refuse_disjoint(missing < len(table), run["id"][:1].to_pylist(), qrels["id"][:1].to_pylist(), name)

    def ranked(table: pa.Table) -> Batch:
        columns = (table[column] for column in ("id", "retrieved", "retrieved_scores", "relevance"))
        return Batch(table).given("rankings", ArrowRankings(*columns))

    notes = _notes(missing, unjudged)
    if "subtopics" in table.column_names:
        notes = (*notes, Message("RG-NOTE-110 the judgements are by subtopic; the grade of a document is its highest"))
    return _Paired(table.slice(0, limit), notes, ranked)


def join(run: pa.Table, qrels: pa.Table) -> tuple[pa.Table, dict[str, int]]:
    """Join a run and judgements to one row a judged query, in the order of ``qrels``; in one order, nothing is copied.

    ``in_run`` is false where the run lacks the query, which then retrieved nothing. Also returned are the numbers of
    these queries (``missing_queries``), and of those that have no judgements and are left out (``unjudged_queries``).
    """
    rows = pc.index_in(qrels["id"], value_set=run["id"])
    in_run = pc.is_valid(rows).combine_chunks()
    present = to_numpy(in_run)
    used = to_numpy(rows.drop_null()).astype(np.int64)
    table = pa.table(
        {
            "id": qrels["id"],
            "retrieved": _spread(run["retrieved"], used, present),
            "retrieved_scores": _spread(run["retrieved_scores"], used, present),
            **{name: qrels[name] for name in qrels.column_names if name != "id"},
            "in_run": in_run,
        }
    )
    return table, {"missing_queries": int((~present).sum()), "unjudged_queries": len(run) - len(used)}


def _spread(column: pa.ChunkedArray, used: IntArray, present: BoolArray) -> pa.Array:
    """Return the lists at ``used`` as the rows that are ``present``; the others are empty, and null stays null."""
    lists = whole(column)
    start = int(used[0]) if len(used) else 0
    adjoining = np.array_equal(used, np.arange(start, start + len(used)))
    lists = lists.slice(start, len(used)) if adjoining else lists.take(to_arrow(used))
    lengths = np.zeros(len(present), dtype=np.int64)
    lengths[present] = to_numpy(filled(pc.list_value_length(lists), 0))
    unscored = np.zeros(len(present), dtype=bool)
    unscored[present] = to_numpy(lists.is_null())
    return listed(lists.flatten(), lengths, unscored if lists.null_count else None)


def _notes(missing: int, unjudged: int) -> tuple[str, ...]:
    were = "was" if unjudged == 1 else "were"
    return (
        *_note("RG-NOTE-006 {judged} not in the run", Counted(missing, "judged query is", "judged queries are")),
        *_note(
            "RG-NOTE-007 {n} no judgements and {were} left out",
            Counted(unjudged, "run query has", "run queries have"),
            were,
        ),
    )


def _note(template: str, count: Counted, *values: str) -> tuple[str, ...]:
    """Return a note, or none where its count is 0."""
    return (Message(template, count, *values),) if count.parts[0] else ()


def _refuse_disjoint(shared: bool, run: Iterable[str], qrels: Iterable[str], name: str) -> None:  # noqa: FBT001
    """Raise DataError where a run and judgements share no query, or one of them is empty."""
    first, judged = next(iter(run), None), next(iter(qrels), None)
    if first is None or judged is None:
        raise DataError(
            "RG-DATA-048 {name}: there is no query in the {what}; give at least one",
            name,
            "run" if first is None else "judgements",
        )
    if not shared:
        template = (
            "RG-DATA-049 {name}: no judged query is in the run: the run has for instance query {first!r}, and "
            "the judgements {judged!r}; both must name queries in the same way"
        )
        raise DataError(template, name, first, judged)


def _joined(table: pa.Table, rows: pa.Table, name: str, *, all_judged: bool = True) -> tuple[pa.Table, tuple[str, ...]]:
    """Add the columns of ``rows`` to ``table``, one row a judged query, by id; null where a query has no row.

    They replace columns of the same name, but not those of the run. ``all_judged``: other rows are worth a note.
    """
    places = pc.index_in(table["id"], value_set=rows["id"])
    for column in rows.column_names:
        if column not in _OF_THE_RUN:
            kept = table.drop_columns([column]) if column in table.column_names else table
            table = kept.append_column(column, rows[column].take(places))
    lacking = places.null_count
    left = len(rows) - pc.count_distinct(places, mode="only_valid").as_py() if all_judged else 0
    return table, (
        *_note("RG-NOTE-008 {judged} not in {name}", Counted(lacking, "judged query is", "judged queries are"), name),
        *_note("RG-NOTE-009 left out {rows} of {name} whose id is no judged query's", Counted(left, "row"), name),
    )


def _with_own_ids(data: Dataset) -> pa.Table:
    """Return all rows of ``data``; ColumnError where they have no ids of their own."""
    if isinstance(data.batches, Batches) and not data.batches.has_own_ids:
        raise ColumnError(
            "RG-DATA-051 {source}: beside a run and qrels, rows need a column id with the ids of the queries",
            data.source,
        )
    return concatenated(data.batches()).table()


def queries_beside(qrels: str | PathLike[str]) -> pa.Table | None:
    """Read ``id`` and ``question`` of the BEIR folder of a file of judgements; None if it is not in one.

    >>> queries_beside("qrels.txt") is None
    True
    """
    folder = Path(qrels).parent
    paths = (folder.parent / name for name in _QUERIES)
    path = next((path for path in paths if path.is_file()), None) if folder.name == "qrels" else None
    if path is None:
        return None
    data = read(path, mapping={"id": "_id", "question": "text"})
    return pa.concat_tables(batch.table().select(["id", "question"]) for batch in data.batches())
