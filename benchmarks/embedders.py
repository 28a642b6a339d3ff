"""What an embedder finds on real data, with intervals, and how fast it is.

    python benchmarks/embedders.py [--tuning] [--across] [--cache FOLDER] [lexical] [blend] ["st[model=...]"] ...

Reads the data of shared/data (or $RAGAUGE_SHARED_DATA); what is absent is left out. A half of each data set, by a hash
of its ids, was there to choose by (``--tuning``); these are figures of the other half. Intervals (95 %) are percentiles
of 1,000 resamples of clusters: paragraphs for XQuAD, questions for the others. ``--across`` prints that measure alone,
and ``--cache`` keeps vectors from run to run.

across      XQuAD: the English paragraph of a question in another language is the most similar of all 56, by the mean
            of the cosines with a paragraph and with its best sentence; share of questions. XQuAD has no Japanese and
            no Korean. Ends with exit code 1 if ``blend`` finds less than 60 % in zh, ru, ar or de
paragraph   XQuAD: a question's own paragraph is the most similar of all 56 of its language; share of questions
sentence    XQuAD: the most similar sentence of all paragraphs is one of its own paragraph
supporting  WiCE: the most similar sentence of a web page is one that supports the claim
supported   WiCE: area under the curve, the best similarity of a sentence, supported claims against the rest
correct     EVOUNA, OpenQA: area under the curve, the best similarity with a reference, correct answers against the rest
relevant    NoMIRACL: area under the curve, the best similarity of a passage, of questions that have a relevant passage
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from ragauge.core.ingredients import Embedder
from ragauge.core.ragged import FloatArray, Ragged
from ragauge.core.texts import VectorSpace
from ragauge.embedders import get
from ragauge.embedders.store import Cached, Store

DATA = Path(os.environ.get("RAGAUGE_SHARED_DATA", Path(__file__).parents[2] / "shared/data"))
XQUAD = ("en", "zh", "ru", "ar", "hi", "th", "de", "el", "es", "tr", "vi")
ACROSS = ("zh", "ru", "ar", "de", "es", "th", "tr", "vi", "hi", "el")
FLOORS = dict.fromkeys(("zh", "ru", "ar", "de"), 60.0)
NOMIRACL = ("en", "zh", "ja", "ko", "de", "es")
_SENTENCE = re.compile(r"(?<=[.!?؟।])\s+|(?<=[。！？])")
_RESAMPLES = 1000
_HALF = 0 if "--tuning" in sys.argv else 1

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Found:
    """One value per case, the cluster of each, and whether it counts as right (for areas under the curve)."""

    values: FloatArray
    clusters: list[str]
    right: np.ndarray | None = None

    def __str__(self) -> str:
        """Write the score in percent, with its interval."""
        _, cluster = np.unique(self.clusters, return_inverse=True)
        groups = np.split(np.argsort(cluster, kind="stable"), np.flatnonzero(np.diff(np.sort(cluster))) + 1)
        draws = np.random.default_rng(0).integers(0, len(groups), (_RESAMPLES, len(groups)))
        scores = [self._score(np.concatenate([groups[place] for place in draw])) for draw in draws.tolist()]
        low, high = np.nanpercentile(scores, [2.5, 97.5])
        return f"{self.score:5.1f} [{low:5.1f}, {high:5.1f}]  n={len(self.values)}"

    @property
    def score(self) -> float:
        """The score in percent."""
        return self._score(np.arange(len(self.values)))

    def _score(self, chosen: np.ndarray) -> float:
        if self.right is None:
            return 100 * float(self.values[chosen].mean())
        return 100 * area(self.values[chosen], self.right[chosen])


def main() -> int:
    """Print the figures of the embedders; return 1 if a floor is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tuning", action="store_true", help="the half that was there to choose by")
    parser.add_argument("--across", action="store_true", help="only across languages")
    parser.add_argument("--cache", help="a folder that keeps vectors from run to run")
    parser.add_argument("specs", nargs="*", default=["lexical"], metavar="EMBEDDER")
    asked = parser.parse_args()
    missed = []
    for spec in asked.specs:
        embedder = get(spec)
        print(embedder.signature)
        kept = Cached(embedder, Store(asked.cache))
        for name, found in across(kept) if asked.across else figures(kept):
            print(f"  {name:22} {found}", flush=True)
            floor = FLOORS.get(name.removeprefix("across "), 0.0) if spec.startswith("blend") else 0.0
            missed += [name] if name.startswith("across ") and found.score < floor else []
        if not asked.across:
            print(f"  {'speed':22} {speed(embedder)}")
    if missed:
        print("floor MISSED:", ", ".join(missed))
    return int(bool(missed))


def across(embedder: Embedder) -> Iterator[tuple[str, Found]]:
    """Look for the English paragraph of each question in another language among all."""
    english = rows("xquad/en", halved=False)
    candidates = list(dict.fromkeys(row["contexts"][0] for row in english))
    parts = [[part for part in _SENTENCE.split(text) if part.strip()] for text in candidates]
    owner = np.repeat(np.arange(len(candidates)), [len(some) for some in parts])
    sentence_texts = [part for some in parts for part in some]
    right = {row["id"]: candidates.index(row["contexts"][0]) for row in english}
    for language in [name for name in ACROSS if there(f"xquad/{name}")]:
        asked = rows(f"xquad/{language}")
        questions = [row["question"] for row in asked]
        by_sentence = compared(embedder, questions, sentence_texts)
        best = np.maximum.reduceat(by_sentence, np.searchsorted(owner, np.arange(len(candidates))), axis=1)
        similar = (compared(embedder, questions, candidates) + best) / 2
        own = np.array([right[row["id"]] for row in asked], dtype=np.int64)
        first = similar[np.arange(len(own)), own]
        similar[np.arange(len(own)), own] = -np.inf
        # A tie is wrong.
        yield (
            f"across {language}",
            Found((first > similar.max(axis=1)).astype(float), [row["context_id"] for row in asked]),
        )


def compared(embedder: Embedder, questions: list[str], candidates: list[str]) -> FloatArray:
    """Return the cosine of each question with each candidate, (questions, candidates)."""
    space = VectorSpace(embedder)
    asked, offered = space.numbers(questions, "query"), space.numbers(candidates, "passage")
    pairs = space.cosine(np.repeat(asked, len(offered)), np.tile(offered, len(asked)))
    return np.nan_to_num(pairs, nan=-1.0).reshape(len(asked), len(offered))


def figures(embedder: Embedder) -> Iterator[tuple[str, Found]]:
    """Yield what was found, by name."""
    if there("xquad/en"):
        yield from across(embedder)
    for measure, languages in ((paragraphs, XQUAD), (sentences, XQUAD)):
        parts = {language: measure(embedder, language) for language in languages if there(f"xquad/{language}")}
        for language, found in parts.items():
            yield f"{measure.__name__} {language}", found
        if parts:
            yield f"{measure.__name__} en zh ru", pooled(parts[language] for language in ("en", "zh", "ru"))
            yield f"{measure.__name__} all", pooled(parts.values())
    others: list[tuple[str, Callable[[], Found], str]] = [
        ("supporting", lambda: supporting(embedder), "wice/dev"),
        ("supported", lambda: supported(embedder), "wice/dev"),
        ("correct evouna", lambda: correct(embedder, "evouna/triviaqa", "correct"), "evouna/triviaqa"),
        ("correct openqa", lambda: correct(embedder, "openqa/nq301_human", "acceptable"), "openqa/nq301_human"),
    ]
    yield from ((name, measure()) for name, measure, path in others if there(path))
    yield from ((f"relevant {name}", relevant(embedder, name)) for name in NOMIRACL if there(f"nomiracl/{name}"))


def paragraphs(embedder: Embedder, language: str) -> Found:
    """Look for each question's own paragraph among all."""
    every = rows(f"xquad/{language}", halved=False)
    candidates = list(dict.fromkeys(row["contexts"][0] for row in every))
    owner = {text: text for text in candidates}
    return own_found(embedder, [row for row in every if reported(row["id"])], candidates, owner)


def sentences(embedder: Embedder, language: str) -> Found:
    """Look for each question's own paragraph among the sentences of all; in Thai, among its phrases."""
    every = rows(f"xquad/{language}", halved=False)
    texts = dict.fromkeys(row["contexts"][0] for row in every)
    cut = re.compile(r"\s+") if language == "th" else _SENTENCE
    owner = {part: text for text in texts for part in cut.split(text) if part.strip()}
    return own_found(embedder, [row for row in every if reported(row["id"])], list(owner), owner)


def own_found(embedder: Embedder, questions: Rows, candidates: list[str], owner: dict[str, str]) -> Found:
    """Say for each question whether the most similar candidate is its paragraph's."""
    similar = compared(embedder, [row["question"] for row in questions], candidates)
    best = [owner[candidates[place]] for place in similar.argmax(axis=1).tolist()]
    hits = [found == row["contexts"][0] for found, row in zip(best, questions, strict=True)]
    return Found(np.array(hits, dtype=float), [row["context_id"] for row in questions])


def supporting(embedder: Embedder) -> Found:
    """Look for a supporting sentence as the most similar one."""
    claims = [row for row in rows("wice/dev") if any(row["human"]["supporting_sentences"])]
    similar = similarities(embedder, [row["answer"] for row in claims], [row["evidence_sentences"] for row in claims])
    right = [{place for group in row["human"]["supporting_sentences"] for place in group} for row in claims]
    hits = [int(similar[row].argmax()) in right[row] for row in range(len(claims))]
    return Found(np.array(hits, dtype=float), [row["id"] for row in claims])


def supported(embedder: Embedder) -> Found:
    """Tell supported claims from others."""
    claims = rows("wice/dev")
    best = maxima(embedder, [row["answer"] for row in claims], [row["evidence_sentences"] for row in claims])
    right = np.array([row["human"]["label"] == "supported" for row in claims])
    return Found(best, [row["id"] for row in claims], right)


def correct(embedder: Embedder, path: str, label: str) -> Found:
    """Tell answers that people found correct from others."""
    answers = rows(path, key=question_of)
    best = maxima(embedder, [row["answer"] for row in answers], [row["references"] for row in answers])
    right = np.array([row["human"][label] in (True, "Yes") for row in answers])
    return Found(best, [question_of(row) for row in answers], right)


def relevant(embedder: Embedder, language: str) -> Found:
    """Tell questions that have a relevant passage from others."""
    asked = rows(f"nomiracl/{language}")
    best = maxima(embedder, [row["question"] for row in asked], [row["contexts"] for row in asked], "query")
    right = np.array([row["human"]["any_relevant"] for row in asked])
    return Found(best, [row["id"] for row in asked], right)


def similarities(embedder: Embedder, left: list[str], right: list[list[str]], role: Any = "passage") -> Ragged:
    """Compare each text with the texts beside it."""
    space = VectorSpace(embedder)
    lists = Ragged.of(right, dtype=object)
    one, other = space.numbers(left, role), space.numbers(lists.values.tolist(), "passage")
    return Ragged(space.cosine(one[lists.rows], other), lists.offsets)


def maxima(embedder: Embedder, left: list[str], right: list[list[str]], role: Any = "passage") -> FloatArray:
    """Return the best similarity of each text with those beside it; 0 where there are none."""
    similar = similarities(embedder, left, right, role)
    best = np.zeros(len(left))
    # A text that an embedder does not read is similar to none.
    np.fmax.at(best, similar.rows, similar.values)
    return best


def area(values: FloatArray, right: np.ndarray) -> float:
    """Return the chance that a right case has the higher value, ties counting half."""
    if right.all() or not right.any():
        return float("nan")
    wrong = np.sort(values[~right])
    ranks = np.searchsorted(wrong, values[right], "left") + np.searchsorted(wrong, values[right], "right")
    return float(ranks.mean() / 2 / len(wrong))


def pooled(parts: Iterable[Found]) -> Found:
    """Put languages together; the same paragraph in several is one cluster."""
    every = list(parts)
    return Found(np.concatenate([part.values for part in every]), [name for part in every for name in part.clusters])


def speed(embedder: Embedder) -> str:
    """Time questions of XQuAD in three languages, and pairs of question and paragraph."""
    if not there("xquad/en"):
        return "not measured"
    every = {language: rows(f"xquad/{language}", halved=False) for language in ("en", "zh", "ru")}
    said = []
    for language, asked in every.items():
        texts = [row["question"] for row in asked] * (100 if not getattr(embedder, "kept", True) else 1)
        start = time.perf_counter()
        embedder.encode(texts, "query")
        said.append(f"{language} {len(texts) / (time.perf_counter() - start):,.0f} questions/s")
    texts = [row["question"] for row in every["en"]] + [row["contexts"][0] for row in every["en"]]
    vectors = embedder.encode(texts, "passage")
    left = np.repeat(np.arange(300), 300)
    start = time.perf_counter()
    vectors.cosine(left, np.tile(np.arange(300, 600), 300))
    return f"{', '.join(said)}, {len(left) / (time.perf_counter() - start):,.0f} cosines/s"


def there(path: str) -> bool:
    """Say whether there is such a data set."""
    return (DATA / f"{path}.jsonl.gz").exists()


def rows(path: str, *, halved: bool = True, key: Callable[[dict[str, Any]], str] = lambda row: row["id"]) -> Rows:
    """Read a data set; with ``halved`` the half that is reported."""
    with gzip.open(DATA / f"{path}.jsonl.gz", "rt", encoding="utf-8") as lines:
        every = [json.loads(line) for line in lines]
    return [row for row in every if not halved or reported(key(row))]


def question_of(row: dict[str, Any]) -> str:
    """Return what tells the questions of a data set apart."""
    return str(row["question"])


def reported(key: str) -> bool:
    """Say whether a case is of the half that is reported."""
    return sha256(key.encode()).digest()[0] % 2 == _HALF


if __name__ == "__main__":
    sys.exit(main())
