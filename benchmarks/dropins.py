"""Drop-ins beside the libraries whose calls they answer, by the number of samples in a call.

Run: python benchmarks/dropins.py [--rounds 5] [--most 10000]

Both sides get the same texts in one process, in alternated rounds; figures are medians of processor time a call. Where
a peer takes one sample at a time, it is called for each; so is the drop-in in the rows that say so.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from statistics import median

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "ARROW_NUM_THREADS"), "1"))

import numpy as np
import pyarrow as pa
import pytrec_eval
import sacrebleu
from rouge_score import rouge_scorer

from ragauge.compat import pytrec_eval as our_pytrec_eval
from ragauge.compat import rouge_score as our_rouge_score
from ragauge.compat import sacrebleu as our_sacrebleu

pa.set_cpu_count(1)

Call = Callable[[], object]
Texts = tuple[list[str], list[str]]
# Seconds that one measurement of a side lasts at least, repeated if need be.
_LEAST = 0.05
_SIZES = (1, 10, 100, 1000, 10_000)
_WORDS = 5000


def texts(n: int) -> Texts:
    """Return n answers of 12 to 30 words, and references that share most of them."""
    random = np.random.default_rng(n)
    words = np.array(["".join(random.choice(list("etaoinshrdlu"), random.integers(2, 9))) for _ in range(_WORDS)])
    weights = 1 / np.arange(1, _WORDS + 1) ** 1.05
    references = [random.choice(words, random.integers(12, 31), p=weights / weights.sum()) for _ in range(n)]
    answers = [np.where(random.random(len(row)) < 0.8, row, random.choice(words, len(row))) for row in references]
    return [" ".join(row) + "." for row in answers], [" ".join(row) + "." for row in references]


def rankings(n: int) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, int]]]:
    """Return n queries with 100 documents each, five of them judged."""
    random = np.random.default_rng(n)
    run, qrels = {}, {}
    for query in range(n):
        documents = [f"d{number}" for number in random.permutation(1000)[:100].tolist()]
        run[f"q{query}"] = dict(zip(documents, random.random(100).tolist(), strict=True))
        judged = random.choice(documents, 5, replace=False).tolist()
        qrels[f"q{query}"] = dict(zip(judged, random.integers(0, 4, 5).tolist(), strict=True))
    return run, qrels


def tasks(n: int) -> dict[str, tuple[Call, Call]]:
    """Return by name what both sides do with n samples: ours, theirs."""
    answers, references = texts(n)
    pairs = list(zip(answers, references, strict=True))
    run, qrels = rankings(n)
    measures = {"map", "ndcg_cut.10", "recip_rank", "recall.100", "P.10"}
    evaluators = [one.RelevanceEvaluator(qrels, measures) for one in (our_pytrec_eval, pytrec_eval)]
    types = ["rouge1", "rouge2", "rougeL"]
    ours, theirs = our_rouge_score.RougeScorer(types), rouge_scorer.RougeScorer(types)
    alone, peer_alone = our_rouge_score.RougeScorer(["rougeL"]), rouge_scorer.RougeScorer(["rougeL"])

    def each(score: Callable[[str, str], object]) -> Call:
        return lambda: [score(reference, answer) for answer, reference in pairs]

    def both(name: str, *arguments: object) -> tuple[Call, Call]:
        return (
            lambda: getattr(our_sacrebleu, name)(*arguments),
            lambda: getattr(sacrebleu, name)(*arguments),
        )

    rows = {
        "corpus_bleu": both("corpus_bleu", answers, [references]),
        "corpus_chrf": both("corpus_chrf", answers, [references]),
        "rouge1, rouge2, rougeL: score_all": (
            lambda: ours.score_all([[text] for text in references], answers),
            each(theirs.score),
        ),
        "RelevanceEvaluator.evaluate": (lambda: evaluators[0].evaluate(run), lambda: evaluators[1].evaluate(run)),
    }
    if n == 1:
        rows |= {
            "sentence_bleu": both("sentence_bleu", answers[0], references[:1]),
            "sentence_chrf": both("sentence_chrf", answers[0], references[:1]),
            "rougeL: score": (each(alone.score), each(peer_alone.score)),
            "rouge1, rouge2, rougeL: score": (each(ours.score), each(theirs.score)),
        }
    return rows


def seconds(call: Call) -> float:
    """Return the processor time of one call."""
    times, start = 0, time.process_time()
    while (spent := time.process_time() - start) < _LEAST or not times:
        call()
        times += 1
    return spent / times


def main() -> None:
    """Print a row per call and number of samples."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--most", type=int, default=_SIZES[-1])
    options = parser.parse_args()
    print("| call | samples | ours, ms | peer, ms | times as fast |\n|---|---:|---:|---:|---:|")
    for n in [size for size in _SIZES if size <= options.most]:
        for name, (ours, theirs) in tasks(n).items():
            ours()
            theirs()
            rounds = [(seconds(ours), seconds(theirs)) for _ in range(options.rounds)]
            mine, peer = (1000 * median(side) for side in zip(*rounds, strict=True))
            print(f"| {name} | {n:,} | {mine:.2f} | {peer:.2f} | {peer / mine:.2g} |", flush=True)


if __name__ == "__main__":
    main()
