"""Metrics, methods and languages against human labels: the tables of docs/trust.md, which this command writes.

    python benchmarks/trust.py [--tuning] [--methods NAME,NAME]

Reads the data that benchmarks/validity.py reads, and corpora/probes. ``--tuning`` prints the tables of the halves that
choices are made on, and writes no file; without it the other halves are scored, once for each release of coefficients.
``--methods`` leaves columns out, as where the extra of an encoder is not installed.

Figures of areas under the curve and of correlations are in percent, with 95 % intervals of 1,000 resamples of clusters.
A figure is bold where it is above that of word overlap on the same samples, with an interval of the difference
without 0. The chart at the top of the page is drawn from the tables, of which it shows word overlap and the default.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import probes
import validity

import ragauge
from ragauge.embedders import get

PAGE = Path(__file__).parents[1] / "docs/trust.md"
BEGIN, END = "<!-- tables by benchmarks/trust.py -->", "<!-- end of tables -->"
CHART, CHART_END = "<!-- chart by benchmarks/trust.py -->", "<!-- end of chart -->"
OVERLAP = "word overlap"
CHARTED = ("groundedness", "answer-correctness", "context-relevancy")
"""Metrics of the chart."""
# Options of each method, by metric. The first is what earlier versions did, the second the default.
SUPPORT = {
    "n-grams": "support=ngram-recall,soft=true",
    "default": "",
    "use": "embedder=use",
    "blend": "embedder=blend",
}
METHODS: Mapping[str, Mapping[str, str]] = {
    "groundedness": SUPPORT,
    "answer-correctness": {**SUPPORT, "n-grams": "support=ngram-recall"},
    "context-relevancy": {
        "n-grams": "relevance=none",
        "default": "",
        "use": "embedder=use",
        "blend": "embedder=blend",
    },
    "semantic-similarity": {
        "n-grams": "embedder=lexical",
        "default": "",
        "use": "embedder=use",
        "blend": "embedder=blend",
    },
}
COLUMNS = ("n-grams", "default", "use", "blend")


def main() -> None:
    """Write the page, or print the tables of the tuning halves."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tuning", action="store_true")
    parser.add_argument("--methods", type=lambda text: text.split(","), default=list(COLUMNS))
    asked = parser.parse_args()
    half = "development" if asked.tuning else "reporting"
    tables = "\n\n".join([people(asked.methods), *probed(asked.methods, half), across(asked.methods, half)])
    if asked.tuning:
        print(tables)
        return
    page = between(PAGE.read_text(encoding="utf-8"), (BEGIN, END), tables)
    PAGE.write_text(between(page, (CHART, CHART_END), chart(tables)), encoding="utf-8")


def between(page: str, marks: tuple[str, str], text: str) -> str:
    """Return a page with a text between two marks."""
    before, rest = page.split(marks[0])
    return f"{before}{marks[0]}\n\n{text}\n\n{marks[1]}{rest.split(marks[1])[1]}"


def chart(tables: str) -> str:
    """Return bars of the default, and a mark where word overlap is: what people judged, then our own pairs."""
    rows = [[field.strip(" *`") for field in line.strip("|").split("|")] for line in tables.splitlines()]
    heads = [row for row in rows if "default" in row and OVERLAP in row]
    people, pairs = (head.index("default") for head in heads)
    begins = [rows.index(head) for head in heads]
    lines = [f"{'people judged':52}50   60   70   80   90   100"]
    for row in rows[begins[0] + 2 : begins[1]]:
        # SummEval has ratings, no right and wrong cases; WiCE is there with two kinds of overlap.
        if len(row) > people and row[2] in CHARTED and row[0] != "summeval" and "precision" not in row[0]:
            own, other = (float(row[place].replace("*", "").split()[0]) for place in (people, 3))
            lines.append(bar(f"{row[0].partition(',')[0]}, {row[2]}", own, other))
    lines += ["", "our own pairs, in eleven languages"]
    for row in rows[begins[1] + 2 :]:
        if len(row) <= pairs or not row[1].isdigit():
            break
        lines.append(bar(row[0], float(row[pairs]), float(row[1])))
    return "```text\n" + "\n".join(lines) + "\n```"


def bar(name: str, own: float, other: float) -> str:
    """Return a line of the chart: 50 to 100 in 25 steps, with a mark at another figure."""
    filled = max(round((own - 50) / 2), 0)
    cells = ["█" if place < filled else "·" for place in range(25)]
    place = min(max(round((other - 50) / 2), 0), 24)
    cells[place] = "╋" if place < filled else "│"
    return f"{name:44} {own:5.1f}  {''.join(cells)}"


def people(methods: Sequence[str]) -> str:
    """Return the table of agreement with people."""
    lines = [
        f"| people judged | n | metric | {OVERLAP} | {' | '.join(methods)} |",
        f"|---|--:|---|{'---|' * (len(methods) + 1)}",
    ]
    for data in validity.sets():
        for metric in dict.fromkeys(name.partition(":")[0] for name in data.metrics):
            if metric in METHODS:
                lines.append(row(data, metric, methods))
                print(lines[-1], file=sys.stderr, flush=True)
    return "\n".join(lines)


def row(data: validity.Set, metric: str, methods: Sequence[str]) -> str:
    """Return the line of one set of labels and one metric."""
    agreement = validity.correlation if data.rated else validity.area
    overlap, _, part = data.overlap.partition("|")
    specs = {name: spec(metric, METHODS[metric][name]) for name in methods}
    result = ragauge.evaluate(data.samples, [*dict.fromkeys([*specs.values(), overlap])], resamples=0)
    base = np.nan_to_num(result.parts(overlap)[part] if part else result.scores(overlap))
    draws = list(validity.resamples(data.clusters))
    fields = [
        data.name,
        str(len(data.samples)),
        f"`{metric}`",
        validity.show(agreement, base, data.label, draws).strip(),
    ]
    for name in methods:
        values = np.nan_to_num(result.scores(specs[name]))
        low, _ = validity.interval(
            lambda some, v=values: agreement(v[some], data.label[some]) - agreement(base[some], data.label[some]), draws
        )
        figure = validity.show(agreement, values, data.label, draws).strip()
        fields.append(f"**{figure.partition(' ')[0]}** {figure.partition(' ')[2]}" if low > 0 else figure)
    return f"| {' | '.join(fields)} |"


def across(methods: Sequence[str], half: str) -> str:
    """Return the share of claims whose English passage is the most similar of all, by language and embedder."""
    embedders = ["lexical", *[name for name in methods if name in ("use", "blend")]]
    place = probes.HALVES[half][0]
    passages = [row["passage"] for row in probes.read("en")[place::2]]
    languages = [language for language in probes.LANGUAGES if language != "en"]
    lines = [f"| English passage of a claim | {' | '.join(languages)} |", f"|---|{'--:|' * len(languages)}"]
    for name in embedders:
        shares = [
            first(name, passages, [row["paraphrase"][0] for row in probes.read(one)[place::2]]) for one in languages
        ]
        lines.append(f"| {name} | {' | '.join(f'{100 * share:.0f}' for share in shares)} |")
    return "\n".join(lines)


def first(embedder: str, passages: Sequence[str], claims: Sequence[str]) -> float:
    """Return the share of claims that no other passage is as similar to as their own."""
    n = len(claims)
    vectors = get(embedder).encode([*passages, *claims], "passage")
    cosines = vectors.cosine(np.repeat(np.arange(n, 2 * n), n), np.tile(np.arange(n), n)).reshape(n, n)
    return float(np.mean([np.nansum(row >= row[place]) == 1 for place, row in enumerate(cosines)]))


def spec(metric: str, options: str) -> str:
    """Return a metric with options."""
    return f"{metric}:{options}" if options else metric


def probed(methods: Sequence[str], half: str) -> Iterator[str]:
    """Yield the shares of pairs that each method orders rightly, over all languages; and of the default by language."""
    found = list(probes.pairs(probes.LANGUAGES, probes.HALVES[half]))
    ordered = {OVERLAP: probes.shares_ordered(found, "token-f1|precision")} | {
        name: probes.shares_ordered(found, spec("groundedness", SUPPORT[name])) for name in methods
    }
    kinds = dict.fromkeys(pair.kind for pair in found)
    lines = [f"| pairs of claims | {' | '.join(ordered)} |", f"|---|{'--:|' * len(ordered)}"]
    for kind in kinds:
        own = np.array([pair.kind == kind for pair in found])
        lines.append(f"| {kind} | {' | '.join(f'{100 * one[own].mean():.0f}' for one in ordered.values())} |")
    yield "\n".join(lines)
    yield probes.table(found, ordered["default"], "default", probes.LANGUAGES)


if __name__ == "__main__":
    main()
