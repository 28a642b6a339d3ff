"""The text form of metrics: what it means, what it refuses, and that it survives a round trip."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragauge.core.spec import parse_ingredient, parse_spec, quoted, unquoted
from ragauge.errors import RagaugeError, UsageError
from ragauge.metrics.parse import parse, parse_all
from tests.approved import pattern

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
names = st.from_regex(r"[a-z][a-z_-]{0,8}", fullmatch=True)


@given(text=texts)
def test_quoting_round_trip(text: str) -> None:
    assert unquoted(quoted(text)) == text


@given(name=names, options=st.dictionaries(names, texts, min_size=1, max_size=4))
def test_quoted_options_round_trip(name: str, options: dict[str, str]) -> None:
    text = f"{name}:" + ",".join(f"{key}={quoted(value)}" for key, value in options.items())
    assert {key: unquoted(value) for key, value in parse_spec(text).options.items()} == options


@given(name=texts.filter(bool))
def test_any_column_name_round_trips_through_a_metric(name: str) -> None:
    metric = parse(f"column:name={quoted(name)}")
    assert parse(str(metric)) == metric
    assert metric.needs == ((name,),)


@given(text=st.text(st.sampled_from('nd@:,=[]" 10ag'), max_size=12))
def test_nothing_but_a_usage_error_comes_of_any_text(text: str) -> None:
    with suppress(RagaugeError):
        parse_all(text)


def test_several_cutoffs_are_several_metrics_with_the_same_options() -> None:
    found = parse_all("ndcg@1, 3,5,10:gain=exp")
    assert list(found) == [f"ndcg@{k}:gain=exp" for k in (1, 3, 5, 10)]
    assert [str(metric) for metric in found.values()] == list(found)


def test_brackets_hold_an_ingredients_own_options() -> None:
    spec = parse_spec('m:a=st[model="x,y",batch=8],b=2')
    assert spec.options == {"a": 'st[model="x,y",batch=8]', "b": "2"}
    assert parse_ingredient(spec.options["a"]).options == {"model": '"x,y"', "batch": "8"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "a name is missing"),
        ("@3", "a name is missing"),
        ("ndcg@", "nothing follows '@'"),
        ("ndcg[gain=exp]@10", "a metric's options follow ':': ndcg@10:gain=exp"),
        ("ndcg@1,", "a value is missing beside ','"),
        ("ndcg:", "'' is not key=value"),
        ("ndcg:gain", "'gain' is not key=value"),
        ("ndcg:=exp", "'=exp' is not key=value"),
        ("ndcg:gain=exp,gain=exp", "'gain' is given twice"),
        ('ndcg:gain="exp', "a quote is not closed"),
        ("ndcg:gain=[exp", "']' is missing"),
        ("ndcg:gain=exp]", "']' without '['"),
        ("ndcg@1,3", "stands for 2 metrics; give one here"),
        ("ndcg@3:k=4", "gives 'k' twice, by '@' and by name; give it once"),
        ("ndgc", "unknown metric 'ndgc'; did you mean ndcg?"),
        ("ndcg:gian=exp", "ndcg has no option 'gian'; did you mean gain?; it takes"),
        ("ndcg@0", "option 'k' of ndcg must be a whole number from 1 to 1000000 or none; got 0"),
        ("ndcg@ten", "option 'k' of ndcg must be a whole number from 1 to 1000000 or none; got 'ten'"),
        ("ndcg:ties=none", "must be docid-desc, docid-asc, input or mean; got 'none'"),
        ("ndcg:matcher=contans", "unknown matcher 'contans'; did you mean contains?"),
        ("ndcg:compat=sacrebleu", "option 'compat' of ndcg must be left out: it has no presets"),
        ("r-precision@3", "r-precision has no option '@3'; it takes"),
        ("column", "must be the name of a numeric column, as in column:name=latency"),
    ],
)
def test_misuse_is_said_in_one_sentence(text: str, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(text)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_form_is_shown_where_the_grammar_is_broken() -> None:
    with pytest.raises(UsageError, match=pattern("core.cannot_read_ndcg_gain_gain_is_not")):
        parse("ndcg:gain")


@pytest.mark.parametrize(("ingredient", "says"), [("st[", "']' is missing"), ("[a=b]", "a name is missing")])
def test_misuse_of_ingredients(ingredient: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        parse_ingredient(ingredient)


def test_pairs_of_an_ingredient_and_a_number() -> None:
    metric = parse('semantic-similarity:embedder=blend[parts=lexical:2/http[url="http://a/v1,b",model=m/n:x]:.5]')
    text = 'blend[parts=lexical:2/http[model=m/n:x,url="http://a/v1,b"]:0.5]'
    assert str(metric) == f"semantic-similarity:embedder={text}"
    assert parse(str(metric)) == metric


def test_shared_options_fill_what_a_spec_leaves_open() -> None:
    metrics = parse_all("ndcg@1,3:matcher=exact", {"matcher": "edit"}) | parse_all("mrr", {"matcher": "edit"})
    assert [str(metric) for metric in metrics.values()] == [
        "ndcg@1:matcher=exact",
        "ndcg@3:matcher=exact",
        "mrr:matcher=edit",
    ]
    assert str(parse("bleu", {"matcher": "edit"})) == "bleu"
