"""Passages and their sentences as arrays, held against lists."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from ragauge.core.texts import Segments
from ragauge.grounding.relevance.sentence_scores import Groups
from ragauge.sentences import split

# Two passages with sentences around one without; a sample without passages; one passage of one sentence.
GROUPS = Groups.of(Segments.of(pa.array([["One. Two.", "", "Three."], [], ["Four."]])).split(split))


def test_each_sentence_belongs_to_its_passage_and_each_passage_to_its_sample() -> None:
    assert GROUPS.of_sentence.tolist() == [0, 0, 1, 2]
    assert GROUPS.first.tolist() == [0, 2, 3]
    assert GROUPS.source.tolist() == [0, 2, 3]
    assert GROUPS.rows.tolist() == [0, 0, 2]
    assert (GROUPS.size, GROUPS.passages) == (4, 4)


def test_values_return_to_their_passages() -> None:
    assert GROUPS.scattered(np.array([1.0, 2.0, 3.0]), 0.0).tolist() == [1.0, 0.0, 2.0, 3.0]


def test_the_highest_sentence_and_the_first_among_equals() -> None:
    values = np.array([0.25, 0.25, 0.5, 0.125])
    assert GROUPS.highest(values).tolist() == [0.25, 0.5, 0.125]
    assert GROUPS.place_of_highest(values).tolist() == [0, 2, 3]


def test_a_sentence_without_a_value_hides_the_highest_and_is_never_it() -> None:
    values = np.array([np.nan, 0.25, np.nan, 0.125])
    assert np.isnan(GROUPS.highest(values)).tolist() == [True, True, False]
    assert GROUPS.place_of_highest(values).tolist() == [1, 2, 3]


def test_no_sentence_at_all() -> None:
    none = Groups.of(Segments.of(pa.array([[""], []], pa.list_(pa.string()))).split(split))
    assert none.highest(np.zeros(0)).tolist() == none.place_of_highest(np.zeros(0)).tolist() == []
    assert none.scattered(np.zeros(0), 0.5).tolist() == [0.5]
    assert none.rows.tolist() == []
