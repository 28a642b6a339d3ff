"""A run on disk: whole or not at all, and equal when read back."""

from __future__ import annotations

import json
import subprocess
import sys
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ragauge
from ragauge.errors import DataError, OptionError, UnknownNameError, UsageError
from ragauge.results import replacing
from ragauge.results import storage as manifests
from ragauge.results import storage as saved
from ragauge.results.result import Result
from tests.approved import pattern

ROWS: list[dict[str, Any]] = [
    {"id": "a", "question": "何?", "retrieved": ["x", "y"], "relevance": {"y": 1}, "topic": "tea", "mrr": 3},
    {"id": "b", "question": "b?", "retrieved": ["x", "y"], "relevance": {"x": 2}, "topic": None, "mrr": 4},
    {"id": "c", "question": "c?", "retrieved": None, "relevance": {"x": 2}, "topic": "tea", "mrr": 5},
    {"id": "d", "question": "d?", "retrieved": ["x"], "relevance": {}, "topic": "tea", "mrr": 6, "failure": "down"},
]


@pytest.fixture
def result() -> Result:
    return ragauge.evaluate(ROWS, ["mrr", "ndcg@3", "map:undefined=skip"], by="topic", resamples=100)


def files(directory: Path) -> dict[str, bytes]:
    found = {path.name: path.read_bytes() for path in directory.iterdir()}
    manifest = json.loads(found["manifest.json"])
    manifest["run"]["created"] = ""
    return {**found, "manifest.json": json.dumps(manifest).encode()}


def test_what_is_read_back_is_equal(result: Result, tmp_path: Path) -> None:
    result.save(tmp_path / "run")
    again = ragauge.load(tmp_path / "run")
    assert repr(again.table) == repr(result.table)
    assert again.to_dict() == result.to_dict()
    for name in result.metrics:
        np.testing.assert_array_equal(again.scores(name), result.scores(name))
        assert again.statuses(name).tolist() == result.statuses(name).tolist()
        assert again.reasons(name) == result.reasons(name)
        assert list(again.columns[name].statistics) == list(result.columns[name].statistics)
        for statistic, numbers in result.columns[name].statistics.items():
            np.testing.assert_array_equal(again.columns[name].statistics[statistic], numbers)
            assert again.columns[name].statistics[statistic].dtype == numbers.dtype
        np.testing.assert_array_equal(again.columns[name].defaulted, result.columns[name].defaulted)
        for part, values in result.parts(name).items():
            np.testing.assert_array_equal(again.parts(name)[part], values)
    assert again.to_arrow().equals(result.to_arrow())
    assert again["ndcg:k=3"].value == result["ndcg@3"].value


def test_the_same_input_gives_the_same_bytes_but_for_the_time(result: Result, tmp_path: Path) -> None:
    result.save(tmp_path / "one")
    code = (
        "import ragauge, sys; from tests.results.test_storage import ROWS;"
        "ragauge.evaluate(ROWS, ['mrr', 'ndcg@3', 'map:undefined=skip'], by='topic', resamples=100).save(sys.argv[1])"
    )
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "two")], check=True, cwd=root)
    assert files(tmp_path / "one") == files(tmp_path / "two")


def test_texts_and_scores_stand_side_by_side(result: Result, tmp_path: Path) -> None:
    result.save(tmp_path / "run")
    samples, scores = (pq.read_table(tmp_path / "run" / f"{name}.parquet") for name in ("samples", "scores"))
    assert samples["question"].to_pylist() == [row["question"] for row in ROWS]
    assert samples["mrr"].to_pylist() == [3, 4, 5, 6]
    assert [one["score"] for one in scores["mrr"].to_pylist()] == [0.5, 1.0, None, None]
    assert [one["reason"] for one in scores["ndcg@3"].to_pylist()] == [None, None, None, "down"]


def test_columns_of_any_name_are_kept_apart_from_scores(tmp_path: Path) -> None:
    names = ("mrr|status", "mrr|score", "mrr|sum value", "mrr|defaulted", "mrr|reason", "mrr", "scores")
    rows = [{**row, **dict.fromkeys(names, "mine")} for row in ROWS]
    result = ragauge.evaluate(rows, ["mrr", "ndcg@3"], resamples=0)
    result.save(tmp_path / "run")
    again = ragauge.load(tmp_path / "run")
    np.testing.assert_array_equal(again.scores("mrr"), result.scores("mrr"))
    table = again.to_arrow()
    assert len(set(table.column_names)) == len(table.column_names)
    assert all(table[name].to_pylist() == ["mine"] * 4 for name in names)
    assert table["mrr|score'"].to_pylist() == [0.5, 1.0, None, None]


def test_objects_without_keys_are_kept_as_json(tmp_path: Path) -> None:
    calls = [{"name": "сейчас", "arguments": {}}]
    row: dict[str, Any] = {"tool_calls": calls, "reference_tool_calls": calls, "more": {"a": [{}]}, "none": None}
    rows = [row] * 2
    table = pa.Table.from_pylist(rows)
    widened = [*rows, {**rows[0], "tool_calls": [{"name": "a", "arguments": {"b": 1}}]}]
    for data in (rows, table, widened):
        ragauge.evaluate(data, "tool-call-f1", resamples=0).save(tmp_path / "run", force=True)
        again = ragauge.load(tmp_path / "run")
        assert again.scores("tool-call-f1").tolist()[:2] == [1, 1]
        kept = again.to_arrow()
        assert [json.loads(one) for one in kept["more"].to_pylist()[:2]] == [{"a": [{}]}] * 2
        assert pa.types.is_string(kept["tool_calls"].type) == (len(kept) == 2)


def test_the_samples_of_a_run_can_be_scored_saved_and_loaded(result: Result, tmp_path: Path) -> None:
    result.save(tmp_path / "run")
    ragauge.evaluate(tmp_path / "run" / "samples.parquet", "mrr", resamples=0).save(tmp_path / "again")
    assert ragauge.load(tmp_path / "again")["mrr"].value == result["mrr"].value


def test_a_run_loads_where_its_metric_is_unknown(tmp_path: Path) -> None:
    code = (
        "import ragauge, sys\n"
        "@ragauge.metric\ndef mine(sample): return 1.0\n"
        "ragauge.evaluate([{'id': 'a'}], mine).save(sys.argv[1])"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "run")], check=True)
    result = ragauge.load(tmp_path / "run")
    assert (result["mine"].value, str(result.metrics["mine"]), result.range("mine")) == (1.0, "mine", (-inf, inf))
    with pytest.raises(UnknownNameError, match=pattern("results.mine_is_unknown_here_import_the_module")):
        result.metric("mine")
    result.save(tmp_path / "copy")
    assert ragauge.load(tmp_path / "copy").to_dict() == result.to_dict()


def test_an_existing_directory_is_kept_unless_forced(result: Result, tmp_path: Path) -> None:
    target = tmp_path / "run"
    result.save(target)
    with pytest.raises(
        UsageError, match=pattern("results.run_already_exists_name_another_directory_or", folder=tmp_path)
    ):
        result.save(target)
    result.save(target, force=True)
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_force_never_removes_what_is_no_run(result: Result, tmp_path: Path) -> None:
    target = tmp_path / "project"
    target.mkdir()
    for name in ("manifest.json", "notes.txt"):
        (target / name).write_text("mine")
    with pytest.raises(UsageError, match=pattern("results.project_is_not_only_a_saved_run", folder=tmp_path)):
        result.save(target, force=True)
    assert {path.read_text() for path in target.iterdir()} == {"mine"}


def test_a_file_is_never_replaced(result: Result, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(UsageError, match=pattern("results.file_is_not_only_a_saved_run", folder=tmp_path)):
        result.save(tmp_path / "file", force=True)
    with pytest.raises(UsageError, match=pattern("results.file_run_cannot_be_made_file_is", folder=tmp_path)):
        result.save(tmp_path / "file" / "run")


@pytest.mark.parametrize("step", ["write_tables", "score_tables_of", "_struct", "put"])
def test_a_failure_midway_leaves_what_was_there(
    result: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    target = tmp_path / "run"
    result.save(target)
    before = files(target)

    def broken(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(*((replacing, "_put") if step == "put" else (saved, step)), broken)
    for directory, force in ((target, True), (tmp_path / "new", False)):
        with pytest.raises(UsageError, match="cannot be written: No space left on device"):
            result.save(directory, force=force)
    assert files(target) == before
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_the_old_run_comes_back_if_the_new_one_cannot_be_put(
    result: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "run"
    result.save(target)
    before = files(target)
    rename = Path.rename

    def failing(self: Path, other: Path) -> Path:
        if other == target and not self.name.endswith(".old"):
            raise OSError(13, "Permission denied")
        return rename(self, other)

    monkeypatch.setattr(replacing, "_exchange", lambda *_: False)
    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(UsageError, match=pattern("results.run_cannot_be_written_permission_denied", folder=tmp_path)):
        result.save(target, force=True)
    assert files(target) == before


@pytest.mark.parametrize("manifest", [None, "no json", "{}", "[]", '{"run": {"format": 1}}'])
def test_what_is_no_run_is_refused(tmp_path: Path, manifest: str | None) -> None:
    if manifest is not None:
        (tmp_path / "manifest.json").write_text(manifest)
    with pytest.raises(DataError, match=r"is not a saved run; give .* that Result\.save wrote"):
        ragauge.load(tmp_path)


def test_a_damaged_run_is_refused(result: Result, tmp_path: Path) -> None:
    result.save(tmp_path / "run")
    (tmp_path / "run" / "samples.parquet").write_bytes(b"PAR1")
    with pytest.raises(DataError, match=r"samples\.parquet is damaged: .*\nscore the data again"):
        ragauge.load(tmp_path / "run")


def test_a_run_with_an_unknown_status_is_refused(
    result: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result.save(tmp_path / "run")
    path = tmp_path / "run" / "scores.parquet"
    table = pq.read_table(path)
    rows = [{name: {**cell, "status": "fine"} for name, cell in row.items()} for row in table.to_pylist()]
    pq.write_table(pa.Table.from_pylist(rows, table.schema), path)
    # Runs of earlier versions have no digests, which would show the change first.
    monkeypatch.setattr("ragauge.results.schema.check_digest", lambda *_: None)
    with pytest.raises(DataError, match="an unknown status"):
        ragauge.load(tmp_path / "run")


def test_a_run_of_a_later_layout_is_refused(result: Result, tmp_path: Path) -> None:
    result.save(tmp_path / "run")
    path = tmp_path / "run" / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["run"] |= {"format": manifests.FORMAT + 1, "ragauge": "99.0"}
    path.write_text(json.dumps(manifest))
    with pytest.raises(DataError, match=r"was written by ragauge 99\.0, which is newer than"):
        ragauge.load(tmp_path / "run")


def test_a_run_of_an_earlier_layout_says_to_score_again(result: Result, tmp_path: Path) -> None:
    result.save(tmp_path / "run")
    path = tmp_path / "run" / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["run"] |= {"format": 1, "ragauge": "0.0.1"}
    path.write_text(json.dumps(manifest))
    with pytest.raises(DataError, match=r"ragauge 0\.0\.1, whose runs have another format; score the data again"):
        ragauge.load(tmp_path / "run")


def test_what_is_no_run_is_put_right(tmp_path: Path) -> None:
    data = tmp_path / "data.csv"
    data.write_text("question\nWho?\n")
    with pytest.raises(DataError, match=f"ragauge score {data} -o runs/today"):
        ragauge.load(data)
    ragauge.evaluate(ROWS, "mrr", resamples=0).save(tmp_path / "today")
    with pytest.raises(DataError, match=f"did you mean {tmp_path / 'today'}"):
        ragauge.load(tmp_path / "todya")


def test_a_sample_that_is_not_there_has_others_beside_it(tmp_path: Path) -> None:
    rows = [{"answer": "Tea is hot.", "contexts": ["Tea is hot."]}]
    ragauge.evaluate(rows, "groundedness", resamples=0, evidence=True).save(tmp_path / "run")
    with pytest.raises(UsageError, match="holds no sample '1'; its ids are '"):
        ragauge.load(tmp_path / "run").explain("1")


@pytest.mark.parametrize("replacement", ["with evidence", "without", "in place", "none"])
def test_evidence_is_of_the_run_that_was_loaded(replacement: str, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    rows = [{"id": "1", "answer": "Tea is hot.", "contexts": ["Tea is hot."]}]
    ragauge.evaluate(rows, "groundedness", resamples=0, evidence=True).save(folder)
    loaded = ragauge.load(folder)
    assert loaded.evidence is not None
    other = [{"id": "1", "answer": "Ice is cold.", "contexts": ["Tea is hot."]}]
    if replacement == "in place":
        with (folder / "evidence.parquet").open("ab") as file:
            file.write(b"more")
    elif replacement == "none":
        (folder / "evidence.parquet").unlink()
    else:
        evidence = replacement == "with evidence"
        ragauge.evaluate(other, "groundedness", resamples=0, evidence=evidence).save(folder, force=True)
    message = f"{folder} was replaced since it was loaded; load it again"
    for call in (
        lambda: loaded.explain("1"),
        lambda: loaded.evidence.metrics,
        lambda: ragauge.report(loaded, tmp_path / "report.html"),
        lambda: loaded.save(tmp_path / "copy"),
    ):
        with pytest.raises(DataError, match=message):
            call()
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_a_loaded_run_may_replace_itself(tmp_path: Path) -> None:
    rows = [{"id": "1", "answer": "Tea is hot.", "contexts": ["Tea is hot."]}]
    ragauge.evaluate(rows, "groundedness", resamples=0, evidence=True).save(tmp_path / "run")
    ragauge.load(tmp_path / "run").save(tmp_path / "run", force=True)
    assert len(ragauge.load(tmp_path / "run").explain("1")) == 1


def test_what_is_no_directory_is_no_run() -> None:
    wrong: Any = 5
    for call in (ragauge.load, lambda run: ragauge.compare(run, run)):
        with pytest.raises(OptionError, match=r"must be (a result or )?the directory of a saved run; got 5"):
            call(wrong)
