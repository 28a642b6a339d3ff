"""The file of thumbs beside a run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import ragauge
from ragauge.errors import UsageError
from ragauge.results.thumbs import THUMBS, Thumbs, answers_by_id, with_thumbs


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A saved run of three samples."""
    rows = [{"id": name, "answer": f"{name}!", "references": ["茶!"]} for name in ("茶", "b", "__proto__")]
    ragauge.evaluate(rows, "exact-match").save(tmp_path / "today")
    return tmp_path / "today"


def test_the_last_thumb_of_an_answer_counts_and_one_of_another_answer_does_not(run: Path) -> None:
    thumbs, answers = Thumbs.of_run(run), answers_by_id(ragauge.load(run))
    assert thumbs.file == run.parent / "today.thumbs.jsonl"
    for name, good in (("茶", False), ("茶", True), ("b", True), ("__proto__", False), ("b", None)):
        thumbs.add(name, answers[name], good=good)
    assert thumbs.read(answers) == {"茶": True, "__proto__": False}
    assert thumbs.read({**answers, "茶": "another answer"}) == {"__proto__": False}
    with thumbs.file.open("a", encoding="utf-8") as file:
        file.write('[]\n{"id": ["茶"], "answer": "", "good": 1}\n{"id": "b"}\n\x00\n{"id": "茶", "ans')
    assert thumbs.read(answers) == {"茶": True, "__proto__": False}


def test_a_link_is_neither_read_nor_written(run: Path, tmp_path: Path) -> None:
    thumbs, answers = Thumbs.of_run(run), answers_by_id(ragauge.load(run))
    thumbs.add("b", answers["b"], good=True)
    outside = tmp_path / "outside"
    thumbs.file.rename(outside)
    thumbs.file.symlink_to(outside)
    assert thumbs.read(answers) == {}
    with pytest.raises(UsageError, match=r"RG-REPORT-015|cannot be written"):
        thumbs.add("b", answers["b"], good=False)
    assert len(outside.read_text(encoding="utf-8").splitlines()) == 1


def test_thumbs_become_a_column_in_place_of_one_of_that_name(run: Path) -> None:
    result = ragauge.load(run)
    assert with_thumbs(result, run) is None
    for name, good in (("茶", True), ("b", False)):
        Thumbs.of_run(run).add(name, answers_by_id(result)[name], good=good)
    for _ in range(2):
        labelled = with_thumbs(result, run)
        assert labelled is not None
        assert labelled.column(THUMBS).to_pylist() == [True, False, None]
        result = labelled
    assert [json.loads(line)["good"] for line in Thumbs.of_run(run).file.read_text(encoding="utf-8").splitlines()] == [
        True,
        False,
    ]
