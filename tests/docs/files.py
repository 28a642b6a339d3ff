"""The files that commands on the pages name, as a reader would have them."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

from tests.docs.blocks import ROOT

TEA_HOUSE = ROOT / "corpora" / "tea-house.jsonl"


def rows() -> list[dict[str, Any]]:
    """Return answers with everything that a metric reads: texts, ids, judgements, groups, people's labels."""
    found = [json.loads(line) for line in TEA_HOUSE.read_text(encoding="utf-8").splitlines()]
    return [{**row, **_judged(row, place)} for place, row in enumerate(found)]


def write(folder: Path) -> None:
    """Write the files into ``folder``."""
    found = rows()
    better = [{**row, "answer": row["references"][0]} if place % 3 else row for place, row in enumerate(found)]
    _jsonl(folder / "answers.jsonl", found)
    _jsonl(folder / "judged.jsonl", better)
    _csv(folder / "answers.csv", found)
    _trec(folder, found)
    for name in ("corpora", "examples"):
        (folder / name).symlink_to(ROOT / name)


def _judged(row: dict[str, Any], place: int) -> dict[str, Any]:
    ids = [f"{row['id']}-{rank}" for rank in range(len(row["contexts"]))]
    grades = [float(text in row["reference_contexts"]) for text in row["contexts"]]
    labels = {"correct": place % 4 != 0, "rating": place % 5 + 1, "system": "ab"[place % 2], "book": place // 3}
    judged = {"relevance": dict(zip(ids, grades, strict=True)), "nuggets": row["references"]}
    spans = {"retrieved_spans": [[0, 90]], "reference_spans": [[40 + place, 120]]}
    calls = {"tool_calls": [{"name": "search"}], "reference_tool_calls": [{"name": "search"}]}
    return {"id": f"q{place + 1}", "retrieved": ids, **judged, **labels, **spans, **calls}


def _jsonl(path: Path, found: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in found), encoding="utf-8")


def _csv(path: Path, found: list[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "question", "answer", "references"])
        writer.writerows([row["id"], row["question"], row["answer"], row["references"][0]] for row in found)


def _trec(folder: Path, found: list[dict[str, Any]]) -> None:
    ranked = [(row["id"], document, rank) for row in found for rank, document in enumerate(row["retrieved"])]
    run = [f"{query} Q0 {document} {rank + 1} {9 - rank} bm25\n" for query, document, rank in ranked]
    judged = [(row["id"], *pair) for row in found for pair in row["relevance"].items()]
    qrels = [f"{query} 0 {document} {grade:.0f}\n" for query, document, grade in judged]
    (folder / "bm25.trec").write_text("".join(run), encoding="utf-8")
    (folder / "qrels.txt").write_text("".join(qrels), encoding="utf-8")
    by_subtopic = [f"{query} {place % 2 + 1} {document} 1\n" for place, (query, document, _) in enumerate(judged)]
    (folder / "subtopics.txt").write_text("".join(by_subtopic), encoding="utf-8")
