"""Numbers, shares and money in other words: what agrees, and what does not, in eleven languages."""

from __future__ import annotations

import numpy as np
import pytest

import ragauge
from ragauge.grounding.support.units import Kind, read
from tests.repeats import others_long

FORMS = {
    "en": (
        ("62,000 users", "62k users", "sixty-two thousand users"),
        ("$2bn", "2,000 million dollars", "$2,000,000,000"),
        ("3.5 km", "three and a half kilometres", "3,500 m"),
        ("2½ litres", "2.5 litres"),
        ("$5m", "5 million dollars"),
        ("24 shops", "two dozen shops"),
    ),
    "de": (
        ("1.500.000 Kunden", "1,5 Mio. Kunden", "anderthalb Millionen Kunden"),
        ("2 Mrd. €", "zwei Milliarden Euro"),
    ),
    "es": (
        ("1.500.000 clientes", "un millón y medio de clientes"),
        ("dos mil millones de euros", "2.000 millones de euros"),
        ("3,5 km", "tres kilómetros y medio"),
    ),
    "fr": (("1,5 million de clients", "un million et demi de clients"), ("2 Md€", "2 milliards d'euros")),
    "ru": (
        ("1,5 млн клиентов", "полтора миллиона клиентов"),
        ("2 млрд руб.", "2 миллиарда рублей"),
        ("3,5 км", "три с половиной километра"),
    ),
    "ar": (("1.5 مليون عميل", "مليون ونصف عميل"), ("2 مليار دولار", "ملياري دولار")),
    "hi": (("2,50,000 लोग", "ढाई लाख लोग"), ("1.5 करोड़ रुपये", "डेढ़ करोड़ रुपये"), ("3.5 किलोमीटर", "साढ़े तीन किलोमीटर")),
    "zh": (
        ("1亿5000万元", "1.5亿元", "150000000元人民币"),
        ("3.5公里", "三点五公里", "三公里半"),
        ("6条车道", "六车道"),
        ("70%", "七成"),
    ),
    "ja": (("1億2500万円", "125000000円"), ("3.5キロ", "三・五キロ"), ("30%", "3割"), ("100軒", "百軒")),
    "ko": (("1억 5000만 원", "1억5천만 원", "150,000,000원"), ("30%", "3할")),
    "th": (("3.5 กิโลเมตร", "สามกิโลเมตรครึ่ง"), ("62,000 คน", "หกหมื่นสองพันคน")),
}
"""Each line holds forms of one number."""


def values(language: str, text: str) -> tuple[set[float], set[int]]:
    """Return all values of numbers of a text, and the hashes of those with a measure."""
    units = read([text], [language])
    numbers = [place for place, kind in enumerate(units.kind.tolist()) if kind in (Kind.NUMBER, Kind.YEAR)]
    plain = {value for place in numbers for value in units.keys[place].view(np.float64).tolist()}
    return plain, {value for place in numbers for value in units.scaled[place].tolist()}


@pytest.mark.parametrize("language", others_long(FORMS, 6))
def test_forms_of_one_number_agree(language: str) -> None:
    for first, *others in FORMS[language]:
        plain, measured = values(language, first)
        for other in others:
            also_plain, also_measured = values(language, other)
            both = measured & also_measured if measured and also_measured else plain & also_plain
            assert both, (first, plain, other, also_plain)


CLAIMS = {
    "half": ("About half of the visitors come from abroad.", "50% of the visitors come from abroad.",
             "40% of the visitors come from abroad."),
    "percent": ("25 % of the visitors come from Asia.", "A quarter of the visitors come from Asia.",
                "A third of the visitors come from Asia."),
    "zh": ("约三分之一的游客来自国外。", "33%的游客来自国外。", "25%的游客来自国外。"),
    "ja": ("訪問者の50%は海外から来る。", "訪問者の半分は海外から来る。", "訪問者の3分の1は海外から来る。"),
    "ko": ("방문객의 4분의 1은 외국에서 온다.", "방문객의 25%는 외국에서 온다.", "방문객의 50%는 외국에서 온다."),
    "ru": ("Половина посетителей приезжает из-за границы.", "50 % посетителей приезжает из-за границы.",
           "40 % посетителей приезжает из-за границы."),
    "ar": ("نصف الزوار يأتون من الخارج.", "50% من الزوار يأتون من الخارج.", "25% من الزوار يأتون من الخارج."),
    "hi": ("आधे आगंतुक विदेश से आते हैं।", "50% आगंतुक विदेश से आते हैं।", "25% आगंतुक विदेश से आते हैं।"),
    "th": ("ผู้เข้าชมครึ่งหนึ่งมาจากต่างประเทศ", "ผู้เข้าชม 50% มาจากต่างประเทศ", "ผู้เข้าชม 40% มาจากต่างประเทศ"),
    "de": ("Die Hälfte der Besucher kommt aus dem Ausland.", "50 % der Besucher kommt aus dem Ausland.",
           "40 % der Besucher kommt aus dem Ausland."),
    "es": ("La mitad de los visitantes viene del extranjero.", "El 50 % de los visitantes viene del extranjero.",
           "El 40 % de los visitantes viene del extranjero."),
    "fr": ("Un tiers des visiteurs vient de l'étranger.", "33 % des visiteurs vient de l'étranger.",
           "40 % des visiteurs vient de l'étranger."),
    "currency": ("公司收入5亿元。", "公司收入500000000元。", "公司收入5亿美元。"),
    "yen": ("会社の売上は5億円だった。", "会社の売上は500000000円だった。", "会社の売上は5億ドルだった。"),
    "lanes": ("大桥为双向六车道，全长三公里。", "大桥为双向6车道。", "大桥为双向八车道。"),
    "not only": ("The bridge is open to cars and bicycles.", "The bridge is open not only to cars but to bicycles.",
                 "The bridge is not open to cars."),
    "だけでなく": ("この橋は車だけでなく自転車も通れる。", "この橋は自転車も通れる。", "この橋は自転車は通れない。"),
    "title": ('Nolan directed "Inception" in 2010.', '"Inception" was directed by Nolan.',
              '"Memento" was directed by Nolan in 2010.'),
    "capital": ("ऑस्ट्रेलिया की राजधानी कैनबरा है। यह एक बड़ा देश है।", "ऑस्ट्रेलिया की राजधानी कैनबरा है।",
                "ऑस्ट्रेलिया की राजधानी सिडनी है।"),
}  # fmt: skip
"""A passage, a claim that it supports, and one that it does not."""


@pytest.mark.parametrize("name", CLAIMS)
def test_what_says_the_same_is_supported(name: str) -> None:
    passage, right, wrong = CLAIMS[name]
    assert ragauge.score("groundedness", answer=right, contexts=[passage]) > 0.8
    assert ragauge.score("groundedness", answer=wrong, contexts=[passage]) < 0.5


def test_a_short_denial_is_the_opposite() -> None:
    for answer, reference in (("不开", "开"), ("不开放。", "开放。"), ("开", "不开")):
        assert ragauge.score("answer-correctness", answer=answer, references=[reference], question="周一开吗？") == 0
    assert ragauge.score("answer-correctness", answer="不开", references=["不开。"], question="周一开吗？") > 0.9
