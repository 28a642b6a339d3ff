"""How often a question is taken to refer to what was said before: of our dialogues, and of questions that stand alone.

python benchmarks/turns.py [--data ../shared/data]

The second question of each dialogue refers to the first, the others stand alone. Questions of XQuAD were written beside
a passage, so that some refer to it ("his", "this city"); all count as standing alone.
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path

from ragauge.evaluation.turns import referring

ROOT = Path(__file__).parents[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    data = parser.parse_args().data
    lines = (ROOT / "corpora" / "dialogues" / "dialogues.jsonl").read_text(encoding="utf-8").splitlines()
    scripts = [[one["content"] for one in json.loads(line)["messages"] if one["role"] == "user"] for line in lines]
    found = [referring(script) == [False, True, False] for script in scripts]
    turns = sum(place == 1 for script in scripts for place, refers in enumerate(referring(script)) if refers)
    print(f"dialogues: {sum(found)} of {len(found)} right in all turns, {turns} of {len(found)} second turns refer")
    for path in sorted((data / "xquad").glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            refers = referring([json.loads(line)["question"] for line in file])
        print(f"{path.name.partition('.')[0]}: {sum(refers) / len(refers):.1%} of {len(refers)} questions refer")


if __name__ == "__main__":
    main()
