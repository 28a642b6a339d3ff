"""How many refusals groundedness leaves out as no claims, and how many claims it takes for one, by language.

    python benchmarks/refusals.py [--half development|reporting|both]

Reads corpora/refusals, by two writers. Printed is a Markdown table, in percent: of the sentences that decline to
answer, the share that is recognised, by kind; of the claims that look alike, and of the supported claims of
corpora/probes, the share that is taken for a refusal.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import probes

from ragauge.grounding.declining import unsaid

REFUSALS = Path(__file__).parents[1] / "corpora/refusals"
KINDS = ("passages", "speaker", "other", "claim")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=probes.HALVES, default="both")
    halves = probes.HALVES[parser.parse_args().half]
    rows = [
        row
        for file in ("one.jsonl", "two.jsonl")
        for place, row in enumerate(map(json.loads, (REFUSALS / file).read_text(encoding="utf-8").splitlines()))
        if place % 2 in halves
    ]
    found = unsaid([row["text"] for row in rows])
    columns = {
        kind: {
            language: found[[row["lang"] == language and row["kind"] == kind for row in rows]]
            for language in dict.fromkeys(row["lang"] for row in rows)
        }
        for kind in KINDS
    }
    columns["probes"] = {
        language: unsaid([claim for row in probes.read(language) for claim in (row[k][0] for k in probes.KINDS)])
        for language in probes.LANGUAGES
    }
    print(f"| language | {' | '.join(columns)} |\n|---|{'--:|' * len(columns)}")
    for language in columns["claim"]:
        fields = [f"{100 * np.mean(some[language]):.0f}" if language in some else "" for some in columns.values()]
        print(f"| {language} | {' | '.join(fields)} |")


if __name__ == "__main__":
    main()
