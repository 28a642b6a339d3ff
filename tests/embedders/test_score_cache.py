"""``embedding_cache``: what was encoded in one run is not encoded in the next, whatever the size of the batches."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

import ragauge


class _Embeddings(BaseHTTPRequestHandler):
    asked: list[str] = []  # noqa: RUF012 - one server at a time, emptied by the fixture

    def do_POST(self) -> None:
        texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
        self.asked.extend(texts)
        data = [{"index": i, "embedding": [1.0, float(len(text))]} for i, text in enumerate(texts)]
        body = json.dumps({"data": data}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Stay quiet."""


@pytest.fixture
def server():
    _Embeddings.asked.clear()
    running = ThreadingHTTPServer(("127.0.0.1", 0), _Embeddings)
    thread = Thread(target=running.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{running.server_port}/v1"
    running.shutdown()
    thread.join()
    running.server_close()


def test_saving_a_run_encodes_nothing_again(server, tmp_path) -> None:
    rows = [{"answer": f"answer {i}", "references": [f"reference {i}"]} for i in range(20)]
    result = ragauge.evaluate(
        rows, f'semantic-similarity:embedder=http[url="{server}",model=m]', resamples=0, evidence=True
    )
    assert len(_Embeddings.asked) == 40
    result.save(tmp_path / "run")
    assert len(_Embeddings.asked) == 40
    assert (tmp_path / "run" / "evidence.parquet").exists()


def test_a_second_run_encodes_nothing(server, tmp_path) -> None:
    rows = [{"answer": f"answer {i % 5}", "references": [f"reference {i % 3}"]} for i in range(40)]
    metric = f'semantic-similarity:embedder=http[url="{server}",model=m]'
    first = ragauge.evaluate(rows, metric, embedding_cache=tmp_path / "vectors", resamples=0)
    assert sorted(_Embeddings.asked) == sorted(
        {*(f"answer {i}" for i in range(5)), *(f"reference {i}" for i in range(3))}
    )
    _Embeddings.asked.clear()
    second = ragauge.evaluate(rows, metric, embedding_cache=tmp_path / "vectors", resamples=0)
    assert not _Embeddings.asked
    assert second[metric].value == first[metric].value
