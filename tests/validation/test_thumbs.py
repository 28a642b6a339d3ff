"""Labels that readers of ``ragauge view`` gave, as those of validation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import ragauge
from ragauge.errors import UsageError
from ragauge.results.thumbs import Thumbs, answers_by_id
from tests.cli.running import here
from tests.reports.runs import make_result, rows


@pytest.fixture
def thumbed(tmp_path: Path) -> Path:
    """A run of which a reader called 30 of 40 answers good where they are right, and others bad."""
    given = rows(40, ("en",), skill=0.5, failures=0)
    make_result(given, ("exact-match", "rouge-l"), by=[]).save(tmp_path / "today")
    answers = answers_by_id(ragauge.load(tmp_path / "today"))
    for row in given[:30]:
        right = row["references"][0] in row["answer"]
        Thumbs.of_run(tmp_path / "today").add(row["id"], answers[row["id"]], good=right)
    return tmp_path / "today"


def test_a_run_is_validated_by_its_thumbs_where_no_labels_are_named(thumbed: Path) -> None:
    found = ragauge.validate(thumbed)
    given = rows(40, ("en",), skill=0.5, failures=0)
    labelled = [
        {**row, "good": row["references"][0] in row["answer"] if place < 30 else None}
        for place, row in enumerate(given)
    ]
    expected = ragauge.validate(labelled, ["exact-match", "rouge-l"], human="good")
    assert found.samples == expected.samples == 30
    assert [one.value for one in found.agreements] == pytest.approx(
        [one.value for one in expected.agreements], nan_ok=True
    )
    best = max(found[name, "balanced accuracy"].value for name in ("exact-match", "rouge-l"))
    assert found.notes[0].endswith(f"agrees with your 30 labels in {best:.0%} (good and bad ones weigh the same)")
    assert not any("agrees with your" in note for note in expected.notes)


def test_the_command_says_so(thumbed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = here(capsys, "validate", thumbed)
    assert done.code == 0
    assert "agrees with your 30 labels in" in done.out


def test_labels_of_other_answers_are_none(thumbed: Path) -> None:
    file = Thumbs.of_run(thumbed).file
    lines = [json.loads(line) | {"answer": "0" * 16} for line in file.read_text(encoding="utf-8").splitlines()]
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    with pytest.raises(UsageError, match="needs labels"):
        ragauge.validate(thumbed)
