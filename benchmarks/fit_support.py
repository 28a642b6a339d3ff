"""Fit the model of support=features on the development halves.

    python benchmarks/fit_support.py [--write]

Reads the halves for development of ragtruth, SummEdits, WiCE and SummEval in shared/data (or $RAGAUGE_SHARED_DATA), and
the even places of corpora/probes. ``--write`` puts the coefficients into grounding/support/features.toml, whose
revision then has to be raised.

What is raised is three quarters the mean over the sets that people judged, and a quarter the mean over kinds of the
probes. A set counts by the area under the curve of its answers, WiCE by the mean of its two, SummEval by (1 + r) / 2 of
its rank correlation r; a kind by the share of pairs in the right order. One coefficient is moved at a time, by steps
that are halved twice; a step that gains less than `LEAST_GAIN` is not taken, so that what hardly matters stays where it
is. Signs are kept. What a pair of texts has of each feature is computed once.
"""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import probes
from ablation import area, read, scores

from ragauge.grounding.support import features
from ragauge.grounding.support.features import AGAINST, SupportByFeatures, model

WRITE = "--write" in sys.argv
sys.argv = [sys.argv[0], "--tuning"]  # validity reads it when it is imported: the half to choose by
import validity  # noqa: E402

TABLE = Path(features.__file__).with_name("features.toml")
MATCH, BEND = ("intercept", "recall", "near"), ("top", "slope")
STEPS = {"intercept": 0.8, "recall": 0.8, "near": 1.2, "top": 0.8, "slope": 0.1, **dict.fromkeys(AGAINST[:-1], 1.5)}
"""First steps, in logits. That of ``replaced`` is not moved: see docs/design.md."""
HALVINGS, LEAST_GAIN = 2, 0.05
KINDS = ("negation", "number", "date", "entity", "number_format", "paraphrase")
SHOWN = ("ragtruth", "summedits", "wice supported", "wice in part", "summeval", *KINDS)


class Data:
    """The sets, and what each of their pairs of texts has of each feature."""

    def __init__(self) -> None:
        self.sets = {name: one for name, one in read() if not name.startswith("contradiction")}
        self.summeval = next(validity.summaries())
        rows = [row for language in probes.LANGUAGES for row in probes.read(language)[0::2]]
        claims = [(kind, row["passage"], row[kind][side]) for row in rows for kind in KINDS for side in (0, 1)]
        self.kinds = np.array([kind for kind, _, _ in claims])[0::2]
        self.probes = [{"id": str(i), "answer": one[2], "contexts": [one[1]]} for i, one in enumerate(claims)]
        self._known: dict[tuple[str, int], tuple[np.ndarray, ...]] = {}

    def measured(self, values: dict[str, float]) -> dict[str, float]:
        """Return what is agreed with people, and the pairs of each kind in the right order, in percent."""
        fitted = replace(
            model(),
            match={name: values[name] for name in MATCH},
            against={name: values[name] for name in AGAINST},
            **{name: values[name] for name in BEND},
        )
        found: dict[str, float] = {}
        with mock.patch.object(features, "model", return_value=fitted):
            for name, (samples, label) in self.sets.items():
                found[name] = 100 * area(label, self._scores(name, samples))
            one = self.summeval
            found["summeval"] = 50 + validity.correlation(self._scores("summeval", one.samples), one.label) / 2
            right, wrong = self._scores("probes", self.probes).reshape(-1, 2).T
        ordered = (np.sign(right - wrong) + 1) / 2
        return {**found, **{kind: 100 * float(ordered[self.kinds == kind].mean()) for kind in KINDS}}

    def _scores(self, name: str, samples: list[dict[str, Any]]) -> np.ndarray:
        """Score a set; each batch comes in the same order again, with the same pairs."""
        compute, place = SupportByFeatures.found, 0

        def known(scored: SupportByFeatures, *pairs: Any) -> tuple[np.ndarray, ...]:
            nonlocal place
            place += 1
            if (name, place) not in self._known:
                self._known[name, place] = compute(scored, *pairs)
            return self._known[name, place]

        # What speaks against a pair is sought whatever its match, which each coefficient changes.
        with (
            mock.patch.object(SupportByFeatures, "found", known),
            mock.patch.object(features, "_LEAST_MATCH", -np.inf),
        ):
            return scores(samples, "groundedness")


def wanted(found: dict[str, float]) -> float:
    """Return what is raised."""
    people = [found["ragtruth"], found["summedits"], (found["wice supported"] + found["wice in part"]) / 2]
    return 0.75 * float(np.mean([*people, found["summeval"]])) + 0.25 * float(np.mean([found[kind] for kind in KINDS]))


def fitted(data: Data, values: dict[str, float]) -> dict[str, float]:
    """Return the coefficients that raise it most, from ``values`` on."""
    found = data.measured(values)
    best = wanted(found)
    show("start", best, found)
    for halving in range(HALVINGS + 1):
        for name, step in STEPS.items():
            for sign in (1, -1):
                moved = round(values[name] + sign * step / 2**halving, 2)
                if (moved > 0 and name in AGAINST) or (moved < 0 and name in ("recall", "near", *BEND)):
                    continue
                found = data.measured({**values, name: moved})
                if wanted(found) > best + LEAST_GAIN:
                    values, best = {**values, name: moved}, wanted(found)
                    show(f"{name} {moved:.2f}", best, found)
                    break
    return values


def show(title: str, value: float, found: dict[str, float]) -> None:
    print(f"{title:<20} {value:.2f}  " + "  ".join(f"{name} {found[name]:.1f}" for name in SHOWN), flush=True)


def written(values: dict[str, float]) -> None:
    """Put the coefficients into the file of the package."""
    text = TABLE.read_text(encoding="utf-8")
    for name, value in values.items():
        text = re.sub(rf"(?m)^{name} = \S+", f"{name} = {value:.2f}", text)
    TABLE.write_text(text, encoding="utf-8")


def main() -> None:
    """Fit, print, write."""
    now = model()
    values = fitted(Data(), {**now.match, **now.against, "top": now.top, "slope": now.slope})
    print(values)
    if WRITE:
        written(values)


if __name__ == "__main__":
    main()
