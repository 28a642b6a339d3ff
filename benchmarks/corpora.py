"""What the built-in lexical embedder finds in the corpora: every passage ranked by its similarity to the question.

    python benchmarks/corpora.py [--write] [salon] [manual] ...

Prints a Markdown table for each corpus, with 95 % intervals; in the last row the six versions of a question are one
cluster. A hit is a passage of grade 2 or 3 among the first three. Questions without an answer are left out.
With ``--write`` the tables that stand in the corpora's README files are replaced.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

import ragauge
from ragauge.core.texts import VectorSpace
from ragauge.embedders import get

CORPORA = Path(__file__).parents[1] / "corpora"
LANGUAGES = ("en", "zh", "ja", "ko", "ru", "ar")
HIT, NDCG = "hit-rate@3:level=2,undefined=skip", "ndcg@10:undefined=skip"

Rows = list[dict[str, Any]]


def main(arguments: list[str]) -> None:
    """Print the tables of the named corpora, or of all."""
    names = [name for name in arguments if name != "--write"]
    for name in names or sorted(folder.name for folder in CORPORA.iterdir() if (folder / LANGUAGES[0]).is_dir()):
        found = table(name)
        print(found, end="\n\n")
        if "--write" in arguments:
            write(CORPORA / name / "README.md", found)


def write(readme: Path, found: str) -> None:
    first, _, _ = found.partition("\n")
    before, head, after = readme.read_text(encoding="utf-8").partition(first)
    rest = after.partition("\n\n")[2]
    readme.write_text(f"{before}{found}\n\n{rest}" if head else f"{before}\n{found}\n", encoding="utf-8")


def table(name: str) -> str:
    """Write one row per language, and one for all questions together."""
    asked = [row for language in LANGUAGES for row in ranked(CORPORA / name / language)]
    each = ragauge.evaluate(asked, [HIT, NDCG], by="language")
    together = ragauge.evaluate(asked, [HIT, NDCG], cluster="asked")
    hits, gains = ({**each.groups(metric, "language"), "all": together[metric]} for metric in (HIT, NDCG))
    lines = [f"| {name} | answerable | hit-rate@3 | ndcg@10 |", "|---|---|---|---|"]
    for language in (*LANGUAGES, "all"):
        hit, gain = hits[language], gains[language]
        lines.append(f"| {language} | {hit.scored} of {hit.total} | {shown(hit)} | {shown(gain)} |")
    return "\n".join(lines)


def shown(score: Any) -> str:
    return f"{score.value:.3f} [{score.low:.3f}, {score.high:.3f}]"


def ranked(folder: Path) -> Rows:
    """Return the questions of one language with all its passages, most similar first."""
    passages, questions = read(folder / "passages.jsonl"), read(folder / "questions.jsonl")
    space = VectorSpace(get("lexical"))
    offered = space.numbers([row["text"] for row in passages], "passage")
    asked = space.numbers([row["question"] for row in questions], "query")
    similar = space.cosine(np.repeat(asked, len(offered)), np.tile(offered, len(asked))).reshape(len(asked), -1)
    orders = np.argsort(-similar, axis=1, kind="stable").tolist()
    return [
        {
            **row,
            "asked": row["id"],
            "id": f"{row['language']}-{row['id']}",
            "retrieved": [passages[place]["id"] for place in order],
        }
        for row, order in zip(questions, orders, strict=True)
    ]


def read(path: Path) -> Rows:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    main(sys.argv[1:])
