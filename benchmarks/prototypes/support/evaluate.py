"""Fit the models of support on the development halves, and print all tables of README.md.

    python benchmarks/prototypes/support/evaluate.py

Reads corpora/probes (even places only), and WiCE and SummEval in shared/data (or $RAGAUGE_SHARED_DATA; tuning halves
only). Takes half a minute on one core. Nothing is kept in files.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parents[2]))

import features
import numpy as np
import probes

import ragauge
from ragauge.sentences import sentences

sys.argv.append("--tuning")  # validity reads it when it is imported: the half to choose by
import validity  # noqa: E402

LANGUAGES, KINDS, TODAY = probes.LANGUAGES, probes.KINDS, "groundedness:soft=true"
FITTED = (*probes.CHANGED, "number_format")
"""Kinds whose pairs are seen in a fit: a paraphrase that is wrong keeps the passage's words, and is in no pair."""

CHOSEN = (
    "today", "near", "absent_share*k", "quant_absent*k", "not_added*k", "not_dropped*k", "lost*s", "quant_lost",
    "cue_lost", "name_absent",
)  # fmt: skip
"""Features of model A."""
MATCH = ("today", "near", "name_absent")
AGAINST = (
    "absent_share*k", "quant_absent*k", "not_added*k", "not_dropped*k", "lost*k", "quant_lost*k", "cue_lost*k",
)  # fmt: skip
"""Features of the two steps of model B."""
POSITIVE = {"today", "today2", "recall", "near", "near*n", "order", "wide", "number_share"}
POINT_WEIGHTS = {"paraphrase": 8.0, "unrelated": 8.0}
RIDGE, SWEEPS = 1.0, 300
TOP, SLOPE, WRONG = 4.0, 0.3, 0.3
"""Of model B: where the match is bent and to which slope; weight of a wrong claim of the probes."""


# --- data ------------------------------------------------------------------------------------------------------------
def probe_rows() -> Iterator[tuple[str, int, str, int, str, str]]:
    """Yield (language, place, kind, side, passage, claim) of the development half, with copies and unrelated claims.

    Side 0 is supported, side 1 is not.
    """
    for language in LANGUAGES:
        rows = probes.read(language)[0::2]
        for place, row in enumerate(rows):
            for kind in KINDS:
                for side in (0, 1):
                    yield language, place, kind, side, row["passage"], row[kind][side]
            far = rows[(place + 7) % len(rows)]
            for kind in ("number", "entity", "quantifier", "negation"):
                yield language, place, "unrelated", 1, far["passage"], row[kind][0]
            for sentence in sentences(row["passage"]):
                yield language, place, "copy", 0, row["passage"], sentence


def corpus_rows(name: str, samples: Sequence[dict]) -> Iterator[tuple[str, int, str, str]]:
    """Yield (corpus, sample, passage, claim sentence)."""
    for number, sample in enumerate(samples):
        for sentence in sentences(sample["answer"]) or [sample["answer"]]:
            yield name, number, "\n\n".join(sample["contexts"]), sentence


def today(pairs: Sequence[tuple[str, str]]) -> np.ndarray:
    """Return today's score of (passage, claim) pairs, the claim as one answer."""
    distinct = list(dict.fromkeys(pairs))
    samples = [{"id": str(i), "answer": claim, "contexts": [passage]} for i, (passage, claim) in enumerate(distinct)]
    scores = dict(zip(distinct, ragauge.evaluate(samples, [TODAY], resamples=0).scores(TODAY), strict=True))
    return np.array([scores[pair] for pair in pairs])


def timed_features(pairs: Sequence[tuple[str, str]]) -> tuple[np.ndarray, float]:
    """Return the features of (passage, claim) pairs, and the seconds that a pair took."""
    begun = time.process_time()
    rows = [list(features.features(claim, passage).values()) for passage, claim in pairs]
    return np.array(rows), (time.process_time() - begun) / len(rows)


class Data:
    """The features of all pairs, with what is known of each: first those of the probes, then those of the corpora."""

    def __init__(self) -> None:
        self.wice, self.wice_in_part = list(validity.claims())[:2]
        self.summeval = next(validity.summaries())
        self.probes = list(probe_rows())
        self.rows = [*corpus_rows("wice", self.wice.samples), *corpus_rows("summeval", self.summeval.samples)]
        short, long = [row[4:6] for row in self.probes], [row[2:4] for row in self.rows]
        (one, short_cost), (two, long_cost) = timed_features(short), timed_features(long)
        self.matrix, self.base, self.cost = np.concatenate([one, two]), today([*short, *long]), (short_cost, long_cost)
        self.n = len(self.probes)
        self.language, self.place, self.kind, self.side = (np.array([row[i] for row in self.probes]) for i in range(4))
        self.corpus, self.sample = (np.array([row[i] for row in self.rows]) for i in range(2))
        self.grade = (self.wice.label + self.wice_in_part.label) / 2
        self.pairs = list(self._pairs())

    def _pairs(self) -> Iterator[tuple[str, int, str, int, int]]:
        """Yield (language, place, kind, row of the supported claim, row of the other)."""
        index: dict[tuple, int] = {}
        for i, row in enumerate(self.probes):
            index.setdefault(row[:4], i)
        supported = [key[:3] for key in index if key[3] == 0]
        for language, place, kind in supported:
            if kind in KINDS:
                yield language, place, kind, index[language, place, kind, 0], index[language, place, kind, 1]
        for language, place, kind in supported:
            if kind in probes.CHANGED:
                paraphrase = index[language, place, "paraphrase", 0]
                yield language, place, "hard", paraphrase, index[language, place, kind, 1]

    def design(self, names: Sequence[str]) -> np.ndarray:
        """Return the matrix (pairs, 1 + names): an intercept and the features, some scaled by the match (README.md)."""
        values = {name: self.matrix[:, i] for i, name in enumerate(features.NAMES)}
        values |= {"today": self.base, "today2": self.base**2}
        near, size = values["near"], values["size"]
        scale = {"n": near, "s": np.sqrt(near), "k": near * np.minimum(1, 10 / np.maximum(size, 1))}
        columns = []
        for name in names:
            plain, _, by = name.partition("*")
            columns.append(values[plain] * scale[by] if by else values[plain])
        return np.column_stack([np.ones(len(self.base)), *columns])

    def wice_rows(self, held_out: Sequence[int] = ()) -> np.ndarray:
        """Return the rows of WiCE among those of the corpora, but for some of them."""
        return np.delete(np.flatnonzero(self.corpus == "wice"), np.asarray(held_out, dtype=int))

    def chosen_pairs(self, languages: Sequence[str], kinds: Sequence[str]) -> np.ndarray:
        """Return the rows of supported and unsupported claims that a fit sees, (pairs, 2)."""
        found = [(a, b) for language, _, kind, a, b in self.pairs if language in languages and kind in kinds]
        return np.array(found, dtype=int).reshape(-1, 2)


# --- models ----------------------------------------------------------------------------------------------------------
def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def fit(points, labels, weights, differences, pair_weight, signs, offsets=(0.0, 0.0), *, intercept=True):
    """Fit a logistic model of points (intercept first) and of differences of pairs; coefficients keep their signs.

    Newton's step on one coefficient at a time, held at zero where it would cross; the sum is convex.
    """
    n = points.shape[1]
    beta, penalty = np.zeros(n), np.r_[1e-6, np.full(n - 1, RIDGE)]
    one, two = points @ beta + offsets[0], differences @ beta + offsets[1]
    for _ in range(SWEEPS):
        moved = 0.0
        for j in range(0 if intercept else 1, n):
            p, q = sigmoid(one), sigmoid(two)
            gradient = points[:, j] @ (weights * (labels - p)) + differences[:, j] @ (pair_weight * (1 - q))
            gradient -= penalty[j] * beta[j]
            curve = points[:, j] ** 2 @ (weights * p * (1 - p)) + differences[:, j] ** 2 @ (pair_weight * q * (1 - q))
            curve += penalty[j]
            new = beta[j] + np.clip(gradient / curve, -2, 2)
            if signs[j] and new * signs[j] < 0:
                new = 0.0
            one += points[:, j] * (new - beta[j])
            two += differences[:, j] * (new - beta[j])
            moved, beta[j] = max(moved, abs(new - beta[j])), new
        if moved < 1e-4:
            break
    return beta


def train(data: Data, names, *, languages=LANGUAGES, kinds=FITTED, wice=1.0, pairs=1.0, held_out=()):
    """Fit one logistic model on the development halves; languages, kinds and rows of WiCE may be left out.

    Points: supported claims, copies, unrelated claims, WiCE (supported or not). The wrong claims of the probes are
    seen in pairs beside the right ones only, because half of all claims being subtly wrong is no rate to learn.
    Returns the coefficients and the matrix.
    """
    x, n = data.design(names), data.n
    right = (data.side == 0) & np.isin(data.kind, [*kinds, "paraphrase", "copy"]) | (data.kind == "unrelated")
    rows = np.flatnonzero(right & np.isin(data.language, languages))
    weight = 0.2 * np.array([POINT_WEIGHTS.get(kind, 1.0) for kind in data.kind[rows]])
    first = data.wice_rows(held_out)
    points = np.vstack([x[:n][rows], x[n:][first]])
    labels = np.r_[(data.side[rows] == 0).astype(float), data.grade[data.sample[first]]]
    weight = np.r_[weight, np.full(len(first), wice)]
    chosen = data.chosen_pairs(languages, kinds)
    signs = np.array([0, *[1 if name in POSITIVE else -1 for name in names]])
    return fit(points, labels, weight, x[chosen[:, 0]] - x[chosen[:, 1]], pairs, signs), x


def one_step(data: Data, names, **options):
    """Fit model A with the features ``names``; return the scores of all pairs, and the coefficients."""
    beta, x = train(data, names, **options)
    return sigmoid(x @ beta), beta


def bend(g: np.ndarray) -> np.ndarray:
    """Return the match, in logits, with a slope that falls from 1 to SLOPE at TOP."""
    return g - (1 - SLOPE) * np.logaddexp(0, g - TOP)


def two_steps(data: Data, *, languages=LANGUAGES, kinds=FITTED, held_out=()):
    """Fit model B: the match first, on claims that are supported or on another topic; then what stands against it.

    Returns the scores of all pairs, and the coefficients of both.
    """
    beta, x = train(data, MATCH, languages=languages, kinds=kinds, pairs=0.0, held_out=held_out)
    match, y, wice = bend(x @ beta), data.design(AGAINST), data.wice_rows(held_out)
    used = np.isin(data.kind, kinds) | (data.kind == "paraphrase") & (data.side == 0)
    used &= np.isin(data.language, languages)
    rows = np.r_[np.flatnonzero(used), data.n + wice]
    labels = np.r_[(data.side[used] == 0) * 1.0, data.grade[data.sample[wice]]]
    weight = np.r_[np.where(data.side[used] == 0, 1.0, WRONG) * 0.5, np.ones(len(wice))]
    right, wrong = data.chosen_pairs(languages, kinds).T
    offsets = (match[rows], match[right] - match[wrong])
    signs = -np.ones(y.shape[1])
    gamma = fit(y[rows], labels, weight, y[right] - y[wrong], 1.0, signs, offsets, intercept=False)
    return sigmoid(match + y @ gamma), (beta, gamma)


# --- measures --------------------------------------------------------------------------------------------------------
def resampled(values: np.ndarray, clusters: np.ndarray, draws: int = 500) -> tuple[float, float]:
    """Return a 95 % interval of the mean over resampled clusters."""
    clusters = np.unique(clusters, return_inverse=True)[1]
    sums, counts = np.bincount(clusters, values), np.bincount(clusters)
    drawn = np.random.default_rng(0).integers(0, len(sums), (draws, len(sums)))
    low, high = np.percentile(sums[drawn].sum(1) / counts[drawn].sum(1), [2.5, 97.5])
    return float(low), float(high)


def ordered(data: Data, scores: np.ndarray) -> dict[tuple[str, str], list[tuple[float, int]]]:
    """Return {(kind, language): [(1 if ordered rightly, .5 if equal, else 0; place)]}."""
    scores, out = np.round(scores, 9), {}
    for language, place, kind, a, b in data.pairs:
        out.setdefault((kind, language), []).append(((np.sign(scores[a] - scores[b]) + 1) / 2, place))
    return out


def corpus_scores(data: Data, scores: np.ndarray) -> list[np.ndarray]:
    """Return the mean over sentences of each sample of WiCE and of SummEval."""
    out = []
    for name, size in (("wice", len(data.wice.samples)), ("summeval", len(data.summeval.samples))):
        own = data.corpus == name
        sums = np.bincount(data.sample[own], scores[data.n :][own], size)
        out.append(sums / np.maximum(np.bincount(data.sample[own], minlength=size), 1))
    return out


def paraphrase_ratio(data: Data, scores: np.ndarray) -> np.ndarray:
    """Return the scores of supported paraphrases over today's."""
    own = (data.kind == "paraphrase") & (data.side == 0)
    return scores[: data.n][own] / data.base[: data.n][own]


# --- what is printed -------------------------------------------------------------------------------------------------
def table(data: Data, scores: np.ndarray, title: str) -> None:
    """Print shares by kind and language."""
    found = ordered(data, scores)
    print(f"| {title} | {' | '.join(LANGUAGES)} | mean | interval |")
    print(f"|---|{'--:|' * (len(LANGUAGES) + 2)}")
    for kind in [*KINDS, "hard"]:
        shares = [np.mean([value for value, _ in found[kind, language]]) for language in LANGUAGES]
        both = np.array([pair for language in LANGUAGES for pair in found[kind, language]])
        low, high = resampled(both[:, 0], both[:, 1])
        means = " | ".join(f"{100 * share:.0f}" for share in [*shares, np.mean(shares)])
        print(f"| {kind} | {means} | {100 * low:.0f}-{100 * high:.0f} |")


def summary(data: Data, name: str, scores: np.ndarray) -> None:
    """Print one line: shares by kind, copies, unrelated claims, paraphrases, WiCE, SummEval."""
    found = ordered(data, scores)
    shares = [
        np.mean([np.mean([value for value, _ in found[kind, language]]) for language in LANGUAGES])
        for kind in [*KINDS, "hard"]
    ]
    copy, unrelated = (scores[: data.n][data.kind == kind] for kind in ("copy", "unrelated"))
    ratio, (claims, summaries) = paraphrase_ratio(data, scores), corpus_scores(data, scores)
    areas = [validity.area(claims, label.label) for label in (data.wice, data.wice_in_part)]
    print(
        name.ljust(30),
        " ".join(f"{100 * share:4.0f}" for share in shares)
        + f" | copy>=.9 {100 * (copy >= 0.9).mean():.0f}% unrel<.1 {100 * (unrelated < 0.1).mean():.0f}%"
        f" para ratio min {ratio.min():.2f} <.5 {100 * (ratio < 0.5).mean():.0f}% mean {ratio.mean():.2f}"
        f" | wice {areas[0]:.1f} {areas[1]:.1f} summ {validity.correlation(summaries, data.summeval.label):.1f}",
    )


def compared(agreement, mine: np.ndarray, other: np.ndarray, label: np.ndarray, draws) -> str:
    """Write the agreement of ``other``, and the interval of how much higher that of ``mine`` is."""
    low, high = validity.interval(
        lambda rows: agreement(mine[rows], label[rows]) - agreement(other[rows], label[rows]), draws
    )
    return f"{agreement(other, label):.1f} [{low:+.1f}, {high:+.1f}]"


def people(data: Data, scores: np.ndarray) -> None:
    """Print AUC on WiCE and the rank correlation on SummEval, with differences to overlap and to today."""
    (claims, summaries), (claims_today, summaries_today) = corpus_scores(data, scores), corpus_scores(data, data.base)
    overlap = ragauge.evaluate(data.wice.samples, ["token-f1"], resamples=0)
    f1, precision = (
        np.nan_to_num(values) for values in (overlap.scores("token-f1"), overlap.parts("token-f1")["precision"])
    )
    draws = list(validity.resamples(data.wice.clusters))
    for name, half in (("supported", data.wice), ("in part", data.wice_in_part)):
        line = f"wice {name:9} {validity.show(validity.area, claims, half.label, draws)}"
        for title, other in (("f1", f1), ("precision", precision), ("today", claims_today)):
            line += f"  {title} {compared(validity.area, claims, other, half.label, draws)}"
        print(line)
    draws, label = list(validity.resamples(data.summeval.clusters)), data.summeval.label
    print(
        f"summeval {validity.show(validity.correlation, summaries, label, draws)}"
        f"  today {compared(validity.correlation, summaries, summaries_today, label, draws)}"
    )


def calibration(data: Data, scores: np.ndarray) -> None:
    """Print quantiles of scores by kind; and the mean grade of WiCE by score."""
    own = scores[: data.n]
    both = [(kind, side) for kind in ("number", "negation", "paraphrase") for side in (0, 1)]
    for kind, side in (("copy", 0), ("unrelated", 1), *both):
        some = own[(data.kind == kind) & (data.side == side)]
        one, five, half, most, all_but = np.percentile(some, [1, 5, 50, 95, 99])
        print(
            f"{kind:11} {('right', 'wrong')[side]}: 1 % {one:.2f}, 5 % {five:.2f}, median {half:.2f}, "
            f"95 % {most:.2f}, 99 % {all_but:.2f}"
        )
    ratio = paraphrase_ratio(data, scores)
    print(
        f"supported paraphrases, score over today's: least {ratio.min():.2f}, "
        f"below .5: {(ratio < 0.5).sum()} of {len(ratio)}, median {np.median(ratio):.2f}"
    )
    claims = corpus_scores(data, scores)[0]
    for low, high in ((0, 0.2), (0.2, 0.5), (0.5, 0.8), (0.8, 0.95), (0.95, 1.01)):
        some = (claims >= low) & (claims < high)
        if some.any():
            mean, grade = claims[some].mean(), data.grade[some].mean()
            print(f"WiCE score {low}-{high}: n={some.sum()}, mean score {mean:.2f}, mean grade {grade:.2f}")


def named(names: Sequence[str], values: Sequence[float], digits: int = 2) -> dict[str, float]:
    """Return rounded coefficients by name."""
    return {name: round(float(value), digits) for name, value in zip(names, values, strict=True)}


def language_left_out(data: Data, scores: np.ndarray, model) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return the scores of each language by a fit without it, and the coefficients of these fits."""
    out, coefficients = scores.copy(), []
    for language in LANGUAGES:
        without, beta = model([other for other in LANGUAGES if other != language])
        own = data.language == language
        out[: data.n][own] = without[: data.n][own]
        coefficients.append(beta)
    return out, coefficients


def cross_validated(data: Data, scores: np.ndarray, model) -> np.ndarray:
    """Return the scores with those of WiCE by fits without the fifth of claims that they are in."""
    held, rows = scores.copy(), data.wice_rows()
    part = data.sample[rows] % 5
    for number in range(5):
        own = np.flatnonzero(part == number)
        held[data.n + rows[own]] = model(own)[data.n + rows[own]]
    return held


def features_one_by_one(data: Data) -> None:
    """Print what each feature gains."""
    print("kinds:", *KINDS, "hard")
    summary(data, "today", data.base)
    print("\n# each alone, beside today")
    for name in CHOSEN[1:]:
        summary(data, f"today + {name}", one_step(data, ["today", name])[0])
    print("\n# added one after the other")
    for n in range(1, len(CHOSEN) + 1):
        summary(data, f"+ {CHOSEN[n - 1]}", one_step(data, CHOSEN[:n])[0])
    print("\n# all but one")
    for name in CHOSEN:
        summary(data, f"without {name}", one_step(data, [one for one in CHOSEN if one != name])[0])
    print("\n# tried beside the chosen")
    for name in ("recall", "wide", "order", "absent*n", "number_share", "today2", "near*n"):
        summary(data, f"and {name}", one_step(data, [*CHOSEN, name])[0])


def model_a(data: Data) -> None:
    """Print the tables of model A."""
    scores, beta = one_step(data, CHOSEN)
    names = ("intercept", *CHOSEN)
    print("\n# chosen", named(names, beta))
    table(data, data.base, TODAY)
    table(data, scores, "chosen")
    people(data, scores)
    calibration(data, scores)
    print("\n# a language left out of the fit, measured on it")
    out, fits = language_left_out(data, scores, lambda languages: one_step(data, CHOSEN, languages=languages))
    table(data, out, "language left out")
    least, most = named(names, np.min(fits, 0), 1), named(names, np.max(fits, 0), 1)
    print("coefficients, least and most:", {name: (least[name], most[name]) for name in names})
    summary(data, "fitted on English and WiCE", one_step(data, CHOSEN, languages=["en"])[0])
    print("\n# a kind left out of the fit (its pairs and its supported claims)")
    for kind in FITTED:
        without = one_step(data, CHOSEN, kinds=[other for other in FITTED if other != kind])[0]
        summary(data, f"without {kind}", without)
    summary(data, "no pairs at all", one_step(data, CHOSEN, pairs=0.0)[0])
    summary(data, "without WiCE", one_step(data, CHOSEN, wice=0.0)[0])
    print("\n# WiCE by cross-validation over claims (five parts), supported / in part")
    people(data, cross_validated(data, scores, lambda rows: one_step(data, CHOSEN, held_out=rows)[0]))


def model_b(data: Data) -> None:
    """Print the tables of model B."""
    print("\n# two steps: B, and B never below half of today's score")
    scores, (beta, gamma) = two_steps(data)
    print(named(("intercept", *MATCH), beta), named(AGAINST, gamma[1:]))
    for name, some in (("B", scores), ("B floor", np.maximum(scores, 0.5 * data.base))):
        summary(data, name, some)
        table(data, some, name)
        people(data, some)
        calibration(data, some)
    print("B, WiCE by cross-validation")
    people(data, cross_validated(data, scores, lambda rows: two_steps(data, held_out=rows)[0]))
    out, _ = language_left_out(data, scores, lambda languages: two_steps(data, languages=languages))
    table(data, out, "B, language left out")
    for kind in FITTED:
        summary(data, f"B without {kind}", two_steps(data, kinds=[other for other in FITTED if other != kind])[0])


def main() -> None:
    """Print all tables."""
    data = Data()
    features_one_by_one(data)
    model_a(data)
    model_b(data)
    short, long = (1000 * seconds for seconds in data.cost)
    print(f"\ncost of a pair, ms: probes {short:.2f}, pages and articles {long:.2f}")


if __name__ == "__main__":
    main()
