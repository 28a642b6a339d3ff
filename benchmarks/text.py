"""Text-overlap metrics beside the libraries that users know: one thread, strings in, statistics and scores out.

Run: python benchmarks/text.py [--rounds 5] [--scale 1.0] [--only TEXT]

Rounds of ours and of the peer alternate in one process; figures are medians of processor time, which on a machine that
does other work too is steadier than the clock. Peers that are slow get fewer pairs, and rates are compared. Peak memory
is that of a fresh process that runs ours once, less what it held before.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "ARROW_NUM_THREADS"), "1"))

import numpy as np
import pyarrow as pa

import ragauge
from ragauge.core.batch import Batch

pa.set_cpu_count(1)


@dataclass(frozen=True)
class Corpus:
    """Answers and one reference each."""

    name: str
    answers: list[str]
    references: list[str]

    def __len__(self) -> int:
        return len(self.answers)

    def first(self, n: int) -> Corpus:
        """Return the first ``n`` pairs."""
        return Corpus(self.name, self.answers[:n], self.references[:n])

    def batch(self) -> Batch:
        """Return the texts as columns."""
        flat = pa.array(self.references, pa.large_string())
        several = pa.LargeListArray.from_arrays(np.arange(len(self) + 1), flat)
        return Batch(pa.table({"answer": pa.array(self.answers, pa.large_string()), "references": several}))


@dataclass(frozen=True)
class Task:
    """Something that both sides do to a corpus; the peer to a ``share`` of it."""

    name: str
    peer: str
    corpus: str
    ours: Callable[[Corpus], object]
    theirs: Callable[[Corpus], object]
    share: float
    target: float


def synthetic(name: str, pairs: int, shortest: int, longest: int, *, seed: int) -> Corpus:
    """Zipf(1.05) over 50,000 words with punctuation, digits, entities, some letters beyond ASCII.

    The answer is the reference with words replaced, dropped, inserted, and for half of them a block moved. Long texts
    have a line break after every 25th word.
    """
    random = np.random.default_rng(seed)
    words = vocabulary(random, 50_000)
    weights = 1 / np.arange(1, len(words) + 1) ** 1.05
    marks = np.array(["", ",", ".", ")"])
    answers, references = [], []
    for _ in range(pairs):
        length = int(random.integers(shortest, longest + 1))
        drawn = words[random.choice(len(words), size=length, p=weights / weights.sum())]
        text = np.char.add(drawn, random.choice(marks, size=length, p=[0.87, 0.08, 0.04, 0.01])).tolist()
        if longest > 100:
            text = [word + "\n" if place % 25 == 24 else word for place, word in enumerate(text)]
        references.append(joined(text))
        answers.append(joined(changed(text, words, random)))
    return Corpus(name, answers, references)


def vocabulary(random: np.random.Generator, size: int) -> np.ndarray:
    letters = np.array(list("etaoinshrdlcumwfgypbvkjxqz"))
    words = ["".join(random.choice(letters, size=random.integers(2, 10))) for _ in range(size)]
    for place in range(0, size, 97):
        words[place] = words[place].capitalize()
    for step, form in ((211, "{n}"), (503, "é{w}"), (997, "&quot;{w}")):
        for place in range(step // 2, size, step):
            words[place] = form.format(w=words[place], n=random.integers(1, 100_000))
    return np.array(words)


def changed(text: list[str], words: np.ndarray, random: np.random.Generator) -> list[str]:
    out = []
    for word, fate in zip(text, random.random(len(text)), strict=True):
        kept = [] if 0.1 <= fate < 0.15 else [word]
        out += [str(words[random.integers(2000)])] if fate < 0.1 else kept
        out += [str(words[random.integers(500)])] if 0.15 <= fate < 0.2 else []
    cut = int(random.integers(0, len(out) // 2)) if random.random() < 0.5 and len(out) > 8 else 0
    return out[cut:] + out[:cut]


def joined(words: list[str]) -> str:
    return " ".join(words).replace("\n ", "\n")


def ours(*specs: str) -> Callable[[Corpus], object]:
    metrics = [ragauge.parse(spec) for spec in specs]

    def run(corpus: Corpus) -> object:
        batch = corpus.batch()
        rows = [metric.measure(batch) for metric in metrics]
        return [(metric.score(row), metric.score(row.totals())) for metric, row in zip(metrics, rows, strict=True)]

    return run


def ours_from_tokens(spec: str) -> Callable[[Corpus], object]:
    metric = ragauge.parse(spec)

    def run(corpus: Corpus) -> object:
        answers, references = tokens(corpus)
        flat = pa.array(references)
        several = pa.ListArray.from_arrays(np.arange(len(flat) + 1, dtype=np.int32), flat)
        rows = metric.measure(Batch(pa.table({"answer": pa.array(answers), "references": several})))
        return metric.score(rows), metric.score(rows.totals())

    return run


TOKENS: dict[int, tuple[list[list[str]], list[list[str]]]] = {}


def tokens(corpus: Corpus) -> tuple[list[list[str]], list[list[str]]]:
    """Return the texts split at white space, split once."""
    if id(corpus) not in TOKENS:
        TOKENS[id(corpus)] = [text.split() for text in corpus.answers], [text.split() for text in corpus.references]
    return TOKENS[id(corpus)]


def sacrebleu(name: str, **options: str) -> Callable[[Corpus], object]:
    def run(corpus: Corpus) -> object:
        import sacrebleu.metrics

        return getattr(sacrebleu.metrics, name)(**options).corpus_score(corpus.answers, [corpus.references])

    return run


def nltk_bleu(corpus: Corpus) -> object:
    from nltk.translate.bleu_score import SmoothingFunction, corpus_bleu

    answers, references = tokens(corpus)
    return corpus_bleu([[one] for one in references], answers, smoothing_function=SmoothingFunction().method1)


def rouge_score(*names: str, stem: bool = False) -> Callable[[Corpus], object]:
    def run(corpus: Corpus) -> object:
        from rouge_score.rouge_scorer import RougeScorer

        scorer = RougeScorer(list(names), use_stemmer=stem)
        return [scorer.score(*pair) for pair in zip(corpus.references, corpus.answers, strict=True)]

    return run


def tasks() -> list[Task]:
    rouge = [f"rouge-{kind}:compat=rouge-score" for kind in ("1", "2", "l")]
    stemmed = [f"{spec},stemmer=porter" for spec in rouge[:2]]
    bleu, chrf, lsum = "bleu:compat=sacrebleu", "chrf:compat=sacrebleu", "rouge-lsum:compat=rouge-score"
    from_tokens = ours_from_tokens("bleu:compat=nltk,tokenizer=none,smooth=method1")
    peer_stemmed = rouge_score("rouge1", "rouge2", stem=True)
    peer_l = rouge_score("rouge1", "rouge2", "rougeL")
    return [
        Task("BLEU", "sacrebleu corpus", "short", ours(bleu), sacrebleu("BLEU"), 0.25, 12),
        Task("BLEU", "sacrebleu corpus", "long", ours(bleu), sacrebleu("BLEU"), 0.25, 10),
        Task("BLEU from token lists", "nltk corpus", "short", from_tokens, nltk_bleu, 0.5, 7),
        Task("BLEU from token lists", "nltk corpus", "long", from_tokens, nltk_bleu, 0.5, 7),
        Task("ROUGE-1/2", "rouge-score", "short", ours(*rouge[:2]), rouge_score("rouge1", "rouge2"), 0.5, 12),
        Task("ROUGE-1/2", "rouge-score", "long", ours(*rouge[:2]), rouge_score("rouge1", "rouge2"), 0.5, 12),
        Task("ROUGE-1/2/L", "rouge-score", "short", ours(*rouge), peer_l, 0.1, 35),
        Task("ROUGE-1/2/L", "rouge-score", "long", ours(*rouge), peer_l, 0.02, 200),
        Task("ROUGE-Lsum", "rouge-score", "short", ours(lsum), rouge_score("rougeLsum"), 0.1, 10),
        Task("ROUGE-Lsum", "rouge-score", "long", ours(lsum), rouge_score("rougeLsum"), 0.02, 10),
        Task("ROUGE-1/2 stemmed", "rouge-score", "short", ours(*stemmed), peer_stemmed, 0.1, 10),
        Task("ROUGE-1/2 stemmed", "rouge-score", "long", ours(*stemmed), peer_stemmed, 0.1, 10),
        Task("chrF", "sacrebleu", "short", ours(chrf), sacrebleu("CHRF"), 0.1, 12),
        Task("chrF", "sacrebleu", "long", ours(chrf), sacrebleu("CHRF"), 0.1, 12),
        Task("TER", "sacrebleu corpus", "few short", ours("ter:compat=sacrebleu"), sacrebleu("TER"), 1.0, 50),
        Task("TER", "sacrebleu corpus", "few long", ours("ter:compat=sacrebleu"), sacrebleu("TER"), 1.0, 50),
        *together(),
        *chinese(),
    ]


def chinese() -> list[Task]:
    spec = "bleu:compat=sacrebleu,tokenizer=sacrebleu-zh"
    peer = sacrebleu("BLEU", tokenize="zh")
    return [
        Task("words of `zh` as codes", "jieba", "chinese", zh_codes, jieba_words, 1.0, 8),
        Task("BLEU, tokenizer zh", "sacrebleu corpus", "chinese", ours(spec), peer, 0.25, 12),
    ]


def zh_codes(corpus: Corpus) -> object:
    from ragauge.core.ingredients import Vocabulary
    from ragauge.tokenizers import get

    return get("zh").encode(pa.array(corpus.answers), Vocabulary())


def jieba_words(corpus: Corpus) -> object:
    import jieba

    return [jieba.lcut(text) for text in corpus.answers]


def together() -> list[Task]:
    """Metrics that share tokens, beside the dearest of them alone."""
    specs = ["bleu", "rouge-1", "rouge-2", "rouge-l", "token-f1"]
    return [
        Task("BLEU + ROUGE-1/2/L + token-f1", "bleu alone", size, ours(*specs), ours("bleu"), 1.0, 1 / 1.6)
        for size in ("short", "long")
    ]


def corpora(scale: float) -> dict[str, Corpus]:
    short = synthetic("short", int(20_000 * scale), 20, 60, seed=1)
    long = synthetic("long", int(2_000 * scale), 300, 600, seed=2)
    # For a peer that takes a second for a long pair: the cost of pairs differs so much that both sides need the same.
    few = {"few short": short.first(250), "few long": long.first(5)}
    return {"short": short, "long": long, **few, "chinese": recombined("chinese", int(5_000 * scale), seed=3)}


def recombined(name: str, pairs: int, *, seed: int) -> Corpus:
    """Join clauses of the Chinese corpora and examples in random order: real sentences, no two texts alike."""
    root = Path(__file__).parent.parent
    lines = [
        *(root / "corpora/tea-house.jsonl").open(encoding="utf-8"),
        *(root / "examples/answers.zh.jsonl").open(encoding="utf-8"),
    ]
    rows = [row for row in map(json.loads, lines) if row["language"] == "zh"]
    texts = [
        text for row in rows for text in (row["question"], row["answer"], *row.get("contexts", []), *row["references"])
    ]
    clauses = sorted({clause for text in texts for clause in re.split("[，。？]", text) if clause})
    random = np.random.default_rng(seed)

    def text() -> str:
        return "，".join(clauses[place] for place in random.integers(0, len(clauses), 6)) + "。"

    return Corpus(name, [text() for _ in range(pairs)], [text() for _ in range(pairs)])


def seconds(function: Callable[[Corpus], object], corpus: Corpus) -> float:
    start = time.process_time()
    function(corpus)
    return time.process_time() - start


def measure(task: Task, corpus: Corpus, rounds: int) -> tuple[float, float]:
    """Return pairs per second, ours and theirs."""
    part = corpus.first(max(1, int(len(corpus) * task.share)))
    TOKENS.clear()
    tokens(corpus), tokens(part)
    times = [(seconds(task.ours, corpus), seconds(task.theirs, part)) for _ in range(rounds + 1)][1:]
    mine, peers = (median(side) for side in zip(*times, strict=True))
    return len(corpus) / mine, len(part) / peers


def peak_megabytes(place: int, scale: float) -> float:
    command = [sys.executable, __file__, "--memory", str(place), "--scale", str(scale)]
    return float(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))


def memory(place: int, scale: float) -> float:
    """Run one task once; return the peak in MB above what the data took."""
    task = tasks()[place]
    corpus = corpora(scale)[task.corpus]
    task.ours(corpus.first(10))
    before, peaks, done = resident(), [0.0], threading.Event()
    watcher = threading.Thread(target=watch, args=(peaks, done))
    watcher.start()
    task.ours(corpus)
    done.set()
    watcher.join()
    return max(peaks) - before


def watch(peaks: list[float], done: threading.Event) -> None:
    while not done.wait(0.002):
        peaks.append(resident())


def resident() -> float:
    """Return how many MB of this process are in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--only", default="")
    parser.add_argument("--memory", type=int)
    given = parser.parse_args()
    if given.memory is not None:
        print(json.dumps(memory(given.memory, given.scale)))
        return
    texts = corpora(given.scale)
    print("| metric | pairs | ours, pairs/s | peer | its pairs/s | ratio | wanted | peak MB |")
    print("|---|---|---|---|---|---|---|---|")
    for place, task in enumerate(tasks()):
        if given.only.lower() in task.name.lower():
            mine, theirs = measure(task, texts[task.corpus], given.rounds)
            peak = peak_megabytes(place, given.scale)
            row = [task.name, task.corpus, f"{mine:,.0f}", task.peer, f"{theirs:,.0f}"]
            print("|", " | ".join([*row, f"{mine / theirs:.1f}", f"{task.target:.1f}", f"{peak:.0f}"]), "|", flush=True)


if __name__ == "__main__":
    main()
