"""Time retrieval evaluation against its peers: a run and its judgements in, five means out.

    python benchmarks/retrieval.py [--rounds 7] [--large]

All contenders run in one process, in alternated rounds after one to warm up; the table has medians. Data are made
from a seed: A is 1,000 queries x 1,000 documents, B 7,000 x 100, C (with ``--large``) 7,000 x 1,000; five judgements
a query, two of them not relevant, and many tied scores in every fourth query. C is run once by each contender in a
process of its own, for its peak memory.

ragauge checks for documents that were retrieved twice, NaN and malformed lines; not all of its peers do.
"""

from __future__ import annotations

import argparse
import gc
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import ragauge

Means = dict[str, float]
Contender = Callable[[], Means]

SIZES = {"A": (1000, 1000), "B": (7000, 100), "C": (7000, 1000)}
METRICS = ["ndcg@10", "map", "mrr", "recall@100", "precision@10"]
TREC_METRICS = ["ndcg_cut.10", "map", "recip_rank", "recall.100", "P.10"]
TREC_NAMES = [name.replace(".", "_") for name in TREC_METRICS]
RANX_METRICS = ["ndcg@10", "map", "mrr", "recall@100", "precision@10"]


def make(folder: Path, name: str) -> tuple[str, str]:
    """Write a run and its judgements, as TREC has them."""
    random = np.random.default_rng(7)
    queries, length = SIZES[name]
    run, qrels = folder / f"{name}.run", folder / f"{name}.qrels"
    with run.open("w") as retrieved, qrels.open("w") as judged:
        for query in range(queries):
            documents = random.choice(8_000_000, length + 1, replace=False)
            scores = np.sort(random.random(length) * 30)[::-1]
            if query % 4 == 0:
                scores = np.round(scores, 1 if length >= 1000 else 0)
            lines = zip(documents.tolist(), scores.tolist(), strict=False)
            retrieved.writelines(f"q{query} Q0 d{one} {i} {score:.6f} run\n" for i, (one, score) in enumerate(lines, 1))
            chosen = np.append(random.choice(length, 4, replace=False), length)
            grades = zip(documents[chosen].tolist(), [3, 2, 1, 0, 0], strict=True)
            judged.writelines(f"q{query} 0 d{one} {grade}\n" for one, grade in grades)
    return str(run), str(qrels)


def ours(run: Any, qrels: Any) -> Means:
    result = ragauge.evaluate(run=run, qrels=qrels, metrics=METRICS, resamples=0)
    return {name: result[name].value for name in METRICS}


def pytrec_eval_dicts(run: Any, qrels: Any) -> Means:
    import pytrec_eval

    rows = pytrec_eval.RelevanceEvaluator(qrels, set(TREC_METRICS)).evaluate(run).values()
    means = [sum(row[name] for row in rows) / len(rows) for name in TREC_NAMES]
    return dict(zip(METRICS, means, strict=True))


def parsed(run: str, qrels: str) -> tuple[Any, Any]:
    import pytrec_eval

    with Path(run).open() as retrieved, Path(qrels).open() as judged:
        return pytrec_eval.parse_run(retrieved), pytrec_eval.parse_qrel(judged)


def pytrec_eval_files(run: str, qrels: str) -> Means:
    return pytrec_eval_dicts(*parsed(run, qrels))


def ir_measures_files(run: str, qrels: str) -> Means:
    import ir_measures

    return ir_measures_any(ir_measures.read_trec_run(run), ir_measures.read_trec_qrels(qrels))


def ir_measures_any(run: Any, qrels: Any) -> Means:
    import ir_measures
    from ir_measures import AP, RR, P, R, nDCG

    measures = [nDCG @ 10, AP, RR, R @ 100, P @ 10]
    means = ir_measures.calc_aggregate(measures, qrels, run)
    return dict(zip(METRICS, (means[one] for one in measures), strict=True))


def ranx_files(run: str, qrels: str) -> Means:
    from ranx import Qrels, Run

    return ranx_built(Run.from_file(run, kind="trec"), Qrels.from_file(qrels, kind="trec"))


def ranx_dicts(run: Any, qrels: Any) -> Means:
    from ranx import Qrels, Run

    return ranx_built(Run(run), Qrels(qrels))


def ranx_built(run: Any, qrels: Any) -> Means:
    from ranx import evaluate

    return dict(zip(METRICS, map(float, evaluate(qrels, run, RANX_METRICS).values()), strict=True))


def trec_eval_files(run: str, qrels: str) -> Means:
    options = [part for name in TREC_METRICS for part in ("-m", name)]
    done = subprocess.run(["trec_eval", *options, qrels, run], check=True, capture_output=True, text=True)  # noqa: S607
    means = {line.split()[0]: float(line.split()[2]) for line in done.stdout.splitlines()}
    return dict(zip(METRICS, (means[name] for name in TREC_NAMES), strict=True))


FILES: dict[str, Callable[[str, str], Means]] = {
    "ragauge": ours,
    "pytrec_eval": pytrec_eval_files,
    "ir_measures": ir_measures_files,
    "ranx": ranx_files,
    "trec_eval": trec_eval_files,
}
DICTS: dict[str, Callable[[Any, Any], Means]] = {
    "ragauge": ours,
    "pytrec_eval": pytrec_eval_dicts,
    "ir_measures": ir_measures_any,
    "ranx": ranx_dicts,
}


def installed(names: dict[str, Any]) -> dict[str, Any]:
    return {name: run for name, run in names.items() if find_spec(name) or shutil.which(name)}


def loaded(run: str, qrels: str) -> dict[str, Contender]:
    """Evaluate again what was read before."""
    from ragauge.evaluation.request import named
    from ragauge.evaluation.summarize import Inference
    from ragauge.formats import read_retrieval

    data = read_retrieval(run, qrels)
    evaluator = ragauge.Evaluator(named(METRICS), inference=Inference(resamples=0))

    def ours_again() -> Means:
        result = evaluator(data)
        return {name: result[name].value for name in METRICS}

    contenders: dict[str, Contender] = {"ragauge": ours_again}
    if find_spec("ranx"):
        from ranx import Qrels, Run

        built = Run.from_file(run, kind="trec"), Qrels.from_file(qrels, kind="trec")
        contenders["ranx"] = lambda: ranx_built(*built)
    return contenders


def timed(contenders: dict[str, Contender], rounds: int) -> dict[str, float]:
    """Return the median milliseconds of each, in alternated rounds."""
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for turn in range(rounds + 1):
        for name, run in contenders.items():
            gc.collect()
            start = time.perf_counter()
            run()
            if turn:
                times[name].append(1000 * (time.perf_counter() - start))
    return {name: median(taken) for name, taken in times.items()}


def show(step: str, milliseconds: dict[str, float]) -> None:
    cells = []
    for name in FILES:
        taken = milliseconds.get(name)
        ratio = "" if taken is None or name == "ragauge" else f" ({taken / milliseconds['ragauge']:.1f}x)"
        cells.append("-" if taken is None else f"{taken:.0f}{ratio}")
    print(f"| {step} | {' | '.join(cells)} |", flush=True)


def compare(name: str, files: tuple[str, str], rounds: int) -> None:
    by_file = {one: (lambda run=run: run(*files)) for one, run in installed(FILES).items()}
    check({one: run() for one, run in by_file.items()})
    show(f"{name}, files", timed(by_file, rounds))
    dicts = parsed(*files)
    show(f"{name}, dicts", timed({one: (lambda run=run: run(*dicts)) for one, run in installed(DICTS).items()}, rounds))
    show(f"{name}, read before", timed(loaded(*files), rounds))


def check(means: dict[str, Means]) -> None:
    """Stop if ragauge and pytrec_eval differ; ranx differs where scores are tied, trec_eval prints four places."""
    left, right = means["ragauge"], means["pytrec_eval"]
    if any(abs(left[name] - right[name]) > 1e-9 for name in METRICS):
        sys.exit(f"ragauge and pytrec_eval differ: {means}")


def once(files: tuple[str, str]) -> None:
    """Run each contender once in a process of its own."""
    print("\n| C, files | seconds | peak memory, MB |\n|---|---|---|")
    for name in installed(FILES):
        start = time.perf_counter()
        child = subprocess.Popen([sys.executable, __file__, "--once", name, *files])
        _, _, usage = os.wait4(child.pid, 0)
        print(f"| {name} | {time.perf_counter() - start:.2f} | {usage.ru_maxrss / 1024:.0f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Time retrieval evaluation against its peers.")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--once", nargs=3, metavar=("NAME", "RUN", "QRELS"))
    options = parser.parse_args()
    if options.once:
        FILES[options.once[0]](*options.once[1:])
        return
    print("Not here, so left out:", ", ".join(sorted(set(FILES) - set(installed(FILES)))) or "none")
    with tempfile.TemporaryDirectory() as folder:
        if options.large:  # first: a child's peak memory is never less than what its parent had
            once(make(Path(folder), "C"))
        print("\nMedian milliseconds (and how many times ragauge's):\n")
        print(f"| step | {' | '.join(FILES)} |\n|{'---|' * (len(FILES) + 1)}")
        for name in ("A", "B"):
            compare(name, make(Path(folder), name), options.rounds)


if __name__ == "__main__":
    main()
