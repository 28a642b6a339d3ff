"""Where judges are asked from: event loops, threads, processes; and connections that stay open."""

from __future__ import annotations

import asyncio
import pickle
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import ragauge
from ragauge.errors import OptionError, UsageError
from ragauge.judges import FunctionJudge, Question, Session, get, members
from ragauge.judges.chat import Chat

from .conftest import ChatServer, chat_answer, no_complaint, question

ROWS = [
    {"id": str(place), "question": "Tea?", "answer": f"Tea {place}.", "contexts": [f"Tea {place}."]}
    for place in range(30)
]
METRIC = "judged-groundedness-rating"


def evaluated(server: ChatServer, **options: Any) -> ragauge.Result:
    return ragauge.evaluate(ROWS, METRIC, judge=server.judge(parallel=4), resamples=0, **options)


@pytest.fixture(autouse=True)
def rating(server: ChatServer) -> None:
    server.reply = lambda body, turn: chat_answer({"rating": 1})


def test_inside_a_running_event_loop(server: ChatServer) -> None:
    """A notebook runs its cells in a loop, and calls what is not async directly."""

    async def cell() -> float:
        return evaluated(server)[METRIC].value

    assert asyncio.run(cell()) == 0.5


def test_in_the_handler_of_an_async_web_server(server: ChatServer) -> None:
    async def handlers() -> list[float]:
        results = await asyncio.gather(*(asyncio.to_thread(evaluated, server) for _ in range(4)))
        return [result[METRIC].value for result in results]

    assert asyncio.run(handlers()) == [0.5] * 4


def test_in_threads_that_share_a_session(server: ChatServer, tmp_path: Path) -> None:
    with Session(tmp_path / "judge.sqlite") as session, ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: evaluated(server, session=session), range(4)))
    assert {result[METRIC].value for result in results} == {0.5}
    # Threads that ask the same at the same time may each send it.
    assert 30 <= len(server.bodies) <= 120


@pytest.mark.costly
def test_processes_that_share_a_cache(server: ChatServer, tmp_path: Path) -> None:
    code = (
        "import sys, ragauge; from ragauge.judges import Session, get\n"
        "rows = [{'answer': f'Tea {place}.', 'contexts': ['Tea.']} for place in range(40)]\n"
        f"judge = get('chat[url={server.url},model=m,parallel=4]')\n"
        f"result = ragauge.evaluate(rows, {METRIC!r}, judge=judge, session=Session('judge.sqlite'), resamples=0)\n"
        f"assert result[{METRIC!r}].scored == 40"
    )
    running = [subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path) for _ in range(3)]
    assert [one.wait(120) for one in running] == [0, 0, 0]
    with closing(sqlite3.connect(tmp_path / "judge.sqlite")) as connection:
        assert connection.execute("SELECT count(*) FROM answers").fetchone() == (40,)


def test_a_judge_travels_to_other_processes(server: ChatServer) -> None:
    judge = server.judge()
    judge.ask([question("a")], no_complaint)
    again = pickle.loads(pickle.dumps(judge))  # noqa: S301 - our own bytes
    assert again == judge
    assert hash(again) == hash(judge)
    result = pickle.loads(pickle.dumps(evaluated(server)))  # noqa: S301
    assert result[METRIC].value == 0.5
    assert result.options["judge"]["calls"] == 30


class KeptOpen(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        server: Any = self.server
        server.connections.add(self.client_address)
        self.rfile.read(int(self.headers["Content-Length"]))
        data = b'{"choices": [{"message": {"content": "{\\"n\\": 1}"}}]}'
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
        self.wfile.flush()
        server.answered += 1
        if server.closes_after and server.answered % server.closes_after == 0:
            # Without a word, as servers do with connections that are idle for long.
            self.close_connection = True

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def kept_open() -> Iterator[Any]:
    with ThreadingHTTPServer(("127.0.0.1", 0), KeptOpen) as running:
        state: Any = running
        state.connections, state.answered, state.closes_after = set(), 0, 0
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def test_connections_stay_open(kept_open: Any) -> None:
    judge = Chat(url=f"http://127.0.0.1:{kept_open.server_address[1]}/v1", model="m", parallel=3)
    replies = judge.ask([question(str(number)) for number in range(30)], no_complaint)
    assert all(reply.ok for reply in replies)
    assert len(kept_open.connections) <= 3


def test_a_connection_that_the_server_has_closed_is_opened_again(kept_open: Any) -> None:
    kept_open.closes_after = 5
    judge = Chat(url=f"http://127.0.0.1:{kept_open.server_address[1]}/v1", model="m", parallel=1, retries=0)
    questions = [question(str(number)) for number in range(20)]
    assert all(reply.ok for reply in judge.ask(questions, no_complaint))
    assert len(kept_open.connections) == 4


def test_a_proxy_of_the_environment_is_used(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", server.url.removesuffix("/v1"))
    server.reply = lambda body, turn: chat_answer({"n": 1})
    judge = Chat(url="http://judge.example/v1", model="m")
    [reply] = judge.ask([question("a")], no_complaint)
    assert (reply.ok, server.headers[0]["Host"]) == (True, "judge.example")


def test_an_interruption_keeps_what_was_answered(tmp_path: Path) -> None:
    begun = threading.Event()

    def function(messages: Any) -> str:
        if messages[-1][1] == "19":
            begun.set()
            time.sleep(0.2)
            raise KeyboardInterrupt
        return '{"n": 1}'

    judge = FunctionJudge(function, "interrupted", parallel=1)
    questions = [question(str(number)) for number in range(40)]
    with Session(tmp_path / "judge.sqlite") as session:
        with pytest.raises(KeyboardInterrupt):
            judge.ask(questions, no_complaint, session)
        assert session.tally.total.calls == 19
        # The session goes on.
        again = FunctionJudge(lambda _: '{"n": 1}', "interrupted", parallel=1)
        assert all(reply.ok for reply in again.ask(questions, no_complaint, session))
        assert session.tally.total.calls == 40


def test_a_coroutine_function_is_asked_on_one_loop_and_fails_its_own_question() -> None:
    loops: set[int] = set()

    async def function(messages: Any) -> str:
        loops.add(id(asyncio.get_running_loop()))
        await asyncio.sleep(0.001)
        if messages[-1][1] == "3":
            raise ValueError("чай")
        return '{"n": 1}'

    replies = FunctionJudge(function, "async").ask([question(str(number)) for number in range(20)], no_complaint)
    assert [reply.ok for reply in replies] == [number != 3 for number in range(20)]
    assert (replies[3].reason, len(loops)) == ("no-answer: ValueError: чай", 1)


def test_a_coroutine_that_waits_is_left_at_an_interruption() -> None:
    async def function(messages: Any) -> str:
        if messages[-1][1] == "1":
            raise KeyboardInterrupt
        await asyncio.sleep(600)
        return ""

    with pytest.raises(KeyboardInterrupt):
        FunctionJudge(function, "waits").ask([question(str(number)) for number in range(3)], no_complaint)


def test_an_address_alone_names_no_model() -> None:
    for address, kept in (("http://localhost:1/v1", ""), ("http://localhost:1/v1[timeout=9]", "timeout=9,")):
        with pytest.raises(UsageError, match=rf"judge='chat\[url=http://localhost:1/v1,{kept}model=NAME\]'"):
            ragauge.evaluate([{"question": "茶？", "answer": "茶"}], "judged-answer-rating", judge=address)


@pytest.mark.parametrize("damage", ["not a database", "another program's", "a folder", "damaged pages"])
def test_a_file_that_is_no_cache(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "judge.sqlite"
    if damage == "not a database":
        path.write_bytes(b"x" * 5000)
    elif damage == "a folder":
        path.mkdir()
    elif damage == "another program's":
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("CREATE TABLE mine (a)")
    else:
        with Session(path) as session:
            FunctionJudge(lambda _: '{"n": 1}', "j").ask([question(str(n)) for n in range(500)], no_complaint, session)
        data = bytearray(path.read_bytes())
        data[4096:] = b"\xff" * (len(data) - 4096)
        path.write_bytes(data)
        with Session(path) as session:
            [reply] = FunctionJudge(lambda _: '{"n": 1}', "j").ask([question("1")], no_complaint, session)
        assert reply.ok
        return
    before = path.read_bytes() if path.is_file() else b""
    with pytest.raises(UsageError, match="the judge cache"):
        Session(path)
    assert path.is_dir() or path.read_bytes() == before


def test_a_damaged_answer_is_asked_again(tmp_path: Path) -> None:
    path = tmp_path / "judge.sqlite"
    judge = FunctionJudge(lambda _: '{"n": 1}', "j")
    with Session(path) as session:
        judge.ask([question("a")], no_complaint, session)
    for text in ("", "[]", '{"text": 1}', '{"other": "x"}', "\udc00"):
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("UPDATE answers SET answer = CAST(? AS TEXT)", (text.encode("utf-8", "surrogatepass"),))
        with Session(path) as session:
            assert judge.ask([question("a")], no_complaint, session)[0].ok
            assert session.tally.total.calls == 1, text


def test_a_jury_asks_each_judge(server: ChatServer) -> None:
    server.reply = lambda body, turn: chat_answer({"rating": 2 if body["model"] == "kind" else 0})
    jury = get(f"jury[judges=chat[url={server.url},model=kind]/chat[url={server.url},model=strict]]")
    result = ragauge.evaluate(ROWS, METRIC, judge=jury, resamples=0)
    assert result[METRIC].value == 0.5
    assert result[METRIC].parts["judge variance"] == 0.5
    assert len(server.bodies) == 60
    assert len(members(jury, 3)) == 6
    assert str(get(str(jury))) == str(jury)
    for wrong in (
        "jury[judges=chat[url=http://h,model=a]]",
        f"jury[judges={'/'.join(['chat[url=http://h,model=a]'] * 2)}]",
    ):
        with pytest.raises(OptionError, match="two or more different judges"):
            get(wrong)


def test_repeats_of_a_judge(server: ChatServer) -> None:
    server.reply = lambda body, turn: chat_answer({"rating": min(body["seed"], 2)})
    result = ragauge.evaluate(ROWS, f"{METRIC}:repeats=3", judge=server.judge(), resamples=0)
    assert result[METRIC if METRIC in result else f"{METRIC}:repeats=3"].value == 0.5
    assert len(server.bodies) == 90


@pytest.mark.long
def test_memory_stays_flat(server: ChatServer) -> None:
    """What a session keeps in memory does not grow with the answers."""
    import gc
    import tracemalloc

    judge = FunctionJudge(lambda _: '{"n": 1}', "many")
    text = "tea " * 500

    def ask(first: int, session: Session) -> None:
        questions = [
            Question(prompt="p", version="1", messages=(("user", f"{number} {text}"),), schema={"type": "object"})
            for number in range(first, first + 60)
        ]
        judge.ask(questions, no_complaint, session)

    with Session() as session:
        ask(0, session)
        tracemalloc.start()
        try:
            ask(60, session)
            gc.collect()
            before = tracemalloc.get_traced_memory()[0]
            for turn in range(2, 7):
                ask(60 * turn, session)
            gc.collect()
            grown = tracemalloc.get_traced_memory()[0] - before
        finally:
            tracemalloc.stop()
    assert grown < 60_000


def test_a_session_serves_several_calls(server: ChatServer) -> None:
    class Heard:
        def __init__(self) -> None:
            self.replies: list[tuple[int, int]] = []

        def __call__(self, done: int, total: int) -> None: ...

        def replied(self, replies: int, questions: int) -> None:
            self.replies.append((replies, questions))

    first, second = Heard(), Heard()
    with Session() as session:
        one = evaluated(server, session=session, progress=first)
        two = evaluated(server, session=session, progress=second)
        assert (session.tally.total.calls, session.tally.total.cached) == (30, 30)
    assert (one.options["judge"]["calls"], two.options["judge"]["calls"]) == (30, 0)
    assert two.options["judge"]["cached"] == 30
    assert "judge: 0 requests, 30 cached replies" in two.data.notes
    # Each reply is heard, not only each batch.
    assert len({replies for replies, _ in first.replies}) == 31
    assert first.replies[-1] == (30, 30)
    assert second.replies[-1] == (30, 30)


def test_a_metric_that_compares_vectors_shares_the_session(server: ChatServer) -> None:
    server.reply = lambda body, turn: chat_answer({"questions": ["Tea?"] * 3, "evasive": False, "rating": 2})
    with Session() as session:
        result = ragauge.evaluate(
            ROWS, ["judged-answer-relevancy", METRIC], judge=server.judge(), session=session, resamples=0
        )
        assert session.tally.total.calls == len(server.bodies) == 60
    assert [score.failed for score in result.table] == [0, 0]


def test_one_judge_object_in_several_threads(server: ChatServer) -> None:
    judge = server.judge(parallel=4)
    rows = [[{**row, "id": f"{part}-{row['id']}", "answer": f"Tea {part}."} for row in ROWS] for part in range(6)]

    def evaluated_with(part: list[Any]) -> ragauge.Result:
        return ragauge.evaluate(part, METRIC, judge=judge, resamples=0)

    with ThreadPoolExecutor(6) as pool:
        results = list(pool.map(evaluated_with, rows))
    assert [(result[METRIC].scored, result[METRIC].value) for result in results] == [(30, 0.5)] * 6


def test_a_thread_that_ends_leaves_the_connections_of_others_open(kept_open: Any) -> None:
    judge = Chat(url=f"http://127.0.0.1:{kept_open.server_address[1]}/v1", model="m", parallel=1)
    judge.begin()
    for number in range(5):
        assert judge.ask([question(str(number))], no_complaint)[0].ok
    assert len(kept_open.connections) == 1
    judge.end()
    assert judge.ask([question("later")], no_complaint)[0].ok
    assert len(kept_open.connections) == 2
