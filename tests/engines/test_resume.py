"""Resuming with the scores of a saved run: only what failed is scored, and the result is that of a whole run."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ragauge
from ragauge.errors import DataError, UsageError
from ragauge.judges import Session
from ragauge.results.result import Result
from tests.judges.conftest import ChatServer, chat_answer, listening, server

__all__ = ["listening", "server"]
TEXTS = [
    "茶馆八点开门。",
    "お茶は二百円です。",
    "차는 천 원입니다.",
    "Чайная у реки.",
    "يفتح المقهى في الثامنة.",
    "चाय दस रुपये की है।",
    "ร้านชาอยู่ริมแม่น้ำ",
    "Anna runs it.",
]
ROWS: list[dict[str, Any]] = [
    {"id": f"问{place}س", "answer": f"{text} {place}", "contexts": [text], "references": [text], "house": place % 3}
    for place, text in enumerate(TEXTS * 3)
]
RATING = "judged-groundedness-rating"


@pytest.fixture(autouse=True)
def _replies(server: ChatServer) -> None:
    server.reply = rated


def rated(body: dict[str, Any], _turn: int) -> dict[str, Any]:
    return chat_answer({"rating": len(json.dumps(body["messages"])) % 3})


def rated_without_russian(body: dict[str, Any], turn: int) -> dict[str, Any]:
    """Reply without JSON where the text is the Russian one, also to the second request about it."""
    return chat_answer("no") if "Чайная" in json.dumps(body["messages"], ensure_ascii=False) else rated(body, turn)


def evaluated(server: ChatServer, data: Any = ROWS, metrics: Any = RATING, **options: Any) -> Result:
    options = {"by": "house", "evidence": True, **options}
    return ragauge.evaluate(data, metrics, judge=server.judge(), **options)


def same(result: Result, whole: Result) -> None:
    assert repr(result.table) == repr(whole.table)
    for name, column in whole.columns.items():
        np.testing.assert_array_equal(result.columns[name].scores, column.scores)
        np.testing.assert_array_equal(result.columns[name].status, column.status)
        assert result.reasons(name) == column.reasons
        for statistic, values in column.statistics.items():
            np.testing.assert_array_equal(result.columns[name].statistics[statistic], values)
        for part, values in column.parts.items():
            np.testing.assert_array_equal(result.parts(name)[part], values)


def test_only_what_failed_is_asked_and_the_result_is_that_of_a_whole_run(server: ChatServer, tmp_path: Path) -> None:
    whole = evaluated(server)
    server.reply = rated_without_russian
    part = evaluated(server, metrics=[RATING, "token-f1"])
    assert part[RATING].failed == 3
    part.save(tmp_path / "run")
    server.reply = rated
    server.bodies.clear()
    again = ragauge.evaluate(tmp_path / "run", RATING, judge=server.judge(), resume=True, evidence=True)
    assert len(server.bodies) == 3
    same(again, whole)
    assert again.options["judge"]["calls"] == 3
    assert again.options["by"] == ["house"]
    with_both = ragauge.evaluate(tmp_path / "run", resume=True)
    assert list(with_both.metrics) == [RATING, "token-f1"]
    assert repr(with_both["token-f1"]) == repr(part["token-f1"])
    again.save(tmp_path / "again")
    server.bodies.clear()
    same(ragauge.evaluate(tmp_path / "again", resume=True), whole)
    assert server.bodies == []


def test_other_numbers_are_kept_to_the_bit_whatever_the_judge_says_now(server: ChatServer) -> None:
    server.reply = rated_without_russian
    part = evaluated(server)
    ok = part.statuses(RATING) == "ok"
    assert ok.sum() == len(ROWS) - 3
    server.reply = lambda body, turn: chat_answer({"rating": 0})
    again = ragauge.evaluate(part, resume=True)
    np.testing.assert_array_equal(again.scores(RATING)[ok], part.scores(RATING)[ok])
    assert set(again.scores(RATING)[~ok]) == {0.0}
    assert again[RATING].failed == 0
    assert again[RATING].signature == part[RATING].signature


def test_what_fails_again_has_its_new_reason(server: ChatServer) -> None:
    server.reply = lambda body, turn: chat_answer("no")
    part = evaluated(server, ROWS[:2])
    assert part[RATING].failed == 2
    again = ragauge.evaluate(part, resume=True, session=Session(max_calls=0))
    assert list(again.reasons(RATING).values()) == ["budget: max_calls=0 is reached"] * 2


def test_a_metric_that_the_run_lacks_scores_all_samples(server: ChatServer) -> None:
    part = evaluated(server, metrics=[RATING, "token-f1"])
    server.bodies.clear()
    again = ragauge.evaluate(part, [RATING, "rouge-l", "token-f1:tokenizer=char"], judge=server.judge(), resume=True)
    assert server.bodies == []
    whole = ragauge.evaluate(ROWS, ["rouge-l", "token-f1:tokenizer=char"], by="house")
    assert [repr(again[name]) for name in whole.metrics] == [repr(whole[name]) for name in whole.metrics]
    assert repr(again[RATING]) == repr(part[RATING])


def test_evidence_is_that_of_the_scores(server: ChatServer, tmp_path: Path) -> None:
    rows = [{**row, "answer": f"{row['answer']} Tea."} for row in ROWS[:6]]
    server.reply = lambda body, turn: chat_answer("no")
    evaluated(server, rows, ["groundedness", RATING]).save(tmp_path / "run")
    first = {row["id"]: ragauge.load(tmp_path / "run").explain(row["id"]).to_pylist() for row in rows}
    again = ragauge.evaluate(tmp_path / "run", resume=True, evidence=True)
    again.save(tmp_path / "run", force=True)
    for row in rows:
        assert ragauge.load(tmp_path / "run").explain(row["id"]).to_pylist() == first[row["id"]]
    assert len(first[rows[0]["id"]])


def test_what_the_system_failed_on_is_left_to_it(server: ChatServer) -> None:
    rows = [{**row, "failure": "down" if place == 1 else None} for place, row in enumerate(ROWS[:4])]
    part = evaluated(server, rows)
    server.bodies.clear()
    again = ragauge.evaluate(part, resume=True)
    assert server.bodies == []
    assert (again[RATING].failed, again.reasons(RATING)) == (1, {1: "down"})
    same(again, part)


def test_other_samples_keep_no_score(server: ChatServer) -> None:
    part = evaluated(server)
    others: list[dict[str, Any]] = [{"limit": 3}, {"map": {"answer": "house"}}]
    for options in others:
        with pytest.raises(UsageError, match="not those that the run scored, so resume=True can keep no score"):
            ragauge.evaluate(part, resume=True, **options)


def test_statistics_of_another_version_are_refused(server: ChatServer) -> None:
    server.reply = lambda body, turn: chat_answer("no")
    part = evaluated(server, ROWS[:3])
    column = part.columns[RATING]
    odd = replace(column, statistics={f"old {name}": values for name, values in column.statistics.items()})
    with pytest.raises(DataError, match=f"kept other statistics under {RATING}; leave out resume=True to score all"):
        ragauge.evaluate(replace(part, columns={RATING: odd}), resume=True)


def test_resume_needs_something_to_resume_with() -> None:
    with pytest.raises(UsageError, match="resume has no effect without a system that is asked"):
        ragauge.evaluate(ROWS, "token-f1", resume=True)


@pytest.mark.parametrize("interval", ["jackknife", "percentile"])
def test_sums_from_saved_statistics_give_the_same_bits(interval: str, tmp_path: Path) -> None:
    rows = [{**row, "answer": row["answer"][: 3 + place % 7]} for place, row in enumerate(ROWS)]
    metrics = ["bleu", "rouge-l", "chrf", "bleu:average=samples", "groundedness", "exact-match"]
    whole = ragauge.evaluate(rows, metrics, by="house", cluster="house", interval=interval, resamples=50)
    whole.save(tmp_path / "run")
    same(ragauge.evaluate(tmp_path / "run", resume=True), whole)


def test_more_samples_than_buckets(tmp_path: Path) -> None:
    rows = [{"id": f"q{i}", "answer": f"{i % 7}", "references": [f"{i % 5}"]} for i in range(70_000)]
    whole = ragauge.evaluate(rows, ["exact-match", "bleu"], interval="percentile", resamples=20)
    same(ragauge.evaluate(whole, resume=True), whole)
