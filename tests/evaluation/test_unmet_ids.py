"""Ids that never meet: all scores of retrieval are 0, and one note says why."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import ragauge
from ragauge.evaluation.unmet_ids import note_on_unmet_ids, notes_on_grades
from ragauge.formats import read
from tests.cli.running import here

DIFFERENT: Mapping[str, tuple[list[str], str]] = {
    "upper and lower case": (["D1", "D2"], "d2"),
    "whole numbers with .0": (["1.0", "2.0"], "2"),
    "leading zeros": (["007", "012"], "12"),
    "addresses with and without https": (["http://www.ex.org/茶/", "x"], "https://ex.org/茶"),
    "the same characters are written in two ways": (["cafe\u0301", "x"], "caf\xe9"),
    "unicodedata.normalize('NFKC', id)": (["ＤＯＣ１", "x"], "DOC1"),
    "brackets or quotes are around ids": (["d7", "x"], "[d7]"),
    "around ids of one side": (["“文3”", "x"], "文3"),
    "white space": (["章 一", "章 二"], "章二"),
    "ending of a file's name": (["手册.md", "菜单.txt"], "菜单"),
    "folder of a file": (["docs/справка.md", "a.md"], "справка.md"),
    "folder, ending or case": (["docs/Guide.MD", "a.md"], "guide"),
    "parts of what the other names": (["दस्तावेज़#1", "คู่มือ_chunk_3"], "คู่มือ"),
    'if it is a score or a grade, write {"d1": 0.9, "d2": 0.8}': (["d1 (0.91)", "d2 (0.8)"], "d2"),
    "else write ids of whole documents": (["doc-2:1.5"], "doc-2"),
    "a rank or a mark is before ids": (["1. d1", "2. d2"], "d2"),
    "if '>' separates ids, pass split={'retrieved': '>'}": (["문서1>문서2"], "문서2"),
    "if '/' separates ids, pass split={'retrieved': '/'}": (["وثيقة1/وثيقة2"], "وثيقة1"),
}


@pytest.mark.parametrize("why", DIFFERENT)
def test_the_note_says_how_ids_differ(why: str) -> None:
    retrieved, relevant = DIFFERENT[why]
    result = ragauge.evaluate([{"retrieved": retrieved, "relevance": {relevant: 1}}], "mrr")
    assert result["mrr"].value == 0
    [note] = [one for one in result.data.notes if why in one]
    assert f"{relevant!r} beside " in note


@pytest.mark.parametrize("why", list(DIFFERENT)[:9])
def test_ids_of_one_sample_of_many_in_another_form_have_a_note(why: str) -> None:
    retrieved, relevant = DIFFERENT[why]
    rows = [{"retrieved": ["d1"], "relevance": {"d1": 1}}] * 9
    [note] = notes_on([*rows, {"retrieved": retrieved, "relevance": {relevant: 1}}])
    assert note.startswith("retrieved has 1 id of relevance in another form, in 10 samples looked at")
    assert why in note


def test_ids_that_differ_in_case_on_both_sides_are_other_documents() -> None:
    rows = [{"retrieved": ["ab", "AB"], "relevance": {"ab": 1, "AB": 1}}] * 9
    assert notes_on([*rows, {"retrieved": ["ab"], "relevance": {"AB": 1}}]) == []
    assert notes_on([*rows, {"retrieved": ["X"], "relevance": {"x": 1}}]) != []


@pytest.mark.parametrize(
    ("retrieved", "relevant"),
    [
        ("보고서.pdf", "보고서"),
        ("文書1#2", "文書1"),
        ("docs/чай.md", "чай.md"),
        ("- d1", "d1"),
        ("doc:1", "doc"),
        ("a\\tea", "a/tea"),
        ("a%20tea", "a tea"),
    ],
)
def test_a_part_of_a_name_that_one_side_alone_has_is_told_of_one_sample_too(retrieved: str, relevant: str) -> None:
    rows = [{"retrieved": ["d1"], "relevance": {"d1": 1}}] * 9
    for one, other in ((retrieved, relevant), (relevant, retrieved)):
        [note] = notes_on([*rows, {"retrieved": [one], "relevance": {other: 1}}])
        assert note.startswith("retrieved has 1 id of relevance in another form, in 10 samples looked at")
        assert f"{one!r} beside {other!r}" in note


@pytest.mark.parametrize(
    ("retrieved", "relevant"), [("tea.pdf", "tea.txt"), ("文書1#2", "文書1#3"), ("a/tea", "b/tea")]
)
def test_other_documents_with_a_part_of_a_name_in_common_have_no_note(retrieved: str, relevant: str) -> None:
    rows = [{"retrieved": ["d1"], "relevance": {"d1": 1}}] * 9
    assert notes_on([*rows, {"retrieved": [retrieved], "relevance": {relevant: 1}}]) == []


@pytest.mark.parametrize("separator", [" - ", " · ", " → ", " + ", " und ", " и "])
def test_what_stands_between_blanks_is_a_part_of_the_separator(separator: str) -> None:
    rows = [
        {"retrieved": [f"d{n}{separator}d{n + 50}{separator}d{n + 90}"], "relevance": {f"d{n + 50}": 1}}
        for n in range(3)
    ]
    [note] = notes_on(rows)
    assert f"if {separator!r} separates ids, pass split={{'retrieved': {separator!r}}}" in note


def samples(met: int, total: int, **other: Any) -> list[dict[str, Any]]:
    return [
        {"retrieved": [f"d{n}", f"e{n}"], "relevance": {f"d{n}" if n < met else f"D{n}": 1}} | other
        for n in range(total)
    ]


def notes_on(rows: list[dict[str, Any]]) -> list[str]:
    return list(note_on_unmet_ids(read(rows)))


def test_few_samples_may_meet() -> None:
    assert "in 39 of 40 samples looked at" in notes_on(samples(1, 40))[0]
    [note] = notes_on(samples(3, 40))
    assert note.startswith(
        "retrieved has 37 ids of relevance in another form, in 40 samples looked at, as 'd3' beside 'D3'"
    )


@pytest.mark.parametrize("form", [str.upper, "{}.0".format, "00{}".format, " {}".format])
def test_one_id_in_another_form_is_told_beside_others_that_meet(form: Callable[[str], str]) -> None:
    rows = [{"retrieved": [str(n), "x7a"], "relevance": [str(n)]} for n in range(1, 20)]
    other = {"retrieved": ["x7a", "31"], "relevance": [form("31"), form("x7a")]}
    [note] = notes_on([*rows, other])
    assert note.startswith("retrieved has ")
    assert notes_on([*rows, {"retrieved": ["31"], "relevance": ["32"]}]) == []


def test_more_samples_are_looked_at_where_the_first_do_not_meet() -> None:
    late = [*samples(0, 150)[:50], *samples(150, 150)[50:]]
    assert notes_on(late)[0].startswith("retrieved has 50 ids of relevance in another form, in 150 samples looked at")
    others = [{**one, "relevance": ["f"]} for one in late[:50]]
    assert notes_on([*others, *late[50:]]) == []


def test_a_system_that_finds_nothing_has_no_note_unless_its_ids_are_of_another_kind() -> None:
    poor = [{"retrieved": [f"d{n}"], "relevance": {f"d{n + 1}": 1}} for n in range(9)]
    assert notes_on(poor) == []
    other = [{"retrieved": [f"d{n}"], "relevance": {f"x{n}": 1}} for n in range(9)]
    assert "in 1 of 1 samples looked at" in notes_on(other[:1])[0]
    assert "'x0' beside 'd0': check that both name the same documents" in notes_on(other)[0]
    assert notes_on([{"retrieved": [], "relevance": {"x": 1}}, {"retrieved": ["x"], "relevance": {}}]) == []


def test_a_separator_within_ids_is_named_where_no_reason_is_seen() -> None:
    [note] = notes_on([{"retrieved": ["Anna; Bo"], "relevance": {"Cy": 1}}])
    assert "if ';' separates ids, pass split={'retrieved': ';'}" in note


def test_only_metrics_that_read_ids_have_the_note() -> None:
    rows = samples(0, 3, answer="a", references=["a"])
    result = ragauge.evaluate(rows, "exact-match")
    assert not any("beside" in note for note in result.data.notes)


def test_what_the_note_names_is_what_to_type(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "runs.csv"
    path.write_text("query,retrieved_ids,relevant_ids\na,d1>d2,d1\nb,d3>d4,d4\n", encoding="utf-8")
    assert 'pass --split "retrieved=>"' in here(capsys, "score", path, "-m", "mrr").err
    done = here(capsys, "score", path, "-m", "mrr", "--split", "retrieved=>")
    assert "0.75" in done.out
    assert "beside" not in done.err
    (tmp_path / "run.txt").write_text("q1 Q0 D1 1 1 x\nq2 Q0 D2 1 1 x\n", encoding="utf-8")
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\nq2 0 d2 1\n", encoding="utf-8")
    both = here(capsys, "score", "--run", tmp_path / "run.txt", "--qrels", tmp_path / "qrels.txt", "-m", "mrr")
    assert "upper and lower case" in both.err


def test_grades_that_no_document_reaches_have_a_note_that_works() -> None:
    rows = [{"retrieved": ["d1", "茶"], "relevance": [["d1", 0.1], ["茶", 0.4]]}]
    result = ragauge.evaluate(rows, "hit-rate", resamples=0)
    assert result["hit-rate"].value == 0.0
    [note] = [one for one in result.data.notes if "no grade of relevance" in one]
    spec = note.rpartition("write ")[2]
    assert (spec, ragauge.evaluate(rows, spec, resamples=0)[spec].value) == ("hit-rate:level=0.4", 1.0)
    for metric, relevance in (("ndcg", {"d1": 0.4}), ("hit-rate", {"d1": 1}), ("hit-rate", {"d1": 0})):
        notes = ragauge.evaluate([{**rows[0], "relevance": relevance}], metric, resamples=0).data.notes
        assert not [one for one in notes if "no grade" in one]


@pytest.mark.parametrize(
    ("made", "place"),
    [("c1341eda-a1d5-4ae7-aef8-4dbbc302d028", "contexts.node.ref_doc_id"), ("0f" * 32, "retriever.documents.meta.id")],
)
def test_ids_that_a_framework_made_are_told_of_with_what_to_type(made: str, place: str) -> None:
    [note] = note_on_unmet_ids(read([{"retrieved": [made], "relevance": {"doc-1": 1}}]))
    assert f"map={{'retrieved': '{place}'}}, with duplicates='first'" in note
    [other] = note_on_unmet_ids(
        read([{"retrieved": [made], "relevance": {made.replace("c1", "a1").replace("0f0f", "0e0e"): 1}}])
    )
    assert "framework" not in other


def test_grades_of_the_retrieved_alone_are_noted() -> None:
    def note(*grades: list[int]) -> str:
        rows = [{"retrieved": ["d1", "d2", "d3"], "relevance": given} for given in grades]
        return "; ".join(notes_on_grades(read(rows), {"recall": 1.0}))

    assert "grades of what was retrieved and of nothing else, in 2 samples looked at" in note([0, 2, 1], [1, 0, 0])
    assert "if 1 means not relevant, write recall:level=2" in note([1, 2, 5], [1, 1, 3])
    assert note([1, 1, 1], [1, 1, 1]) == ""
    judged = {"retrieved": ["d1", "d2"], "relevance": {"d1": 1, "d2": 0, "d9": 1}}
    assert notes_on_grades(read([judged]), {"recall": 1.0}) == []
    assert notes_on_grades(read([{"retrieved": ["d1"], "relevance": [2]}]), {}) == []
