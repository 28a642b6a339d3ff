"""The probes are whole: parallel, in the script of their language, no claim stands in its passage or comes twice."""

from __future__ import annotations

import importlib.util
import sys
import unicodedata
from types import ModuleType

import pytest
import regex

from tests.corpora.test_corpora import ROOT, SCRIPTS

SCRIPTS_OF_ALL = {
    **SCRIPTS,
    "hi": r"\p{Devanagari}",
    "th": r"\p{Thai}",
    **dict.fromkeys(("de", "es", "fr"), r"\p{Latin}"),
}
# Spaces that do not break are part of French and Russian writing; all others stand singly, within a text.
STRAY = regex.compile(r"^\s|\s$|\s\s|[^\S \u00a0\u202f]|[\p{Cc}\p{Cf}]")


@pytest.fixture(scope="module")
def probes() -> ModuleType:
    """The benchmark that reads them."""
    spec = importlib.util.spec_from_file_location("benchmark_probes", ROOT / "benchmarks/probes.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["benchmark_probes"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("language", SCRIPTS_OF_ALL)
def test_rows_have_the_layout_and_are_parallel(probes: ModuleType, language: str) -> None:
    rows = probes.read(language)
    assert len(rows) == 40
    assert [row["id"] for row in rows] == [row["id"] for row in probes.read("en")]
    assert all(tuple(row) == ("id", "passage", *probes.KINDS) for row in rows)
    claims = [claim for row in rows for kind in probes.KINDS for claim in row[kind]]
    assert len(claims) == len(set(claims)) == 560
    for row in rows:
        assert not [claim for kind in probes.KINDS for claim in row[kind] if claim in row["passage"]]


@pytest.mark.parametrize("language", SCRIPTS_OF_ALL)
def test_texts_are_in_the_script_of_their_language(probes: ModuleType, language: str) -> None:
    own = regex.compile(SCRIPTS_OF_ALL[language])
    for row in probes.read(language):
        texts = [row["passage"], *(claim for kind in probes.KINDS for claim in row[kind])]
        letters = regex.findall(r"\p{L}", "".join(texts))
        assert sum(bool(own.match(letter)) for letter in letters) > 0.7 * len(letters), row["id"]
        for text in texts:
            assert unicodedata.is_normalized("NFC", text), text
            assert not STRAY.search(text), text


def test_all_pairs_are_read_and_halves_are_apart(probes: ModuleType) -> None:
    languages = probes.LANGUAGES
    assert set(languages) == set(SCRIPTS_OF_ALL)
    assert {path.stem for path in probes.PROBES.glob("*.jsonl")} == set(languages)
    halves = [list(probes.pairs(languages, half)) for half in probes.HALVES.values()]
    assert [len(half) for half in halves] == [20 * 11 * 17, 20 * 11 * 17, 40 * 11 * 17]
    assert not {pair.claims for pair in halves[0]} & {pair.claims for pair in halves[1]}
    translated = [pair for pair in halves[2] if pair.kind == "translated"]
    english = {row["passage"] for row in probes.read("en")}
    assert all((pair.passage in english) == (pair.language != "en") for pair in translated)


def test_a_pair_is_ordered_tied_or_the_wrong_way_round(probes: ModuleType) -> None:
    claims = [("the lake is deep", "the dog is old"), ("a b", "b a"), ("no", "the lake is deep")]
    found = [probes.Pair("entity", "en", "the lake is deep", one) for one in claims]
    assert probes.shares_ordered(found, "token-f1").tolist() == [1, 0.5, 0]
    assert probes.table(found, probes.shares_ordered(found, "token-f1"), "token-f1", ["en"]).splitlines()[2:] == [
        "| entity | 50 | 50 |"
    ]


@pytest.mark.long
def test_the_readme_states_what_is_measured(probes: ModuleType) -> None:
    """What was fitted on the development half is shown on it alone; docs/trust.md holds the other half."""
    readme = (probes.PROBES / "README.md").read_text(encoding="utf-8")
    for metric in probes.METRICS:
        found = list(probes.pairs(probes.LANGUAGES, (0,) if metric == "groundedness" else (0, 1)))
        assert probes.table(found, probes.shares_ordered(found, metric), metric, probes.LANGUAGES) in readme
