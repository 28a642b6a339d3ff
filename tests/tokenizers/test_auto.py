"""Characters or words, by script."""

import unicodedata

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragauge.core.ingredients import Vocabulary
from ragauge.tokenizers import get

AUTO = get("auto")

# The tokens of each text, with a bar between.
CASES = [
    ("The cat, 3.5 kg.", "The|cat|,|3.5|kg|."),
    ("don't re-use snake_case", "don|'|t|re|-|use|snake|_|case"),
    ("GPT-4o得了85.5%，很好！", "GPT|-|4o|得|了|85.5|%|，|很|好|！"),
    ("选项1，2，3", "选|项|1|，|2|，|3"),
    ("1,000.50 1..2 .5 5. 1, 2", "1,000.50|1|.|.|2|.|5|5|.|1|,|2"),
    ("10:30 v1.2.3 x²", "10|:|30|v1.2.3|x²"),
    ("３．１４ ＧＰＴ－４", "３．１４|ＧＰＴ|－|４"),
    ("𠮷野家〇々㐀", "𠮷|野|家|〇|々|㐀"),
    ("東京タワーでｶﾞｽ", "東|京|タ|ワ|ー|で|ｶﾞ|ｽ"),
    ("ㄅㄆ ꀀꀁ", "ㄅ|ㄆ|ꀀ|ꀁ"),
    ("한국어를 배웁니다", "한국어를|배웁니다"),
    ("Привет, мир", "Привет|,|мир"),
    ("Καλημέρα κόσμε;", "Καλημέρα|κόσμε|;"),
    ("مرحبا، كيف حالك؟", "مرحبا|،|كيف|حالك|؟"),
    ("می\u200cخواهم ٣٫٥", "می\u200cخواهم|٣٫٥"),
    ("नई दिल्ली ५.३।", "नई|दिल्ली|५.३|।"),
    ("ทำงาน เด็ก", "ทำ|ง|า|น|เ|ด็|ก"),
    ("ລາວ ກຳ", "ລ|າ|ວ|ກຳ"),
    ("ខ្មែរ។", "ខ្មែ|រ|។"),
    ("မြန်မာ ဏ္ဍ", "မြ|န်|မာ|ဏ္ဍ"),
    ("cafe\u0301 cafés", "cafe\u0301|cafés"),
    ("tiếng Việt", "tiếng|Việt"),
    ("$5 €3,50 20°C ±1", "$|5|€|3,50|20|°|C|±|1"),
    ("👨\u200d👩\u200d👧👍🏽❤️1️⃣", "👨\u200d👩\u200d👧|👍🏽|❤️|1️⃣"),
    ("🇨🇳🇫🇷🇩", "🇨🇳|🇫🇷|🇩"),
    ("a\u200bb\x00c\u2028d", "a|b|c|d"),
    ("soft\u00adhyphen \ufeffbom", "soft\u00adhyphen|\ufeffbom"),
    ("\u0301a b\u0301", "\u0301a|b\u0301"),
    ("", ""),
    (" \n\t\u3000", ""),
]


@pytest.mark.parametrize(("text", "tokens"), CASES)
def test_cases(text, tokens):
    assert AUTO.tokens(text) == (tokens.split("|") if tokens else [])


def test_texts_are_cut_apart_from_each_other():
    texts = ["1", ".5", "a", "\u0301b", "🇨", "🇳", "", "👨\u200d", "👩", "1.", "5", *(text for text, _ in CASES)]
    vocabulary = Vocabulary()
    codes = AUTO.encode(pa.array(texts), vocabulary)
    words = vocabulary.words
    assert [[words[code] for code in codes[i]] for i in range(len(texts))] == [AUTO.tokens(text) for text in texts]


@example(["x 🇨", "🇨🇳 b"])
@given(st.lists(st.text(st.sampled_from(list("1.a茶 \u0301🇨🇳👨\u200d\u17d2ក"))), min_size=2))
def test_tokens_of_a_text_are_the_same_among_others(texts):
    vocabulary = Vocabulary()
    codes = AUTO.encode(pa.array(texts), vocabulary)
    words = vocabulary.words
    assert [[words[code] for code in codes[i]] for i in range(len(texts))] == [AUTO.tokens(text) for text in texts]


def test_forms_join_what_is_written_in_two_ways():
    assert AUTO.tokens("ＧＰＴ Straße soft\u00adhyphen ½", normalize=True) == ["gpt", "strasse", "softhyphen", "1⁄2"]


@given(st.text())
def test_a_text_with_a_letter_has_a_token(text):
    if any(map(str.isalpha, text)):
        assert AUTO.tokens(text)


@given(st.text(st.characters(categories=["L"]), min_size=1))
def test_letters_are_all_in_tokens(text):
    assert "".join(AUTO.tokens(text)) == text


@given(st.text())
def test_only_space_and_controls_are_in_no_token(text):
    left = "".join(char for char in text if unicodedata.category(char) not in ("Zs", "Zl", "Zp", "Cc", "Cn"))
    kept = "".join(char for char in "".join(AUTO.tokens(text)) if unicodedata.category(char) != "Cn")
    assert kept == left.replace("\u200b", "")
