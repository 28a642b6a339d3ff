"""Causes of changes: on samples that were broken on purpose, and one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

import ragauge
from ragauge.comparison import comparison
from ragauge.comparison.causes import Cause
from ragauge.core.messages import Face, wording_of
from ragauge.display.text import plain_text

from .planted import planted

METRICS = ["recall@5", "groundedness", "answer-correctness"]
TEA = "The tea house opens at nine. It serves oolong and green tea."


def causes(
    before: list[dict[str, Any]], after: list[dict[str, Any]], metrics: Sequence[str] = METRICS
) -> dict[str, Cause]:
    runs = [ragauge.evaluate(rows, metrics, resamples=0, evidence=True) for rows in (before, after)]
    compared = ragauge.compare(*runs, trials=1, resamples=1)
    return {cause.id: cause for cause in compared.causes()}


def of_pairs(pairs: Sequence[tuple[dict[str, Any], dict[str, Any]]], metrics: Sequence[str] = METRICS) -> list[Cause]:
    """Return the cause of each pair of rows, before and after, found in one call."""
    sides = [[{**row, "id": str(place)} for place, row in enumerate(side)] for side in zip(*pairs, strict=True)]
    found = causes(sides[0], sides[1], metrics)
    return [found[str(place)] for place in range(len(pairs))]


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.long)])
def test_breaks_are_named(seed: int) -> None:
    samples = planted(seed)
    assert len(samples) > 200
    rows = [one.before for one in samples], [{"failure": None, **one.after} for one in samples]
    found = causes(*rows, ["ndcg@5", *METRICS[1:]])
    named = Counter((one.kind, found[one.before["id"]].why if one.before["id"] in found else None) for one in samples)
    right = sum(count for (kind, why), count in named.items() if kind == why)
    wrong = sum(count for (kind, why), count in named.items() if why == "contradicted" != kind)
    print(f"{right} of {len(samples)} right, {wrong} contradictions that are none")  # noqa: T201 - figures of the documentation
    assert right >= 0.9 * len(samples), named
    assert wrong <= 0.03 * len(samples), named


def row(answer: str | None, **more: Any) -> dict[str, Any]:
    relevance = {"hours": 1}
    return {
        "id": "1", "question": "When does it open?", "answer": answer, "contexts": [TEA, "Dogs may come in."],
        "references": ["It opens at nine."], "retrieved": ["hours", "dogs"], "relevance": relevance, "failure": None,
        **more,
    }  # fmt: skip


CASES = [
    (row(None, failure="HTTP 503"), "failed", "failed: HTTP 503"),
    (row("The tea house opens at ten."), "contradicted", "the answer has ten where the passage has nine"),
    (row("The documents do not say when it opens."), "declined", "the answer declines: The documents do not"),
    (row("The tea house opens at nine. Trains to the coast leave hourly."), "added", "no passage supports: Trains"),
    (row("九点开门。"), "other language", "the answer is in another language: 九点开门。"),
    (row("  "), "empty answer", "the answer is empty"),
    (row("Das Teehaus öffnet um neun Uhr."), "other language", "the answer is in another language: Das Teehaus"),
    (
        row("It serves oolong and green tea."),
        "reference alone",
        "its passages support the answer; the reference has: It opens at nine.",
    ),
    (
        row("Dogs may come in.", contexts=["Dogs may come in."], retrieved=["dogs"]),
        "passage lost",
        "passage hours is no longer retrieved; its rank was 1",
    ),
]


@pytest.fixture(scope="module")
def of_cases() -> list[Cause]:
    before = row("The tea house opens at nine.")
    return of_pairs([(before, after) for after, _, _ in CASES])


@pytest.mark.parametrize("case", range(len(CASES)), ids=[why for _, why, _ in CASES])
def test_a_cause(case: int, of_cases: list[Cause]) -> None:
    _, why, text = CASES[case]
    found = of_cases[case]
    assert (found.why, found.text[: len(text)]) == (why, text)


def test_a_reference_that_stands_in_the_answer_is_no_cause() -> None:
    more = "It opens at nine. It serves oolong and green tea."
    [found] = of_pairs([(row("It opens at nine."), row(more))])
    assert found.why != "reference alone"


def test_passages_that_an_answer_does_not_use_are_not_added_by_it() -> None:
    passages = [TEA, "Dogs may come in.", "Trains to the coast leave hourly."]
    found = of_pairs(
        [
            (
                row("The tea house opens at nine. Dogs may come in.", contexts=passages),
                row("Dogs may come in.", contexts=passages),
            )
        ],
        [*METRICS, "context-utilization"],
    )
    assert found[0].why == "reference alone"


def test_a_sentence_that_both_answers_have_is_not_added_where_its_passage_is_gone() -> None:
    answer = "The tea house opens at nine. Dogs may come in."
    found = of_pairs([(row(answer), row(answer, contexts=[TEA], retrieved=["hours"]))])
    assert (found[0].why, found[0].text) == (
        "passage lost",
        "the passage is gone that the answer rested on: Dogs may come in.",
    )


# Passage, a right answer, a wrong one, and a refusal.
LANGUAGES = [
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
]


def test_languages() -> None:
    pairs = []
    for passage, right, wrong, refusal in LANGUAGES:
        texts = {"contexts": [passage], "references": [right]}
        pairs += [({"answer": right, **texts}, {"answer": answer, **texts}) for answer in (wrong, refusal)]
    assert [one.why for one in of_pairs(pairs, METRICS[1:])] == ["contradicted", "declined"] * len(LANGUAGES)


SAME = [
    ["the tea house opens AT NINE", "it serves oolong and green tea"],
    ["Dogs may come in. The tea house", "opens at nine. It serves oolong & green tea."],
    ["It serves oolong and green tea! “The tea house opens at nine”"],
    ["Ｔｈｅ tea house opens at nine… It serves oolong and green tea."],
]


def test_a_passage_that_is_parted_or_written_otherwise_is_not_lost() -> None:
    before = row("The tea house opens at nine.") | {"retrieved": None, "relevance": None}
    after = [before | {"answer": "The tea house opens at ten.", "contexts": contexts} for contexts in SAME]
    gone = after[0] | {"contexts": ["Dogs may come in."]}
    *same, lost = [one.why for one in of_pairs([(before, one) for one in (*after, gone)], METRICS[1:])]
    assert "passage lost" not in same
    assert lost == "passage lost"


# What a passage says, a claim that bounds it, and one that denies it.
BOUNDED = [
    (
        "The museum opens at 9 on Monday.",
        "The museum does not open before 9 on Monday.",
        "The museum does not open on Monday at 9.",
    ),
    ("博物馆星期一9点开门。", "博物馆星期一9点之前不开门。", "博物馆星期一9点不开门。"),
    (
        "博物館は月曜日9時に開きます。",
        "博物館は月曜日9時まで開きません。",
        "博物館は月曜日午前9時に開きません。",
    ),
    (
        "박물관은 월요일 9시에 엽니다.",
        "박물관은 월요일 9시 전에는 열지 않습니다.",
        "박물관은 월요일 9시에 열지 않습니다.",
    ),
    (
        "Das Museum öffnet am Montag um 9 Uhr.",
        "Das Museum öffnet am Montag nicht vor 9 Uhr.",
        "Das Museum öffnet am Montag um 9 Uhr nicht.",
    ),
    (
        "Le musée ouvre le lundi à 9 heures.",
        "Le musée n'ouvre pas le lundi avant 9 heures.",
        "Le musée n'ouvre pas le lundi à 9 heures.",
    ),
    (
        "El museo abre el lunes a las 9.",
        "El museo no abre el lunes hasta las 9.",
        "El museo no abre el lunes a las 9.",
    ),
    (
        "Музей открывается в понедельник в 9 часов.",
        "Музей не открывается в понедельник раньше 9 часов.",
        "Музей не открывается в понедельник в 9 часов.",
    ),
    (
        "يفتح المتحف يوم الاثنين في الساعة 9.",
        "لا يفتح المتحف يوم الاثنين قبل الساعة 9.",
        "لا يفتح المتحف يوم الاثنين في الساعة 9.",
    ),
]


def test_what_is_not_so_before_a_time_contradicts_nothing() -> None:
    pairs = []
    for plain, bounded, denied in BOUNDED:
        for passage, after in ((plain, denied), (plain, bounded), (bounded, plain)):
            texts = {"contexts": [passage], "references": [passage]}
            pairs.append(({"answer": passage, **texts}, {"answer": after, **texts}))
    found = [one.why for one in of_pairs(pairs, METRICS[1:])]
    assert found[0::3] == ["contradicted"] * len(BOUNDED)
    assert set(found[1::3] + found[2::3]) <= {"unexplained", "added"}


def test_a_rank_that_fell() -> None:
    before = row("It opens at nine.")
    after = before | {"retrieved": ["dogs", "hours"]}
    runs = [ragauge.evaluate([one], "mrr", resamples=0) for one in (before, after)]
    (found,) = ragauge.compare(*runs, trials=1, resamples=1).causes()
    assert (found.why, found.text) == ("rank fell", "the rank of passage hours fell from 1 to 2")


def test_what_is_the_same_has_no_cause() -> None:
    assert causes([row("It opens at nine.")], [row("It opens at nine.")]) == {}


@pytest.mark.parametrize(
    ("before", "after", "worse"),
    [
        ("ten", {"answer": "ten", "retrieved": ["x", "z"]}, True),
        ("ten", {"answer": "nine", "retrieved": ["x", "z"]}, False),
        ("it opens at nine", {"answer": "nine at ten to go", "retrieved": ["x", "y", "w"]}, True),
    ],
)
def test_an_answer_that_is_right_now_is_not_worse_and_a_wrong_one_is_whatever_rose(
    before: str, after: dict[str, Any], worse: bool
) -> None:
    known = {"id": "a", "references": ["nine"], "relevance": {"x": 1, "y": 1, "w": 1}}
    old = known | {"answer": before, "retrieved": ["x", "y"]}
    runs = [ragauge.evaluate([one], ["recall@5", "token-f1"], resamples=0) for one in (old, known | after)]
    assert bool(ragauge.compare(*runs, trials=1, resamples=1).causes()) is worse


def test_of_many_samples_the_first_are_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "_EXPLAINED", 2)
    before = [row("It opens at nine.") | {"id": str(place)} for place in range(3)]
    after = [one | {"answer": "The documents do not say when it opens."} for one in before]
    runs = [ragauge.evaluate(rows, METRICS, resamples=0, evidence=True) for rows in (before, after)]
    compared = ragauge.compare(*runs, trials=1, resamples=1)
    assert "Worse on 3 samples, of the first 2: 2 declined" in str(compared)
    counted = compared.counted_causes(compared.candidates[0].name)
    assert wording_of(counted, Face("zh")) == "有 3 个样本变差，前 2 个中：2 个拒答"
    assert len(compared.causes()) == 3


def test_the_worst_samples_begin_with_those_of_primary_metrics_and_have_causes_in_json() -> None:
    rows = [{"id": f"a{place:02}", "relevance": {"p": 1}, "retrieved": ["q", "p"]} for place in range(12)]
    first = {"id": "z", "relevance": {"p": 1}, "retrieved": ["p", "q"]}
    old = ragauge.evaluate([*rows, first], ["mrr", "recall@1"], resamples=0)
    worse = [*[row | {"retrieved": ["q"]} for row in rows], first | {"retrieved": ["q", "p"]}]
    found = ragauge.compare(old, ragauge.evaluate(worse, ["mrr", "recall@1"], resamples=0))
    assert found["mrr"].outcome == "worse"
    assert [found[metric].primary for metric in ("mrr", "recall@1")] == [False, True]
    shown = plain_text(found.blocks(worst=2)).partition("got worse most in candidate:\n")[2].splitlines()
    assert [line.split()[0] for line in shown if line.startswith("  ") and not line.startswith("    ")] == ["z", "a00"]
    causes = {one["id"]: one["cause"] for one in found.to_dict(worst=2)["worst"]}
    assert causes == {
        "a00": "passage p is no longer retrieved; its rank was 2",
        "a01": "passage p is no longer retrieved; its rank was 2",
        "z": "the rank of passage p fell from 1 to 2",
    }


@pytest.mark.parametrize(
    ("passage", "claimed", "rival"),
    [
        ("In 1700 several hundred Huguenots moved from England to the colony, where the Crown had promised them land.",
         "1707", "1700"),
        ("维多利亚州 1975 年颁布了成文宪法，但它是基于英国议会通过的殖民宪法，该法案规定议会为该州的立法机构。",
         "1978", "1975"),
        ("Tesla qua đời vào ngày 7 tháng 1 năm 1943 tại thành phố New York, trong một phòng khách sạn.",
         "1946", "1943"),
        ("شارك في المهرجان نحو 2500 زائر من سبع دول، وأقيم في الساحة الكبرى وسط المدينة القديمة.", "2700", "2500"),
    ],
    ids=["en", "zh", "vi", "ar"],
)  # fmt: skip
def test_one_number_of_a_long_sentence_contradicts_though_most_of_it_is_supported(
    passage: str, claimed: str, rival: str
) -> None:
    before = row(passage, contexts=[passage, "Dogs may come in."])
    found = causes([before], [before | {"answer": passage.replace(rival, claimed)}], ["groundedness"])["1"]
    assert (found.why, found.text) == ("contradicted", f"the answer has {claimed} where the passage has {rival}")


def test_an_answer_that_equals_its_reference_is_not_farther_from_it() -> None:
    before = row("The tea house opens at nine. It serves oolong and green tea.")
    found = causes([before], [row("It opens at nine.")])
    assert "reference alone" not in [one.why for one in found.values()]


def test_evidence_of_metrics_that_one_run_alone_has_hides_no_addition() -> None:
    answer = "It serves oolong and green tea. It opens at nine."
    before, after = row(answer), row(f"{answer} Trains to the coast leave hourly.")
    more = ragauge.evaluate([before], [*METRICS, "context-utilization"], evidence=True)
    runs = [more, ragauge.evaluate([after], METRICS, evidence=True)]
    assert [one.why for one in ragauge.compare(*runs, trials=1, resamples=1).causes()] == ["added"]


# A long passage, and a sentence on another thing that shares its pairs of letters and has another number or a negation.
OTHER_THINGS = [
    (
        (
            "They had been sent from the northern harbour in the year 1788 under the command of a retired captain, "
            "because the council feared that the traders who had explored the coast would found a settlement there."
        ),
        "The concert of 1559 was held there under the old trees.",
    ),
    (
        (
            "أعلنت المحكمة في عام 1962 أن قرارها لم يكن له أي تأثير على ادعاء الشركة بأنها أول من توصل إلى البث، "
            "لأن ادعاءها لبعض البراءات كان مشكوكا فيه ولم تستطع أن تدعي انتهاك تلك البراءات في تلك البلاد."
        ),
        "افتتح المتحف الكبير في عام 2010 على البحر.",
    ),
    (
        (
            "Традиционно партия пользуется самой сильной поддержкой среди рабочих западных и северных пригородов, "
            "а также в отдалённых городах, где предприятия закрылись ещё в прошлом столетии и не открылись снова."
        ),
        "Нужных сведений среди результатов не оказалось.",
    ),
]


def test_a_sentence_on_another_thing_contradicts_nothing() -> None:
    pairs = []
    for passage, strange in OTHER_THINGS:
        texts = {"contexts": [passage], "references": [passage], "retrieved": ["hours"]}
        pairs.append(({"answer": passage, **texts}, {"answer": f"{passage} {strange}", **texts}))
    assert "contradicted" not in [one.why for one in of_pairs(pairs, METRICS[1:])]


def test_a_value_whose_rival_stands_elsewhere_is_named_alone() -> None:
    passage = (
        "If you do not want to wait, choose the link in the e-mail: it unlocks the account at once. "
        "The account is locked after five wrong passwords."
    )
    wait = "Wait for {} minutes, or choose the link in the e-mail: it unlocks the account at once."
    before = {"answer": wait.format(30), "contexts": [passage, "It unlocks by itself after 30 minutes."]}
    before |= {"references": [wait.format(30)], "id": "1"}
    found = causes([before], [before | {"answer": wait.format(33)}], METRICS[1:])["1"]
    assert (found.why, found.text) == ("contradicted", "the answer has 33 minutes, which no passage has")
