"""Languages that are read, those that are recognised and not read, and texts that tell nothing."""

from __future__ import annotations

import pytest

import ragauge
from ragauge.grounding.support import _lexicon as lexicon
from ragauge.grounding.support._languages import LISTED, NO_LETTERS, NOT_TOLD, OTHER, SEVERAL
from ragauge.grounding.support._tokens import _slots
from ragauge.grounding.support.scorer import NOT_READ
from ragauge.grounding.support.units import read

# A sentence, and its negation.
NOT_LISTED = {
    "it": (
        "La biblioteca è aperta ogni giorno fino alle sei.",
        "La biblioteca non è aperta ogni giorno fino alle sei.",
    ),
    "pt": (
        "A biblioteca está aberta todos os dias até às seis.",
        "A biblioteca não está aberta todos os dias até às seis.",
    ),
    "nl": ("De bibliotheek is elke dag open tot zes uur.", "De bibliotheek is niet elke dag open tot zes uur."),
    "pl": ("Biblioteka jest otwarta codziennie do szóstej.", "Biblioteka nie jest otwarta codziennie do szóstej."),
    "tr": ("Kütüphane her gün akşam altıya kadar açık.", "Kütüphane her gün akşam altıya kadar açık değil."),
    "vi": ("Thư viện mở cửa hằng ngày đến sáu giờ tối.", "Thư viện không mở cửa hằng ngày đến sáu giờ tối."),
    "el": ("Η βιβλιοθήκη είναι ανοιχτή κάθε μέρα.", "Η βιβλιοθήκη δεν είναι ανοιχτή κάθε μέρα."),
    "he": ("הספרייה פתוחה כל יום עד שש.", "הספרייה לא פתוחה כל יום עד שש."),
    "id": (
        "Perpustakaan itu buka setiap hari sampai pukul enam.",
        "Perpustakaan itu tidak buka setiap hari sampai pukul enam.",
    ),
    "fa": ("کتابخانه هر روز تا ساعت شش باز است.", "کتابخانه هر روز تا ساعت شش باز نیست."),
    "sv": (
        "Biblioteket är öppet varje dag till klockan sex.",
        "Biblioteket är inte öppet varje dag till klockan sex.",
    ),
    "uk": ("Бібліотека відчинена щодня до шостої.", "Бібліотека не відчинена щодня до шостої."),
    "cs": ("Knihovna je otevřená každý den do šesti.", "Knihovna není otevřená každý den do šesti."),
    "fi": ("Kirjasto on auki joka päivä kuuteen asti.", "Kirjasto ei ole auki joka päivä kuuteen asti."),
    "hu": ("A könyvtár minden nap nyitva van hatig.", "A könyvtár nem minden nap van nyitva hatig."),
    "ro": (
        "Biblioteca este deschisă în fiecare zi până la șase.",
        "Biblioteca nu este deschisă în fiecare zi până la șase.",
    ),
    "bn": ("গ্রন্থাগারটি প্রতিদিন ছয়টা পর্যন্ত খোলা থাকে।", "গ্রন্থাগারটি প্রতিদিন ছয়টা পর্যন্ত খোলা থাকে না।"),
    "bg": ("Библиотеката е отворена всеки ден до шест.", "Библиотеката не е отворена всеки ден до шест."),
    "mr": (
        "ग्रंथालय दररोज सहा वाजेपर्यंत उघडे आहे आणि मोफत आहे.",
        "ग्रंथालय दररोज सहा वाजेपर्यंत उघडे नाही आणि मोफत आहे.",
    ),
}  # fmt: skip
RECALL = "groundedness:support=ngram-recall,soft=true"


@pytest.mark.parametrize("language", NOT_LISTED)
def test_a_language_that_is_not_read_has_n_gram_recall_and_a_note(language: str) -> None:
    passage, denied = NOT_LISTED[language]
    samples = [{"answer": answer, "contexts": [passage]} for answer in (passage, denied)]
    result = ragauge.evaluate(samples, ["groundedness", "groundedness:soft=true", RECALL], resamples=0)
    recall = result.scores(RECALL)
    assert result.scores("groundedness:soft=true").tolist() == pytest.approx(recall.tolist(), abs=1e-12)
    assert result.scores("groundedness").tolist() == pytest.approx((recall**4).tolist(), abs=1e-11)
    assert result["groundedness"].noted == {NOT_READ: 2}
    assert "2 language not read" in str(result)


def test_a_short_claim_is_read_in_the_language_of_its_passage() -> None:
    passage = "The capital of Australia is Canberra, and the city was founded in 1913."
    right, wrong = (ragauge.score("groundedness", answer=claim, contexts=[passage]) for claim in ("Canberra.", "1931."))
    assert right > 0.8
    assert wrong < 0.5


def test_numbers_without_letters_are_read() -> None:
    result = ragauge.evaluate([{"answer": "1,500", "contexts": ["1500"]}], ["groundedness"], resamples=0)
    assert result.scores("groundedness")[0] > 0.8
    assert result["groundedness"].noted == {}


def test_evidence_says_that_a_claim_was_not_read() -> None:
    passage, _ = NOT_LISTED["it"]
    claim = "I bambini pagano di meno e la visita alla torre dura a lungo."
    result = ragauge.evaluate([{"id": "a", "answer": claim, "contexts": [passage]}], ["groundedness"], evidence=True)
    assert "nothing tells that the claim is in a language" in str(result.explain("a").to_pylist())


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("The library is open.", LISTED), ("Ouverture", NOT_TOLD), ("1500", NO_LETTERS), ("", NO_LETTERS),
        ("Il libro è di Anna.", OTHER), ("Книга лежит на столе.", LISTED), ("図書館は六時まで。", LISTED),
        ("Ραδιόφωνο", OTHER), ("Anna in 1991", SEVERAL), ("این کتاب است", OTHER), ("هذا الكتاب", LISTED),
    ],
)  # fmt: skip
def test_what_a_text_tells_of_its_language(text: str, told: int) -> None:
    assert read([text]).told.tolist() == [told]


def test_no_function_word_is_lost_in_the_table() -> None:
    """Two words at most may share a slot."""
    slots, hashes, _ = _slots()
    assert sorted(slots[slots > 0].tolist()) == list(range(1, len(hashes)))


def test_languages_that_are_not_read_fit_their_bits() -> None:
    """Bits of languages lie below those of number words."""
    assert len(lexicon.LANGUAGES) + len(lexicon.more()) + len(lexicon.others()) <= lexicon.NUMBER_WORDS
    assert not set(lexicon.LANGUAGES) & set(lexicon.others())
    assert max(lexicon.function_words().values()) < 1 << 64


def test_what_closes_is_not_denied_in_german() -> None:
    row = {"contexts": ["Der Laden öffnet um neun und schließt um zehn."], "answer": "Der Laden öffnet um neun."}
    assert ragauge.evaluate([row], "groundedness")["groundedness"].value == 1.0
