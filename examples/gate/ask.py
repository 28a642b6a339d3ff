"""Ask the system every English question of the corpora and print what it did, one JSON object a line.

    python examples/gate/ask.py > answers.jsonl

The system here finds the three passages that share most wording with the question and quotes from them the sentence
that shares most: put a call of your own in place of `system`.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ragauge.embedders import get
from ragauge.sentences import sentences

CORPORA = sorted(Path("corpora").glob("*/en"))


def rows(name: str) -> list[dict[str, Any]]:
    """Read a JSONL file of each corpus."""
    texts = ((folder / name).read_text(encoding="utf-8") for folder in CORPORA)
    return [json.loads(line) for text in texts for line in text.splitlines()]


def nearest(question: str, texts: Sequence[str], count: int) -> list[int]:
    """Return the places of the texts that are most like the question, most alike first."""
    places = np.arange(len(texts))
    vectors = get("lexical").encode([question, *texts], "passage")
    return np.argsort(-vectors.cosine(np.zeros_like(places), places + 1), kind="stable")[:count].tolist()


PASSAGES = rows("passages.jsonl")
TEXTS = [f"{passage['title']}. {passage['text']}" for passage in PASSAGES]


def system(question: str) -> dict[str, Any]:
    """Answer one question."""
    found = nearest(question, TEXTS, 3)
    parts = [sentence for place in found for sentence in sentences(PASSAGES[place]["text"])]
    return {
        "answer": parts[nearest(question, parts, 1)[0]],
        "retrieved": [PASSAGES[place]["id"] for place in found],
    }


for task in rows("questions.jsonl"):
    print(json.dumps(task | system(task["question"]), ensure_ascii=False))
