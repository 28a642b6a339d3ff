"""The corpora are whole: parallel, judged, in the script of their language, and they load and score."""

from __future__ import annotations

import json
import subprocess
import sys
import unicodedata
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import regex

import ragauge
from ragauge.core.texts import VectorSpace
from ragauge.embedders import get

ROOT = Path(__file__).parents[2]
NAMES = sorted(folder.name for folder in (ROOT / "corpora").iterdir() if (folder / "en").is_dir())
SCRIPTS = {
    "en": r"\p{Latin}",
    "zh": r"\p{Han}",
    "ja": r"[\p{Han}\p{Hiragana}\p{Katakana}ー]",
    "ko": r"\p{Hangul}",
    "ru": r"\p{Cyrillic}",
    "ar": r"\p{Arabic}",
}
CASES = [(name, language) for name in NAMES for language in SCRIPTS]
STRAY = regex.compile(
    r"^\s|\s$|\s\s|[^\S ]|\p{Cf}|\p{Cc}| [,.;:!?)»”、。，！？：；」）؟،؛]|[(«“「（] |"
    r"(?<=[\p{Han}\p{Hiragana}\p{Katakana}、。，！？：；]) (?=[\p{Han}\p{Hiragana}\p{Katakana}])"
)
HIT, NDCG = "hit-rate@3:level=2,undefined=skip", "ndcg@10:undefined=skip"

Rows = list[dict[str, Any]]
corpora = pytest.mark.parametrize(("name", "language"), CASES, ids=lambda value: value)


@cache
def rows(name: str, language: str, kind: str) -> Rows:
    lines = (ROOT / "corpora" / name / language / f"{kind}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def relevant(question: dict[str, Any], level: int) -> set[str]:
    return {judged["id"] for judged in question["relevance"] if judged["grade"] >= level}


def texts(name: str, language: str) -> list[str]:
    passages, questions = rows(name, language, "passages"), rows(name, language, "questions")
    told = [text for row in passages for text in (row["title"], row["text"])]
    return told + [text for row in questions for text in (row["question"], *row["references"])]


def test_there_are_three_corpora() -> None:
    assert {"salon", "manual", "faq"} <= set(NAMES)


@corpora
def test_rows_have_the_layout(name: str, language: str) -> None:
    for number, row in enumerate(rows(name, language, "passages"), 1):
        assert row.keys() == {"id", "text", "title"}
        assert row["id"] == f"{name}-{number:02}"
    for number, row in enumerate(rows(name, language, "questions"), 1):
        assert row.keys() == {"id", "language", "question", "references", "relevance", "kind"}
        assert row["id"] == f"{name}-q{number:02}"
        assert row["language"] == language
        assert row["references"]
        assert row["kind"]


@corpora
def test_languages_are_parallel(name: str, language: str) -> None:
    for kind, shared in (("passages", ("id",)), ("questions", ("id", "relevance", "kind"))):
        own, english = ([[row[key] for key in shared] for row in rows(name, one, kind)] for one in (language, "en"))
        assert own == english
    assert all(len(row["references"]) in {1, 2} for row in rows(name, language, "questions"))


@pytest.mark.parametrize("name", NAMES)
def test_judgements_hold_together(name: str) -> None:
    known = {row["id"] for row in rows(name, "en", "passages")}
    for row in rows(name, "en", "questions"):
        assert all(judged["grade"] in {1, 2, 3} for judged in row["relevance"])
        assert relevant(row, 1) <= known
        assert len(relevant(row, 1)) == len(row["relevance"])
        assert (row["kind"] == "unanswerable") == (not relevant(row, 2)) == (not row["relevance"])
        if row["kind"] == "two-passages":
            assert len(relevant(row, 2)) >= 2
            assert not relevant(row, 3)
    assert any(row["kind"] == "unanswerable" for row in rows(name, "en", "questions"))


@corpora
def test_texts_are_in_the_script_of_their_language(name: str, language: str) -> None:
    own = regex.compile(SCRIPTS[language])
    letters = regex.findall(r"\p{L}", "".join(texts(name, language)))
    assert sum(bool(own.match(letter)) for letter in letters) > 0.95 * len(letters)
    for row in rows(name, language, "passages"):
        assert bool(regex.search(r"[\p{Hiragana}\p{Katakana}]", row["text"])) == (language == "ja")
        assert len(own.findall(row["text"])) > 0.7 * len(regex.findall(r"\p{L}", row["text"]))


@corpora
def test_texts_are_composed_and_have_no_stray_spaces(name: str, language: str) -> None:
    for text in texts(name, language):
        assert unicodedata.is_normalized("NFC", text)
        assert not STRAY.search(text), text


@corpora
def test_answers_stand_in_the_relevant_passages(name: str, language: str) -> None:
    passage = {row["id"]: row["text"] for row in rows(name, language, "passages")}
    asked = [row for row in rows(name, language, "questions") if row["relevance"]]
    found = {}
    for row in asked:
        here = " ".join(passage[one] for one in relevant(row, 2))
        elsewhere = [passage[one] for one in passage.keys() - relevant(row, 1)]
        found[row["id"]] = (told(row, here), float(np.mean([told(row, text) for text in elsewhere])))
    assert min(here for here, _ in found.values()) >= 0.4, found
    here, elsewhere = np.mean(list(found.values()), axis=0)
    assert here > elsewhere + 0.3


def told(question: dict[str, Any], text: str) -> float:
    """Return how much of the reference that is told best, beyond the words of the question, stands in ``text``."""
    new = [pieces(reference) - pieces(question["question"]) for reference in question["references"]]
    return max(len(part & pieces(text)) / len(part) for part in new if part)


@cache
def pieces(text: str) -> set[str]:
    """Cut words into pieces of four letters, which outlive most endings; of two where a letter is a syllable."""
    cut = [
        (word, 2 if regex.search(r"[\p{Han}\p{Hangul}\p{Hiragana}\p{Katakana}]", word) else 4) for word in words(text)
    ]
    return {word[at : at + size] for word, size in cut for at in range(max(1, len(word) - size + 1))}


def words(text: str) -> list[str]:
    found: list[str] = regex.findall(r"\w+", text.casefold())
    return found


@cache
def ranked(name: str, language: str) -> Rows:
    """Return the questions with all passages, ids and texts, the most similar first."""
    passages, questions = rows(name, language, "passages"), rows(name, language, "questions")
    space = VectorSpace(get("lexical"))
    offered = space.numbers([row["text"] for row in passages], "passage")
    found = []
    for row in questions:
        (place,) = space.numbers([row["question"]], "query")
        order = np.argsort(-space.cosine(np.full(len(offered), place), offered), kind="stable").tolist()
        joined = {"retrieved": [passages[at]["id"] for at in order], "contexts": [passages[at]["text"] for at in order]}
        wanted = [one["text"] for one in passages if one["id"] in relevant(row, 2)]
        found.append({**row, **joined, "reference_contexts": wanted})
    return found


@corpora
def test_a_ranking_is_scored(name: str, language: str) -> None:
    result = ragauge.evaluate(ranked(name, language), [HIT, NDCG], resamples=0)
    unanswerable = [row["kind"] == "unanswerable" for row in ranked(name, language)]
    for metric in (HIT, NDCG):
        assert (result.statuses(metric) == "undefined").tolist() == unanswerable
        # Better than chance, and not without mistakes: there is something to see and something to improve.
        assert 0.25 < result[metric].value < 1
    assert ragauge.evaluate(ranked(name, language), "hit-rate@3", resamples=0)["hit-rate@3"].undefined_scored == sum(
        unanswerable
    )


@corpora
def test_passages_as_texts_and_as_ids_score_alike(name: str, language: str) -> None:
    by_id = ragauge.evaluate(ranked(name, language), "mrr:level=2,undefined=skip", resamples=0)
    plain = [
        {key: value for key, value in row.items() if key not in {"retrieved", "relevance"}}
        for row in ranked(name, language)
    ]
    by_text = ragauge.evaluate(plain, "mrr:undefined=skip", resamples=0)
    assert by_text.table[0].scored == by_id.table[0].scored
    assert by_text.table[0].value == by_id.table[0].value


def test_readmes_state_what_is_measured() -> None:
    ran = subprocess.run(
        [sys.executable, "benchmarks/corpora.py"],
        capture_output=True,
        text=True,
        check=True,
        encoding="utf-8",
        cwd=ROOT,
    )
    tables = ran.stdout.strip().split("\n\n")
    assert len(tables) == len(NAMES)
    for name, table in zip(NAMES, tables, strict=True):
        assert table in (ROOT / "corpora" / name / "README.md").read_text(encoding="utf-8")
