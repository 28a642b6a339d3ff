"""Tables of inverse document frequencies."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ragauge.embedders
from ragauge.embedders import get, ngrams
from ragauge.embedders.ngrams import features
from ragauge.errors import DataError
from ragauge.languages.folding import folded


def level(table: Any, text: Any) -> Any:
    keys = features(folded([text])).keys
    return {int(level) for level in table.of(keys)}


def test_levels_are_sixteenths_of_the_logarithm() -> None:
    table = ngrams.fit({"x": ["中", "中", "中", "国"]})
    assert level(table, "中") == {round(16 * np.log(4 / 3))}
    assert level(table, "国") == {round(16 * np.log(4))}
    assert level(table, "法") == {round(16 * np.log(8))}


def test_what_stands_in_all_texts_still_weighs_something() -> None:
    assert level(ngrams.fit({"x": ["中", "中"]}), "中") == {1}


def test_an_ngram_is_as_common_as_where_it_is_most_common() -> None:
    table = ngrams.fit({"small": ["中"] * 2 + ["国"] * 2, "large": ["国"] * 100})
    assert level(table, "中") == {round(16 * np.log(2))}


def test_only_the_most_common_are_kept() -> None:
    table = ngrams.fit({"x": ["中", "中", "国"]}, most=1)
    assert level(table, "国") == level(table, "法") != level(table, "中")


def test_a_saved_table_is_the_same(tmp_path: Any) -> None:
    table = ngrams.fit({"x": ["甲乙", "丙"]})
    table.save(tmp_path / "x.idf")
    read = ngrams.load(tmp_path / "x.idf")
    np.testing.assert_array_equal(read.levels, table.levels)
    assert (read.digest, read.made_of) == (table.digest, {"texts": {"x": 2}})
    assert get(f"lexical[idf={tmp_path / 'x.idf'}]").signature == f"lexical[idf={table.digest},revision=1]"


def test_no_texts_are_an_error() -> None:
    with pytest.raises(DataError, match="no text"):
        ngrams.fit({})


@pytest.mark.parametrize("content", [b"", b"not a table", b"ragauge idf 1\n{}\nxxx", b"ragauge idf 1\n"])
def test_what_is_no_table_is_said(tmp_path: Any, content: Any) -> None:
    (tmp_path / "bad.idf").write_bytes(content)
    with pytest.raises(DataError, match="fit-idf"):
        get(f"lexical[idf={tmp_path / 'bad.idf'}]").encode(["a"], "query")


def test_a_file_that_is_not_there_is_said() -> None:
    with pytest.raises(DataError, match=r"missing\.idf"):
        get("lexical[idf=missing.idf]").encode(["a"], "query")


def test_the_shipped_table_is_small() -> None:
    assert (Path(ragauge.embedders.__file__).parent / "lexical.idf").stat().st_size < 1_000_000


@pytest.mark.parametrize(("common", "rare"), [("的", "髓"), ("the", "quincunx"), ("です", "ゑヱ"), ("и", "щур")])
def test_the_shipped_table_knows_common_words(common: Any, rare: Any) -> None:
    table = ngrams.shipped()
    assert min(level(table, common)) < min(level(table, rare))
