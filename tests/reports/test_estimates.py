"""The scores so far of what is not saved yet."""

from __future__ import annotations

import json
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import numpy as np
import pytest

import ragauge
from ragauge.core.statistics import Status
from ragauge.engines import part_files
from ragauge.reports.viewer.estimates import Estimates, lines_of, of_answers, of_parts
from ragauge.reports.viewer.folders import RunFolders
from ragauge.reports.viewer.under_way import Watch
from ragauge.systems.answers import SystemAnswer, answer_file
from tests.reports.runs import make_result, make_run, rows

METRICS = ("token-f1", "groundedness", "column:name=latency,direction=lower", "bleu")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A saved run of 40 questions."""
    make_run(tmp_path / "old", metrics=METRICS, by=[], failures=0)
    return tmp_path


def answered(folder: Path, given: list[dict[str, Any]], **changed: Any) -> Path:
    """Write a file of answers as ``ask`` does; the last one failed."""
    path = folder / "new.answers.jsonl"
    with answer_file(path, "app:answer", resume=False, questions=40) as file:
        for row in given[:-1]:
            output = {name: row[name] for name in ("answer", "contexts", "retrieved", "retrieved_scores")}
            file.add(
                SystemAnswer(**{"id": row["id"], "question": row["question"], **changed}, columns=output, latency=0.5)
            )
        file.add(SystemAnswer(given[-1]["id"], given[-1]["question"], None, "timeout"))
    return path


def test_answers_have_the_scores_that_they_will_have_beside_those_of_the_run_before(folder: Path) -> None:
    given = rows(seed=5, skill=0.9, failures=0)[::3]
    found = {one.metric: one for one in of_answers(answered(folder, given), RunFolders([folder]).runs())}
    now = [{**row, "latency": 0.5} for row in given[:-1]] + [{**given[-1], "answer": None, "failure": "timeout"}]
    expected = make_result(now, METRICS, by=[])
    old = ragauge.load(folder / "old")
    ids = old.sample_ids().to_pylist()
    places = [ids.index(row["id"]) for row in given]
    assert set(found) == set(expected.metrics)
    for name, one in found.items():
        score = expected[name]
        assert (one.value, one.low, one.high, one.samples) == (score.value, score.low, score.high, len(given) - 1)
        if name == "bleu":
            assert one.base == ""  # of a corpus there is no mean of samples
        else:
            assert one.before == pytest.approx(np.mean(old.columns[name].scores[places]))
            assert one.base == "old"


def test_estimates_are_told_below_how_many_samples_they_rest_on(folder: Path) -> None:
    path = answered(folder, rows(seed=5, failures=0)[:11])
    head, *lines = lines_of(list(of_answers(path, RunFolders([folder]).runs())))
    assert (head.key, head.values) == ("view.so-far.before", {"n": "10", "base": "old"})
    assert [line.key for line in lines] == ["view.estimate.before"] * 3 + ["view.estimate"]
    assert lines_of([]) == []


def test_without_a_run_of_the_same_questions_nothing_is_estimated(folder: Path) -> None:
    given = rows(failures=0)[:5]
    runs = RunFolders([folder]).runs()
    assert list(of_answers(answered(folder, given, question="another?"), runs)) == []
    (folder / "new.answers.jsonl").unlink()
    assert list(of_answers(answered(folder, [{**row, "id": f"x{row['id']}"} for row in given]), runs)) == []
    (folder / "new.answers.jsonl").unlink()
    assert list(of_answers(answered(folder, given), [])) == []


def test_finished_parts_have_the_mean_of_their_scores(tmp_path: Path) -> None:
    data = tmp_path / "data.jsonl"
    data.write_text("\n".join(json.dumps(row) for row in rows(60, failures=0)), encoding="utf-8")
    parts = tmp_path / "today.parts"
    result = ragauge.evaluate(data, ("token-f1", "bleu"), workers=1, parts=parts)
    kept = sorted(parts.glob(part_files.PART))
    assert kept
    [found] = of_parts(parts)  # BLEU is of a corpus
    column = result.columns["token-f1"]
    scores = column.scores[column.status == Status.OK]
    half = 1.96 * scores.std(ddof=1) / np.sqrt(len(scores))
    expected = (scores.mean(), scores.mean() - half, scores.mean() + half)
    assert (found.value, found.low, found.high) == pytest.approx(expected)
    assert (found.metric, found.samples, found.base) == ("token-f1", 60, "")
    kept[0].write_bytes(kept[0].read_bytes()[:-9])
    assert list(of_parts(parts)) == []


def test_estimates_are_made_again_when_there_is_a_tenth_more(folder: Path) -> None:
    given = rows(seed=5, failures=0)
    path = answered(folder, given[:20])
    folders, estimates = RunFolders([folder]), Estimates()

    def seen(least: int) -> int:
        """Return on how many samples the estimates rest, once these are at least ``least``."""
        runs = folders.runs()
        under_way = Watch(folders.roots).under_way(runs, folders.folders())
        end, samples = monotonic() + 60, 0
        while samples < least and monotonic() < end:
            samples = next((one.samples for many in estimates.of(under_way, runs).values() for one in many), 0)
            sleep(0.01)
        return samples

    assert seen(19) == 19
    for count, expected in ((21, 19), (30, 29)):
        path.unlink()
        answered(folder, given[:count])
        assert seen(expected) == expected
