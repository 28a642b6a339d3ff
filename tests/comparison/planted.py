"""Runs in which we broke samples on purpose, each in one way, in six languages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

CORPORA = Path(__file__).parents[2] / "corpora"
LANGUAGES = ("en", "zh", "ja", "ko", "ru", "ar")
ROOMS = ("faq", "manual", "salon")
PASSAGES = 5
"""Passages that are retrieved for a question."""
_DIGITS = re.compile(r"[0-9]+")
_END = re.compile(r"(?<=[.!?؟])\s+|(?<=[。！？])")

Row = dict[str, Any]


class Planted(NamedTuple):
    """A sample of the base, the same in the candidate, and what was done to it."""

    before: Row
    after: Row
    kind: str


def planted(seed: int = 0) -> list[Planted]:
    """Return the samples of both runs: about a third as they were, the others broken in the eight ways in turn."""
    draw = Random(seed)  # noqa: S311 - nothing secret
    texts = {language: _texts_of(language) for language in LANGUAGES}
    refusals = _refusals()
    questions = [(language, question) for language in LANGUAGES for question in _questions(language)]
    draw.shuffle(questions)
    kinds = cycle(_BREAKS)
    found = []
    for language, question in questions:
        base = _base(language, question, texts[language], draw)
        for _ in _BREAKS:
            kind = next(kinds)
            broken = _BREAKS[kind](base, texts, refusals, draw)
            if broken is not None:
                found.append(Planted(base, broken, kind))
                break
    return found


def _questions(language: str) -> Iterator[Row]:
    for room in ROOMS:
        for line in (CORPORA / room / language / "questions.jsonl").read_text("utf-8").splitlines():
            row = json.loads(line)
            if row["references"] and any(one["grade"] > 1 for one in row["relevance"]):
                yield row


def _texts_of(language: str) -> dict[str, str]:
    lines = [
        json.loads(line)
        for room in ROOMS
        for line in (CORPORA / room / language / "passages.jsonl").read_text("utf-8").splitlines()
    ]
    return {line["id"]: line["text"] for line in lines}


def _refusals() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in (CORPORA / "refusals" / "one.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        if row["kind"] == "passages":
            found.setdefault(row["lang"], []).append(row["text"])
    return found


def _base(language: str, question: Mapping[str, Any], texts: Mapping[str, str], draw: Random) -> Row:
    relevant = [one["id"] for one in sorted(question["relevance"], key=lambda one: -one["grade"])]
    others = draw.sample(sorted(set(texts) - set(relevant)), PASSAGES)
    retrieved = [*relevant, *others][:PASSAGES]
    return {
        "id": f"{language}-{question['id']}",
        "question": question["question"],
        "language": language,
        "references": question["references"],
        "relevance": {one["id"]: one["grade"] for one in question["relevance"]},
        "retrieved": retrieved,
        "contexts": [texts[name] for name in retrieved],
        "answer": max(question["references"], key=len),
    }


Texts = Mapping[str, Mapping[str, str]]
Refusals = Mapping[str, list[str]]


def _failed(base: Row, texts: Texts, refusals: Refusals, draw: Random) -> Row | None:
    return base | {"answer": None, "contexts": None, "retrieved": None, "failure": "TimeoutError: 30 s"}


def _lost(base: Row, texts: Texts, refusals: Refusals, draw: Random) -> Row | None:
    """None of the relevant passages is found; the system declines, or answers from another one."""
    own = texts[base["language"]]
    retrieved = draw.sample(sorted(set(own) - set(base["relevance"]) - set(base["retrieved"])), PASSAGES)
    answer = draw.choice([draw.choice(refusals[base["language"]]), draw.choice(_sentences(own[retrieved[0]]))])
    return base | {"retrieved": retrieved, "contexts": [own[name] for name in retrieved], "answer": answer}


def _number(base: Row, texts: Texts, refusals: Refusals, draw: Random) -> Row | None:
    """A number of the answer is another one."""
    digits = _DIGITS.findall(base["answer"])
    if not digits:
        return None
    one = draw.choice(digits)
    other = str(int(one) + draw.choice([1, 2, 3, 10]))
    return base | {"answer": base["answer"].replace(one, other, 1)}


def _declined(base: Row, texts: Texts, refusals: Refusals, draw: Random) -> Row | None:
    return base | {"answer": draw.choice(refusals[base["language"]])}


def _added(base: Row, texts: Texts, refusals: Refusals, draw: Random) -> Row | None:
    """The answer goes on with a sentence of another document."""
    own = texts[base["language"]]
    strange = draw.choice(
        sorted(name for name in own if name[:3] != base["retrieved"][0][:3] and name not in base["retrieved"])
    )
    space = "" if base["language"] in {"zh", "ja"} else " "
    return base | {"answer": base["answer"] + space + draw.choice(_sentences(own[strange])).strip()}


def _language(base: Row, texts: Texts, refusals: Refusals, draw: Random) -> Row | None:
    """The answer is in another language: that of the same question there."""
    other = draw.choice([one for one in LANGUAGES if one != base["language"]])
    name = base["id"].split("-", 1)[1]
    references = next(one["references"] for one in _questions(other) if one["id"] == name)
    return base | {"answer": max(references, key=len)}


def _rank(base: Row, texts: Texts, refusals: Refusals, draw: Random) -> Row | None:
    """What is relevant comes last; the answer is the same."""
    if len(base["relevance"]) >= PASSAGES:
        return None
    return base | {
        name: [*base[name][len(base["relevance"]) :], *base[name][: len(base["relevance"])]]
        for name in ("retrieved", "contexts")
    }


def _reference(base: Row, texts: Texts, refusals: Refusals, draw: Random) -> Row | None:
    """The answer is another sentence of the best passage: supported, and not what the reference says."""
    sentences = _sentences(base["contexts"][0])
    letters = set(base["answer"])
    return base | {"answer": min(sentences, key=lambda one: len(letters & set(one)) / len(set(one))).strip()}


def _sentences(text: str) -> list[str]:
    return [one.strip() for one in _END.split(text) if len(one.strip()) > 8] or [text]


_BREAKS = {
    "failed": _failed,
    "passage lost": _lost,
    "contradicted": _number,
    "declined": _declined,
    "added": _added,
    "other language": _language,
    "rank fell": _rank,
    "reference alone": _reference,
}
