"""Both kinds of rankings against a reference that sorts everything."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, TypeAlias
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from ragauge.errors import DataError
from ragauge.ranking import ArrowRankings, DictRankings, JudgedRanks, from_arrow, matching
from ragauge.ranking.ranks import ScoreDtype, Ties
from tests.approved import approved

Ranked: TypeAlias = list[tuple[str, float]]
Judged: TypeAlias = dict[str, float]
Query: TypeAlias = tuple[Ranked, Judged]
Row: TypeAlias = dict[str, object]

OPTIONS: Any = {"ties": "docid-desc", "score_dtype": "float64", "duplicates": "error"}
JUDGEMENTS = pa.list_(pa.struct([("id", pa.string()), ("grade", pa.float64())]))

# Few letters and few scores, so that documents meet, tie, share prefixes and are longer than a word of eight bytes.
LETTERS = ["a", "b", "é", "中", "\U0001f600", "aaaaaaaa", "\x00", " "]
DOCUMENTS = st.lists(st.sampled_from(LETTERS), min_size=0, max_size=4).map("".join)
SCORES = st.sampled_from([0.0, -0.0, 1.0, 1.00000001, -2.0, 1e300, 0.1]) | st.floats(allow_nan=False)
GRADES = st.sampled_from([-1.0, 0.0, 0.5, 1.0, 3.0])
TIES = st.sampled_from(["docid-desc", "docid-asc", "input", "mean"])
DTYPES = st.sampled_from(["float64", "float32"])


def queries(unique: bool) -> st.SearchStrategy[list[Query]]:
    by = (lambda pair: pair[0]) if unique else None
    ranked = st.lists(st.tuples(DOCUMENTS, SCORES), max_size=12, unique_by=by)
    return st.lists(st.tuples(ranked, st.dictionaries(DOCUMENTS, GRADES, max_size=6)), max_size=5)


def reference(ranked: Ranked, judged: Judged, ties: Ties, score_dtype: ScoreDtype) -> Row:
    """Sort all documents of one query, drop repeats, and look up the judged ones."""
    with np.errstate(over="ignore"):
        rounded = [(document, float(np.dtype(score_dtype).type(score))) for document, score in ranked]
    if ties.startswith("docid"):
        rounded.sort(key=lambda pair: pair[0].encode(), reverse=ties == "docid-desc")
    rounded.sort(key=lambda pair: -pair[1])
    best = dict(reversed(rounded))
    order = list(dict.fromkeys(document for document, _ in rounded))
    scores = [best[document] for document in order]
    found = [(rank, document) for rank, document in enumerate(order, 1) if document in judged]
    mean = ties == "mean"
    return {
        "ranks": [rank for rank, _ in found],
        "grades": [judged[document] for _, document in found],
        "tie_first": [scores.index(best[document]) + 1 if mean else rank for rank, document in found],
        "tie_size": [scores.count(best[document]) if mean else 1 for _, document in found],
        "retrieved": len(order),
        "judged": sorted(judged.values(), reverse=True),
    }


def rows(ranks: JudgedRanks) -> list[Row]:
    cut = ranks.ranks.offsets.tolist()
    return [
        {
            "ranks": ranks.ranks[i].tolist(),
            "grades": ranks.grades[cut[i] : cut[i + 1]].tolist(),
            "tie_first": ranks.tie_first[cut[i] : cut[i + 1]].tolist(),
            "tie_size": ranks.tie_size[cut[i] : cut[i + 1]].tolist(),
            "retrieved": int(ranks.retrieved[i]),
            "judged": ranks.judged[i].tolist(),
        }
        for i in range(len(ranks))
    ]


def arrow(given: list[Query], *, scored: bool = True, large: bool = False) -> ArrowRankings:
    text, lists = (pa.large_string(), pa.large_list) if large else (pa.string(), pa.list_)
    retrieved = [[document for document, _ in ranked] for ranked, _ in given]
    scores = [[score for _, score in ranked] for ranked, _ in given]
    relevance = [[{"id": document, "grade": grade} for document, grade in judged.items()] for _, judged in given]
    return ArrowRankings(
        ids=pa.array([f"q{i}" for i in range(len(given))], pa.string()),
        retrieved=pa.array(retrieved, lists(text)),
        scores=pa.array(scores, lists(pa.float64())) if scored else None,
        relevance=pa.array(relevance, JUDGEMENTS),
    )


def dicts(given: list[Query]) -> DictRankings:
    return DictRankings(
        {f"q{i}": dict(ranked) for i, (ranked, _) in enumerate(given)},
        {f"q{i}": judged for i, (_, judged) in enumerate(given)},
    )


def at_once() -> st.SearchStrategy[dict[str, Any]]:
    """How many pairs, and how many bytes of them, are compared at once."""
    return st.sampled_from([{}, {"_PAIRS_AT_ONCE": 1}, {"_PAIRS_AT_ONCE": 3}, {"_BYTES_AT_ONCE": 20}])


@given(queries(unique=False), TIES, DTYPES, st.booleans(), st.sampled_from([0, from_arrow._PAIRS, 100]), at_once())
def test_arrow_is_the_reference(
    samples: list[Query], ties: Ties, score_dtype: ScoreDtype, large: bool, pairs: int, limits: dict[str, Any]
) -> None:
    with mock.patch.multiple(from_arrow, _PAIRS=pairs, **limits):
        ranks = arrow(samples, large=large).judged(ties=ties, score_dtype=score_dtype, duplicates="first")
    assert rows(ranks) == [reference(*sample, ties, score_dtype) for sample in samples]


@pytest.mark.parametrize("pairs", [0, 100])
@pytest.mark.parametrize("ties", ["docid-desc", "docid-asc"])
def test_ids_that_begin_alike(ties: Ties, pairs: int) -> None:
    ids = ["a", "a\x00", "", "a\x00\x00", "aaaaaaaa", "aaaaaaaa\x00", "aaaaaaaab", "\x00", "a\x01", "é"]
    sample = [(document, 1.0) for document in ids], dict.fromkeys(ids[::2], 1.0)
    with mock.patch.object(from_arrow, "_PAIRS", pairs):
        ranks = arrow([sample]).judged(ties=ties, score_dtype="float64", duplicates="error")
    assert rows(ranks) == [reference(*sample, ties, "float64")]


@given(queries(unique=True), TIES, DTYPES)
def test_dicts_are_the_reference(samples: list[Query], ties: Ties, score_dtype: ScoreDtype) -> None:
    ranks = dicts(samples).judged(ties=ties, score_dtype=score_dtype, duplicates="error")
    assert rows(ranks) == [reference(*sample, ties, score_dtype) for sample in samples]


@given(queries(unique=True), TIES)
def test_without_scores_the_order_is_the_ranking(samples: list[Query], ties: Ties) -> None:
    placed: list[Query] = [([(document, -i) for i, (document, _) in enumerate(ranked)], j) for ranked, j in samples]
    ranks = arrow(samples, scored=False).judged(ties=ties, score_dtype="float32", duplicates="error")
    assert rows(ranks) == [reference(*sample, ties, "float64") for sample in placed]


@given(queries(unique=False), TIES)
def test_hashes_that_always_collide_change_nothing(samples: list[Query], ties: Ties) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matching, "spread", lambda values: values * np.uint64(0))
        ranks = arrow(samples).judged(ties=ties, score_dtype="float64", duplicates="first")
    assert rows(ranks) == [reference(*sample, ties, "float64") for sample in samples]


@pytest.mark.parametrize("lengths", [[40_000], [3, 20_000, 0, 17_000, 1], [10] * 5000])
def test_rankings_of_any_size(lengths: list[int]) -> None:
    random = np.random.default_rng(3)
    samples: list[Query] = []
    for length in lengths:
        scores = np.round(random.random(length) * length / 3)
        ids = [f"document-{i}" for i in random.permutation(length)]
        samples.append((list(zip(ids, scores.tolist(), strict=True)), {"document-2": 1.0, "document-77": 2.0}))
    expected = [reference(*sample, "docid-desc", "float64") for sample in samples]
    assert rows(arrow(samples).judged(**OPTIONS)) == expected
    assert rows(dicts(samples).judged(**OPTIONS)) == expected


def test_float32_ranks_as_pytrec_eval_does() -> None:
    random = np.random.default_rng(5)
    run = {
        f"q{q}": {f"d{d}": float(1 + s * 1e-8) for d, s in zip(random.permutation(60), random.random(60), strict=True)}
        for q in range(40)
    }
    qrels = {f"q{q}": {f"d{d}": 1 for d in random.choice(60, 5, replace=False)} for q in range(40)}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank"}).evaluate(run)
    ranks = DictRankings(run, qrels).judged(ties="docid-desc", score_dtype="float32", duplicates="error")
    assert [1 / ranks.ranks[i][0] for i in range(40)] == [theirs[query]["recip_rank"] for query in qrels]


def test_chunks_slices_and_null_rows() -> None:
    whole = arrow([([("a", 2.0), ("b", 1.0)], {"b": 1.0}), ([("c", 1.0)], {"c": 2.0}), ([], {"z": 1.0})])
    expected = rows(whole.judged(**OPTIONS))

    def cut(column: pa.Array) -> pa.ChunkedArray:
        return pa.chunked_array([pa.concat_arrays([column[2:], column[:1]])[1:], column[1:2], pa.nulls(1, column.type)])

    ids = pa.array(["q0", "q1", "q2"])
    columns = [cut(column) for column in (whole.retrieved, whole.scores, whole.relevance)]
    assert rows(ArrowRankings(ids, *columns).judged(**OPTIONS))[:2] == expected[:2]
    assert rows(ArrowRankings(ids, *columns).judged(**OPTIONS))[2]["judged"] == []


def test_no_query_at_all() -> None:
    assert rows(arrow([]).judged(**OPTIONS)) == []
    assert rows(DictRankings({"q": {"a": 1.0}}, {}).judged(**OPTIONS)) == []


def test_a_query_without_run_or_judgements_stays() -> None:
    ranks = DictRankings({"q1": {"a": 1.0}}, {"q1": {}, "q2": {"a": 1}}).judged(**OPTIONS)
    assert [(row["retrieved"], row["judged"]) for row in rows(ranks)] == [(1, []), (0, [1.0])]


def test_a_judgement_given_again_counts_once() -> None:
    rankings = arrow([([("a", 1.0)], {"a": 1.0})])
    again = pa.array([[{"id": "a", "grade": 1.0}] * 2], JUDGEMENTS)
    ranks = ArrowRankings(rankings.ids, rankings.retrieved, rankings.scores, again).judged(**OPTIONS)
    assert rows(ranks)[0]["judged"] == [1.0]


def message(rankings: ArrowRankings | DictRankings) -> str:
    with pytest.raises(DataError) as raised:
        rankings.judged(**OPTIONS)
    return str(raised.value)


def test_duplicates_are_listed_judged_or_not() -> None:
    repeated: Ranked = [("a", 3.0), ("b", 2.0), ("a", 1.0), ("c", 0.5), ("c", 0.4), ("c", 0.3)]
    assert message(arrow([(repeated, {"b": 1.0}), ([("d", 1.0), ("d", 1.0)], {})])) == (
        approved("ranking.retrieved_problems_query_q_document_a_is")
    )


def test_contradicting_judgements() -> None:
    rankings = arrow([([("a", 1.0)], {})])
    relevance = pa.array([[{"id": "a", "grade": 1.0}, {"id": "a", "grade": 0.5}]], JUDGEMENTS)
    assert message(ArrowRankings(rankings.ids, rankings.retrieved, rankings.scores, relevance)) == (
        approved("ranking.relevance_query_q_document_a_is_judged")
    )


@pytest.mark.parametrize("scores", [[None, [1.0, 2.0]], [None, None]])
def test_a_query_without_scores_ranks_as_given(scores: list[list[float] | None]) -> None:
    rankings = ArrowRankings(
        ids=pa.array(["q0", "q1"]),
        retrieved=pa.array([["a", "b"], ["a", "b"]]),
        scores=pa.array(scores, pa.list_(pa.float64())),
        relevance=pa.array([[{"id": "a", "grade": 1.0}]] * 2),
    )
    assert rankings.judged(**OPTIONS).ranks.to_lists() == [[1], [2] if scores[1] else [1]]


def test_scores_and_documents_of_different_number() -> None:
    rankings = arrow([([("a", 1.0)], {})])
    scores = pa.array([[1.0, 2.0]])
    assert message(ArrowRankings(rankings.ids, rankings.retrieved, scores, rankings.relevance)) == (
        approved("ranking.retrieved_scores_query_q_has_documents_and")
    )


def test_nulls_and_nans_within_lists() -> None:
    ids, documents, scores = pa.array(["q0"]), pa.array([["a"]]), pa.array([[1.0]])
    relevance = pa.array([[]], JUDGEMENTS)
    null = pa.array([[None]], pa.list_(pa.string()))
    assert message(ArrowRankings(ids, null, scores, relevance)) == approved("ranking.retrieved_query_q_has_a_null_in")
    nan = pa.array([[float("nan")]])
    assert message(ArrowRankings(ids, documents, nan, relevance)) == approved("ranking.scores_hold_nan")
    ungraded = pa.array([[{"id": "a", "grade": None}]], JUDGEMENTS)
    assert "query 'q0' has a null grade in its list" in message(ArrowRankings(ids, documents, scores, ungraded))


@pytest.mark.parametrize("score", [float("nan"), None, "high", 10**400])
def test_dict_scores_that_are_no_numbers(score: Any) -> None:
    run: dict[str, Any] = {"q": {"a": Fraction(1, 3), "b": score}}
    first, second = message(DictRankings(run, {"q": {"a": 1}})).splitlines()
    assert first == f"run: query 'q', document 'b': score {repr(score)[:60]} is not a number"
    assert second.startswith(
        "Give each document a number as its score; where texts hold them: run = {query: {document: "
    )


def test_texts_are_numbers_as_the_error_says() -> None:
    given: dict[str, Any] = {"run": {"q": {"a": "0.9", "b": "1e-3"}}, "qrels": {"q": {"b": "3"}}}
    for name in ("run", "qrels"):
        code = message(DictRankings(given["run"], given["qrels"])).partition("where texts hold them: ")[2]
        assert code.startswith(f"{name} = ")
        exec(code, given)  # noqa: S102 - what the user would type
    assert (given["run"], given["qrels"]) == ({"q": {"a": 0.9, "b": 0.001}}, {"q": {"b": 3}})


@pytest.mark.parametrize(
    ("run", "qrels", "expected"),
    [
        ({"q": {7: 1.0}}, {"q": {"7": 1}}, "run: query 'q': document 7: a document id must be a string"),
        ({7: {"a": 1.0}}, {"7": {"a": 1}}, "run: query 7: a query id must be a string"),
        ({"q": {"7": 1.0}}, {"q": {7: 1}}, "qrels: query 'q': document 7: a document id must be a string"),
        ({"q": {"a": 1.0, 7: 1.0}}, {"q": {"a": 1}}, "run: query 'q': document 7: a document id must be a string"),
        ({"q": None}, {"q": {"a": 1}}, "run: query 'q' must have a dict; got None"),
        ({"q": {"a": 1.0}}, {"q": ["a"]}, "qrels: query 'q' must have a dict; got ['a']"),
    ],
)
def test_dicts_of_other_types(
    run: Mapping[str, dict[str, float]], qrels: Mapping[str, dict[str, float]], expected: str
) -> None:
    assert message(DictRankings(run, qrels)).startswith(expected)


def test_ranking_again_under_other_options_is_independent() -> None:
    rankings = arrow([([("a", 1.0), ("b", 1.0)], {"a": 1.0})])
    assert rankings.judged(**OPTIONS).ranks.to_lists() == [[2]]
    assert rankings.judged(**{**OPTIONS, "ties": "input"}).ranks.to_lists() == [[1]]
    assert rankings.judged(**OPTIONS).ranks.to_lists() == [[2]]
