"""The tuning half of nomiracl and xquad: the first byte of the sha256 of the id is even. Read from shared/data."""

from __future__ import annotations

import gzip
import json
import os
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import ragauge
from ragauge.sentences import sentences

DATA = Path(os.environ.get("RAGAUGE_SHARED_DATA", Path(__file__).parents[4] / "shared/data"))
LANGUAGES = ("en", "zh", "ja", "ko", "de", "es")
FOUR = LANGUAGES[:4]
XQUAD = ("en", "zh", "ru", "ar", "de", "es", "th", "hi", "tr", "vi", "el")


class Sample(NamedTuple):
    """A question with its passages, in the order of the hash of their text, and whether any of them is relevant."""

    language: str
    question: str
    passages: list[str]
    sentences: list[list[str]]
    """Of each passage."""
    relevant: bool
    rank: np.ndarray
    """The place of each passage in the file, (passages,)."""


class Paragraphs(NamedTuple):
    """Questions of xquad in one language, the paragraphs in it, and which paragraph answers each question."""

    questions: list[str]
    paragraphs: list[str]
    gold: np.ndarray


def rows(path: str) -> list[dict[str, Any]]:
    """Read a data set."""
    with gzip.open(DATA / f"{path}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def tuning(key: str) -> bool:
    """Say whether a case is of the half to choose by."""
    return sha256(key.encode()).digest()[0] % 2 == 0


@cache
def samples() -> list[Sample]:
    """Return the questions of nomiracl in all six languages."""
    found = []
    for language in LANGUAGES:
        for row in rows(f"nomiracl/{language}"):
            if tuning(row["id"]):
                order = sorted(
                    range(len(row["contexts"])), key=lambda i: sha256(row["contexts"][i].encode()).hexdigest()
                )
                passages = [row["contexts"][i] for i in order]
                split = [sentences(passage) for passage in passages]
                relevant = bool(row["human"]["any_relevant"])
                found.append(Sample(language, row["question"], passages, split, relevant, np.array(order)))
    return found


@cache
def today() -> dict[str, np.ndarray]:
    """Return what the package scores the samples today, and the overlap of words with the best passage."""
    cases = [
        {
            "id": str(place),
            "question": sample.question,
            "contexts": sample.passages,
            "answer": sample.question,
            "references": sample.passages,
        }
        for place, sample in enumerate(samples())
    ]
    specs = ("context-relevancy", "context-relevancy:soft=true", "token-f1")
    result = ragauge.evaluate(cases, specs, resamples=0)
    scores = {spec: np.asarray(result.scores(spec)) for spec in specs[:2]}
    scores["token-f1"] = np.asarray(result.parts("token-f1")["precision"])
    return {spec: np.nan_to_num(values) for spec, values in scores.items()}


@cache
def xquad(language: str) -> Paragraphs:
    """Return the questions and paragraphs of xquad; the same ones, in the same order, in each language."""
    found = rows(f"xquad/{language}")
    paragraph = {row["context_id"]: row["contexts"][0] for row in reversed(found)}
    names = list(dict.fromkeys(row["context_id"] for row in rows("xquad/en")))
    chosen = [row for row in found if tuning(row["id"])]
    gold = np.array([names.index(row["context_id"]) for row in chosen])
    return Paragraphs([row["question"] for row in chosen], [paragraph[name] for name in names], gold)
