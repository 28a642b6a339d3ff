"""Values and cues in other words: temperatures, permission, eras, ordinals, days before months."""

from __future__ import annotations

import pytest

from tests.grounding.support.degrees import degrees_of

# Passage, claim, and whether the passage says so.
TEMPERATURES = [
    ("The lake was at 5 °C in May.", "The lake was at 5 degrees Celsius in May.", True),
    ("The lake was at 5 °C in May.", "The lake was at 5 °F in May.", False),
    ("The lake was at 5 °C in May.", "The lake was at 5 degrees Fahrenheit in May.", False),
    ("五月湖水温度为5摄氏度。", "五月湖水温度为5°C。", True),
    ("五月湖水温度为5摄氏度。", "五月湖水温度为5℃。", True),
    ("五月湖水温度为5摄氏度。", "五月湖水温度为5华氏度。", False),
    ("5月の湖の水温は摂氏5度だった。", "5月の湖の水温は5℃だった。", True),
    ("5月の湖の水温は5℃だった。", "5月の湖の水温は華氏5度だった。", False),
    ("5월 호수의 수온은 섭씨 5도였다.", "5월 호수의 수온은 5°C였다.", True),
    ("5월 호수의 수온은 섭씨 5도였다.", "5월 호수의 수온은 화씨 5도였다.", False),
    ("В мае вода в озере была 5 °C.", "В мае вода в озере была 5 градусов Цельсия.", True),
    ("В мае вода в озере была 5 °C.", "В мае вода в озере была 5 градусов по Фаренгейту.", False),
    ("Im Mai hatte der See 5 Grad Celsius.", "Im Mai hatte der See 5 °C.", True),
    ("Im Mai hatte der See 5 Grad Celsius.", "Im Mai hatte der See 5 °F.", False),
    ("En mai, le lac était à 5 degrés Celsius.", "En mai, le lac était à 5 °C.", True),
    ("En mayo el lago estaba a 5 grados centígrados.", "En mayo el lago estaba a 5 °C.", True),
    ("बुखार 39 डिग्री सेल्सियस था।", "बुखार 39 °C था।", True),
    ("อุณหภูมิน้ำ 5 องศาเซลเซียส", "อุณหภูมิน้ำ 5 °C", True),
    ("كانت درجة حرارة البحيرة 5 درجات مئوية.", "كانت درجة حرارة البحيرة 5 °C.", True),
]
PERMITTED = [
    ("Se permite fumar aquí.", "Se prohíbe fumar aquí.", False),
    ("Se permiten perros en el parque.", "Se prohíben perros en el parque.", False),
    ("Se prohíbe fumar aquí.", "Está prohibido fumar aquí.", True),
    ("此处可以吸烟。", "此处严禁吸烟。", False),
    ("此处严禁吸烟。", "此处禁止吸烟。", True),
    ("박물관에서는 사진을 찍어도 된다.", "박물관에서는 사진을 찍으면 안 된다.", False),
    ("박물관에서는 사진을 찍으면 안 된다.", "박물관에서는 사진을 찍어도 된다.", False),
    ("박물관에서는 사진을 찍으면 안 됩니다.", "박물관에서는 사진을 찍어도 됩니다.", False),
    ("อนุญาตให้ถ่ายภาพในพิพิธภัณฑ์", "ห้ามถ่ายภาพในพิพิธภัณฑ์", False),
    ("ห้ามถ่ายภาพในพิพิธภัณฑ์", "อนุญาตให้ถ่ายภาพในพิพิธภัณฑ์", False),
    ("ห้ามถ่ายภาพในพิพิธภัณฑ์", "ไม่อนุญาตให้ถ่ายภาพในพิพิธภัณฑ์", True),
    ("يسمح بالتصوير في المتحف.", "لا يسمح بالتصوير في المتحف.", False),
    ("يسمح بالتصوير في المتحف.", "يمنع التصوير في المتحف.", False),
    ("يمنع التصوير في المتحف.", "يسمح بالتصوير في المتحف.", False),
    ("يمنع التصوير في المتحف.", "لا يسمح بالتصوير في المتحف.", True),
]
BEFORE_CHRIST = [
    ("The temple was built in 44 BC.", "The temple was built in AD 44.", False),
    ("The temple was built in 120 BC.", "The temple was built in 120 AD.", False),
    ("神庙建于公元前120年。", "神庙建于公元120年。", False),
    ("神庙建于公元120年。", "神庙建于公元前120年。", False),
    ("神殿は紀元前120年に建てられた。", "神殿は西暦120年に建てられた。", False),
    ("신전은 기원전 120년에 세워졌다.", "신전은 서기 120년에 세워졌다.", False),
    ("Храм построен в 120 году до н. э.", "Храм построен в 120 году н. э.", False),
    ("Храм построен в 120 году до н. э.", "Храм построен в 120 году.", False),
    ("Храм построен в 120 году до н. э.", "Храм построен в 120 году до нашей эры.", True),
    ("Le temple fut bâti en 120 av. J.-C.", "Le temple fut bâti en 120 apr. J.-C.", False),
    ("Le temple fut bâti en 120 av. J.-C.", "Le temple fut bâti en 120 avant J.-C.", True),
    ("Le temple fut bâti en 120 av. J.-C.", "Le temple fut bâti en 120 avant Jésus-Christ.", True),
    ("Der Tempel wurde 120 v. Chr. gebaut.", "Der Tempel wurde 120 n. Chr. gebaut.", False),
    ("El templo se construyó en el 120 a. C.", "El templo se construyó en el 120 d. C.", False),
    ("بني المعبد عام 120 قبل الميلاد.", "بني المعبد عام 120 ميلادي.", False),
]
ORDINALS = [
    ("Sales rose in the second quarter.", "Sales rose in the third quarter.", False),
    ("Sales rose in the second quarter.", "Sales rose in Q2.", True),
    ("Sales rose in the second quarter.", "Sales rose in Q3.", False),
    ("Sales rose in the second quarter.", "Sales rose in the 2nd quarter.", True),
    ("Sales rose in the second quarter.", "Sales rose in the 3rd quarter.", False),
    ("She lives on the third floor.", "She lives on the fourth floor.", False),
    ("She lives on the third floor.", "She lives on the 3rd floor.", True),
    ("销售额在第二季度增长。", "销售额在第三季度增长。", False),
    ("销售额在第二季度增长。", "销售额在第2季度增长。", True),
    ("売上は第2四半期に増えた。", "売上は第3四半期に増えた。", False),
    ("매출은 2분기에 늘었다.", "매출은 3분기에 늘었다.", False),
    ("Der Umsatz stieg im zweiten Quartal.", "Der Umsatz stieg im dritten Quartal.", False),
    ("Les ventes ont augmenté au deuxième trimestre.", "Les ventes ont augmenté au troisième trimestre.", False),
    ("Las ventas subieron en el segundo trimestre.", "Las ventas subieron en el tercer trimestre.", False),
    ("Продажи выросли во втором квартале.", "Продажи выросли в третьем квартале.", False),
    ("Продажи выросли во втором квартале.", "Продажи выросли во 2-м квартале.", True),
    ("زادت المبيعات في الربع الثاني.", "زادت المبيعات في الربع الثالث.", False),
    ("दूसरी तिमाही में बिक्री बढ़ी।", "तीसरी तिमाही में बिक्री बढ़ी।", False),
    ("ยอดขายเพิ่มขึ้นในไตรมาสที่สอง", "ยอดขายเพิ่มขึ้นในไตรมาสที่สาม", False),
]
DAYS_FIRST = [
    ("El museo abrió el 03/04/2015 en la ciudad.", "El museo abrió el 3 de abril de 2015 en la ciudad.", True),
    ("El museo abrió el 03/04/2015 en la ciudad.", "El museo abrió el 4 de marzo de 2015 en la ciudad.", False),
    ("Le musée a ouvert le 03/04/2015 dans la ville.", "Le musée a ouvert le 4 mars 2015 dans la ville.", False),
    ("Музей открылся 03/04/2015 в этом городе.", "Музей открылся 4 марта 2015 года в этом городе.", False),
    ("Das Museum öffnete am 03/04/2015 in der Stadt.", "Das Museum öffnete am 4. März 2015 in der Stadt.", False),
    ("The museum opened on 03/04/2015.", "The museum opened on 4 March 2015.", True),
    ("The museum opened on 03/04/2015.", "The museum opened on 3 April 2015.", True),
]


ALL = [*TEMPERATURES, *PERMITTED, *BEFORE_CHRIST, *ORDINALS, *DAYS_FIRST]


@pytest.fixture(scope="module")
def degrees() -> dict[tuple[str, str], float]:
    """The degree of each claim by its passage, computed in one call."""
    return degrees_of([(passage, claim) for passage, claim, _ in ALL])


@pytest.mark.parametrize(("passage", "claim", "holds"), ALL)
def test_other_words(passage: str, claim: str, holds: bool, degrees: dict[tuple[str, str], float]) -> None:
    degree = degrees[passage, claim]
    assert degree > 0.8 if holds else degree < 0.6
