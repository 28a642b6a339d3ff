"""What to do about rows that cannot be read, by what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

import pyarrow as pa

from ragauge.core.messages import Argument, Message, codes_in
from ragauge.formats.column_names import as_map
from ragauge.formats.encodings import NOT_UTF_8, encoding_advice
from ragauge.formats.long_tables import advice_on_documents, first_fields, names_of_documents, notes_on_passages

REPEATED_ID = "RG-DATA-111"
"""The code of a row whose id another one has."""
ID_ADVICE = "RG-DATA-249"
"""The code of what to do about such rows, where they are no documents of one sample."""
_NO_ID = "RG-DATA-112"
"""The code of a row without an id where others have one."""
_NO_TEXT = "RG-DATA-070"
"""The code of a field that is no text."""
_OF_ONE_DOCUMENT = frozenset({"RG-DATA-085", "RG-DATA-134"})
"""The codes of a number where grades should be, and of a text where ids should be."""
_AS_TEXT = Message(
    "Write each as text, in pandas with frame[column].astype(str); of a list or an object the text that counts, and "
    "null where there is none"
)


def advice_on_rows(
    problems: Sequence[str], names: Iterable[str], sources: Mapping[str, str], tables: Sequence[pa.Table]
) -> str:
    """Return what to do about the problems of rows; the empty text where each says it.

    Args:
        problems: what is wrong with rows.
        names: of all columns in the source.
        sources: known column -> its name in the source.
        tables: the rows; fields that are wrong are null.

    >>> advice_on_rows([Message("RG-DATA-070 must be text; got {kind}", "a list")], ["answer"], {}, []).partition(",")[
    ...     0
    ... ]
    'Write each as text'
    """
    codes = set(chain.from_iterable(map(codes_in, problems)))
    fields = first_fields(names, tables, sources)
    if NOT_UTF_8 in codes:
        return encoding_advice(problems)
    name = sources.get("id", "id")
    of_documents = [advice_on_documents(fields, name, one) for one in names_of_documents(fields)]
    if _NO_ID in codes and of_documents:
        return of_documents[0]
    if REPEATED_ID in codes:
        return (of_documents or notes_on_passages(tables, sources) or [advice_on_ids(name)])[0]
    if codes & _OF_ONE_DOCUMENT:
        asked, documents = sources.get("question"), [*names_of_documents(fields), *_own("retrieved", sources)]
        if asked and documents and _repeats("question", tables):
            return advice_on_documents(fields, asked, documents[0])
    return _AS_TEXT if _NO_TEXT in codes else ""


def advice_on_ids(name: str) -> Message:
    """Return what to do where several rows have the same id in column ``name``."""
    template = (
        "RG-DATA-249 An id must be that of one row. If another column has an id for each row, pass {other}; if "
        "rows share one {name} on purpose, as turns of a conversation do, pass {group}, and {by} for groups of rows"
    )
    return Message(template, as_map("id", "COLUMN"), name, as_map("group_id", name), Argument("by", "group_id"))


def _own(known: str, sources: Mapping[str, str]) -> list[str]:
    return [sources[known]] if known in sources else []


def _repeats(name: str, tables: Sequence[pa.Table]) -> bool:
    fields = list(chain.from_iterable(table[name].to_pylist() for table in tables if name in table.column_names))
    return len(set(fields)) < len(fields)
