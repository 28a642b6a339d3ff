"""Fit the weights by which groundedness and the metrics of abstention tell refusals from claims.

    pip install scikit-learn
    python benchmarks/fit_refusals.py --office FOLDER [--write]

Reads what is for development: the even lines of corpora/refusals/one, two and six, all of three, four, seven and
eight; claims of the development half of corpora/probes; every other sentence of the sets of ``refusals.py --claims``
but entailment_cjk, whose licence is for evaluation alone, and of the help of LibreOffice in FOLDER (apt-get download
libreoffice-help-pl ...). Of these, sentences without a word that denies are left out, as they are before any weight
counts.

The weights are of a logistic regression with an L1 penalty on the features of grounding/declining.py, so that
most have none. Claims that were written to look alike weigh six times as much as a refusal, natural sentences
half, help, of which there is most, three tenths. ``--write`` puts them into languages/declining.toml, after which the
revisions of groundedness, answer correctness, answer relevancy, citations and abstention have to be raised.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import probes
import refusals

from ragauge.grounding import declining

TABLE = Path(declining.__file__).parents[1] / "languages/declining.toml"
HALVES, WHOLE = ("one", "two", "six"), ("three", "four", "seven", "eight")
WEIGHTS = {"refusal": 1.0, "claim": 6.0, "data": 0.5, "help": 0.3}
LEAST = 3
"""Sentences that have a feature that may have a weight."""
PENALTY = 0.2
"""The inverse of the strength of the penalty. With the weight of claims it is chosen so that the lists have as many
refusals found as before, and fewest claims taken for one; of .1, .15, .2, .25 and .3, and weights of 3 to 8."""
HEAD = """# Weights of letters of the classes in evasions.toml, by which a text declines where their sum is above 0.
# ^ is its begin, $ its end, ~ anything between, "" the intercept. Written by benchmarks/fit_refusals.py.

[weights]
"""


def rows(office: Path | None) -> Iterator[tuple[str, str, str]]:
    """Yield the kind, language and text of each sentence to learn from."""
    for name in (*HALVES, *WHOLE):
        lines = (refusals.REFUSALS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        for row in map(json.loads, lines[:: 2 if name in HALVES else 1]):
            if row["kind"] != "referral":
                yield "claim" if row["kind"] == "claim" else "refusal", row["lang"], row["text"]
    for pair in probes.pairs(probes.LANGUAGES, probes.HALVES["development"]):
        yield from (("claim", pair.language, text) for text in pair.claims)
    read = set((refusals.REFUSALS / "read.txt").read_text(encoding="utf-8").split())
    for language, name, texts in refusals.real():
        for text in texts[::2] if name != "entailment_cjk" else ():
            yield "refusal" if refusals.digest(text) in read else "data", language, text
    for language, _, texts in refusals.office(office) if office else ():
        for text in texts[::2]:
            yield "help", language.split(",")[0].split("-")[0], text


def letters(language: str, text: str) -> str | None:
    """Return the letters of a text in its own language, or in another that knows it for a candidate; empty: none."""
    plain = declining.plain(text)
    known = sorted((name for name, lists in declining.words().items() if "sources" in lists), key=language.__ne__)
    may = (name for name in known if declining.denying(name).search(plain))
    return next((declining.letters(name, plain) for name in may), "")


def fitted(kinds: list[str], found: list[set[str]]) -> dict[str, float]:
    """Return the weights of features, that of the intercept under the empty one."""
    from scipy.sparse import csr_matrix
    from sklearn.linear_model import LogisticRegression

    counts = Counter(one for some in found for one in some)
    names = sorted(one for one, n in counts.items() if n >= LEAST)
    place = {name: number for number, name in enumerate(names)}
    own = [sorted(place[one] for one in some if one in place) for some in found]
    ends = np.cumsum([0, *map(len, own)])
    values = csr_matrix((np.ones(ends[-1]), np.concatenate(own), ends), shape=(len(own), len(names)))
    model = LogisticRegression(C=PENALTY, penalty="l1", solver="liblinear", max_iter=1000, random_state=0)
    model.fit(values, [kind == "refusal" for kind in kinds], sample_weight=[WEIGHTS[kind] for kind in kinds])
    weights = dict(zip(names, model.coef_[0].tolist(), strict=True))
    return {"": float(model.intercept_[0]), **{name: one for name, one in weights.items() if abs(one) >= 0.005}}


def main() -> None:
    """Fit, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--office", type=Path)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    some = [(kind, letters(language, text)) for kind, language, text in rows(asked.office)]
    some = [(kind, found) for kind, found in some if found]
    weights = fitted([kind for kind, _ in some], [declining.features(found) for _, found in some])
    table = HEAD + "".join(f"{json.dumps(name)} = {weight:.2f}\n" for name, weight in weights.items())
    print(Counter(kind for kind, _ in some), len(weights))
    if asked.write:
        TABLE.write_text(table, encoding="utf-8")


if __name__ == "__main__":
    main()
