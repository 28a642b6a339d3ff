"""Tasks of a cluster ask a judge through one process: the same scores, each question once, and no limit is exceeded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import ragauge
from ragauge.engines.part import ScoredPart
from ragauge.engines.prepare import Prepared, prepare, relaying, request_of
from ragauge.engines.task import task_of, whole
from ragauge.errors import UsageError
from ragauge.judges import Price, Session
from ragauge.judges.base import AskingCall
from ragauge.metrics.judged.judged_groundedness_rating import JudgedGroundednessRating
from ragauge.results.result import Result

from .judge_server import KEY, METRIC, JudgeServer, judge_server
from .rows import RowsHere, by_id, table


class Stranger:
    """A judge with the two members of the protocol alone."""

    signature = "stranger"

    def ask(self, *_: Any) -> list[Any]:
        return []


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[JudgeServer]:
    monkeypatch.setenv("RAGAUGE_JUDGE_API_KEY", KEY)
    with judge_server() as running:
        yield running


def prepared(rows: pa.Table, server: JudgeServer, *, scores: bool = False, **options: Any) -> Prepared:
    chosen: Any = {"judge": server.judge, "by": "lang", **options}
    return prepare(RowsHere(rows, 20), request_of([METRIC, "bleu"], chosen), scores=scores)


def scored(ready: Prepared, rows: pa.Table, shares: int = 3, times: int = 1) -> tuple[ScoredPart, pa.Table]:
    """Score ``shares`` of the rows, each ``times`` over, by tasks that have travelled."""
    content = ready.task.to_bytes()
    edges = np.linspace(0, len(rows), shares + 1).astype(int)
    batches: list[pa.RecordBatch] = []
    for share in np.random.default_rng(0).permutation(shares).tolist() * times:
        part = rows.select(list(ready.columns)).slice(edges[share], edges[share + 1] - edges[share])
        batches += task_of(content).rows(part.to_batches(), share)
    sent = pa.Table.from_batches(batches, ready.task.schema)
    return whole(sent.to_pylist(), "the rows"), sent


def evaluated(rows: pa.Table, server: JudgeServer, session: Session | None = None, **how: Any) -> Result:
    ready = prepared(rows, server)
    with relaying(ready, session, lambda: ("127.0.0.1", 2)) as relayed:
        part, _ = scored(relayed, rows, **how)
    return relayed.result(part)


@pytest.mark.parametrize("shares", [1, 7])
def test_the_scores_of_one_process_by_as_many_requests(shares: int, server: JudgeServer, tmp_path: Path) -> None:
    rows = table(120)
    with Session(tmp_path / "答案.sqlite") as session:
        result = evaluated(rows, server, session, shares=shares)
    asked = sorted(server.asked)
    assert len(asked) > 40
    assert len(set(asked)) == len(asked)
    assert server.most <= 4
    assert server.keys == {f"Bearer {KEY}"}
    alone = ragauge.evaluate(rows, [METRIC, "bleu"], judge=server.judge, by="lang")
    assert sorted(server.asked[len(asked) :]) == asked
    assert repr(result.table) == repr(alone.table)
    assert result.options["judge"]["calls"] == alone.options["judge"]["calls"] == len(asked)
    assert result.options["judge"]["prompt_tokens"] == alone.options["judge"]["prompt_tokens"]
    assert any(note.startswith(f"judge: {len(asked)} requests, ") for note in result.data.notes)
    server.asked.clear()
    with Session(tmp_path / "答案.sqlite") as session:
        again = ragauge.evaluate(rows, [METRIC, "bleu"], judge=server.judge, by="lang", session=session)
    assert server.asked == []
    assert repr(again.table) == repr(result.table)


def test_scores_of_each_row_and_a_task_that_is_repeated(server: JudgeServer) -> None:
    rows = table(40)
    ready = prepared(rows, server, scores=True)
    assert server.asked == []
    with Session() as session, relaying(ready, session, lambda: ("127.0.0.1", 2)) as relayed:
        part, sent = scored(relayed, rows, times=2)
        assert len(set(server.asked)) == len(server.asked)
        assert session.counts[0]["metric"] == METRIC
    alone = ragauge.evaluate(rows, [METRIC, "bleu"], judge=server.judge, by="lang")
    assert repr(relayed.result(part).table) == repr(alone.table)
    wanted = dict(zip(rows["id"].to_pylist(), alone.scores(METRIC).tolist(), strict=True))
    twice = by_id(sent.filter(sent["id"].is_valid()))
    assert len(twice) == 80
    for row in twice:
        cell, score = row[METRIC], wanted[row["id"]]
        assert cell["score"] == score or (np.isnan(score) and cell["score"] is None)


@pytest.mark.parametrize("limit", [{"max_calls": 7}, {"max_cost": 0.011, "price": Price(10.0, 10.0)}])
def test_limits_are_those_of_all_tasks_together(limit: dict[str, Any], server: JudgeServer) -> None:
    with Session(**limit) as session:
        result = evaluated(table(120), server, session, shares=4)
        assert session.tally.total.cost <= limit.get("max_cost", 0)
    assert 0 < len(server.asked) <= limit.get("max_calls", 10)
    score = result[METRIC]
    assert score.scored + score.failed + score.undefined + score.missing == 120
    assert score.failed > 40
    assert result["bleu"].scored > 90


def test_tasks_at_once_ask_each_question_once_and_as_many_as_one_process(server: JudgeServer) -> None:
    """The same share, as where a task is repeated while its twin still runs; each may ask four questions at once."""
    rows, parts = table(60), list[ScoredPart]()
    server.pause = 0.02
    with relaying(prepared(rows, server), None, lambda: ("127.0.0.1", 1)) as relayed:
        orders = [rows, rows, rows.take(list(range(59, -1, -1)))]
        tasks = [Thread(target=lambda some=some: parts.append(scored(relayed, some, 1)[0])) for some in orders]
        for one in tasks:
            one.start()
        for one in tasks:
            one.join()
    assert len(set(server.asked)) == len(server.asked) > 20
    assert server.most == 4
    alone = ragauge.evaluate(rows, [METRIC, "bleu"], judge=server.judge, by="lang")
    assert [repr(relayed.result(part).table) for part in parts] == [repr(alone.table)] * 3


def test_questions_of_few_rows_are_in_memory_at_once(server: JudgeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragauge.judges.question._BATCH_BYTES", 2000)
    together: list[int] = []
    replies = AskingCall.replies

    def counted(call: AskingCall, questions: Any) -> Any:
        together.append(len(questions))
        return replies(call, questions)

    monkeypatch.setattr(AskingCall, "replies", counted)
    rows = table(60)
    ready = prepared(rows, server, scores=True)
    with relaying(ready, None, lambda: ("127.0.0.1", 2)) as relayed:
        part, sent = scored(relayed, rows, 1)
    assert 1 <= max(together) < 12
    assert sent["id"].drop_null().to_pylist() == rows["id"].to_pylist()
    alone = ragauge.evaluate(rows, [METRIC, "bleu"], judge=server.judge, by="lang")
    assert repr(relayed.result(part).table) == repr(alone.table)


def test_kept_answers_alone_and_a_jury(server: JudgeServer, tmp_path: Path) -> None:
    rows = table(24)
    jury = f"jury[judges={server.judge}/{server.judge.replace('model=m', 'model=n')}]"
    ready = prepare(RowsHere(rows), request_of([METRIC], {"judge": jury}), scores=False)
    with Session(tmp_path / "kept") as session, relaying(ready, session, lambda: ("127.0.0.1", 100)) as relayed:
        part, _ = scored(relayed, rows)
    asked = len(server.asked)
    alone = ragauge.evaluate(rows, METRIC, judge=jury)
    assert repr(relayed.result(part).table) == repr(alone.table)
    assert len(server.asked) == 2 * asked
    offline = Session(tmp_path / "kept", offline=True)
    with offline, relaying(ready, offline, lambda: ("127.0.0.1", 2)) as relayed:
        kept, _ = scored(relayed, rows)
    assert len(server.asked) == 2 * asked
    assert repr(relayed.result(kept).table) == repr(alone.table)


def test_the_key_stays_here_and_strangers_are_refused(server: JudgeServer) -> None:
    ready = prepared(table(20), server)
    with relaying(ready, None, lambda: ("127.0.0.1", 2)) as relayed:
        assert KEY.encode() not in relayed.task.to_bytes()
        judge: Any = relayed.task.plan.evaluator.metrics[METRIC]
        host, port, token = judge.judge.address
        stranger = HTTPConnection(host, port, timeout=10)
        stranger.request("POST", "/", "{}", {"Authorization": f"{token}x"})
        assert stranger.getresponse().status == 403
        stranger.close()
        assert relayed.plan.identity == relayed.task.plan.identity
    with pytest.raises(ConnectionError, match=r"asks the judge for all tasks does not answer at 127\.0\.0\.1:\d+"):
        scored(relayed, table(20))


def test_what_nobody_can_answer_is_told_where_the_run_was_started(
    server: JudgeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.status = 401
    with pytest.raises(UsageError, match="401"):
        evaluated(table(20), server)
    server.status = 500
    result = evaluated(table(20), server)
    assert result[METRIC].scored == 0
    assert result[METRIC].failed > 10
    with pytest.raises(UsageError, match="a dry run counts requests in one process"):
        evaluated(table(20), server, Session(dry_run=True))
    ready = prepared(table(20), server)
    with (
        pytest.raises(UsageError, match=r"by which the tasks should reach it, cannot be listened to"),
        relaying(ready, None, lambda: ("192.0.2.1", 2)),
    ):
        pass
    stranger: Any = JudgedGroundednessRating(judge=Stranger())
    evaluator = replace(ready.plan.evaluator, metrics={METRIC: stranger})
    foreign = replace(ready, plan=replace(ready.plan, evaluator=evaluator))
    with (
        pytest.raises(UsageError, match=r"must be a ragauge\.judges\.JudgeBase; got Stranger"),
        relaying(foreign, None, lambda: ("127.0.0.1", 2)),
    ):
        pass
    monkeypatch.setenv("RAGAUGE_JUDGE_API_KEY", "茶")
    with pytest.raises(UsageError, match="RAGAUGE_JUDGE_API_KEY"):
        evaluated(table(20), server)
