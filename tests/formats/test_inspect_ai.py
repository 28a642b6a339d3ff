"""Samples, logs and frames of inspect_ai."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pyarrow as pa
import pytest

import ragauge
from ragauge.errors import DataError
from ragauge.formats import read
from tests.frameworks.reading import ANSWER, FIRST, GOLD, QUESTION, READ, SECOND, TEXTS, parts, rows

INSPECT = {
    "id": "s1",
    "epoch": 1,
    "input": [{"role": "system", "content": "short"}, {"role": "user", "content": QUESTION}],
    "target": [GOLD],
    "messages": [],
    "output": {"model": "a", "choices": [], "completion": ANSWER},
    "metadata": {"contexts": TEXTS, "level": 2},
    "scores": {"includes": {"value": "C", "answer": ANSWER}},
}


def test_logs_of_inspect(tmp_path: Path) -> None:
    log, expected = tmp_path / "log.json", {**READ, "references": [GOLD]}
    samples = [INSPECT, {**INSPECT, "epoch": 2}]
    log.write_text(json.dumps({"version": 2, "eval": {"model": "a"}, "samples": samples}), encoding="utf-8")
    with zipfile.ZipFile(tmp_path / "log.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", "{}")
        for place, one in enumerate(samples):
            archive.writestr(f"samples/s1_epoch_{place}.json", json.dumps(one))
    for path in (log, tmp_path / "log.eval"):
        first, second = rows(path)
        assert {name: first[name] for name in expected} == {name: second[name] for name in expected} == expected
        assert (first["level"], first["includes"]) == (2, "C")
    assert parts([{**INSPECT, "output": {}, "error": {"message": "no model"}}])["failure"] == "no model"
    (tmp_path / "bad.eval").write_bytes(b"PK\x03\x04 no archive")
    with pytest.raises(DataError, match=r"bad.eval: cannot be read as a log of inspect_ai"):
        read(tmp_path / "bad.eval")


ERROR = {"message": "TimeoutError('no answer')", "traceback": "Traceback ..."}
UNANSWERED = {"output": {"model": "", "choices": [], "completion": ""}, "scores": None}


def test_samples_with_an_error_failed_for_that_reason(tmp_path: Path) -> None:
    failed = {**INSPECT, **UNANSWERED, "error": ERROR}
    ended = {**INSPECT, **UNANSWERED, "id": "s2", "limit": {"type": "time", "limit": 60}}
    log = tmp_path / "log.json"
    log.write_text(json.dumps({"version": 2, "status": "error", "eval": {}, "samples": [failed, ended]}))
    for source in (log, [{"eval": {}, "samples": [failed, ended]}]):
        result = ragauge.evaluate(source, "token-f1", resamples=0)
        assert (result["token-f1"].failed, result["token-f1"].scored) == (2, 0)
        reasons = [reason for batch in read(source).batches() for reason in batch.column("failure").to_pylist()]
        assert reasons == ["TimeoutError('no answer')", "limit: time"]
    # A limit that ended a sample after its answer leaves the answer.
    assert parts([{**INSPECT, "limit": {"type": "token", "limit": 9}}])["answer"] == ANSWER


def test_a_log_without_samples_says_why(tmp_path: Path) -> None:
    log = {"version": 2, "status": "error", "eval": {}, "plan": {}, "results": None, "stats": {}, "error": ERROR}
    (tmp_path / "log.json").write_text(json.dumps(log), encoding="utf-8")
    with zipfile.ZipFile(tmp_path / "log.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps(log))
    for name in ("log.json", "log.eval"):
        with pytest.raises(
            DataError, match=r"has no samples: its evaluation ended with TimeoutError\('no answer'\); name"
        ):
            read(tmp_path / name)


def test_frames_of_inspect() -> None:
    """As samples_df of inspect_ai 0.3.285 writes them."""
    first = {
        "sample_id": "u1", "eval_id": "e1", "log": "a.eval", "id": "s1", "epoch": 1, "choices": None, "target": GOLD,
        "input": f"system:\nBe short.\n\n\nuser:\n{QUESTION}\n", "metadata_contexts": json.dumps([FIRST, SECOND]),
        "metadata_level": 2, "score_includes": "C", "error": "", "output": None,
        "messages": f"system:\nBe short.\n\n\nuser:\n{QUESTION}\n\n\nassistant:\n{ANSWER}\n",
    }  # fmt: skip
    frame = [
        first,
        {**first, "epoch": 2, "output": "Nobody, or\nsomebody."},
        {**first, "eval_id": "e2", "error": "ValueError('no kettle')"},
    ]
    for source in (frame, pa.Table.from_pylist(frame)):
        one, again, failed = rows(source)
        expected = {**READ, "references": [GOLD]}
        assert {name: one[name] for name in expected} == expected
        assert (one["level"], one["includes"], again["answer"]) == (2, "C", "Nobody, or\nsomebody.")
        assert ("answer" in failed, failed["failure"]) == (False, "ValueError('no kettle')")
        ids = [name for batch in read(source).batches() for name in batch.column("id").to_pylist()]
        assert ids == ["s1", "s1-2", "s1-e2"]
    without = {name: value for name, value in first.items() if name != "messages"} | {"target": "1990,in 1990"}
    data = read([without])
    assert "answer" not in data.columns
    assert any(note.startswith("the frame has no answers: make it with samples_df") for note in data.notes)
    assert any("several targets of a sample are joined by commas" in note for note in data.notes)
    assert rows([{**first, "input": QUESTION}])[0]["question"] == QUESTION
