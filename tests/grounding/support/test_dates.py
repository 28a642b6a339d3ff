"""Dates and times, however they are written: their values in eleven languages, and what a change has replaced."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from ragauge.grounding.support.units import Kind, Units, read
from tests.repeats import others_long

SAME_DAY = {
    "en": (
        "It opened on 3 May 2012.",
        "It opened on May 3, 2012.",
        "It opened on the 3rd of May 2012.",
        "It opened on May 3rd, 2012.",
        "It opened on 2012-05-03.",
        "It opened on 3 May, 2012.",
        "It opened on 03 May 2012.",
        "It opened on 3-May-2012.",
        "It opened on the third of May 2012.",
        "It opened on May the 3rd, 2012.",
        "It opened on Thursday, 3 May 2012.",
        "It opened on 2012/05/03.",
        "It opened on 2012.05.03.",
        "It opened on 03.05.2012.",
        "It opened on May third, 2012.",
        "It opened (3 May 2012).",
        "It opened on 3 MAY 2012.",
        "It opened on Thu 3 May 2012.",
    ),
    "de": (
        "Sie wurde am 3. Mai 2012 eröffnet.",
        "Sie wurde am 03.05.2012 eröffnet.",
        "Sie wurde am 3.5.2012 eröffnet.",
        "Sie wurde am dritten Mai 2012 eröffnet.",
        "Sie wurde am Donnerstag, dem 3. Mai 2012, eröffnet.",
        "Sie wurde am Donnerstag, den 3. Mai 2012 eröffnet.",
        "Sie wurde am 3.5.12 eröffnet.",
        "Sie wurde am 3. 5. 2012 eröffnet.",
        "Sie wurde am 03. Mai 2012 eröffnet.",
        "Eröffnung: 2012-05-03.",
        "Sie wurde am 3. Mai des Jahres 2012 eröffnet.",
    ),
    "fr": (
        "Il a ouvert le 3 mai 2012.",
        "Il a ouvert le jeudi 3 mai 2012.",
        "Il a ouvert le 03/05/2012.",
        "Il a ouvert le 3/5/2012.",
        "Il a ouvert le trois mai 2012.",
        "Il a ouvert le 3 mai de l'an 2012.",
        "Il a ouvert le 03.05.2012.",
        "Il a ouvert le 2012-05-03.",
        "Il a ouvert le 03-05-2012.",
        "Il a ouvert le 3 Mai 2012.",
    ),
    "es": (
        "Se inauguró el 3 de mayo de 2012.",
        "Se inauguró el jueves 3 de mayo de 2012.",
        "Se inauguró el 3/5/2012.",
        "Se inauguró el 03/05/2012.",
        "Se inauguró el tres de mayo de 2012.",
        "Se inauguró el 3 de mayo del 2012.",
        "Se inauguró el 3 de mayo del año 2012.",
        "Se inauguró el 3-5-2012.",
        "Se inauguró el 2012-05-03.",
        "Se inauguró el 3 mayo 2012.",
        "Se inauguró el 3 de Mayo de 2012.",
        "Se inauguró el 03.05.2012.",
    ),
    "ru": (
        "Он открылся 3 мая 2012 года.",
        "Он открылся 3 мая 2012 г.",
        "Он открылся 03.05.2012.",
        "Он открылся 3.05.2012 г.",
        "Он открылся третьего мая 2012 года.",
        "Он открылся в четверг, 3 мая 2012 года.",
        "Он открылся 3-го мая 2012 года.",
        "Он открылся 3.5.12.",
        "Он открылся 2012-05-03.",
        "Открытие: 3 мая 2012.",
        "Он открылся 3 мая, 2012 год.",
    ),
    "ar": (
        "افتتح في 3 مايو 2012.",
        "افتتح في ٣ مايو ٢٠١٢.",
        "افتتح في 3 أيار 2012.",
        "افتتح في 3 أيار/مايو 2012.",
        "افتتح يوم الخميس 3 مايو 2012.",
        "افتتح في الثالث من مايو 2012.",
        "افتتح في 3 من مايو عام 2012.",
        "افتتح في 2012/05/03.",
        "افتتح بتاريخ 3/5/2012.",
        "افتتح في 3 مايو من عام 2012.",
        "افتتح في 03-05-2012.",
        "افتتح في 3 مايو عام 2012م.",
        "افتتح في 3 ماي 2012.",
    ),
    "hi": (
        "यह 3 मई 2012 को खुला।",
        "यह ३ मई २०१२ को खुला।",
        "यह 3 मई, 2012 को खुला।",
        "यह गुरुवार, 3 मई 2012 को खुला।",
        "यह 03/05/2012 को खुला।",
        "यह 3-5-2012 को खुला।",
        "यह मई 3, 2012 को खुला।",
        "यह तीन मई 2012 को खुला।",
        "यह 03.05.2012 को खुला।",
        "यह 3 मई सन् 2012 को खुला।",
    ),
    "zh": (
        "该桥于2012年5月3日通车。",
        "该桥于二〇一二年五月三日通车。",
        "该桥于二零一二年五月三日通车。",
        "该桥于2012年5月3号通车。",
        "该桥于二〇一二年五月三号通车。",
        "该桥于2012-05-03通车。",
        "该桥于2012/5/3通车。",
        "该桥于2012.5.3通车。",
        "该桥于２０１２年５月３日通车。",
        "该桥于2012 年 5 月 3 日通车。",
        "該橋於2012年5月3日通車。",
        "该桥于公元2012年5月3日通车。",
        "该桥于民国101年5月3日通车。",
        "该桥于2012年五月三日通车。",
    ),
    "ja": (
        "この橋は2012年5月3日に開通した。",
        "この橋は平成24年5月3日に開通した。",
        "この橋は二〇一二年五月三日に開通した。",
        "この橋は２０１２年５月３日に開通した。",
        "この橋は2012/05/03に開通した。",
        "この橋は2012年（平成24年）5月3日に開通した。",
        "この橋は2012年5月3日（木）に開通した。",
        "この橋は西暦2012年5月3日に開通した。",
        "この橋は平成二十四年五月三日に開通した。",
    ),
    "ko": (
        "이 다리는 2012년 5월 3일에 개통했다.",
        "이 다리는 2012.5.3에 개통했다.",
        "이 다리는 2012. 5. 3.에 개통했다.",
        "이 다리는 2012-05-03에 개통했다.",
        "이 다리는 이천십이년 오월 삼일에 개통했다.",
        "이 다리는 2012년 5월 3일(목)에 개통했다.",
        "이 다리는 2012년5월3일에 개통했다.",
        "이 다리는 서기 2012년 5월 3일에 개통했다.",
    ),
    "th": (
        "เปิดเมื่อวันที่ 3 พฤษภาคม พ.ศ. 2555",
        "เปิดเมื่อวันที่ 3 พฤษภาคม 2555",
        "เปิดเมื่อวันที่ ๓ พฤษภาคม ๒๕๕๕",
        "เปิดเมื่อวันที่ 3 พฤษภาคม ค.ศ. 2012",
        "เปิดเมื่อวันที่ 3 พฤษภาคม 2012",
        "เปิดเมื่อ 3 พ.ค. 2555",
        "เปิดเมื่อวันพฤหัสบดีที่ 3 พฤษภาคม พ.ศ. 2555",
        "เปิดเมื่อวันที่ 3 เดือนพฤษภาคม ปี 2555",
        "เปิดเมื่อ 3/5/2555",
        "เปิดเมื่อวันที่ 03/05/2012",
        "เปิดเมื่อ 3 พฤษภา 2555",
        "เปิดเมื่อวันที่สาม พฤษภาคม พุทธศักราช 2555",
        "เปิดเมื่อวันที่ 3 พฤษภาคม พ.ศ.2555",
    ),
}
"""All say 3 May 2012."""

OTHERS = {
    "en": (
        ("It lasted from 3 May to 5 June 2012.", {"y": [2012], "m": [5, 6], "d": [3, 5]}),
        ("It was founded in 1950-01.", {"y": [1950], "m": [1]}),
        ("It opened in two thousand and twelve.", {"y": [2012]}),
        ("It closes at 5pm.", {"t": [1020]}),
        ("It is open on Tue and Thurs.", {"w": [1, 3]}),
        ("It closed on Sept. 21, 1998.", {"y": [1998], "m": [9], "d": [21]}),
        ("It was founded in Jan. 1950.", {"y": [1950], "m": [1]}),
        ("He lived 1856–1943.", {"y": [1856, 1943]}),
    ),
    "de": (
        ("Vom 3. Mai bis 5. Juni 2012 fand es statt.", {"y": [2012], "m": [5, 6], "d": [3, 5]}),
        ("Im Jänner 1950 wurde sie gegründet.", {"y": [1950], "m": [1]}),
        ("die Saison 2010/11", {"y": [2010, 2011]}),
        ("Es schließt um Viertel vor sechs.", {"t": [1065]}),
        ("Er kam am Mittwoch.", {"w": [2]}),
        ("Er endete am 21. Sept. 1998.", {"y": [1998], "m": [9], "d": [21]}),
        ("Anfang März 1950 wurde sie gegründet.", {"y": [1950], "m": [3]}),
        ("Es wurde in den 1990er-Jahren gebaut.", {"y": [1990]}),
    ),
    "fr": (
        ("Il a fermé le 21 sept. 1998.", {"y": [1998], "m": [9], "d": [21]}),
        ("Il a ouvert en mai 2012.", {"y": [2012], "m": [5]}),
        ("Il date des années 1990.", {"y": [1990]}),
        ("Il ferme à six heures moins le quart.", {"t": [1065]}),
        ("Il ferme le mardi.", {"w": [1]}),
        ("Il a duré du 3 mai au 5 juin 2012.", {"y": [2012], "m": [5, 6], "d": [3, 5]}),
        ("Il est mort en 44 avant J.-C.", {"y": [-44]}),
        ("Il ouvre à 9 h 30.", {"t": [570]}),
    ),
    "es": (
        ("Duró del 3 de mayo al 5 de junio de 2012.", {"y": [2012], "m": [5, 6], "d": [3, 5]}),
        ("Abrió en mayo de 2012.", {"y": [2012], "m": [5]}),
        ("Es de los años 1990.", {"y": [1990]}),
        ("Abre a las 9:30.", {"t": [570]}),
        ("Cierra los miércoles.", {"w": [2]}),
        ("Cerró el 21 de sept. de 1998.", {"y": [1998], "m": [9], "d": [21]}),
        ("Murió en el 44 a.C.", {"y": [-44]}),
        ("Cierra a las seis menos cuarto.", {"t": [1065]}),
    ),
    "ru": (
        ("Он шёл с 3 мая по 5 июня 2012 года.", {"y": [2012], "m": [5, 6], "d": [3, 5]}),
        ("Между январём 1987 года и тем днём.", {"y": [1987], "m": [1]}),
        ("Он жил в 1856—1943 годах.", {"y": [1856, 1943]}),
        ("Он открывается в 9:30.", {"t": [570]}),
        ("Он закрыт к субботе.", {"w": [5]}),
        ("Он закрылся 21 сентября 1998 года.", {"y": [1998], "m": [9], "d": [21]}),
        ("Он открылся в мае 2012 года.", {"y": [2012], "m": [5]}),
        ("Это было в 44 году до н. э.", {"y": [-44]}),
    ),
    "ar": (
        ("أغلق في 21 سبتمبر 1998.", {"y": [1998], "m": [9], "d": [21]}),
        ("افتتح في مايو 2012.", {"y": [2012], "m": [5]}),
        ("يعود إلى تسعينيات القرن العشرين.", {"y": [1990]}),
        ("يغلق في الساعة 5 عصرا.", {"t": [1020]}),
        ("يغلق أيام الإثنين.", {"w": [0]}),
        ("استمر بين 3 و5 مايو 2012.", {"y": [2012], "m": [5], "d": [3, 5]}),
        ("مات عام 44 قبل الميلاد.", {"y": [-44]}),
        ("يفتح الساعة 9:30 صباحا.", {"t": [570]}),
    ),
    "hi": (
        ("यह 21 सितंबर 1998 को बंद हुआ।", {"y": [1998], "m": [9], "d": [21]}),
        ("यह मई 2012 में खुला।", {"y": [2012], "m": [5]}),
        ("यह 1990 के दशक में बना।", {"y": [1990]}),
        ("यह आधी रात को बंद होता है।", {"t": [0]}),
        ("यह मंगलवार को बंद रहता है।", {"w": [1]}),
        ("यह 3 से 5 मई 2012 तक चला।", {"y": [2012], "m": [5], "d": [3, 5]}),
        ("यह सन 1947 ई. में हुआ।", {"y": [1947]}),
        ("यह सुबह 9:30 बजे खुलता है।", {"t": [570]}),
    ),
    "zh": (
        ("该馆于1998年9月21日关闭。", {"y": [1998], "m": [9], "d": [21]}),
        ("该馆始建于一九五〇年一月。", {"y": [1950], "m": [1]}),
        ("展览从5月3日持续到5日。", {"m": [5], "d": [3, 5]}),
        ("三月底开放。", {"m": [3]}),
        ("它建于20世纪90年代。", {"y": [1990]}),
        ("上午9点30分开门。", {"t": [570]}),
        ("星期天休馆。", {"w": [6]}),
        ("该馆于1998年9月廿一日关闭。", {"y": [1998], "m": [9], "d": [21]}),
    ),
    "ja": (
        ("大正12年9月1日に起きた。", {"y": [1923], "m": [9], "d": [1]}),
        ("紀元前44年に死んだ。", {"y": [-44]}),
        ("十二月三十一日に閉まる。", {"m": [12], "d": [31]}),
        ("三月に開く。", {"m": [3]}),
        ("夜8時に閉まる。", {"t": [1200]}),
        ("水曜は休み。", {"w": [2]}),
        ("5月3日（木）に開く。", {"m": [5], "d": [3], "w": [3]}),
        ("令和3年4月1日に始まった。", {"y": [2021], "m": [4], "d": [1]}),
    ),
    "ko": (
        ("전시는 '98년 9월 21일에 끝났다.", {"y": [1998], "m": [9], "d": [21]}),
        ("1950년 1월에 세워졌다.", {"y": [1950], "m": [1]}),
        ("삼월에 열린다.", {"m": [3]}),
        ("5월 3일부터 5일까지 열렸다.", {"m": [5], "d": [3, 5]}),
        ("1990년대에 지어졌다.", {"y": [1990]}),
        ("오전 9시 30분에 연다.", {"t": [570]}),
        ("월요일마다 쉰다.", {"w": [0]}),
        ("전시는 1998년 9월 21일에 끝났다.", {"y": [1998], "m": [9], "d": [21]}),
    ),
    "th": (
        ("จัดตั้งแต่วันที่ 3 ถึงวันที่ 5 พฤษภาคม 2555", {"y": [2012], "m": [5], "d": [3, 5]}),
        ("เปิดในเดือนพฤษภาคม พ.ศ. 2555", {"y": [2012], "m": [5]}),
        ("สร้างในทศวรรษ 1990", {"y": [1990]}),
        ("ปิดเที่ยงคืน", {"t": [0]}),
        ("ปิดทุกวันพุธ", {"w": [2]}),
        ("ปิดเมื่อวันที่ 7 มกราคม พ.ศ. 2530", {"y": [1987], "m": [1], "d": [7]}),
        ("สร้างในศตวรรษที่ 19", {"y": [1850]}),
        ("เปิดเวลา 9.30 น.", {"t": [570]}),
    ),
}
"""Years (y), months (m), days (d), minutes of the day (t) and weekdays (w) that are among those read."""

KINDS = {"y": Kind.YEAR, "m": Kind.MONTH, "d": Kind.DAY, "t": Kind.TIME, "w": Kind.WEEKDAY}


@cache
def units_of(language: str, text: str) -> Units:
    return read([text], [language])


def read_values(language: str, text: str, kind: Kind) -> list[set[float]]:
    """Return the values of each unit of a kind; a year may be read as a number."""
    units = units_of(language, text)
    kinds = (kind, Kind.NUMBER) if kind == Kind.YEAR else (kind,)
    places = [place for place, one in enumerate(units.kind.tolist()) if one in kinds]
    return [set(np.floor(units.keys[place].view(np.float64)).tolist()) for place in places]


@pytest.mark.parametrize("language", others_long(SAME_DAY, 4))
def test_one_day_is_read_however_it_is_written(language: str) -> None:
    for text in SAME_DAY[language]:
        for kind, value in ((Kind.YEAR, 2012.0), (Kind.MONTH, 5.0), (Kind.DAY, 3.0)):
            assert any(value in values for values in read_values(language, text, kind)), (text, kind)


@pytest.mark.parametrize("language", others_long(OTHERS, 4))
def test_dates_and_times_are_read(language: str) -> None:
    for text, wanted in OTHERS[language]:
        for name, numbers in wanted.items():
            found = read_values(language, text, KINDS[name])
            assert all(any(number in values for values in found) for number in numbers), (text, name, found)


def test_what_only_looks_like_a_date_is_none() -> None:
    for text in (
        "I may march on.", "Version 3.5.12 is out.", "It took 90s.", "She is in her nineties.", "Two May elections.",
        "A set of 5.", "Long ago 12 people came.", "有一点难。", "The second century-old oak.",
    ):  # fmt: skip
        kinds = {Kind(kind).name for kind in read([text]).kind.tolist()}
        assert not kinds & {"MONTH", "DAY", "TIME", "YEAR"} or "century" in text, (text, kinds)


def test_half_more_is_a_time_only_beside_an_hour() -> None:
    assert 570 in set().union(*read_values("hi", "यह साढ़े नौ बजे खुलता है।", Kind.TIME))
    assert read_values("hi", "इसमें साढ़े नौ किलो आटा है।", Kind.TIME) == []


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("It opened on May 3, 1990.", 1),
        ("It opened on 3 May, 1990.", 1),
        ("It opened on “May 3”, 1990 was its year.", 2),
        ("It opened early, 1990 was its year.", 2),
    ],
)
def test_the_comma_within_a_date_parts_no_clauses(text: str, clauses: int) -> None:
    assert len(set(read([text]).clause.tolist())) == clauses
