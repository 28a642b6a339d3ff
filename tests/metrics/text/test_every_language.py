"""Identical text scores what it can, unrelated text next to nothing, in any language."""

from __future__ import annotations

import unicodedata

import pytest

import ragauge
from tests.parity.texts import batch_of

TEXTS = {
    "zh": ("猫坐在垫子上看着窗外的鸟。", "今年经济增长低于预期"),
    "zh-Hant": ("貓坐在墊子上看著窗外的鳥。", "今年經濟成長低於預期"),
    "ja": ("猫がマットの上に座っている。", "経済成長率は予想以下だった"),
    "ko": ("고양이가 매트 위에 앉아 있다.", "올해 경제 성장률은 예상보다 낮았다"),
    "ru": ("Кошка сидит на коврике у окна.", "Рост экономики оказался ниже прогноза"),
    "ar": ("القطة تجلس على السجادة قرب النافذة.", "كان نمو الاقتصاد أقل من المتوقع"),
    "hi": ("बिल्ली चटाई पर बैठी है और देख रही है।", "इस वर्ष आर्थिक विकास कम था"),
    "th": ("แมวนั่งอยู่บนเสื่อ", "เศรษฐกิจปีหน้า"),
    "el": ("Η γάτα κάθεται στο χαλί δίπλα στο παράθυρο.", "Φέτος έπεσε πολύ ο τζίρος"),
    "vi": ("Con mèo ngồi trên tấm thảm cạnh cửa sổ.", "Kinh tế năm nay tăng thấp hơn dự báo"),
    "en": ("The cat sits on the mat by the window.", "Growth fell below expectations"),
}
METRICS = [
    "bleu", "rouge-1", "rouge-2", "rouge-l", "rouge-lsum", "chrf", "chrf++", "token-f1", "exact-match",
    "edit-similarity", "meteor", "gleu",
]  # fmt: skip


def score(spec: str, answer: str, reference: str) -> float:
    metric = ragauge.parse(spec)
    return float(metric.score(metric.measure(batch_of([answer], [[reference]])).totals()))


@pytest.mark.parametrize("spec", METRICS)
@pytest.mark.parametrize("language", TEXTS)
def test_identical_text(language, spec):
    text = TEXTS[language][0]
    if spec == "meteor":
        assert 0.99 < score(spec, text, text) < 1
    else:
        assert score(spec, text, text) == 1


@pytest.mark.parametrize("spec", METRICS)
@pytest.mark.parametrize("language", TEXTS)
def test_unrelated_text(language, spec):
    answer, other = TEXTS[language]
    limit = 0.35 if spec in ("edit-similarity",) or language == "th" else 0.3
    assert score(spec, answer, other) < limit


ERROR_RATES = ["wer", "cer", "mer", "wil", "ter"]


@pytest.mark.parametrize("spec", ERROR_RATES)
@pytest.mark.parametrize("language", TEXTS)
def test_error_rates(language, spec):
    answer, other = TEXTS[language]
    assert score(spec, answer, answer) == 0
    assert score(spec, answer, answer[: len(answer) // 2]) > 0
    assert score(spec, answer, other) > 0.6
    assert score(spec, "", answer) == 1


@pytest.mark.parametrize("spec", METRICS)
def test_empty_texts(spec):
    text = TEXTS["en"][0]
    assert score(spec, "", text) == 0
    assert score(spec, text, "") == 0


SEEN_ALIKE = [
    ("\u200fمرحبا بالعالم\u200e", "مرحبا بالعالم"),
    ("می\u200cخواهم", "میخواهم"),
    ("\ufeffhello co\u00adoperate", "hello cooperate"),
    ("한국어", "\u1112\u1161\u11ab\u1100\u116e\u11a8\u110b\u1165"),
]


@pytest.mark.parametrize(
    "spec", ["token-f1", "token-f1:punctuation=unicode", "exact-match", "edit-similarity", "rouge-1"]
)
@pytest.mark.parametrize(("answer", "reference"), SEEN_ALIKE)
def test_characters_that_are_not_seen_do_not_count(spec, answer, reference):
    assert score(spec, answer, reference) == 1


@pytest.mark.parametrize("metric", ["bleu", "rouge-l", "chrf", "chrf++", "token-f1", "exact-match", "edit-similarity"])
@pytest.mark.parametrize("text", ["한국어는 재미있다.", "Où est le café ?", "गाँव में बाज़ार है।", "ﾃﾞｰﾀを見る。"])
def test_letters_and_their_marks_may_stand_apart(metric: str, text: str) -> None:
    apart = unicodedata.normalize("NFD", text)
    assert ragauge.score(metric, answer=apart, references=[unicodedata.normalize("NFKC", text)]) == pytest.approx(1.0)
