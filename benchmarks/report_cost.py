"""What `ragauge report` and `ragauge compare` of saved runs with evidence cost: processor time and peak memory.

    python benchmarks/report_cost.py [--samples 5000] [--runs 2 6] [--rounds 3] [--folder FOLDER]

The samples of `ragauge demo`, before and after, are repeated until there are enough. Copies differ: their passages are
numbered, and each answer is followed by that of another sample of its language. They are scored by the default metrics
with evidence; runs between the first and the last have a share of the answers of each. The runs are kept in `--folder`,
and used again from there. Each command is a process of its own; figures are medians of the rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path
from statistics import median
from typing import Any

import ragauge
from ragauge import demo

Row = dict[str, Any]


def samples(size: int, share: float) -> Iterator[Row]:
    """Yield ``size`` samples; ``share`` of them, from 0 to 1, have answers and passages from after the change."""
    both = [_rows(name) for name in ("before.jsonl", "after.jsonl")]
    groups: dict[str, list[int]] = {}
    for place, row in enumerate(both[0]):
        groups.setdefault(row["language"], []).append(place)
    places = ((copy, place) for copy in count() for place in range(len(both[0])))
    made = (_copy(both[_drawn(copy, place) < share], place, copy, groups) for copy, place in places)
    return islice(made, size)


def _rows(name: str) -> list[Row]:
    text = Path(demo.__file__).with_name(name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def _drawn(copy: int, place: int) -> float:
    """Return a number from 0 to below 1 that looks drawn at random."""
    return (copy * 64 + place) * 0.6180339887498949 % 1


def _copy(rows: list[Row], place: int, copy: int, groups: dict[str, list[int]]) -> Row:
    row = rows[place]
    same = groups[row["language"]]
    other = rows[same[(same.index(place) + copy) % len(same)]]
    answers = [row["answer"], *([other["answer"]] if copy else [])]
    return {
        **row,
        "id": f"{row['id']}-{copy}",
        "question": f"{row['question']} ({copy})",
        "answer": " ".join(text for text in answers if text) if row["answer"] else row["answer"],
        "contexts": [{**one, "text": f"{copy + 1}. {one['text']}"} for one in row["contexts"] or ()],
    }


def made_runs(folder: Path, size: int, runs: int) -> list[Path]:
    """Return ``runs`` saved runs in ``folder``; those that are there already are not made again."""
    paths = []
    for run in range(runs):
        path = folder / f"{size}-{run}-of-{runs}"
        paths.append(path)
        if not path.exists():
            rows = list(samples(size, run / (runs - 1)))
            ragauge.evaluate(rows, evidence=True).save(path)
    return paths


def measured(command: list[str]) -> tuple[float, float]:
    """Return seconds of processor time and the most memory, MB, of a command of ragauge."""
    process = subprocess.Popen([sys.executable, "-m", "ragauge", *command], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        raise SystemExit(f"ragauge {' '.join(command)} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000


def main() -> None:
    """Print a row for each command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=5_000)
    parser.add_argument("--runs", type=int, nargs="+", default=[2, 6])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path)
    asked = parser.parse_args()
    print("| command | runs | samples | processor time, s | memory, MB | page, MB |")
    print("|---|---:|---:|---:|---:|---:|", flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        for runs in asked.runs:
            paths = [str(path) for path in made_runs(asked.folder or Path(temporary), asked.samples, runs)]
            page = Path(temporary) / "page.html"
            commands = {"report": ["report", *paths, "-o", str(page), "--force"], "compare": ["compare", *paths]}
            for name, command in commands.items():
                times, peaks = zip(*(measured(command) for _ in range(asked.rounds)), strict=True)
                size = f"{page.stat().st_size / 1e6:.1f}" if name == "report" else "-"
                figures = [f"{runs}", f"{asked.samples:,}", f"{median(times):.1f}", f"{max(peaks):.0f}", size]
                print("| " + " | ".join([f"`{name}`", *figures]) + " |", flush=True)


if __name__ == "__main__":
    main()
