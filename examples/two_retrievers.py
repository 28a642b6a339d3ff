"""Two retrievers over the corpora in six languages: one by shared words, one by shared pairs of letters.

    python examples/two_retrievers.py
    ragauge score letters.jsonl --preset retrieval --by language --cluster task

Each writes its rankings, beside the judgements of the corpora, to a file: words.jsonl and letters.jsonl.
"""

import json
import math
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

CORPORA = Path(__file__).parent.parent / "corpora"


def words(text: str) -> set[str]:
    """Cut text at white space."""
    return {word.strip(".,:;!?。、，？«»“”()") for word in text.lower().split()}


def letters(text: str) -> set[str]:
    """Cut text into pairs of neighbouring letters."""
    return {a + b for word in words(text) for a, b in pairwise(word)}


def read(path: Path) -> list[dict[str, Any]]:
    """Read a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def ranked(folder: Path, cut: Callable[[str], set[str]]) -> Iterator[dict[str, Any]]:
    """Rank the passages of a folder for each of its answerable questions: rare pieces that both have weigh more."""
    passages = {row["id"]: cut(f"{row['title']} {row['text']}") for row in read(folder / "passages.jsonl")}
    holding = Counter(piece for pieces in passages.values() for piece in pieces)
    for task in read(folder / "questions.jsonl"):
        asked = cut(task["question"])
        score = {
            name: math.fsum(math.log(len(passages) / holding[piece]) for piece in asked & pieces)
            for name, pieces in passages.items()
        }
        best = sorted((name for name in score if score[name] > 0), key=lambda name: (-score[name], name))
        if task["relevance"]:
            yield task | {"id": f"{task['language']}/{task['id']}", "task": task["id"], "retrieved": best[:10]}


for cut in (words, letters):
    rows = [row for folder in sorted(CORPORA.glob("*/??")) for row in ranked(folder, cut)]
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    Path(f"{cut.__name__}.jsonl").write_text("".join(lines), encoding="utf-8")
    print(f"{cut.__name__}.jsonl: {len(rows)} questions")
