"""A multilingual example that comes with the package: two versions of a small system that answers questions.

``before.jsonl`` and ``after.jsonl`` hold 64 questions in eight languages about an imagined tea house, with the passages
that were retrieved and the answers to them, before and after a re-ranker was added. ``tests/demo/write.py`` writes
them; its docstring says which parts are invented.
"""

from pathlib import Path

SYSTEMS = ("before", "after")
METRICS = (
    "hit-rate@3",
    "precision@3",
    "recall@5",
    "mrr",
    "ndcg@5",
    "token-f1",
    "rouge-l",
    "groundedness",
    "answer-correctness",
    "latency=column:name=latency,direction=lower",
)
COLUMNS = ("language", "topic")


def samples(system: str) -> bytes:
    """Return the JSON lines of one of `SYSTEMS`."""
    return Path(__file__).with_name(f"{system}.jsonl").read_bytes()
