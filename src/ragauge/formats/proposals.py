"""The probable meaning of columns: by their fields, and of a file's first rows also by words in their names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ragauge import languages
from ragauge.core.sample import SCHEMA
from ragauge.formats.column_names import CONTEXT, folded, known_for_certain
from ragauge.formats.fields import BadFieldError, is_list, is_missing, items, parsed, plain
from ragauge.formats.file_formats import opened_source
from ragauge.formats.source import Chunk, Values
from ragauge.formats.splitting import separator_of

_LOOKED_AT = 100
"""Rows whose fields are looked at."""
_TEXTS = ("page_content", "content", "text", "kwargs", "node", "document")
"""Keys of a document as programs write it: such a list is what was retrieved, also under the name ``context``."""
_LONG = 40
"""Characters from which a text without spaces is a passage and no id."""
_WORDS = 4
_FEW = 4
"""Fewer texts may be distinct by chance, or repeated."""
_WITHOUT_SPACES = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
"""Thai, kana and Han, which are written without spaces."""


def meanings(columns: Mapping[str, Values], *, written: bool) -> dict[str, str]:
    """Return those of ``columns`` whose fields are passages -> ``contexts``.

    ``written``: fields are texts as CSV files have them.

    >>> meanings({"docs": [["Tea is grown in Yunnan."]], "sources": [["a.md", "b.md"]]}, written=False)
    {'docs': 'contexts'}
    """
    chosen = {}
    for name, values in columns.items():
        fields = [one for one in plain(values[:_LOOKED_AT]) if not is_missing(one)]
        of_documents = folded(name) in CONTEXT
        if fields and all(_are_passages(one, written=written, of_documents=of_documents) for one in fields):
            chosen[name] = "contexts"
    return chosen


def _are_passages(field: Any, *, written: bool, of_documents: bool) -> bool:
    """Return whether a field holds passages; ``of_documents``: only as objects, which retrievers return."""
    if written and isinstance(field, str):
        try:
            field = parsed(field, "texts")
        except BadFieldError:
            return False
    if not is_list(field):
        return False
    passages = list(_flat(field))
    if of_documents:
        return bool(passages) and all(isinstance(one, Mapping) and _has_text(one) for one in passages)
    texts = [one for one in passages if isinstance(one, str)]
    objects = [one for one in passages if isinstance(one, Mapping) and _has_text(one)]
    if len(texts) + len(objects) < len(passages):
        return False
    return not texts or sum(map(_is_prose, texts)) * 2 > len(texts)


def _flat(field: Sequence[Any]) -> Iterator[Any]:
    for one in items(field):
        if is_list(one):
            yield from _flat(one)
        else:
            yield one


def _has_text(one: Mapping[str, Any]) -> bool:
    return any(key in one for key in _TEXTS)


def _is_prose(text: str) -> bool:
    """Return whether a text is a passage rather than an id, a file name or an address.

    >>> _is_prose("doc-17"), _is_prose("https://example.org/a/very/long/path/to/a/file.html"), _is_prose("茶产于云南。")
    (False, False, True)
    """
    if len(text.split()) >= _WORDS or len(_WITHOUT_SPACES.findall(text)) >= _WORDS:
        return True
    return len(text) >= _LONG and " " in text


class Proposal(NamedTuple):
    """The probable meaning of a file's columns.

    ``columns``: their names. ``known``: known column -> name, where it is certain. ``guessed``: the same, by a word in
    the name. ``split``: column -> the probable separator of its texts.
    """

    columns: tuple[str, ...]
    known: Mapping[str, str]
    guessed: Mapping[str, str]
    split: Mapping[str, str]


def peek(path: str) -> Proposal:
    """Return a proposal from the first rows of a file; DataError where it cannot be read."""
    with opened_source(path) as source:
        chunk = next(iter(source.chunks), Chunk({}, ()))
    columns = {name: plain(values[:_LOOKED_AT]) for name, values in chunk.columns.items()}
    known = known_for_certain(list(columns))
    likely = guessed(columns, known)
    split = {}
    for name in ("contexts", "reference_contexts"):
        source_name = known.get(name, likely.get(name))
        separator = None if source_name is None else separator_of(columns[source_name])
        if separator is not None:
            split[name] = separator
    return Proposal(tuple(columns), known, likely, split)


def guessed(columns: Mapping[str, Sequence[Any]], known: Mapping[str, str], *, certain: bool = False) -> dict[str, str]:
    """Return known column -> the name of a column that is not ``known`` but has a fitting word and fitting fields.

    ``certain``: only where one column alone fits, and its fields are texts of their own kind: passages are prose, and
    no few texts are repeated, as those of a label are.
    """
    chosen: dict[str, str] = {}
    for name, words in languages.table("columns")["suggest"].items():
        free = [one for one in columns if one not in known.values() and one not in chosen.values()]
        fitting = [one for one in free if re.search("".join(words.split()), folded(one)) and _holds(columns[one], name)]
        if certain:
            fitting = [one for one in fitting if _is_typical(columns[one], name)]
        if name not in known and name not in columns and len(fitting) > 0 and not (certain and len(fitting) > 1):
            chosen[name] = fitting[0]
    return {name: chosen[name] for name in (*SCHEMA, "failure") if name in chosen}


def _is_typical(values: Sequence[Any], name: str) -> bool:
    """Return whether the fields are as those of the column ``name`` are."""
    texts = [text for value in values for text in ([value] if isinstance(value, str) else value or ())]
    if name == "contexts":
        return sum(isinstance(text, str) and _is_prose(text) for text in texts) * 2 > len(texts)
    return name == "failure" or len(texts) < _FEW or len(set(map(str, texts))) * 2 > len(texts)


def _holds(values: Sequence[Any], name: str) -> bool:
    """Return whether the fields fit the column: texts, or for passages and references also lists."""
    kinds = (str, list) if name in ("contexts", "references") else (str,)
    return any(value is not None for value in values) and all(
        value is None or isinstance(value, kinds) for value in values
    )
