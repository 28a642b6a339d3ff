"""The drop-in beside pytrec-eval-terrier 0.5.11: equal to the last bit."""

from __future__ import annotations

import re

import pytest

from ragauge.compat import pytrec_eval as ours
from ragauge.errors import DataError
from tests.parity.shared import Table, place, qrels_of, run_of
from tests.parity.test_pytrec_eval import random_run
from tests.parity.test_trec_eval import COMMANDS, kept

pytrec_eval = pytest.importorskip("pytrec_eval")

QRELS = {"q1": {"d1": 0, "d2": 1, "d3": 0}, "q2": {"d2": 1, "d3": 1}}
RUN = {"q1": {"d1": 1.0, "d2": 0.0, "d3": 1.5}, "q2": {}}


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("judged_only", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_every_measure(seed: int, judged_only: bool, level: int) -> None:
    run, qrels = random_run(seed)
    expected = pytrec_eval.RelevanceEvaluator(qrels, ours.supported_measures, level, judged_only).evaluate(run)
    found = ours.RelevanceEvaluator(qrels, ours.supported_measures, level, judged_only).evaluate(run)
    # Of a ranking without a document, trec_eval 9 divides 0 by 0 for some of these.
    nothing = {query for query, row in expected.items() if row["num_ret"] == 0}
    assert found.keys() == expected.keys()
    for query, row in expected.items():
        names = [name for name in row if query not in nothing or not name.startswith(("iprec", "11pt"))]
        assert found[query].keys() == row.keys()
        assert {name: found[query][name] for name in names} == {name: row[name] for name in names}


@pytest.mark.parametrize(
    "measures",
    [
        {"ndcg_cut.3"}, {"ndcg_cut_1", "P"}, ["ndcg_cut", "ndcg_cut.1,4", "ndcg_cut_20,4", "recall.1000", "P"], set(),
        {"iprec_at_recall.0.35"}, {"success"}, {"map", "gm_map", "utility"}, {"P", "P.1,3"}, {"P", "P_1", "P.3", "map"},
        {"set_F.2"}, {"set_F_0.5", "set_F"}, {"set_F.2", "set_F_0.5"}, {"set_F.10,9"}, {"set_F.0", "infAP"},
        {"P.20", "P_3"},
    ],
)  # fmt: skip
def test_names_of_measures(measures: set[str]) -> None:
    expected = pytrec_eval.RelevanceEvaluator(QRELS, measures).evaluate(RUN)
    found = ours.RelevanceEvaluator(QRELS, measures).evaluate(RUN)
    assert found == expected
    assert ours.__version__ == pytrec_eval.__version__


@pytest.mark.parametrize("nickname", ["official", "set", "all_trec"])
def test_nicknames_stand_for_what_is_supported(nickname: str) -> None:
    supported = set(pytrec_eval.supported_nicknames[nickname]) & ours.supported_measures
    assert ours.supported_nicknames[nickname] == supported
    assert ours.supported_measures < set(pytrec_eval.supported_measures)


def test_empty_runs_and_judgements() -> None:
    assert ours.RelevanceEvaluator(QRELS, {"map"}).evaluate({}) == {}
    assert ours.RelevanceEvaluator({}, {"map"}).evaluate(RUN) == {}
    assert ours.RelevanceEvaluator({"q1": {}}, {"map"}).evaluate(RUN) == {}
    assert ours.RelevanceEvaluator(QRELS, set()).evaluate(RUN) == {"q1": {}, "q2": {}}


def test_an_evaluator_can_be_used_again() -> None:
    evaluator = ours.RelevanceEvaluator(QRELS, {"ndcg_cut.1,1000"})
    assert evaluator.evaluate(RUN) == evaluator.evaluate(RUN)


@pytest.mark.parametrize("grade", range(-3, 3))
@pytest.mark.parametrize("level", [1, 2])
def test_documents_without_a_judgement_in_inferred_precision(grade: int, level: int) -> None:
    qrels = {"q": {"a": 2, "b": 0, "c": grade, "d": 2}, "none": {"a": 1, "b": 0}}
    run = {query: {name: float(-at) for at, name in enumerate("xcbayd")} for query in qrels}
    run["none"] = {"x": 1.0}
    expected = pytrec_eval.RelevanceEvaluator(qrels, {"infAP", "set_F.3"}, level).evaluate(run)
    assert ours.RelevanceEvaluator(qrels, {"infAP", "set_F.3"}, level).evaluate(run) == expected


@pytest.mark.parametrize("output", COMMANDS)
def test_expected_outputs_of_trec_eval(output: str) -> None:
    """The numbers of trec_eval 10's own tests to their 4 decimals; trec_eval 9 rounds levels of recall otherwise."""
    data = place("trec_eval")
    results, judgements, level, documents = COMMANDS[output]
    qrels = {
        query: {name: int(grade) for name, grade in row.items()} for query, row in qrels_of(data / judgements).items()
    }
    run: Table = {query: {} for query in qrels} | kept(run_of(data / results), documents)
    compared = ours.supported_measures - {"iprec_at_recall", "11pt_avg"}
    lines = [line.split() for line in (data / output).read_text().splitlines()]
    known = [(*line, value) for *line, value in lines if _without_parameters(line[0]) in compared]
    found = ours.RelevanceEvaluator(qrels, {measure for measure, _, _ in known}, level).evaluate(run)
    for measure, query, value in known:
        values = [row[measure] for row in found.values()] if query == "all" else [found[query][measure]]
        number = ours.compute_aggregated_measure(measure, values) if query == "all" else values[0]
        assert float(value) == pytest.approx(number, abs=5.1e-5), (measure, query)
    assert len(known) >= 18


def _without_parameters(measure: str) -> str:
    return re.sub("_[0-9][0-9.]*$", "", measure)


@pytest.mark.parametrize("name", ["mapp", "Rndcg", "ndcg_cut_x", "map.5"])
def test_unsupported_measures(name: str) -> None:
    with pytest.raises(ValueError, match=f"unsupported measure '{name}'"):
        ours.RelevanceEvaluator(QRELS, {name})


def test_other_types() -> None:
    for run in ({"q1": {"d1": "high"}}, {"q1": {1: 0.5}}):
        for peer in (ours, pytrec_eval):
            with pytest.raises(TypeError):
                peer.RelevanceEvaluator(QRELS, {"map"}).evaluate(run)


def test_lines_of_trec() -> None:
    run, qrels = ["q1 Q0 d1 1 2.5 x\n", "q1 Q0 d2 2 1 x"], ["q1 0 d1 1", "q2\t0\td2\t-1"]
    assert ours.parse_run(run) == dict(pytrec_eval.parse_run(run))
    assert ours.parse_qrel(qrels) == dict(pytrec_eval.parse_qrel(qrels))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["q1 Q0 d1"], "line 1 must have 6 fields; got 3"),
        (["q1 Q0 d1 1 high x"], "'high' is not a number"),
        (["q1 Q0 d1 1 1 x", "q1 Q0 d1 2 1 x"], "line 2: document 'd1' is in query 'q1' twice"),
    ],
)
def test_wrong_lines(lines: list[str], message: str) -> None:
    with pytest.raises(DataError, match=message):
        ours.parse_run(lines)


@pytest.mark.parametrize("measure", ["map", "num_ret", "gm_map"])
def test_aggregates(measure: str) -> None:
    values = [0.5, -1.0, 0.25]
    expected = pytrec_eval.compute_aggregated_measure(measure, values)
    assert ours.compute_aggregated_measure(measure, values) == pytest.approx(expected, rel=1e-15)
