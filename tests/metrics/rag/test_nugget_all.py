"""Nuggets: what counts as stated, whole, in part or not, and what is done where nobody assigned it."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

import ragauge
from ragauge.core.protocol import signature_of
from ragauge.core.registry import entries
from ragauge.errors import DataError
from ragauge.metrics.rag.nugget_all import NuggetAll

from .given import Marked, batch_of, cells, scores

WORDS = ("Opened in 1990.", "Founded by Lin Wan.", "Has a garden.", "Is closed on Mondays.")
# By a threshold of .6 support begins at .6, and partial support at .3.
DEGREES = dict(zip(WORDS, (0.6, 0.59, 0.3, 0.29), strict=True))
MODEL = Marked({(text, "It did."): degree for text, degree in DEGREES.items()}, threshold=0.6)
NAMES = ("nugget-all", "nugget-vital", "nugget-strict-all", "nugget-strict-vital")


def nugget(text: str, importance: str | None = None, assignment: str | None = None) -> dict[str, Any]:
    return {"text": text, "importance": importance, "assignment": assignment}


def test_three_steps_by_the_threshold_and_half_of_it() -> None:
    nuggets = [nugget(text, "vital" if place < 2 else "okay") for place, text in enumerate(WORDS)]
    row = {"answer": "It did.", "nuggets": nuggets}
    assert scores(NuggetAll(support=MODEL), row) == [(1 + 0.5 + 0.5 + 0) / 4]
    assert scores(NuggetAll(support=MODEL, strict=True), row) == [1 / 4]
    assert scores(NuggetAll(support=MODEL, importance="vital"), row) == [1.5 / 2]
    assert scores(NuggetAll(support=MODEL, importance="vital", strict=True), row) == [1 / 2]


def test_what_the_data_assign_is_kept_and_the_rest_is_measured() -> None:
    given = [nugget(WORDS[0], "vital", "not_support"), nugget(WORDS[3], "vital", "support"), nugget(WORDS[1], "vital")]
    assert scores(NuggetAll(support=MODEL), {"answer": "It did.", "nuggets": given}) == [(0 + 1 + 0.5) / 3]


def test_no_vital_nugget_is_undefined_and_an_empty_answer_scores_0() -> None:
    rows: list[dict[str, Any]] = [{"id": "a", "answer": "It did.", "nuggets": [nugget(WORDS[0], "okay")]}]
    rows += [{"id": "b", "answer": "", "nuggets": [nugget(WORDS[0], "vital")]}]
    rows += [{"id": "c", "answer": "It did.", "nuggets": []}, {"id": "d", "answer": "It did.", "nuggets": None}]
    result = ragauge.evaluate(rows, ["nugget-vital", "nugget-all"], resamples=0)
    assert [str(one) for one in result.statuses("nugget-vital")] == ["undefined", "ok", "undefined", "missing"]
    assert [str(one) for one in result.statuses("nugget-all")] == ["ok", "ok", "undefined", "missing"]
    assert result.scores("nugget-vital")[1] == 0.0


def test_a_failure_counts_only_where_a_counted_nugget_needs_it() -> None:
    lost = Marked({(WORDS[0], "It did."): math.nan}, threshold=0.6)
    nuggets = [nugget(WORDS[0], "okay"), nugget(WORDS[1], "vital", "support")]
    row = {"answer": "It did.", "nuggets": nuggets}
    assert cells(NuggetAll(support=lost, importance="vital"), row).scores.tolist() == [1.0]
    assert math.isnan(*scores(NuggetAll(support=lost), row))
    [first, second] = NuggetAll(support=lost).explain(batch_of(row)).to_pylist()
    assert (first["what"], first["supported"], first["similarity"]) == ("okay nugget", None, None)
    assert (second["what"], second["supported"]) == ("vital nugget", True)


def test_evidence_names_nugget_and_sentence() -> None:
    nuggets = [nugget(WORDS[1], "okay"), nugget(WORDS[0], "vital"), nugget(WORDS[3], "vital", "partial_support")]
    table = NuggetAll(support=MODEL).explain(batch_of({"answer": "It rained. It did.", "nuggets": nuggets}))
    rows = table.select(["what", "text", "best", "similarity", "supported", "why"]).to_pylist()
    assert [tuple(row.values()) for row in rows] == [
        ("okay nugget", WORDS[1], "It did.", 0.59, False, "the answer supports it in part"),
        ("vital nugget", WORDS[0], "It did.", 0.6, True, None),
        ("vital nugget", WORDS[3], None, None, False, "the answer supports it in part"),
    ]


TEXTS = [WORDS[0], WORDS[3]]
LISTED = [nugget(one) for one in TEXTS]


@pytest.mark.parametrize(
    "written",
    [LISTED, TEXTS, json.dumps(LISTED), json.dumps(TEXTS), [{"text": one} for one in TEXTS]],
    ids=["objects", "texts", "JSON objects", "JSON texts", "text alone"],
)  # fmt: skip
def test_forms_of_the_column(written: Any) -> None:
    """Without an importance each nugget is vital."""
    assert scores(NuggetAll(support=MODEL, importance="vital"), {"answer": "It did.", "nuggets": written}) == [0.5]


def test_a_text_is_one_nugget() -> None:
    assert scores(NuggetAll(support=MODEL), {"answer": "It did.", "nuggets": WORDS[0]}) == [1.0]
    assert scores(NuggetAll(support=MODEL), {"answer": "It did.", "nuggets": "[sic] is no JSON"}) == [0.0]


def test_without_answers_all_must_be_assigned() -> None:
    with pytest.raises(DataError, match=r"without a column answer each nugget must have an assignment; not .*'b'"):
        ragauge.evaluate([{"nuggets": [nugget("a", "vital", "support"), nugget("b", "vital")]}], "nugget-all")


def test_the_four_names_are_one_metric() -> None:
    assert {entries("metric")[name].cls for name in NAMES} == {NuggetAll}
    assert [str(ragauge.parse(name)) for name in NAMES] == list(NAMES)
    assert str(NuggetAll(importance="vital", strict=True)) == "nugget-strict-vital"
    assert "soft" in signature_of(NuggetAll()).identity


@pytest.mark.parametrize(
    "language", ["en", "zh", "ja", "ko", "ar", "ru", "de", "es", "fr", "hi", "th", "pt", "it", "tr"]
)
def test_languages(language: str) -> None:
    """A nugget in the answer's words is supported, one of another subject is not; three languages are not listed."""
    stated, other = {
        "en": ("The tea house opened in 1990.", "A train leaves from Oslo."),
        "zh": ("茶馆开业于1990年。", "火车从奥斯陆出发。"),
        "ja": ("茶館は1990年に開業した。", "列車はオスロを出発する。"),
        "ko": ("찻집은 1990년에 문을 열었다.", "기차는 오슬로에서 출발한다."),
        "ar": ("افتتح المقهى عام 1990.", "يغادر القطار من أوسلو."),
        "ru": ("Чайная открылась в 1990 году.", "Поезд отправляется из Осло."),
        "de": ("Das Teehaus öffnete 1990.", "Ein Zug fährt ab Oslo."),
        "es": ("La casa de té abrió en 1990.", "Un tren sale de Oslo."),
        "fr": ("La maison de thé a ouvert en 1990.", "Un train part d'Oslo."),
        "hi": ("चायघर 1990 में खुला।", "ट्रेन ओस्लो से चलती है।"),
        "th": ("ร้านน้ำชาเปิดในปี 1990", "รถไฟออกจากออสโล"),
        "pt": ("A casa de chá abriu em 1990.", "Um trem parte de Oslo."),
        "it": ("La casa da tè ha aperto nel 1990.", "Un treno parte da Oslo."),
        "tr": ("Çay evi 1990'da açıldı.", "Oslo'dan bir tren kalkıyor."),
    }[language]
    assert ragauge.score("nugget-strict-all", answer=stated, nuggets=[{"text": stated}, {"text": other}]) == 0.5
