"""What claims and passages make of a judge's citations, against loops that anyone can read."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ragauge.core.ragged import offsets_of
from ragauge.metrics.judged._claims import SupportMatrix
from ragauge.metrics.judged.judged_noise_sensitivity import noise

Cited = list[list[bool]]


@st.composite
def samples(draw: st.DrawFn) -> list[tuple[Cited, Cited, list[bool]]]:
    """Draw samples: claims of the answer by passages, claims of the reference by the same, and which are right."""
    drawn = []
    for _ in range(draw(st.integers(0, 4))):
        passages = draw(st.integers(0, 4))
        row = st.lists(st.booleans(), min_size=passages, max_size=passages)
        answer, reference = draw(st.lists(row, max_size=4)), draw(st.lists(row, max_size=3))
        right = draw(st.lists(st.booleans(), min_size=len(answer), max_size=len(answer)))
        drawn.append((answer, reference, right))
    return drawn


def matrix_of(each: list[Cited], passages: list[int]) -> SupportMatrix:
    flat = [value for cited in each for row in cited for value in row]
    return SupportMatrix(offsets_of([len(cited) for cited in each]), offsets_of(passages), np.array(flat, dtype=bool))


def passages_of(sample: tuple[Cited, Cited, list[bool]]) -> int:
    return max([len(row) for cited in sample[:2] for row in cited], default=0)


@given(samples())
def test_each_view_is_that_of_loops(drawn: list[tuple[Cited, Cited, list[bool]]]) -> None:
    passages = [passages_of(sample) for sample in drawn]
    matrix = matrix_of([answer for answer, _, _ in drawn], passages)
    before = np.cumsum([0, *passages]).tolist()
    rows = [(place, row) for place, (answer, _, _) in enumerate(drawn) for row in answer]
    assert matrix.by_claim().tolist() == [any(row) for _, row in rows]
    assert matrix.first_passage().tolist() == [
        before[place] + row.index(True) if any(row) else -1 for place, row in rows
    ]
    columns = [
        (answer, number) for (answer, _, _), count in zip(drawn, passages, strict=True) for number in range(count)
    ]
    assert matrix.by_passage().tolist() == [any(row[number] for row in answer) for answer, number in columns]
    shares = [np.mean([row[number] for row in answer]) if answer else 0.0 for answer, number in columns]
    assert matrix.shares_by_passage().tolist() == shares


@given(samples(), st.booleans())
def test_noise_is_that_of_loops(drawn: list[tuple[Cited, Cited, list[bool]]], relevant: bool) -> None:
    passages = [passages_of(sample) for sample in drawn]
    answer = matrix_of([sample[0] for sample in drawn], passages)
    reference = matrix_of([sample[1] for sample in drawn], passages)
    right = np.array([mark for _, _, marks in drawn for mark in marks], dtype=np.float64)
    expected = []
    for of_answer, of_reference, marks in drawn:
        useful = {number for row in of_reference for number, cited in enumerate(row) if cited}
        for row, mark in zip(of_answer, marks, strict=True):
            cited = {number for number, one in enumerate(row) if one}
            blamed = bool(cited & useful) if relevant else bool(cited) and not cited & useful
            expected.append(blamed and not mark)
    assert noise(answer, reference, right, relevant=relevant).tolist() == expected
