"""The call and the command that write a run; every target is held to the same."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import ragauge
from ragauge import FinishedRun, Writer, Written
from ragauge.core.registry import entries, make_ingredient
from ragauge.errors import DataError, OptionError, UnknownNameError
from ragauge.writers.samples import sample_rows
from tests.cli.running import here
from tests.writers.runs import some_result


@dataclass(frozen=True)
class Kept:
    """Keeps what it was given."""

    runs: list[FinishedRun] = field(default_factory=list)

    def write(self, run: FinishedRun) -> Written:
        self.runs.append(run)
        return Written("here", ("one\nnote",))


def test_a_writer_of_ones_own_gets_the_run_and_what_is_known_of_it(tmp_path: Path) -> None:
    result, kept = some_result(), Kept()
    result.save(tmp_path / "今天", tag="новый")
    gate = ragauge.gate(result, min={"exact-match": 0.1}, min_coverage=0.5)
    written = ragauge.export(str(tmp_path / "今天"), kept, baseline=result, gate=gate)
    [run] = kept.runs
    assert (run.name, run.manifest["tag"], run.baseline, run.gate) == ("今天", "новый", result, gate)
    assert run.ids()[0] == f"{1:032x}"
    assert run.column("language")[:3] == ["zh", "ja", "ko"]
    assert run.column("нет") == [None] * 11
    assert str(written) == "here\none\nnote"


def test_the_name_is_given_or_that_of_the_folder() -> None:
    kept = Kept()
    ragauge.export(some_result(), kept)
    ragauge.export(some_result(), kept, name="तीन")
    assert [run.name for run in kept.runs] == ["ragauge", "तीन"]


def test_options_stand_in_brackets_or_beside() -> None:
    beside = entries("writer")["mlflow"].cls(experiment="茶", samples=False)
    assert make_ingredient("writer", "mlflow[experiment=茶,samples=false]") == beside
    assert str(beside) == "mlflow[experiment=茶,samples=false]"


@pytest.mark.parametrize("name", [name for name, entry in entries("writer").items() if entry.alias_of is None])
def test_every_writer_keeps_the_protocol(name: str) -> None:
    cls: Any = entries("writer")[name].cls
    assert callable(cls.write)
    assert cls.__doc__
    assert cls.__module__ == f"ragauge.writers.{name.replace('-', '_')}"


@pytest.mark.parametrize(
    ("to", "options", "error", "message"),
    [
        ("mlfow", {}, UnknownNameError, "unknown writer 'mlfow'; did you mean mlflow"),
        ("mlflow", {"experimet": "x"}, OptionError, "has no option 'experimet'; did you mean experiment"),
        ("mlflow[run=x]", {"experiment": "x"}, OptionError, "the name of a target alone where options are given"),
        ("mlflow", {"samples": "yes"}, OptionError, "option 'samples' of writer 'mlflow' must be"),
        (7, {}, OptionError, "must be a target such as 'mlflow', or an object with write"),
        (Kept(), {"experiment": "x"}, OptionError, "has no option 'experiment'"),
        ("mlflow", {"gate": 1}, OptionError, "must be what ragauge.gate returned; got 1"),
        ("mlflow", {"name": 1}, OptionError, "option 'name' of export must be a text; got 1"),
        ("mlflow", {"baseline": 1}, OptionError, "option 'baseline' of export must be a result"),
    ],
)
def test_wrong_calls(to: Any, options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        ragauge.export(some_result(), to, **options)


def test_no_saved_run(tmp_path: Path) -> None:
    with pytest.raises(DataError):
        ragauge.export(tmp_path, "mlflow")


def test_the_command_knows_all_targets_before_it_writes(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    some_result().save("run")
    done = here(capsys, "export", "run", "--to", "mlflow[uri=sqlite:///x.db]", "--to", "nowhere")
    assert (done.code, list(tmp_path.iterdir())) == (2, [tmp_path / "run"])
    assert "unknown writer 'nowhere'" in done.err
    assert here(capsys, "export", "run").code == 2
    assert here(capsys, "export", "nothing", "--to", "mlflow").code == 3


def test_the_command_passes_baseline_and_gate(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    some_result().save("ран", tag="t")
    some_result().save("base")
    kept = Kept()
    monkeypatch.setattr("ragauge.writers.writer.writer", lambda _: kept)
    Path("ragauge.toml").write_text("[gate]\nmin-scored = 9\n", encoding="utf-8")
    done = here(capsys, "export", "ран", "--to", "kept[a=b]", "--baseline", "base", "--gate", "--name", "今天")
    [run] = kept.runs
    assert (done.code, done.out, done.err) == (0, "kept: here\n", "kept: one\nnote\n")
    assert (run.name, run.baseline is not None, run.gate is not None and run.gate.passed) == ("今天", True, False)
    done = here(capsys, "export", "base", "--to", "kept", "--output-format", "json")
    assert done.json == {"written": [{"target": "kept", "where": "here", "notes": ["one\nnote"]}]}
    kept.runs.pop()
    Path("rules.toml").write_text("[gate]\nmin-scored = 1\n", encoding="utf-8")
    here(capsys, "export", "ран", "--to", "kept", "--config", "rules.toml")
    assert kept.runs[1].gate is not None
    assert kept.runs[1].gate.passed
    assert here(capsys, "export", "ран", "--to", "kept", "--config", "nothing.toml").code == 2


def test_no_library_of_a_target_is_imported_before_it_is_used() -> None:
    code = "import sys, ragauge; ragauge.export; from ragauge.core.registry import entries; entries('writer'); print(*{\
name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()).isdisjoint({"mlflow", "wandb", "trackio", "opentelemetry", "langfuse", "openpyxl"})


def test_names_of_files_that_are_not_utf_8_are_escaped(tmp_path: Path) -> None:
    kept = Kept()
    some_result().save(os.fsdecode(bytes(tmp_path / "r") + b"\xff"))
    ragauge.export(os.fsdecode(bytes(tmp_path / "r") + b"\xff"), kept)
    assert kept.runs[0].name == "r\\udcff"


def test_numbers_that_json_does_not_have_are_null() -> None:
    table = pa.table({"x": [1.0, float("inf"), float("nan")], "n": [1, None, 3]})
    assert list(sample_rows(table)) == [[1.0, 1], [None, None], [None, 3]]


def test_ragauge_writer_is_a_protocol() -> None:
    assert isinstance(Kept(), Writer)
    assert not isinstance(object(), Writer)
