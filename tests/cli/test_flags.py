"""One message, two callers: Python reads argument names, the command line its flags."""

from __future__ import annotations

from pathlib import Path

import pytest

import ragauge
from ragauge.cli.main import with_flags
from ragauge.errors import ColumnError
from tests.approved import approved, pattern

from .running import here, write_rows


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("pass force=True", "pass --force"),
        ("by='my topic': no such column", '--by "my topic": no such column'),
        ("map={'answer': \"it's\"}", '--map "answer=it\'s"'),
        ("score with resamples=1000.", "score with --resamples 1000."),
        ("metrics='ndcg:seed=1,lang=zh'", "--metric ndcg:seed=1,lang=zh"),
        ("option of bleu:seed=1 and system=None", "option of bleu:seed=1 and system=None"),
    ],
)
def test_arguments_become_flags(message: str, expected: str) -> None:
    from ragauge.cli.score import command

    assert with_flags(message, command) == expected
    assert with_flags(message, None) == message


@pytest.mark.parametrize(
    ("message", "given"),
    [
        ("seed=1 already exists", ["-o", "seed=1"]),
        ("runs of seed=1 are there", ["--save=runs of seed=1"]),
        ("'seed=1' and \"force=True\" are columns", []),
        ("seed=2 is not a saved run; did you mean seed=1?", ["seed=2"]),
    ],
)
def test_names_of_the_user_are_no_flags(message: str, given: list[str]) -> None:
    from ragauge.cli.score import command

    assert with_flags(message, command, given) == message


def test_a_folder_that_looks_like_an_argument(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    data = write_rows(tmp_path / "rows.jsonl", [{"id": "1", "answer": "a", "references": ["a"]}])
    call = ("score", data, "-m", "token-f1", "-o", "seed=1")
    assert here(capsys, *call).code == 0
    assert "error: seed=1 already exists. Name another directory, or pass --force" in here(capsys, *call).err
    assert "error: seed=2 is not a saved run" in here(capsys, "compare", "seed=1", "seed=2").err


def test_calls_that_save_become_the_command_that_does() -> None:
    assert with_flags("give what Result.save wrote", None) == "give what ragauge score -o wrote"


def test_python_callers_read_argument_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"id": "1", "vraag": "Wer?"}]
    with pytest.raises(ColumnError, match=pattern("evaluation.no_columns_python")):
        ragauge.evaluate(rows, "exact-match")
    done = here(capsys, "score", write_rows(tmp_path / "rows.jsonl", rows), "-m", "exact-match")
    assert done.err.splitlines()[-1] == approved("evaluation.no_columns_flags")


def test_a_flag_is_known_by_its_own_name_too(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    from ragauge.cli.gate import command

    assert with_flags("as min={'mrr': 0.4}", command) == "as --min mrr=0.4"
    ragauge.evaluate([{"id": "1", "answer": "a", "references": ["a"]}], "exact-match").save(tmp_path / "run")
    done = here(capsys, "gate", str(tmp_path / "run"))
    assert "--min mrr=0.4, --max-drop mrr=0.02, --max-failed 1% or --min-scored 100." in done.err
    done = here(capsys, "gate", str(tmp_path / "run"), "--max-drop", "exact-match=0.1")
    assert "--max-drop exact-match=0.1 needs a baseline to compare with; got none. Pass --baseline" in done.err


def test_validate_names_flags_in_errors_and_notes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    rows = [{"id": str(i), "answer": "茶很热", "references": ["茶很热"], "good": i % 2} for i in range(6)]
    data = write_rows(tmp_path / "rows.jsonl", rows)
    call = ("validate", data, "-m", "rouge-1", "--resamples", "9")
    assert "must get --human COLUMN, the labels, or --labels COLUMN" in here(capsys, *call).err
    assert "--human goood: the data have no column" in here(capsys, *call, "--human", "goood").err
    assert "tokenizer auto" not in here(capsys, *call, "--human", "good").out
    shown = here(capsys, *call, "--human", "good", "-v").out
    assert "--lang TAG takes" in shown
    assert "lang='TAG'" in here(capsys, *call, "--human", "good", "--output-format", "json").out
