"""The calls that most programs need."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ragauge
from ragauge.errors import ColumnError, DataError, OptionError, UnknownNameError, UsageError
from ragauge.metrics.column import Column
from ragauge.metrics.parse import parse
from ragauge.metrics.retrieval.mrr import Mrr
from tests.approved import pattern

ROWS: list[dict[str, Any]] = [
    {"id": "a", "retrieved": ["x", "y"], "relevance": {"y": 1}, "topic": "tea", "latency": 0.5},
    {"id": "b", "retrieved": ["x", "y"], "relevance": {"x": 2}, "topic": "tea", "latency": 1.5},
    {"id": "c", "retrieved": None, "relevance": {"x": 2}, "topic": "jam", "latency": None},
]
RUN = {"q1": {"d1": 0.9, "d2": 0.8}, "q2": {"d1": 0.4, "d3": 0.3}}
QRELS = {"q1": {"d2": 1}, "q2": {"d1": 1}}


def test_exp_ndcg_of_the_tutorials() -> None:
    assert ragauge.score("ndcg@3:gain=exp,ideal=retrieved", relevance=[3, 2, 3, 0, 1]) == 0.9594535145926796


@pytest.mark.parametrize(("spec", "value"), [("precision@2", 1 / 2), ("recall@2", 1 / 3), ("mrr", 1.0)])
def test_the_score_of_one_sample_is_exact(spec: str, value: float) -> None:
    assert ragauge.score(spec, relevance=[1, 0, 1, 0, 1]) == value


def test_score_takes_one_metric_only() -> None:
    with pytest.raises(UsageError, match=pattern("evaluation.ndcg_stands_for_metrics_give_one_here")):
        ragauge.score("ndcg@1,3", relevance=[1])


@pytest.mark.parametrize(
    ("spec", "columns", "message"),
    [
        ("ndcg", {"retrieved": ["a"]}, "ndcg needs relevance=...; score got retrieved"),
        ("rouge-l", {"question": "Who?"}, "rouge-l needs answer=... and references=...; score got question"),
    ],
)
def test_score_names_the_argument_that_is_missing(spec: str, columns: dict[str, Any], message: str) -> None:
    with pytest.raises(ColumnError) as caught:
        ragauge.score(spec, **columns)
    assert str(caught.value) == message


def test_score_of_nothing_relevant_is_nan_if_undefined() -> None:
    assert np.isnan(ragauge.score("mrr:undefined=skip", relevance=[0, 0]))


def test_any_equal_spelling_finds_a_score() -> None:
    result = ragauge.evaluate(ROWS, ["success@2", "ndcg@1,2:gain=exp"], resamples=0)
    assert list(result.metrics) == ["success@2", "ndcg@1:gain=exp", "ndcg@2:gain=exp"]
    for spelling in ("success@2", "hit-rate@2", "hit-rate:k=2", parse("hit-rate@2")):
        assert result[spelling].metric == "success@2"
        assert spelling in result
    assert result["ndcg:gain=exp,k=2"].value == result["ndcg@2:gain=exp"].value
    with pytest.raises(UnknownNameError, match=pattern("evaluation.unknown_metric_of_this_run_mrr_there")):
        result["mrr"]
    assert "no-such-metric" not in result


def test_scores_statuses_and_parts_are_in_input_order() -> None:
    result = ragauge.evaluate(ROWS, "ndcg@1", resamples=0)
    np.testing.assert_array_equal(result.scores("ndcg@1"), [0.0, 1.0, np.nan])
    assert result.statuses("ndcg@1").tolist() == ["ok", "ok", "missing"]
    assert {len(part) for part in result.parts("ndcg@1").values()} == {3}
    assert (len(result), result.samples) == (1, 3)
    assert (result["ndcg@1"].scored, result["ndcg@1"].missing, result["ndcg@1"].total) == (2, 1, 3)


def test_a_table_per_sample_keeps_the_data_beside_the_scores() -> None:
    result = ragauge.evaluate(ROWS, "mrr", resamples=0)
    table = result.to_arrow()
    assert {"id", "topic", "retrieved", "mrr", "mrr|status"} <= set(table.column_names)
    assert table["mrr"].to_pylist() == [0.5, 1.0, None]
    assert result.to_pandas()["mrr|status"].tolist() == ["ok", "ok", "missing"]


def test_a_column_of_the_data_may_be_called_as_a_metric() -> None:
    result = ragauge.evaluate([{**row, "mrr": 7.0} for row in ROWS], "mrr", resamples=0)
    table = result.to_arrow()
    assert table["mrr"].to_pylist() == [7.0] * 3
    assert table["mrr|score"].to_pylist() == [0.5, 1.0, None]


def test_a_run_and_its_qrels_of_dicts_and_files_are_one(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text(json.dumps(RUN))
    (tmp_path / "qrels.json").write_text(json.dumps(QRELS))
    dicts = ragauge.evaluate(run=RUN, qrels=QRELS, metrics=["mrr", "map"])
    files = ragauge.evaluate(run=tmp_path / "run.json", qrels=str(tmp_path / "qrels.json"), metrics=["mrr", "map"])
    assert repr(dicts.table) == repr(files.table)
    assert dicts["mrr"].value == 0.75


def test_a_run_takes_further_columns_from_data() -> None:
    data = [{"id": "q1", "Sprache": "de"}, {"id": "q2", "Sprache": "en"}]
    result = ragauge.evaluate(
        data, "mrr", run=RUN, qrels=QRELS, map={"language": "Sprache"}, by="language", resamples=0
    )
    assert {label: score.value for label, score in result.groups("mrr", "language").items()} == {"de": 0.5, "en": 1.0}


def test_by_takes_one_name_or_several_and_each_once() -> None:
    for by in ("topic", ["topic"], ("topic", "topic")):
        result = ragauge.evaluate(ROWS, "mrr", by=by, resamples=0)
        assert [score.group for score in result.table] == [None, {"topic": "jam"}, {"topic": "tea"}]


def test_limit_reads_the_first_rows() -> None:
    assert ragauge.evaluate(ROWS, "mrr", limit=1, resamples=0)["mrr"].total == 1


def test_defaults_say_what_was_left_out() -> None:
    result = ragauge.evaluate(ROWS, resamples=0)
    assert "ndcg@10" in result.metrics
    assert any(note.startswith("skipped bleu, rouge-1, ") for note in result.data.notes)


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({}, UsageError, "there is nothing to evaluate: give data, or a run and its qrels"),
        ({"run": RUN}, UsageError, "run needs qrels"),
        ({"qrels": QRELS}, UsageError, "qrels needs run"),
        ({"run": RUN, "qrels": QRELS, "system": str.upper}, UsageError, "system has no effect on a run"),
        ({"run": RUN, "qrels": QRELS, "map": {"a": "b"}}, UsageError, "map has no effect on a run"),
        ({"data": ROWS, "map": ["answer"]}, OptionError, "option 'map' of evaluate must be a dict"),
        ({"data": ROWS, "split": "contexts"}, OptionError, "option 'split' of evaluate must be a dict"),
        ({"data": ROWS, "lang": 5}, OptionError, "option 'lang' of evaluate must be a language tag .*; got 5"),
        (
            {"data": ROWS, "limit": True},
            OptionError,
            "option 'limit' of evaluate must be a whole number from 1; got True",
        ),
        (
            {"data": ROWS, "metrics": "mrr", "embedding_cache": 5},
            OptionError,
            "'embedding_cache' of evaluate must be a directory; got 5",
        ),
        ({"data": ROWS, "evidence": "yes"}, OptionError, "'evidence' of evaluate must be True or False; got 'yes'"),
        ({"data": ROWS, "metrics": {}}, UsageError, "metrics must name at least one metric"),
        ({"data": ROWS, "metrics": {"x": 5}}, OptionError, r"'metrics\[x\]' of Evaluator must be a metric object"),
        ({"data": ROWS, "metrics": {5: "mrr"}}, OptionError, r"'metrics\[5\]' of Evaluator must be .* as in {'bleu'"),
        ({"data": ROWS, "progress": 5}, OptionError, "'progress' of evaluate must be a function .*; got 5"),
        (
            {"data": ROWS, "ci": "x"},
            OptionError,
            "option 'ci' of evaluate must be a number between 0 and 1, .*; got 'x'",
        ),
        ({"data": ROWS, "cluster": 5}, OptionError, "'cluster' of evaluate must be the name of a column; got 5"),
        ({"data": ROWS, "metrics": []}, UsageError, "metrics must name at least one metric"),
        ({"data": ROWS, "metrics": [10]}, UsageError, "a metric must be a spec such as 'ndcg@10', .*; got 10"),
        ({"data": ROWS, "metrics": "mrr", "system": "ask"}, UsageError, "'system' of evaluate must be module:function"),
        ({"data": ROWS, "metrics": "mrr", "preset": "rag"}, UsageError, "metrics or a preset, not both"),
        ({"data": ROWS, "metrics": "bleu"}, ColumnError, "bleu needs the columns"),
        ({"data": ROWS, "metrics": "mrr", "limit": 0}, OptionError, "'limit'"),
        (
            {"data": ROWS, "metrics": "mrr", "by": 5},
            OptionError,
            "'by' of evaluate must be the name .* got 5",
        ),
        ({"data": ROWS, "metrics": "mrr", "by": ["a", 5]}, OptionError, "'by' of evaluate must be"),
        ({"run": RUN, "qrels": QRELS, "split": {"a": "b"}}, UsageError, "split has no effect on a run"),
        ({"data": ROWS, "metrics": "mrr", "limit": "3"}, OptionError, "'limit'"),
        ({"data": ROWS, "metrics": "mrr", "ci": 1.5}, OptionError, "'ci'"),
        ({"data": ROWS, "metrics": "mrr", "ci": "0.9"}, OptionError, "'ci'"),
        ({"data": ROWS, "metrics": "mrr", "resamples": 1.5}, OptionError, "'resamples'"),
        ({"data": ROWS, "metrics": "mrr", "seed": "x"}, OptionError, "'seed'"),
        ({"data": [], "metrics": "mrr"}, DataError, "has no rows"),
    ],
)
def test_misuse(options: dict[str, Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        ragauge.evaluate(**options)


def test_metrics_are_checked_before_data_are_read() -> None:
    with pytest.raises(UnknownNameError, match="unknown metric 'ndgc'"):
        ragauge.evaluate("no-such-file.jsonl", "ndgc")


def test_json_types_throughout() -> None:
    plain = ragauge.evaluate(ROWS, ["mrr", "column:name=latency"], by="topic").to_dict()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    jam = next(row for row in plain["metrics"] if row["group"] == {"topic": "jam"})
    assert (jam["value"], jam["low"], jam["scored"], jam["missing"]) == (None, None, 0, 1)


def test_in_words_and_in_a_notebook() -> None:
    result = ragauge.evaluate([{**row, "topic": "<b>"} for row in ROWS], "mrr", by="topic", ci=0.9)
    assert "90 % interval" in str(result)
    unmet = ragauge.evaluate([{"retrieved_ids": ["D1"], "relevant_ids": ["d1"]}], "hit-rate", resamples=0)
    assert str(unmet).startswith("note: in 1 of 1 samples looked at, no id of relevant_ids is among those")
    assert repr(result) == str(result)
    assert "&lt;b&gt;" in result._repr_html_()
    assert "<b>" not in result._repr_html_()


def test_columns_to_group_by_keep_the_names_that_they_have_in_the_data() -> None:
    rows = [{**row, "lang": tag} for row, tag in zip(ROWS, ("zh", "en", "zh"), strict=True)]
    result = ragauge.evaluate(rows, "mrr", by="lang", cluster="lang", resamples=0)
    assert result.groups("mrr", "lang") == result.groups("mrr", "language") != {}
    assert (result.options["by"], result.options["cluster"]) == (["language"], "language")


def test_groups_by_a_column_that_the_run_is_not_grouped_by_are_an_error() -> None:
    result = ragauge.evaluate(ROWS, "mrr", by="topic", resamples=0)
    with pytest.raises(ColumnError, match=pattern("evaluation.by_must_be_a_column_that_the")):
        result.groups("mrr", "tpoic")


def test_the_class_of_a_metric_stands_for_its_defaults() -> None:
    assert [score.metric for score in ragauge.evaluate(ROWS, [Mrr], resamples=0).table] == ["mrr"]
    with pytest.raises(OptionError, match=pattern("evaluation.option_name_of_column_must_be_the")):
        ragauge.evaluate(ROWS, [Column])


def test_equal_metrics_are_scored_once() -> None:
    result = ragauge.evaluate(ROWS, ["mrr@5", "mrr:k=5", Mrr(k=5), "mrr"], resamples=0)
    assert [score.metric for score in result.table] == ["mrr@5", "mrr"]


def test_the_class_of_a_metric_stands_for_its_default_options() -> None:
    assert ragauge.score(Mrr, relevance=[0, 1]) == ragauge.score("mrr", relevance=[0, 1]) == 0.5
    assert list(ragauge.evaluate(ROWS, [Mrr, "map"], resamples=0).metrics) == ["mrr", "map"]


def test_a_failure_of_0_is_none_in_csv_and_in_mixed_lists(tmp_path: Path) -> None:
    (tmp_path / "run.csv").write_text("id,latency,failure\na,1,0.0\nb,2,-0.0\nc,3,timeout\n", encoding="utf-8")
    mixed = [{"latency": 1, "failure": 0.0}, {"latency": 2, "failure": "-0.0"}, {"latency": 3, "failure": "timeout"}]
    for data in (tmp_path / "run.csv", mixed):
        result = ragauge.evaluate(data, "column:name=latency", resamples=0)
        assert result.statuses("column:name=latency").tolist() == ["ok", "ok", "failed"]


def test_options_of_metrics_are_given_by_name() -> None:
    with pytest.raises(TypeError, match=pattern("evaluation.mrr_takes_its_options_by_name_as")):
        Mrr(5)  # type: ignore[call-arg]


def test_no_progress_is_heard_where_none_is_wanted() -> None:
    assert ragauge.evaluate(ROWS, "mrr", resamples=0, progress=None).samples == len(ROWS)


def test_a_batch_in_which_nothing_is_claimed_has_no_evidence(tmp_path: Path) -> None:
    rows = [{"id": name, "answer": "", "contexts": ["A red door."]} for name in ("q1", "q2")]
    result = ragauge.evaluate(rows, "groundedness", evidence=True)
    assert result["groundedness"].undefined == 2
    assert result.explain("q1").num_rows == 0
    result.save(tmp_path / "run")
    assert ragauge.load(tmp_path / "run").explain("q1").num_rows == 0


def test_the_format_of_a_file_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "answers.log"
    path.write_text("id\tanswer\treferences\nq1\ttea\ttea\n")
    assert ragauge.evaluate(path, "exact-match", format="tsv")["exact-match"].value == 1.0
    ranking: Any = {"run": {"q1": ["d1"]}, "qrels": {"q1": ["d1"]}}
    beside = ragauge.evaluate(path, ["mrr", "exact-match"], format="tsv", **ranking)
    assert [score.value for score in beside.table] == [1.0, 1.0]
    with pytest.raises(UsageError, match="format has no effect on a run and its qrels; leave it out, or give data"):
        ragauge.evaluate(metrics="mrr", format="tsv", **ranking)
    wrong: Any = 5
    with pytest.raises(OptionError, match="option 'format' of evaluate must be the name of a file format; got 5"):
        ragauge.evaluate(path, format=wrong)


@pytest.mark.parametrize("name", ["output", "target", "query", "input", "lang"])
def test_a_column_metric_reads_the_column_that_the_user_names(name: str) -> None:
    rows = [
        {"id": "a", "response": "x", "reference": "x", name: 0.5},
        {"id": "b", "response": "x", "reference": "y", name: 1},
    ]
    result = ragauge.evaluate(rows, [f"column:name={name}", "exact-match"], resamples=0)
    assert [score.value for score in result.table] == [0.75, 0.5]
    asked = [{"question": "Who?", name: 0.5}] if name != "output" else ["Who?"]
    answered = ragauge.evaluate(asked, f"column:name={name}", system=lambda _: {"output": 0.5}, resamples=0)
    assert answered.table[0].value == 0.5
    with pytest.raises(ColumnError, match=f"column:name={name} needs the columns {name}; {name} not found among"):
        ragauge.evaluate([{"id": "a", "answer": "x"}], f"column:name={name}")


def test_a_column_that_is_mapped_to_itself_is_kept_beside_the_column_that_it_is_read_as() -> None:
    rows = [{"answer": "yes", "gold": "yes", "output": 2}]
    result = ragauge.evaluate(rows, ["exact-match", "column:name=output"], map={"gold": "gold", "references": "gold"})
    assert (result["exact-match"].value, result["column:name=output"].value) == (1.0, 2.0)
    assert {"gold", "references", "answer", "output"} <= set(result.data.columns)


def test_metrics_are_taken_by_names_of_the_caller(tmp_path: Path) -> None:
    metrics = {"first": ragauge.parse("mrr"), "again": "mrr", "wide": "ndcg@10:gain=exp"}
    result = ragauge.evaluate(ROWS, metrics, resamples=0)
    assert list(result) == ["first", "again", "wide"]
    assert result["first"].value == result["again"].value == ragauge.evaluate(ROWS, "mrr")["mrr"].value
    result.save(tmp_path / "run")
    assert list(ragauge.load(tmp_path / "run")) == list(result)
