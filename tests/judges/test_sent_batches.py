"""Batches that were sent are remembered, and a run that would pay them again says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragauge.errors import UsageError
from ragauge.judges import Session
from ragauge.judges.sent_batches import Asked, SentBatch, SentBatches

BATCH = SentBatch("mark", "judge", 1.0, ("chat", "x"), {"0a": Asked("rate", "p", ("q", "в"), 5)}, "batch_9")


def test_what_is_remembered_is_read(tmp_path: Path) -> None:
    file = SentBatches(tmp_path / "judge.sqlite")
    file.remember(BATCH)
    (read,) = SentBatches(tmp_path / "judge.sqlite").read()
    assert read.row == BATCH.row
    file.forget(BATCH)
    assert file.read() == []
    file.close()


@pytest.mark.parametrize("number", [1, 2])
def test_a_run_without_batches_says_that_some_are_under_way(
    number: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cache = tmp_path / "judge.sqlite"
    sent = [SentBatch(str(one), "judge", 0.0, ("chat", "x"), {}, f"batch_{one}") for one in range(number)]
    file = SentBatches(cache)
    for one in sent:
        file.remember(one)
    for batch, offline in ((True, False), (False, True), (False, False)):
        caplog.clear()
        Session(cache, batch=batch, offline=offline).close()
        said = "".join(caplog.messages)
        assert ("they may be paid twice" in said) is not (batch or offline)
    assert said.startswith("1 batch is" if number == 1 else "2 batches are")
    for one in sent:
        file.forget(one)
    file.close()
    caplog.clear()
    Session(cache).close()
    assert not caplog.messages


def test_another_file_is_refused(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "judge.sqlite.batches").write_text("no table", encoding="utf-8")
    with pytest.raises(UsageError, match="cannot be read"):
        SentBatches(tmp_path / "judge.sqlite").read()
    Session(tmp_path / "judge.sqlite").close()
    assert not [record for record in caplog.records if record.name == "ragauge"]
