"""Time intervals and tests against sacrebleu's, and the comparison of two saved runs.

    python benchmarks/inference.py [--rounds 5]

Statistics of corpus BLEU are given to both sides, so that only resampling and scoring are timed; contenders alternate
in one process after one round to warm up. Each task is then run once in a process of its own for its peak memory, less
that of importing. Data are drawn from a seed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import ragauge
from ragauge.core.hashing import hash_strings
from ragauge.core.statistics import Totals, split
from ragauge.inference.intervals import percentile
from ragauge.inference.resampling import PairedUnits, ResamplingUnits, replicate_sums
from ragauge.inference.tests import randomisation
from ragauge.metrics.parse import parse

N, RESAMPLES, TRIALS = 20_000, 1000, 10_000
ROWS, METRICS = 100_000, 10
NAMES = (
    *(f"match{order}" for order in range(1, 5)),
    *(f"total{order}" for order in range(1, 5)),
    "hypothesis_length",
    "reference_length",
)


def statistics(seed: int) -> Any:
    """Draw (N, 10) statistics of BLEU."""
    rng = np.random.default_rng(seed)
    length = rng.poisson(24, N) + 5
    match = [rng.binomial(length, 0.6)]
    for order in range(1, 4):
        match.append(np.minimum(rng.binomial(match[-1], 0.6), length - order))
    totals = [length - order for order in range(4)]
    return np.column_stack([*match, *totals, length, rng.poisson(24, N) + 5]).astype(float)


def hashes() -> Any:
    return hash_strings([f"q{i}" for i in range(N)])


def our_interval(rows: Any, keys: Any) -> None:
    sums = replicate_sums(split(rows, np.ones(10, dtype=bool)), keys, RESAMPLES, 0)
    percentile(parse("bleu").score(Totals(NAMES, sums)), 0.95, N)


def our_test(base: Any, candidate: Any, keys: Any) -> None:
    units = ResamplingUnits.of(keys)
    parts = [units.sums(split(rows, np.ones(10, dtype=bool))) for rows in (base, candidate)]
    pair = PairedUnits(NAMES, parts[0], parts[1], np.bincount(units.place), parse("bleu").score)
    randomisation([pair], units.keys, TRIALS, 0)


def their_rows(rows: Any) -> Any:
    """Order statistics as sacrebleu does: lengths, matches, totals."""
    return np.column_stack([rows[:, 8:], rows[:, :8]])


def their_interval(rows: Any) -> None:
    from sacrebleu.metrics import BLEU
    from sacrebleu.significance import _bootstrap_resample, estimate_ci

    _, scores = _bootstrap_resample(their_rows(rows).tolist(), BLEU(), RESAMPLES)
    estimate_ci(np.array([score.score for score in scores]))


def their_test(base: Any, candidate: Any) -> None:
    from sacrebleu.metrics import BLEU
    from sacrebleu.significance import Result, _paired_ar_test

    metric = BLEU()
    old, new = their_rows(base), their_rows(candidate)
    metric._extract_corpus_statistics = lambda *_: new.tolist()  # type: ignore[method-assign] # noqa: SLF001
    info = {"BLEU": (old, Result(metric._aggregate_and_compute(old.tolist()).score))}  # noqa: SLF001
    _paired_ar_test(info, "new", [""] * N, None, {"BLEU": metric}, TRIALS, -1, 0)


def save_runs(folder: Path) -> None:
    """Save two runs of 100,000 samples and 10 metrics of numbers, two of them pooled by BLEU."""
    names = [f"m{place}" for place in range(METRICS - 2)]
    specs = [*(f"column:name={name}" for name in names), "bleu", "bleu:smooth=none"]
    words = np.array([f"w{i}" for i in range(50)])
    for seed, run in enumerate(("base", "new")):
        rng = np.random.default_rng(seed)
        references = words[np.random.default_rng(9).integers(0, 50, (ROWS, 8))]
        answers = np.where(rng.random((ROWS, 8)) < 0.7, references, "x")
        rows: dict[str, Any] = {name: rng.random(ROWS) for name in names}
        rows |= {"id": [f"q{i}" for i in range(ROWS)], "question": [f"what is {i}?" for i in range(ROWS)]}
        rows |= {"references": [[" ".join(row)] for row in references], "answer": [" ".join(row) for row in answers]}
        import pyarrow as pa

        ragauge.evaluate(pa.table(rows), specs, resamples=0).save(folder / run)


def compare_runs(folder: Path) -> None:
    ragauge.compare(folder / "base", folder / "new")


def seconds(tasks: dict[str, Callable[[], None]], rounds: int) -> dict[str, float]:
    """Return the median processor time of each task, in alternated rounds after one to warm up."""
    times: dict[str, list[float]] = {name: [] for name in tasks}
    for round_ in range(rounds + 1):
        for name, task in tasks.items():
            start = time.process_time()
            task()
            if round_:
                times[name].append(time.process_time() - start)
    return {name: median(found) for name, found in times.items()}


def tasks(folder: Path) -> dict[str, Callable[[], None]]:
    base, candidate, keys = statistics(0), statistics(1), hashes()
    return {
        "interval, sacrebleu": lambda: their_interval(base),
        "interval, ragauge": lambda: our_interval(base, keys),
        "randomisation, sacrebleu": lambda: their_test(base, candidate),
        "randomisation, ragauge": lambda: our_test(base, candidate, keys),
        "compare, ragauge": lambda: compare_runs(folder),
    }


def peak(name: str, folder: Path) -> float:
    """Run one task in a process of its own; return its peak memory in MB, less that of importing."""
    found = subprocess.run(
        [sys.executable, __file__, "--task", name, "--folder", str(folder)], capture_output=True, text=True, check=True
    )
    return float(found.stdout)


def alone(name: str, folder: Path) -> None:
    task = tasks(folder)[name]
    if "sacrebleu" in name:
        import sacrebleu.significance  # noqa: F401
    before = highest()
    task()
    print((highest() - before) / 1024)


def highest() -> int:
    """Return the peak memory of this process in kB; that of `resource` counts the process that started it too."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.partition("VmHWM:")[2].split()[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--task", help="run this one and print its memory")
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    if options.task:
        alone(options.task, options.folder)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        save_runs(folder)
        measured = tasks(folder)
        found = seconds(measured, options.rounds)
        print(f"sacrebleu {version('sacrebleu')}, numpy {np.__version__}; n = {N:,}; compare {ROWS:,} x {METRICS}\n")
        print("| task | seconds | peak MB | times |\n|---|---:|---:|---:|")
        for task in measured:
            rival = found.get(task.replace("ragauge", "sacrebleu"), found[task])
            print(f"| {task} | {found[task]:.3f} | {peak(task, folder):.0f} | {rival / found[task]:.1f} |")


if __name__ == "__main__":
    main()
