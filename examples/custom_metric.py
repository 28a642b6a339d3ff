"""A metric of your own: a plain function. It gets intervals, groups, coverage and a place in every table."""

from pathlib import Path

import ragauge


@ragauge.metric(needs=("answer", "references"), range=(0, 1), stage="generation")
def names_a_reference(sample: ragauge.Sample) -> float | None:
    """Whether the answer contains one of the references; undefined where there is none."""
    if not sample.references:
        return None
    return float(any(reference in sample.answer for reference in sample.references))


corpus = Path(__file__).parent.parent / "corpora/tea-house.jsonl"
print(ragauge.evaluate(corpus, [names_a_reference], by="language"))
