"""Metrics as expressions of Polars and as a function of DuckDB: the scores of `ragauge.evaluate`, to the last bit."""

from __future__ import annotations

from math import isnan
from typing import Any

import pytest

import ragauge
import ragauge.engines.duckdb
from ragauge.engines.column_scores import metric_of, names_of
from ragauge.engines.polars import register
from ragauge.errors import UnknownNameError, UsageError
from tests.skips import FRAMES

TEXTS = [
    ("茶馆早上九点开门。", "茶馆九点开门。"),
    ("お茶は緑です。", "お茶は緑です"),
    ("차는 초록색이다.", "차는 빨갛다."),
    ("Чай зелёный.", "Чай чёрный."),
    ("الشاي أخضر", "الشاي أخضر وحار"),
    ("चाय हरी है।", "चाय हरी है"),
    ("ชาเขียวร้อน", "ชาเขียว"),
    (None, "the tea is green"),
    ("The tea is green.", "tea"),
]
ROWS: list[dict[str, Any]] = [
    {
        "id": str(place),
        "question": f"{place}?",
        "answer": answer,
        "references": [reference, "茶"],
        "contexts": [reference, "x y"],
        "retrieved": ["d1", f"d{place % 4}x"],
        "relevance": ["d1x", "d3x"],
    }
    for place, (answer, reference) in enumerate(TEXTS * 500)
]
WANTED = {
    "rouge-l": ("answer", "references"),
    "bleu": ("answer", "references"),
    "token-f1:case=keep": ("answer", "references"),
    "exact-match": ("answer", "references"),
    "groundedness": ("answer", "contexts"),
    "answer-relevancy": ("answer", "question"),
    "ndcg@2": ("retrieved", "relevance"),
}


@pytest.fixture(scope="module")
def expected() -> dict[str, list[float | None]]:
    result = ragauge.evaluate(ROWS, list(WANTED), resamples=0)
    return {name: [None if isnan(one) else one for one in result.scores(name).tolist()] for name in WANTED}


def test_polars_has_the_scores_of_evaluate(expected: dict[str, list[float | None]]) -> None:
    pl = pytest.importorskip("polars", reason=FRAMES)
    register()
    frame = pl.DataFrame(ROWS)
    scores = {name: pl.col(first).ragauge.score(name, *others) for name, (first, *others) in WANTED.items()}
    assert frame.select(**scores).to_dict(as_series=False) == expected
    # In pieces, and by another order of rows.
    lazy = frame.lazy().reverse().select(**scores).reverse().collect(engine="streaming")
    assert lazy.to_dict(as_series=False) == expected
    assert frame.select(x=pl.col("answer").ragauge.rouge_l(pl.col("references")))["x"].to_list() == expected["rouge-l"]
    assert frame.head(0).select(pl.col("answer").ragauge.bleu("references")).schema == {"answer": pl.Float64}


def test_polars_says_what_is_wrong() -> None:
    pl = pytest.importorskip("polars", reason=FRAMES)
    register()
    with pytest.raises(UnknownNameError, match="unknown metric 'rogue-l'; did you mean rouge-l"):
        pl.col("answer").ragauge.rogue_l("references")
    with pytest.raises(UsageError, match="rouge-l takes the columns answer, references, in this order; got 3"):
        pl.col("answer").ragauge.rouge_l("references", "contexts")
    with pytest.raises(UsageError, match="retrieved must be lists of ids; got texts"):
        pl.DataFrame(ROWS).select(pl.lit("d1,d2").ragauge.ndcg("relevance"))


def test_duckdb_has_the_scores_of_evaluate(expected: dict[str, list[float | None]]) -> None:
    duckdb = pytest.importorskip("duckdb", reason=FRAMES)
    import pyarrow as pa

    rows = pa.Table.from_pylist(ROWS)  # noqa: F841 - DuckDB finds it by its name
    connection = ragauge.engines.duckdb.register(duckdb.connect())
    calls = [f"ragauge_score('{name}', {first}, \"{second}\")" for name, (first, second) in WANTED.items()]
    found = connection.sql(f"SELECT {', '.join(calls)} FROM rows ORDER BY id::INT").fetchall()  # noqa: S608 - our own
    assert dict(zip(WANTED, map(list, zip(*found, strict=True)), strict=True)) == expected
    # Rows may name different metrics.
    several = connection.sql(
        "SELECT ragauge_score(m, answer, \"references\") FROM rows, (VALUES ('bleu'), ('rouge-l'), (NULL)) v(m) "
        "ORDER BY m NULLS LAST, id::INT"
    ).fetchall()
    assert [one for (one,) in several] == [*expected["bleu"], *expected["rouge-l"], *[None] * len(ROWS)]
    with pytest.raises(duckdb.Error, match="takes the columns answer, references, in this order; got 1"):
        connection.sql("SELECT ragauge_score('bleu', answer) FROM rows").fetchall()


def test_the_order_of_columns() -> None:
    assert names_of(metric_of("context-recall"), 1) == ("contexts", "references")
    assert names_of(metric_of("answer-correctness"), 2) == ("answer", "references", "question")
    with pytest.raises(UsageError, match="ndcg takes the columns retrieved, relevance, or contexts, reference_"):
        names_of(metric_of("ndcg"), 2)
