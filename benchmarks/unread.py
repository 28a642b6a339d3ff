"""What values are worth in languages whose other words are not read: natural data of listed ones, read as if unlisted.

    /usr/bin/python3 benchmarks/make_values.py en ko && python benchmarks/unread.py

The first writes the files of two listed languages, to be deleted again.

Reads the sets of benchmarks/ablation.py in English and Korean with the values of CLDR alone, and prints the area under
the curve of n-gram recall, and with values. Then it reads XQuAD in languages that are not listed: sentences of its
paragraphs that have digits, and answers in digits behind their question, as they are and with another number; the
mean degree of each, without values and with them, and how many fell.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Sequence
from unittest import mock

import ablation
import numpy as np

import ragauge
from ragauge.core.ragged import FloatArray
from ragauge.grounding.support import _values, features
from ragauge.grounding.support._reading import Reader

DEGREE = "groundedness:soft=true"
XQUAD = ("el", "tr", "vi")


def main() -> None:
    """Print both."""
    for name, (rows, label) in ablation.read():
        language = name[-2:] if name.startswith("contradiction") else "en"
        if language in ("en", "ko"):
            areas = [100 * ablation.area(label, as_unlisted(rows, language, share)) for share in (0.0, 0.5)]
            print(f"{name}: {areas[0]:.1f} -> {areas[1]:.1f}")
    for language in XQUAD:
        for name, rows in of_xquad(language).items():
            before, after = (degrees(rows, share) for share in (0.0, 0.5))
            fell = int((after < before - 1e-9).sum())
            print(f"{language}, {name}: {len(rows)}, {before.mean():.3f} -> {after.mean():.3f}, {fell} fell")


def degrees(rows: Sequence[dict[str, object]], share: float) -> FloatArray:
    """Return degrees where an absent value takes a share of the recall."""
    with mock.patch.object(features, "_UNREAD_ABSENT", share):
        return np.nan_to_num(ragauge.evaluate(list(rows), [DEGREE], resamples=0).scores(DEGREE))


def as_unlisted(rows: Sequence[dict[str, object]], language: str, share: float) -> FloatArray:
    """Return degrees of texts that are read as if only values of their language were."""
    told = mock.patch.object(_values, "likely_languages_of", lambda texts: [(language,)] * len(texts))
    nothing = mock.patch.object(Reader, "reads", lambda _self, claims, _passages: np.zeros(len(claims), dtype=bool))
    with told, nothing:
        return degrees(rows, share)


def of_xquad(language: str) -> dict[str, list[dict[str, object]]]:
    """Return samples of XQuAD by what they are."""
    with gzip.open(ablation.DATA / f"xquad/{language}.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = list(map(json.loads, file))
    draw = random.Random(1)  # noqa: S311
    passages = dict.fromkeys(row["contexts"][0] for row in rows)
    split = [(part, text) for text in passages for part in re.split(r"(?<=[.!?;])\s+(?=\w)", text)]
    sentences = [{"answer": part, "contexts": [text]} for part, text in split if re.search(r"\d", part)]
    numeric = [row for row in rows if re.search(r"\d", row["references"][0])]
    samples = [
        {"question": row["question"], "answer": row["references"][0], "contexts": row["contexts"]} for row in numeric
    ]

    def asked(some: list[dict[str, object]]) -> list[dict[str, object]]:
        return [{**one, "answer": f"{str(one['question']).rstrip('?;')} {one['answer']}."} for one in some]

    def other(some: list[dict[str, object]]) -> list[dict[str, object]]:
        return [{**one, "answer": changed(str(one["answer"]), draw)} for one in some]

    return {
        "sentences": sentences, "another number": other(sentences), "answers": asked(samples),
        "another answer": asked(other(samples)),
    }  # fmt: skip


def changed(text: str, draw: random.Random) -> str:
    """Return a text with another number in the place of one of its numbers."""
    found = draw.choice(list(re.finditer(r"\d+", text)))
    last = (int(found[0][-1]) + draw.randint(1, 9)) % 10
    return f"{text[: found.end() - 1]}{last}{text[found.end() :]}"


if __name__ == "__main__":
    main()
