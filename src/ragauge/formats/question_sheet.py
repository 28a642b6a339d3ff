"""Sheets that ``ragauge questions`` wrote, and people filled: their rows as samples."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ragauge.core.messages import Message
from ragauge.formats.csv import unguarded
from ragauge.formats.fields import counted, is_missing, plain
from ragauge.formats.source import Chunk, Problem

MARKS = frozenset({"passage", "passage_id", "source", "question", "reference"})
"""Columns that a sheet has, and no other data have together."""
_DROPPED = frozenset({"passage", "passage_id", "supporting_sentence", "note"})
_ORIGINS = {"references": "reference", "reference_contexts": "passage", "relevance": "passage_id"}


def as_samples(chunk: Chunk, *, written: bool) -> Chunk:
    """Return the filled rows of a sheet: the passage is what should be retrieved, the reference the right answer.

    ``reference_contexts`` is the passage. ``relevance`` is its id, where the corpus gave it one: ids that we made, such
    as ``tea.md#3``, are those of no system. Rows in which neither question nor reference is filled are left out, and a
    note counts them. One without the other is a problem, unless no row has a reference.

    Args:
        chunk: rows of a sheet.
        written: fields are texts as CSV files have them.

    >>> row = {"passage": ["It opened in 1990."], "passage_id": ["d1"], "source": ["a.md"], "question": ["When?"]}
    >>> as_samples(Chunk(row | {"reference": ["1990"]}, [2]), written=False).columns["reference_contexts"]
    [['It opened in 1990.']]
    """
    columns = {name: [_read(one, written=written) for one in plain(values)] for name, values in chunk.columns.items()}
    questions, references = columns["question"], columns["reference"]
    kept = [row for row, pair in enumerate(zip(questions, references, strict=True)) if any(pair)]
    problems = _half_filled(questions, references, chunk.places)
    columns = {name: [values[row] for row in kept] for name, values in columns.items()}
    lists = json.dumps if written else list
    passages = [None if one is None else lists([one]) for one in columns["passage"]]
    own = zip(columns["passage_id"], columns["source"], strict=True)
    ids = [None if name is None or name.startswith(f"{source}#") else lists([name]) for name, source in own]
    samples: dict[str, Any] = {name: values for name, values in columns.items() if name not in _DROPPED}
    samples |= {"reference_contexts": passages} if any(passages) else {}
    samples |= {"relevance": ids} if any(ids) else {}
    if not any(columns["reference"]):
        del samples["reference"]
    empty = len(questions) - len(kept)
    notes = [f"{counted(empty, 'row of the sheet has', 'rows of the sheet have')} no question and no reference"]
    left_out = [f"{notes[0]}, and {'is' if empty == 1 else 'are'} left out"] if empty else []
    return replace(
        chunk,
        columns=samples,
        places=[chunk.places[row] for row in kept],
        problems=[*chunk.problems, *problems],
        origins={known: name for known, name in _ORIGINS.items() if known in samples or name in samples},
        notes=[*chunk.notes, *left_out],
    )


def _read(field: Any, *, written: bool) -> str | None:
    """Return a field as text, as it was before it was written; null where it is blank."""
    if is_missing(field) or not str(field).strip():
        return None
    return str(unguarded(str(field)) if written else field)


def _half_filled(
    questions: Sequence[str | None], references: Sequence[str | None], places: Sequence[int]
) -> list[Problem]:
    # Questions alone are enough for metrics of retrieval.
    needs_reference = any(references)
    alone = Message("RG-DATA-096 has a reference, but no question; write it, or clear the reference")
    unanswered = Message("RG-DATA-097 has a question, but no reference; write it, or clear the question")
    problems = []
    for place, question, reference in zip(places, questions, references, strict=True):
        if reference and not question:
            problems.append(Problem(place, alone))
        elif question and needs_reference and not reference:
            problems.append(Problem(place, unanswered))
    return problems
