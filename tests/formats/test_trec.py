"""Runs and judgements of every form that is accepted, and what is said of the others."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import pytrec_eval

from ragauge.errors import DataError
from ragauge.formats import trec_lines
from ragauge.formats.retrieval import join
from ragauge.formats.runs import read_qrels, read_run
from ragauge.ranking import ArrowRankings
from tests.approved import approved
from tests.parity.shared import place

Write = Callable[..., Path]

RUN = "q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 2 1.5 tag\nq2 Q0 d1 1 -1 tag\n"
RUN_ROWS = [
    {"id": "q1", "retrieved": ["d1", "d2"], "retrieved_scores": [2.5, 1.5]},
    {"id": "q2", "retrieved": ["d1"], "retrieved_scores": [-1.0]},
]
QRELS = "q1 0 d2 1\nq1 0 d9 0\nq2 0 d1 2\n"
QRELS_ROWS = [
    {"id": "q1", "relevance": [{"id": "d2", "grade": 1.0}, {"id": "d9", "grade": 0.0}]},
    {"id": "q2", "relevance": [{"id": "d1", "grade": 2.0}]},
]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(content: str | bytes, name: str = "file.txt") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def said(read: Callable[[Any], object], path: Path) -> str:
    """Return what the error says, with the folder taken off."""
    with pytest.raises(DataError) as raised:
        read(path)
    return str(raised.value).replace(f"{path.parent}{os.sep}", "")


@pytest.mark.parametrize(
    "content",
    [
        RUN,
        RUN.replace("\n", "\r"),
        RUN.removesuffix("\n"),
        RUN.replace(" ", "\t"),
        RUN.replace(" ", "  \t"),
        RUN.replace("q", " q").replace("tag", "tag "),
        RUN.replace("\n", "\r\n"),
        "\ufeff" + RUN,
        "\ufeff# comment\n" + RUN.replace(" ", "  "),
        RUN.replace("\n", "\n\n   \n"),
        "# a comment of six words 1.0\n# a b c 1.0 d\n" + RUN,
        RUN.replace("tag", "tag more junk at the end"),
        RUN.replace("\t", " ").replace(" 2.5", "\t  2.5"),
        RUN.replace("2.5", "+25e-1").replace("1.5", "+1.5").replace(" -1 ", " -1. "),
        "q1 Q0 d1 1 2.5 tag\nq2 Q0 d1 1 -1 tag\nq1 Q0 d2 2 1.5 tag\n",
    ],
)
def test_runs(write: Write, content: str) -> None:
    assert read_run(write(content)).to_pylist() == RUN_ROWS


@pytest.mark.parametrize(
    "content",
    [
        QRELS,
        QRELS.replace("\n", "\r"),
        QRELS.replace(" ", "\t"),
        "  " + QRELS.replace(" ", "   "),
        QRELS.replace("\n", "\r\n"),
        "# comment here\n" + QRELS,
        "query-id\tcorpus-id\tscore\nq1\td2\t1\nq1\td9\t0\nq2\td1\t2\n",
        "\ufeffquery-id\tcorpus-id\tscore\r\nq1\td2\t1\r\n\r\nq1\td9\t0.0\r\nq2\td1\t2\r\n",
        "query-id corpus-id score\nq1  d2 1\nq1  d9 0\nq2 d1 2\n",
        json.dumps({"q1": {"d2": 1, "d9": 0}, "q2": {"d1": 2}}),
    ],
)
def test_qrels(write: Write, content: str) -> None:
    name = "qrels.json" if content.startswith("{") else "qrels.txt"
    assert read_qrels(write(content, name)).to_pylist() == QRELS_ROWS


@pytest.mark.parametrize("name", ["a.run.gz", "a.json.gz"])
def test_a_small_archive_that_expands_to_very_much_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(gzip.compress(b"q Q0 d 1 1 t\n" * 6_000_000, 1))
    with pytest.raises(DataError, match=r"expands to more than 64 MiB and 20 times its size; expand it first"):
        read_run(tmp_path / name)


def test_schemas(write: Write) -> None:
    numbers = pa.list_(pa.float64())
    assert read_run(write(RUN)).schema == pa.schema(
        {"id": pa.string(), "retrieved": pa.list_(pa.string()), "retrieved_scores": numbers}
    )
    judgement = pa.struct({"id": pa.string(), "grade": pa.float64()})
    assert read_qrels(write(QRELS)).schema == pa.schema({"id": pa.string(), "relevance": pa.list_(judgement)})


@pytest.mark.parametrize("name", ["run.txt.gz", "run.zst", "unnamed"])
def test_compressed(write: Write, name: str) -> None:
    zstd = pa.compress(RUN.encode(), "zstd", asbytes=True)
    assert read_run(write(zstd if name == "run.zst" else gzip.compress(RUN.encode()), name)).to_pylist() == RUN_ROWS


@pytest.mark.parametrize("score", ["1e3", "+1e3", "1.", ".5", "-2", "-.5E-2", "0.1", "1e-320", "123456789.987654321"])
def test_scores_are_read_to_the_last_bit(write: Write, score: str) -> None:
    fast = read_run(write(f"q Q0 d 1 {score} tag\n"))
    slow = read_run(write(f"q  Q0 d 1 {score} tag\n"))
    assert fast["retrieved_scores"].to_pylist() == slow["retrieved_scores"].to_pylist() == [[float(score)]]


def test_fractional_and_negative_grades(write: Write) -> None:
    table = read_qrels(write("q 0 a 0.5\nq 0 b -1\n"))
    assert table["relevance"].to_pylist() == [[{"id": "a", "grade": 0.5}, {"id": "b", "grade": -1.0}]]


def test_ids_in_any_script_and_with_any_sign(write: Write) -> None:
    ids = ["文書#1", "éa\u3000b", '"quoted', "a,b\\n", "\U0001f600"]
    run = "".join(f"質問 Q0 {one} 1 1.0 t\n" for one in ids)
    assert read_run(write(run)).to_pylist()[0]["retrieved"] == ids
    assert read_run(write(run.replace(" Q0", "  Q0"))).to_pylist()[0]["retrieved"] == ids


def test_between_tabs_ids_may_hold_blanks(write: Write) -> None:
    assert read_run(write("q 1\tQ0\td 1\t1\t 2.0\ttag\n")).to_pylist() == [
        {"id": "q 1", "retrieved": ["d 1"], "retrieved_scores": [2.0]}
    ]


def test_a_doubled_blank_never_shifts_the_fields(write: Write) -> None:
    path = write("q1 Q0 d1 1 2.5 tag\nq1 Q0 d2  1 2.0\nq2  Q0 d1 1 3.0\n")
    assert said(read_run, path) == (approved("formats.problems_line_fields_instead_of_q_q"))


@pytest.mark.parametrize("block", range(20, 46))
def test_a_doubled_blank_is_seen_wherever_a_block_ends(
    write: Write, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr(trec_lines, "BLOCK", block)
    assert "5 fields instead of 6" in said(read_run, write("q1 Q0 d1 1 2.5 tag\nq1 Q0 d2  1 2.0\n"))


def test_every_bad_line_is_reported(write: Write) -> None:
    bad = "# skipped\nq1 Q0 d1 1 high tag\n\nq1 Q0 d2 2\nq1 Q0 d3 3 nan tag\nq1 Q0 d4 3 inf t\nq1 Q0 d5 4 1_0 t\n"
    assert said(read_run, write(bad)) == (approved("formats.problems_line_score_high_is_not_a"))


def test_bad_judgements(write: Write) -> None:
    assert said(read_qrels, write("q1 0 d1 1\nq1 0 d2 1 2\nq1 0 d3 x\n")) == (
        approved("formats.problems_line_fields_instead_of_q_d")
    )


def test_an_empty_id_between_tabs(write: Write) -> None:
    assert said(read_run, write("\tQ0\td\t1\t2.0\ttag\nq\tQ0\t\t1\t2.0\ttag\n")) == (
        approved("formats.problems_line_the_query_is_empty_line")
    )


def test_lines_that_end_as_on_old_macs_are_numbered(write: Write) -> None:
    assert "line 2" in said(read_qrels, write("q1 0 d2 1\rq1 0 d9\rq2 0 d1 2\r"))


def test_bytes_that_are_not_utf8(write: Write) -> None:
    assert said(read_run, write(b"q Q0 d 1 1.0 t\nq Q0 caf\xe9 1 1.0 t\n")) == (
        approved("formats.line_not_utf_byte_xe_at_byte")
    )


def test_files_that_cannot_be_read(write: Write, tmp_path: Path) -> None:
    write(RUN, "run.txt")
    assert "run.tx: file not found; did you mean run.txt?" in said(read_run, tmp_path / "run.tx")
    assert "is a folder; name the file in it" in said(read_run, tmp_path)
    assert "empty.txt: is empty" in said(read_run, write("", "empty.txt"))
    assert "blank.txt: is empty" in said(read_qrels, write("\n \n", "blank.txt"))
    assert "only.txt: holds no data; a line of TREC judgements is" in said(read_qrels, write("# a\n", "only.txt"))
    assert "ends too early" in said(read_run, write(gzip.compress(RUN.encode())[:-9], "run.gz"))


def test_json_runs(write: Write) -> None:
    run = {"q1": {"d2": 1.5, "d1": 2.5}, "q2": {}}
    assert read_run(write(json.dumps(run), "run.json")).to_pylist() == [
        {"id": "q1", "retrieved": ["d1", "d2"], "retrieved_scores": [2.5, 1.5]},
        {"id": "q2", "retrieved": [], "retrieved_scores": []},
    ]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("[1]", "run.json: must be an object query -> document -> number; got a list"),
        ('{"q": 1}', "run.json: query 'q': the run must be a list of ids; got the number 1"),
        ('{"q": {"d": "1"}}', "run.json: query 'q': the run must have a finite number as score of 'd'; got '1'"),
        (
            '{"q": {"d": NaN}}',
            "run.json: query 'q': the run must have a finite number as score of 'd'; got the number nan",
        ),
        ('{"q": {"d": 1, "d": 2}}', "run.json: has the key 'd' twice; keep one"),
        ("{", "run.json: not JSON: Expecting property name"),
        (b'{"\xe9": {}}', "run.json: not UTF-8 at byte 3; save the file as UTF-8"),
    ],
)
def test_bad_json(write: Write, content: str | bytes, expected: str) -> None:
    assert said(read_run, write(content, "run.json")).startswith(expected)


def joined(run: dict[str, list[str]], qrels: list[str]) -> tuple[list[dict[str, Any]], dict[str, int]]:
    retrieved = pa.array(list(run.values()), pa.list_(pa.string()))
    scores = pa.array([[float(i) for i in range(len(one))] for one in run.values()], pa.list_(pa.float64()))
    ids = pa.array(list(run), pa.string())
    judged = pa.array([[{"id": "d", "grade": 1.0}] for _ in qrels])
    table, counts = join(
        pa.table({"id": ids, "retrieved": retrieved, "retrieved_scores": scores}),
        pa.table({"id": pa.array(qrels, pa.string()), "relevance": judged}),
    )
    return table.drop_columns("relevance").to_pylist(), counts


@pytest.mark.parametrize("qrels", [["q1", "q2"], ["q2", "q1"], ["q2", "q0", "q3"], ["q0", "q1", "q9", "q3"], ["q0"]])
def test_join_follows_the_judgements(qrels: list[str]) -> None:
    run = {"q1": ["a", "b"], "q2": [], "q3": ["c"]}
    table, counts = joined(run, qrels)
    assert table == [
        {
            "id": query,
            "retrieved": run.get(query, []),
            "retrieved_scores": [float(i) for i in range(len(run.get(query, [])))],
            "in_run": query in run,
        }
        for query in qrels
    ]
    assert counts == {
        "missing_queries": len(set(qrels) - set(run)),
        "unjudged_queries": len(set(run) - set(qrels)),
    }


def test_join_copies_nothing_where_the_order_is_the_same(write: Write) -> None:
    run, qrels = read_run(write(RUN, "run")), read_qrels(write("q1 0 d 1\nq0 0 d 1\nq2 0 d 1\n", "qrels"))
    table, _ = join(run, qrels)
    before, after = (one["retrieved"].chunk(0).flatten().buffers()[2].address for one in (run, table))
    assert before == after


def parity(run: Path, qrels: Path) -> None:
    """Hold reciprocal rank and relevant documents retrieved against pytrec_eval, exactly."""
    table, _ = join(read_run(run), read_qrels(qrels))
    rankings = ArrowRankings(table["id"], table["retrieved"], table["retrieved_scores"], table["relevance"])
    ranks = rankings.judged(ties="docid-desc", score_dtype="float32", duplicates="error")
    relevant = ranks.grades > 0
    first = np.full(len(ranks), np.inf)
    np.minimum.at(first, ranks.ranks.rows[relevant], ranks.ranks.values[relevant])
    found = np.bincount(ranks.ranks.rows[relevant], minlength=len(ranks))

    def dicts(table: pa.Table, lists: Callable[[Any], dict[str, Any]]) -> dict[str, dict[str, Any]]:
        return {row["id"]: lists(row) for row in table.to_pylist()}

    judged = dicts(table, lambda row: {one["id"]: int(one["grade"]) for one in row["relevance"]})
    scored = dicts(table, lambda row: dict(zip(row["retrieved"], row["retrieved_scores"], strict=True)))
    theirs = pytrec_eval.RelevanceEvaluator(judged, {"recip_rank", "num_rel_ret"}).evaluate(scored)
    ours = {query: (1 / rank, float(count)) for query, rank, count in zip(judged, first, found, strict=True)}
    assert ours == {query: (one["recip_rank"], one["num_rel_ret"]) for query, one in theirs.items()}


@pytest.mark.parametrize("run", ["results.test", "results.trunc"])
@pytest.mark.parametrize("qrels", ["qrels.test", "qrels.test.with-comments", "qrels.rel_level"])
def test_files_of_trec_eval(run: str, qrels: str) -> None:
    parity(place("trec_eval") / run, place("trec_eval") / qrels)


@pytest.mark.parametrize("run", ["pircRBa1", "rutcor03100", "uic0301"])
def test_files_of_robust03(run: str) -> None:
    parity(place("robust03") / f"input.{run}.gz", place("robust03") / "qrels_cs.txt.gz")


def test_files_of_jqara() -> None:
    parity(place("jqara") / "bm25.trec.gz", place("jqara") / "qrels.trec")


@pytest.mark.parametrize(
    ("name", "queries", "judgements"),
    [
        ("qrels/qrels.beir-v1.0.0-scifact.test.txt", 300, 339),
        ("qrels/qrels.dl19-passage.txt", 43, 9260),
        ("qrels/qrels.miracl-v1.0-zh-dev.tsv", 393, 3928),
        ("trec_eval/qrels.comment.test", 31, 5890),
    ],
)
def test_real_judgements(name: str, queries: int, judgements: int) -> None:
    table = read_qrels(place(name))
    assert (table.num_rows, len(table["relevance"].combine_chunks().flatten())) == (queries, judgements)


MANY = "".join(f"{query} Q0 d{i} 1 {-i} tag\n" for query in ("q1", "q2") for i in range(9000))


FORMS = {
    "blanks": RUN,
    "tabs": RUN.replace(" ", "\t"),
    "several blanks": RUN.replace(" ", "   "),
    "outer blanks": RUN.replace("\n", " \n  "),
    "Windows": RUN.replace("\n", "\r\n"),
    "Windows and tabs": RUN.replace(" ", "\t").replace("\n", "\r\n"),
    "empty lines": "\n" + RUN.replace("\n", "\n\n \n"),
    "several blocks": MANY,
}


@pytest.mark.parametrize("content", FORMS.values(), ids=FORMS)
def test_plain_files_are_read_the_fast_way(content: str, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*_: object) -> None:
        pytest.fail("the slow reader was asked")

    monkeypatch.setattr("ragauge.formats.trec.line_by_line", slow)
    assert read_run(write(content))["id"].to_pylist() == ["q1", "q2"]


BEIR = "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td1\t2\n"
MANY_QRELS = "".join(f"{query} 0 d{i} 1\n" for query in ("q1", "q2") for i in range(12_000))


@pytest.mark.parametrize(
    "content",
    [QRELS, QRELS.replace(" ", "\t"), BEIR, MANY_QRELS, MANY_QRELS.replace(" ", "\t")],
    ids=["blanks", "tabs", "BEIR", "several windows", "several windows of tabs"],
)
def test_plain_judgements_are_read_the_fast_way(content: str, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*_: object) -> None:
        pytest.fail("the slow reader was asked")

    monkeypatch.setattr("ragauge.formats.trec.line_by_line", slow)
    assert read_qrels(write(content))["id"].to_pylist() == ["q1", "q2"]
