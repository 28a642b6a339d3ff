"""Measure the thresholds of an embedder's cosines for grounding/support/thresholds.toml, on the half to choose by.

    python benchmarks/thresholds.py [--cache FOLDER] use blend ...

Reads the data of shared/data (or $RAGAUGE_SHARED_DATA). Claims and questions are compared with single sentences.

supported    WiCE: balanced accuracy, in percent, of telling supported claims from the others, by the threshold; and of
             telling unsupported ones from the others
mismatched   XQuAD: cosines that 95 % and 99 % of sentences stay at or below, held against another question's paragraph
asked        XQuAD: the cosine that 95 % of questions stay at or below, held against another question's paragraph, and
             the ones that 95 % and half of them reach with a sentence of their own
passages     NoMIRACL: the same, against the passages of another question and against the first passage of their own
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

sys.argv.insert(1, "--tuning")
from embedders import NOMIRACL, XQUAD, maxima, rows, there  # noqa: E402 - it reads which half is meant
from ragauge.core.ingredients import Embedder  # noqa: E402
from ragauge.embedders import get  # noqa: E402
from ragauge.embedders.store import Cached, Store  # noqa: E402
from ragauge.sentences import sentences  # noqa: E402

STEPS = np.arange(0.05, 1, 0.05)
# From a case to the one whose evidence it gets; XQuAD has at most 12 questions a paragraph.
_STEP = 37


def main() -> None:
    """Print what was measured of each embedder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tuning", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--cache", help="a folder that keeps vectors from run to run")
    parser.add_argument("specs", nargs="+", metavar="EMBEDDER")
    asked = parser.parse_args()
    for spec in asked.specs:
        embedder = Cached(get(spec), Store(asked.cache))
        print(embedder.signature)
        if there("wice/dev"):
            supported(embedder)
        for language in [name for name in XQUAD if there(f"xquad/{name}")]:
            mismatched(embedder, language)
        for language in [name for name in NOMIRACL if there(f"nomiracl/{name}")]:
            passages(embedder, language)


def supported(embedder: Embedder) -> None:
    """Print the balanced accuracy of each threshold on WiCE."""
    claims = rows("wice/dev")
    best = maxima(embedder, [row["answer"] for row in claims], [row["evidence_sentences"] for row in claims])
    label = np.array([row["human"]["label"] for row in claims])
    for name, right in (("supported", label == "supported"), ("not unsupported", label != "not_supported")):
        held = [((best[right] >= step).mean() + (best[~right] < step).mean()) / 2 for step in STEPS]
        shown = " ".join(f"{step:.2f}:{100 * value:.0f}" for step, value in zip(STEPS, held, strict=True))
        print(f"  {name:16} {shown}", flush=True)


def mismatched(embedder: Embedder, language: str) -> None:
    """Print the cosines of sentences and questions of XQuAD with another paragraph."""
    asked = rows(f"xquad/{language}")
    paragraphs = {row["context_id"]: sentences(row["contexts"][0]) for row in asked}
    own = [paragraphs[row["context_id"]] for row in asked]
    other = [own[(place + _STEP) % len(own)] for place in range(len(own))]
    names = list(paragraphs)
    following = dict(zip(names, [*names[1:], names[0]], strict=True))
    claims = [(text, paragraphs[following[name]]) for name in names for text in paragraphs[name]]
    apart = maxima(embedder, [text for text, _ in claims], [some for _, some in claims])
    questions = [row["question"] for row in asked]
    print(f"  mismatched {language}  95 %: {quantile(apart, 95)}  99 %: {quantile(apart, 99)}", end="")
    shown(embedder, questions, other, own)


def passages(embedder: Embedder, language: str) -> None:
    """Print the cosines of questions of NoMIRACL with the passages of another, and with the first of their own."""
    asked = [row for row in rows(f"nomiracl/{language}") if row["human"]["any_relevant"]]
    found = [[text for passage in row["contexts"] for text in sentences(passage)] for row in asked]
    first = [sentences(row["contexts"][0]) for row in asked]
    other = [found[(place + 1) % len(found)] for place in range(len(found))]
    print(f"  passages {language}", end="")
    shown(embedder, [row["question"] for row in asked], other, first)


def shown(embedder: Embedder, questions: list[str], other: list[list[str]], own: list[list[str]]) -> None:
    """Print what 95 % of questions stay at or below with others' sentences, and what they reach with their own."""
    apart, near = (maxima(embedder, questions, some, "query") for some in (other, own))
    print(f"  asked {quantile(apart, 95)}, own {quantile(near, 5)}, half of own {quantile(near, 50)}", flush=True)


def quantile(values: np.ndarray, percent: float) -> str:
    """Write a percentile."""
    return f"{np.percentile(values, percent):.2f}"


if __name__ == "__main__":
    main()
