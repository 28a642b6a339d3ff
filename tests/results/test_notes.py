"""Notes and reasons of a saved run keep their code and values, so that they are worded in any language."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

import ragauge
from ragauge.core.arrow import to_arrow
from ragauge.core.messages import Counted, Face, Message, packed, unpacked, wording_of
from ragauge.results.notes import restored

CHINESE = Face("zh")
ROWS = [
    {
        "id": "a",
        "answer": "It opened in 1990.",
        "contexts": ["It opened in 1991."],
        "references": ["1991."],
        "x": "1",
    },
    {"id": "b", "answer": "It is red.", "contexts": ["It is red."], "references": ["Red."], "x": "2"},
]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    ragauge.evaluate(ROWS, ["groundedness", "token-f1"], evidence=True, resamples=0).save(tmp_path / "run")
    return tmp_path / "run"


def manifest(run: Path, **data: Any) -> list[str]:
    """Return the texts of the notes, after the keys of ``data`` were changed or, where None, removed."""
    path = run / "manifest.json"
    whole = json.loads(path.read_text("utf-8"))
    whole["data"] = {name: value for name, value in (whole["data"] | data).items() if value is not None}
    path.write_text(json.dumps(whole), "utf-8")
    notes: list[str] = whole["data"]["notes"]
    return notes


def test_notes_of_a_loaded_run_have_chinese(run: Path) -> None:
    notes = ragauge.load(run).data.notes
    assert list(notes) == manifest(run)
    assert wording_of(notes[-1], CHINESE) == "未使用的列：x"
    assert wording_of(notes[-1], Face()) == "unused columns: x"


def test_reasons_of_a_loaded_run_have_chinese(run: Path) -> None:
    result = ragauge.load(run)
    assert result.evidence is not None
    [row] = result.evidence.rows(to_arrow(["a"]))
    assert row["why"] == "the passage has 1991 where the claim has 1990"
    assert wording_of(row["why"], CHINESE) == "段落是 1991，论断是 1990"
    assert "message" not in result.explain("a").column_names


def test_runs_without_messages_and_with_wrong_ones_are_in_english(run: Path) -> None:
    notes = manifest(run)
    wrong: list[Any] = [
        None,
        7,
        {},
        [],
        ["x"] * len(notes),
        [packed(Message("RG-NOTE-003 read as {name}", "x"))] * len(notes),
    ]
    for messages in wrong:
        manifest(run, messages=messages)
        assert [wording_of(note, CHINESE) for note in ragauge.load(run).data.notes] == notes


@pytest.mark.parametrize(
    "value",
    [
        {"": "Message", "parts": ["{a.__class__}", "x"]},
        {"": "Message", "parts": ["{a:999999999}", "x"]},
        {"": "Message", "parts": ["{a}"]},
        {"": "Message", "parts": [7]},
        {"": "eval", "parts": ["1"]},
        {"": "Counted", "parts": ["x", "row"]},
        {"": []},
        "{",
    ],
)
def test_what_is_no_message_is_refused(value: Any) -> None:
    assert restored("text", value) == "text"


def test_a_template_reads_no_attribute_in_whatever_order_its_keys_come() -> None:
    value = {"parts": ["{a}{a.__class__}", "x"], "": "Message"}
    assert type(restored("x<class 'str'>", value)) is str


@pytest.mark.parametrize(
    "value",
    [
        {"": "Message", "parts": ["RG-RUN-019 text"]},
        {"": "Message", "parts": ["RG-RUN-019 {other}", "text"]},
        {"": "Joined", "parts": [["", "text"], "", " or "]},
    ],
)
def test_a_message_of_another_version_is_worded(value: Any) -> None:
    text = unpacked(value)
    assert wording_of(restored(str(text), value), CHINESE).endswith("text")


def test_a_message_belongs_to_its_text() -> None:
    rows = Counted(2, "row")
    assert restored("2 rows", packed(rows)).wording(CHINESE) == "2"
    assert type(restored("3 rows", packed(rows))) is str


def test_equal_reasons_of_evidence_are_restored_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    samples = [ROWS[0] | {"id": f"q{i}"} for i in range(5)]
    ragauge.evaluate(samples, "groundedness", evidence=True, resamples=0).save(tmp_path / "run")
    evidence = ragauge.load(tmp_path / "run").evidence
    assert evidence is not None
    spy = Mock(wraps=restored)
    monkeypatch.setattr("ragauge.results.evidence.restored", spy)
    rows = evidence.rows(to_arrow([f"q{i}" for i in range(5)]))
    assert len({row["id"] for row in rows}) == 5
    assert {id(row["why"]) for row in rows} == {id(rows[0]["why"])}
    assert isinstance(rows[0]["why"], Message)
    assert spy.call_count == 1
