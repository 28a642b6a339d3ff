"""Numbers out of nested dicts, with every wrong one reported."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import NoReturn, TypeAlias

import numpy as np

from ragauge.errors import DataError
from ragauge.ragged import FloatArray, Ragged

Scored: TypeAlias = Mapping[str, float]

_NOTHING: Scored = {}


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """What the dicts of ``n`` queries hold.

    ``scores``, ``grades``: (n) lists of float64, in the order of the dicts. ``found``: (m,) the score of each judged
    document beside ``grades.values``, NaN where it was not retrieved.
    """

    scores: Ragged
    grades: Ragged
    found: FloatArray

    @classmethod
    def of(cls, run: Mapping[str, Scored], qrels: Mapping[str, Scored]) -> Numbers:
        """Read all numbers in one pass: what was just read of a dict is still in cache.

        Raises:
            DataError: a score or a grade is not a number, or an id is not a string.
        """
        _refuse_other_ids("run", run)
        _refuse_other_ids("qrels", qrels)
        packed: list[bytes] = []
        found: list[float | None] = []
        grades: list[float] = []
        try:
            for query, judged in qrels.items():
                retrieved = run.get(query, _NOTHING)
                # The quickest way there is from Python numbers to an array, and strict: text is refused.
                packed.append(struct.pack(f"{len(retrieved)}d", *retrieved.values()))
                found.extend(map(retrieved.get, judged))
                grades.extend(judged.values())
            numbers = cls._of_lists(packed, found, struct.pack(f"{len(grades)}d", *grades), qrels)
        except struct.error:
            _refuse_other_numbers(run, qrels)
        if np.isnan(numbers.scores.values).any() or np.isnan(numbers.grades.values).any():
            _refuse_other_numbers(run, qrels)
        return numbers

    @classmethod
    def _of_lists(
        cls, packed: list[bytes], found: list[float | None], grades: bytes, qrels: Mapping[str, Scored]
    ) -> Numbers:
        retrieved = np.fromiter(map(len, packed), np.int64, len(packed)) // struct.calcsize("d")
        judged = np.fromiter(map(len, qrels.values()), np.int64, len(qrels))
        return cls(
            scores=Ragged.from_lengths(np.frombuffer(b"".join(packed)), retrieved),
            grades=Ragged.from_lengths(np.frombuffer(grades), judged),
            found=np.fromiter(found, np.float64, len(found)),
        )


def _refuse_other_numbers(run: Mapping[str, Scored], qrels: Mapping[str, Scored]) -> NoReturn:
    problems = _other_numbers("score", ((query, run.get(query, _NOTHING)) for query in qrels))
    if problems:
        raise DataError.of("run", problems, advice="Give each document a number as its score.")
    problems = _other_numbers("grade", qrels.items())
    raise DataError.of("qrels", problems, advice="Give each document a number as its grade.")


def _other_numbers(kind: str, rows: Iterable[tuple[str, Scored]]) -> list[str]:
    return [
        f"query {query!r}, document {document!r}: {kind} {value!r} is not a number"
        for query, row in rows
        for document, value in row.items()
        if not isinstance(value, Real) or np.isnan(value)
    ]


def _refuse_other_ids(name: str, rows: Mapping[str, Scored]) -> None:
    """Raise DataError if an id is not a string: 7 never equals "7". Of the documents one is looked at."""
    problems = []
    if not all(issubclass(kind, str) for kind in set(map(type, rows))):
        problems = [f"query {query!r}: a query id must be a string" for query in rows if not isinstance(query, str)]
    query, row = next(((query, row) for query, row in rows.items() if row), ("", {"": 0.0}))
    document = next(iter(row))
    if not isinstance(document, str):
        problems.append(f"query {query!r}: document {document!r}: a document id must be a string")
    if problems:
        raise DataError.of(name, problems, advice="Turn ids into strings: {str(id): ...}.")
