"""What it costs to start: CPU seconds of commands on ten rows, beside those of sacrebleu and ir_measures.

    python benchmarks/start.py [--rounds 15]

Each round runs every command once, so that a busy machine slows all of them alike. The table has the median of the
rounds, user and system time together, how often that of a Python that imports numpy and pyarrow and does nothing, and
the least and the most. Peers are left out where they are not installed.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

FLOOR = "import numpy, pyarrow"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder))
        commands = {name: command for name, command in named().items() if shutil.which(command[0])}
        for command in commands.values():
            # Compiles the modules, and fills the cache of the file system.
            seconds(command, folder)
        found = [{name: seconds(command, folder) for name, command in commands.items()} for _ in range(rounds)]
    floor = median([one[FLOOR] for one in found])
    for name in commands:
        times = [one[name] for one in found]
        middle, limits = median(times), f"{1000 * min(times):.0f} to {1000 * max(times):.0f}"
        print(f"{name:40} {1000 * middle:6.0f} ms   {middle / floor:5.2f}   {limits}")


def named() -> dict[str, list[str]]:
    python = sys.executable
    return {
        "python -c pass": [python, "-c", "pass"],
        FLOOR: [python, "-c", FLOOR],
        "import ragauge": [python, "-c", "import ragauge"],
        "ragauge --help": ["ragauge", "--help"],
        "ragauge score ten.csv -m rouge-l": ["ragauge", "score", "texts.csv", "-m", "rouge-l"],
        "ragauge score ten.jsonl -m ndcg@10": ["ragauge", "score", "rankings.jsonl", "-m", "ndcg@10"],
        "sacrebleu": ["sacrebleu", "references.txt", "-i", "answers.txt", "-m", "bleu"],
        "ir_measures": ["ir_measures", "qrels.txt", "run.txt", "nDCG@10"],
    }


def seconds(command: list[str], folder: str) -> float:
    """Return the CPU time of a command that must succeed."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def write(folder: Path) -> None:
    """Write ten samples for each command."""
    answers = [f"the tea house opened {place} years ago" for place in range(10)]
    references = [f"it opened {place} years ago" for place in range(10)]
    run = [f"q{q} Q0 {name} {rank} {1 / rank} t" for q in range(10) for rank, name in ((1, "a"), (2, f"d{q}"))]
    lines = {
        "answers.txt": answers,
        "references.txt": references,
        "texts.csv": ["answer,reference", *(f"{one},{two}" for one, two in zip(answers, references, strict=True))],
        "rankings.jsonl": [json.dumps({"retrieved": ["a", f"d{q}"], "relevance": {f"d{q}": 1}}) for q in range(10)],
        "qrels.txt": [f"q{q} 0 d{q} 1" for q in range(10)],
        "run.txt": run,
    }
    for name, text in lines.items():
        (folder / name).write_text("\n".join(text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
