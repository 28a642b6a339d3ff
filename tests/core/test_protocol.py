"""Signatures: what was computed, in words that let somebody else compute it again."""

from __future__ import annotations

import re
import unicodedata
from importlib.metadata import version
from pathlib import Path
from unittest.mock import Mock

import pyarrow as pa
import pytest

import ragauge
from ragauge.core.batch import Batch
from ragauge.core.protocol import failure_reason, failures, name_of, signature_of
from ragauge.metrics.parse import parse


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


def test_libraries_that_stem_are_among_the_versions() -> None:
    for spec, library in (
        ("rouge-1:stemmer=porter", "nltk"),
        ("rouge-l:stemmer=snowball-russian", "snowballstemmer"),
        ("meteor:stemmer=porter", "nltk"),
    ):
        signature = signature_of(parse(spec))
        assert signature.versions.endswith(f"|{library}={version(library)}")
        assert library not in signature.identity
    assert signature_of(parse("rouge-1")).versions == signature_of(parse("mrr")).versions


def test_wordnet_is_named_by_what_it_holds(tmp_path: Path) -> None:
    assert "|synonyms:none|" in signature_of(parse("meteor")).identity
    identities = []
    for folder, words in (("a", "cat"), ("b", "cat"), ("c", "dog")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "index.noun").write_text(words)
        identities.append(signature_of(parse(f'meteor:wordnet="{tmp_path / folder}"')).identity)
    assert identities[0] == identities[1] != identities[2]
    assert "|synonyms:wordnet-" in identities[0]
    assert str(tmp_path) not in identities[0]


def test_the_dictionary_of_chinese_words_is_named() -> None:
    pytest.importorskip("rjieba")
    identity = signature_of(parse("rouge-1:tokenizer=zh")).identity
    assert re.search(r"rjieba=[\d.]+,dictionary=probe:[0-9a-f]{16},", identity)


def test_only_what_may_be_a_failure_is_read_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    read = Mock(wraps=failure_reason)
    monkeypatch.setattr("ragauge.core.protocol.failure_reason", read)
    batch = Batch(pa.table({"failure": [None, "timeout", "", "0", None]}))
    mask, reasons = failures(batch)
    assert (mask.tolist(), reasons) == ([False, True, False, False, False], {1: "timeout"})
    assert [one.args for one in read.call_args_list] == [("timeout",), ("0",)]
