"""Count the processes that score a TREC run and do not end cleanly, on a machine that is busy.

Run: python benchmarks/exits.py --processes 500 --busy 4

A thread of a library that touches a Python object while the interpreter ends aborts the process (exit status 134).
`ragauge.formats.trec_lines` therefore reads the bytes itself.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

QUERIES, DEPTH = 300, 100
SCORE = """
import sys
import ragauge
print(ragauge.evaluate(run=sys.argv[1], qrels=sys.argv[2], metrics="ndcg@10"))
"""
BUSY = "while True: pass"


def write(folder: Path) -> list[str]:
    """Write a run and its judgements; return their paths."""
    run = (f"q{q} Q0 d{q}_{rank} {rank} {DEPTH - rank} tag\n" for q in range(QUERIES) for rank in range(DEPTH))
    qrels = (f"q{q} 0 d{q}_{rank} 1\n" for q in range(QUERIES) for rank in range(0, DEPTH, 10))
    paths = [folder / "run.txt", folder / "qrels.txt"]
    for path, lines in zip(paths, (run, qrels), strict=True):
        path.write_text("".join(lines))
    return list(map(str, paths))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=500)
    parser.add_argument("--at-once", type=int, default=2)
    parser.add_argument("--busy", type=int, default=4, help="processes that only compute, to load the machine")
    options = parser.parse_args()
    load = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(options.busy)]
    try:
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.at_once) as pool:
            command = [sys.executable, "-c", SCORE, *write(Path(folder))]
            runs = pool.map(
                lambda _: subprocess.run(command, capture_output=True, check=False), range(options.processes)
            )
            statuses = Counter(run.returncode for run in runs)
    finally:
        for process in load:
            process.kill()
    print(f"{options.processes} processes; exit status: count")
    for status, count in sorted(statuses.items()):
        print(f"{status}: {count}")


if __name__ == "__main__":
    main()
