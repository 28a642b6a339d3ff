"""Random texts for comparison with other libraries: ordinary, empty, short, odd."""

from __future__ import annotations

from itertools import accumulate
from random import Random

import pyarrow as pa

from ragauge.core.batch import Batch

ODD = [
    "",
    " ",
    "\u3000",
    "&amp;",
    "&quot;a&lt;b",
    "<skipped>",
    "co-\noperate",
    "end-\n",
    "1,000.5",
    "..5",
    "3-4",
    "it's",
    "(a)",
    "naïve",
    "é",
    "e\u0301",
    "İ",
    "K",
    "ß",
    "ﬁ",
    "Ａ１",
    "猫坐在垫子上",
    "東京",
    "テスト",
    "한국어",
    "привет",
    "مرحبا",
    "नमस्ते",
    "สวัสดี",
    "😀",
    "👩‍🚀",
    "𠮷",
    "\x1c",
    "\x85",
    "\u200b",
    "\ufeff",
    "a\tb",
    "a\nb",
    "\n",
    "-",
    "--",
    "...",
    "!?",
    "$5",
    "50%",
]


class Texts:
    """A seeded source of texts over a small vocabulary, so that n-grams of every length match."""

    def __init__(self, seed: int, *, odd: float = 0.1, newlines: float = 0.0) -> None:
        # Drawing one number from Python's generator is ten times as fast as from NumPy's.
        self.random = Random(seed)  # noqa: S311 - no secret is drawn
        self.words = [f"{head}{tail}" for head in "bcdfgm" for tail in ("at", "an", "ing", "ed", "ation", "o")]
        # Zipf's law: few words are frequent, most are rare.
        self.frequencies = list(accumulate(rank**-1.3 for rank in range(1, len(self.words) + 1)))
        self.odd = odd
        self.newlines = newlines

    def text(self, longest: int) -> str:
        words = [self._word() for _ in range(self.random.randint(0, longest))]
        return "".join(word + self._gap() for word in words)

    def like(self, text: str) -> str:
        """Return ``text`` with some words changed, dropped, doubled or moved."""
        words = text.split(" ")
        kept = [word for word in words for _ in range(self.random.choice([0, 1, 1, 1, 1, 1, 2]))]
        changed = [self._word() if self.random.random() < 0.15 else word for word in kept]
        cut = self.random.randint(0, len(changed)) if self.random.random() < 0.3 else 0
        return " ".join(changed[cut:] + changed[:cut])

    def sample(self, longest: int, most: int) -> tuple[str, list[str]]:
        reference = self.text(longest)
        answer = self.like(reference) if self.random.random() < 0.9 else self.text(longest)
        others = [self.like(reference) for _ in range(self.random.randrange(most))]
        return answer, [reference, *others]

    def samples(self, n: int, longest: int = 20, most: int = 1) -> tuple[list[str], list[list[str]]]:
        pairs = [self.sample(longest, most) for _ in range(n)]
        return [answer for answer, _ in pairs], [references for _, references in pairs]

    def _word(self) -> str:
        if self.random.random() < self.odd:
            return self.random.choice(ODD)
        (word,) = self.random.choices(self.words, cum_weights=self.frequencies)
        return word + self.random.choice(["", "", "", "", "", ",", ".", "!"])

    def _gap(self) -> str:
        return "\n" if self.random.random() < self.newlines else " "


def batch_of(answers: list[str], references: list[list[str]]) -> Batch:
    kinds = pa.schema({"answer": pa.string(), "references": pa.list_(pa.string())})
    return Batch(pa.table({"answer": answers, "references": references}, schema=kinds))
