"""The typed units of texts: values in eleven languages, places, hostile texts, no dependence on other texts."""

from __future__ import annotations

import tracemalloc
from time import process_time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragauge.grounding.support._lexicon import LANGUAGES
from ragauge.grounding.support.units import Kind, Units, read
from tests.repeats import others_long

NUMERIC = (Kind.NUMBER, Kind.YEAR, Kind.MONTH, Kind.DAY, Kind.TIME, Kind.WEEKDAY)
CUES = (Kind.NEGATION, Kind.NUMBER, Kind.WEEKDAY)

SENTENCES = {
    "en": "The bridge was not opened before 3 March 1931, and it is 1,240 metres long.",
    "de": "Die Brücke wurde nicht vor dem 3. März 1931 eröffnet und ist 1.240 Meter lang.",
    "es": "El puente no se abrió antes del 3 de marzo de 1931 y mide 1.240 metros.",
    "fr": "Le pont n'a pas été ouvert avant le 3 mars 1931 et mesure 1 240 mètres.",
    "ru": "Мост не был открыт до 3 марта 1931 года, его длина 1240 метров.",
    "ar": "لم يفتح الجسر قبل 3 مارس 1931 وطوله 1240 مترا.",
    "hi": "पुल 3 मार्च 1931 से पहले नहीं खुला और इसकी लंबाई 1,240 मीटर है।",
    "zh": "大桥在1931年3月3日之前没有通车，全长1240米。",
    "ja": "橋は1931年3月3日より前には開通しておらず、長さは1240メートルです。",
    "ko": "다리는 1931년 3월 3일 전에 개통되지 않았고 길이는 1240미터이다.",
    "th": "สะพานไม่ได้เปิดก่อนวันที่ 3 มีนาคม 2474 และยาว 1240 เมตร",
}
"""One sentence in each language: a negation, a date (3 March 1931) and a length of 1240 metres."""


def values(text: str, kinds: tuple[Kind, ...] = NUMERIC) -> list[tuple[str, list[float]]]:
    """Return kind and values of the units of some kinds, in their order."""
    units = read([text])
    places = [place for place, kind in enumerate(units.kind.tolist()) if kind in kinds]
    return [(Kind(units.kind[place]).name, sorted(units.keys[place].view(np.float64).tolist())) for place in places]


def cues(text: str) -> list[object]:
    """Return what is listed of the words of a text, in their order: "not", and shares in hundredths."""
    return ["not" if kind == "NEGATION" else keys[0] for kind, keys in values(text, CUES)]


def columns(units: Units) -> list[list[tuple[object, ...]]]:
    """Return what there is to compare of each unit, text by text."""
    words = [units.words[number] if number >= 0 else "" for number in units.word.tolist()]
    plain = [getattr(units, name).tolist() for name in ("kind", "position", "weight", "start", "end", "name", "text")]
    rows = list(zip(*plain, words, map(tuple, units.keys.to_lists()), map(tuple, units.scaled.to_lists()), strict=True))
    return [rows[first:last] for first, last in zip(units.offsets, units.offsets[1:], strict=False)]


@pytest.mark.parametrize("language", SENTENCES)
def test_language_is_told(language: str) -> None:
    assert read([SENTENCES[language]]).language.tolist() == [LANGUAGES.index(language)]


@pytest.mark.parametrize("language", SENTENCES)
def test_each_language_has_negation_date_and_length(language: str) -> None:
    units = read([SENTENCES[language]])
    kinds = set(units.kind.tolist())
    assert {Kind.NEGATION, Kind.YEAR, Kind.MONTH, Kind.DAY, Kind.NUMBER} <= kinds
    found = dict(values(SENTENCES[language]))
    assert (found["MONTH"], found["DAY"]) == ([3.0], [3.0])
    assert 1931.0 in found["YEAR"]
    assert 1240.0 in found["NUMBER"]


def test_lengths_agree_in_all_languages() -> None:
    units = read(list(SENTENCES.values()))
    rows = np.repeat(np.arange(len(units)), np.diff(units.offsets))
    numbers = np.flatnonzero(units.kind == Kind.NUMBER)
    scaled = [set(units.scaled[place].tolist()) for place in numbers[np.unique(rows[numbers], return_index=True)[1]]]
    assert len(scaled) == len(SENTENCES)
    assert set.intersection(*scaled)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("8,849 m", [8.849, 8849.0]), ("8849 m", [8849.0]), ("8 849 m", [8849.0]), ("8'849 m", [8849.0]),
        ("1.240", [1.24, 1240.0]), ("1.240,5", [1240.5]), ("1,240,500", [1240500.0]), ("12,34,567", [1234567.0]),
        ("0.125", [0.125]), ("84.6 million", [84600000.0]), ("2 lakh", [200000.0]), ("8460万", [84600000.0]),
        ("1万2500人", [12500.0]), ("3億円", [300000000.0]), ("٨ أعوام", [8.0]), ("८ किमी", [8.0]), ("๘ กม.", [8.0]),
        ("sixty-two thousand people", [62000.0]), ("a hundred and five men", [105.0]), ("eleven", [11.0]),
        ("Es sind zwölftausendfünfhundert Leute", [12500.0]), ("Es sind einundzwanzig", [21.0]),
        ("Son treinta y cinco", [35.0]), ("Ils sont quatre-vingt-dix et", [90.0]),
        ("Ils sont soixante et onze", [71.0]),
        ("шестьдесят две тысячи", [62000.0]), ("كان هناك ثلاثة وعشرون رجلا", [23.0]), ("बासठ हज़ार लोग", [62000.0]),
        ("八千人", [8000.0]), ("一万二千五百人", [12500.0]), ("百分之四的人", [4.0]), ("100分の4です", [4.0]),
        ("스물두 명이 왔다", [22.0]), ("육만 이천 명이 왔다", [62000.0]), ("십 년 동안", [10.0]),
        ("สองหมื่นหกพันคน", [26000.0]), ("ร้อยละสี่", [4.0]),
    ],
)  # fmt: skip
def test_numbers(text: str, expected: list[float]) -> None:
    assert values(text, (Kind.NUMBER,)) == [("NUMBER", expected)]


@pytest.mark.parametrize(
    "text",
    ["one of them", "一些", "十分好", "千万不要", "eine Frau", "हर एक", "이 사람은", "un homme", "B12 and MP3", "ร้อย"],
)
def test_words_that_are_no_numbers(text: str) -> None:
    assert values(text, (Kind.NUMBER,)) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("680 cm", "6.8 m"), ("5,6 Kilometer", "5600 Meter"), ("two weeks", "14 days"), ("4 %", "百分之四"),
        ("4 percent", "ร้อยละสี่"), ("2 kg", "2000 克"), ("3 часа", "180 minutes"), ("1.5 टन", "1500 kg"),
    ],
)  # fmt: skip
def test_measures_agree_in_their_base(one: str, other: str) -> None:
    left, right = (set(read([text]).scaled.values.tolist()) for text in (one, other))
    assert left & right


def test_measures_of_other_kinds_or_values_differ() -> None:
    scaled = [set(read([text]).scaled.values.tolist()) for text in ("4 kg", "4 km", "4 %", "5 kg", "4 hours")]
    assert len(set.union(*scaled)) == len(scaled)
    assert read(["4 people"]).scaled.lengths.sum() == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("at 2 p.m. sharp", [840.0]), ("at 2:30 am", [150.0]), ("at 14:30", [870.0]), ("at 2 o'clock", [120.0, 840.0]),
        ("um 14.30 Uhr", [870.0]), ("Es ist 14 Uhr 30 und", [870.0]), ("il est 14 h 30 et la", [870.0]),
        ("下午2点半", [870.0]), ("14時30分", [870.0]), ("오후 2시 30분", [870.0]), ("เวลา 14.30 น.", [870.0]),
        ("2 ทุ่ม", [1200.0]), ("в 14:30", [870.0]), ("the log of 10:20:30 says", [620.0]),
    ],
)  # fmt: skip
def test_times(text: str, expected: list[float]) -> None:
    [(kind, minutes)] = values(text, (Kind.TIME, Kind.NUMBER))
    assert kind == "TIME"
    assert [minute // 1 for minute in minutes if minute >= 0] == expected


@pytest.mark.parametrize(
    ("text", "year", "month", "day"),
    [
        ("2024-03-14", 2024, 3, 14), ("14.03.2024", 2024, 3, 14), ("3/14/2024", 2024, 3, 14),
        ("14/3/2024", 2024, 3, 14),
        ("on March 14, 2024", 2024, 3, 14), ("the 14th of March 2024", 2024, 3, 14),
        ("14 de marzo de 2024", 2024, 3, 14),
        ("2024年3月14日", 2024, 3, 14), ("2024년 3월 14일", 2024, 3, 14), ("14 มีนาคม พ.ศ. 2567", 2024, 3, 14),
        ("令和6年3月14日", 2024, 3, 14), ("١٤ مارس ٢٠٢٤", 2024, 3, 14), ("१४ मार्च २०२४", 2024, 3, 14),
        ("2024-03-14T10:20:00Z", 2024, 3, 14),
    ],
)  # fmt: skip
def test_dates(text: str, year: int, month: int, day: int) -> None:
    found = values(text, (Kind.YEAR, Kind.MONTH, Kind.DAY, Kind.NUMBER))
    assert sorted(found) == [("DAY", [day]), ("MONTH", [month]), ("YEAR", [year])]


def test_dates_that_may_be_read_in_two_ways_keep_both() -> None:
    assert values("4/5/2024") == [("DAY", [4.0, 5.0]), ("MONTH", [4.0, 5.0]), ("YEAR", [2024.0])]


def test_years_and_counts() -> None:
    assert values("in 1990") == [("YEAR", [1990.0])]
    assert values("the 1990s") == [("YEAR", [float(year) for year in range(1990, 2000)])]
    assert values("1200 metres.") == [("NUMBER", [1200.0])]
    assert values("2000万") == [("NUMBER", [20000000.0])]
    assert values("เปิดใน 2474") == [("YEAR", [1931.0, 2474.0])]


def test_months_that_are_verbs() -> None:
    assert values("They march and may rest.") == []
    assert values("They rest in May.") == [("MONTH", [5.0])]
    assert values("seit Mai nicht") == [("MONTH", [5.0])]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("on Mondays", 0),
        ("am Dienstag", 1),
        ("周三", 2),
        ("木曜日", 3),
        ("금요일", 4),
        ("в субботу", 5),
        ("วันอาทิตย์", 6),
    ],
)
def test_weekdays(text: str, day: int) -> None:
    assert values(text) == [("WEEKDAY", [float(day)])]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It isn't open until noon", ["not"]), ("no longer", ["not"]), ("not only cars", []), ("not cars", ["not"]),
        ("Fast alle sind nicht da", ["not"]), ("más de la mitad", [50]), ("nicht nur Autos", []), ("half of it", [50]),
        ("the second half", []), ("a third of it", [33]), ("the third floor", []), ("¼ of it", [25]),
        ("Il n'est pas ouvert", ["not", "not"]), ("अधिकांश लोग नहीं", ["not"]), ("половина", [50]), ("نصف الزوار", [50]),
        ("都市", []), ("都没有", ["not"]), ("三分之一的人", [33]), ("不仅有车", []), ("不是车", ["not"]), ("半年", []),
        ("免费", []), ("無料", []), ("3分の1だけ", [33]), ("車だけでなく", []), ("車でなく", ["not"]),
        ("3분의 1", [33]), ("거의 모두 없다", ["not"]), ("사무실", []), ("ไม่เปิด", ["not"]), ("ครึ่งหนึ่ง", [50]),
        ("ปิดให้บริการ", []),
    ],
)  # fmt: skip
def test_cues(text: str, expected: list[object]) -> None:
    assert cues(text) == expected


def test_words_names_and_weights() -> None:
    units = read(["The visit to Paris was long."])
    assert units.words == ["the", "visit", "to", "paris", "was", "long"]
    assert units.weight.tolist() == [15, 100, 15, 150, 15, 100]
    assert units.name.tolist() == [False, False, False, True, False, False]
    assert read(["Er sah den Turm"]).name.any() == np.False_
    assert read(["東京タワー"]).name.tolist() == [False, True]


def test_scripts_without_spaces_give_pairs_and_threes() -> None:
    units = read(["東京です", "สะพาน"])
    assert np.diff(units.offsets).tolist() == [3, 3]
    assert set(units.kind.tolist()) == {Kind.GRAM}
    assert units.end.tolist() == [2, 3, 4, 3, 4, 5]


def test_the_article_of_arabic_is_taken_off() -> None:
    assert read(["الجسر"]).text.tolist() == read(["جسر"]).text.tolist() == read(["والجسر"]).text.tolist()


def test_forms_of_characters_are_one() -> None:
    for one, other in (
        ("ｃａｆé", "cafe\u0301"),
        ("Ёлка", "елка"),
        ("كِتاب", "كتاب"),
        ("가", "\u1100\u1161"),
        ("ｶﾞ", "カ\u3099"),
    ):
        assert read([one]).text.tolist() == read([other]).text.tolist()


def test_positions_are_stretched() -> None:
    assert read(["One word, another. Sea"]).position.tolist() == [20, 40, 90, 210]
    assert read(["दो नहीं"]).position.tolist() == [20, 40]


def test_places_are_those_of_the_text_as_it_is() -> None:
    text = "ﬁne cafe\u0301… ｃｏｓｔ ８８４９ m"
    units = read(["before", text])
    first = units.offsets[1]
    parts = [text[a:b] for a, b in zip(units.start[first:].tolist(), units.end[first:].tolist(), strict=True)]
    assert [part.rstrip("\u0301") for part in parts] == ["ﬁne", "cafe", "ｃｏｓｔ", "８８４９ m"]


def test_other_languages_have_words_and_dates() -> None:
    units = read(["Most otevřeli 2024-03-14 v 10:20.", "Η γέφυρα έχει μήκος 1240 m."])
    assert {Kind.YEAR, Kind.MONTH, Kind.DAY, Kind.TIME, Kind.WORD, Kind.NUMBER} <= set(units.kind.tolist())


def test_language_may_be_named() -> None:
    assert Kind.NEGATION not in read(["不可"], ["en"]).kind
    assert Kind.NEGATION in read(["不可"], ["ja"]).kind


def test_units_do_not_depend_on_other_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [*SENTENCES.values(), "", "cafe\u0301 5", "8,849", "東京 14:30"]
    apart = [columns(read([text]))[0] for text in texts]
    assert columns(read(texts)) == apart
    assert columns(read(texts[::-1])) == apart[::-1]
    # A form of Arabic with a gap is none in an English text, whatever stands beside it.
    english = "They wrote كل شيء تقريبا on the wall of the house, and nobody knows when that was or who it was."
    assert columns(read([english, SENTENCES["ar"]]))[0] == columns(read([english]))[0]
    monkeypatch.setattr("ragauge.grounding.support.units._BLOCK", 50)
    assert columns(read(texts)) == apart


def test_nothing_to_read() -> None:
    assert len(read([])) == 0
    assert read(["", " \n"]).offsets.tolist() == [0, 0, 0]
    assert Units.joined([read([]), read(["a b"])]).words == ["a", "b"]


@given(st.lists(st.text(max_size=30), max_size=4))
def test_any_text_is_read(texts: list[str]) -> None:
    units = read(texts)
    rows = np.repeat(np.arange(len(texts)), np.diff(units.offsets))
    assert (units.start < units.end).all()
    assert all(units.end[place] <= len(texts[row]) for place, row in enumerate(rows.tolist()))
    assert columns(units) == [columns(read([text]))[0] for text in texts]


SIZE = 200_000
HOSTILE = {
    "letters": "a", "digits": "1", "separated": "1,", "spaced": "1 ", "pairs": "11,22,", "clock": "12:34:",
    "marks": "\u0301", "composed": "a\u0301", "han": "一", "vague": "千万", "words": "two ", "german": "einund",
    "thai": "หนึ่ง", "hangul": "일", "lines": "\n", "zeros": "\0", "surrogates": "\ud800", "ligature": "ﷺ",
    "gapped": "どの", "months": "3 march ", "jamo": "\u1100\u1161",
}  # fmt: skip


@pytest.mark.parametrize("name", others_long(HOSTILE, 5))
def test_hostile_texts_take_linear_time(name: str) -> None:
    text = (HOSTILE[name] * SIZE)[:SIZE]
    began = process_time()
    read([text])
    assert process_time() - began < 5


def test_marks_out_of_order_take_linear_time() -> None:
    began = process_time()
    read(["e" + "\u0301\u0323" * (SIZE // 2)])
    assert process_time() - began < 5


def test_memory_is_bounded() -> None:
    tracemalloc.start()
    read(["1 2 " * 50_000])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 200 << 20


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("It was not 1,240 m long, he said. No.", [0, 0, 0, 0, 0, 1, 1, 2]),
        ("隧道长1.8公里，没有弯道。公园", [0, 0, 0, 1, 1, 2]),
        ("터널은 길고, 굽은 곳이. 공원", [0, 0, 1, 1, 2]),
        ("نفق طويل، لا منعطف", [0, 0, 1, 1]),
    ],
)
def test_commas_and_ends_part_clauses(text: str, clauses: list[int]) -> None:
    assert read([text]).clause.tolist() == clauses


def test_clauses_of_other_texts_have_other_numbers() -> None:
    both = Units.joined([read(["One, two", "three"]), read(["four, five"])])
    assert len(set(both.clause.tolist())) == 5
    assert (np.diff(both.clause) > 0).all()
