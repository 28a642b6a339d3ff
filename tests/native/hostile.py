"""Texts that are hard to read: eleven languages, white space of all kinds, marks, entities, and very long tokens."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
from hypothesis import strategies as st

from ragauge.core.batch import Batch

LANGUAGES = (
    *(
        "猫坐在垫子上。",
        "一只猫",
        "ＧＰＴ－4",
        "猫が",
        "座っている",
        "高麗",
        "고양이가",
        "매트",
        "Кошка",
        "сидит",
        "ёлка",
    ),
    *("القطة", "تجلسُ", "بِسْمِ", "बिल्ली", "क़", "१२३", "แมวนั่ง", "ไม่", "die", "Straße", "STRASSE", "l'été", "niño", "ﬁn"),
    *("the", "The", "cat", "cat,", "mat.", "isn't", "state-of-the-art", "mèo", "ngồi", "ΣΊΣΥΦΟΣ", "ς"),
)
NUMBERS = (
    "3.5",
    "3,5",
    "1.",
    ".5",
    "..5",
    "5..",
    "1,,2",
    "1-2",
    "-1",
    "2024-",
    "1.2.3",
    "٣٫٥",
    "５．５",
    ".",
    ",",
    ",,",
    "-",
    "--",
)
ENTITIES = (
    "&quot;",
    "&amp;quot;",
    "&amp;",
    "&lt;",
    "&gt;",
    "&amp;lt;skipped>",
    "<skipped>",
    "<skip<skipped>ped>",
    "-\n",
    "-<skipped>\n",
)
SPACES = (
    " ",
    "  ",
    "\n",
    "\t",
    "\r",
    "\x0b",
    "\x1c",
    "\x1f",
    "\x85",
    "\xa0",
    "\u1680",
    "\u2003",
    "\u2028",
    "\u202f",
    "\u3000",
)
MARKS = (
    *("\0", "\x01", "\x7f", "\u0301", "\u0307", "\u200b", "\u200d", "\ufeff", "\u00ad", "\ufffd", "\ufffe", "\ue000"),
    *(
        "\u0130",
        "\u212a",
        "i\u0307",
        "ß",
        "ſ",
        "\U00020000",
        "\U0010ffff",
        "👩‍👩‍👧",
        "🇩🇪",
        "—",
        "“",
        "…",
        "、",
        "【",
        "€",
        "%",
        "|",
        "_",
        "'",
    ),
)
LONG = (
    "a" * 1000,
    "a" * 999 + "b",
    "猫" * 700,
    "12345678",
    "123456789",
    "12345678x",
    "abcdefgh",
    "abcdefghi",
    "." * 70,
    "x" * 64,
)
PIECES = (*LANGUAGES, *NUMBERS, *ENTITIES, *SPACES, *SPACES, *MARKS)

pieces = st.one_of(st.sampled_from(PIECES), st.sampled_from(PIECES), st.sampled_from(LONG), st.text(max_size=5))
texts = st.lists(pieces, max_size=30).map("".join)


@dataclass(frozen=True)
class Drawn:
    """Answers, and for each its references; None stands for null."""

    answers: list[str | None]
    references: list[list[str | None] | None]

    def batch(self) -> Batch:
        """Return them as columns, behind a row that is sliced away."""
        several = pa.array([["not this"], *self.references], pa.list_(pa.large_string()))
        return Batch(
            pa.table({"answer": pa.array(["not this", *self.answers], pa.string()), "references": several}).slice(1)
        )


@st.composite
def _samples(draw: st.DrawFn, most: int) -> Drawn:
    answers, references = [], []
    for _ in range(draw(st.integers(0, 6))):
        parts = draw(st.lists(pieces, max_size=30))
        answer = "".join(parts)
        # References that share much with their answer: its parts in another order, and some of them.
        near = (
            st.one_of(st.permutations(parts), st.lists(st.sampled_from(parts), max_size=40)) if parts else st.just([])
        )
        text = st.one_of(texts, near.map("".join), st.just(answer), st.none())
        answers.append(draw(st.sampled_from([answer, answer, answer, None])))
        references.append(
            draw(st.lists(text, min_size=min(most, 1), max_size=most)) if draw(st.integers(0, 9)) else None
        )
    return Drawn(answers, references)


pairs = _samples(1)
several = _samples(4)
