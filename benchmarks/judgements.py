"""How far two sets of judgements agree, as those of a judge and of people, and what it does to the order of systems.

    python benchmarks/judgements.py PEOPLE JUDGE RUN RUN ... [--metric ndcg@10]

PEOPLE and JUDGE are qrels, RUN runs of systems; ``ragauge export --to "trec[what=qrels]"`` writes what a judge graded.
Prints, of the documents that both judged, the share with the same grade and with the same side of relevant (1 and
more), Cohen's kappa of the grades with squared weights, and Kendall's tau-b of the systems by the metric's means, with
the means themselves. Without arguments it compares the two qrels of TREC 2003 Robust in shared/data by its three runs.
"""

from __future__ import annotations

import argparse

import numpy as np

import ragauge
from embedders import DATA
from ragauge.core.ragged import FloatArray
from ragauge.formats.runs import read_qrels
from ragauge.inference.agreement import kendall, weighted_kappa


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("files", nargs="*")
    parser.add_argument("--metric", default="ndcg@10")
    asked = parser.parse_args()
    folder = DATA / "robust03"
    own = [folder / "qrels_cs.txt.gz", folder / "qrels.txt.gz", *sorted(folder.glob("input.*"))]
    people, judge, *runs = asked.files or [str(path) for path in own]
    left, right = grades(people), grades(judge)
    both = sorted(left.keys() & right.keys())
    first, second = (np.array([one[key] for key in both]) for one in (left, right))
    alone = [len(one) - len(both) for one in (left, right)]
    print(f"judged by both: {len(both):,} documents; by one alone: {alone[0]:,} and {alone[1]:,}")
    relevant = (first >= 1) == (second >= 1)
    kappa = weighted_kappa(first, second, np.ones((1, len(both))))[0]
    print(
        f"same grade {100 * (first == second).mean():.1f} %, same side {100 * relevant.mean():.1f} %, kappa {kappa:.3f}"
    )
    means = np.array([[mean(run, qrels, asked.metric) for run in runs] for qrels in (people, judge)])
    for run, pair in zip(runs, means.T, strict=True):
        print(f"{asked.metric} {pair[0]:.4f} {pair[1]:.4f}  {run}")
    print(f"tau-b of {len(runs)} systems: {tau(*means):.3f}")


def grades(path: str) -> dict[tuple[str, str], float]:
    """Return the grade of each query and document."""
    rows = read_qrels(path).to_pylist()
    return {(row["id"], one["id"]): one["grade"] for row in rows for one in row["relevance"]}


def mean(run: str, qrels: str, metric: str) -> float:
    """Return the mean of a metric of a run by judgements."""
    return ragauge.evaluate(run=run, qrels=qrels, metrics=metric, resamples=0)[metric].value


def tau(first: FloatArray, second: FloatArray) -> float:
    """Return Kendall's tau-b of two orders."""
    return float(kendall(first, second, np.ones((1, len(first))))[0])


if __name__ == "__main__":
    main()
