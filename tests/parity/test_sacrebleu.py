"""BLEU, chrF, chrF++ and TER against sacrebleu 2.6.0: equal statistics, scores equal to 1e-12."""

from __future__ import annotations

import itertools
from functools import cache
from random import Random

import numpy as np
import pytest

import ragauge
from ragauge.core.batch import Batch
from ragauge.core.text_batch import batch_of_texts
from tests import fresh
from tests.parity.texts import Texts, batch_of
from tests.repeats import others_long
from tests.tokenizers.samples import mixed

metrics = pytest.importorskip("sacrebleu.metrics")

Samples = tuple[list[str], list[list[str]]]

SMOOTHINGS = [("exp", None), ("floor", None), ("floor", 0.01), ("add-k", None), ("add-k", 2), ("none", None)]


@cache
def single() -> Samples:
    """Return samples with one reference each."""
    return Texts(seed=1).samples(1_000, longest=14)


@cache
def several() -> Samples:
    """Return samples with one to four references."""
    return Texts(seed=2).samples(400, longest=14, most=4)


def statistics_of_bleu(peer, answers, references) -> np.ndarray:
    """Return (n, 2 + 2 * order): lengths, matches, totals."""
    rows = []
    for answer, texts in zip(answers, references, strict=True):
        cut = [peer._preprocess_segment(text) for text in (answer, *texts)]
        rows.append(peer._compute_segment_statistics(cut[0], peer._extract_reference_info(cut[1:])))
    return np.array(rows)


def columns(rows, order: int) -> np.ndarray:
    names = ["hypothesis_length", "reference_length"]
    names += [f"{side}{n}" for side, n in itertools.product(("match", "total"), range(1, order + 1))]
    return np.stack([rows[name] for name in names], axis=1)


@pytest.mark.parametrize("drawn", [single, several], ids=["one reference", "several"])
def test_bleu_has_the_statistics_and_the_sentence_scores_of_sacrebleu(drawn):
    samples = drawn()
    peer = metrics.BLEU()
    ours = ragauge.parse("bleu:compat=sacrebleu")
    rows = ours.measure(batch_of(*samples))
    expected = statistics_of_bleu(peer, *samples)
    assert np.array_equal(columns(rows, 4), expected)
    for effective in (False, True):
        sentence = ragauge.parse(f"bleu:compat=sacrebleu,effective={str(effective).lower()}")
        peer = metrics.BLEU(effective_order=effective)
        scores = [peer._compute_score_from_stats(row.tolist()).score / 100 for row in expected]
        assert np.allclose(sentence.score(rows), scores, rtol=0, atol=1e-13)


@pytest.mark.parametrize(("smooth", "value"), SMOOTHINGS)
@pytest.mark.parametrize("effective", [False, True])
@pytest.mark.parametrize("order", others_long([4, 2, 1, 6], 2))
def test_smoothing_and_order(smooth, value, effective, order):
    answers, references = (part[:120] for part in several())
    options = {"smooth_method": smooth, "smooth_value": value, "effective_order": effective, "max_ngram_order": order}
    peer = metrics.BLEU(**options)
    expected = [peer.sentence_score(*pair).score / 100 for pair in zip(answers, references, strict=True)]
    spec = f"bleu:compat=sacrebleu,smooth={smooth},effective={str(effective).lower()},order={order}"
    ours = ragauge.parse(spec + (f",smooth_value={value}" if value else ""))
    rows = ours.measure(batch_of(answers, references))  # type: ignore[arg-type]
    assert np.allclose(ours.score(rows), expected, rtol=0, atol=1e-13)


@pytest.mark.parametrize("smooth", ["exp", "floor", "add-k", "none"])
def test_corpus_bleu(smooth):
    answers, references = single()
    score = metrics.BLEU(smooth_method=smooth).corpus_score(answers, [[first for first, *_ in references]])
    ours = ragauge.parse(f"bleu:compat=sacrebleu,smooth={smooth}")
    totals = ours.measure(batch_of(answers, references)).totals()
    assert ours.score(totals) == pytest.approx(score.score / 100, abs=1e-13)
    parts = ours.parts(totals)  # type: ignore[attr-defined]
    assert [parts[f"precision{n}"] * 100 for n in range(1, 5)] == pytest.approx(score.precisions, abs=1e-11)
    assert parts["brevity_penalty"] == pytest.approx(score.bp, abs=1e-14)
    assert (parts["hypothesis_length"], parts["reference_length"]) == (score.sys_len, score.ref_len)


def test_corpus_bleu_with_several_references():
    answers, references = several()
    streams = list(itertools.zip_longest(*references))
    score = metrics.BLEU().corpus_score(answers, [list(stream) for stream in streams]).score
    assert corpus("bleu:compat=sacrebleu", answers, references) == pytest.approx(score / 100, abs=1e-13)


@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_short_identical_text(length):
    text = " ".join("abcd"[:length])
    for effective in ("true", "false"):
        score = metrics.BLEU(effective_order=effective == "true").sentence_score(text, [text]).score
        ours = corpus(f"bleu:compat=sacrebleu,effective={effective}", [text], [[text]])
        assert ours == pytest.approx(score / 100, abs=1e-14)


def test_lower_case():
    texts = ["The CAT sat", "A Dog."], [["the cat SAT down"], ["a dog."]]
    score = metrics.BLEU(lowercase=True).corpus_score(texts[0], [[one for (one,) in texts[1]]]).score
    assert corpus("bleu:compat=sacrebleu,case=lower", *texts) == pytest.approx(score / 100, abs=1e-14)


# In lower case some are more characters, other characters or other marks: dotted I, final sigma, entities of SGML.
CASED = [
    *"İΣKÅẞÀǅϴＡＢabAB01.,-&;<> 猫東京テスト한국어",
    "ΟΔΟΣ",
    "&QUOT;",
    "&Amp;",
    "<SKIPPED>",
    "IT'S",
    "İSTANBUL",
    "GPT-4",
]


THEIRS = {"intl": "intl", "13a": "13a", "sacrebleu-zh": "zh", "char": "char", "whitespace": "none"}
THEIRS |= {"ja": "ja-mecab", "ko": "ko-mecab"}
DICTIONARIES = {"ja": "MeCab", "ko": "mecab_ko"}


@pytest.mark.parametrize("tokenizer", THEIRS)
@pytest.mark.parametrize("several", [False, True], ids=["one sample at a time", "all at once"])
def test_lower_case_of_hostile_text(tokenizer, several):
    pytest.importorskip(DICTIONARIES.get(tokenizer, "sacrebleu"))
    texts = [text or "a" for text in mixed(7, 900 if several else 150, CASED, longest=12)]
    answers, references = texts[::3], [[text, other] for text, other in zip(texts[1::3], texts[2::3], strict=True)]
    expected = statistics_of_bleu(metrics.BLEU(lowercase=True, tokenize=THEIRS[tokenizer]), answers, references)
    metric = ragauge.parse(f"bleu:compat=sacrebleu,case=lower,references_are_words=true,tokenizer={tokenizer}")
    at_once = len(answers) if several else 1
    parts = [slice(first, first + at_once) for first in range(0, len(answers), at_once)]
    found = [columns(metric.measure(batch_of_texts(answers[part], references[part])), 4) for part in parts]
    assert np.array_equal(np.concatenate(found), expected)


def corpus(spec: str, answers: list[str], references: list[list[str]]) -> float:
    metric = ragauge.parse(spec)
    batch: Batch = batch_of(answers, references)
    return float(metric.score(metric.measure(batch).totals()))


CHRF = [
    ("chrf:compat=sacrebleu", {}),
    ("chrf++:compat=sacrebleu", {"word_order": 2}),
    ("chrf:compat=sacrebleu,char_order=3,beta=1,word_order=1", {"char_order": 3, "beta": 1, "word_order": 1}),
    ("chrf:compat=sacrebleu,whitespace=true,case=lower", {"whitespace": True, "lowercase": True}),
    ("chrf++:compat=sacrebleu,epsilon=true", {"word_order": 2, "eps_smoothing": True}),
]


def statistics_of_chrf(peer, answers, references) -> np.ndarray:
    """Return (n, 3 * lengths): hypothesis, reference, match of each length."""
    rows = []
    for answer, texts in zip(answers, references, strict=True):
        made = peer._extract_reference_info([peer._preprocess_segment(text) for text in texts])
        rows.append(peer._compute_segment_statistics(peer._preprocess_segment(answer), made))
    return np.array(rows)


def test_references_that_are_equal_in_per_cent_are_a_tie() -> None:
    answers, references = ["bing"], [["bo 50% ", "bo 50%  bat", "dation  dation bo 50%"]]
    rows = ragauge.parse("chrf:compat=sacrebleu").measure(batch_of(answers, references))
    assert [rows["reference_char1"][0]] == [statistics_of_chrf(metrics.CHRF(), answers, references)[0, 1]] == [5]


@pytest.mark.parametrize(("spec", "options"), CHRF)
@pytest.mark.parametrize("drawn", [single, several], ids=["one reference", "several"])
def test_chrf(spec, options, drawn):
    answers, references = (part[: 500 if options else None] for part in drawn())
    peer = metrics.CHRF(**options)
    ours = ragauge.parse(spec)
    rows = ours.measure(batch_of(answers, references))
    expected = statistics_of_chrf(peer, answers, references)
    names = [name.removeprefix("match_") for name in rows.names if name.startswith("match_")]
    sides = ("hypothesis", "reference", "match")
    found = np.stack([rows[f"{side}_{name}"] for name in names for side in sides], axis=1)
    assert np.array_equal(found, expected)
    scores = [peer._compute_f_score(row.tolist()) / 100 for row in expected]
    assert np.allclose(ours.score(rows), scores, rtol=0, atol=1e-13)
    pooled = peer._compute_f_score(expected.sum(axis=0).tolist()) / 100
    assert ours.score(rows.totals()) == pytest.approx(pooled, abs=1e-13)


TER_OPTIONS = [
    {},
    {"case_sensitive": True},
    {"normalized": True},
    {"no_punct": True},
    {"normalized": True, "asian_support": True},
    {"normalized": True, "no_punct": True, "asian_support": True, "case_sensitive": True},
]


def ter_of(options: dict[str, bool]) -> ragauge.metrics.Ter:
    tokenizer = [f"{name.removesuffix('_support')}=true" for name in options if name != "case_sensitive"]
    cut = f"tercom[{','.join(tokenizer)}]" if tokenizer else "tercom"
    case = ",case=keep" if options.get("case_sensitive") else ""
    return ragauge.parse(f"ter:compat=sacrebleu,tokenizer={cut},references_are_words=true{case}")  # type: ignore[return-value]


@pytest.mark.parametrize("options", TER_OPTIONS)
@pytest.mark.parametrize("drawn", others_long([several, single]), ids=["several", "one reference"])
def test_ter(options, drawn):
    answers, references = (part[:60] for part in drawn())
    odd = [
        text or "a"
        for text in mixed(9, 150, CASED, "、。・！（）ーあアㇰ㌀㈱𠮷", [" ", "'s ", "3-4", "1,5.", "\n"], longest=12)
    ]
    answers, references = [*answers, *odd[::3]], [*references, *zip(odd[1::3], odd[2::3], strict=True)]
    peer, ours = metrics.TER(**options), ter_of(options)
    rows = ours.measure(batch_of(answers, [*map(list, references)]))
    expected, scores, cut = [], ours.score(rows), peer._preprocess_segment
    for row, (answer, texts) in enumerate(zip(answers, references, strict=True)):
        once = [*map(cut, texts)]
        expected.append(peer._compute_segment_statistics(cut(answer), {"ref_words": [*map(str.split, once)]}))
        # sacrebleu itself cuts references twice, which is seen at ``..5`` only, and not in answers.
        if [*map(cut, once)] == once:
            assert scores[row] == pytest.approx(peer.sentence_score(answer, texts).score / 100, abs=1e-13)
    assert np.array_equal(np.stack([rows["edits"], rows["length"]], axis=1), expected)
    whole = peer._compute_score_from_stats(np.sum(expected, axis=0).tolist()).score / 100
    assert ours.score(rows.totals()) == pytest.approx(whole, abs=1e-13)


def shuffled(seed: int, n: int, longest: int) -> list[tuple[list[str], list[str]]]:
    """Return pairs of lists of words: few or many different ones, some dropped or doubled, and blocks moved."""
    draw = Random(seed)  # noqa: S311 - no secret is drawn
    pairs = []
    for _ in range(n):
        words = list(map(str, range(draw.choice([2, 4, 8, 20, 60]))))
        reference = draw.choices(words, k=draw.randint(0, longest))
        answer = draw.choices(words, k=draw.randint(0, longest))
        if draw.random() < 0.7:
            answer = [word for word in reference for _ in range(draw.choice([0, 1, 1, 1, 1, 1, 1, 2]))]
            for _ in range(draw.randint(0, 4)):
                first, last = sorted(draw.choices(range(len(answer) + 1), k=2))
                block, rest = answer[first:last], answer[:first] + answer[last:]
                place = draw.randint(0, len(rest))
                answer = rest[:place] + block + rest[place:]
        pairs.append((answer, reference))
    return pairs


# Few whose distance is beyond the beam: sacrebleu takes a second. 20,000 pairs: tests/parity/test_many_edits.py.
@pytest.mark.parametrize(("seed", "n", "longest"), [(None, 1_000, 12), (None, 12, 40), (3, 1, 120)])
def test_ter_of_shuffled_words(seed, n, longest):
    edit_rate = pytest.importorskip("sacrebleu.metrics.lib_ter").translation_edit_rate
    pairs = shuffled(fresh.seed() if seed is None else seed, n, longest)
    rows = ter_of({}).measure(batch_of([" ".join(one) for one, _ in pairs], [[" ".join(one)] for _, one in pairs]))
    expected = [edit_rate(*pair) for pair in pairs]
    assert np.array_equal(np.stack([rows["edits"], rows["length"]], axis=1), expected)


def test_ter_of_texts_of_very_different_length():
    """The beam grows with the ratio of lengths, beyond 50."""
    edit_rate = pytest.importorskip("sacrebleu.metrics.lib_ter").translation_edit_rate
    for pair in [(["a", "b", "c"], ["a", "x", "b"] * 90), (["a", "x", "b"] * 40, ["b", "a"]), (["q"], ["z"] * 120)]:
        texts = [" ".join(words) for words in pair]
        assert ter_of({}).measure(batch_of(texts[:1], [texts[1:]]))["edits"].tolist() == [edit_rate(*pair)[0]]


@pytest.mark.parametrize("drawn", [single, several], ids=["one reference", "several"])
def test_length_ratio(drawn):
    answers, references = drawn()
    streams = [list(stream) for stream in itertools.zip_longest(*references)]
    score = metrics.BLEU().corpus_score(answers, streams)
    rows = ragauge.parse("length-ratio:compat=sacrebleu").measure(batch_of(answers, references))
    assert (rows["answer"].sum(), rows["reference"].sum()) == (score.sys_len, score.ref_len)
    assert corpus("length-ratio:compat=sacrebleu", answers, references) == pytest.approx(score.ratio, rel=1e-15)
