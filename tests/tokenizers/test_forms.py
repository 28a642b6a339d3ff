"""What is done to tokens once per distinct token."""

import numpy as np
import pytest

from ragauge.core.ingredients import Vocabulary
from ragauge.core.ragged import Ragged
from ragauge.core.texts import recoded
from ragauge.errors import OptionError
from ragauge.tokenizers import forms
from ragauge.tokenizers.forms import Forms, KnownForms


def test_case_and_width_are_folded_alike():
    assert Forms().of(["Straße", "STRASSE", "ＳＴＲＡＳＳＥ"]) == ["strasse"] * 3


def test_nothing_is_done_when_nothing_is_asked_for():
    words = ["Straße", "Ａ", "½", "İ", ","]
    assert Forms(case="keep", nfkc=False).of(words) == words


def test_combining_marks_stay():
    assert Forms().of(["दिल्ली", "ทำ"])[0] == "दिल्ली"


@pytest.mark.parametrize("token", [".", "。", "...", "“", "`", "^", "|", "—", "、", "\u200b", " "])
def test_punctuation_is_dropped(token):
    assert Forms(punctuation="drop").of([token]) == [None]


@pytest.mark.parametrize(
    "token", ["%", "％", "°", "$", "€", "+", "=", "😀", "3.5", "it's", "x", "\ue000", "\U0002ebf0"]
)
def test_what_means_something_is_kept(token):
    assert Forms(punctuation="drop").of([token]) != [None]


def test_a_grown_vocabulary_keeps_its_form_codes():
    vocabulary = Vocabulary()
    vocabulary.codes(["The", "cat", "."])
    before = Forms(punctuation="drop").apply(vocabulary)
    vocabulary.codes(["Cat", "sat", "the"])
    after = Forms(punctuation="drop").apply(vocabulary)
    np.testing.assert_array_equal(after[:3], before)
    assert after.tolist() == [0, 1, -1, 1, 2, 0]


def test_dropped_tokens_leave_their_lists():
    vocabulary = Vocabulary()
    codes = Ragged.of(
        [vocabulary.codes(["a", "."]), [], vocabulary.codes([".", "."]), vocabulary.codes(["A"])],
        np.int32,
    )
    assert recoded(codes, Forms(punctuation="drop").apply(vocabulary)).to_lists() == [[0], [], [], [0]]


def test_recoding_nothing_gives_nothing():
    empty = Ragged.of([[], []], np.int32)
    assert recoded(empty, np.empty(0, dtype=np.int32)).to_lists() == [[], []]


def test_an_unknown_stemmer_is_an_error():
    with pytest.raises(OptionError, match="porter or snowball"):
        Forms(stemmer="lancaster").of(["a"])


def test_porter_leaves_short_words_alone():
    pytest.importorskip("nltk")
    assert Forms(stemmer="porter").of(["running", "ties", "its"]) == ["run", "tie", "its"]


def test_snowball_names_its_languages():
    pytest.importorskip("snowballstemmer")
    assert Forms(stemmer="snowball-german").of(["Häuser"]) == ["haus"]
    with pytest.raises(OptionError, match="snowball-german"):
        Forms(stemmer="snowball-klingon").of(["a"])


def test_forms_are_kept_as_they_are_asked_for():
    known = KnownForms(Forms(punctuation="drop"))
    assert known.learn(["Café", "Straße", "。"])
    points, words, _, forms, _ = known.known()
    assert [int(points[ord(char)]) & 0x1FFFFF for char in "Aéü"] == [ord("a"), ord("é"), 0]
    assert (words, forms) == ("Straße".encode(), b"strasse")
    assert not known.learn(["Café", "Straße"])


def test_more_words_than_are_kept_begin_anew(monkeypatch):
    monkeypatch.setattr(forms, "_MOST_WORDS", 2)
    first = forms.known_forms(Forms(case="lower"))
    first.learn(["½", "ﬁ"])
    assert forms.known_forms(Forms(case="lower")) is first
    first.learn(["ﬂ"])
    assert len(forms.known_forms(Forms(case="lower"))) == 0
