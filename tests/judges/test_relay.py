"""What tasks ask of one process: equal questions one after the other, and a secret that no log shows."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Lock
from time import sleep

import pytest

from ragauge.errors import UsageError
from ragauge.judges import FunctionJudge, Session
from ragauge.judges.relay import Relay


class Failing:
    """Fails each question, and counts how many it is asked at once."""

    def __init__(self) -> None:
        self.lock, self.under_way, self.most = Lock(), 0, 0
        self.begun = Event()

    def __call__(self, _: Sequence[tuple[str, str]]) -> str:
        with self.lock:
            self.under_way += 1
            self.most = max(self.most, self.under_way)
        self.begun.set()
        sleep(0.1)
        with self.lock:
            self.under_way -= 1
        raise ValueError("no answer")


def test_equal_questions_are_asked_one_after_the_other_also_where_none_is_answered() -> None:
    failing = Failing()
    judge = FunctionJudge(failing, "failing", parallel=4)
    question = {"prompt": "p", "version": "1", "schema": {"type": "object"}, "label": "", "labels": [], "repeat": 0}
    message = {
        "judge": str(judge), "metric": "m", "key": "00ff", "question": question,
        "messages": [["user", "茶？"]], "max_tokens": 10,
    }  # fmt: skip
    with Session() as session, Relay([judge], session, "127.0.0.1", 2) as relay, ThreadPoolExecutor(4) as threads:
        replies = [threads.submit(relay.reply, message)]
        failing.begun.wait(10)
        for _ in range(3):
            replies.append(threads.submit(relay.reply, message))
            sleep(0.06)
        failed = [reply.result()["failed"] for reply in replies]
    assert len(failed) == 4
    assert failing.most == 1


def test_judges_that_only_their_text_makes_one_are_an_error() -> None:
    def make(words: list[str]) -> FunctionJudge:
        return FunctionJudge(lambda messages: words[len(messages)])

    one, other = make(["{}"]), make(["[]"])
    assert str(one) == str(other)
    with (
        Session() as session,
        pytest.raises(UsageError, match=r"two judges here are function\[.*a name of its own"),
    ):
        Relay([one, other], session, "127.0.0.1", 2)


def test_the_secret_stands_in_no_text_of_a_judge() -> None:
    judge = FunctionJudge(lambda _: "{}", "empty")
    with Session() as session, Relay([judge], session, "127.0.0.1", 2) as relay:
        relayed = relay.relayed(judge, "m")
        secret = relayed.address[-1]  # type: ignore[attr-defined]
        assert relay.knows(secret)
        assert secret not in f"{relayed!r} {relayed}"
