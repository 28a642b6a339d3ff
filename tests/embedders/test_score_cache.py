"""``embedding_cache``: what was encoded in one run is not encoded in the next, whatever the size of the batches."""

from __future__ import annotations

from typing import Any

import ragauge


def encoded(server: Any) -> list[str]:
    return [text for _, _, body in server.requests for text in body["input"]]


def test_saving_a_run_encodes_nothing_again(server, tmp_path) -> None:
    rows = [{"answer": f"answer {i}", "references": [f"reference {i}"]} for i in range(20)]
    result = ragauge.evaluate(
        rows, f'semantic-similarity:embedder=http[url="{server.url}",model=m]', resamples=0, evidence=True
    )
    assert len(encoded(server)) == 40
    result.save(tmp_path / "run")
    assert len(encoded(server)) == 40
    assert (tmp_path / "run" / "evidence.parquet").exists()


def test_a_second_run_encodes_nothing(server, tmp_path) -> None:
    rows = [{"answer": f"answer {i % 5}", "references": [f"reference {i % 3}"]} for i in range(40)]
    metric = f'semantic-similarity:embedder=http[url="{server.url}",model=m]'
    first = ragauge.evaluate(rows, metric, embedding_cache=tmp_path / "vectors", resamples=0)
    assert sorted(encoded(server)) == sorted(
        {*(f"answer {i}" for i in range(5)), *(f"reference {i}" for i in range(3))}
    )
    server.requests.clear()
    second = ragauge.evaluate(rows, metric, embedding_cache=tmp_path / "vectors", resamples=0)
    assert not encoded(server)
    assert second[metric].value == first[metric].value
