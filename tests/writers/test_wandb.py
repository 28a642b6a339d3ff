"""Runs of Weights & Biases, kept in a folder."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ragauge
from ragauge.results.result import Result
from tests.writers.runs import LABELS, library, some_result

wandb = library("wandb")


@pytest.fixture(scope="module")
def result() -> Result:
    return some_result()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("MODE", "CACHE_DIR", "CONFIG_DIR", "DATA_DIR"):
        monkeypatch.setenv(f"WANDB_{name}", "offline" if name == "MODE" else str(tmp_path / name))
    return tmp_path


def records(content: bytes) -> Iterator[bytes]:
    """Yield the records of a log of LevelDB, behind the 7 bytes of wandb's own header."""
    place, record = 7, b""
    while place + 7 <= len(content):
        left = 32_768 - place % 32_768
        if left < 7:
            place += left
            continue
        _, length, kind = struct.unpack_from("<IHB", content, place)
        record += content[place + 7 : place + 7 + length]
        place += 7 + length
        # Whole, or the last part of one.
        if kind in (1, 4):
            yield record
            record = b""


def kept(folder: Path) -> dict[str, Any]:
    """Return the last value of each key that the only run in ``folder`` holds, and its config."""
    from wandb.proto import wandb_internal_pb2

    # The process that writes the file ends.
    wandb.teardown()
    [file] = (folder / "wandb").glob("offline-run-*/*.wandb")
    values: dict[str, Any] = {}
    for data in records(file.read_bytes()):
        record = wandb_internal_pb2.Record()
        record.ParseFromString(data)
        for item in [*record.history.item, *record.summary.update]:
            values["/".join(item.nested_key) or item.key] = json.loads(item.value_json)
        for item in [*record.run.config.update, *record.config.update]:
            values[f"config {item.key or item.nested_key[0]}"] = json.loads(item.value_json)
        values |= {"name": record.run.display_name, "project": record.run.project} if record.run.run_id else {}
    return values


def test_a_run_is_kept_offline(folder: Path, result: Result, capsys: pytest.CaptureFixture[str]) -> None:
    written = ragauge.export(result, "wandb", project="茶", folder=str(folder), name="今天")
    values = kept(folder)
    assert (values["name"], values["project"]) == ("今天", "茶")
    score = result["exact-match"]
    numbers = [values[f"exact-match{end}"] for end in ("", "/low", "/high", "/coverage", "/failed")]
    assert numbers == [score.value, score.low, score.high, 8 / 11, 1]
    assert values[LABELS[0]] == result[LABELS[0]].value
    assert values["config ragauge"]["metrics"]["latency"]["direction"] == "lower"
    assert values["config ragauge"]["metrics"]["chrf"]["signature"] == result["chrf"].signature
    [path] = (folder / "wandb").glob("offline-run-*/files/media/table/**/*.json")
    table = json.loads(path.read_text(encoding="utf-8"))
    place = table["columns"].index("exact-match|status")
    assert [row[place] for row in table["data"]] == result.statuses("exact-match").tolist()
    assert len(list((folder / "wandb").glob("offline-run-*/files/media/html/**/*.html"))) == 1
    assert written.where.endswith(f"wandb sync {written.where.partition(';')[0]}")
    assert capsys.readouterr().out == ""
    assert wandb.run is None


def test_an_open_run_gets_the_scores_and_stays_open(folder: Path, result: Result) -> None:
    with wandb.init(project="p", dir=str(folder), settings=wandb.Settings(silent=True, console="off")) as opened:
        ragauge.export(result, "wandb", samples=False)
        assert wandb.run is opened
        assert opened.summary["chrf"] == result["chrf"].value


def test_long_tables_are_split_and_not_cut(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wandb.Table, "MAX_ARTIFACT_ROWS", 4)
    ragauge.export(some_result(resamples=0), "wandb", folder=str(folder))
    wandb.teardown()
    paths = (folder / "wandb").glob("offline-run-*/files/media/table/**/*.json")
    tables = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    assert sorted(len(table["data"]) for table in tables) == [3, 4, 4]
