"""The room of a page, and what is cut so that its samples fit."""

from __future__ import annotations

import gzip
import random
from pathlib import Path
from typing import Any

import pytest

import ragauge
from ragauge.reports import room as rooms
from ragauge.reports.room import encoded, printable
from tests.reports.reading import payload, read, rows_of, unpacked

WORDS = {
    "en": ["lantern", "river", "stone", "copper", "garden", "window", "winter", "bridge", "letter", "morning"],
    "zh": ["灯笼", "河流", "石头", "铜器", "花园", "窗户", "冬天", "桥梁", "信件", "早晨"],
    "th": ["โคมไฟ", "แม่น้ำ", "หิน", "ทองแดง", "สวน", "หน้าต่าง", "ฤดูหนาว", "สะพาน", "จดหมาย", "เช้า"],
    "ar": ["فانوس", "نهر", "حجر", "نحاس", "حديقة", "نافذة", "شتاء", "جسر", "رسالة", "صباح"],
}


LESS = 60_000  # bytes, of the 100,000 that the passages of 40 samples take


def passage(seed: int, language: str, words: int) -> str:
    chosen = random.Random(seed)  # noqa: S311
    numbers = chosen.choices(range(10_000), k=words)
    said = [f"{word}{number}" for word, number in zip(chosen.choices(WORDS[language], k=words), numbers, strict=True)]
    return " ".join(f"{word}." if place % 10 == 9 else word for place, word in enumerate(said))


def samples(count: int) -> list[dict[str, Any]]:
    """Return samples whose answers stand at the end of a long passage, beside a short one."""
    found = []
    for i in range(count):
        language = list(WORDS)[i % 4]
        said = f"{WORDS[language][i % 10]} {WORDS[language][i % 7]} {i}."
        texts = [f"{passage(5 * i + j, language, 150)} {said if j == 1 else ''}".strip() for j in range(4)]
        found.append(
            {"question": "?", "answer": said, "contexts": [*texts, f"tea {i}"], "reference_contexts": [texts[0]]}
        )
    return found


@pytest.fixture(scope="module")
def run() -> ragauge.Result:
    return ragauge.evaluate(samples(40), "groundedness", resamples=0, evidence=True)


def test_a_page_that_has_room_holds_all_passages_whole(run: ragauge.Result, tmp_path: Path) -> None:
    held = payload(read(ragauge.report(run, tmp_path / "report.html")))
    assert held["passages"][:4] == samples(1)[0]["contexts"][:4]
    assert "cut" not in held


def test_the_longest_passages_are_cut_and_what_scores_rest_on_is_kept(
    run: ragauge.Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_room = ragauge.report(run, tmp_path / "whole.html")
    size, whole = with_room.stat().st_size - LESS, payload(read(with_room))
    monkeypatch.setattr(rooms, "BYTES", size)
    path = ragauge.report(run, tmp_path / "report.html")
    held, given_samples = payload(read(path)), samples(40)
    assert size - 10_000 < path.stat().st_size <= size
    assert held["cut"] == 150, "of Thai, where a full stop ends no sentence, that which is quoted is whole"
    for place, texts in enumerate(contexts["text"] for found in held["by_run"][0]["contexts"] for contexts in found):
        given = given_samples[place // 5]["contexts"][place % 5]
        assert place % 5 != 4 or texts == given, "the short one is whole"
        assert texts[:10] == given[:10]
        assert texts[-1] == "…" or texts[-5:] == given[-5:]
    assert held["by_run"][0]["evidence"] == whole["by_run"][0]["evidence"]
    for place, sample in enumerate(given_samples):
        shown = held["by_run"][0]["contexts"][place]
        for item in held["by_run"][0]["evidence"]["groundedness"][str(place)]:
            assert any(item["best"] in context["text"] for context in shown)
        assert held["by_run"][0]["answers"][place] == sample["answer"]
        assert held["reference_contexts"][place] == [shown[0]["text"]]


def test_where_passages_are_not_what_is_large_they_have_one_line_or_a_word() -> None:
    words = passage(0, "en", 90).split()
    ranked = [[{"passage": 0}, {"passage": 1}]]
    only = {"contexts": ranked, "answers": [""], "evidence": {}, "reasons": {}, "parts": {}}
    held: dict[str, Any] = {
        "passages": [" ".join(words), "short"], "reference_contexts": None, "references": [["x"]], "relevance": None,
        "questions": ["Tea?"], "languages": None, "shown": 1, "by_run": [only],
    }  # fmt: skip
    least = len(encoded(held, 1))
    for size, longest in ((1, 10), (least, 10), (least + 50, 60)):
        _, chunk = map(unpacked, encoded(held, size).split("\n"))
        [row] = rows_of(chunk)
        [[shown, whole], short] = row["passages"]
        assert (whole, short) == (len(" ".join(words)), "short")
        assert longest // 2 < len(shown) - 2 <= longest
        assert " ".join(words).startswith(shown.removesuffix(" …"))


def test_printable_text_is_read_as_it_was_written() -> None:
    for size in range(40):
        text = passage(size, "th", size)
        line = printable(gzip.compress(f'"{text}"'.encode()))
        assert unpacked(line) == text
        assert not set(line) & set("<>&\n")
