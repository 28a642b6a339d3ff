"""Text metrics with the compiled kernel beside their fastest peers, in any language, and beside ragauge without it.

Run: pip install . sacrebleu rouge-score rouge-score-rs rouge-rust rapidrouge fastchrf bleuscore fast-bleu
     RAYON_NUM_THREADS=1 python benchmarks/native.py [--rounds 7] [--scale 1.0] [--only TEXT]

Each side takes its turn in every round, in one process and one thread; figures are medians of processor time. Slow
peers get fewer pairs, and rates are compared. Peers that are not installed are left out. The ratio says how many times
as fast ragauge is with the kernel; "equal" is whether it gives the same numbers without it, to the last bit.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from statistics import median

os.environ.setdefault("RAYON_NUM_THREADS", "1")

import numpy as np
import text
from text import Corpus

from ragauge.core.native import VARIABLE, kernel

Work = Callable[[Corpus], object]


@dataclass(frozen=True)
class Peer:
    """A library: the module that it needs, the share of the pairs that it gets, and how often we must be faster."""

    name: str
    module: str
    run: Work
    share: float
    target: float | None = None


@dataclass(frozen=True)
class Contest:
    """What all sides compute."""

    name: str
    ours: Work
    peers: tuple[Peer, ...]


def rouge_score_rs(corpus: Corpus) -> object:
    from rouge_score_rs.rouge_scorer import RougeScorer

    return RougeScorer(["rouge1", "rouge2", "rougeL"]).score_batch(corpus.references, corpus.answers)


def rouge_rust(corpus: Corpus) -> object:
    import fast_rouge

    return fast_rouge.score_batch_flat(corpus.references, corpus.answers).rougeL_fmeasure


def fastchrf(corpus: Corpus) -> object:
    from fastchrf import pairwise_chrf

    return pairwise_chrf([[one] for one in corpus.answers], [[one] for one in corpus.references])


def rapidrouge(corpus: Corpus) -> object:
    from rapidrouge.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rouge1", "rouge2", "rougeL"])
    return [scorer.score(*pair) for pair in zip(corpus.references, corpus.answers, strict=True)]


def bleuscore(corpus: Corpus) -> object:
    from bleuscore import compute

    return compute(references=[[one] for one in corpus.references], predictions=corpus.answers)


def fast_bleu(corpus: Corpus) -> object:
    """BLEU of each pair, whose tokens are ready: it has no tokenizer, and no BLEU of a corpus of pairs."""
    from fast_bleu import BLEU

    answers, references = text.tokens(corpus)
    weights = {"bleu": (0.25, 0.25, 0.25, 0.25)}
    return [BLEU([one], weights).get_score([other]) for one, other in zip(references, answers, strict=True)]


def contests(size: str) -> list[Contest]:
    rouge = [f"rouge-{kind}:compat=rouge-score" for kind in ("1", "2", "l")]
    slow = 0.1 if size == "short" else 0.02
    return [
        Contest(
            "BLEU",
            text.ours("bleu:compat=sacrebleu"),
            (
                Peer("sacrebleu", "sacrebleu", text.sacrebleu("BLEU"), 0.1, 35 if size == "short" else 25),
                Peer("bleuscore", "bleuscore", bleuscore, 1.0, 1),
                Peer("fast_bleu", "fast_bleu", fast_bleu, 0.1, 1),
            ),
        ),
        Contest(
            "ROUGE-1/2/L",
            text.ours(*rouge),
            (
                Peer("rouge-score", "rouge_score", text.rouge_score("rouge1", "rouge2", "rougeL"), slow),
                Peer("rouge-score-rs", "rouge_score_rs", rouge_score_rs, 1.0, 1.2),
                Peer("rouge-rust", "fast_rouge", rouge_rust, 1.0, 1.2),
                Peer("rapidrouge", "rapidrouge", rapidrouge, slow, 1.2),
            ),
        ),
        Contest(
            "chrF",
            text.ours("chrf:compat=sacrebleu"),
            (
                Peer("sacrebleu", "sacrebleu", text.sacrebleu("CHRF"), 0.05, 40),
                Peer("fastchrf", "fastchrf", fastchrf, 0.25, 8),
            ),
        ),
    ]


def defaults(size: str) -> list[Contest]:
    """Return what all sides compute in the forms that a user gets without options."""
    if size == "chinese":
        return [Contest(f"{name}, default", text.ours(name), ()) for name in ("bleu", "rouge-l", "token-f1", "chrf")]
    slow = 0.1 if size == "short" else 0.02
    rouge = Peer("rouge-score", "rouge_score", text.rouge_score("rouge1", "rouge2", "rougeL"), slow, 100)
    return [
        Contest("bleu, default", text.ours("bleu"), (Peer("sacrebleu", "sacrebleu", text.sacrebleu("BLEU"), 0.1, 40),)),
        Contest("rouge-1, rouge-2, rouge-l, default", text.ours("rouge-1", "rouge-2", "rouge-l"), (rouge,)),
        Contest("rouge-l, default", text.ours("rouge-l"), ()),
        Contest("token-f1, default", text.ours("token-f1"), ()),
        Contest(
            "chrf, default", text.ours("chrf"), (Peer("sacrebleu", "sacrebleu", text.sacrebleu("CHRF"), 0.05, 45),)
        ),
    ]


def switched(work: Work, value: str) -> Work:
    """Return the same work with the kernel on (1) or off (0)."""

    def run(corpus: Corpus) -> object:
        os.environ[VARIABLE] = value
        return work(corpus)

    return run


def rates(sides: list[tuple[Work, Corpus]], rounds: int) -> list[float]:
    """Return pairs per second of each side: medians over rounds in which each has its turn."""
    times = [[text.seconds(work, corpus) for work, corpus in sides] for _ in range(rounds + 1)][1:]
    return [len(corpus) / median(times) for (_, corpus), times in zip(sides, zip(*times, strict=True), strict=True)]


def equal(work: Work, corpus: Corpus) -> bool:
    """Return whether the scores are the same to the last bit with the kernel and without it."""
    pairs = zip(switched(work, "1")(corpus), switched(work, "0")(corpus), strict=True)
    return all(np.array_equal(one, other) for left, right in pairs for one, other in zip(left, right, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    if kernel() is None:
        parser.error("the kernel is not installed, or turned off: pip install . compiles it")
    corpora = text.corpora(given.scale)
    print("| metric | pairs | pairs/s with the kernel | beside | its pairs/s | ratio | wanted |")
    print("|---|---|---|---|---|---|---|")
    for size in ("short", "long", "chinese"):
        for contest in [*(contests(size) if size != "chinese" else ()), *defaults(size)]:
            if given.only.lower() in contest.name.lower():
                show(contest, corpora[size], given.rounds)


def show(contest: Contest, corpus: Corpus, rounds: int) -> None:
    peers = [peer for peer in contest.peers if find_spec(peer.module)]
    parts = [corpus.first(max(1, int(len(corpus) * peer.share))) for peer in peers]
    sides = [(switched(contest.ours, value), corpus) for value in ("1", "0")]
    ours, without, *theirs = rates(
        [*sides, *((peer.run, part) for peer, part in zip(peers, parts, strict=True))], rounds
    )
    same = "without it, equal" if equal(contest.ours, corpus) else "WITHOUT IT, NOT EQUAL"
    rows = [(same, without, None), *((peer.name, rate, peer.target) for peer, rate in zip(peers, theirs, strict=True))]
    for name, rate, target in rows:
        wanted = "" if target is None else f"{target:.1f}"
        cells = [contest.name, corpus.name, f"{ours:,.0f}", name, f"{rate:,.0f}", f"{ours / rate:.2f}", wanted]
        print("|", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
