"""A saved run scored again: its samples under the columns that it knew, and its own words where the call has none."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import ragauge
from ragauge.core.batch import Batch, Dataset
from ragauge.errors import ColumnError, DataError, OptionError, UnknownNameError
from ragauge.results.result import Result

TEXTS = [
    ("zh", "茶馆几点开门？", "早上八点。", "早上八点开门。"),
    ("ja", "お茶はいくら？", "二百円です。", "お茶は二百円です。"),
    ("ko", "차는 얼마입니까?", "천 원입니다.", "차는 천 원입니다."),
    ("ru", "Где чайная?", "У реки.", "Чайная у реки."),
    ("ar", "متى يفتح المقهى؟", "في الثامنة.", "يفتح في الثامنة."),
    ("hi", "चाय कितने की है?", "दस रुपये।", "चाय दस रुपये की है।"),
    ("th", "ร้านชาอยู่ที่ไหน", "ริมแม่น้ำ", "ร้านชาอยู่ริมแม่น้ำ"),
    ("en", "Who runs it?", "Anna.", "Anna runs it."),
]
ROWS: list[dict[str, Any]] = [
    {"Frage": question, "said": answer, "gold": gold, "lang": language, "house": place // 2, "response": "not this"}
    for place, (language, question, answer, gold) in enumerate(TEXTS)
]
MAP = {"question": "Frage", "answer": "said", "references": "gold"}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "data.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS), encoding="utf-8")
    return path


def saved(data: Path, metrics: Any = "token-f1", **options: Any) -> Path:
    ragauge.evaluate(data, metrics, map=MAP, **options).save(data.parent / "run")
    return data.parent / "run"


def numbers(result: Result) -> Any:
    return repr(result.table)


def test_other_metrics_have_the_numbers_of_the_data(data: Path) -> None:
    run = saved(data)
    first = ragauge.evaluate(data, ["bleu", "rouge-l"], map=MAP)
    data.unlink()
    again = ragauge.evaluate(run, ["bleu", "rouge-l"])
    assert numbers(again) == numbers(first)
    assert again.sample_ids().equals(first.sample_ids())
    assert (again.data.source, dict(again.data.mapping)) == (first.data.source, dict(first.data.mapping))
    assert again.column("response").to_pylist() == ["not this"] * 8
    assert again.data.notes[0] == f"the samples are those that {run} kept; their source was not read again"


def test_the_result_itself_is_data_too(data: Path) -> None:
    first = ragauge.evaluate(data, "token-f1", map=MAP)
    assert numbers(ragauge.evaluate(first, "rouge-l")) == numbers(ragauge.evaluate(data, "rouge-l", map=MAP))


def test_all_that_is_left_out_is_as_in_the_run(data: Path) -> None:
    options = {"by": "lang", "cluster": "house", "ci": 0.8, "interval": "percentile", "resamples": 50, "seed": 7}
    run = saved(data, {"F1": "token-f1", "same": "exact-match"}, **options)
    again = ragauge.evaluate(run)
    assert numbers(again) == numbers(ragauge.load(run))
    assert dict(again.options) == dict(ragauge.load(run).options)
    other = ragauge.evaluate(run, "token-f1", by="house", ci=0.9, cluster="lang")
    assert (other.options["by"], other.options["level"], other.options["seed"]) == (["house"], 0.9, 7)
    assert other.options["cluster"] == "language"


@pytest.mark.parametrize("lang", ["zh", "column"])
def test_the_language_is_that_of_the_run(data: Path, lang: str) -> None:
    run = saved(data, "token-f1", lang=lang)
    assert ragauge.load(run).options["lang"] == lang
    assert numbers(ragauge.evaluate(run)) == numbers(ragauge.load(run))
    assert numbers(ragauge.evaluate(run, "rouge-l")) == numbers(ragauge.evaluate(data, "rouge-l", map=MAP, lang=lang))
    other = ragauge.evaluate(run, "rouge-l", lang="ja")
    assert numbers(other) == numbers(ragauge.evaluate(data, "rouge-l", map=MAP, lang="ja"))


def test_without_a_language_none_is_saved(data: Path) -> None:
    assert "lang" not in ragauge.load(saved(data)).options


def test_the_mapping_of_the_run_may_be_given_again_and_another_column_chosen(data: Path) -> None:
    run = saved(data)
    assert numbers(ragauge.evaluate(run, map=MAP)) == numbers(ragauge.load(run))
    other = ragauge.evaluate(run, "exact-match", map={"answer": "response"})
    assert other.column("answer").to_pylist() == ["not this"] * 8
    assert other.data.mapping["answer"] == "response"
    with pytest.raises(ColumnError, match="have no column 'nowhere'"):
        ragauge.evaluate(run, map={"answer": "nowhere"})


def test_fewer_samples_and_a_ranking(tmp_path: Path) -> None:
    ranking, qrels = {f"q{i}": {"d1": 2.0, "d2": 1.0} for i in range(4)}, {f"q{i}": {"d2": 1} for i in range(4)}
    ragauge.evaluate(run=ranking, qrels=qrels, metrics="mrr").save(tmp_path / "run")
    again = ragauge.evaluate(tmp_path / "run", ["mrr", "ndcg@2"])
    assert numbers(again) == numbers(ragauge.evaluate(run=ranking, qrels=qrels, metrics=["mrr", "ndcg@2"]))
    assert ragauge.evaluate(tmp_path / "run", limit=2).samples == 2


def test_lists_of_tokens(tmp_path: Path) -> None:
    rows = [{"id": "问1", "answer": ["茶", "馆"], "references": [["茶", "馆"], ["茶"]]}]
    first = ragauge.evaluate(rows, "bleu:tokenizer=none", resamples=0)
    first.save(tmp_path / "run")
    metrics = ["bleu:tokenizer=none", "rouge-1:tokenizer=none"]
    assert numbers(ragauge.evaluate(tmp_path / "run", metrics)) == numbers(ragauge.evaluate(rows, metrics, resamples=0))


def test_workers_have_the_same_numbers(data: Path) -> None:
    many = [{**row, "Frage": f"{row['Frage']} {i}"} for i in range(150) for row in ROWS]
    data.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in many), encoding="utf-8")
    run = saved(data)
    assert numbers(ragauge.evaluate(run, "rouge-l", workers=2)) == numbers(ragauge.evaluate(run, "rouge-l"))


def test_the_questions_of_a_run_are_asked_again(data: Path) -> None:
    run = saved(data)
    again = ragauge.evaluate(run, system=lambda question: {"answer": question})
    assert again.column("answer").equals(again.column("question"))
    assert again["token-f1"].scored == 8
    assert "columns of the questions not used, since the system gives them: said" in again.data.notes


def test_a_run_without_samples_says_so(data: Path) -> None:
    result = ragauge.evaluate(data, "token-f1", map=MAP)
    without = replace(result, data=Dataset(result.data.source, 8, ("id",), lambda: iter(())))
    with pytest.raises(DataError, match="the run has scores and no samples; name the data that it scored"):
        ragauge.evaluate(without, "rouge-l")
    empty = replace(result, data=Dataset("part", 8, ("id",), lambda: iter([Batch(pa.table({"id": ["a"]}))])))
    with pytest.raises(DataError, match="part: the run has scores and no samples"):
        ragauge.evaluate(empty, "rouge-l")


def test_damage_is_told_before_anything_is_scored(data: Path) -> None:
    run = saved(data)
    (run / "samples.parquet").unlink()
    with pytest.raises(DataError, match=r"samples\.parquet is damaged:\s+the file is missing"):
        ragauge.evaluate(run, "rouge-l")
    shutil.rmtree(run)
    with pytest.raises(DataError, match="file not found"):
        ragauge.evaluate(run, "rouge-l")


def test_a_metric_of_a_function_must_be_named(data: Path) -> None:
    run = saved(data)
    manifest = json.loads((run / "manifest.json").read_text(encoding="utf-8"))
    manifest["run"]["metrics"]["token-f1"] = "elsewhere.py:length"
    (run / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(UnknownNameError, match=r"elsewhere\.py:length is unknown here; import its module"):
        ragauge.evaluate(run)
    assert ragauge.evaluate(run, "rouge-l")["rouge-l"].scored == 8


def test_what_is_of_files_has_no_effect(data: Path) -> None:
    with pytest.raises(OptionError, match="has no effect on data in memory"):
        ragauge.evaluate(saved(data), "rouge-l", format="csv")
