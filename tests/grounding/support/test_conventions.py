"""What a comma, a point and a word are, by the language of the text or of its evidence."""

from __future__ import annotations

import pytest

import ragauge

# Passage, claim, and whether the passage says so.
MARKS = [
    ("The trip costs $1,500 for each of the guests.", "The trip costs $1.5 for each of the guests.", False),
    ("The trip costs $1,500.", "The trip costs 1500 dollars.", True),
    ("The hill is 1,500 m high.", "The hill is 1.5 m high.", False),
    ("The hill is 1,500 m high.", "The hill is 1.5 km high.", True),
    ("The hill is 1,500 m high.", "1.5 m", False),
    ("Der Hügel ist 1.500 m hoch.", "Der Hügel ist 1,5 m hoch.", False),
    ("Der Hügel ist 1.500 m hoch.", "Der Hügel ist 1500 m hoch.", True),
    ("Die Probe wiegt 1,500 kg.", "Die Probe wiegt 1500 kg.", False),
    ("Die Probe wiegt 1,500 kg.", "Die Probe wiegt 1,5 kg.", True),
    ("这座山高1,500米。", "这座山高1.5米。", False),
    ("这座山高1,500米。", "这座山高1500米。", True),
    ("山の高さは1,500メートルだ。", "山の高さは1.5メートルだ。", False),
    ("산의 높이는 1,500미터이다.", "산의 높이는 1.5미터이다.", False),
    ("Высота горы 1 500 м.", "Высота горы 1,5 м.", False),
    ("Проба весит 1,500 кг.", "Проба весит 1500 кг.", False),
    ("पहाड़ी 1,500 मीटर ऊँची है।", "पहाड़ी 1.5 मीटर ऊँची है।", False),
    ("ภูเขาสูง 1,500 เมตร", "ภูเขาสูง 1.5 เมตร", False),
    ("ارتفاع الجبل 1,500 متر.", "ارتفاع الجبل 1500 متر.", True),
    # Spanish writes both; another number of the text shows which.
    ("El cerro mide 1.500 m de alto.", "El cerro mide 1500 m de alto.", True),
    ("El cerro mide 1.500 m de alto y 3,5 km de largo.", "El cerro mide 1,5 m de alto.", False),
    ("La colline a 1 500 m de haut et 3,5 km de large.", "La colline a 1,5 m de haut.", False),
    ("Die Kosten: 1,234.5 Millionen und 1,500 Euro in bar.", "Die Kosten waren 1500 Euro in bar.", True),
]


@pytest.mark.parametrize(("passage", "claim", "holds"), MARKS)
def test_marks_of_thousands_and_of_decimals(passage: str, claim: str, holds: bool) -> None:
    degree = ragauge.score("groundedness", answer=claim, contexts=[passage])
    assert degree > 0.85 if holds else degree < 0.6


# Texts with few function words or none: number words and letters tell the language, or the evidence does.
SHORT = [
    ("Le musée compte 12 salles.", "Douze salles.", True),
    ("Le musée compte 12 salles.", "Il a treize salles.", False),
    ("12 salles, 3 tours", "douze salles", True),
    ("Deux ponts, trois tours, quatre portes.", "Il y a 3 tours.", True),
    ("El museo tiene 12 salas.", "Doce salas.", True),
    ("El museo tiene 12 salas.", "Hay trece salas.", False),
    ("Veinte puentes", "20 puentes", True),
    ("Veinte puentes", "30 puentes", False),
    ("Das Museum hat 12 Räume.", "Zwölf Räume.", True),
    ("Das Museum hat 12 Räume.", "Dreizehn Räume.", False),
    ("Dreißig Brücken", "30 Brücken", True),
    ("Dreißig Brücken", "40 Brücken", False),
    ("Twelve bridges", "12 bridges", True),
    ("Der Berg ist 1.500 m hoch und liegt im Süden des Landes.", "1.500 m", True),
    ("Der Zaun ist 1,5 m hoch und steht am Rand des Gartens.", "1.500 m", False),
]


@pytest.mark.parametrize(("passage", "claim", "holds"), SHORT)
def test_short_texts_in_latin_letters(passage: str, claim: str, holds: bool) -> None:
    degree = ragauge.score("groundedness", answer=claim, contexts=[passage])
    assert degree > 0.7 if holds else degree < 0.6
