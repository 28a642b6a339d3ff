"""What changed between two answers: the fewest words, up to a bound on the work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ragauge
from tests.browser.conftest import Open

SIGNS = "♠♣★"  # each is a word of its own in any language, and none is a space


def report(folder: Path, *pairs: tuple[str, str]) -> Path:
    """Write a report of two runs; sample ``q0`` has the first pair of answers, and so on."""
    runs = [
        ragauge.evaluate(
            [{"id": f"q{place}", "answer": pair[run], "cost": 1.0} for place, pair in enumerate(pairs)],
            "column:name=cost",
        )
        for run in range(2)
    ]
    return ragauge.report(runs, folder / "report.html", names=("before", "after"))


def pieces(reader: Any) -> list[tuple[str, str]]:
    """Return the pieces of the difference that is shown: DEL, INS or #text, and the words."""
    script = "text => [...text.childNodes].map(node => [node.nodeName, node.textContent])"
    return [tuple(piece) for piece in reader.sample.locator(".difference").evaluate(script)]


def words(found: list[tuple[str, str]], *kinds: str) -> str:
    return "".join(text for kind, text in found if kind in kinds)


def fewest_edits(before: str, after: str) -> int:
    """Return how many characters must be taken out or put in, by the table of Wagner and Fischer (1974)."""
    row = list(range(len(after) + 1))
    for i, old in enumerate(before, 1):
        above, row = row, [i]
        for j, new in enumerate(after, 1):
            row.append(above[j - 1] if old == new else 1 + min(above[j], row[-1]))
    return row[-1]


def test_the_fewest_words_change(visit: Open, tmp_path: Path):
    random = np.random.default_rng(5)
    texts = ["".join(random.choice(list(SIGNS), random.integers(1, 60))) for _ in range(120)]
    pairs = [pair for pair in zip(texts[::2], texts[1::2], strict=True) if pair[0] != pair[1]]
    reader = visit(report(tmp_path, *pairs), "#sample=q0")
    for place, (before, after) in enumerate(pairs):
        reader.follow(f"q{place}")
        found = pieces(reader)
        assert words(found, "#text", "DEL") == before
        assert words(found, "#text", "INS") == after
        assert len(words(found, "INS", "DEL")) == fewest_edits(before, after), (before, after)


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        # 1,200 edits are looked for, and 40,000 words.
        ("♣★" * 600, "♠★" * 600, "★" * 600),
        ("♣★" * 600, "♥" + "♠★" * 600, "★"),
        (f"♠{'★' * 19_998}♣", f"♥{'★' * 19_998}♦", "★" * 19_998),
        (f"♠{'★' * 19_998}♣", f"♥{'★' * 19_998}♦♦", ""),
    ],
)
def test_beyond_a_bound_all_between_the_common_ends_has_changed(
    visit: Open, tmp_path: Path, before: str, after: str, kept: str
):
    found = pieces(visit(report(tmp_path, (before, after)), "#sample=q0"))
    assert words(found, "#text") == kept
    assert words(found, "#text", "DEL") == before
    assert words(found, "#text", "INS") == after


# A deletion comes before an insertion, and a space between two changes joins them.
READ = [
    ("red house", "old barn", [("DEL", "red house"), ("INS", "old barn")]),
    ("the red house", "the old house", [("#text", "the "), ("DEL", "red"), ("INS", "old"), ("#text", " house")]),
    ("the house", "the old house", [("#text", "the "), ("INS", "old "), ("#text", "house")]),
    ("the old house", "the house", [("#text", "the "), ("DEL", "old "), ("#text", "house")]),
    ("one", "one two", [("#text", "one"), ("INS", " two")]),
    ("one two", "two", [("DEL", "one "), ("#text", "two")]),
]


def test_changes_stand_as_they_are_read(visit: Open, tmp_path: Path):
    reader = visit(report(tmp_path, *((before, after) for before, after, _ in READ)), "#sample=q0")
    for place, (_, _, found) in enumerate(READ):
        reader.follow(f"q{place}")
        assert pieces(reader) == found


def test_equal_answers_are_said_to_be_equal_and_none_is_compared_with_nothing(visit: Open, tmp_path: Path):
    reader = visit(report(tmp_path, ("one", "one"), ("one", ""), ("", "one"), ("one", "two")), "#sample=q0")
    block = reader.block("What changed in the answer")
    assert block.locator("p").all_inner_texts() == ["Nothing: the answers are the same."]
    for place, there in enumerate((True, False, False, True)):
        reader.follow(f"q{place}")
        assert block.is_visible() == there
