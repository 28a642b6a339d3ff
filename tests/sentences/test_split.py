"""Where sentences end."""

from itertools import product
from time import process_time

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragauge.core import loading as extras
from ragauge.errors import DataError, MissingExtraError, OptionError
from ragauge.sentences import rules, sentences, split
from ragauge.sentences.rules import abbreviations
from tests.repeats import others_long
from tests.sentences.cases import CASES

ALL = [(language, case) for language, cases in CASES.items() for case in cases]
PUNCTUATION = "aB. !?。！？…”“「」()\n3é猫ไก"


def unmarked(case: str) -> tuple[str, list[str]]:
    return case.replace("|", ""), [part.strip() for part in case.split("|") if part.strip()]


def test_the_evaluation_set_is_not_small():
    assert len(ALL) >= 60
    assert {"en", "zh", "ja", "ko", "ru", "ar", "hi", "th", "de", "es", "km"} <= set(CASES)


@pytest.mark.parametrize("named", [True, False], ids=["language named", "language unknown"])
@pytest.mark.parametrize(("language", "case"), ALL, ids=[case for _, case in ALL])
def test_cases(language, case, named):
    text, wanted = unmarked(case)
    assert sentences(text, language=language if named else None) == wanted


def test_offsets_are_code_points_of_each_text():
    texts = ["𠮷野家。😀吃饭！", "", "  One.  Two. ", "\n\n"]
    starts, ends = split(pa.array(texts))
    assert starts.to_lists() == [[0, 4], [], [2, 8], []]
    assert ends.to_lists() == [[4, 8], [], [6, 12], []]
    assert starts.values.dtype == ends.values.dtype == np.int64


def test_no_texts_have_no_sentences():
    starts, ends = split(pa.array([], pa.string()))
    assert len(starts) == len(ends) == 0


@given(st.text() | st.text(PUNCTUATION))
def test_sentences_are_in_order_and_lose_only_space(text):
    starts, ends = split(pa.array([text]))
    assert (starts.values < ends.values).all()
    assert (starts.values[1:] >= ends.values[:-1]).all()
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


BEFORE = ["Tee", "чай", "usw", "No", "Dr", "co", "I", "iv", "12", "U.S", "é", "茶", "(Tee", "“Tee", "x\u0301", ""]
AFTER = ["Tee", "чай", "tee", "iPhone", "I", "3", "März", "茶", "é", "(Tee", "”", "\tTee", ""]


def test_what_is_seen_at_once_is_what_the_rules_say(monkeypatch):
    known = abbreviations(None)
    texts = [
        f"{start}{before}{marks}{after}{end}"
        for (start, end), before, marks, after in product(
            (("", ""), ("Er trank ", ""), ("Er (oder ", " sie) trank")),
            BEFORE,
            (".", "!", "?", "...", ".)", ";"),
            [*AFTER, *[f" {one}" for one in AFTER]],
        )
    ]
    at_once = [list(rules.spans(text, known)) for text in texts]
    seen = [
        rules._plainly_ends(text, text.rfind("."), text.rfind(".") + 1, frozenset()) for text in texts if "." in text
    ]
    assert {True, False, None} == set(seen)
    monkeypatch.setattr(rules, "_plainly_ends", lambda *_: None)
    assert at_once == [list(rules.spans(text, known)) for text in texts]


@given(st.lists(st.text(PUNCTUATION), max_size=4))
def test_lines_are_split_apart_from_each_other(lines):
    alone = [line.replace("\n", " ") for line in lines]
    assert sentences("\n".join(alone)) == [sentence for line in alone for sentence in sentences(line)]


def test_a_long_quotation_is_split():
    text = f"He said: “{'It goes on and on. ' * 20}” Then he left."
    assert len(sentences(text)) > 20


def test_an_unclosed_quotation_does_not_swallow_the_rest():
    assert sentences("He said “stop. Then he left. And so on.") == ["He said “stop.", "Then he left.", "And so on."]


LONG = [
    "“",
    "（a.）",
    "“Stop.” ",
    "a (b. ",
    "(A.) ",
    "“A.” ",
    "U.S. Army ",
    "Inc. Smith ",
    "etc. Foo ",
    "J. ",
    "“A.” Bob ",
]


@pytest.mark.parametrize("part", others_long(LONG, 4))
def test_time_grows_with_the_length_of_a_line(part):
    """A search through all open marks, or a copy of the line at each full stop, would look at hundreds of millions."""
    before = process_time()
    assert len(sentences(part * 15_000)) >= 1
    assert process_time() - before < 30


def test_sentencex_can_be_used_instead():
    pytest.importorskip("sentencex")
    assert sentences("Hello world. How are you?", backend="sentencex") == ["Hello world.", "How are you?"]
    assert sentences("你好。再见。", language="zh-CN", backend="sentencex") == ["你好。", "再见。"]


def test_a_text_at_which_sentencex_breaks_down_is_named():
    """Its version 1.0.32 panics where a wide space stands between an initial and its full stop."""
    pytest.importorskip("sentencex")
    with pytest.raises(DataError, match="use backend=rules"):
        sentences("J\u3000.é猫", backend="sentencex")


def test_without_sentencex_the_line_that_installs_it_is_shown(monkeypatch):
    monkeypatch.setattr(extras, "find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"ragauge\[sent\]"):
        sentences("a", backend="sentencex")


def test_an_unknown_backend_is_an_error():
    with pytest.raises(OptionError, match="rules or sentencex"):
        sentences("a", backend="punkt")  # type: ignore[arg-type]


def test_a_very_long_text_is_cut_by_sentencex_at_line_breaks():
    """Whole, the second text takes the library seconds."""
    pytest.importorskip("sentencex")
    line = "He came. She left.\n"
    assert sentences(line * 1000, backend="sentencex") == sentences(line, backend="sentencex") * 1000
    assert "".join(sentences("(“" * 50_000, backend="sentencex")) == "(“" * 50_000
