"""Fit the model of support=features on the development halves, and print how well it does there.

    python benchmarks/fit_support.py [--write]

Reads the even places of corpora/probes, and the tuning halves of WiCE and SummEval in shared/data (or
$RAGAUGE_SHARED_DATA). ``--write`` puts the coefficients into grounding/support/features.toml, whose revision then has
to be raised.

The match (recall, near) is fitted first: on supported claims of the probes, sentences of their passages,
claims on another passage, and WiCE, without any wrong claim of the probes. With it held, what speaks against support is
fitted on all claims, and on pairs of a supported claim and a wrong one. Coefficients keep their signs, and those of
`LEAST` a least size: a right order of claims is not enough, one with a wrong name has to fall below a half.

probes    how often the supported claim has the higher degree, by kind and language (50: chance)
wice      area under the curve of claims supported, or in part, and its difference to overlap and to n-gram recall
summeval  rank correlation with ratings of consistency
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import probes

import ragauge
from ragauge.grounding.support._features import matched, retold
from ragauge.grounding.support._matching import match
from ragauge.grounding.support._reading import Reader
from ragauge.grounding.support.features import AGAINST, SHARE_OF_RECALL, UNREAD, columns_of, model
from ragauge.sentences import sentences

WRITE = "--write" in sys.argv
sys.argv = [sys.argv[0], "--tuning"]  # validity reads it when it is imported: the half to choose by
import validity  # noqa: E402

TABLE = Path(__file__).parents[1] / "src/ragauge/grounding/support/features.toml"
LANGUAGES, KINDS = probes.LANGUAGES, probes.KINDS
FITTED = (*probes.CHANGED, "number_format")
"""Kinds whose pairs are seen in a fit: a paraphrase that is wrong keeps the passage's words, and is in no pair."""
RECALL = "groundedness:support=ngram-recall,soft=true"
MATCH = ("recall", "near")
RIDGE, SWEEPS, AT_ONCE = 1.0, 300, 500
LEAST = {"value_absent": 6.0, "name_absent": 7.0, "not_added": 7.0, "not_dropped": 6.0}
"""The least that these take off, in logits. Full marks are 5.3, and most claims with one match by half."""
POINTS, WICE = {"paraphrase": 3.0, "unrelated": 2.0}, 2.0
"""Weights of claims in the fit of the match, others .2; and of those of WiCE there."""


# --- data ------------------------------------------------------------------------------------------------------------
def probe_rows() -> Iterator[tuple[str, int, str, int, str, str]]:
    """Yield (language, place, kind, side, passage, claim) of the development half; side 0 is supported, 1 is not."""
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


def recalls(pairs: Sequence[tuple[str, str]]) -> np.ndarray:
    """Return the n-gram recall of (passage, claim) pairs, the claim as one answer."""
    distinct = list(dict.fromkeys(pairs))
    samples = [{"id": str(i), "answer": claim, "contexts": [passage]} for i, (passage, claim) in enumerate(distinct)]
    scores = dict(zip(distinct, ragauge.evaluate(samples, [RECALL], resamples=0).scores(RECALL), strict=True))
    return np.array([scores[pair] for pair in pairs])


def features(pairs: Sequence[tuple[str, str]]) -> np.ndarray:
    """Return near, the share of values written otherwise, and the features against support, times their scale."""
    reader = Reader()
    passages = reader.texts([passage for passage, _ in pairs])
    claims = reader.beside(reader.texts([claim for _, claim in pairs]), passages)
    parts = []
    for first in range(0, len(pairs), AT_ONCE):
        found = match(reader.index, claims[first : first + AT_ONCE], passages[first : first + AT_ONCE])
        fits = matched(found)
        parts.append(np.column_stack([fits.near, retold(found), columns_of(found, fits.near) * fits.scale[:, None]]))
    return np.concatenate(parts)


class Data:
    """All pairs of claim and passage, with what is known of each: first those of the probes, then of the corpora."""

    def __init__(self) -> None:
        self.wice, self.wice_in_part, self.wice_precision = list(validity.claims())[:3]
        self.summeval = next(validity.summaries())
        self.probes = list(probe_rows())
        self.rows = [*corpus_rows("wice", self.wice.samples), *corpus_rows("summeval", self.summeval.samples)]
        pairs = [*[row[4:6] for row in self.probes], *[row[2:4] for row in self.rows]]
        found = features(pairs)
        self.recall = np.minimum(recalls(pairs) + found[:, 1], 1.0)
        self.match = np.column_stack([np.ones(len(pairs)), self.recall, found[:, 0]])
        self.against = found[:, 2:]
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
        for language, place, kind, side in list(index):
            if side == 0 and kind in KINDS:
                yield language, place, kind, index[language, place, kind, 0], index[language, place, kind, 1]
            if side == 0 and kind in probes.CHANGED:
                paraphrase = index[language, place, "paraphrase", 0]
                yield language, place, "hard", paraphrase, index[language, place, kind, 1]

    def wice_rows(self, held_out: Sequence[int] = ()) -> np.ndarray:
        """Return the rows of WiCE among all, but for those held out."""
        return self.n + np.setdiff1d(np.flatnonzero(self.corpus == "wice"), np.asarray(held_out, dtype=int))

    def chosen_pairs(self, languages: Sequence[str], kinds: Sequence[str]) -> np.ndarray:
        """Return the rows of supported and unsupported claims that a fit sees, (pairs, 2)."""
        found = [(a, b) for language, _, kind, a, b in self.pairs if language in languages and kind in kinds]
        return np.array(found, dtype=int).reshape(-1, 2)

    def by_sample(self, degrees: np.ndarray) -> list[np.ndarray]:
        """Return the mean over sentences of each sample of WiCE and of SummEval."""
        out = []
        for name, size in (("wice", len(self.wice.samples)), ("summeval", len(self.summeval.samples))):
            own = self.corpus == name
            sums = np.bincount(self.sample[own], degrees[self.n :][own], size)
            out.append(sums / np.maximum(np.bincount(self.sample[own], minlength=size), 1))
        return out


# --- fit -------------------------------------------------------------------------------------------------------------
def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def fit(points, labels, weights, differences, signs, offsets=(0.0, 0.0), least=0.0):
    """Fit a logistic model of points and of differences of pairs; coefficients with a sign keep it and are ``least``.

    Newton's step on one coefficient at a time, held where it would pass its bound; the sum is convex.
    """
    n = points.shape[1]
    least = np.broadcast_to(least, n)
    beta, penalty = signs * least, np.where(signs == 0, 1e-6, RIDGE)
    one, two = points @ beta + offsets[0], differences @ beta + offsets[1]
    for _ in range(SWEEPS):
        moved = 0.0
        for j in range(n):
            p, q = sigmoid(one), sigmoid(two)
            gradient = points[:, j] @ (weights * (labels - p)) + differences[:, j] @ (1 - q) - penalty[j] * beta[j]
            curve = points[:, j] ** 2 @ (weights * p * (1 - p)) + differences[:, j] ** 2 @ (q * (1 - q)) + penalty[j]
            new = beta[j] + np.clip(gradient / curve, -2, 2)
            new = signs[j] * least[j] if signs[j] and new * signs[j] < least[j] else new
            one += points[:, j] * (new - beta[j])
            two += differences[:, j] * (new - beta[j])
            moved, beta[j] = max(moved, abs(new - beta[j])), new
        if moved < 1e-4:
            break
    return beta


def fitted(data: Data, *, languages=LANGUAGES, kinds=FITTED, held_out=()) -> tuple[np.ndarray, np.ndarray]:
    """Return the coefficients of the match and of what speaks against it; parts of the data may be left out."""
    wice = data.wice_rows(held_out)
    labels_of_wice = data.grade[data.sample[wice - data.n]]
    here = np.isin(data.language, languages)
    right = (data.side == 0) & np.isin(data.kind, [*kinds, "paraphrase", "copy"]) | (data.kind == "unrelated")
    rows = np.flatnonzero(right & here)
    weights = np.r_[[POINTS.get(kind, 0.2) for kind in data.kind[rows]], np.full(len(wice), WICE)]
    labels = np.r_[data.side[rows] == 0, labels_of_wice]
    nothing = np.zeros((0, data.match.shape[1]))
    beta = fit(data.match[np.r_[rows, wice]], labels, weights, nothing, np.array([0, 1, 1]))
    logits = bent(data.match @ beta)
    used = (np.isin(data.kind, kinds) | (data.kind == "paraphrase") & (data.side == 0)) & here
    rows = np.r_[np.flatnonzero(used), wice]
    labels = np.r_[data.side[used] == 0, labels_of_wice]
    weights = np.r_[np.full(used.sum(), 0.5), np.ones(len(wice))]
    good, bad = data.chosen_pairs(languages, kinds).T
    offsets = (logits[rows], logits[good] - logits[bad])
    signs = -np.ones(len(AGAINST))
    differences = data.against[good] - data.against[bad]
    least = [LEAST.get(name, 0.0) for name in AGAINST]
    return beta, fit(data.against[rows], labels, weights, differences, signs, offsets, least)


def bent(logits: np.ndarray) -> np.ndarray:
    return model().bent(logits)


def degrees(data: Data, beta: np.ndarray, gamma: np.ndarray) -> np.ndarray:
    """Return the degrees of all pairs by rounded coefficients, as the package computes them."""
    fitted_now = replace(model(), match=dict(zip(("intercept", *MATCH), np.round(beta, 2).tolist(), strict=True)))
    near = data.match.copy()
    near[:, MATCH.index("recall") + 1] = 0.0
    logits = np.where(data.recall < model().least_recall, UNREAD, near @ np.round(beta, 2))
    share = np.full(len(logits), SHARE_OF_RECALL)
    return fitted_now.degrees(logits, data.against @ np.round(gamma, 2), data.recall, share)


# --- what is printed -------------------------------------------------------------------------------------------------
def table(data: Data, values: np.ndarray, title: str) -> None:
    """Print how often pairs are ordered rightly, by kind and language; intervals are of resampled passages."""
    values = np.round(values, 9)
    found: dict[str, list[tuple[str, int, float]]] = {}
    for language, place, kind, a, b in data.pairs:
        found.setdefault(kind, []).append((language, place, (np.sign(values[a] - values[b]) + 1) / 2))
    print(f"| {title} | {' | '.join(LANGUAGES)} | mean | interval |")
    print(f"|---|{'--:|' * (len(LANGUAGES) + 2)}")
    for kind, rows in found.items():
        shares = [np.mean([value for one, _, value in rows if one == language]) for language in LANGUAGES]
        low, high = resampled([value for _, _, value in rows], [place for _, place, _ in rows])
        means = " | ".join(f"{100 * share:.0f}" for share in [*shares, np.mean(shares)])
        print(f"| {kind} | {means} | {100 * low:.0f}-{100 * high:.0f} |")


def resampled(values: Sequence[float], clusters: Sequence[int], draws: int = 500) -> tuple[float, float]:
    """Return a 95 % interval of the mean over resampled clusters."""
    numbers = np.unique(clusters, return_inverse=True)[1]
    sums, counts = np.bincount(numbers, values), np.bincount(numbers)
    drawn = np.random.default_rng(0).integers(0, len(sums), (draws, len(sums)))
    low, high = np.percentile(sums[drawn].sum(1) / counts[drawn].sum(1), [2.5, 97.5])
    return float(low), float(high)


def people(data: Data, values: np.ndarray) -> None:
    """Print agreement with people, and the interval of its difference to overlap and to n-gram recall."""
    (claims, summaries), (claims_recall, summaries_recall) = data.by_sample(values), data.by_sample(data.recall)
    overlap = ragauge.evaluate(data.wice_precision.samples, ["token-f1"], resamples=0).parts("token-f1")["precision"]
    draws = list(validity.resamples(data.wice.clusters))
    for name, half in (("supported", data.wice), ("in part", data.wice_in_part)):
        line = f"wice {name:9} {validity.show(validity.area, claims, half.label, draws)}"
        for title, other in (("precision", np.nan_to_num(overlap)), ("recall", claims_recall)):
            line += f"  {title} {compared(validity.area, claims, other, half.label, draws)}"
        print(line)
    draws, label = list(validity.resamples(data.summeval.clusters)), data.summeval.label
    line = f"summeval {validity.show(validity.correlation, summaries, label, draws)}"
    print(f"{line}  recall {compared(validity.correlation, summaries, summaries_recall, label, draws)}")


def compared(agreement, mine: np.ndarray, other: np.ndarray, label: np.ndarray, draws) -> str:
    """Write the agreement of ``other``, and the interval of how much higher that of ``mine`` is."""
    low, high = validity.interval(
        lambda rows: agreement(mine[rows], label[rows]) - agreement(other[rows], label[rows]), draws
    )
    return f"{agreement(other, label):.1f} [{low:+.1f}, {high:+.1f}]"


def calibration(data: Data, values: np.ndarray) -> None:
    """Print medians of degrees by kind and language, paraphrases beside n-gram recall, and WiCE's grades by degree."""
    own, claims = values[: data.n], data.by_sample(values)[0]
    kinds = list(dict.fromkeys(zip(data.kind.tolist(), data.side.tolist(), strict=True)))
    print(f"| median degree | {' | '.join(LANGUAGES)} | all | 10 % | 90 % |")
    print(f"|---|{'--:|' * (len(LANGUAGES) + 3)}")
    for kind, side in kinds:
        some = (data.kind == kind) & (data.side == side)
        medians = [np.median(own[some & (data.language == language)]) for language in LANGUAGES]
        shown = [*medians, *np.percentile(own[some], [50, 10, 90])]
        print(f"| {kind}, {('right', 'wrong')[side]} | {' | '.join(f'{value:.2f}' for value in shown)} |")
    some = (data.kind == "paraphrase") & (data.side == 0)
    ratio = own[some] / data.recall[: data.n][some]
    print(f"supported paraphrases over n-gram recall: least {ratio.min():.2f}, median {np.median(ratio):.2f}")
    for low, high in ((0, 0.2), (0.2, 0.5), (0.5, 0.8), (0.8, 0.95), (0.95, 1.01)):
        some = (claims >= low) & (claims < high)
        if some.any():
            print(f"WiCE {low}-{high}: n={some.sum()}, degree {claims[some].mean():.2f}, {data.grade[some].mean():.2f}")


def thresholds(data: Data, values: np.ndarray) -> None:
    """Print the balanced accuracy of steps of a threshold: on WiCE, and on claims of the probes."""
    claims, own = data.by_sample(values)[0], values[: data.n]
    some = np.isin(data.kind, (*FITTED, "paraphrase", "unrelated"))
    sets = {
        "wice supported": (claims, data.wice.label > 0),
        "wice in part": (claims, data.wice_in_part.label > 0),
        "probes": (own[some], data.side[some] == 0),
    }
    for step in np.arange(0.3, 0.96, 0.05):
        shares = [np.mean([(v >= step)[y].mean(), (v < step)[~y].mean()]) for v, y in sets.values()]
        line = "  ".join(f"{name} {100 * share:.0f}" for name, share in zip(sets, shares, strict=True))
        print(f"threshold {step:.2f}: {line}  mean {100 * np.mean(shares):.1f}")


def left_out(data: Data, beta: np.ndarray, gamma: np.ndarray) -> None:
    """Print the same with each language, and each fifth of WiCE, measured by a fit without it."""
    values = degrees(data, beta, gamma)
    by_language, by_claim = values.copy(), values.copy()
    for language in LANGUAGES:
        own = np.flatnonzero(data.language == language)
        without = degrees(data, *fitted(data, languages=[other for other in LANGUAGES if other != language]))
        by_language[own] = without[own]
    table(data, by_language, "language left out")
    wice = np.flatnonzero(data.corpus == "wice")
    for part in range(5):
        own = wice[data.sample[wice] % 5 == part]
        by_claim[data.n + own] = degrees(data, *fitted(data, held_out=own))[data.n + own]
    print("wice by fits without the fifth of claims that is measured")
    people(data, by_claim)


def written(beta: np.ndarray, gamma: np.ndarray) -> None:
    """Put the coefficients into the file of the package."""
    text = TABLE.read_text(encoding="utf-8")
    values = dict(zip(("intercept", *MATCH, *AGAINST), [*beta, *gamma], strict=True))
    for name, value in values.items():
        text = re.sub(rf"(?m)^{name} = \S+", f"{name} = {value:.2f}", text)
    TABLE.write_text(text, encoding="utf-8")


def main() -> None:
    """Fit, print, write."""
    data = Data()
    beta, gamma = fitted(data)
    for names, values in ((("intercept", *MATCH), beta), (AGAINST, gamma)):
        print({name: round(float(value), 2) for name, value in zip(names, values, strict=True)})
    values = degrees(data, beta, gamma)
    table(data, values, "features")
    people(data, values)
    calibration(data, values)
    thresholds(data, values)
    left_out(data, beta, gamma)
    if WRITE:
        written(beta, gamma)


if __name__ == "__main__":
    main()
