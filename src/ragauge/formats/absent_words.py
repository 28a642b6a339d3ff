"""Fields that are a word for a missing value, as "nan": they are read as texts, which a note says."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from ragauge.core import compute as pc
from ragauge.core.arrow import scalar, to_arrow
from ragauge.core.messages import Counted, Message

_WORDS = to_arrow(
    ["nan", "NaN", "NA", "N/A", "n/a", "<NA>", "#N/A", "None", "null", "NULL", "NaT", "set()", "frozenset()"],
    pa.string(),
)
"""Words that pandas reads as missing, and that it or Python write where missing values became texts."""
_COLUMNS = ("question", "answer", "references")
_READ_AS_TEXT = (
    "RG-NOTE-052 {name}: {count} {word!r}, read as text; where that stands for a missing value, leave the field empty "
    "or write null, in pandas before astype(str)"
)

_EMPTY = (
    'RG-NOTE-060 {name}: {count} "" and read as an answer of nothing; where that stands for a missing value, write '
    "null, and in CSV leave the field empty without quotes"
)


def notes_on_absent_words(tables: Sequence[pa.Table]) -> list[Message]:
    """Return a note for each column of questions, answers or references with words for a missing value.

    Empty answers have one too: systems that failed give them, and some programs write quotes for missing values.

    >>> [note] = notes_on_absent_words([pa.table({"answer": ["nan", "tea", "nan"]})])
    >>> note.partition(";")[0]
    "answer: 2 fields are 'nan', read as text"
    """
    notes = []
    for name in _COLUMNS:
        found: list[str] = []
        for column in (table[name] for table in tables if name in table.column_names):
            texts = pc.list_flatten(column) if pa.types.is_list(column.type) else column
            if pa.types.is_string(texts.type):
                found += pc.filter(texts, pc.is_in(texts, value_set=_WORDS)).to_pylist()
        notes += [
            Message(_READ_AS_TEXT, name, Counted(found.count(word), "field is", "fields are"), word)
            for word in dict.fromkeys(found)
        ]
    return [*notes, *_on_nothing(tables)]


def _on_nothing(tables: Sequence[pa.Table]) -> list[Message]:
    columns = [table["answer"] for table in tables if "answer" in table.column_names]
    texts = [column for column in columns if pa.types.is_string(column.type)]
    empty = sum([pc.sum(pc.equal(column, scalar("", column.type))).as_py() or 0 for column in texts])
    return [Message(_EMPTY, "answer", Counted(empty, "field is", "fields are"))] if empty else []
