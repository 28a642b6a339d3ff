"""What the fields of a column say: whether ``docs`` holds passages, and whether a text holds several."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragauge.core.arrow import to_numpy
from ragauge.core.sample import SCHEMA
from ragauge.errors import ColumnError, OptionError
from ragauge.formats.column_names import CONTEXT, Proposal, folded, guessed, known_for_certain
from ragauge.formats.fields import BadFieldError, is_list, is_missing, items, parsed, plain
from ragauge.formats.file_formats import opened_source
from ragauge.formats.source import Chunk, Values

# Documents of any language may be their texts, their ids, the names of their files, or how many there are.
_DOCUMENTS = (
    "docs documents passages chunks snippets source_documents source_nodes sources search_results retrieved_docs "
    "文档 文档列表 检索到的文档 检索到的内容 段落 片段 参考资料 来源 文件 檢索到的文件 參考資料 來源 "
    "文書 ドキュメント 検索された文書 パッセージ チャンク 出典 문서 검색된_문서 단락 청크 출처 "
    "документы пассажи фрагменты чанки источники وثائق الوثائق مستندات المستندات المقاطع المصادر "
    "दस्तावेज़ दस्तावेज खंड अनुच्छेद स्रोत เอกสาร เอกสารที่ค้นพบ ข้อความที่ค้นพบ แหล่งที่มา "
    "dokumente passagen textstellen quellen extraits documentos pasajes fragmentos fuentes"
)
BY_VALUES = frozenset(map(folded, _DOCUMENTS.split())) | CONTEXT
"""Headers, as `folded` writes them, whose fields say whether they hold passages that were retrieved."""

_COLUMNS_OF_TEXTS = tuple(name for name, kind in SCHEMA.items() if kind == "texts")
_SEPARATORS = ("|||", "||", "<sep>", "[SEP]", "\n---\n", "\n\n", "###", " | ", "|")
"""Separators that people put between passages, longer ones first."""
_CERTAIN = ("|||", "<sep>", "[SEP]", "\n---\n", "\n\n")
"""Separators of which one field is worth a note; the others occur within passages, so most fields must hold them."""
_LOOKED_AT = 100
_TEXTS = ("page_content", "content", "text", "kwargs", "node", "document")
"""Keys of a document as programs write it: such a list is what was retrieved, also under the name ``context``."""
_LONG = 40
"""Characters from which a text without spaces is a passage and no id."""
_WORDS = 4
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


def check_split(split: Mapping[str, str]) -> None:
    """Raise OptionError where ``split`` names another column than one of texts, or a separator is empty."""
    for column, separator in split.items():
        if column not in _COLUMNS_OF_TEXTS:
            raise OptionError(
                "RG-DATA-005 split={{{column!r}: {separator!r}}}: name one of {columns_of_texts}",
                column,
                separator,
                ", ".join(_COLUMNS_OF_TEXTS),
            )
        if not separator:
            raise OptionError(
                "RG-DATA-006 split={{{column!r}: {separator!r}}}: the separator must not be empty", column, separator
            )


def check_split_columns(split: Mapping[str, str], columns: Iterable[str]) -> None:
    """Raise ColumnError where the data do not have a column of ``split``."""
    for column, separator in split.items():
        if column not in columns:
            has = ", ".join(columns) or "none"
            raise ColumnError(
                "RG-DATA-007 split={{{column!r}: {separator!r}}}: the data have no column {column}; there are {has}",
                column,
                separator,
                has,
            )


def split_fields(values: Values, separator: str) -> list[Any]:
    """Return the fields with each text as the list of its parts, without white space around them or empty parts.

    >>> split_fields(["tea ||| jam", None, ["tea"]], "|||")
    [['tea', 'jam'], None, ['tea']]
    """
    return [
        [part.strip() for part in field.split(separator) if part.strip()] if isinstance(field, str) else field
        for field in plain(values)
    ]


def separator_of(values: Sequence[Any]) -> str | None:
    """Return the separator that most fields hold; None if one of them is a list.

    >>> separator_of(["tea ||| jam", "rum ||| gin"]), separator_of(["tea", "jam"])
    ('|||', None)
    """
    texts = [value for value in values if isinstance(value, str)]
    if len(texts) < sum(value is not None for value in values) or any(text.lstrip().startswith("[") for text in texts):
        return None
    return next((one for one in _SEPARATORS if sum(one in text for text in texts) * 2 > len(texts)), None)


def joined_notes(tables: Sequence[pa.Table], split: Mapping[str, str], *, written: bool) -> list[str]:
    """Return a note for each column of passages, other than those of ``split``, of one text each with separators.

    Unless ``written``, a field was a list, in which a blank line separates no passages.
    """
    notes = []
    for name in ("contexts", "reference_contexts"):
        if name in split:
            continue
        # One table at a time is in memory.
        lengths = [
            to_numpy(pc.list_value_length(table[name]).drop_null()) for table in tables if name in table.column_names
        ]
        total = sum(map(len, lengths))
        if total != sum([np.count_nonzero(some == 1) for some in lengths]):
            continue
        for separator in _SEPARATORS if written else ("|||",):
            joined = [
                pc.sum(pc.match_substring(pc.list_flatten(table[name]), separator)).as_py() or 0
                for table in tables
                if name in table.column_names
            ]
            if sum(joined) * 2 > total or (sum(joined) and separator in _CERTAIN):
                notes.append(
                    f"{name}: every field was read as one text, and {sum(joined)} of {total} contain {separator!r}; "
                    f"if that separates texts, pass split={{{name!r}: {separator!r}}}"
                )
                break
    return notes


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
