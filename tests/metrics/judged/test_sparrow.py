"""Judged metrics against a real decision model of 3 MB behind a real server, sparrow-decider.

Its answers about texts are near chance: this tests what is around them, and says nothing about how well a model judges.
"""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ragauge
from ragauge.judges import Session
from ragauge.results.result import Result

from .test_small_model import wait_until_ready
from .toys import EVERY

REASON = "a small decision model: pip install sparrow-decider"
WRITING = {"judged-answer-relevancy", "judged-context-entity-recall"}
METRICS = [f"{name}:criteria=politeness" if name == "judged-rubric" else name for name in EVERY if name not in WRITING]
ENGLISH: dict[str, Any] = {
    "question": "Who opened it?", "answer": "Lin opened it. It was in May.", "other_answer": "Wan did.",
    "contexts": ["Lin opened the teahouse.", "It rained in June."], "references": ["Lin did, in May."],
    "nuggets": ["Lin opened it"],
}  # fmt: skip
CHINESE: dict[str, Any] = {
    "question": "谁开了这家茶馆？", "answer": "林婉开的。是在五月。", "other_answer": "是王明。",
    "contexts": ["林婉开了茶馆。", "六月下了雨。"], "references": ["林婉，在五月。"], "nuggets": ["林婉开了茶馆"],
}  # fmt: skip
SAMPLES = [
    {**(ENGLISH, CHINESE)[number % 2], "id": str(number), "answer": f"{answer} {number}"}
    for number in range(5)
    for answer in [(ENGLISH, CHINESE)[number % 2]["answer"]]
]


@pytest.fixture
def url() -> Iterator[str]:
    pytest.importorskip("sparrow_decider", reason=REASON)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "sparrow_decider.cli", "serve", "--port", str(port)],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        wait_until_ready(f"http://127.0.0.1:{port}/", seconds=60)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.kill()
        process.communicate()


def scored(url: str, cache: Path, **limits: Any) -> tuple[Result, int]:
    judge = f"decisions[url={url},model=sparrow,parallel=2]"
    with Session(cache, **limits) as session:
        result = ragauge.evaluate(SAMPLES, METRICS, judge=judge, session=session, resamples=0)
        return result, session.tally.total.calls


def test_every_metric_that_can_ends_ok_and_a_second_run_asks_nothing(url: str, tmp_path: Path) -> None:
    planned = scored(url, tmp_path / "plan", dry_run=True)[1]
    first, asked = scored(url, tmp_path / "cache", max_calls=planned // 2)
    # The first request asks in the protocol that the server lacks, too.
    assert asked == planned // 2 - 1
    assert any(score.failed for score in first.table)
    # What was stopped goes on where it was.
    result, rest = scored(url, tmp_path / "cache")
    assert rest == planned - asked
    assert [(score.metric, score.failed, score.scored) for score in result.table] == [
        (score.metric, 0, 5) for score in result.table
    ]
    again, none = scored(url, tmp_path / "cache")
    assert none == 0
    assert [score.value for score in again.table] == [score.value for score in result.table]
    assert len(result.table) == len(METRICS) >= 13
