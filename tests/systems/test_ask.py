"""Many questions at once: order, failures, further tries, interrupts, and answers that are there already."""

from __future__ import annotations

import _thread
import asyncio
import sys
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragauge.systems import ask, pace
from ragauge.systems.answers import answer_file
from ragauge.systems.ask import Questions, SystemAnswers, answers_to
from ragauge.systems.pace import Asking

IDS = [f"q{number}" for number in range(40)]
QUESTIONS = Questions(IDS, [f"{name}是什么？" for name in IDS], {}, {})


class Heard:
    """Keeps what is reported."""

    def __init__(self) -> None:
        self.reports: list[tuple[int, int, int]] = []
        self.waits: list[int] = []

    def asking(self, done: int, failed: int, total: int) -> None:
        self.reports.append((done, failed, total))

    def stopping(self, running: int) -> None:
        self.waits.append(running)


def noting(calls: list[str]) -> Callable[[str], str]:
    """Return a system that answers with the question, and notes it."""

    def system(question: str) -> str:
        calls.append(question)
        return question

    return system


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "LONGEST_WAIT", 0.01)


def outcome(result: SystemAnswers) -> list[tuple[str, Any, str | None]]:
    return [(one.id, one.columns, one.failure) for one in result.answers]


@pytest.mark.parametrize("concurrency", [1, 3, 64])
@pytest.mark.parametrize("timeout", [None, 60.0])
def test_answers_stand_in_the_order_of_their_questions(concurrency: int, timeout: float | None) -> None:
    progress = Heard()
    asking = Asking(concurrency, timeout)
    result = answers_to(QUESTIONS, str.upper, asking, progress=progress)
    assert outcome(result) == [(name, {"answer": f"{name.upper()}是什么？"}, None) for name in IDS]
    assert progress.reports == [(done, 0, 40) for done in range(41)]
    assert not result.interrupted


def test_so_many_are_asked_at_once_and_no_more() -> None:
    running, most, lock = 0, 0, threading.Lock()
    gate = threading.Barrier(4, timeout=60)

    def system(question: str) -> str:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        gate.wait()
        with lock:
            running -= 1
        return question

    answers_to(QUESTIONS, system, Asking(4))
    assert most == 4


def test_one_at_a_time_is_called_in_the_thread_of_the_caller() -> None:
    result = answers_to(QUESTIONS, lambda _: threading.get_ident(), Asking())
    assert {str(one.columns) for one in result.answers} == {f"{{'answer': '{threading.get_ident()}'}}"}


def test_failures_are_those_of_their_question_alone() -> None:
    async def system(question: str) -> Any:
        await asyncio.sleep(0)
        if question.startswith("q1是"):
            raise KeyError("条目")
        return None if question.startswith("q2是") else question

    progress = Heard()
    result = answers_to(QUESTIONS, system, Asking(8), progress=progress)
    failures = {one.id: one.failure for one in result.answers if one.columns is None}
    assert failures["q1"] == "KeyError: '条目'"
    assert "the system returned None" in str(failures["q2"])
    assert len(failures) == 2
    assert progress.reports[-1] == (40, 2, 40)


def test_reasons_are_short_and_without_secrets() -> None:
    def system(question: str) -> str:
        raise ValueError(f"POST http://me:secret@host/v1?key=secret\n{'page ' * 1000}")

    [first, *_] = answers_to(QUESTIONS, system, Asking()).answers
    assert str(first.failure).startswith("ValueError: POST http://***@host/v1?*** page page")
    assert len(str(first.failure)) < 550
    assert outcome(answers_to(QUESTIONS, lambda _: 1 // 0 if _ else _, Asking()))[0][2] == (
        "ZeroDivisionError: integer division or modulo by zero"
    )


def test_temporary_failures_are_tried_again_as_often_as_allowed() -> None:
    calls: Counter[str] = Counter()

    def system(question: str) -> str:
        calls[question[:3]] += 1
        if question.startswith("q1是") and calls["q1是"] < 3:
            raise ConnectionError("reset")
        if question.startswith("q2是"):
            raise TimeoutError("always")
        if question.startswith("q3是"):
            raise ValueError("for good")
        return question

    result = answers_to(QUESTIONS, system, Asking(2, retries=2))
    by_id = {one.id: one for one in result.answers}
    assert (by_id["q1"].attempts, by_id["q1"].failure) == (3, None)
    assert (by_id["q2"].attempts, by_id["q2"].failure) == (3, "TimeoutError: always")
    assert (by_id["q3"].attempts, by_id["q3"].failure) == (1, "ValueError: for good")
    assert calls["q2是"] == 3


def test_an_output_that_cannot_be_read_is_not_tried_again() -> None:
    result = answers_to(QUESTIONS, lambda _: object(), Asking(retries=1))
    assert [(one.attempts, one.columns) for one in result.answers] == [(1, None)] * len(result.answers)


def test_a_call_that_takes_too_long_fails_and_is_not_tried_again() -> None:
    release = threading.Event()

    def system(question: str) -> str:
        if question.startswith("q1是"):
            release.wait(60)
        return question

    result = answers_to(QUESTIONS, system, Asking(2, timeout=0.2))
    release.set()
    late = [one for one in result.answers if one.columns is None]
    assert [(one.id, one.failure, one.attempts) for one in late] == [("q1", "no answer within 0.2 s", 1)]


def test_an_interrupt_while_threads_start_waits_for_the_calls(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    started: list[threading.Thread] = []
    calls: list[str] = []
    may_answer = threading.Event()

    class Interrupting(threading.Thread):
        """Ctrl-C comes while the third thread starts: Python waits there until it runs."""

        def start(self) -> None:
            super().start()
            started.append(self)
            if len(started) == 3:
                while len(calls) < 3:
                    may_answer.wait(0.01)
                raise KeyboardInterrupt

    class Releasing(Heard):
        def stopping(self, running: int) -> None:
            super().stopping(running)
            may_answer.set()

    def system(question: str) -> str:
        calls.append(question)
        may_answer.wait(10)
        return question

    monkeypatch.setattr(ask, "Thread", Interrupting)
    progress = Releasing()
    with answer_file(tmp_path / "answers.jsonl", "s", resume=False) as file:
        result = answers_to(QUESTIONS, system, Asking(8), file, progress)
    assert result.interrupted
    assert (len(started), len(calls), progress.waits) == (3, 3, [3])
    assert {one.question for one in result.answers if one.columns is not None} == {*calls}
    with answer_file(tmp_path / "answers.jsonl", "s", resume=True) as file:
        assert len(file.earlier) == 3


@pytest.mark.parametrize("concurrency", [1, 4])
def test_an_interrupt_keeps_what_was_answered(concurrency: int, tmp_path: Path) -> None:
    answered: list[str] = []
    stopped = threading.Event()

    class Releasing(Heard):
        def stopping(self, running: int) -> None:
            super().stopping(running)
            stopped.set()

    def system(question: str) -> str:
        if len(answered) >= 10:
            _thread.interrupt_main()
            stopped.wait(10)
        answered.append(question)
        return question

    with answer_file(tmp_path / "answers.jsonl", "app", resume=False) as file:
        result = answers_to(QUESTIONS, system, Asking(concurrency), file, Releasing())
    assert result.interrupted
    whys = {one.failure for one in result.answers}
    assert whys == {None, "not asked: interrupted"} | ({"interrupted"} if concurrency == 1 else set())
    with answer_file(tmp_path / "answers.jsonl", "app", resume=True) as file:
        assert set(file.earlier) == {one.id for one in result.answers if one.columns is not None}
        again: list[str] = []
        rest = answers_to(QUESTIONS, noting(again), Asking(concurrency), file)
    assert not rest.interrupted
    assert {*again}.isdisjoint(answered)
    assert outcome(rest) == outcome(answers_to(QUESTIONS, str.strip, Asking()))


class UnreadableError(Exception):
    """Its message cannot be read."""

    def __str__(self) -> str:
        raise RuntimeError


def test_names_of_fields_are_cut_and_masked_in_a_reason() -> None:
    output = {f"http://me:secret@host/?key=secret{number}": number for number in range(3000)}
    failure = str(answers_to(Questions(["q1"], ["?"], {}, {}), lambda _: output, Asking()).answers[0].failure)
    assert failure.startswith(
        "the system returned an object without an answer or passages (it has http://***@host/?***"
    )
    assert len(failure) < 550
    assert "secret" not in failure


@pytest.mark.parametrize("timeout", [None, 60.0])
@pytest.mark.parametrize("concurrency", [1, 4])
@pytest.mark.parametrize("is_coroutine", [False, True])
@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (SystemExit(3), "SystemExit: 3"),
        (GeneratorExit(), "GeneratorExit"),
        (asyncio.CancelledError(), "CancelledError"),
        (BaseExceptionGroup("two", [SystemExit()]), "BaseExceptionGroup: two (1 sub-exception)"),
        (UnreadableError(), "UnreadableError: its message cannot be read (RuntimeError)"),
    ],
)
def test_whatever_a_call_raises_is_the_failure_of_its_question(
    error: BaseException, reason: str, concurrency: int, timeout: float | None, *, is_coroutine: bool
) -> None:
    def system(question: str) -> str:
        if question.startswith("q1是"):
            raise error
        return question

    async def coroutine(question: str) -> str:
        return system(question)

    result = answers_to(QUESTIONS, coroutine if is_coroutine else system, Asking(concurrency, timeout, retries=0))
    assert not result.interrupted
    assert {one.id: one.failure for one in result.answers if one.columns is None} == {"q1": reason}


class OpaqueError(Exception):
    """Exits wherever one of its attributes is looked at."""

    def __getattribute__(self, name: str) -> object:
        raise SystemExit(name)


@pytest.mark.parametrize("timeout", [None, 60.0])
def test_no_attribute_of_an_exception_ends_the_run(timeout: float | None) -> None:
    def system(question: str) -> str:
        if question.startswith("q1是"):
            raise OpaqueError("x")
        return question

    result = answers_to(QUESTIONS, system, Asking(1, timeout, retries=0))
    assert {one.id: one.failure for one in result.answers if one.columns is None} == {"q1": "OpaqueError: x"}


def test_a_task_of_the_system_that_exits_does_not_end_the_loop() -> None:
    async def leave() -> None:
        sys.exit(1)

    async def system(question: str) -> str:
        if question.startswith("q1是"):
            await asyncio.create_task(leave())
        return question

    result = answers_to(QUESTIONS, system, Asking(4, retries=0))
    assert {one.id: one.failure for one in result.answers if one.columns is None} == {"q1": "SystemExit: 1"}


def test_a_coroutine_that_blocks_fails_alone() -> None:
    release = threading.Event()

    async def system(question: str) -> str:
        if question.startswith("q1是"):
            release.wait(60)
        return question

    result = answers_to(QUESTIONS, system, Asking(2, timeout=0.3))
    release.set()
    late = {one.id: one.failure for one in result.answers if one.columns is None}
    assert late == {"q1": "no answer within 0.3 s"}


@pytest.mark.costly
def test_a_stream_without_end_is_a_failure() -> None:
    def endless() -> Any:
        while True:
            yield "茶"

    def slow() -> Any:
        while True:
            yield "茶"
            ended.wait(0.01)

    ended = threading.Event()
    texts = {"q1是什么？": endless, "q2是什么？": slow}
    result = answers_to(QUESTIONS, lambda text: texts.get(text, lambda: text)(), Asking(2, timeout=5.0))
    ended.set()
    assert {one.id: one.failure for one in result.answers if one.columns is None} == {
        "q1": "the system returned more than 1,000,000 values. Return less.",
        "q2": "no answer within 5 s",
    }
    assert all(one.latency is None or one.latency < 8 for one in result.answers)


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ({"x": 10**5000}, "the system returned a number of more than 4,300 digits. Return less."),
        (
            {f"k{number}": number for number in range(5000)},
            "the system returned more than 4,096 fields. Return less.",
        ),
        ({"x": '"' * (1 << 25)}, "the system returned more than the 64 MiB that an answer may have"),
        ({"x": ["茶" * (1 << 25)] * 3}, "the system returned more than 64 MiB of text. Return less."),
        ({"cost": 1e301}, "the system's cost must be a number of at most 1e+300"),
    ],
)
def test_what_is_too_large_is_a_failure(columns: dict[str, Any], reason: str) -> None:
    questions = Questions(["q1"], ["?"], {}, {})
    [answer] = answers_to(questions, lambda _: {"answer": "a", **columns}, Asking()).answers
    assert answer.failure == reason


def test_only_what_has_no_answer_to_the_same_question_is_asked_again(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"

    def failing(question: str) -> str:
        if question.startswith("q1是"):
            raise ValueError("no")
        return question

    with answer_file(path, "app", resume=False) as file:
        answers_to(QUESTIONS, failing, Asking(), file)
    changed = Questions(IDS, ["another?", *QUESTIONS.texts[1:]], {}, {})
    calls: list[str] = []
    progress = Heard()
    with answer_file(path, "app", resume=True) as file:
        result = answers_to(changed, noting(calls), Asking(), file, progress)
    assert calls == ["another?", "q1是什么？"]
    assert result.again == 1
    assert progress.reports == [(38, 0, 40), (39, 0, 40), (40, 0, 40)]
    assert all(one.failure is None for one in result.answers)


def test_what_could_not_be_read_is_read_again_as_it_is_mapped_and_not_asked_for(tmp_path: Path) -> None:
    path, calls = tmp_path / "answers.jsonl", []

    def system(question: str) -> dict[str, Any]:
        calls.append(question)
        return {"言った": question, "parts": ({"n": 3},)}

    with answer_file(path, "app", resume=False) as file:
        failed = answers_to(QUESTIONS, system, Asking(), file).answers
    assert [one.returned for one in failed] == [{"言った": text, "parts": [{"n": 3}]} for text in QUESTIONS.texts]
    mapped = Questions(IDS, QUESTIONS.texts, {"answer": "言った"}, {})
    for _ in range(2):
        with answer_file(path, "app", resume=True) as file:
            answers = answers_to(mapped, system, Asking(), file).answers
        assert [one.columns["answer"] for one in answers if one.columns] == list(QUESTIONS.texts)
        assert all(one.failure is None and one.returned is None for one in answers)
        assert len(calls) == len(IDS)


def test_an_object_without_a_form_is_not_kept_as_the_name_of_its_class() -> None:
    answers = answers_to(QUESTIONS, lambda question: {"answer": object()}, Asking()).answers
    assert {(one.columns, one.returned) for one in answers} == {(None, None)}


def test_what_still_cannot_be_read_is_asked_again(tmp_path: Path) -> None:
    path, calls = tmp_path / "answers.jsonl", []

    def system(question: str) -> dict[str, Any]:
        calls.append(question)
        return {"said": 3} if len(calls) <= len(IDS) else {"answer": question}

    for resume in (False, True):
        with answer_file(path, "app", resume=resume) as file:
            answers = answers_to(QUESTIONS, system, Asking(), file).answers
    assert len(calls) == 2 * len(IDS)
    assert [one.columns for one in answers] == [{"answer": text} for text in QUESTIONS.texts]


def test_what_goes_wrong_on_the_disk_stops_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    with answer_file(tmp_path / "answers.jsonl", "app", resume=False) as file:
        monkeypatch.setattr(file, "add", full)
        with pytest.raises(OSError, match="No space left"):
            answers_to(QUESTIONS, noting(calls), Asking(2), file)
    assert len(calls) <= 4


def full(_: Any) -> None:
    raise OSError(28, "No space left on device")


def test_the_context_of_the_caller_reaches_the_system() -> None:
    from contextvars import ContextVar

    trace: ContextVar[str] = ContextVar("trace", default="none")
    trace.set("mine")
    result = answers_to(QUESTIONS, lambda _: trace.get(), Asking(4, timeout=60.0))
    assert {str(one.columns) for one in result.answers} == {"{'answer': 'mine'}"}


class Chat:
    """Keeps one conversation over all questions, as chat engines do, and answers with all of it."""

    def __init__(self) -> None:
        self.chat_history: list[str] = []

    def reset(self) -> None:
        self.chat_history.clear()

    def chat(self, question: str) -> str:
        self.chat_history.append(question)
        return " ".join(self.chat_history)


@pytest.mark.parametrize("timeout", [None, 30.0])
def test_a_conversation_begins_anew_with_each_question(timeout: float | None) -> None:
    for system in (Chat(), Chat().chat):
        found = answers_to(QUESTIONS, system, Asking(concurrency=8, timeout=timeout))
        assert [answer.columns for answer in found.answers] == [{"answer": text} for text in QUESTIONS.texts]


def test_a_late_call_does_not_continue_in_the_conversation_of_the_next_question() -> None:
    ended = threading.Event()

    class Slow(Chat):
        def chat(self, question: str) -> str:
            if question == QUESTIONS.texts[0]:
                ended.wait(60)
            return super().chat(question)

    found = answers_to(QUESTIONS, Slow(), Asking(timeout=0.2, retries=0)).answers
    ended.set()
    assert found[0].failure == "no answer within 0.2 s"
    assert {answer.failure for answer in found[1:]} == {"a call that took too long has not ended yet"}
