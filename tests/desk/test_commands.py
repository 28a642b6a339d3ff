"""What commands say to somebody at the desk: rows without ids, wrong calls, and what to type."""

from __future__ import annotations

from pathlib import Path

import pytest

import ragauge
from tests.cli.running import here, write_rows

ROWS = [
    {"question": "Who?", "answer": "Anna grows tea.", "contexts": ["Anna grows tea in Yunnan."]},
    {"question": "When?", "answer": "In 1985.", "contexts": ["It opened in 1990."]},
]


def test_a_sample_without_an_id_is_named_by_its_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "run"
    ragauge.evaluate(write_rows(tmp_path / "a.jsonl", ROWS), "groundedness", evidence=True).save(run)
    second = here(capsys, "explain", run, "--row", 2)
    assert second.out.splitlines()[0].endswith("  (row 2)")
    assert "In 1985." in second.out
    assert "  (row 2)" in here(capsys, "explain", run, "--worst", 1).out
    assert "; for row 2 of the data: --row 2" in here(capsys, "explain", run, "--id", 2).err
    assert here(capsys, "explain", run, "--row", 3).err == "error: the run has 2 rows; got --row 3\n"
    assert "pass one of them" in here(capsys, "explain", run, "--row", 1, "--worst", 1).err


def test_wrong_calls_have_one_voice(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, message in {
        ("export", "run"): "error: missing option '--to'.",
        ("explain", "run", "--rov"): "error: no such option '--rov'.",
    }.items():
        done = here(capsys, *arguments)
        assert done.code == 2
        assert message in done.err
        assert f"Try ragauge {arguments[0]} --help for help." in done.err


def test_errors_say_what_to_type(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_rows(tmp_path / "a.jsonl", ROWS)
    ragauge.evaluate(path, "groundedness", resamples=0).save(tmp_path / "run")
    gate = here(capsys, "export", tmp_path / "run", "--to", "junit").err
    assert "Pass --gate; [gate] in ragauge.toml may hold its rules" in gate
    commas = here(capsys, "score", path, "-m", "judged-criteria:criteria=polite, short").err
    assert 'a value with a comma is in double quotes: criteria="..."' in commas
    address = here(capsys, "score", path, "-m", "answer-relevancy", "--embedder", "http://localhost:1/v1").err
    assert '--embedder "http[url=http://localhost:1/v1,model=NAME]"' in address
