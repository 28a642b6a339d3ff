"""The tokenizer ``zh`` against jieba 0.42.1, token for token on whole strings."""

from __future__ import annotations

import warnings
from functools import cache, partial

import pytest

from ragauge.tokenizers import get
from tests import fresh
from tests.parity.shared import place
from tests.tokenizers.samples import differing, mixed, real, some

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    jieba = pytest.importorskip("jieba")

ASCII = [
    "a",
    "b",
    "A",
    "B",
    "0",
    "1",
    "2",
    "9",
    *"+#&._%-",
    "3.5",
    "85%",
    "GPT-4",
    "v1.2.3",
    "2024-08-08",
    "C++",
    "AT&T",
]
MARKS = [*"，。！？ \n\t\r「」·—…、（）():;/'\"@!$*^~`=[]{}<>|\\\u3000\xa0\u200b\x1c\0\x85", "\r\n"]
OTHERS = [*"é中ПабқТ한あアー😀γǎ〇", "e\u0301"]
# At the edges of what jieba and jieba-rs take for Chinese.
EDGES = [*"㐀㑇䶵䶿䷀一鿕鿖鿗鿟鿯豈\ufaff𠮷𪛖𫝀\U0002f804\U00030000\U0003fffd⺀"]
COMMON = [*"的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方"]
HMM = pytest.mark.parametrize("hmm", [True, False], ids=["hmm", "no hmm"])


@cache
def dictionary():
    """Return jieba with its own dictionary, loaded without a cache file."""
    made = jieba.Tokenizer()
    made.FREQ, made.total = made.gen_pfdict(made.get_dict_file())
    made.initialized = True
    return made


@pytest.fixture(scope="module")
def peer():
    return dictionary()


@pytest.fixture(scope="module")
def strange(peer):
    words = sorted(word for word, frequency in peer.FREQ.items() if frequency)
    odd = [word for word in words if not all("\u4e00" <= char <= "\u9fd5" for char in word)]
    rare = [chr(point) for point in range(0x4E00, 0x9FD6, 7)]
    few = some(words, 3000)
    pools = [
        (few, ASCII),
        (rare, ASCII, odd),
        (COMMON, ASCII, MARKS),
        (COMMON, ASCII, EDGES),
        (COMMON, EDGES, odd),
        (few, odd, ASCII, MARKS, OTHERS, EDGES, rare, COMMON),
        (ASCII,),
        (COMMON,),
    ]
    return [text for seed, pool in enumerate(pools) for text in mixed(seed, 200, *pool)]


@HMM
def test_strange_strings(peer, strange, hmm):
    spec = f"zh[spaces=true,hmm={str(hmm).lower()}]"
    assert differing(spec, strange, partial(peer.lcut, HMM=hmm)) == []


@HMM
def test_real_lines(peer, hmm):
    place("xquad")
    texts = real("*/*zh*.jsonl.gz")
    assert len(texts) >= 8_500
    # A quarter of the lines in each run, others in the next.
    texts = texts[fresh.seed() % 4 :: 4]
    assert differing(f"zh[spaces=true,hmm={str(hmm).lower()}]", texts, partial(peer.lcut, HMM=hmm)) == []


def test_any_unicode(peer):
    chars = [chr(point) for point in (*range(0xD800), *range(0xE000, 0x40000))]
    assert differing("zh[spaces=true]", mixed(5, 1000, chars, longest=8), peer.lcut) == []


def test_the_engine_jieba_is_jieba(peer, strange):
    assert differing("zh[spaces=true,engine=jieba]", strange[::10], peer.lcut) == []


def test_blank_tokens_are_left_out(peer, strange):
    wanted = [[word for word in peer.lcut(text) if word.strip()] for text in strange[::10]]
    assert [get("zh").tokens(text) for text in strange[::10]] == wanted


def test_words_of_the_user(tmp_path, peer):
    """Words with and without a frequency, with signs, and with what jieba takes for no part of a word."""
    signs = ["GPT-4", "C++语言", "𠮷野家", "New York 9", "3.5", "x_y"]
    added = ["云计算 5", "坐在垫", "北京清华 3 ns", "凱特琳 nz", "的一是", *signs]
    path = tmp_path / "user.txt"
    path.write_text("\n".join(added), "utf-8")
    own = jieba.Tokenizer()
    own.FREQ, own.total, own.initialized = dict(peer.FREQ), peer.total, True
    with path.open("rb") as file:
        own.load_userdict(file)
    pool = [*(line.split(" ")[0] for line in added), "New York", "GPT", "x", "垫子", "清华"]
    texts = mixed(6, 700, pool, ASCII, COMMON, longest=12)
    assert differing(f"zh[spaces=true,user_dict={path}]", texts, own.lcut) == []


def test_jieba_leaves_no_cache_file(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    user = tmp_path / "words" / "user.txt"
    user.parent.mkdir()
    user.write_text("坐在垫\n", "utf-8")
    get(f"zh[engine=jieba,user_dict={user}]").tokens("猫坐在垫子上")
    assert [path.name for path in tmp_path.iterdir()] == ["words"]
