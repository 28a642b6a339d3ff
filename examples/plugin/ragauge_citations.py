"""A metric in a package of its own: installed beside ragauge, it is there for everybody by its name."""

import re

import ragauge

# [2], and as Chinese and Japanese texts write it: 【2】 or ［２］.
CITATION = re.compile(r"[\[【［](\d+)[\]】］]")


@ragauge.metric(needs=("answer", "contexts"), range=(0, 1), stage="generation")
def cites_passages(sample: ragauge.Sample) -> float:
    """Citation precision: the share of an answer's citations, [1] to [n], that point to one of its n passages."""
    cited = [int(number) for number in CITATION.findall(sample.answer)]
    return sum(1 <= number <= len(sample.contexts) for number in cited) / len(cited) if cited else 0.0
