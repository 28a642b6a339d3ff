"""What every tokenizer keeps to."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

from ragauge.core.ingredients import Tokenizer, Vocabulary
from ragauge.core.registry import entries
from ragauge.errors import MissingExtraError, UsageError
from ragauge.tokenizers import get

TEXTS = [
    "The quick brown fox, 3.5 kg & 85% of GPT-4's <b>score</b>.",
    "我来到北京清华大学，他说：“ＧＰＴ－４得了85.5%！”",
    "",
    "東京都に住む。すもももももももものうち",
    "아버지가 방에 들어가신다.",
    "ผมทำงานที่กรุงเทพ",
    " \u3000 ",
    "𠮷野家😀吃饭\x00abc\n第二行",
    "The quick brown fox, 3.5 kg & 85% of GPT-4's <b>score</b>.",
]
OPTIONS = {"function": "[name=builtins:str.split]"}
NAMES = [name + OPTIONS.get(name, "") for name in entries("tokenizer") if name != "none"]
CODES = """
import sys, pyarrow as pa
from ragauge.core.ingredients import Vocabulary
from ragauge.tokenizers import get
for name in sys.argv[2:]:
    vocabulary = Vocabulary()
    print(name, get(name).encode(pa.array(eval(sys.argv[1])), vocabulary).to_lists(), vocabulary.words)
"""


def made(name):
    try:
        return get(name)
    except MissingExtraError as error:
        pytest.skip(str(error))


@pytest.fixture(params=NAMES)
def tokenizer(request):
    return made(request.param)


def tokens(tokenizer, texts):
    vocabulary = Vocabulary()
    codes = tokenizer.encode(texts, vocabulary)
    assert codes.values.dtype == np.int32
    words = vocabulary.words
    return [[words[code] for code in codes[i].tolist()] for i in range(len(codes))]


def test_it_follows_the_protocol(tokenizer):
    assert isinstance(tokenizer, Tokenizer)
    assert "revision=" in tokenizer.signature


def test_its_text_makes_it_again(tokenizer):
    assert get(str(tokenizer)) == tokenizer


def test_it_travels_to_another_process(tokenizer):
    tokenizer.tokens(TEXTS[1])
    again = pickle.loads(pickle.dumps(tokenizer))  # noqa: S301
    assert again == tokenizer
    assert again.tokens(TEXTS[1]) == tokenizer.tokens(TEXTS[1])


def test_many_texts_are_cut_as_each_alone(tokenizer):
    assert tokens(tokenizer, pa.array(TEXTS)) == [tokenizer.tokens(text) for text in TEXTS]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
def test_slices_and_widths_of_strings_change_nothing(tokenizer, kind):
    whole = tokens(tokenizer, pa.array(TEXTS))
    assert tokens(tokenizer, pa.array(["x y", *TEXTS, "z"], kind).slice(1, len(TEXTS))) == whole


def test_no_texts_have_no_tokens(tokenizer):
    codes = tokenizer.encode(pa.array([], pa.string()), Vocabulary())
    assert len(codes) == 0
    assert codes.values.dtype == np.int32


@pytest.mark.costly
def test_codes_do_not_depend_on_the_seed_of_hashes():
    ran = {
        subprocess.run(
            [sys.executable, "-c", CODES, repr(TEXTS), "auto", "zh", "rouge-score"],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(ran) == 1


def test_lists_of_tokens_are_taken_as_they_are():
    vocabulary = Vocabulary()
    lists = pa.array([["skipped"], ["a", "b", ""], [], ["b", " "]]).slice(1)
    codes = get("none").encode(lists, vocabulary)
    assert [[vocabulary.words[code] for code in codes[i]] for i in range(3)] == [["a", "b", ""], [], ["b", " "]]


def test_strings_are_no_lists_of_tokens():
    with pytest.raises(UsageError, match="use whitespace"):
        get("none").tokens("a b")
