"""Let ragauge ask your RAG system its questions: it records answers, contexts and latency, and counts what fails."""

import json
from pathlib import Path

import ragauge

ROWS = [json.loads(line) for line in (Path(__file__).parent.parent / "corpora/tea-house.jsonl").open(encoding="utf-8")]
PASSAGES = list(dict.fromkeys(passage for row in ROWS for passage in row["contexts"] + row["reference_contexts"]))


def system(question: str) -> dict[str, object]:
    """Retrieve by shared characters and answer with the best passage: put your own system here."""
    if "Longjing" in question:
        raise TimeoutError("the kettle did not answer")
    ranked = sorted(PASSAGES, key=lambda passage: -len(set(question) & set(passage)) / len(set(passage)))
    return {"answer": ranked[0], "contexts": ranked[:3]}


questions = [{key: row[key] for key in ("id", "language", "question", "reference_contexts")} for row in ROWS]
result = ragauge.evaluate(
    questions,
    ["hit-rate", "mrr", "column:name=latency,direction=lower"],
    system=system,
    concurrency=4,  # questions at once
    timeout=30,  # seconds for each
    retries=0,  # further tries after a broken connection, say
    by="language",
)

print(result)
print("failed:", set(result.reasons("mrr").values()))
