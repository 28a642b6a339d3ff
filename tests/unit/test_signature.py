"""Signatures: what was computed, in words that let somebody else compute it again."""

from __future__ import annotations

import re
import unicodedata

import ragauge
from ragauge.registry import parse
from ragauge.signature import name_of, signature_of


def test_all_options_and_the_revision_are_in_the_identity() -> None:
    metric = parse("ndcg@10:gain=exp")
    identity = signature_of(metric).identity
    assert identity.startswith("ndcg|")
    assert identity.endswith(f"|revision={metric.revision}")
    assert {"gain=exp", "k=10", "ideal=judged", "undefined=zero", "level=1"} <= set(identity.split("|"))


def test_versions_stand_apart_from_the_identity() -> None:
    signature = signature_of(parse("ndcg"))
    assert f"ragauge={ragauge.__version__}" in signature.versions
    assert f"unicode={unicodedata.unidata_version}" in signature.versions
    assert ragauge.__version__ not in signature.identity
    assert re.fullmatch(r".*\|ragauge=.* #[0-9a-f]{8}", str(signature))


def test_equal_metrics_have_equal_identities_and_others_do_not() -> None:
    spellings = ["hit-rate@5", "success@5", "hit-rate:k=5"]
    assert len({signature_of(parse(spec)).short for spec in spellings}) == 1
    others = ["ndcg@5", "ndcg@10", "ndcg@10:gain=exp", "ndcg@10:ties=input"]
    assert len({signature_of(parse(spec)).short for spec in others}) == len(others)


def test_the_name_stands_alone() -> None:
    assert name_of(parse("ndcg@10:gain=exp")) == "ndcg"
