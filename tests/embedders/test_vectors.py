"""Vectors from a file."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ragauge.embedders import get
from ragauge.errors import DataError, OptionError


@pytest.fixture
def written(tmp_path: Any) -> Any:
    def write(texts: Any, vectors: Any, kind: Any = None) -> Any:
        path = tmp_path / "v.parquet"
        pq.write_table(pa.table({"text": texts, "vector": pa.array(vectors, kind or pa.list_(pa.float64()))}), path)
        return get(f'vectors[path="{path}"]')

    return write


@pytest.mark.parametrize("kind", [pa.list_(pa.float64()), pa.list_(pa.float32(), 2), pa.large_list(pa.float32())])
def test_vectors_are_found_by_text(written: Any, kind: Any) -> None:
    vectors = written(["猫", "b"], [[1, 0], [0, 2]], kind).encode(["b", "猫", "b"], "query")
    assert vectors.values.tolist() == [[0, 2], [1, 0], [0, 2]]


def test_texts_without_a_vector_are_listed(written: Any) -> None:
    with pytest.raises(DataError, match="2 problems") as caught:
        written(["a"], [[1, 0]]).encode(["x" * 100, "a", "", "x" * 100], "query")
    assert "no vector for the text ''" in str(caught.value)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([[1, 0], [1]], "row 2: 1 number, not 2"),
        ([[1, 0], [float("nan"), 1]], "row 2.*NaN"),
        ([[1, 0], None], "row 2"),
    ],
)
def test_bad_vectors_are_listed(written: Any, rows: Any, said: Any) -> None:
    with pytest.raises(DataError, match=said):
        written(["a", "b"], rows).encode(["a"], "query")


def test_a_file_that_is_not_such_a_file_is_said(tmp_path: Any) -> None:
    (tmp_path / "x").write_text("no parquet")
    for name in ("x", "none"):
        with pytest.raises(DataError, match="text and vector"):
            get(f"vectors[path={tmp_path / name}]").encode(["a"], "query")


def test_the_path_is_needed_and_the_signature_names_the_content(written: Any) -> None:
    with pytest.raises(OptionError, match="Parquet"):
        get("vectors")
    one = written(["a"], [[1]]).signature
    assert written(["a"], [[1]]).signature == one
    assert written(["a"], [[2]]).signature != one
    assert "/" not in one


def test_no_texts(written: Any) -> None:
    assert np.shape(written(["a"], [[1, 2]]).encode([], "query").values) == (0, 2)
