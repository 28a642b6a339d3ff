"""Several references, none, and lists of words given for one."""

from __future__ import annotations

import time

import numpy as np
import pytest

import ragauge
from ragauge.core.statistics import Status
from ragauge.errors import DataError, OptionError
from ragauge.metrics.text._references import _count_apart, too_long, too_many
from tests.parity.texts import batch_of

ALL = ["bleu", "rouge-1", "rouge-l", "rouge-lsum", "chrf", "token-f1", "exact-match", "edit-similarity", "meteor"]
ANSWERS = ["a b c d e", "x y z", "a b"]
REFERENCES = [["q r s", "a b c d e"], [], ["a b"]]


@pytest.mark.parametrize("spec", ALL)
def test_best_reference_counts_and_none_is_undefined(spec):
    metric = ragauge.parse(spec)
    rows = metric.measure(batch_of(ANSWERS, REFERENCES))
    assert rows.status.tolist() == [Status.OK, Status.UNDEFINED, Status.OK]
    assert (metric.score(rows)[[0, 2]] > 0.5).all()


@pytest.mark.parametrize("spec", ALL)
def test_no_samples_and_no_references(spec):
    metric = ragauge.parse(spec)
    assert len(metric.measure(batch_of([], []))) == 0
    assert metric.measure(batch_of(["a", "b"], [[], []])).status.tolist() == [Status.UNDEFINED] * 2


@pytest.mark.parametrize("spec", ALL)
def test_nulls_count_as_empty(spec):
    metric = ragauge.parse(spec)
    rows = metric.measure(batch_of([None, "a b"], [["b"], None]))  # type: ignore[list-item]
    assert rows.status.tolist() == [Status.OK, Status.UNDEFINED]
    assert metric.score(rows)[0] == 0


def test_ways_to_combine():
    batch = batch_of(["a b c d"], [["a b", "a b c d"]])
    found = {way: ragauge.parse(f"rouge-1:references={way}") for way in ("max", "mean", "first")}
    scores = {way: float(metric.score(metric.measure(batch))[0]) for way, metric in found.items()}
    assert scores == pytest.approx({"max": 1.0, "mean": (2 / 3 + 1) / 2, "first": 2 / 3})


def test_mean_has_no_pooled_form():
    with pytest.raises(OptionError, match="references=mean"):
        ragauge.parse("rouge-1:references=mean,average=pooled")


WORDS = [
    ("there is a cat on the mat", ["the", "cat", "is", "on", "the", "mat"]),
    ("一只猫在垫子上", ["一只", "猫", "在", "垫子", "上"]),
    ("it costs 5 dollars .", ["it", "is", "5", "dollars", "."]),
]
NAMES = [
    ("The capital of France is Paris, of course.", ["Paris"]),
    ("It was written by Twain in 1884.", ["Twain", "Clemens", "Samuel"]),
    ("It is Paris", ["Paris", "Lutetia Parisiorum", "Paname"]),
    ("Paris", ["Paris", "Lutetia", "Paname"]),
    ("yes, it is so", ["yes", "yeah", "yep"]),
    ("The game took place in Denver.", ["Denver", "Denver", "Denver"]),
    ("The Broncos of Denver won it.", ["Denver", "Denver", "Broncos"]),
    ("British colour is American color.", ["colour", "color", "Colour"]),
    ("It was founded in the USA.", ["USA", "US", "America"]),
    ("总部位于北京市朝阳区", ["北京", "北京市", "京"]),
    ("The right answer is A, I think.", ["A", "a", "(A)"]),
    ("Paris is Paris, and Paris stays Paris.", ["Paris", "Lutetia", "Paname"]),
    ("北京就是北京，北京人都这么说。", ["北京", "燕京", "北平"]),
]


@pytest.mark.parametrize("spec", ["bleu", "rouge-1", "rouge-l", "rouge-lsum", "chrf", "meteor"])
@pytest.mark.parametrize(("answer", "words"), WORDS)
def test_words_given_for_a_reference(spec, answer, words):
    with pytest.raises(DataError, match="list of whole texts"):
        ragauge.parse(spec).measure(batch_of([answer], [words]))
    metric = ragauge.parse(f"{spec}:references_are_words=true")
    assert np.isfinite(metric.score(metric.measure(batch_of([answer], [words])))).all()


def test_words_are_shown_with_the_beginning_of_their_answer():
    words = ["the", "cat", "is", "on", "the", "mat", "today"]
    with pytest.raises(DataError) as caught:
        ragauge.parse("bleu").measure(batch_of(["there is a cat on the mat, and it will not leave"], [words]))
    shown = f"of 'there is a cat on the mat, and it will n': {words[:6]} look like the words of one reference"
    assert list(caught.value.problems) == [shown]


def test_three_words_may_be_those_of_one_text_and_two_may_not():
    with pytest.raises(DataError, match="list of whole texts"):
        ragauge.parse("bleu").measure(batch_of(["the cat is here"], [["the", "cat", "is"]]))
    ragauge.parse("bleu").measure(batch_of(["the cat is here"], [["the", "cat"]]))


def test_the_first_300_words_decide_whether_they_are_those_of_one_text():
    said, unsaid = ([f"{letter}{number}" for number in range(160)] for letter in "ab")
    batch = batch_of([" ".join(said)], [[*unsaid[:150], *said[:150], unsaid[150]]])
    with pytest.raises(DataError, match="list of whole texts"):
        ragauge.parse("bleu").measure(batch)
    ragauge.parse("bleu").measure(batch_of([" ".join(said)], [[*unsaid[:151], *said[:150]]]))


@pytest.mark.parametrize(("answer", "names"), NAMES)
def test_names_given_for_a_reference(answer, names):
    ragauge.parse("rouge-1").measure(batch_of([answer], [names]))


def test_few_samples_of_many_do_not_count():
    answers = [WORDS[0][0], *(["a long answer to a question"] * 3)]
    ragauge.parse("bleu").measure(batch_of(answers, [WORDS[0][1], *([["one"]] * 3)]))


def test_half_of_the_samples_are_enough():
    answers, references = [WORDS[0][0], "a long answer to a question"], [WORDS[0][1], ["one"]]
    with pytest.raises(DataError, match="list of whole texts"):
        ragauge.parse("bleu").measure(batch_of(answers, references))


def test_names_that_hold_each_other_are_counted_longest_first():
    """Were 北京 taken out first, nothing would be left of 北京市."""
    assert _count_apart("北京市 北京", {"北京", "北京市"}) == 2
    assert _count_apart("北京市", {"北京", "北京市"}) == 1


def test_very_many_references_beside_a_long_answer_fail_alone() -> None:
    words = " ".join(f"w{number}" for number in range(40_000))
    many = [f"w{number} w{number + 1}" for number in range(20_000)]
    rows = [
        {"id": "long", "answer": words, "references": many},
        {"id": "plain", "answer": "a b", "references": ["a b", "c"]},
    ]
    names = ["token-f1", "rouge-1", "rouge-l", "rouge-lsum", "meteor", "chrf", "edit-similarity"]
    started = time.process_time()
    result = ragauge.evaluate(rows, names, resamples=0)
    for name in names:
        assert result.statuses(name).tolist() == ["failed", "ok"]
        assert "too long" in result.reasons(name)[0]
        assert result.scores(name)[1] > 0.9
    exact = ragauge.evaluate(rows, ["exact-match", "bleu"], resamples=0)
    assert exact.statuses("exact-match").tolist() == exact.statuses("bleu").tolist() == ["ok", "ok"]
    assert time.process_time() - started < 20


MILLION = 1 << 20


@pytest.mark.parametrize(
    ("answer", "references", "many"),
    [
        # 4 Mi tokens of answers beside references, or four times the tokens of the sample.
        (MILLION, [0, 0, 0, 0], False),
        (MILLION, [0, 0, 0, 0, 0], True),
        (MILLION, [MILLION // 4, 0, 0, 0, 0], False),
        (MILLION, [MILLION // 4 - 1, 0, 0, 0, 0], True),
        (4 * MILLION, [0], False),
        (4 * MILLION + 1, [0], False),
        (5 * MILLION, [1, 1, 1, 1], False),
        (5 * MILLION, [0, 0, 0, 0, 0], True),
    ],
)
def test_answers_that_would_be_repeated_too_often(answer, references, many):
    lengths, owner = np.array([*references, 3]), np.array([*[0] * len(references), 1])
    assert too_many(np.array([answer, 7]), lengths, owner).tolist() == [*[many] * len(references), False]


@pytest.mark.parametrize(("reference", "long"), [(64 * 64, False), (64 * 64 + 1, True), (64 * 64 - 63, False)])
def test_comparisons_that_would_take_too_many_steps(reference, long):
    """2^31 steps, each of a token or character with 64 others, over all references of a sample."""
    answers, owner = np.array([1 << 25, 5, 1 << 24, 1 << 24]), np.array([0, 1, 2, 2])
    alone, together = np.array([reference, 9, 64, 64]), np.array([1, 1, reference, reference])
    assert too_long(answers, alone, owner).tolist() == [long, False, False, False]
    assert too_long(answers, together, owner).tolist() == [False, False, long, long]
