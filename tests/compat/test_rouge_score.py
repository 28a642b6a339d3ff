"""The drop-in beside rouge-score 0.1.2: equal to the last bit."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragauge.compat.rouge_score import _few_pairs, rouge_scorer, scoring, tokenizers
from tests.core.test_text_batch import LANGUAGES
from tests.parity.texts import ODD, Texts
from tests.repeats import others_long

peer = pytest.importorskip("rouge_score.rouge_scorer")

WORDS = st.sampled_from(["a", "the", "The", "cat", "Kelvin", "K", "İstanbul", "don't", "1", "茶", "ß", "\n"])
TEXT = st.lists(WORDS, max_size=12).map(" ".join) | st.text(max_size=20)
TYPES = ["rouge1", "rouge2", "rouge3", "rouge9", "rougeL", "rougeLsum"]


class Characters:
    """A tokenizer of one's own."""

    def tokenize(self, text: str) -> list[str]:
        return [char for char in text if not char.isspace()]


def samples() -> list[tuple[str, list[str]]]:
    answers, references = Texts(seed=12, newlines=0.2).samples(60, longest=14, most=3)
    random = Random(1)  # noqa: S311 - no secret is drawn
    mixed = [(text, ["".join(random.sample(text, len(text)))]) for text in LANGUAGES]
    return [*zip(answers, references, strict=True), *mixed, *((odd, [odd]) for odd in ODD)]


@pytest.mark.parametrize("options", others_long([{"use_stemmer": True}, {"tokenizer": Characters()}, {}], 2))
def test_scores(options: dict[str, object]) -> None:
    ours, theirs = rouge_scorer.RougeScorer(TYPES, **options), peer.RougeScorer(TYPES, **options)  # type: ignore[arg-type]
    pairs = samples()
    together = ours.score_all([targets for _, targets in pairs], [prediction for prediction, _ in pairs])
    for row, (prediction, targets) in enumerate(pairs):
        assert ours.score(targets[0], prediction) == theirs.score(targets[0], prediction)
        expected = theirs.score_multi(targets, prediction)
        assert ours.score_multi(targets, prediction) == expected
        assert {name: scores[row] for name, scores in together.items()} == expected


def by_arrays(types: list[str], targets: list[str], predictions: list[str]) -> dict[str, list[scoring.Score]]:
    scorer = rouge_scorer.RougeScorer(types)
    scorer._orders = None
    return scorer.score_all([[target] for target in targets], predictions)


@given(st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=4))
@settings(max_examples=60, deadline=None)
def test_few_pairs_are_scored_by_lists_as_by_arrays(pairs: list[tuple[str, str]]) -> None:
    types = ["rouge1", "rouge2", "rouge4", "rougeL"]
    assert _few_pairs.orders_of(types) == {"rouge1": 1, "rouge2": 2, "rouge4": 4, "rougeL": 0}
    targets, predictions = map(list, zip(*pairs, strict=True))
    scorer, expected = rouge_scorer.RougeScorer(types), by_arrays(types, targets, predictions)
    assert scorer.score_all([[target] for target in targets], predictions) == expected
    assert scorer.score(targets[0], predictions[0]) == {name: scores[0] for name, scores in expected.items()}


def test_the_longest_pairs_are_scored_alike() -> None:
    random = Random(2)  # noqa: S311 - no secret is drawn
    words, types = [f"w{number}" for number in range(60)], ["rouge1", "rouge3", "rougeL"]
    for size in (_few_pairs.MOST_CHARACTERS // 8, _few_pairs.MOST_CHARACTERS // 2):
        target, prediction = (" ".join(random.choices(words, k=size)) for _ in range(2))
        expected = {name: scores[0] for name, scores in by_arrays(types, [target], [prediction]).items()}
        assert rouge_scorer.RougeScorer(types).score(target, prediction) == expected


class CharacterTokenizer:
    def tokenize(self, text: str) -> list[str]:
        return list(text)


@pytest.mark.parametrize(("target", "prediction"), [("a b", "a "), ("a b ", "a \n"), ("茶 ", "茶"), ("\u3000", " a")])
def test_blanks_at_the_end_are_an_own_tokenizers_too(target: str, prediction: str) -> None:
    types = ["rouge1", "rouge2", "rougeL"]
    scorers = [one.RougeScorer(types, tokenizer=CharacterTokenizer()) for one in (rouge_scorer, peer)]
    ours, theirs = (scorer.score(target, prediction) for scorer in scorers)
    assert {name: tuple(ours[name]) for name in types} == {name: tuple(theirs[name]) for name in types}
    # Many texts are arrays of Arrow, few are strings of Python.
    together = scorers[0].score_all([[target]] * 100, [prediction] * 100)
    assert {name: tuple(scores[99]) for name, scores in together.items()} == {n: tuple(theirs[n]) for n in types}


class Blanks:
    def tokenize(self, text: str) -> list[str]:
        return text.split(" ")


class Lengths:
    """A tokenizer that finds something in an empty text, too."""

    def tokenize(self, text: str) -> list[str]:
        return ["text", str(len(text))]


@pytest.mark.parametrize("tokenizer", [CharacterTokenizer(), Blanks(), Lengths()])
@pytest.mark.parametrize("types", [["rougeLsum"], ["rouge1", "rougeL", "rougeLsum"]])
def test_line_ends_reach_an_own_tokenizer_as_there(tokenizer: object, types: list[str]) -> None:
    random = Random(3)  # noqa: S311 - no secret is drawn
    texts = ["".join(random.choices("ab \n\t.", k=random.randrange(9))) for _ in range(200)]
    ours, theirs = (one.RougeScorer(types, tokenizer=tokenizer) for one in (rouge_scorer, peer))
    pairs = list(zip(texts[::2], texts[1::2], strict=True))
    together = ours.score_all([[target] for target, _ in pairs], [prediction for _, prediction in pairs])
    for row, pair in enumerate(pairs):
        expected = {name: tuple(score) for name, score in theirs.score(*pair).items()}
        assert {name: tuple(score) for name, score in ours.score(*pair).items()} == expected
        assert {name: tuple(scores[row]) for name, scores in together.items()} == expected


def test_a_line_end_within_a_sentence_is_a_blank_for_an_own_tokenizer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines are the sentences that are compared, so a sentence cannot keep a line end; rouge-score's can."""
    nltk = pytest.importorskip("nltk")
    monkeypatch.setattr(nltk, "sent_tokenize", lambda text: text.split("|"))
    options = {"tokenizer": CharacterTokenizer(), "split_summaries": True}
    ours, theirs = (one.RougeScorer(["rougeLsum"], **options) for one in (rouge_scorer, peer))
    assert tuple(ours.score("a|b c", "b c|a")["rougeLsum"]) == tuple(theirs.score("a|b c", "b c|a")["rougeLsum"])
    assert ours.score("b\nc", "b c")["rougeLsum"].fmeasure == 1.0
    assert theirs.score("b\nc", "b c")["rougeLsum"].fmeasure == 2 / 3


def test_default_tokenizer() -> None:
    for stem in (False, True):
        ours = tokenizers.DefaultTokenizer(stem)
        theirs = pytest.importorskip("rouge_score.tokenizers").DefaultTokenizer(stem)
        assert all(ours.tokenize(text) == theirs.tokenize(text) for text in [*ODD, *LANGUAGES, "meeting friends"])
        assert isinstance(ours, tokenizers.Tokenizer)


@pytest.mark.parametrize("name", ["rouge0", "rouge10", "rougen", "rougeS"])
def test_unknown_types(name: str) -> None:
    for one in (rouge_scorer, peer):
        with pytest.raises(ValueError, match=name):
            one.RougeScorer([name]).score("a", "a")


def test_wrong_arguments() -> None:
    scorer = rouge_scorer.RougeScorer(["rouge1"])
    with pytest.raises(TypeError, match="must be strings; got int"):
        scorer.score("a", 3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="at least one text"):
        scorer.score_multi([], "a")
    with pytest.raises(ValueError, match="confidence_interval"):
        scoring.BootstrapAggregator(confidence_interval=2)
    with pytest.raises(ValueError, match="n_samples"):
        scoring.BootstrapAggregator(n_samples=0)


def test_aggregates_are_near_those_of_rouge_score() -> None:
    theirs, ours = pytest.importorskip("rouge_score.scoring").BootstrapAggregator(), scoring.BootstrapAggregator()
    random = np.random.default_rng(0)
    for values in random.random((200, 3)).tolist():
        for one in (ours, theirs):
            one.add_scores({"rouge1": scoring.Score(*values)})
    found, expected = ours.aggregate()["rouge1"], theirs.aggregate()["rouge1"]
    for end in ("low", "mid", "high"):
        assert getattr(found, end) == pytest.approx(getattr(expected, end), abs=0.01)
    assert ours.aggregate() == ours.aggregate()
