"""What support by features costs beside n-gram recall alone: processor time of groundedness, in turn.

    python benchmarks/support_cost.py [--samples 5000] [--rounds 3] [--texts en mixed] [--beside SRC] [--metrics NAMES]

Each round scores the same samples in a new process for each side: this code, and ``--beside``, the folder ``src`` of
another checkout, or this code with ``support=ngram-recall`` if none is given. Printed are medians of processor time of
scoring, in milliseconds a sample, and the median of the ratios of rounds.

Samples have five passages of four sentences, and an answer of two: one sentence of a passage in which words of another
one stand, and one that is in no passage. Sentences are drawn from XQuAD and NoMIRACL in shared/data (or
$RAGAUGE_SHARED_DATA), no two passages are equal, and ``mixed`` has samples of ten languages.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import numpy as np

SRC = Path(__file__).parents[1] / "src"
DATA = Path(os.environ.get("RAGAUGE_SHARED_DATA", Path(__file__).parents[2] / "shared/data"))
MIXED = ("en", "zh", "ru", "ar", "de", "es", "th", "hi", "ja", "ko")
_OF_NOMIRACL = ("ja", "ko")
_UNSPACED = ("zh", "ja", "th")


def main() -> None:
    """Print a line for each kind of texts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--texts", nargs="+", default=["en", "mixed"])
    parser.add_argument("--beside", type=Path)
    parser.add_argument("--metrics", nargs="+", default=["groundedness"])
    asked = parser.parse_args()
    plain = asked.metrics if asked.beside else [f"{name}:support=ngram-recall" for name in asked.metrics]
    with tempfile.TemporaryDirectory() as folder:
        for texts in asked.texts:
            path = Path(folder) / f"{texts}.jsonl"
            with path.open("w", encoding="utf-8") as lines:
                made = rows(MIXED if texts == "mixed" else (texts,), asked.samples)
                lines.writelines(json.dumps(row) + "\n" for row in made)
            both = [
                (spent(path, SRC, asked.metrics), spent(path, asked.beside or SRC, plain)) for _ in range(asked.rounds)
            ]
            own, other = (1000 * median(side) / asked.samples for side in zip(*both, strict=True))
            ratio = median(one / two for one, two in both)
            print(f"{texts:6} {own:6.2f} ms a sample, beside {other:6.2f}: {ratio:.2f} times", flush=True)


def spent(path: Path, src: Path, metrics: list[str]) -> float:
    """Return the seconds of processor time that scoring takes in a new process."""
    here = {**os.environ, "PYTHONPATH": str(src), "OMP_NUM_THREADS": "1"}
    call = [sys.executable, "-c", _CHILD, str(path), *metrics]
    return float(subprocess.run(call, env=here, check=True, capture_output=True, text=True).stdout)


_CHILD = """
import itertools, json, sys, time
import ragauge
path, *metrics = sys.argv[1:]
with open(path, encoding="utf-8") as lines:  # what is read once, whatever the number of samples
    ragauge.evaluate([json.loads(line) for line in itertools.islice(lines, 50)], metrics, resamples=0)
start = time.process_time()
ragauge.evaluate(path, metrics, resamples=0)
print(time.process_time() - start)
"""


def rows(languages: tuple[str, ...], samples: int) -> Iterator[dict[str, object]]:
    """Make up samples, the same in every run, each of one of the languages in turn."""
    random = np.random.default_rng(0)
    pools = {name: sentences(name) for name in languages}
    for number in range(samples):
        name = languages[number % len(languages)]
        pool = pools[name]
        drawn = [pool[place] for place in random.integers(0, len(pool), 22).tolist()]
        gap = "" if name in _UNSPACED else " "
        passages = [gap.join(drawn[first : first + 4]) for first in range(0, 20, 4)]
        said = drawn[int(random.integers(0, 20))]
        cut, other = len(said) * 2 // 3, drawn[20]
        answer = gap.join([said[:cut] + other[len(other) * 2 // 3 :], drawn[21]])
        yield {"id": str(number), "question": drawn[20], "answer": answer, "contexts": passages, "references": [said]}


def sentences(language: str) -> list[str]:
    """Return the distinct sentences of a language."""
    from ragauge.sentences import sentences as cut

    folder = "nomiracl" if language in _OF_NOMIRACL else "xquad"
    with gzip.open(DATA / folder / f"{language}.jsonl.gz", "rt", encoding="utf-8") as lines:
        texts = list(dict.fromkeys(text for line in lines for text in json.loads(line)["contexts"]))
    return list(dict.fromkeys(one.strip() for text in texts for one in cut(text)))


if __name__ == "__main__":
    main()
