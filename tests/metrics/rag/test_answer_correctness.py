"""Answer correctness: the F of supported sentences with the cosine, as RAGAS and with recall of its own."""

from __future__ import annotations

import math
from typing import Any

import pytest

import ragauge
from ragauge.core.statistics import Status
from ragauge.errors import OptionError
from ragauge.metrics.rag import _answer_pairs
from ragauge.metrics.rag.answer_correctness import AnswerCorrectness
from tests.repeats import others_long

from .given import Marked, Placed, batch_of, cells, scores

ANSWER, REFERENCE = "One. Two. Three.", "Uno. Due."
ALIKE = Placed({ANSWER: (1.0, 0.0), REFERENCE: (0.6, 0.8)})


def marks(*pairs: tuple[str, str]) -> Marked:
    return Marked(dict.fromkeys(pairs, 1.0))


def parts(support: Marked, **options: Any) -> dict[str, float]:
    metric = AnswerCorrectness(embedder=ALIKE, support=support, **{"short": 0.0, **options})
    found = cells(metric, {"answer": ANSWER, "references": [REFERENCE]})
    return {"value": float(found.scores[0]), **{name: float(part[0]) for name, part in found.parts.items()}}


def test_f_of_precision_and_recall_with_the_cosine() -> None:
    """Two of three sentences are right, one of two reference sentences is said: P 2/3, R 1/2, F 4/7."""
    found = parts(marks(("One.", "Uno."), ("Two.", "Uno."), ("Uno.", "One.")))
    assert (found["precision"], found["recall"]) == (2 / 3, 1 / 2)
    assert found["f"] == pytest.approx(4 / 7)
    assert found["similarity"] == pytest.approx(0.6)
    assert found["value"] == pytest.approx(0.75 * 4 / 7 + 0.25 * 0.6)


def test_as_ragas() -> None:
    """TP 2, FP 1, FN 1: F = 2 / (2 + (1 + 1) / 2)."""
    support = marks(("One.", "Uno."), ("Two.", "Uno."), ("Uno.", "One."))
    assert parts(support, recall="mixed")["f"] == pytest.approx(2 / 3)
    precision, recall, beta = 2 / 3, 2 / 3, 2.0
    f = (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
    assert parts(support, recall="mixed", beta=beta)["f"] == pytest.approx(f)
    assert (
        str(ragauge.parse("answer-correctness:compat=ragas"))
        == "answer-correctness:clip=false,known=nothing,recall=mixed,short=0,soft=false,stance=ignore,unsaid=count"
    )


def test_negative_cosines() -> None:
    """RAGAS takes the weighted mean as it comes: .25 times -.6 with no sentence right."""
    row = {"answer": ANSWER, "references": [REFERENCE]}
    opposite = Placed({ANSWER: (1.0, 0.0), REFERENCE: (-0.6, 0.8)})
    clipped, as_it_is = (
        AnswerCorrectness(embedder=opposite, support=marks(("One.", "Uno.")), short=0.0, clip=clip)
        for clip in (True, False)
    )
    assert scores(clipped, row) == [0.0]
    assert scores(as_it_is, row) == pytest.approx([-0.15])
    assert (clipped.range, as_it_is.range) == ((0.0, 1.0), (-0.25, 1.0))
    assert scores(as_it_is, {"answer": "", "references": [REFERENCE]}) == [0.0]


def test_nothing_right_leaves_the_cosine() -> None:
    for recall in ("own", "mixed"):
        assert parts(marks(), recall=recall)["value"] == pytest.approx(0.25 * 0.6)


def test_weights_are_divided_by_their_sum() -> None:
    support = marks(("One.", "Uno."), ("Uno.", "One."))
    only_f, only_cosine = parts(support, weights=(2.0, 0.0)), parts(support, weights=(0.0, 1.0))
    assert only_f["value"] == only_f["f"] == pytest.approx(2 * (1 / 3) * (1 / 2) / (1 / 3 + 1 / 2))
    assert only_cosine["value"] == pytest.approx(0.6)


def test_the_best_reference_counts() -> None:
    support = Marked({("One.", "Uno."): 1.0, ("Uno.", "One."): 1.0})
    embedder = Placed({"One.": (1.0, 0.0), "Uno.": (0.0, 1.0), "Due.": (1.0, 0.0)})
    metric = AnswerCorrectness(embedder=embedder, support=support, short=0.0)
    assert scores(metric, {"answer": "One.", "references": ["Due.", "", "Uno."]}) == [0.75]


def test_edges() -> None:
    metric = AnswerCorrectness(embedder=Placed({"One.": (1.0, 0.0)}), support=Marked({("One.", "One."): math.nan}))
    found = cells(
        metric,
        {"answer": "", "references": ["One."]},
        {"answer": "One.", "references": []},
        {"answer": "One.", "references": [""]},
        {"answer": "One.", "references": None},
        {"answer": "One.", "references": ["One."]},
    )
    states = [Status.OK, Status.UNDEFINED, Status.UNDEFINED, Status.MISSING, Status.FAILED]
    assert found.sums.status.tolist() == states
    assert found.scores[0] == 0.0


def test_words_of_the_question_are_known() -> None:
    """The answer repeats the question: only what it adds has to be in the reference."""
    row = {
        "question": "Who opened the old tea house by the river?",
        "answer": "The old tea house by the river was opened by Lin Wan.",
        "references": ["Lin Wan"],
    }
    known = cells(AnswerCorrectness(soft=False), row)
    not_known = cells(AnswerCorrectness(known="nothing", soft=False), row)
    assert known.parts["precision"].tolist() == [1.0]
    assert not_known.parts["precision"].tolist() == [0.0]
    assert known.parts["recall"].tolist() == [1.0]


def test_recall_of_a_short_reference_weighs_more() -> None:
    """The reference has two tokens: s = 10 / 12, and recall is 1/2."""
    support = marks(("One.", "Uno."), ("Two.", "Uno."), ("Uno.", "One."))
    found, long = parts(support, short=10.0), parts(support)
    assert found["value"] == pytest.approx(10 / 12 * 0.5 + 2 / 12 * long["value"])
    assert {**found, "value": 0} == {**long, "value": 0}


LONGER = {
    "en": (
        "Lin Wan opened it in 1990, on a warm evening, with music by the river and tea for everybody.",
        "1990",
        "1985",
    ),
    "zh": ("茶馆由林婉在1990年的一个温暖的晚上开张，河边有音乐，人人都有茶喝。", "林婉", "王芳"),
    "ja": ("茶館は1990年の暖かい夜に林婉によって開かれ、川辺で音楽が流れ、皆にお茶が振る舞われた。", "林婉", "田中"),
    "ko": ("찻집은 1990년 따뜻한 저녁에 린완이 열었고 강가에는 음악이 흘렀다.", "린완", "김철수"),
    "ru": ("Чайную открыла Линь Вань в 1990 году, тёплым вечером, с музыкой у реки.", "Линь Вань", "Мария Петрова"),
    "ar": ("افتتحت لين وان بيت الشاي عام 1990 في مساء دافئ مع موسيقى قرب النهر.", "لين وان", "سارة حداد"),
    "hi": ("लिन वान ने 1990 की एक गर्म शाम को नदी के किनारे चाय घर खोला।", "लिन वान", "रमेश शर्मा"),
    "th": ("หลินหว่านเปิดโรงน้ำชาในปี 1990 ในค่ำคืนอันอบอุ่นริมแม่น้ำ", "หลินหว่าน", "สมชายดี"),
    "de": ("Das Teehaus wurde 1990 an einem warmen Abend am Fluss von Lin Wan eröffnet.", "Lin Wan", "Karl Braun"),
    "es": ("La casa de té fue abierta por Lin Wan en 1990, una tarde cálida junto al río.", "Lin Wan", "José Pérez"),
    "fr": (
        "La maison de thé fut ouverte par Lin Wan en 1990, un soir chaud au bord de la rivière.",
        "Lin Wan",
        "Jean Moreau",
    ),
}


@pytest.mark.parametrize("language", others_long(LONGER, 3))
def test_a_longer_answer_is_not_a_wrong_one(language: str) -> None:
    answer, right, wrong = LONGER[language]
    held, missed = scores(
        AnswerCorrectness(), *({"answer": answer, "references": [reference]} for reference in (right, wrong))
    )
    assert held > 0.6
    assert missed < 0.3


SILENT = {
    "en": ("The passages do not say.", "I don't know.", "It was Lin Wan."),
    "zh": ("文中没有提到。", "我不知道。", "是林婉。"),
    "ja": ("本文には記載がありません。", "わかりません。", "林婉です。"),
    "ko": ("문서에는 언급되어 있지 않습니다.", "모르겠습니다.", "린완입니다."),
    "ru": ("В тексте об этом не говорится.", "Не знаю.", "Это была Линь Вань."),
    "ar": ("لا يذكر النص ذلك.", "لا أعرف.", "إنها لين وان."),
    "hi": ("पाठ में इसका उल्लेख नहीं है।", "मुझे नहीं पता।", "वह लिन वान थीं।"),
    "th": ("บทความไม่ได้ระบุไว้", "ไม่ทราบ", "คือหลินหว่าน"),
    "de": ("Der Text erwähnt das nicht.", "Das weiß ich nicht.", "Es war Lin Wan."),
    "es": ("El texto no lo menciona. En el texto no se menciona.", "No lo sé.", "Fue Lin Wan."),
    "fr": ("Le texte ne le mentionne pas.", "Je ne sais pas.", "C'était Lin Wan."),
}


@pytest.mark.parametrize("language", others_long(SILENT, 3))
def test_saying_that_nothing_is_said(language: str) -> None:
    one, other, claim = SILENT[language]
    pairs = [(one, other), (other, one), (one, claim), (claim, other), (claim, claim)]
    rows = [{"answer": answer, "references": [reference]} for answer, reference in pairs]
    assert scores(AnswerCorrectness(), *rows) == pytest.approx([1, 1, 0, 0, 1])
    counted = scores(AnswerCorrectness(unsaid="count"), *rows)
    assert counted[0] < 0.9
    assert counted[2] < 0.9


def test_sentences_that_claim_nothing_are_left_out() -> None:
    rows = [
        {"answer": "The passages do not give a year. Lin Wan founded it.", "references": ["Lin Wan founded it."]},
        {"answer": "Lin Wan founded it.", "references": ["Lin Wan founded it. The text does not mention a year."]},
    ]
    assert cells(AnswerCorrectness(), *rows).parts["f"].tolist() == pytest.approx([1.0, 1.0], abs=0.01)
    assert AnswerCorrectness().measure(batch_of(*rows)).noted["nothing claimed"].tolist() == [1, 0]


STANCES = {
    "en": ("Yes", "No"), "zh": ("是的", "不是"), "ja": ("はい", "いいえ"), "ko": ("네", "아니요"), "ru": ("Да", "Нет"),
    "ar": ("نعم", "لا"), "hi": ("हाँ", "नहीं"), "th": ("ใช่", "ไม่ใช่"), "de": ("Ja", "Nein"), "es": ("Sí", "No"),
    "fr": ("Oui", "Non"),
}  # fmt: skip


@pytest.mark.parametrize("language", others_long(STANCES, 3))
def test_yes_and_no(language: str) -> None:
    yes, no = STANCES[language]
    reference = [f"{yes}, Lin Wan 1990, 1991, 1992, 1993, 1994, 1995, 1996, 1997, 1998, 1999."]
    answers = [yes, f"{no}.", reference[0].replace(yes, no, 1)]
    short, opposite, same_words = scores(
        AnswerCorrectness(), *({"answer": answer, "references": reference} for answer in answers)
    )
    assert short > 0.5
    assert (opposite, same_words) == (0.0, 0.0)
    ignored = AnswerCorrectness(stance="ignore")
    assert scores(ignored, {"answer": answers[2], "references": reference})[0] > 0.6


def test_the_order_of_degrees_is_kept() -> None:
    assert AnswerCorrectness().softness is True
    assert AnswerCorrectness(soft="graded").softness == "graded"
    assert AnswerCorrectness(support=Marked({})).softness is False
    assert AnswerCorrectness(threshold=0.5).softness is False


def test_options_that_it_does_not_take() -> None:
    for options in ({"weights": (1.0,)}, {"weights": (0.0, 0.0)}, {"weights": (-1.0, 2.0)}, {"beta": 0.0}):
        with pytest.raises(OptionError, match="of answer-correctness must be"):
            AnswerCorrectness(**options)


def test_evidence_of_both_sides() -> None:
    metric = AnswerCorrectness(embedder=ALIKE, support=marks(("One.", "Uno."), ("Uno.", "One.")))
    table = metric.explain(batch_of({"answer": ANSWER, "references": [REFERENCE]}))
    assert table["what"].to_pylist() == ["answer sentence"] * 3 + ["reference sentence"] * 2
    assert table["text"].to_pylist() == ["One.", "Two.", "Three.", "Uno.", "Due."]
    assert table["best"].to_pylist()[0] == "Uno."
    assert table["supported"].to_pylist() == [True, False, False, True, False]


@pytest.mark.parametrize(
    ("answer", "reference", "why"),
    [
        ("It opened in 1990.", "It opened in 1991.", "the passage has 1991 where the claim has 1990"),
        ("它于1990年开放。", "它于1991年开放。", "the passage has 1991年 where the claim has 1990年"),
    ],
)
def test_evidence_says_why(answer: str, reference: str, why: str) -> None:
    table = AnswerCorrectness().explain(batch_of({"answer": answer, "references": [reference]})).to_pylist()
    assert [row["what"] for row in table] == ["answer sentence", "reference sentence"]
    assert table[0]["why"] == why
    assert table[1]["why"] is not None


def test_evidence_of_what_is_equal_needs_no_reason() -> None:
    same = "It opened in 1990."
    table = AnswerCorrectness().explain(batch_of({"answer": same, "references": [same]}))
    assert table["why"].to_pylist() == [None, None]


def test_very_many_references_beside_a_long_answer_fail_alone() -> None:
    answer = " ".join(f"The tea is number {number}." for number in range(3000))
    references = [f"The tea is number {number}." for number in range(400)]
    rows = [{"answer": answer, "references": references}, {"answer": "A. B.", "references": ["A. B.", "C."]}]
    result = ragauge.evaluate(rows, "answer-correctness", resamples=0, evidence=True)
    assert result.statuses("answer-correctness").tolist() == ["failed", "ok"]
    assert "too long" in result.reasons("answer-correctness")[0]
    assert result.scores("answer-correctness")[1] > 0.9


def test_up_to_10_000_references_are_compared() -> None:
    references = ["Bea left."] * 9_999 + ["Anna came."]
    rows = [{"answer": "Anna came.", "references": [*references, "C."][start:]} for start in (1, 0)]
    result = ragauge.evaluate(rows, "answer-correctness", resamples=0)
    assert result.scores("answer-correctness")[0] == pytest.approx(1.0)
    assert result.statuses("answer-correctness").tolist() == ["ok", "failed"]
    assert "more than 10000" in result.reasons("answer-correctness")[1]


def test_support_by_ngram_recall_counts_by_degree_and_is_shown_by_its_threshold() -> None:
    rows = {"answer": "Lin Wan founded a garden in 1990.", "references": ["Lin Wan founded the tea house in 1990."]}
    batch = batch_of(rows)
    options: list[dict[str, Any]] = [{}, {"soft": True}, {"soft": False}]
    auto, degrees, marks = (AnswerCorrectness(support="ngram-recall", **one) for one in options)
    scores = [metric.score(metric.measure(batch))[0] for metric in (auto, degrees, marks)]
    assert scores[0] == scores[1] != scores[2]
    assert 0 < scores[0] < 1
    shown = [metric.explain(batch)["supported"].to_pylist() for metric in (auto, degrees, marks)]
    assert shown[0] == shown[2] == [True, True]
    assert shown[1] == [None, None]


@pytest.mark.parametrize(
    ("answer", "reference", "denies"),
    [
        ("不开", "开", True),
        ("开", "不开", True),
        ("没开。", "开", True),
        ("不开", "不开", False),
        ("开不", "开", False),
        ("不", "", False),
        ("不开门营业了", "开门营业", True),
        ("不开门营业啊", "开门营业啊", True),
        ("不开门营业啊吗", "开门营业啊吗", False),
        ("不开。。。。。", "开", False),
        ("开", "不开。。。。。", False),
        ("不开。。。。", "开", True),
    ],
)
def test_a_short_text_behind_not_denies_it(answer: str, reference: str, denies: bool) -> None:
    assert _answer_pairs._denies(answer, reference) == denies
