"""Write the runs that ``ragauge demo`` scores: ``python tests/demo/write.py``.

The texts of ``house.json`` were written for this project. A small system answers the questions twice: it retrieves
five of all 64 passages by the letters that they share with the question, and, the second time, puts the first twenty in
a better order with the lexical embedder before it takes five. Its answer is the sentence of the first passage that is
most like the question. Made up by hand are: false answers to the third question, a failure, and how long it took.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ragauge import demo as demonstration
from ragauge.embedders.lexical import Lexical
from ragauge.sentences import sentences

HERE = Path(__file__).parent
WRONG = {"before": ("en", "zh", "ja", "ko", "ru", "ar", "hi", "th"), "after": ("hi", "th")}
FAILED = {"before": "ru-5", "after": None}
SECONDS = {"before": 0.4, "after": 0.55}
SEEDS = {"before": 7, "after": 8}


def write() -> None:
    """Write both runs beside the code that scores them."""
    house = json.loads((HERE / "house.json").read_text(encoding="utf-8"))
    for system in demonstration.SYSTEMS:
        lines = [json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows(house, system)]
        target = Path(demonstration.__file__).with_name(f"{system}.jsonl")
        target.write_text("\n".join(lines) + "\n", encoding="utf-8")


def rows(house: dict[str, Any], system: str) -> Iterator[dict[str, Any]]:
    """Yield what ``system`` made of each question."""
    texts = {
        f"{language}-p{place}": text
        for language, parts in house["languages"].items()
        for place, text in enumerate(parts["passages"], 1)
    }
    luck = np.random.default_rng(SEEDS[system])
    for language, parts in house["languages"].items():
        for place, question in enumerate(parts["questions"]):
            grades = {f"{language}-p{number}": grade for number, grade in house["grades"][place].items()}
            yield {
                "id": f"{language}-{place + 1}",
                "language": language,
                "topic": house["topics"][place],
                "question": question,
                **_answered(system, f"{language}-{place + 1}", question, texts, parts["mistake"]),
                "references": parts["references"][place],
                "relevance": grades,
                "latency": round(float(SECONDS[system] + luck.gamma(2, 0.15)), 2),
            }


def _answered(system: str, name: str, question: str, texts: dict[str, str], mistake: str) -> dict[str, Any]:
    if name == FAILED[system]:
        return {"answer": None, "contexts": None, "failure": "TimeoutError: no answer within 30 s"}
    found = _by_letters(question, texts)[: 20 if system == "after" else 5]
    if system == "after":
        found = sorted(found, key=lambda passage: -_alike(question, [passage[1]])[0])[:5]
        found = [(key, text, _alike(question, [text])[0]) for key, text, _ in found]
    said = sentences(found[0][1])
    answer = said[int(np.argmax(_alike(question, said)))]
    language, _, number = name.partition("-")
    wrong = number == "3" and language in WRONG[system]
    contexts = [{"id": key, "text": text, "score": round(score, 3)} for key, text, score in found]
    return {"answer": mistake if wrong else answer, "contexts": contexts, "failure": None}


def _by_letters(question: str, texts: dict[str, str]) -> list[tuple[str, str, float]]:
    """Sort passages by the share of their letters that the question has."""
    asked = set(question.casefold())
    scores = {key: len(asked & set(text.casefold())) / len(text) ** 0.5 for key, text in texts.items()}
    return [(key, texts[key], scores[key]) for key in sorted(scores, key=lambda key: (-scores[key], key))]


def _alike(question: str, others: list[str]) -> list[float]:
    vectors = Lexical().encode([question, *others], "query")
    places = np.arange(1, len(others) + 1)
    return [float(value) for value in vectors.cosine(np.zeros_like(places), places)]


if __name__ == "__main__":
    write()
