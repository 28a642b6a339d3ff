"""Values in languages of which only values are read: a changed one lowers the degree, an equal one never does."""

from __future__ import annotations

import tomllib
from hashlib import sha256
from pathlib import Path

import pytest

import ragauge
from ragauge import languages
from ragauge.grounding.support._lexicon import others
from ragauge.grounding.support._values import SOURCE, absent_values, digits, read_values, words_of
from ragauge.grounding.support.features import model
from ragauge.languages.scripts import languages_of_scripts

VALUES = Path(languages.__file__).parent / "values"
CODES = sorted(path.stem for path in VALUES.glob("*.toml"))
# A passage; claims whose values it has, written otherwise; claims with a number, a date or a unit that it has not.
WRITTEN = {
    "it": (
        "Il museo è stato aperto il 12 gennaio 1995 e ha ventitré sale; la visita dura 30 minuti e costa 3,50 euro.",
        (
            "Il museo è stato aperto il 12.01.1995.",
            "Il museo ha 23 sale.",
            "La visita dura mezz'ora e costa 3.50 euro.",
        ),
        ("Il museo è stato aperto il 12 marzo 1995.", "Il museo ha 24 sale.", "La visita dura 30 secondi."),
    ),
    "pt": (
        "O museu foi aberto em 12 de janeiro de 1995 e tem cento e vinte e três salas; a visita dura 2 horas.",
        ("O museu tem 123 salas.", "A visita dura 120 minutos.", "A visita dura duas horas."),
        ("O museu foi aberto em 12 de março de 1995.", "O museu tem 124 salas.", "A visita dura 2 dias."),
    ),
    "nl": (
        "Het museum werd geopend op 12 januari 1995 en heeft drieëntwintig zalen; het bezoek duurt 30 minuten.",
        ("Het museum heeft 23 zalen.", "Het museum werd geopend op 12-1-1995.", "Het bezoek duurt 30 minuten."),
        ("Het museum werd geopend op 12 maart 1995.", "Het museum heeft 24 zalen.", "Het bezoek duurt 30 uur."),
    ),
    "pl": (
        "Muzeum zostało otwarte w styczniu 1995 roku i ma dwadzieścia trzy sale; wizyta trwa 30 minut.",
        ("Muzeum ma 23 sale.", "Muzeum zostało otwarte w styczniu.", "Wizyta trwa trzydzieści minut."),
        ("Muzeum zostało otwarte w marcu 1995 roku.", "Muzeum ma 24 sale.", "Wizyta trwa 30 sekund."),
    ),
    "cs": (
        "Muzeum bylo otevřeno 12. ledna 1995 a má pět set sálů; prohlídka trvá 2 hodiny.",
        ("Muzeum má 500 sálů.", "Prohlídka trvá dvě hodiny.", "Muzeum bylo otevřeno v lednu 1995."),
        ("Muzeum bylo otevřeno 12. března 1995.", "Muzeum má 501 sálů.", "Prohlídka trvá 2 dny."),
    ),
    "uk": (
        "Музей було відкрито 12 січня 1995 року, і він має двадцять три зали; відвідування триває 30 хвилин.",
        ("Музей має 23 зали.", "Музей було відкрито 12.01.1995.", "Відвідування триває тридцять хвилин."),
        ("Музей було відкрито 12 березня 1995 року.", "Музей має 24 зали.", "Відвідування триває 30 секунд."),
    ),
    "tr": (
        "Müze 12 Ocak 1995'te açıldı ve yirmi üç salonu var; gezi 30 dakika sürer ve doluluk %20 olarak ölçüldü.",
        ("Müzenin 23 salonu var.", "Müze Ocak 1995'te açıldı.", "Doluluk yüzde 20 olarak ölçüldü."),
        ("Müze 12 Mart 1995'te açıldı.", "Müzenin 24 salonu var.", "Gezi 30 saat sürer."),
    ),
    "el": (
        "Το μουσείο άνοιξε στις 12 Ιανουαρίου 1995 και έχει είκοσι τρεις αίθουσες· η επίσκεψη διαρκεί 30 λεπτά.",
        ("Το μουσείο έχει 23 αίθουσες.", "Το μουσείο άνοιξε τον Ιανουάριο του 1995.", "Διαρκεί τριάντα λεπτά."),
        ("Το μουσείο άνοιξε στις 12 Μαρτίου 1995.", "Το μουσείο έχει 24 αίθουσες.", "Η επίσκεψη διαρκεί 30 ώρες."),
    ),
    "fi": (
        "Museo avattiin 12. tammikuuta 1995, ja siinä on kaksikymmentäkolme salia; kierros kestää 30 minuuttia.",
        ("Museossa on 23 salia.", "Museo avattiin tammikuussa 1995.", "Kierros kestää kolmekymmentä minuuttia."),
        ("Museo avattiin 12. maaliskuuta 1995.", "Museossa on 24 salia.", "Kierros kestää 30 tuntia."),
    ),
    "hu": (
        "A múzeumot 1995. január 12-én nyitották meg, és huszonhárom terme van; a séta 30 perc.",
        ("A múzeumnak 23 terme van.", "A múzeumot 1995 januárjában nyitották meg.", "A séta harminc perc."),
        ("A múzeumot 1995. március 12-én nyitották meg.", "A múzeumnak 24 terme van.", "A séta 30 óra."),
    ),
    "ro": (
        "Muzeul a fost deschis la 12 ianuarie 1995 și are douăzeci și trei de săli; vizita durează 30 de minute.",
        ("Muzeul are 23 de săli.", "Muzeul a fost deschis la 12.01.1995.", "Vizita durează treizeci de minute."),
        ("Muzeul a fost deschis la 12 martie 1995.", "Muzeul are 24 de săli.", "Vizita durează 31 de minute."),
    ),
    "vi": (
        "Bảo tàng được mở cửa vào tháng 1 năm 1995 và có hai mươi ba phòng; chuyến tham quan kéo dài 30 phút.",
        ("Bảo tàng có 23 phòng.", "Bảo tàng được mở cửa năm 1995."),
        ("Bảo tàng được mở cửa năm 1996.", "Bảo tàng có 24 phòng.", "Chuyến tham quan kéo dài 30 giây."),
    ),
    "id": (
        "Museum itu dibuka pada 12 Januari 1995 dan memiliki dua puluh tiga ruang; kunjungan berlangsung 30 menit.",
        (
            "Museum itu memiliki 23 ruang.",
            "Museum itu dibuka pada 12/1/1995.",
            "Kunjungan berlangsung tiga puluh menit.",
        ),
        ("Museum itu dibuka pada 12 Maret 1995.", "Museum itu memiliki 24 ruang.", "Kunjungan berlangsung 30 jam."),
    ),
    "fa": (
        "موزه در ۱۲ ژانویهٔ ۱۹۹۵ باز شد و بیست و سه تالار دارد؛ بازدید ۳۰ دقیقه است.",
        ("موزه 23 تالار دارد.", "موزه در سال 1995 باز شد.", "بازدید سی دقیقه است."),
        ("موزه در سال ۱۹۹۶ باز شد.", "موزه ۲۴ تالار دارد.", "بازدید ۳۰ ساعت است."),
    ),
    "he": (
        "המוזיאון נפתח ב-12 בינואר 1995 ויש בו 23 אולמות; הביקור נמשך 30 דקות.",
        ("במוזיאון 23 אולמות.", "המוזיאון נפתח ב-12.1.1995.", "הביקור נמשך שלושים דקות."),
        ("המוזיאון נפתח בשנת 1996.", "במוזיאון 24 אולמות.", "הביקור נמשך 30 שניות."),
    ),
}
RECALL = "groundedness:support=ngram-recall,soft=true"


@pytest.mark.parametrize("language", WRITTEN)
def test_a_changed_value_lowers_the_degree_and_an_equal_one_does_not(language: str) -> None:
    passage, equal, changed = WRITTEN[language]
    samples = [{"answer": claim, "contexts": [passage]} for claim in (*equal, *changed)]
    result = ragauge.evaluate(samples, ["groundedness:soft=true", RECALL], resamples=0)
    degrees, recall = result.scores("groundedness:soft=true"), result.scores(RECALL)
    n = len(equal)
    assert degrees[:n].tolist() == pytest.approx(recall[:n].tolist(), abs=1e-12)
    assert (degrees[n:] < 0.85 * recall[n:]).all()


@pytest.mark.parametrize("language", CODES)
def test_each_value_of_a_file_is_read(language: str) -> None:
    table = tomllib.loads((VALUES / f"{language}.toml").read_text("utf-8"))
    codes = (language,)
    for kind, name in (("m", "months"), ("d", "weekdays")):
        for key, forms in table.get(name, {}).items():
            several = set(forms.split(", ")) - words_of(codes).numbers.keys()
            alone = [form for form in several if form.isalpha() and len(form) > 1]
            found = [read_values(f"3, {form} 3", codes).plain for form in alone]
            assert all((kind, float(key)) in keys for keys in found), (key, alone)


def test_all_languages_that_are_recognised_have_a_file() -> None:
    assert {*others(), *languages_of_scripts()} <= {*CODES}
    assert len(CODES) >= 40


def test_the_signature_names_the_data() -> None:
    assert f"values={SOURCE}" in model().signature
    whole = sha256(b"".join((VALUES / f"{code}.toml").read_bytes() for code in CODES)).hexdigest()[:8]
    assert whole == "69c2874a", "raise SOURCE where scores of a language change, not where one is added"


def test_a_value_of_the_question_or_of_another_passage_is_not_absent() -> None:
    passages = ["Het museum werd geopend in 1995.", "Het museum van de stad heeft 23 zalen."]
    claim = "Het museum van de stad werd geopend in 1995 en heeft 23 zalen."
    both, one = (ragauge.score("groundedness", answer=claim, contexts=some) for some in (passages, passages[:1]))
    assert both > one
    asked = [[], ["In welke stad werd het museum in 1996 geopend?"]]
    found = [absent_values(["Het museum is van 1996."], passages[:1], [texts]) for texts in asked]
    assert found == [[["1996"]], [[]]]


def test_texts_that_tell_no_language_and_listed_ones_have_none() -> None:
    assert absent_values(["Paris 1995", "It opened in 1995."], ["Paris 1996", "It opened in 1996."]) == [[], []]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1 234 567", {1234567.0, 1.0, 234.0, 567.0}), ("1.234,5", {1234.5}), ("12,5", {12.5}),
        ("1901 711", {1901.0, 711.0}),
        ("1,00,000", {100000.0}),
        ("9:00", {9.0}), ("3/4", {3.0, 4.0}), ("21:30", set()),
    ],
)  # fmt: skip
def test_numbers_are_read_with_their_marks(text: str, numbers: set[float]) -> None:
    assert {number for kind, number in read_values(text, ("it",)).plain if kind == "n"} == numbers


def test_a_date_in_digits_has_a_month() -> None:
    assert digits("12.3.2021") == [{("n", 12.0), ("m", 12.0)}, {("n", 3.0), ("m", 3.0)}, {("n", 2021.0)}]


def test_the_reason_names_the_value() -> None:
    passage, claim = "Het museum werd geopend in het jaar 1995.", "Het museum werd geopend in het jaar 1996."
    result = ragauge.evaluate([{"id": "a", "answer": claim, "contexts": [passage]}], "groundedness", evidence=True)
    assert "not in the passage: 1996" in str(result.explain("a").to_pylist())
