"""How far two sets of relevance judgements agree, and the order of systems by each."""

from __future__ import annotations

import json
from itertools import combinations
from math import isnan
from pathlib import Path

import numpy as np
import pytest

import ragauge
from ragauge import judgements
from ragauge.errors import DataError, OptionError, UsageError
from ragauge.inference.agreement import cohen_kappa, weighted_kappa
from tests.cli.running import here

PEOPLE = {"北京": {"a": 2, "b": 0, "c": 1}, "q2": {"c": 1, "d": 0}, "q3": {"e": 1, "f": 0}}
JUDGE = {"北京": {"a": 3, "b": 0, "x": 1}, "q2": {"c": 1, "d": 1}, "q4": {"g": 1}}
RUNS = {
    "old": {"北京": {"b": 3, "a": 2, "c": 1}, "q2": {"d": 2, "c": 1}},
    "new": {"北京": {"a": 3, "c": 2, "b": 1}, "q2": {"c": 2, "d": 1}},
}


def test_shares_and_kappa_are_of_the_documents_that_both_judged() -> None:
    found = judgements(PEOPLE, JUDGE)
    pairs = [(2, 3), (0, 0), (1, 1), (0, 1)]
    assert (found.both, found.queries, found.first_alone, found.second_alone) == (4, 2, 3, 2)
    assert found["same grade"].value == np.mean([x == y for x, y in pairs])
    assert found["same side"].value == np.mean([(x >= 1) == (y >= 1) for x, y in pairs])
    x, y = np.array(pairs, dtype=float).T
    assert found["weighted kappa"].value == pytest.approx(weighted_kappa(x, y, np.ones((1, 4)))[0])
    assert found["kappa"].value == pytest.approx(cohen_kappa(x, y, np.ones((1, 4)))[0])
    assert judgements(PEOPLE, JUDGE, relevant=2)["same side"].value == 1
    assert dict(found.systems) == {}


def test_of_one_set_and_itself_nothing_differs() -> None:
    found = judgements(PEOPLE, PEOPLE, RUNS)
    assert [one.value for one in found.agreements] == [1.0] * 5


def test_means_of_systems_are_those_of_evaluate_over_the_queries_of_both() -> None:
    found = judgements(PEOPLE, JUDGE, RUNS, "mrr")
    both = ("北京", "q2")
    for name, run in RUNS.items():
        for place, qrels in enumerate((PEOPLE, JUDGE)):
            expected = ragauge.evaluate(run=run, qrels={query: qrels[query] for query in both}, metrics="mrr")[
                "mrr"
            ].value
            assert found.systems[name][place] == pytest.approx(expected)


def test_tau_counts_pairs_of_systems_in_the_same_order() -> None:
    rng = np.random.default_rng(3)
    documents = [f"d{number}" for number in range(12)]
    grades = [{f"q{query}": {one: int(rng.integers(3)) for one in documents} for query in range(6)} for _ in range(2)]
    runs = {
        f"s{system}": {f"q{query}": {one: float(rng.random()) for one in documents} for query in range(6)}
        for system in range(5)
    }
    people, judge = grades
    found = judgements(people, judge, runs)
    signs = [np.sign((a[0] - b[0]) * (a[1] - b[1])) for a, b in combinations([found.systems[name] for name in runs], 2)]
    assert found["tau-b"].value == pytest.approx(np.mean(signs))
    assert all(one.low <= one.value <= one.high for one in found.agreements)


def test_one_query_has_no_interval() -> None:
    found = judgements({"q": {"a": 1, "b": 0}}, {"q": {"a": 1, "b": 1}})
    assert found["same grade"].value == 0.5
    assert isnan(found["same grade"].low)


def test_files_and_what_a_judge_graded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "people.txt").write_text("q1 0 d7 1\nq1 0 d9 0\nq2 0 d1 1\n", encoding="utf-8")
    (tmp_path / "judge.txt").write_text("q1 a-judge d7 3\nq1 a-judge d9 0\nq2 a-judge d1 2\n", encoding="utf-8")
    (tmp_path / "a.run").write_text("q1 Q0 d7 1 2.0 a\nq1 Q0 d9 2 1.0 a\nq2 Q0 d1 1 1.0 a\n", encoding="utf-8")
    (tmp_path / "b.run").write_text("q1 Q0 d9 1 2.0 b\nq1 Q0 d7 2 1.0 b\nq2 Q0 d1 1 1.0 b\n", encoding="utf-8")
    files = [str(tmp_path / name) for name in ("people.txt", "judge.txt", "a.run", "b.run")]
    printed = json.loads(here(capsys, "judgements", *files, "--output-format", "json").out)
    assert {one["measure"]: one["value"] for one in printed["agreements"]}["tau-b"] == 1
    assert printed["systems"][files[2]]["first"] > printed["systems"][files[3]]["first"]
    shown = here(capsys, "judgements", *files).out
    assert "3 documents of 2 queries judged by both" in " ".join(shown.split())


def test_a_document_counts_once_and_may_not_have_two_grades(tmp_path: Path) -> None:
    files = {name: tmp_path / f"{name}.txt" for name in ("once", "twice", "differently")}
    files["once"].write_text("q1 0 a 2\nq1 0 b 0\n", encoding="utf-8")
    files["twice"].write_text("q1 0 a 2\nq1 0 a 2\nq1 0 b 1\n", encoding="utf-8")
    files["differently"].write_text("q1 0 a 2\nq1 0 a 1\nq1 0 b 1\n", encoding="utf-8")
    found = judgements(files["once"], files["twice"])
    assert (found.both, found["same grade"].value) == (2, 0.5)
    with pytest.raises(DataError, match="query 'q1': document 'a' is judged 2 and 1"):
        judgements(files["once"], files["differently"])


def test_errors_say_what_is_wrong() -> None:
    with pytest.raises(DataError, match="no document of the same query in common"):
        judgements({"q1": {"a": 1}}, {"q2": {"a": 1}})
    with pytest.raises(UsageError, match="exact-match does not score rankings"):
        judgements(PEOPLE, JUDGE, RUNS, "exact-match")
    with pytest.raises(OptionError, match="level"):
        judgements(PEOPLE, JUDGE, level=2)


def test_what_is_not_known_has_its_reason() -> None:
    runs = {"old": {"q1": {"a": 1}}, "new": {"q1": {"a": 2}}}
    equal = {"q1": {"a": 2, "b": 2}}
    codes = [note.code for note in judgements(equal, equal, runs).notes]
    assert codes == ["RG-NOTE-302", "RG-NOTE-303", "RG-NOTE-304"]
    two = {"q1": {"a": 2, "b": 0}, "q2": {"a": 0, "b": 1}}
    assert judgements(two, two).notes == ()
