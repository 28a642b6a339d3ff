"""How often a claim that the passage supports scores above one that it does not, by the way in which the two differ.

    python benchmarks/probes.py [--half development|reporting|both] [--languages en,zh] [METRIC ...]

Reads corpora/probes: 40 passages in each of 11 languages, each with pairs of claims. A pair counts 1 if the supported
claim has the higher score, a half if both score the same, else 0. Printed is a table for each metric, three if none is
named: a row for each kind of pair, a column for each language, in percent (50: chance). A second table holds the
medians of the scores of supported and of other claims: an order does not say that a wrong claim scores low.

negation ... paraphrase     both claims in the language of the passage; see corpora/probes/README.md
hard                        the supported paraphrase against each unsupported claim of negation ... quantifier
translated                  the passage in English (the column en: in Chinese), the claims in the column's language: the
                            supported claim of that passage against that of the passage after the next

The passages are split in two halves, so that what was chosen on one can be reported on the other. Places count from
0: even ones are the development half, odd ones the reporting half. The passage after the next is of the same half.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import ragauge

PROBES = Path(__file__).parents[1] / "corpora/probes"
LANGUAGES = ("en", "zh", "ja", "ko", "ru", "ar", "hi", "th", "de", "es", "fr")
KINDS = ("negation", "number", "date", "entity", "quantifier", "number_format", "paraphrase")
CHANGED = KINDS[:5]
METRICS = ("token-f1|precision", "groundedness:support=ngram-recall,soft=true", "groundedness")
HALVES = {"development": (0,), "reporting": (1,), "both": (0, 1)}


class Pair(NamedTuple):
    """Two claims, of which ``passage`` supports the first."""

    kind: str
    language: str
    passage: str
    claims: tuple[str, str]


def main() -> None:
    """Print a table for each metric."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("metrics", nargs="*", default=METRICS, metavar="METRIC")
    parser.add_argument("--half", choices=HALVES, default="both")
    parser.add_argument("--languages", type=lambda text: text.split(","), default=list(LANGUAGES))
    asked = parser.parse_args()
    found = list(pairs(asked.languages, HALVES[asked.half]))
    for metric in asked.metrics:
        found_scores = scores(found, metric)
        print(table(found, ordered(found_scores), metric, asked.languages), end="\n\n")
        print(medians(found, found_scores, metric, asked.languages), end="\n\n")


def pairs(languages: Sequence[str], halves: Sequence[int] = (0, 1)) -> Iterator[Pair]:
    """Yield all pairs of the languages, of the passages in the given halves."""
    rows = {language: read(language) for language in {*languages, "en", "zh"}}
    for language in languages:
        for place, row in enumerate(rows[language]):
            if place % 2 not in halves:
                continue
            for kind in KINDS:
                yield Pair(kind, language, row["passage"], tuple(row[kind]))
            for kind in CHANGED:
                yield Pair("hard", language, row["passage"], (row["paraphrase"][0], row[kind][1]))
            foreign = rows["zh" if language == "en" else "en"][place]["passage"]
            another = rows[language][(place + 2) % len(rows[language])]
            for kind in CHANGED:
                yield Pair("translated", language, foreign, (row[kind][0], another[kind][0]))


def read(language: str) -> list[dict[str, Any]]:
    """Return the passages of a language with their claims."""
    return [json.loads(line) for line in (PROBES / f"{language}.jsonl").read_text(encoding="utf-8").splitlines()]


def shares_ordered(found: Sequence[Pair], metric: str) -> np.ndarray:
    """Return 1 for each pair that ``metric`` orders rightly, a half for equal scores, else 0."""
    return ordered(scores(found, metric))


def ordered(found_scores: np.ndarray) -> np.ndarray:
    """Return the same from scores, (pairs, 2)."""
    return (np.sign(found_scores[:, 0] - found_scores[:, 1]) + 1) / 2


def scores(found: Sequence[Pair], metric: str) -> np.ndarray:
    """Return the scores of the supported and the other claim of each pair, (pairs, 2).

    After ``|`` stands the part of the metric that is meant, as in ``token-f1|precision``.
    """
    metric, _, part = metric.partition("|")
    samples = [
        {"id": f"{place}-{claim}", "answer": pair.claims[claim], "contexts": [pair.passage], "references": pair.passage}
        for place, pair in enumerate(found)
        for claim in (0, 1)
    ]
    result = ragauge.evaluate(samples, [metric], resamples=0)
    return np.asarray(result.parts(metric)[part] if part else result.scores(metric)).reshape(-1, 2)


def medians(found: Sequence[Pair], found_scores: np.ndarray, metric: str, languages: Sequence[str]) -> str:
    """Return the medians of scores by kind, side and language as a Markdown table."""
    title = f"{metric.replace('|', ', ')}, median"
    lines = [f"| {title} | {' | '.join(languages)} | all |", f"|---|{'--:|' * (len(languages) + 1)}"]
    for kind in dict.fromkeys(pair.kind for pair in found):
        own = np.array([pair.kind == kind for pair in found])
        of_language = [own & np.array([pair.language == language for pair in found]) for language in languages]
        for side, name in enumerate(("right", "wrong")):
            fields = [f"{np.median(found_scores[some, side]):.2f}" for some in (*of_language, own)]
            lines.append(f"| {kind}, {name} | {' | '.join(fields)} |")
    return "\n".join(lines)


def table(found: Sequence[Pair], ordered: np.ndarray, metric: str, languages: Sequence[str]) -> str:
    """Return the shares by kind and language as a Markdown table."""
    kinds = dict.fromkeys(pair.kind for pair in found)
    title = metric.replace("|", ", ")
    lines = [f"| {title} | {' | '.join(languages)} | mean |", f"|---|{'--:|' * (len(languages) + 1)}"]
    for kind in kinds:
        cells = [
            np.mean([one for pair, one in zip(found, ordered, strict=True) if pair[:2] == (kind, language)])
            for language in languages
        ]
        lines.append(f"| {kind} | {' | '.join(f'{100 * cell:.0f}' for cell in [*cells, np.mean(cells)])} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
