"""When a passage stands for a reference passage, in many scripts."""

from __future__ import annotations

import inspect
import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragauge.core.ingredients import Matcher
from ragauge.core.ragged import Ragged
from ragauge.core.registry import entries, make_ingredient
from ragauge.errors import OptionError, UsageError
from ragauge.grounding.matchers import FunctionMatcher, normalised

NAMES = ("contains", "edit", "exact", "overlap")
every_matcher = pytest.mark.parametrize("name", NAMES)

# A sentence, and another about something else.
TEXTS = {
    "en": ("The museum opened in 1998.", "Bread is baked at night."),
    "zh": ("博物馆于1998年开放。", "面包在夜里烤好。"),
    "ja": ("博物館は1998年に開館しました。", "パンは夜に焼かれる。"),
    "ko": ("박물관은 1998년에 문을 열었다.", "빵은 밤에 굽는다."),
    "ru": ("Музей открылся в 1998 году.", "Хлеб пекут ночью."),
    "ar": ("افتتح المتحف عام ألف.", "يخبز الخبز ليلا."),
    "hi": ("संग्रहालय 1998 में खुला।", "रोटी रात में पकती है।"),
    "th": ("พิพิธภัณฑ์เปิดในปี 1998", "ขนมปังอบตอนกลางคืน"),
}
every_language = pytest.mark.parametrize("language", TEXTS)


def match(text: str, passages: list[str], references: list[str]) -> list[bool]:
    matcher: Matcher = make_ingredient("matcher", text)
    found = matcher.match(Ragged.of([passages], object), Ragged.of([references], object))
    return [bool(cell) for cell in found]


def test_all_are_tested() -> None:
    assert {name for name in entries("matcher") if name in NAMES} == set(NAMES)


@every_matcher
@every_language
def test_a_passage_matches_itself_and_nothing_else(name: str, language: str) -> None:
    one, other = TEXTS[language]
    assert match(name, [one, other], [one]) == [True, False]


@every_language
def test_contains_either_way_round(language: str) -> None:
    one, other = TEXTS[language]
    assert match("contains", [f"{other} {one}", one[2:-2], other], [one]) == [True, True, False]


@every_language
def test_width_case_and_composition_do_not_matter(language: str) -> None:
    one, _ = TEXTS[language]
    spread = f"  {unicodedata.normalize('NFD', one).upper()}\n\t"
    assert match("exact", [spread], [one]) == [True]
    assert match("contains", [spread.replace("1998", "１９９８")], [one]) == [True]


@every_language
def test_overlap_keeps_what_edit_loses(language: str) -> None:
    one, other = TEXTS[language]
    long = f"{other} {one} {other} {other}"
    assert match("overlap[threshold=0.9]", [long], [one]) == [True]
    assert match("edit[threshold=0.9]", [long], [one]) == [False]


@every_language
def test_edit_forgives_a_letter(language: str) -> None:
    one, _ = TEXTS[language]
    assert match("edit[threshold=0.8]", [f"{one[:3]}x{one[3:]}"], [one]) == [True]
    assert match("exact", [f"{one[:3]}x{one[3:]}"], [one]) == [False]


@every_matcher
def test_empty_texts_match_nothing(name: str) -> None:
    assert match(name, ["", " \n", "a"], ["", "　", "b"]) == [False] * 9


@every_matcher
def test_no_passages_or_no_references(name: str) -> None:
    matcher: Matcher = make_ingredient("matcher", name)
    found = matcher.match(Ragged.of([["a"], [], ["a", "b"], []]), Ragged.of([[], ["a"], ["a"], []]))
    assert found.tolist() == [True, False]
    empty = np.empty(0, dtype=object)
    nothing = Ragged(empty, np.zeros(1, dtype=np.int64))
    assert matcher.match(nothing, nothing).tolist() == []


@every_matcher
@settings(max_examples=30)
@given(data=st.data())
def test_matrices_are_row_by_row(name: str, data: st.DataObject) -> None:
    texts = st.lists(st.sampled_from(["a b", "b", "a b c", "", "猫"]), max_size=4)
    samples = data.draw(st.lists(st.tuples(texts, texts), min_size=1, max_size=4))
    matcher: Matcher = make_ingredient("matcher", name)
    found = matcher.match(
        Ragged.of([row[0] for row in samples], object), Ragged.of([row[1] for row in samples], object)
    )
    expected = [match(name, [p], [r])[0] for passages, references in samples for p in passages for r in references]
    assert [bool(cell) for cell in found] == expected


def test_tokens_of_overlap() -> None:
    assert match("overlap[threshold=0.5]", ["The cat"], ["the cat sat down"]) == [True]
    assert match("overlap[threshold=0.51]", ["The cat"], ["the cat sat down"]) == [False]
    assert match("overlap[threshold=1]", ["cat, (the)"], ["The cat!"]) == [True]
    assert match("overlap[threshold=0.1]", ["..."], ["..."]) == [False]


def test_edit_at_its_threshold() -> None:
    assert match("edit[threshold=0.5]", ["abcd"], ["abxy"]) == [True]
    assert match("edit[threshold=0.51]", ["abcd"], ["abxy"]) == [False]


@pytest.mark.parametrize("name", ["edit", "overlap"])
@pytest.mark.parametrize("threshold", ["0", "1.1", "-1"])
def test_bad_thresholds(name: str, threshold: str) -> None:
    with pytest.raises(
        OptionError, match=f"option 'threshold' of matcher {name!r} must be a number above 0 and up to 1"
    ):
        make_ingredient("matcher", f"{name}[threshold={threshold}]")


@every_matcher
def test_signature_says_what_changes_a_match(name: str) -> None:
    made = make_ingredient("matcher", name)
    assert str(made) == name
    assert made.signature.startswith(name)
    assert f"unicode={unicodedata.unidata_version}" in made.signature
    assert all(f"{option}=" in made.signature for option in inspect.signature(type(made)).parameters)


@given(text=st.text())
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert normalised(normalised(text)) == normalised(text)


@pytest.mark.parametrize("returned", [0.1, [0.0], "no", None, 2])
def test_a_function_that_does_not_say_whether_texts_match_is_refused(returned: object) -> None:
    matcher = FunctionMatcher(lambda passage, reference: returned)
    with pytest.raises(UsageError, match="must return True or False; got"):
        matcher.match(Ragged.of([["茶"]]), Ragged.of([["云南"]]))


@pytest.mark.parametrize("returned", [True, 1, np.bool_(True)])
def test_a_function_may_say_it_by_a_number_or_by_numpy(returned: object) -> None:
    matcher = FunctionMatcher(lambda passage, reference: returned)
    assert matcher.match(Ragged.of([["茶"]]), Ragged.of([["云南"]])).tolist() == [True]
