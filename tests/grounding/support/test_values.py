"""Values of claims: currencies, signs, scales, Korean numbers without counters, numbers in other letters."""

from __future__ import annotations

import pytest

import ragauge
from tests.grounding.support.degrees import degrees_of

# Claim, passage, and whether the passage says so.
VALUES = [
    ("It costs $5.", "It costs $5.", True),
    ("It costs 5 dollars.", "It costs $5.", True),
    ("It costs 5 euros.", "It costs €5.", True),
    ("It costs 5 euros a day for each of the guests.", "It costs $5 a day for each of the guests.", False),
    ("价格是5美元。", "价格是$5。", True),
    ("价格是5美元。", "价格是5欧元。", False),
    ("価格は5ドルです。", "価格は5ユーロです。", False),
    ("값은 5달러이다.", "값은 5유로이다.", False),
    ("The lake was at −5 °C in May.", "The lake was at -5 °C in May.", True),
    ("The temperature was -5 degrees.", "The temperature was 5 degrees.", False),
    ("温度是零下5度。", "温度是-5度。", True),
    ("The price fell by 5 %.", "The change of the price: it fell, -5 %.", True),
    ("It has 8k users.", "It has 8,000 users.", True),
    ("It has 8M users.", "It has 8 million users.", True),
    ("It is 8 m long.", "It is 8 metres long.", True),
    ("인구는 삼만 오천이다.", "인구는 35,000명이다.", True),
    ("약 오천이 왔다.", "약 5,000명이 왔다.", True),
    ("มีผู้เข้าร่วม ๑๒๓๔๕๖๗๘๙๐ คน", "มีผู้เข้าร่วม 1,234,567,890 คน", True),
    ("٨٨٤٩", "It is 8849 metres high.", True),
    ("8849", "ارتفاعه ٨٨٤٩ متر", True),
    ("八千八百四十九米", "它高8849米。", True),
    ("Canberra", "The capital is Canberra.", True),
]
# Passage, claim, and whether the passage says so: units of time and measure.
UNITS = [
    ("It lasts 30 seconds.", "It lasts 30 minutes.", False),
    ("It takes eight weeks.", "It takes eight months.", False),
    ("It takes 24 months.", "It takes two years.", True),
    ("The dose is 200 mg.", "The dose is 200 µg.", False),
    ("The dose is 200 mg.", "The dose is 0.2 g.", True),
    ("The dose is 0.5 µg.", "The dose is 0.5 mcg.", True),
    ("It holds 2 litres.", "It holds 2 ml.", False),
    ("It holds 2 litres.", "It holds 2000 ml.", True),
    ("He is 8 years old.", "He is 8 months old.", False),
    ("需要八周。", "需要八个月。", False),
    ("持续30秒。", "持续30分钟。", False),
    ("30초 걸린다.", "30분 걸린다.", False),
    ("Es dauert acht Wochen.", "Es dauert acht Monate.", False),
    ("Dura ocho semanas.", "Dura ocho meses.", False),
    ("Cela dure 30 secondes.", "Cela dure 30 minutes.", False),
    ("Это длится 30 секунд.", "Это длится 30 минут.", False),
    ("يستغرق 30 ثانية.", "يستغرق 30 دقيقة.", False),
    ("यह 30 सेकंड चलता है।", "यह 30 मिनट चलता है।", False),
    ("ใช้เวลา 30 วินาที", "ใช้เวลา 30 นาที", False),
]


ALL = [*VALUES, *((b, a, holds) for a, b, holds in UNITS)]


@pytest.fixture(scope="module")
def degrees() -> dict[tuple[str, str], float]:
    """The degree of each claim by its passage, computed in one call."""
    return degrees_of([*((passage, claim) for claim, passage, _ in ALL), *DENIED])


@pytest.mark.parametrize(("claim", "passage", "holds"), ALL)
def test_values(claim: str, passage: str, holds: bool, degrees: dict[tuple[str, str], float]) -> None:
    degree = degrees[passage, claim]
    assert degree > 0.85 if holds else degree < 0.6


# Passage, and a claim that denies it by a prefix, a hedge or a phrase.
DENIED = [
    ("The old bridge is safe for trains.", "The old bridge is unsafe for trains."),
    ("The visitors see the northern coast from here.", "The visitors hardly see the northern coast from here."),
    ("The bridge carries trains to the port.", "The bridge no longer carries trains to the port."),
    ("The bridge carries trains to the port.", "It is false that the bridge carries trains to the port."),
    ("大桥允许火车通行。", "大桥禁止火车通行。"),
    ("大桥通行火车。", "大桥不再通行火车。"),
    ("橋の上での撮影は許可されている。", "橋の上での撮影は禁止されている。"),
    ("다리에서는 사진 촬영이 가능하다.", "다리에서는 사진 촬영이 불가능하다."),
    ("Через мост проходят поезда.", "Через мост больше не проходят поезда."),
    ("Die Brücke trägt Züge zum Hafen.", "Die Brücke trägt Züge zum Hafen nicht mehr."),
    ("El puente lleva trenes al puerto.", "El puente ya no lleva trenes al puerto."),
    ("Le pont porte des trains vers le port.", "Le pont ne porte plus de trains vers le port."),
    ("تسير القطارات فوق الجسر.", "لم تعد القطارات تسير فوق الجسر."),
    ("पुल पर रेलगाड़ी चलाना वैध है।", "पुल पर रेलगाड़ी चलाना अवैध है।"),
    ("รถไฟวิ่งข้ามสะพานได้", "ห้ามรถไฟวิ่งข้ามสะพาน"),
]


@pytest.mark.parametrize(("passage", "claim"), DENIED)
def test_denied_by_other_words_than_not(passage: str, claim: str, degrees: dict[tuple[str, str], float]) -> None:
    degree = degrees[passage, claim]
    assert degree < 0.5


@pytest.mark.parametrize("claim", ["bridge " * 3000, "bridge bridge bridge.", "桥桥桥桥桥", "the the the the"])
def test_one_word_again_and_again_is_not_supported(claim: str) -> None:
    assert ragauge.score("groundedness", answer=claim, contexts=["The bridge opened in 1990. 桥"]) == 0.0
