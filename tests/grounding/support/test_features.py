"""Support by features: what is told otherwise scores below what is told, in eleven languages."""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
import pytest

import ragauge
from ragauge.errors import OptionError
from ragauge.grounding.support.features import AGAINST, best_of_each, model
from ragauge.metrics.rag.groundedness import Groundedness
from tests.metrics.rag.given import Placed, batch_of
from tests.repeats import others_long

PROBES = Path(__file__).parents[3] / "corpora/probes"

# Language: passage, a claim that it supports in nearly its words, and claims that differ in a number, a date and a not.
CLAIMS = {
    "en": (
        "The Vela bridge opened on 3 May 1990. It is 8,849 metres long and carries trains. Tickets are not needed.",
        "The Vela bridge is 8849 metres long.",
        "The Vela bridge is 8,850 metres long.",
        ("The Vela bridge opened in 1990.", "The Vela bridge opened in 1991."),
        ("The Vela bridge carries trains.", "The Vela bridge does not carry trains."),
    ),
    "zh": (
        "维拉大桥于1990年5月3日开通。大桥全长8849米，通行火车。参观者需要买票。",
        "维拉大桥全长8,849米。",
        "维拉大桥全长8850米。",
        ("维拉大桥于1990年开通。", "维拉大桥于1991年开通。"),
        ("参观者需要买票。", "参观者不需要买票。"),
    ),
    "ja": (
        "ヴェラ橋は1990年5月3日に開通した。長さは8849メートルで、列車が通る。見学には切符が必要だ。",
        "ヴェラ橋の長さは8,849メートルだ。",
        "ヴェラ橋の長さは8850メートルだ。",
        ("ヴェラ橋は1990年に開通した。", "ヴェラ橋は1991年に開通した。"),
        ("見学には切符が必要だ。", "見学には切符が必要ない。"),
    ),
    "ko": (
        "벨라 다리는 1990년 5월 3일에 개통했다. 길이는 8849미터이고 기차가 다닌다. 입장에는 표가 필요하다.",
        "벨라 다리의 길이는 8,849미터이다.",
        "벨라 다리의 길이는 8850미터이다.",
        ("벨라 다리는 1990년에 개통했다.", "벨라 다리는 1991년에 개통했다."),
        ("입장에는 표가 필요하다.", "입장에는 표가 필요하지 않다."),
    ),
    "ru": (
        "Мост Вела открыли 3 мая 1990 года. Его длина 8849 метров, по нему ходят поезда. Билеты нужны всем.",
        "Длина моста Вела 8 849 метров.",
        "Длина моста Вела 8850 метров.",
        ("Мост Вела открыли в 1990 году.", "Мост Вела открыли в 1991 году."),
        ("По мосту ходят поезда.", "По мосту не ходят поезда."),
    ),
    "ar": (
        "افتتح جسر فيلا في 3 مايو 1990. يبلغ طوله 8849 مترا وتمر عليه القطارات.",
        "يبلغ طول جسر فيلا ٨٨٤٩ مترا.",
        "يبلغ طول جسر فيلا ٨٨٥٠ مترا.",
        ("افتتح جسر فيلا في 1990.", "افتتح جسر فيلا في 1991."),
        ("تمر عليه القطارات.", "لا تمر عليه القطارات."),
    ),
    "hi": (
        "वेला पुल 3 मई 1990 को खुला। इसकी लंबाई 8849 मीटर है और इस पर रेल चलती है।",
        "वेला पुल की लंबाई ८,८४९ मीटर है।",
        "वेला पुल की लंबाई ८,८५० मीटर है।",
        ("वेला पुल 1990 में खुला।", "वेला पुल 1991 में खुला।"),
        ("इस पर रेल चलती है।", "इस पर रेल नहीं चलती है।"),
    ),
    "th": (
        "สะพานเวลาเปิดเมื่อวันที่ 3 พฤษภาคม พ.ศ. 2533 มีความยาว 8849 เมตร รถไฟวิ่งผ่านสะพานได้",
        "สะพานเวลามีความยาว 8,849 เมตร",
        "สะพานเวลามีความยาว 8,850 เมตร",
        ("สะพานเวลาเปิดในปี 2533", "สะพานเวลาเปิดในปี 2534"),
        ("รถไฟวิ่งผ่านสะพานได้", "รถไฟวิ่งผ่านสะพานไม่ได้"),
    ),
    "de": (
        "Die Velabrücke wurde am 3. Mai 1990 eröffnet. Sie ist 8849 Meter lang, und Züge fahren darüber.",
        "Die Velabrücke ist 8.849 Meter lang.",
        "Die Velabrücke ist 8.850 Meter lang.",
        ("Die Velabrücke wurde 1990 eröffnet.", "Die Velabrücke wurde 1991 eröffnet."),
        ("Züge fahren darüber.", "Züge fahren nicht darüber."),
    ),
    "es": (
        "El puente Vela se abrió el 3 de mayo de 1990. Mide 8849 metros y por él pasan trenes.",
        "El puente Vela mide 8.849 metros.",
        "El puente Vela mide 8.850 metros.",
        ("El puente Vela se abrió en 1990.", "El puente Vela se abrió en 1991."),
        ("Por él pasan trenes.", "Por él no pasan trenes."),
    ),
    "fr": (
        "Le pont Vela a ouvert le 3 mai 1990. Il mesure 8849 mètres et des trains y passent.",
        "Le pont Vela mesure 8 849 mètres.",
        "Le pont Vela mesure 8 850 mètres.",
        ("Le pont Vela a ouvert en 1990.", "Le pont Vela a ouvert en 1991."),
        ("Des trains y passent.", "Des trains n'y passent pas."),
    ),
}


def degrees(*rows: tuple[str, list[str]]) -> list[float]:
    samples = [{"answer": claim, "contexts": passages} for claim, passages in rows]
    table = Groundedness(unsaid="count").explain(batch_of(*samples))
    return [float(value) for value in table["similarity"].to_pylist()]


def why(claim: str, passage: str) -> str | None:
    table = Groundedness(unsaid="count").explain(batch_of({"answer": claim, "contexts": [passage]}))
    (reason,) = table["why"].to_pylist()
    return reason  # type: ignore[no-any-return]


@pytest.mark.parametrize("language", others_long(CLAIMS, 4))
def test_what_is_told_otherwise_scores_lower(language: str) -> None:
    passage, number, wrong_number, dates, negations = CLAIMS[language]
    for right, wrong in ((number, wrong_number), dates, negations):
        good, bad = degrees((right, [passage]), (wrong, [passage]))
        assert good > 0.6, right
        assert bad < 0.5, wrong


@pytest.mark.parametrize("language", others_long(CLAIMS, 4))
def test_a_copy_is_supported_and_another_topic_is_not(language: str) -> None:
    passage = CLAIMS[language][0]
    copied = ragauge.score("groundedness:unsaid=count", answer=passage, contexts=[passage])
    assert copied > 0.95
    lines = (PROBES / f"{language}.jsonl").read_text("utf-8").splitlines()[::2]
    others = [json.loads(line)["number"][0] for line in lines]
    assert max(degrees(*((claim, [passage]) for claim in others))) < 0.5


@pytest.mark.parametrize("language", others_long(CLAIMS, 4))
def test_the_number_that_is_not_there_is_named(language: str) -> None:
    passage, _, wrong, _, _ = CLAIMS[language]
    reason = why(wrong, passage)
    assert reason is not None
    assert any(digits in reason for digits in ("8850", "8,850", "8.850", "8 850", "٨٨٥٠", "८,८५०"))


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        ("The bridge opened in 1991.", "the passage has 1990 where the claim has 1991"),
        ("The Vela bridge does not carry trains.", "the claim has a negation, the passage has none there"),
        ("The bridge was built by Emil Corvano of Osmar.", None),
    ],
)
def test_reasons(claim: str, reason: str | None) -> None:
    found = why(claim, "The Vela bridge opened in 1990. The Vela bridge carries trains.")
    assert found == reason or (reason is None and found is not None)


# A passage with a negation of something else in a clause of its own, a claim from the other clause, and one that the
# negation denies.
ELSEWHERE = {
    "en": ("The tunnel is 1.8 km long, without a bend.", "The tunnel is 1.8 km long.", "The tunnel has a bend."),
    "zh": ("隧道长1.8公里，没有弯道。", "隧道长1.8公里。", "隧道有弯道。"),
    "ja": ("トンネルは長さ1.8キロで、曲がり角がない。", "トンネルは長さ1.8キロだ。", "トンネルに曲がり角がある。"),
    "ko": ("터널 길이는 1.8킬로미터이고, 굽은 곳이 없다.", "터널 길이는 1.8킬로미터이다.", "터널에 굽은 곳이 있다."),
    "ru": ("Туннель построен в горе, поворотов нет.", "Туннель построен в горе.", "В туннеле много поворотов."),
    "ar": ("يبلغ طول النفق 1.8 كيلومتر، ولا توجد منعطفات.", "يبلغ طول النفق 1.8 كيلومتر.", "توجد منعطفات في النفق."),
    "hi": ("सुरंग 1.8 किलोमीटर लंबी है, कोई मोड़ नहीं है।", "सुरंग 1.8 किलोमीटर लंबी है।", "सुरंग में मोड़ है।"),
    "de": ("Der Tunnel ist 1,8 km lang, ohne eine Kurve.", "Der Tunnel ist 1,8 km lang.", "Der Tunnel hat eine Kurve."),
    "es": ("El túnel mide 1,8 km, no tiene curvas.", "El túnel mide 1,8 km.", "El túnel tiene curvas."),
    "fr": ("Le tunnel mesure 1,8 km, il n'a aucun virage.", "Le tunnel mesure 1,8 km.", "Le tunnel a un virage."),
}  # fmt: skip


def test_a_claim_of_stop_words_and_a_value_has_a_reason() -> None:
    """No word of it has a place in the passage."""
    result = ragauge.evaluate(
        [{"id": "a", "answer": "It is 5.", "contexts": ["It is 6."]}], ["groundedness"], evidence=True
    )
    assert result.explain("a").column("why").to_pylist() == ["the passage has 6 where the claim has 5"]


@pytest.mark.parametrize("language", ELSEWHERE)
def test_a_negation_is_of_its_clause(language: str) -> None:
    passage, told, denied = ELSEWHERE[language]
    good, bad = degrees((told, [passage]), (denied, [passage]))
    assert good > 0.98
    assert why(told, passage) is None
    assert bad < good - 0.1


def test_a_clause_of_a_negation_alone_may_be_of_anything() -> None:
    good, bad = degrees(
        ("The bridge carries trains.", ["The bridge carries trains, yes."]),
        ("The bridge carries trains.", ["The bridge carries trains? No."]),
    )
    assert bad < good


def test_degrees_are_the_same_bits_in_any_batch() -> None:
    rows = [(claim, [passage, CLAIMS["en"][0]]) for passage, claim, *_ in CLAIMS.values()]
    together = degrees(*rows)
    assert degrees(*rows[::-1])[::-1] == together
    assert [degrees(row)[0] for row in rows] == together
    assert degrees(*rows[3:7]) == together[3:7]


def test_never_below_half_of_the_ngram_recall() -> None:
    rows = [{"answer": claim, "contexts": [one[0]]} for one in CLAIMS.values() for claim in (one[1], one[2], *one[4])]
    features, recall = (
        ragauge.evaluate(rows, f"groundedness:unsaid=count,{option}", resamples=0).scores(
            f"groundedness:unsaid=count,{option}"
        )
        for option in ("support=features,soft=true", "support=ngram-recall,soft=true")
    )
    assert (features >= recall / 2 - 1e-9).all()


def test_words_of_the_question_are_granted() -> None:
    row = {"answer": "In 1990 the Vela bridge opened.", "references": ["The bridge opened."]}
    asked = {**row, "question": "What opened in 1990 at Vela?"}
    plain, granted = (
        ragauge.evaluate([one], "answer-correctness", resamples=0).parts("answer-correctness")["precision"][0]
        for one in (row, asked)
    )
    assert granted > plain


def test_the_claim_is_read_beside_passages_of_the_highest_recall() -> None:
    found = best_of_each(np.repeat([0, 1], [40, 2]), np.r_[np.linspace(0.5, 1, 40), 0.4, 0.9], 0.15)
    assert found.tolist() == [*range(8, 40), 41]


def test_coefficients_have_their_signs() -> None:
    fitted = model()
    assert all(fitted.against[name] < 0 for name in AGAINST)
    assert fitted.match["recall"] > 0
    assert fitted.match["near"] > 0


def test_features_need_an_embedder_of_known_cosines() -> None:
    with pytest.raises(OptionError, match="cosine or auto with embedder="):
        Groundedness(embedder=Placed({}), support="features", threshold=0.5)
    # A number keeps the method; a threshold of a file is of the method that it was made with.
    assert Groundedness(threshold=0.6).method == "features"
    assert Groundedness(threshold="thresholds.json").method == "ngram-recall"
    assert Groundedness(threshold=0.6, support="features").method == "features"


@pytest.mark.parametrize(
    "text", ["1 " * 30_000, "not " * 30_000, "1990 until 1991 " * 10_000, "abcd" * 20_000, "不" * 50_000]
)
def test_hostile_texts_take_seconds(text: str) -> None:
    begun = time.perf_counter()
    score = ragauge.score("groundedness:unsaid=count", answer=text, contexts=[text, text[:1000]])
    assert 0 <= score <= 1
    assert time.perf_counter() - begun < 60
