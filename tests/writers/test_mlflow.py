"""Runs in MLflow: in SQLite and in a folder, in an open run and in a new one."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ragauge
from ragauge.errors import UsageError
from ragauge.results.result import Result
from ragauge.writers.measures import legal_name, original_name
from tests.cli.running import here
from tests.writers.runs import LABELS, library, some_result

mlflow = library("mlflow", "mlflow-skinny")
library("sqlalchemy")
METRICS = ("exact-match", "chrf", "bleu", "rouge-1", "rouge-2", "rouge-l", "edit-similarity", "token-f1")


@pytest.fixture(scope="module")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with MLflow's tables, which take seconds to make."""
    path = tmp_path_factory.mktemp("mlflow") / "empty.db"
    with pytest.MonkeyPatch.context() as moved:
        # Artifacts of the experiment "Default" are kept in the current folder.
        moved.chdir(path.parent)
        mlflow.MlflowClient(f"sqlite:///{path}").search_experiments()
    return path


@pytest.fixture
def store(empty_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mlflow.db").write_bytes(empty_store.read_bytes())
    yield f"sqlite:///{tmp_path}/mlflow.db"
    while mlflow.active_run() is not None:
        mlflow.end_run()


@pytest.fixture(scope="module")
def result() -> Result:
    return some_result()


def only_run(uri: str, experiment: str) -> Any:
    client = mlflow.MlflowClient(uri)
    [run] = client.search_runs([client.get_experiment_by_name(experiment).experiment_id])
    return run


def test_each_mean_goes_with_its_interval_coverage_and_direction(store: str, result: Result) -> None:
    written = ragauge.export(result, "mlflow", uri=store, experiment="实验", name="今天")
    run = only_run(store, "实验")
    assert written.where == f"run {run.info.run_id} in {store}"
    assert (run.info.status, run.info.run_name) == ("FINISHED", "今天")
    score = result["exact-match"]
    metrics = run.data.metrics
    assert [metrics[f"exact-match{end}"] for end in ("", ".low", ".high")] == [score.value, score.low, score.high]
    assert metrics["exact-match.coverage"] == 8 / 11
    counts = ("scored", "undefined", "missing", "failed", "total")
    assert [metrics[f"exact-match.{count}"] for count in counts] == [8, 1, 1, 1, 11]
    assert metrics["exact-match by language_eq_zh"] == 0.5
    assert metrics["exact-match by language_eq_zh.failed"] == 1
    tags = run.data.tags
    assert (tags["latency.direction"], tags["latency.coverage"]) == ("lower", "8/11")
    assert tags["chrf.signature"] == result["chrf"].signature
    assert original_name(legal_name(LABELS[0])) == LABELS[0]
    assert metrics[LABELS[0]] == result[LABELS[0]].value


def test_the_samples_are_a_table_that_mlflow_reads(store: str, result: Result) -> None:
    library("pandas")
    ragauge.export(result, "mlflow", uri=store, experiment="e")
    run = only_run(store, "e")
    client = mlflow.MlflowClient(store)
    table = client.load_table(run.info.experiment_id, "ragauge/samples.json", [run.info.run_id])
    assert table["answer"].tolist()[:7] == result.to_arrow()["answer"].to_pylist()[:7]
    assert table["exact-match|status"].tolist() == result.statuses("exact-match").tolist()
    assert table["exact-match|reason"].tolist()[8] == "超时：\n<b>"
    assert [file.path for file in client.list_artifacts(run.info.run_id)] == ["ragauge", "report.html"]


def test_labels_of_every_script_are_stored(store: str) -> None:
    rows = [{"answer": "a", "references": ["a"]}]
    result = ragauge.evaluate(rows, [f"{label}={metric}" for label, metric in zip(LABELS, METRICS, strict=True)])
    ragauge.export(result, "mlflow", uri=store, experiment="e", samples=False)
    run = only_run(store, "e")
    assert {*LABELS} < {original_name(name) for name in run.data.metrics}
    path = mlflow.MlflowClient(store).download_artifacts(run.info.run_id, "ragauge/run.json")
    names = json.loads(Path(path).read_text(encoding="utf-8"))["names"]
    assert names == {legal_name(label): label for label in LABELS}


def test_an_open_run_gets_the_scores_and_stays_open(store: str, result: Result) -> None:
    mlflow.set_tracking_uri(store)
    with mlflow.start_run() as opened:
        ragauge.export(result, "mlflow", samples=False)
        assert mlflow.active_run().info.run_id == opened.info.run_id
        assert mlflow.get_run(opened.info.run_id).info.status == "RUNNING"
    run = mlflow.get_run(opened.info.run_id)
    assert run.data.metrics["exact-match"] == result["exact-match"].value


def test_a_run_is_found_by_its_id_and_otherwise_made(store: str, result: Result) -> None:
    mlflow.set_tracking_uri(store)
    with mlflow.start_run() as first:
        pass
    gate = ragauge.gate(result, min_scored=9)
    ragauge.export(result, "mlflow", run=first.info.run_id, samples=False, gate=gate)
    assert "chrf" in mlflow.get_run(first.info.run_id).data.metrics
    assert mlflow.get_run(first.info.run_id).data.tags["ragauge.gate"] == "failed"
    ragauge.export(result, "mlflow", samples=False, name="new")
    names = {run.info.run_name for run in mlflow.MlflowClient(store).search_runs(["0"])}
    assert {first.info.run_name, "new"} == names


def test_a_folder_as_store(tmp_path: Path, result: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    uri = (tmp_path / "mlruns").as_uri()
    ragauge.export(result, "mlflow", uri=uri, experiment="папка")
    assert only_run(uri, "папка").data.metrics["chrf.low"] == result["chrf"].low


def test_refusals_are_errors_of_usage(store: str, result: Result) -> None:
    with pytest.raises(UsageError, match=r"MLflow refused the run: .* look at uri, experiment and run"):
        ragauge.export(result, "mlflow", uri=store, run="0" * 32)
    with pytest.raises(UsageError, match="MLflow refused the run"):
        ragauge.export(result, "mlflow", uri="nosuch://store", experiment="e")


@pytest.mark.parametrize(("module", "absent"), [("sqlalchemy", ["sqlalchemy", "alembic"]), ("alembic", ["alembic"])])
def test_a_database_without_its_libraries(module: str, absent: list[str], tmp_path: Path) -> None:
    code = f"""
import sys
sys.modules["{module}"] = None
import ragauge
result = ragauge.evaluate([{{"answer": "a", "references": ["a"]}}], "exact-match")
try:
    ragauge.export(result, "mlflow", uri="sqlite:///{tmp_path}/x.db", experiment="e")
except ragauge.UsageError as error:
    sys.stdout.write(str(error))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    # alembic needs sqlalchemy.
    needed = f"MLflow needs {' and '.join(absent)} for a database, not installed here"
    assert done.stdout == f"{needed}; run: pip install {' '.join(absent)}"


def test_a_run_that_breaks_is_marked_as_failed(store: str, result: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr("ragauge.writers.mlflow._log_files", full)
    with pytest.raises(UsageError, match="no space left"):
        ragauge.export(result, "mlflow", uri=store, experiment="e")
    assert only_run(store, "e").info.status == "FAILED"


def test_from_the_command_line(store: str, result: Result, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    result.save(tmp_path / "run", tag="новый")
    done = here(capsys, "export", tmp_path / "run", "--to", f"mlflow[uri={store},experiment=e]", "--name", "ชา")
    run = only_run(store, "e")
    assert done.code == 0
    assert done.out == f"mlflow: run {run.info.run_id} in {store}\n"
    assert (run.info.run_name, run.data.tags["ragauge.tag"]) == ("ชา", "новый")
