"""ragauge with the compiled kernel and without it beside all its peers: text, word errors and retrieval, in one table.

Run: pip install . sacrebleu rouge-score rouge-score-rs rouge-rust rapidrouge fastchrf bleuscore fast-bleu werx fastwer
     pip install jiwer pytrec-eval-terrier ir_measures ranx torchmetrics torch sacrebleu-mojo
     RAYON_NUM_THREADS=1 python benchmarks/native.py [--rounds 7] [--scale 1.0] [--only TEXT]

Each side takes its turn in every round, in one process and one thread; figures are medians of processor time. Slow
peers get fewer pairs, and rates are compared. Peers that are not installed are "missing". The ratios say how many
times as fast ragauge is with the kernel, and without it; "equal" is whether both give the same numbers to the last bit.
sacrebleu-mojo needs Python 3.12.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from statistics import median

os.environ.setdefault("RAYON_NUM_THREADS", "1")

import numpy as np
import retrieval
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


def werx(corpus: Corpus) -> object:
    from werx import wer

    return wer(corpus.references, corpus.answers)


def jiwer(corpus: Corpus) -> object:
    from jiwer import wer

    return wer(corpus.references, corpus.answers)


def fastwer(corpus: Corpus) -> object:
    from fastwer import score

    return score(corpus.answers, corpus.references)


def torchmetrics(name: str) -> Work:
    def run(corpus: Corpus) -> object:
        import torchmetrics.functional.text as peer

        several = name in ("sacre_bleu_score", "chrf_score")
        references = [[one] for one in corpus.references] if several else corpus.references
        options = {"rouge_keys": ("rouge1", "rouge2", "rougeL")} if name == "rouge_score" else {}
        return getattr(peer, name)(corpus.answers, references, **options)

    return run


def sacrebleu_mojo(name: str) -> Work:
    def run(corpus: Corpus) -> object:
        import sacrebleu_mojo

        return getattr(sacrebleu_mojo, name)(corpus.answers, [corpus.references])

    return run


def bleu_peers() -> tuple[Peer, ...]:
    return (
        Peer("sacrebleu", "sacrebleu", text.sacrebleu("BLEU"), 0.1, 40),
        Peer("sacrebleu-mojo (Mojo)", "sacrebleu_mojo", sacrebleu_mojo("corpus_bleu"), 1.0, 1.2),
        Peer("bleuscore (Rust)", "bleuscore", bleuscore, 1.0, 1.2),
        Peer("fast_bleu (C++), from tokens", "fast_bleu", fast_bleu, 0.1, 1.2),
        Peer("torchmetrics", "torchmetrics", torchmetrics("sacre_bleu_score"), 0.02, 1.2),
    )


def rouge_peers(size: str) -> tuple[Peer, ...]:
    slow, target = (0.1, 100) if size == "short" else (0.02, 500)
    return (
        Peer("rouge-score", "rouge_score", text.rouge_score("rouge1", "rouge2", "rougeL"), slow, target),
        Peer("rouge-score-rs (Rust)", "rouge_score_rs", rouge_score_rs, 1.0, 1.2),
        Peer("rouge-rust (Rust)", "fast_rouge", rouge_rust, 1.0, 1.2),
        Peer("rapidrouge", "rapidrouge", rapidrouge, slow, 1.2),
        Peer("torchmetrics", "torchmetrics", torchmetrics("rouge_score"), slow / 10, 1.2),
    )


def chrf_peers() -> tuple[Peer, ...]:
    return (
        Peer("sacrebleu", "sacrebleu", text.sacrebleu("CHRF"), 0.05, 45),
        Peer("sacrebleu-mojo (Mojo)", "sacrebleu_mojo", sacrebleu_mojo("corpus_chrf"), 1.0, 1.2),
        Peer("fastchrf (Rust)", "fastchrf", fastchrf, 0.25, 1.2),
        Peer("torchmetrics", "torchmetrics", torchmetrics("chrf_score"), 0.01, 1.2),
    )


def word_error_peers() -> tuple[Peer, ...]:
    """Return the peers that count word errors; all of them part words at white space."""
    return (
        Peer("werx (Rust)", "werx", werx, 1.0, 1.2),
        Peer("fastwer (C++)", "fastwer", fastwer, 0.1, 1.2),
        Peer("jiwer (C++)", "jiwer", jiwer, 0.25, 1.2),
        Peer("torchmetrics", "torchmetrics", torchmetrics("word_error_rate"), 0.02, 1.2),
    )


def contests(size: str) -> list[Contest]:
    """Return what all sides compute: the forms of peers, and those that a user gets without options."""
    if size == "chinese":
        return [Contest(f"{name}, default", text.ours(name), ()) for name in ("bleu", "rouge-l", "token-f1", "chrf")]
    rouge = [f"rouge-{kind}" for kind in ("1", "2", "l")]
    return [
        Contest("BLEU, compat=sacrebleu", text.ours("bleu:compat=sacrebleu"), bleu_peers()),
        Contest("bleu, default", text.ours("bleu"), bleu_peers()),
        Contest(
            "ROUGE-1/2/L, compat=rouge-score",
            text.ours(*(f"{name}:compat=rouge-score" for name in rouge)),
            rouge_peers(size),
        ),
        Contest("rouge-1, rouge-2, rouge-l, default", text.ours(*rouge), rouge_peers(size)),
        Contest("rouge-l, default", text.ours("rouge-l"), ()),
        Contest("token-f1, default", text.ours("token-f1"), ()),
        Contest("chrF, compat=sacrebleu", text.ours("chrf:compat=sacrebleu"), chrf_peers()),
        Contest("chrf, default", text.ours("chrf"), chrf_peers()),
        Contest("WER, compat=jiwer", text.ours("wer:compat=jiwer"), word_error_peers()),
        Contest("wer, default", text.ours("wer"), word_error_peers()),
    ]


def edit_rates(size: str) -> list[Contest]:
    """Return what is measured with few pairs, since sacrebleu takes up to a second for one."""
    peer = Peer("sacrebleu", "sacrebleu", text.sacrebleu("TER"), 1.0, 200)
    return [
        Contest(f"TER{form}", text.ours(spec), (peer,))
        for form, spec in ((", compat=sacrebleu", "ter:compat=sacrebleu"), (", default", "ter"))
        if size == "few short"
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
    print("| metric | pairs | with the kernel, a second | beside | its rate | with the kernel | without it | wanted |")
    print("|---|---|---:|---|---:|---:|---:|---:|")
    for size in ("short", "few short", "long", "chinese"):
        for contest in edit_rates(size) if size == "few short" else contests(size):
            if given.only.lower() in contest.name.lower():
                show(contest, corpora[size], given.rounds)
    if given.only.lower() in "retrieval":
        show_retrieval(given.rounds)


def show(contest: Contest, corpus: Corpus, rounds: int) -> None:
    peers = [peer for peer in contest.peers if find_spec(peer.module)]
    parts = [corpus.first(max(1, int(len(corpus) * peer.share))) for peer in peers]
    sides = [(switched(contest.ours, value), corpus) for value in ("1", "0")]
    ours, without, *theirs = rates(
        [*sides, *((peer.run, part) for peer, part in zip(peers, parts, strict=True))], rounds
    )
    same = "without it, equal" if equal(contest.ours, corpus) else "WITHOUT IT, NOT EQUAL"
    found = dict(zip((peer.name for peer in peers), theirs, strict=True))
    print_row(contest.name, corpus.name, ours, without, same, without)
    for peer in contest.peers:
        print_row(contest.name, corpus.name, ours, without, peer.name, found.get(peer.name), peer.target)


def print_row(
    name: str, data: str, ours: float, without: float, beside: str, rate: float | None, target: float | None = None
) -> None:
    ratios = ["missing", "", ""] if rate is None else [f"{rate:,.0f}", f"{ours / rate:.2f}", f"{without / rate:.2f}"]
    wanted = "" if target is None else f"{target:.1f}"
    print("|", " | ".join([name, data, f"{ours:,.0f}", beside, *ratios, wanted]), "|", flush=True)


def show_retrieval(rounds: int) -> None:
    """Print the rates of queries: five measures of runs and judgements, from files and from dicts."""
    targets = {"A, files": 12, "A, dicts": 9, "B, files": 10, "B, dicts": 4.5}
    with tempfile.TemporaryDirectory() as folder:
        for name in ("A", "B"):
            files = retrieval.make(Path(folder), name)
            for kind, sides, data in (
                ("files", retrieval.FILES, files),
                ("dicts", retrieval.DICTS, retrieval.parsed(*files)),
            ):
                peers = {peer: run for peer, run in retrieval.installed(sides).items() if peer != "ragauge"}
                both = {value: switched(lambda given: retrieval.ours(*given), value) for value in ("1", "0")}
                works = [*both.values(), *(lambda given, run=run: run(*given) for run in peers.values())]
                times = [[text.seconds(work, data) for work in works] for _ in range(rounds + 1)][1:]
                queries = retrieval.SIZES[name][0]
                ours, without, *theirs = [queries / median(taken) for taken in zip(*times, strict=True)]
                rows = {"without it": without, **dict(zip(peers, theirs, strict=True))}
                for peer in ("without it", *(one for one in sides if one != "ragauge")):
                    target = targets[f"{name}, {kind}"] if peer == "pytrec_eval" else None
                    print_row("retrieval", f"{name}, {kind}", ours, without, peer, rows.get(peer), target)


if __name__ == "__main__":
    main()
