"""Causes of changes: on samples that were broken on purpose, and one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

import ragauge
from ragauge.comparison import comparison
from ragauge.comparison.causes import Cause

from .planted import planted

METRICS = ["recall@5", "groundedness", "answer-correctness"]
TEA = "The tea house opens at nine. It serves oolong and green tea."


def causes(
    before: list[dict[str, Any]], after: list[dict[str, Any]], metrics: Sequence[str] = METRICS
) -> dict[str, Cause]:
    runs = [ragauge.evaluate(rows, metrics, resamples=0, evidence=True) for rows in (before, after)]
    compared = ragauge.compare(*runs, trials=1, resamples=1)
    return {cause.id: cause for cause in compared.causes()}


@pytest.mark.parametrize("seed", [1, 2])
def test_breaks_are_named(seed: int) -> None:
    samples = planted(seed)
    assert len(samples) > 200
    rows = [one.before for one in samples], [{"failure": None, **one.after} for one in samples]
    found = causes(*rows, ["ndcg@5", *METRICS[1:]])
    named = Counter((one.kind, found[one.before["id"]].why if one.before["id"] in found else None) for one in samples)
    right = sum(count for (kind, why), count in named.items() if kind == why)
    wrong = sum(count for (kind, why), count in named.items() if why == "contradicted" != kind)
    assert right >= 0.9 * len(samples), named
    assert wrong <= 0.03 * len(samples), named


def row(answer: str | None, **more: Any) -> dict[str, Any]:
    relevance = {"hours": 1}
    return {
        "id": "1", "question": "When does it open?", "answer": answer, "contexts": [TEA, "Dogs may come in."],
        "references": ["It opens at nine."], "retrieved": ["hours", "dogs"], "relevance": relevance, "failure": None,
        **more,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("after", "why", "text"),
    [
        (row(None, failure="HTTP 503"), "failed", "failed: HTTP 503"),
        (row("The tea house opens at ten."), "contradicted", "the answer has ten where the passage has nine"),
        (row("The documents do not say when it opens."), "declined", "the answer declines: The documents do not"),
        (row("The tea house opens at nine. Trains to the coast leave hourly."), "added", "no passage supports: Trains"),
        (row("九点开门。"), "other language", "the answer is in another language: 九点开门。"),
        (row("It serves oolong and green tea."), "reference alone", "its passages support the answer"),
        (
            row("Dogs may come in.", contexts=["Dogs may come in."], retrieved=["dogs"]),
            "passage lost",
            "passage hours is no longer retrieved; its rank was 1",
        ),
    ],
)
def test_a_cause(after: dict[str, Any], why: str, text: str) -> None:
    found = causes([row("The tea house opens at nine.")], [after])["1"]
    assert (found.why, found.text[: len(text)]) == (why, text)


@pytest.mark.parametrize(
    ("passage", "right", "wrong", "refusal"),
    [
        ("茶馆早上九点开门。", "茶馆九点开门。", "茶馆八点开门。", "文档中没有找到相关信息。"),
        (
            "喫茶店は朝9時に開きます。",
            "喫茶店は9時に開きます。",
            "喫茶店は8時に開きます。",
            "資料には記載がありません。",
        ),
        (
            "찻집은 아침 9시에 엽니다.",
            "찻집은 9시에 엽니다.",
            "찻집은 8시에 엽니다.",
            "문서에서 관련 정보를 찾을 수 없습니다.",
        ),
        (
            "Чайная открывается в 9 часов.",
            "Чайная открывается в 9 часов.",
            "Чайная открывается в 8 часов.",
            "В документах этого нет.",
        ),
        (
            "يفتح المقهى في الساعة 9.",
            "يفتح المقهى في الساعة 9.",
            "يفتح المقهى في الساعة 8.",
            "لا توجد معلومات عن ذلك في المستندات.",
        ),
        ("चाय घर 9 बजे खुलता है।", "चाय घर 9 बजे खुलता है।", "चाय घर 8 बजे खुलता है।", "दस्तावेज़ों में इसकी जानकारी नहीं है।"),
        ("ร้านน้ำชาเปิด 9 โมง", "ร้านน้ำชาเปิด 9 โมง", "ร้านน้ำชาเปิด 8 โมง", "ไม่พบข้อมูลนี้ในเอกสาร"),
    ],
)
def test_languages(passage: str, right: str, wrong: str, refusal: str) -> None:
    def of(answer: str) -> list[dict[str, Any]]:
        return [{"id": "1", "answer": answer, "contexts": [passage], "references": [right]}]

    assert causes(of(right), of(wrong), METRICS[1:])["1"].why == "contradicted"
    assert causes(of(right), of(refusal), METRICS[1:])["1"].why == "declined"


def test_a_rank_that_fell() -> None:
    before = row("It opens at nine.")
    after = before | {"retrieved": ["dogs", "hours"]}
    runs = [ragauge.evaluate([one], "mrr", resamples=0) for one in (before, after)]
    (found,) = ragauge.compare(*runs, trials=1, resamples=1).causes()
    assert (found.why, found.text) == ("rank fell", "the rank of passage hours fell from 1 to 2")


def test_what_is_the_same_has_no_cause() -> None:
    assert causes([row("It opens at nine.")], [row("It opens at nine.")]) == {}


def test_of_many_samples_the_first_are_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "_EXPLAINED", 2)
    before = [row("It opens at nine.") | {"id": str(place)} for place in range(3)]
    after = [one | {"answer": "The documents do not say when it opens."} for one in before]
    runs = [ragauge.evaluate(rows, METRICS, resamples=0, evidence=True) for rows in (before, after)]
    compared = ragauge.compare(*runs, trials=1, resamples=1)
    assert "Worse on 3 samples, of the first 2: 2 declined" in str(compared)
    assert len(compared.causes()) == 3
