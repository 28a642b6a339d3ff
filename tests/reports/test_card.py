"""What is sent on from a report: a card and paper."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import ragauge
from ragauge.errors import UsageError
from ragauge.reports.card import SIZE
from ragauge.reports.report import page_of
from ragauge.results.result import Result

EVIL = "<script>alert(1)</script>\x1b]0;&\u202e"


def run(right: int, **row: object) -> Result:
    rows = [
        {"id": f"q{place}", "question": f"Wann {place}?", "answer": "neun" if place < right else "zehn",
         "references": ["neun"], "latency": 0.5 + place / 100, **row}
        for place in range(40)
    ]  # fmt: skip
    return ragauge.evaluate(rows, ["token-f1", "exact-match", "latency=column:name=latency"])


def parsed(svg: str) -> ET.Element:
    return ET.fromstring(svg)  # noqa: S314 - our own


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in parsed(svg).iter("{http://www.w3.org/2000/svg}text")]


def test_a_card_of_two_runs_has_the_verdict_numbers_and_samples(tmp_path: Path) -> None:
    for name, right in (("before", 10), ("after", 35)):
        run(right).save(tmp_path / name, tag=f"{name}-tag")
    svg = page_of([tmp_path / "before", tmp_path / "after"]).short.card()
    shown = texts(svg)
    root = parsed(svg)
    assert (root.get("width"), root.get("height")) == tuple(map(str, SIZE))
    assert shown[:3] == ["before → after", "ragauge", "▲ Ship"]
    assert any(line.startswith("better under token-f1 +0.62 [") for line in shown)
    place = shown.index("token-f1")
    assert shown[place + 1] == "0.88"
    assert shown[place + 2].startswith("+0.62 [+0.4")
    assert shown[place + 3] == "▲ better"
    assert "latency, s" in shown
    assert shown[-1].startswith("40 paired samples · 20")
    assert shown[-1].endswith(" · after-tag")


def test_figures_of_neighbouring_tiles_do_not_touch() -> None:
    def of(seed: int) -> Result:
        drawn = np.random.default_rng(seed).random((4, 5000))
        metrics = [f"{name}=column:name={name}" for name in ("one", "two", "three", "four")]
        rows = [{"one": a, "two": b / 1000, "three": c, "four": d + 1e4} for a, b, c, d in drawn.T.tolist()]
        return ragauge.evaluate(rows, metrics, resamples=0)

    svg = page_of([of(1), of(2)], primary=["one", "two", "three", "four"]).short.card()
    tiles = [
        (float(one.get("x", 0)), len(one.text or "") * 0.6 * float(one.get("font-size", 0)))
        for one in parsed(svg).iter("{http://www.w3.org/2000/svg}text")
        if 440 < float(one.get("y", 0)) < 490
    ]
    assert len(tiles) == 8
    assert max(width for _, width in tiles) < min({x for x, _ in tiles} - {56}) - 56


def test_worse_is_of_another_colour() -> None:
    better, worse = (page_of([run(one), run(other)]).short.card() for one, other in ((10, 35), (35, 10)))
    assert "▼ Do not ship" in texts(worse)
    assert ("#d55e00" in worse, "#d55e00" in better) == (True, False)


def test_a_card_of_one_run_has_its_intervals_and_no_verdict() -> None:
    shown = texts(page_of(run(35), language="zh").short.card())
    assert "40 个样本" in shown
    assert shown[shown.index("token-f1") + 1 :][:2] == ["0.88", "[0.74, 0.95]"]
    assert not any(line.startswith(("▲", "▼", "≈")) for line in shown)


def test_runs_that_cannot_be_compared_have_a_card() -> None:
    other = ragauge.evaluate([{"id": "x", "answer": "a", "references": ["a"]}], "chrf")
    assert "ragauge" in texts(page_of([run(35), other]).short.card())


def test_paper_has_scores_and_the_ten_worst() -> None:
    one = page_of(run(25)).short.paper()
    assert "worst samples by " in one
    assert one.count("Wann ") == 10
    assert "Wann 3?" not in one
    two = page_of([run(35), run(10)]).short.paper()
    assert two.count("Wann ") == 10
    assert two.count("<table") == 1
    assert page_of(run(40)).short.paper().count("Wann ") == 0


def test_texts_of_the_data_are_no_markup() -> None:
    result = ragauge.evaluate(
        [{"id": f"{EVIL}{row}", "question": EVIL, "answer": EVIL, "references": ["a"]} for row in range(3)],
        "exact-match",
    )
    short = page_of([result, result], [EVIL, "b"]).short
    for made in (short.card(), short.paper(), page_of(result).short.paper()):
        assert "<script" not in made
        assert "\x1b" not in made
        assert "\u202e" not in made
    parsed(short.card())


def test_files_are_checked_before_any_work(tmp_path: Path) -> None:
    there = tmp_path / "card.svg"
    there.write_text("mine")
    for card, code in ((there, "RG-RUN"), (tmp_path / "card.jpg", "RG-REPORT-013")):
        with pytest.raises(UsageError) as error:
            ragauge.report(run(35), tmp_path / "page.html", card=card)
        assert any(one.startswith(code) for one in error.value.codes)
        assert not (tmp_path / "page.html").exists()
    assert ragauge.report(run(35), tmp_path / "page.html", card=there, force=True) == tmp_path / "page.html"
    assert there.read_text(encoding="utf-8").startswith("<svg")
