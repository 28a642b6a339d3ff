"""What requests are counted as, also where the server counts no tokens, and which failures end a call."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

import ragauge
from ragauge.endpoints.endpoint import Refused, backoff
from ragauge.errors import UsageError
from ragauge.judges import FunctionJudge, Price, Session
from ragauge.judges.cache import cached_answers, prune

from .conftest import ChatServer, chat_answer, no_complaint, question

METRIC = "judged-groundedness-rating"


def without_usage(text: str, **options: Any) -> dict[str, Any]:
    return {name: value for name, value in chat_answer(text, **options).items() if name != "usage"}


def questions(count: int) -> list[Any]:
    return [question(str(number)) for number in range(count)]


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": 0, "completion_tokens": None}])
def test_a_server_that_counts_no_tokens_has_a_cost(server: ChatServer, usage: Any) -> None:
    server.reply = lambda body, turn: {**chat_answer('{"n": 1234567}'), "usage": usage}
    with Session(max_cost=10, price=Price(1_000_000, 1_000_000)) as session:
        replies = server.judge(parallel=1).ask(questions(3), no_complaint, session)
        total = session.tally.total
        # A message of one digit has 9 tokens, the reply 4; the longest reply costs more than is left.
        assert (len(server.bodies), session.budget.cost) == (0, 0)
        assert {reply.code for reply in replies} == {"budget"}
    asked = [replace(one, max_tokens=20) for one in questions(9)]
    with Session(max_cost=60, price=Price(1_000_000, 1_000_000)) as session:
        replies = server.judge(parallel=1).ask(asked, no_complaint, session)
        total = session.tally.total
        assert [reply.code for reply in replies] == ["", "", "", *["budget"] * 6]
        assert (total.calls, total.estimated, total.cost, session.budget.cost) == (3, 3, 39, 39)
        assert session.to_dict()["cost"] == 39
        assert session.to_dict()["estimated"] == 3
        assert "27 + 12 tokens (estimated)" in session.summary()
    assert replies[0].usage == (9, 4)


def test_a_truncated_reply_has_all_the_tokens_that_it_may_have(server: ChatServer) -> None:
    server.reply = lambda body, turn: without_usage('{"n"', finish="length")
    with Session() as session:
        server.judge().ask([question("a", max_tokens=50)], no_complaint, session)
        assert session.tally.total.completion_tokens == 50 + 100


def test_tokens_that_the_server_counts_are_not_estimated(server: ChatServer) -> None:
    server.reply = lambda body, turn: chat_answer({"n": 1})
    with Session() as session:
        server.judge(tokens_per_minute=10**9).ask(questions(2), no_complaint, session)
        assert "22 + 10 tokens," in session.summary()
        assert "estimated" not in session.to_dict()


def test_each_request_counts_that_is_sent(server: ChatServer, waits: list[float]) -> None:
    server.reply = lambda body, turn: (500, {}, {}) if turn % 2 else chat_answer({"n": 1})
    with Session(max_calls=10) as session:
        replies = server.judge(parallel=1).ask(questions(9), no_complaint, session)
    assert (len(server.bodies), session.budget.calls) == (10, 10)
    assert [reply.code for reply in replies] == [""] * 5 + ["budget"] * 4


@pytest.mark.costly
def test_a_request_that_was_late_counts(server: ChatServer) -> None:
    def reply(body: Any, turn: int) -> Any:
        time.sleep(0.5)
        return chat_answer({"n": 1})

    server.reply = reply
    with Session(max_calls=3, price=Price(0, 1_000_000)) as session:
        replies = server.judge(parallel=1, timeout=0.2).ask(questions(3), no_complaint, session)
        assert len(server.bodies) == 3
        assert [reply.code for reply in replies] == ["timeout", "budget", "budget"]
        # Each may have been answered after all.
        assert session.budget.cost == session.tally.total.cost == 3 * 1024
        assert session.summary() == "judge: 0 requests, 0 cached replies, 3 timed out, cost 3072"
        assert session.to_dict()["late"] == 3


def test_replies_429_are_counted_with_what_was_waited(server: ChatServer, waits: list[float]) -> None:
    server.reply = lambda body, turn: (429, {}, {"Retry-After": "3"}) if turn in (1, 3) else chat_answer({"n": 1})
    with Session() as session:
        server.judge(parallel=1).ask(questions(2), no_complaint, session)
        total = session.tally.total
        assert (total.calls, total.early) == (2, 2)
        assert 6 <= total.waited == sum(wait for wait in waits if wait >= 3) <= 12
        assert f", 2 replies 429, waited {total.waited:.3g} s in all" in session.summary()
        assert (session.to_dict()["early"], session.to_dict()["waited"]) == (2, round(total.waited, 3))


def test_a_run_that_got_nothing_but_429_says_so(server: ChatServer, waits: list[float]) -> None:
    server.reply = lambda body, turn: (429, {}, {})
    with Session() as session:
        server.judge(parallel=1, retries=1).ask(questions(1), no_complaint, session)
        assert session.summary().startswith("judge: 0 requests, 0 cached replies, 11 replies 429, waited ")


def test_an_empty_answer_is_not_kept(server: ChatServer, tmp_path: Path) -> None:
    server.reply = lambda body, turn: {"choices": []}
    with Session(tmp_path / "judge.sqlite") as session:
        assert server.judge().ask([question("a")], no_complaint, session)[0].code == "empty"
    server.reply = lambda body, turn: chat_answer({"n": 1})
    with Session(tmp_path / "judge.sqlite") as session:
        assert server.judge().ask([question("a")], no_complaint, session)[0].ok


def test_answers_that_failed_can_be_pruned(server: ChatServer, tmp_path: Path) -> None:
    texts = {"0": '{"n": 1}', "1": "不知道", "2": '{"n": 0} would be', "3": '```json\n{"n": 1}\n```'}

    def reply(body: Any, turn: int) -> Any:
        text = body["messages"][0]["content"]
        return chat_answer(
            texts.get(text, ""), finish="length" if text == "2" else "stop", refusal="no" * (text == "4")
        )

    server.reply = reply
    path = tmp_path / "judge.sqlite"
    with Session(path) as session:
        server.judge().ask(questions(5), no_complaint, session)
    # Two of them were asked for once more.
    assert sum(row.answers for row in cached_answers(path)) == 7
    assert prune(path, failed=True, prompt="other") == 0
    assert prune(path, failed=True) == 5
    with Session(path, offline=True) as session:
        replies = server.judge().ask(questions(5), no_complaint, session)
    assert [reply.code for reply in replies] == ["", "offline", "offline", "", "offline"]


@pytest.mark.parametrize("text", ['{"m": 1}', '{"n": "one"}', '{"n": -1}'])
def test_a_reply_that_its_question_cannot_use_is_pruned_and_asked_again(
    server: ChatServer, tmp_path: Path, text: str
) -> None:
    def complaint(question: Any, value: Any) -> str | None:
        return "n is negative" if value["n"] < 0 else None

    path = tmp_path / "judge.sqlite"
    server.reply = lambda body, turn: chat_answer(text)
    for _ in range(2):
        with Session(path) as session:
            assert not server.judge().ask([question("a")], complaint, session)[0].ok
        assert len(server.bodies) == 2
    assert [row.failed for row in cached_answers(path)] == [2]
    assert prune(path, failed=True) == 2
    server.reply = lambda body, turn: chat_answer({"n": 1})
    with Session(path) as session:
        assert server.judge().ask([question("a")], complaint, session)[0].ok
    assert [row.failed for row in cached_answers(path)] == [0]


@pytest.mark.parametrize(
    "answer",
    [(413, {"error": "body too large"}, {}), b"<html>", b"[1]", b" " * ((1 << 22) + 1), (451, {}, {})],
    ids=["413", "html", "list", "long", "451"],
)
def test_failures_of_single_questions_stop_nobody_else(server: ChatServer, answer: Any) -> None:
    server.reply = lambda body, turn: answer if int(body["messages"][0]["content"]) < 3 else chat_answer({"n": 1})
    replies = server.judge(parallel=1).ask(questions(30), no_complaint)
    assert [reply.ok for reply in replies] == [False] * 3 + [True] * 27


def test_a_function_that_fails_for_some_stops_nobody_else() -> None:
    def some(messages: Any) -> str:
        if int(messages[-1][1]) < 25:
            raise ValueError("no")
        return '{"n": 1}'

    replies = FunctionJudge(some, "some", parallel=1).ask(questions(30), no_complaint)
    assert [reply.ok for reply in replies] == [False] * 25 + [True] * 5


@pytest.mark.parametrize("status", [403, 404])
def test_a_question_without_an_address_fails_alone_after_others_were_answered(server: ChatServer, status: int) -> None:
    server.reply = lambda body, turn: (status, {"error": "gone"}, {}) if turn == 3 else chat_answer({"n": 1})
    replies = server.judge(parallel=1).ask(questions(6), no_complaint)
    assert [reply.code for reply in replies] == ["", "", f"http-{status}", "", "", ""]
    server.reply = lambda body, turn: (401, {"error": "key"}, {})
    with pytest.raises(UsageError, match="answered 401"):
        server.asked()


def test_a_server_that_asks_for_no_wait_gets_growing_pauses(server: ChatServer, waits: list[float]) -> None:
    server.reply = lambda body, turn: (429, {}, {"Retry-After": "0"}) if turn < 5 else chat_answer({"n": 1})
    assert server.asked().ok
    assert [low <= wait <= 2 * low for low, wait in zip((0.5, 1, 2, 4), waits, strict=True)] == [True] * 4
    waited = [backoff(2, Refused("", final=False, wait=wait)) for wait in (None, -3.0, 0.0, 0.4, 0.5, 7.0, 1e9)]
    assert waited == [2, 2, 2, 2, 0.5, 7, 60]


def test_a_server_that_refuses_all_is_given_up_after_ten_minutes(
    server: ChatServer, waits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragauge.judges.client.time.monotonic", lambda: sum(waits))
    server.reply = lambda body, turn: (429, {}, {})
    replies = server.judge(parallel=1).ask(questions(5), no_complaint)
    assert {reply.code for reply in replies} == {"http-429"}
    assert 600 < sum(waits) < 1000
    waits.clear()
    # Other requests are answered meanwhile.
    server.reply = lambda body, turn: (429, {}, {}) if turn % 2 else chat_answer({"n": 1})
    assert all(reply.ok for reply in server.judge(parallel=1).ask(questions(5), no_complaint))


@pytest.mark.parametrize(
    "complaint",
    [
        "max_tokens is too large: 9999. This model supports at most 1000 completion tokens",
        "Invalid max_tokens value, the valid range of max_tokens is [1, 1000]",
        "`max_tokens` must be less than or equal to `1000`, the maximum value for this model",
        "'max_tokens' or 'max_completion_tokens' is too large: 4096. The maximum context length is 1000 tokens",
        "max_tokens: 4096 > 1000, which is the maximum allowed number of output tokens",
    ],
)
def test_a_reply_that_may_be_longer_than_the_model_writes_is_asked_for_in_less(
    server: ChatServer, complaint: str
) -> None:
    server.reply = lambda body, turn: (
        (400, {"error": complaint}, {}) if body["max_tokens"] > 1000 else chat_answer({"n": 1})
    )
    [reply] = server.judge().ask([question("a", max_tokens=4096)], no_complaint)
    assert (reply.ok, reply.structured) == (True, "json_schema")
    assert [body["max_tokens"] for body in server.bodies] == [4096, 2048, 1024, 512]


def test_no_form_asks_for_more_tokens_than_models_write(server: ChatServer) -> None:
    server.reply = lambda body, turn: (500, {}, {})
    answer = " ".join(f"Tea {number} is hot." for number in range(300))
    rows = [{"question": "Tea?", "answer": answer, "contexts": ["Tea."]}]
    ragauge.evaluate(rows, "judged-faithfulness", judge=server.judge(retries=0), resamples=0)
    assert server.bodies[0]["max_tokens"] == 4096


def test_the_signature_holds_of_each_answer(server: ChatServer, tmp_path: Path) -> None:
    def old(body: Any, turn: int) -> Any:
        if "seed" in body:
            return 400, {"error": "unknown parameter: seed"}, {}
        if body["response_format"]["type"] == "json_schema":
            return 400, {"error": "unknown response_format"}, {}
        return chat_answer({"n": 1})

    server.reply = old
    path = tmp_path / "judge.sqlite"
    with Session(path) as session:
        server.judge().ask(questions(2), no_complaint, session)
    server.reply = lambda body, turn: chat_answer({"n": 1})
    judge = server.judge()
    with Session(path) as session:
        judge.ask([question("other")], no_complaint, session)
        assert "output=json_schema,seed=0" in judge.signature
        judge.ask(questions(2), no_complaint, session)
        assert "output=json_object,refused=seed" in judge.signature
        judge.ask([question("new")], no_complaint, session)
    # The server understands more by now, and is asked so.
    assert server.bodies[-1]["seed"] == 0
    assert "output=json_object,refused=seed" in judge.signature


def test_a_note_says_that_repeats_are_equal_requests(server: ChatServer) -> None:
    server.reply = lambda body, turn: (
        (400, {"error": "unknown parameter: seed"}, {}) if "seed" in body else chat_answer({"rating": 1})
    )
    rows = [{"answer": "Tea.", "contexts": ["Tea."]}]
    for repeats, said in ((1, False), (2, True)):
        result = ragauge.evaluate(rows, f"{METRIC}:repeats={repeats}", judge=server.judge(), resamples=0)
        [note] = [note for note in result.data.notes if "refuses" in note]
        assert ("refuses the seed, so repeats are equal requests" in note) is said
        assert ("refuses seed, so it was asked without: replies may differ from run to run" in note) is not said


def test_evaluations_in_threads_count_for_themselves(server: ChatServer) -> None:
    together = Barrier(3, timeout=20)

    def reply(body: Any, turn: int) -> Any:
        if turn <= 3:
            together.wait()
        return chat_answer({"rating": 1})

    server.reply = reply
    metrics = ["judged-groundedness-rating", "judged-context-rating", "judged-answer-rating"]

    def evaluated(place: int, session: Session) -> ragauge.Result:
        rows = [
            {"question": f"Tea {place} {n}?", "answer": "Tea.", "contexts": [f"Tea {place} {n}."], "reference": "Tea!"}
            for n in range(4 + place)
        ]
        return ragauge.evaluate(rows, metrics[place], judge=server.judge(parallel=1), session=session, resamples=0)

    with Session() as session, ThreadPoolExecutor(3) as pool:
        results = list(pool.map(lambda place: evaluated(place, session), range(3)))
        counts = {metric: count.calls for (metric, _), count in session.tally.counts.items()}
    calls = [result.options["judge"]["calls"] for result in results]
    assert [count >= 4 + place for place, count in enumerate(calls)] == [True] * 3
    assert (sum(calls), sum(counts.values())) == (len(server.bodies), len(server.bodies))
    assert counts == dict(zip(metrics, calls, strict=True))


def test_samples_are_finished_one_after_the_other_where_calls_are_limited(server: ChatServer) -> None:
    def reply(body: Any, turn: int) -> Any:
        is_list = "claims" in str(body["response_format"]) and "passages" not in str(body["response_format"])
        return chat_answer({"claims": ["林婉开的。"]} if is_list else {"claims": [{"claim": 1, "passages": [1]}]})

    server.reply = reply
    rows = [
        {"question": f"谁 {number}？", "answer": f"林婉 {number}。", "contexts": ["林婉。"]} for number in range(10)
    ]
    with Session(max_calls=5) as session:
        metric = "judged-faithfulness:claims=judge"
        result = ragauge.evaluate(rows, metric, judge=server.judge(), session=session)
    score = result[metric]
    # Two requests a sample: the fifth begins the third sample.
    assert (score.scored, score.failed) == (2, 8)
