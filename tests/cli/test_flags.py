"""One message, two callers: Python reads argument names, the command line its flags."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import ragauge
from ragauge.cli.faces import flags_of
from ragauge.core.messages import Argument, Face, Phrase, Spelled
from ragauge.errors import ColumnError
from tests.approved import approved, pattern

from .running import here, write_rows


@pytest.mark.parametrize(
    ("argument", "python", "flag"),
    [
        (Argument("force", value=True), "force=True", "--force"),
        (Argument("by", "my topic"), "by='my topic'", '--by "my topic"'),
        (Argument("map", {"answer": "it's"}), "map={'answer': \"it's\"}", '--map "answer=it\'s"'),
        (Argument("resamples", 1000), "resamples=1000", "--resamples 1000"),
        (Argument("metrics", "ndcg:seed=1,lang=zh"), "metrics='ndcg:seed=1,lang=zh'", "--metric ndcg:seed=1,lang=zh"),
        (Argument("system", None), "system=None", "system=None"),
        (Spelled("Result.save", "ragauge score -o"), "Result.save", "ragauge score -o"),
    ],
)
def test_arguments_become_flags(argument: Phrase, python: str, flag: str) -> None:
    from ragauge.cli.score import command

    assert argument.wording(Face(flags=flags_of(command))) == flag
    assert str(argument) == argument.wording(Face()) == python


def test_a_folder_that_looks_like_an_argument(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    data = write_rows(tmp_path / "rows.jsonl", [{"id": "1", "answer": "a", "references": ["a"]}])
    call = ("score", data, "-m", "token-f1", "-o", "seed=1")
    assert here(capsys, *call).code == 0
    assert "error: seed=1 already exists. Name another directory, or pass --force" in here(capsys, *call).err
    assert "error: seed=2 is not a saved run" in here(capsys, "compare", "seed=1", "seed=2").err


def test_python_callers_read_argument_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"id": "1", "kysymys": "Wer?"}]
    with pytest.raises(ColumnError, match=pattern("evaluation.no_columns_python")):
        ragauge.evaluate(rows, "exact-match")
    done = here(capsys, "score", write_rows(tmp_path / "rows.jsonl", rows), "-m", "exact-match")
    assert done.err.splitlines()[-1] == approved("evaluation.no_columns_flags")


def test_a_flag_is_known_by_its_own_name_too(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    ragauge.evaluate([{"id": "1", "answer": "a", "references": ["a"]}], "exact-match").save(tmp_path / "run")
    done = here(capsys, "gate", str(tmp_path / "run"))
    assert "--min mrr=0.4, --max-drop mrr=0.02, --max-failed 1% or --min-scored 100." in done.err
    done = here(capsys, "gate", str(tmp_path / "run"), "--max-drop", "exact-match=0.1")
    assert "--max-drop exact-match=0.1 needs a baseline to compare with; got none. Pass --baseline" in done.err


@pytest.mark.parametrize("command", ["explain", "export", "gate", "history", "report"])
def test_every_command_shows_codes_with_v(capsys: pytest.CaptureFixture[str], tmp_path: Path, command: str) -> None:
    more = {"export": ("--to", "junit"), "gate": ("--max-failed", "1%")}.get(command, ())
    call = (command, tmp_path / "nothing", *more)
    plain, with_code = here(capsys, *call), here(capsys, *call, "-v")
    assert plain.code == with_code.code != 0
    assert re.sub(r" \[RG-[A-Z]+-\d{3}]", "", with_code.err) == plain.err != with_code.err


def test_validate_names_flags_in_errors_and_notes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    rows = [{"id": str(i), "answer": "茶很热", "references": ["茶很热"], "good": i % 2} for i in range(6)]
    data = write_rows(tmp_path / "rows.jsonl", rows)
    call = ("validate", data, "-m", "rouge-1", "--resamples", "9")
    assert (
        "needs labels; got none. Pass --human COLUMN, or --labels COLUMN where few samples have them"
        in here(capsys, *call).err
    )
    assert "--human goood: the data have no column" in here(capsys, *call, "--human", "goood").err
    assert "tokenizer auto" not in here(capsys, *call, "--human", "good").out
    shown = here(capsys, *call, "--human", "good", "-v").out
    assert "--lang TAG takes" in shown
    assert "lang='TAG'" in here(capsys, *call, "--human", "good", "--output-format", "json").out
