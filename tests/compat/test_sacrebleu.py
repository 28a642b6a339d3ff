"""The drop-in beside sacrebleu 2.6.0: the same counts, and scores of 0 to 100 equal to 1e-11."""

from __future__ import annotations

import pytest

from ragauge.compat import sacrebleu as ours
from ragauge.errors import DataError, OptionError, UnknownNameError
from tests.parity.texts import ODD, Texts
from tests.repeats import others_long

sacrebleu = pytest.importorskip("sacrebleu")

OPTIONS = [
    {}, {"tokenize": "zh"}, {"tokenize": "intl"}, {"tokenize": "char"}, {"tokenize": "none"}, {"lowercase": True},
    {"smooth_method": "floor"}, {"smooth_method": "add-k", "smooth_value": 2}, {"smooth_method": "none"},
    {"max_ngram_order": 2}, {"effective_order": True},
]  # fmt: skip
OF_CHRF = [{}, {"word_order": 2}, {"char_order": 3, "beta": 1}, {"whitespace": True, "lowercase": True}]
OF_CHRF += [{"eps_smoothing": True}]


def samples(n: int) -> tuple[list[str], list[list[str]]]:
    answers, references = Texts(seed=11).samples(n, longest=12, most=3)
    return [*answers, *ODD], [*references, *([odd, "a b"] for odd in reversed(ODD))]


def equal(found: object, expected: object, names: str) -> None:
    for name in names.split():
        assert getattr(found, name) == pytest.approx(getattr(expected, name), rel=0, abs=1e-11), name


@pytest.mark.parametrize("options", others_long(OPTIONS, 4))
def test_bleu_of_one_answer(options: dict[str, object]) -> None:
    for answer, references in zip(*samples(150), strict=True):
        found = ours.BLEU(**options).sentence_score(answer, references)  # type: ignore[arg-type]
        expected = sacrebleu.BLEU(**options).sentence_score(answer, references)
        counts = "" if options.get("smooth_method") == "add-k" else "counts totals"
        equal(found, expected, f"score precisions bp sys_len ref_len ratio {counts}")
        if counts:
            assert str(found) == str(expected)


@pytest.mark.parametrize("options", OPTIONS)
def test_bleu_of_a_corpus(options: dict[str, object]) -> None:
    answers, references = samples(100)
    most = max(map(len, references))
    streams = [[texts[place] if place < len(texts) else None for texts in references] for place in range(most)]
    found, expected = ours.BLEU(**options), sacrebleu.BLEU(**options)  # type: ignore[arg-type]
    equal(found.corpus_score(answers, streams), expected.corpus_score(answers, streams), "score precisions bp ref_len")
    signature = str(expected.get_signature()).partition("|version")[0]
    assert str(found.get_signature()).partition("|version")[0] == signature


@pytest.mark.parametrize("options", others_long(OF_CHRF, 2))
def test_chrf(options: dict[str, object]) -> None:
    answers, references = samples(100)
    found, expected = ours.CHRF(**options), sacrebleu.CHRF(**options)  # type: ignore[arg-type]
    for answer, texts in zip(answers, references, strict=True):
        equal(found.sentence_score(answer, texts), expected.sentence_score(answer, texts), "score")
        assert found.sentence_score(answer, texts).name == expected.sentence_score(answer, texts).name
    streams = [[texts[0] for texts in references]]
    equal(found.corpus_score(answers, streams), expected.corpus_score(answers, streams), "score")
    short = expected.get_signature().format(short=True).partition("|v:")[0]
    assert found.get_signature().format(short=True).partition("|v:")[0] == short


@pytest.mark.parametrize("name", ["sentence_bleu", "sentence_chrf"])
def test_functions_of_one_answer(name: str) -> None:
    for answer, references in zip(*samples(50), strict=True):
        equal(getattr(ours, name)(answer, references), getattr(sacrebleu, name)(answer, references), "score")


@pytest.mark.parametrize("name", ["corpus_bleu", "raw_corpus_bleu", "corpus_chrf"])
def test_functions_of_a_corpus(name: str) -> None:
    answers, references = samples(300)
    streams = [[texts[0] for texts in references]]
    equal(getattr(ours, name)(answers, streams), getattr(sacrebleu, name)(answers, streams), "score")


def test_references_are_kept() -> None:
    answers, references = samples(20)
    streams = [[texts[0] for texts in references]]
    kept = ours.BLEU(references=streams)
    assert kept.corpus_score(answers, None).score == ours.corpus_bleu(answers, streams).score
    assert kept.corpus_score(answers, None).score == kept.corpus_score(answers, None).score


@pytest.mark.parametrize(
    "score", [ours.BLEU().corpus_score(["a b c d e"], [["a b c d f"]]), ours.CHRF().sentence_score("a", ["a"])]
)
@pytest.mark.parametrize("options", [{}, {"width": 4}, {"score_only": True}, {"signature": "a:b|c:d", "is_json": True}])
def test_format(score: ours.metrics.BLEUScore, options: dict[str, object]) -> None:
    theirs = sacrebleu.BLEU().corpus_score(["a b c d e"], [["a b c d f"]])
    if score.name != "BLEU":
        theirs = sacrebleu.CHRF().sentence_score("a", ["a"])
    assert score.format(**options) == theirs.format(**options)  # type: ignore[arg-type]


def test_inputs_are_not_changed() -> None:
    counts, totals = [3, 2, 1, 0], [4, 3, 2, 1]
    scores = {ours.BLEU.compute_bleu(counts, totals, 4, 4, "add-k").score for _ in range(3)}
    assert (counts, totals, len(scores)) == ([3, 2, 1, 0], [4, 3, 2, 1], 1)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda peer: peer.sentence_bleu(["a"], ["a"]), TypeError),
        (lambda peer: peer.sentence_bleu("a", "a"), TypeError),
        (lambda peer: peer.corpus_bleu([3], [["a"]]), TypeError),
        (lambda peer: peer.corpus_bleu(["a"], None), RuntimeError),
        (lambda peer: peer.BLEU().get_signature(), ValueError),
        (lambda peer: peer.BLEU(smooth_method="x"), AssertionError),
        (lambda peer: peer.corpus_ter, None),
    ],
)
def test_errors_are_of_the_same_types(call: object, error: type[Exception] | None) -> None:
    assert callable(call)
    if error is None:
        with pytest.raises(AttributeError, match="Take anything else from sacrebleu"):
            call(ours)
        return
    for peer in (ours, sacrebleu):
        with pytest.raises(error):
            call(peer)


def test_references_that_do_not_fit_are_refused_where_sacrebleu_scores_the_shorter() -> None:
    with pytest.raises(DataError, match="2 hypotheses, but references of 1"):
        ours.corpus_bleu(["a", "b"], [["a"], ["b"]])
    with pytest.raises(DataError, match="different lengths: 1, 2"):
        ours.corpus_bleu(["a", "b"], [["a", "b"], ["b"]])
    with pytest.raises(DataError, match="hypothesis 2 has no reference"):
        ours.corpus_bleu(["a", "b"], [["a", None]])
    with pytest.raises(OptionError, match="n_bootstrap"):
        ours.BLEU().corpus_score(["a"], [["a"]], n_bootstrap=1000)
    with pytest.raises(UnknownNameError, match="tokenizer of BLEU"):
        ours.BLEU(tokenize="spm")
