"""Equal to the expected outputs of trec_eval 10's own tests to their 4 decimals, and to published figures."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from ragauge.core.batch import Batch
from ragauge.core.ragged import FloatArray
from ragauge.metrics.parse import parse
from tests.metrics.retrieval.rankings import by_ids, mean, scores
from tests.parity.shared import Table, place, qrels_of, run_of

CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
TENTHS = [f"{tenth / 10:.2f}" for tenth in range(11)]

# Measure of trec_eval -> ours; the commands' parameters are in MEASURES too.
MEASURES = {
    "map": "map",
    "ndcg": "ndcg",
    "recip_rank": "mrr",
    "Rprec": "r-precision",
    "bpref": "bpref",
    "set_P": "precision",
    "set_recall": "recall",
    "set_F": "f1",
    "11pt_avg": "iprec",
    "infAP": "infap",
    "gm_map": "gm-map",
    "ndcg_1=3,2=9,4=4.5": "ndcg:gain=1:3/2:9/4:4.5",
    **{f"map_cut_{k}": f"map@{k}" for k in CUTOFFS},
    **{f"ndcg_cut_{k}": f"ndcg@{k}" for k in (*CUTOFFS, 23)},
    **{f"P_{k}": f"precision@{k}" for k in (*CUTOFFS, 3, 7)},
    **{f"recall_{k}": f"recall@{k}" for k in (*CUTOFFS, 2000)},
    **{f"success_{k}": f"hit-rate@{k}" for k in (1, 2, 5, 10, 20)},
    **{f"iprec_at_recall_{level}": f"iprec@{level}" for level in (*TENTHS, "0.25", "0.75")},
}

# Measures of the outputs that have no counterpart here. rbp: with grades of 0 and 1 alone, trec_eval's rescaled gains
# are the binary ones; with others (-l2 on qrels.rel_level) it is another measure, and is absent there.
ABSENT = (
    "runid", "num_", "gm_bpref", "Rprec_mult", "utility", "binG", "G", "ndcg_rel", "Rndcg", "relative_P",
    "set_relative_P", "set_map", "relstring",
)  # fmt: skip

# Output -> run, qrels, level, and how many documents are kept.
COMMANDS: dict[str, tuple[str, str, int, int | None]] = {
    "out.test": ("results.test", "qrels.test", 1, None),
    "out.test.a": ("results.test", "qrels.test", 1, None),
    "out.test.aq": ("results.test", "qrels.test", 1, None),
    "out.test.aqc": ("results.trunc", "qrels.test", 1, None),
    "out.test.aqcM": ("results.trunc", "qrels.test", 1, 100),
    "out.test.aql": ("results.test", "qrels.rel_level", 2, None),
    "out.test.meas_params": ("results.test", "qrels.test", 1, None),
}


def ours(batch: Batch, level: int) -> dict[str, Callable[[], FloatArray]]:
    """Every measure that we have, as the scores of the queries."""
    found: dict[str, Callable[[], FloatArray]] = {
        theirs: partial(scores, f"{spec}{',' if ':' in spec else ':'}level={level}", batch)
        for theirs, spec in MEASURES.items()
    }
    found |= {f"unj_{k}": partial(unjudged, batch, k) for k in (5, 10, 20)}
    found["11pt_avg_.25,.5,.75"] = lambda: np.mean([scores(f"iprec@{r}", batch) for r in (0.25, 0.5, 0.75)], axis=0)
    # Of a query that the run lacks trec_eval says 0, and we that nothing is known.
    found["rbp_resid"] = lambda: scores("rbp-residual:p=.9", batch) * np.array(batch.column("in_run"), dtype=bool)
    if level == 1:
        found["rbp"] = partial(scores, "rbp:p=.9", batch)
    return found


def unjudged(batch: Batch, k: int) -> FloatArray:
    """trec_eval divides by k; judged@k and the part of nDCG by the documents that there are."""
    rows = parse(f"ndcg@{k}").measure(batch)
    full = rows["depth"] == k
    np.testing.assert_allclose(1 - scores(f"judged@{k}", batch)[full], rows["unjudged"][full] / k)
    return rows["unjudged"] / k


def kept(run: Table, documents: int | None) -> Table:
    ranked = {
        query: sorted(row, key=lambda name: (row[name], name.encode()), reverse=True) for query, row in run.items()
    }
    return {query: {name: run[query][name] for name in row[:documents]} for query, row in ranked.items()}


@pytest.mark.parametrize("output", COMMANDS)
def test_expected_outputs(output: str) -> None:
    data = place("trec_eval")
    results, judgements, level, documents = COMMANDS[output]
    qrels = qrels_of(data / judgements)
    batch = by_ids(kept(run_of(data / results), documents), qrels)
    measures = ours(batch, level)
    queries = list(qrels)
    compared = 0
    for line in (data / output).read_text().splitlines():
        measure, query, value = line.split(maxsplit=2)
        if measure not in measures:
            assert measure.startswith(ABSENT) or (measure == "rbp" and level == 2), measure
            continue
        found = measures[measure]()
        over_all = np.exp(np.log(found).mean()) if measure == "gm_map" else found.mean()
        found = over_all if query == "all" else found[queries.index(query)]
        assert f"{found:.4f}" == value, line
        compared += 1
    assert compared > 20


def test_robust03_figures() -> None:
    data = place("robust03")
    batch = by_ids(run_of(data / "input.uic0301.gz"), qrels_of(data / "qrels_cs.txt.gz"))
    assert [f"{mean(metric, batch):.4f}" for metric in ("map", "mrr", "recall@1000")] == ["0.2396", "0.6466", "0.7518"]


@pytest.mark.parametrize(("run", "figures"), [
    ("bm25", ["0.4580", "0.7020"]),
    ("multilingual-e5-small", ["0.4917", "0.7291"]),
])  # fmt: skip
def test_jqara_figures(run: str, figures: list[str]) -> None:
    data = place("jqara")
    batch = by_ids(run_of(data / f"{run}.trec.gz"), qrels_of(data / "qrels.trec"))
    assert [f"{mean(metric, batch):.4f}" for metric in ("ndcg@10", "mrr@10")] == figures


@pytest.mark.parametrize("run", ["uic0301", "rutcor03100", "pircRBa1"])
@pytest.mark.parametrize("qrels", ["qrels", "qrels_cs"])
def test_robust03_bits(run: str, qrels: str) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    data = place("robust03")
    retrieved, judged = run_of(data / f"input.{run}.gz"), qrels_of(data / f"{qrels}.txt.gz")
    batch = by_ids(retrieved, judged)
    names = {"map": "map", "ndcg": "ndcg", "recip_rank": "mrr", "bpref": "bpref", "Rprec": "r-precision"}
    whole = {query: {name: int(grade) for name, grade in row.items()} for query, row in judged.items()}
    expected = pytrec_eval.RelevanceEvaluator(whole, set(names)).evaluate(retrieved)
    for theirs, spec in names.items():
        found = dict(zip(judged, scores(f"{spec}:score_dtype=float32", batch).tolist(), strict=True))
        assert {query: found[query] for query in expected} == {query: row[theirs] for query, row in expected.items()}
