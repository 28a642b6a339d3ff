"""Options: the fields of a frozen dataclass, to text and back."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ragauge
from ragauge.core.ingredients import Matcher
from ragauge.core.options import build, describe, option_fields, option_texts
from ragauge.errors import OptionError
from ragauge.metrics.parse import parse
from ragauge.metrics.retrieval.ndcg import Ndcg
from ragauge.metrics.text.rouge_l import RougeL
from tests.approved import pattern


@dataclass(frozen=True)
class Many:
    """One option of each type."""

    whole: int = 1
    real: float = 0.5
    flag: bool = False
    text: str = "x"
    choice: Literal["a", "b"] = "a"
    maybe: int | None = None
    weights: tuple[float, ...] = (0.5, 0.5)
    gains: Literal["linear"] | tuple[tuple[float, float], ...] = "linear"
    hidden: int = field(default=1, metadata={"option": False})
    derived: int = field(default=0, init=False)


def no_ingredient(kind: str, text: str) -> Any:
    raise AssertionError((kind, text))


def made(**options: str) -> Many:
    return build(Many, options, "many", no_ingredient)


built = st.builds(
    Many,
    whole=st.integers(-99, 99),
    real=st.floats(allow_nan=False),
    flag=st.booleans(),
    text=st.text(st.characters(exclude_categories=["Cs"]), max_size=9),
    choice=st.sampled_from(["a", "b"]),
    maybe=st.none() | st.integers(),
    weights=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=3).map(tuple),
    gains=st.just("linear") | st.lists(st.tuples(st.floats(0, 9), st.floats(0, 9)), min_size=1, max_size=3).map(tuple),
)


@given(one=built, everything=st.booleans())
def test_text_and_back(one: Many, everything: bool) -> None:
    assert made(**option_texts(one, all_of_them=everything)) == one


def test_only_what_differs_from_its_default_is_written_sorted() -> None:
    assert option_texts(Many(whole=2, flag=True, choice="b")) == {"choice": "b", "flag": "true", "whole": "2"}


def test_hidden_and_derived_fields_are_no_options() -> None:
    assert {"hidden", "derived"}.isdisjoint(field.name for field in option_fields(Many))
    with pytest.raises(OptionError, match=pattern("core.many_has_no_option_hidden_it_takes")):
        made(hidden="2")


@pytest.mark.parametrize(
    ("option", "text", "allowed"),
    [
        ("whole", "1.5", "a whole number"),
        ("real", "much", "a number"),
        ("flag", "yes", "true or false"),
        ("choice", "c", "a or b"),
        ("choice", "none", "a or b"),
        ("maybe", "few", "a whole number or none"),
        ("weights", "1/x", "a number (several joined by '/')"),
        ("gains", "1/2", "linear or pairs a:b joined by '/'"),
    ],
)
def test_a_bad_value_names_option_and_what_is_allowed(option: str, text: str, allowed: str) -> None:
    with pytest.raises(OptionError) as caught:
        made(**{option: text})
    assert str(caught.value) == f"option {option!r} of many must be {allowed}; got {text!r}"


def test_every_type_can_be_described() -> None:
    assert describe(Matcher) == "a matcher"
    assert describe(bytes) == "bytes"


def test_the_members_that_an_ingredient_lacks_are_named() -> None:
    half: Any = SimpleNamespace(signature="half")
    with pytest.raises(OptionError, match="'tokenizer' of rouge-l must be a tokenizer, with encode; got namespace"):
        RougeL(tokenizer=half)


def test_an_empty_text_is_no_ingredient() -> None:
    with pytest.raises(OptionError, match=r"^option 'tokenizer' of rouge-l must be a tokenizer; got ''$"):
        parse("rouge-l:tokenizer=")


def test_the_example_of_a_ranking_metric_is_its_cutoff() -> None:
    with pytest.raises(TypeError, match=r"as in Ndcg\(k=\.\.\.\)"):
        Ndcg(5)  # type: ignore[call-arg]


def test_a_call_reads_of_tuples_where_a_spec_reads_of_joined_texts() -> None:
    with pytest.raises(OptionError, match=r"must be a tuple \(a number from 0 to 1000, \.\.\.\) or none; got \(\)"):
        ragauge.metrics.Bleu(weights=())
    with pytest.raises(
        OptionError, match=r"must be a number from 0 to 1000 \(several joined by '/'\) or none; got '1/x'"
    ):
        ragauge.evaluate([{"answer": "a", "references": ["a"]}], "bleu:weights=1/x")
