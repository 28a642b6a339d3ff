"""BLEU with all its smoothings, and METEOR, against nltk 3.10.4."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from shutil import copytree

import numpy as np
import pytest

import ragauge
from ragauge.errors import OptionError
from tests import fresh
from tests.parity.texts import Texts, batch_of
from tests.repeats import others_long

bleu_score = pytest.importorskip("nltk.translate.bleu_score")

ONE = Texts(seed=3, odd=0.02).samples(200, longest=9)
SEVERAL = Texts(seed=4, odd=0.02).samples(150, longest=9, most=4)
BOTH = pytest.mark.parametrize("samples", [ONE, SEVERAL], ids=["one reference", "several"])
METHODS = [f"method{n}" for n in range(8)]
WEIGHTS = [(0.25,) * 4, (0.5, 0.5, 0, 0), (0.1, 0.2, 0.3, 0.4), (0.2,) * 5, (0.0, 0.5, 0.5)]


def spec(method: str, weights: tuple[float, ...], average: str) -> str:
    written = "/".join(map(repr, weights))
    return f"bleu:compat=nltk,smooth={method},weights={written},order={len(weights)},average={average}"


def cut(samples) -> tuple[list[list[str]], list[list[list[str]]]]:
    answers, references = samples
    return [text.split() for text in answers], [[text.split() for text in several] for several in references]


def peer_scores(method: str, weights: tuple[float, ...], samples) -> list[float]:
    """Return nltk's sentence scores, 0 where its assertion fails."""
    smoothing = getattr(bleu_score.SmoothingFunction(), method)
    scores = []
    for hypothesis, references in zip(*cut(samples), strict=True):
        try:
            scores.append(bleu_score.sentence_bleu(references, hypothesis, weights, smoothing))
        except AssertionError:
            scores.append(0.0)
    return scores


@BOTH
@pytest.mark.parametrize("weights", others_long(WEIGHTS, 2))
@pytest.mark.parametrize("method", METHODS)
def test_sentence_bleu(method, weights, samples):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        expected = peer_scores(method, weights, samples)
    metric = ragauge.parse(spec(method, weights, "samples"))
    assert np.allclose(metric.score(metric.measure(batch_of(*samples))), expected, rtol=0, atol=1e-13)


@BOTH
@pytest.mark.parametrize("weights", others_long(WEIGHTS, 2))
@pytest.mark.parametrize("method", METHODS[:5])
def test_corpus_bleu(method, weights, samples):
    answers, references = samples
    for part in (slice(None), slice(0, 1), slice(1, 4), slice(4, 40), slice(40, 41)):
        piece = answers[part], references[part]
        hypotheses, several = cut(piece)
        smoothing = getattr(bleu_score.SmoothingFunction(), method)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            expected = bleu_score.corpus_bleu(several, hypotheses, weights, smoothing)
        metric = ragauge.parse(spec(method, weights, "pooled"))
        assert metric.score(metric.measure(batch_of(*piece)).totals()) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("method", METHODS[5:])
def test_what_depends_on_the_last_sentence_is_refused_when_pooled(method):
    with pytest.raises(OptionError, match="which sentence comes last"):
        ragauge.parse(f"bleu:compat=nltk,smooth={method}")


@pytest.mark.parametrize("method", METHODS)
def test_range_is_what_identical_text_scores(method):
    text = "a b c d e f g h"
    metric = ragauge.parse(spec(method, (0.25,) * 4, "samples"))
    score = metric.score(metric.measure(batch_of([text], [[text]])))
    assert score == pytest.approx(metric.range[1], abs=1e-12)


def test_two_weights_are_four_with_zeros_up_to_method4():
    short, padded = (
        f"bleu:compat=nltk,smooth=method4,average=samples,weights={text}" for text in (".5/.5", ".5/.5/0/0")
    )
    batch = batch_of(*ONE)
    scores = [(metric := ragauge.parse(text)).score(metric.measure(batch)) for text in (short, padded)]
    assert np.array_equal(*scores)  # type: ignore[arg-type]


GROUPS = [["car", "auto", "automobile"], ["dog", "domestic_dog", "canine"], ["big", "large"], ["run", "running"]]


class Lemma:
    def __init__(self, name: str) -> None:
        self._name = name

    def name(self) -> str:
        return self._name


class Synset:
    def __init__(self, names: list[str]) -> None:
        self._lemmas = [Lemma(name) for name in names]

    def lemmas(self) -> list[Lemma]:
        return self._lemmas


class StubWordNet:
    """Looks words up as they stand."""

    def synsets(self, word: str) -> list[Synset]:
        return [Synset(names) for names in GROUPS if word in names]


def write_wordnet(folder) -> None:
    """Write the groups as nouns in the format of wndb(5WN)."""
    data, offsets = "  1 a header\n", []
    for names in GROUPS:
        offsets.append(len(data))
        words = " ".join(f"{name} 0" for name in names)
        data += f"{len(data):08d} 06 n {len(names):02x} {words} 000 | a gloss\n"
    index = "  1 a header\n"
    for names, offset in zip(GROUPS, offsets, strict=True):
        index += "".join(f"{name} n 1 0 1 0 {offset:08d}\n" for name in names)
    for part in ("noun", "verb", "adj", "adv"):
        (folder / f"data.{part}").write_text(data if part == "noun" else "")
        (folder / f"index.{part}").write_text(index if part == "noun" else "")


@pytest.fixture
def wordnet(tmp_path):
    write_wordnet(tmp_path)
    return tmp_path


def words_of(seed: int, n: int) -> tuple[list[str], list[list[str]]]:
    words = [
        *(word for names in GROUPS for word in names if "_" not in word),
        *["the", "a", "on", "runs", "Dogs", "walked", "walking"],
    ]
    random = np.random.default_rng(seed)

    def text() -> str:
        return " ".join(random.choice(words, size=int(random.integers(0, 12))))

    return [text() for _ in range(n)], [[text() for _ in range(int(random.integers(1, 4)))] for _ in range(n)]


def test_meteor(wordnet):
    meteor_score = pytest.importorskip("nltk.translate.meteor_score").meteor_score
    samples = words_of(seed=8, n=1_000)
    expected = [
        meteor_score(references, answer, wordnet=StubWordNet())
        for answer, references in zip(*cut(samples), strict=True)
    ]
    metric = ragauge.parse(f'meteor:compat=nltk,wordnet="{wordnet}",references_are_words=true')
    assert np.allclose(metric.score(metric.measure(batch_of(*samples))), expected, rtol=0, atol=1e-14)


def test_meteor_looks_up_words_not_stems(wordnet):
    """nltk looks for automobil, which WordNet does not have."""
    batch = batch_of(["a car"], [["a automobile"]])
    options = f'tokenizer=whitespace,stemmer=porter,wordnet="{wordnet}"'
    ours, theirs = (ragauge.parse(f"meteor:{extra}{options}") for extra in ("", "compat=nltk,"))
    assert ours.score(ours.measure(batch)) > 0.9
    assert theirs.score(theirs.measure(batch)) < 0.6


WHOLE_WORDNET = Path("/usr/share/wordnet")
SAMPLES_OF_WORDNET = 10_000
# It takes many seconds, and runs where peers' own tests do.
WANTED = "RAGAUGE_FETCH" in os.environ


@pytest.fixture
def whole_wordnet(tmp_path, monkeypatch):
    """Return the WordNet of Debian's packages, in a folder as nltk reads it."""
    if not WANTED or not (WHOLE_WORDNET / "index.sense").exists():
        pytest.skip("RAGAUGE_FETCH=1 and apt-get install wordnet-base wordnet-sense-index")
    folder = copytree(WHOLE_WORDNET, tmp_path / "corpora/wordnet")
    # nltk reads only below its own folders, and follows no links out of them.
    data = pytest.importorskip("nltk.data")
    monkeypatch.setattr(data, "path", [*data.path, str(tmp_path)])
    # Debian has no lexnames. nltk takes the names of lexicographers' files from it, which METEOR does not read.
    (folder / "lexnames").write_text("".join(f"{number:02}\tname\t1\n" for number in range(45)))
    return folder


def related_words(reader, seed: int, n: int) -> tuple[list[str], list[list[str]]]:
    """Return answers and references of words that WordNet has, their synonyms, and plurals and pasts of both."""
    random = np.random.default_rng(seed)
    lemmas = sorted(name for part in "nvar" for name in reader.all_lemma_names(pos=part) if "_" not in name)
    words = [str(word) for word in random.choice(sorted(set(lemmas)), 400)]
    for word in [*words]:
        words += [lemma.name() for synset in reader.synsets(word)[:2] for lemma in synset.lemmas()[:3]]
    words += [word + str(random.choice(["s", "es", "ed", "ing", "er"])) for word in words]

    def text() -> str:
        return " ".join(random.choice(words[int(random.integers(len(words) - 40)) :][:40], int(random.integers(12))))

    return [text() for _ in range(n)], [[text() for _ in range(int(random.integers(1, 4)))] for _ in range(n)]


@pytest.mark.filterwarnings("ignore:The multilingual functions")
def test_meteor_on_the_whole_wordnet(whole_wordnet):
    meteor_score = pytest.importorskip("nltk.translate.meteor_score").meteor_score
    reader = pytest.importorskip("nltk.corpus.reader.wordnet").WordNetCorpusReader(str(whole_wordnet), None)
    samples = related_words(reader, seed=3, n=SAMPLES_OF_WORDNET)
    expected = [
        meteor_score(references, answer, wordnet=reader) for answer, references in zip(*cut(samples), strict=True)
    ]
    metric = ragauge.parse(f'meteor:compat=nltk,wordnet="{WHOLE_WORDNET}",references_are_words=true')
    assert np.allclose(metric.score(metric.measure(batch_of(*samples))), expected, rtol=0, atol=1e-14)


@BOTH
@pytest.mark.parametrize("order", [2, 4])
@pytest.mark.parametrize("seed", [None, 0], ids=["known", "fresh"])
def test_gleu(order, samples, seed):
    gleu_score = pytest.importorskip("nltk.translate.gleu_score")
    if seed is not None:
        samples = Texts(seed=fresh.seed(), odd=0.02).samples(150, longest=9, most=4)
    answers, references = cut(samples)
    metric = ragauge.parse(f"gleu:compat=nltk,order={order}")
    rows = metric.measure(batch_of(*samples))
    pairs = zip(references, answers, strict=True)
    expected = [gleu_score.sentence_gleu(several, answer, max_len=order) for several, answer in pairs]
    assert np.array_equal(metric.score(rows), expected)
    whole = gleu_score.corpus_gleu(references, answers, max_len=order)
    assert metric.score(rows.totals()) == pytest.approx(whole, rel=1e-14)
