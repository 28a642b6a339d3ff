"""Clock times in support: forms of one hour agree, other hours and halves of the day do not, in eleven languages."""

from __future__ import annotations

import pytest

import ragauge
from ragauge.grounding.support._explained import reasons_of
from ragauge.grounding.support._reading import Reader

AGREE = {
    "en": (
        ("It opens at nine.", "It opens at nine in the morning."),
        ("They close at 3.", "They close at 3 pm."),
        ("They close at 3 on Sundays.", "They close at three in the afternoon on Sundays."),
        ("The shop opens at 9.", "The shop opens at 9:00."),
        ("The shop opens at nine.", "The shop opens at nine o'clock."),
        ("It is open from nine to five.", "It is open from 9 am to 5 pm."),
        ("It is open from 9 to 5.", "It is open from 9:00 to 17:00."),
        ("It closes at nine.", "It closes at 21:00."),
        ("It starts at 8:30.", "It starts at 8:30 p.m."),
        ("It starts at 9:30.", "It starts at half past nine in the evening."),
        ("Lunch is at noon.", "Lunch is at 12."),
        ("Open Monday 7:00 AM - 10:00 PM.", "Open Monday 7:0-22:0."),
    ),
    "zh": (
        ("茶馆九点开门。", "茶馆上午九点开门。"),
        ("茶馆9点开门。", "茶馆上午9:00开门。"),
        ("茶馆九点开门。", "茶馆9:00开门。"),
        ("商店九点关门。", "商店晚上九点关门。"),
        ("商店晚上九点关门。", "商店21:00关门。"),
        ("图书馆九点到五点开放。", "图书馆上午九点到下午五点开放。"),
    ),
    "ja": (
        ("店は九時に開く。", "店は午前九時に開く。"),
        ("店は9時に開く。", "店は9:00に開く。"),
        ("店は夜9時に閉まる。", "店は21時に閉まる。"),
        ("営業時間は9~17時。", "営業時間は9時~17時。"),
    ),
    "ko": (
        ("가게는 아홉 시에 문을 연다.", "가게는 오전 아홉 시에 문을 연다."),
        ("가게는 9시에 문을 연다.", "가게는 9:00에 문을 연다."),
        ("영업시간은 9~17시이다.", "영업시간은 9시~17시이다."),
    ),
    "de": (
        ("Der Laden öffnet um neun.", "Der Laden öffnet um neun Uhr."),
        ("Der Laden öffnet um 9.", "Der Laden öffnet um 9.00 Uhr."),
        ("Der Laden schließt um neun.", "Der Laden schließt um neun Uhr abends."),
        ("Das Lokal schließt um neun.", "Das Lokal schließt um 21 Uhr."),
        ("Der Laden hat von neun bis fünf geöffnet.", "Der Laden hat von 9 bis 17 Uhr geöffnet."),
    ),
    "es": (
        ("La tienda abre a las nueve.", "La tienda abre a las nueve de la mañana."),
        ("La tienda abre a las 9.", "La tienda abre a las 9:00."),
        ("La tienda abre a las nueve.", "La tienda abre a las 9 h."),
        ("La tienda abre de nueve a cinco.", "La tienda abre de 9:00 a 17:00."),
    ),
    "fr": (
        ("Le magasin ouvre à neuf heures.", "Le magasin ouvre à neuf heures du matin."),
        ("Le magasin ouvre à 9.", "Le magasin ouvre à 9 h 00."),
        ("Le magasin est ouvert de 9 à 17 heures.", "Le magasin est ouvert de 9 h à 17 h."),
    ),
    "ru": (
        ("Магазин открывается в девять.", "Магазин открывается в девять часов."),
        ("Магазин закрывается в девять.", "Магазин закрывается в девять вечера."),
        ("Магазин открывается в 9.", "Магазин открывается в 9:00."),
        ("Магазин работает с девяти до пяти.", "Магазин работает с 9:00 до 17:00."),
    ),
    "ar": (
        ("يفتح المتجر في التاسعة.", "يفتح المتجر في التاسعة صباحا."),
        ("يفتح المتجر في التاسعة.", "يفتح المتجر الساعة التاسعة."),
        ("يفتح المتجر الساعة 9.", "يفتح المتجر الساعة 9:00."),
        ("يفتح المتجر من 9 إلى 5.", "يفتح المتجر من 9:00 إلى 17:00."),
    ),
    "hi": (
        ("दुकान नौ बजे खुलती है।", "दुकान सुबह नौ बजे खुलती है।"),
        ("दुकान 9 बजे खुलती है।", "दुकान 9:00 बजे खुलती है।"),
        ("दुकान 9 से 5 बजे तक खुली रहती है।", "दुकान सुबह 9 बजे से शाम 5 बजे तक खुली रहती है।"),
    ),
    "th": (
        ("ร้านเปิดเก้าโมง", "ร้านเปิดเก้าโมงเช้า"),
        ("ร้านเปิด 9 โมง", "ร้านเปิด 9:00 น."),
        ("ร้านเปิดเวลา 9 นาฬิกา", "ร้านเปิดเวลา 9.00 น."),
    ),
}
"""Pairs of texts of which each supports the other."""
DIFFER = {
    "en": (
        ("It opens at nine in the evening.", "It opens at nine in the morning."),
        ("It opens at ten.", "It opens at nine in the morning."),
        ("They close at 4 on Sundays.", "They close at 3 pm on Sundays."),
        ("It opens at nine.", "It opens at 9:30 in the morning."),
        ("It is open from nine to six.", "It is open from 9 am to 5 pm."),
        ("It starts at 8:00 AM.", "It starts at 8:00 PM."),
        ("It starts at 8:00.", "It starts at 20:00."),
        ("It starts at 08:00.", "It starts at 8:00 PM."),
        ("It has nine rooms.", "It has eight rooms and opens at nine in the morning."),
        ("It takes nine minutes.", "It opens at nine in the morning."),
        ("They sold tickets to 5 people.", "They sold tickets to 8 people and closed at 5 pm."),
        ("The price rose from 9 to 12 dollars.", "The price rose from 8 to 12 dollars at 9 am."),
        ("Between 9 and 12 guests came.", "Between 8 and 12 guests came at 9 in the morning."),
        ("It is sold at 9 stores.", "It is sold at 7 stores from 9 am."),
    ),
    "zh": (
        ("茶馆十点开门。", "茶馆上午九点开门。"),
        ("茶馆晚上九点开门。", "茶馆上午九点开门。"),
        ("茶馆九点开门。", "茶馆上午九点半开门。"),
    ),
    "ja": (("店は十時に開く。", "店は午前九時に開く。"), ("店は夜9時に開く。", "店は朝9時に開く。")),
    "ko": (
        ("가게는 열 시에 문을 연다.", "가게는 오전 아홉 시에 문을 연다."),
        ("가게는 저녁 9시에 문을 연다.", "가게는 아침 9시에 문을 연다."),
    ),
    "de": (
        ("Der Laden öffnet um zehn.", "Der Laden öffnet um neun Uhr."),
        ("Der Laden öffnet um neun Uhr abends.", "Der Laden öffnet um neun Uhr morgens."),
        ("Der Laden öffnet um neun.", "Der Laden öffnet um halb neun."),
    ),
    "es": (
        ("La tienda abre a las diez.", "La tienda abre a las nueve de la mañana."),
        ("La tienda abre a las nueve.", "La tienda abre a las nueve y media."),
    ),
    "fr": (
        ("Le magasin ouvre à dix heures.", "Le magasin ouvre à neuf heures du matin."),
        ("Le magasin ouvre à neuf heures du soir.", "Le magasin ouvre à neuf heures du matin."),
    ),
    "ru": (
        ("Магазин открывается в десять.", "Магазин открывается в девять часов."),
        ("Магазин открывается в девять вечера.", "Магазин открывается в девять утра."),
        ("В 9 городах открылись магазины.", "В 8 городах открылись магазины в 9 утра."),
    ),
    "ar": (
        ("يفتح المتجر في العاشرة.", "يفتح المتجر في التاسعة صباحا."),
        ("يفتح المتجر في التاسعة مساء.", "يفتح المتجر في التاسعة صباحا."),
        ("بدأ في التاسعة من عمره.", "بدأ في العاشرة صباحا."),
    ),
    "hi": (
        ("दुकान दस बजे खुलती है।", "दुकान सुबह नौ बजे खुलती है।"),
        ("दुकान रात नौ बजे खुलती है।", "दुकान सुबह नौ बजे खुलती है।"),
    ),
    "th": (("ร้านเปิดสิบโมง", "ร้านเปิดเก้าโมงเช้า"), ("ร้านเปิดห้าโมงเย็น", "ร้านเปิดห้าโมงเช้า")),
}
"""Pairs of texts of which neither supports the other."""


def scores(pairs: tuple[tuple[str, str], ...]) -> list[tuple[str, str, float]]:
    """Return claim, passage and groundedness of pairs, in both directions."""
    both = [*pairs, *((passage, claim) for claim, passage in pairs)]
    rows = [{"answer": claim, "contexts": [passage]} for claim, passage in both]
    found = ragauge.evaluate(rows, ["groundedness"], resamples=0).scores("groundedness")
    return [(*pair, score) for pair, score in zip(both, found, strict=True)]


@pytest.mark.parametrize("language", AGREE)
def test_forms_of_one_hour_support_each_other_as_one_form_does(language: str) -> None:
    # A copy scores 1.
    assert [row for row in scores(AGREE[language]) if row[2] < 0.95] == []


@pytest.mark.parametrize("language", DIFFER)
def test_other_hours_and_other_halves_of_the_day_do_not(language: str) -> None:
    assert [row for row in scores(DIFFER[language]) if row[2] > 0.4] == []


@pytest.mark.parametrize(
    ("claim", "passage", "reason"),
    [
        (
            "It opens at nine in the evening.",
            "It opens at nine in the morning.",
            "the passage has nine in the morning where the claim has nine in the evening",
        ),
        (
            "It opens at ten.",
            "It has 8 rooms and opens at nine in the morning.",
            "the passage has nine in the morning where the claim has ten",
        ),
        ("It opens at nine.", "It opens at nine in the morning.", None),
    ],
)
def test_reasons_name_what_differs(claim: str, passage: str, reason: str | None) -> None:
    assert reasons_of(Reader(), [claim], [passage]) == [reason]
