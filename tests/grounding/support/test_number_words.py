"""Number words as digits, in eleven languages: what is replaced, what stays, and in which language it is read."""

from __future__ import annotations

import numpy as np
import pytest

from ragauge.grounding.support.number_words import words_as_digits


def replaced(answer: str, *references: str) -> tuple[str, list[str]]:
    owners = np.zeros(len(references), dtype=np.int64)
    [found], others = words_as_digits([answer], references, owners)
    return found, others


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It has sixty-two thousand seats.", "It has 62000 seats."),
        ("It is twelve kilometres away.", "It is 12 kilometres away."),
        ("방이 열두 개 있다.", "방이 12 개 있다."),
        ("В доме двенадцать комнат.", "В доме 12 комнат."),
        ("في البيت اثنا عشر غرفة.", "في البيت 12 غرفة."),
        ("उस घर में बारह कमरे हैं।", "उस घर में 12 कमरे हैं।"),
        ("มีห้องสิบสองห้อง", "มีห้อง12ห้อง"),
        ("Es hat zwölf Zimmer.", "Es hat 12 Zimmer."),
        ("La casa tiene doce habitaciones.", "La casa tiene 12 habitaciones."),
        ("Il y a quatre-vingts pièces.", "Il y a 80 pièces."),
    ],
)
def test_words_become_digits_where_the_other_side_has_digits(text: str, expected: str) -> None:
    assert replaced(text, "99") == (expected, ["99"])


@pytest.mark.parametrize("text", ["茶馆有十二个房间。", "部屋は十二部屋あります。"])
def test_chinese_characters_are_read_elsewhere(text: str) -> None:
    assert replaced(text, "12") == (text, ["12"])


def test_without_digits_on_either_side_nothing_is_read() -> None:
    assert replaced("Twelve Monkeys", "twelve") == ("Twelve Monkeys", ["twelve"])


def test_one_is_no_number() -> None:
    assert replaced("It has one garden.", "1") == ("It has one garden.", ["1"])
    assert replaced("Er hat einen Garten.", "1") == ("Er hat einen Garten.", ["1"])


def test_digits_stay_as_they_are() -> None:
    assert replaced("It has 1,200 seats and twelve doors.", "3") == ("It has 1,200 seats and 12 doors.", ["3"])


def test_a_reference_is_read_in_the_language_of_its_answer() -> None:
    """Trois is no word of English; a text of a few words is read in any language of Latin letters."""
    assert replaced("Il y a 3 pièces dans la maison.", "trois") == ("Il y a 3 pièces dans la maison.", ["3"])
    assert replaced("12", "zwölf") == ("12", ["12"])


def test_each_answer_has_its_own_references() -> None:
    """Digits beside another answer do not count."""
    answers, references = words_as_digits(
        ["It has twelve doors.", "It has twelve doors."], ["12", "three", "twelve"], np.array([0, 0, 1])
    )
    assert answers == ["It has 12 doors.", "It has twelve doors."]
    assert references == ["12", "3", "twelve"]


def test_nothing_to_read() -> None:
    assert words_as_digits([], [], np.zeros(0, dtype=np.int64)) == ([], [])
    assert replaced("", "12") == ("", ["12"])
