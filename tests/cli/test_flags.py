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


def test_python_callers_read_argument_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"id": "1", "frage": "Wer?"}]
    with pytest.raises(ColumnError, match=pattern("evaluation.no_columns_python")):
        ragauge.evaluate(rows, "exact-match")
    done = here(capsys, "score", write_rows(tmp_path / "rows.jsonl", rows), "-m", "exact-match")
    assert done.err.splitlines()[-1] == approved("evaluation.no_columns_flags")
