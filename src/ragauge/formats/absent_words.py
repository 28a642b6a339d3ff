"""Fields that look like something else than what they are read as: words for missing values, errors, lost letters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, repeat
from typing import NamedTuple

import pyarrow as pa

from ragauge.core import compute as pc
from ragauge.core.arrow import scalar, to_arrow
from ragauge.core.lazy import lazy_pattern
from ragauge.core.messages import Argument, Counted, Message

_WORDS = to_arrow(
    ["nan", "NaN", "NA", "N/A", "n/a", "<NA>", "#N/A", "None", "null", "NULL", "NaT", "set()", "frozenset()"],
    pa.string(),
)
"""Words that pandas reads as missing, and that it or Python write where missing values became texts."""
_NOTHING = to_arrow(
    ["-", "--", "—", "n.a.", "N.A.", "k.A.", "なし", "無し", "無", "無答案", "无答案", "없음", "нет ответа", "لا يوجد",
     "कोई नहीं", "ไม่มี", "未回答", "回答なし", "답변 없음", "no answer", "No answer"],
    pa.string(),
)  # fmt: skip
"""Words that people write for no answer; where references have one, it is an answer."""
_COLUMNS = ("question", "answer", "references")
_READ_AS_TEXT = (
    "RG-NOTE-052 {name}: {count} {word!r}, read as text; where that stands for a missing value, leave the field empty "
    "or write null, in pandas before astype(str)"
)

_EMPTY = (
    'RG-NOTE-060 {name}: {count} "" and read as an answer of nothing; where that stands for a missing value, write '
    "null, and in CSV leave the field empty without quotes"
)


class _Kind(NamedTuple):
    """What a text looks like: the ``words`` for it, a ``pattern`` of RE2, ``advice``; and the columns looked at."""

    words: str
    pattern: str
    advice: str
    columns: tuple[str, ...] = ("answer",)
    meant: str = ""
    """A pattern of references beside which such an answer is meant; that of the answer where there is none."""


_KINDS = (
    _Kind(
        "an object or code around the answer",
        r"^\s*(?:```|\{\s*['\"](?:answer|response|output|result|text|content|回答|答案|Antwort|ответ)['\"]\s*:)",
        "if the text within is the answer, take it out",
        meant=r"^\s*(?:```|[\[{])",
    ),
    _Kind("thoughts of the model before its answer", r"</think(?:ing)?>", "keep what follows </think>"),
    _Kind(
        "an error in place of an answer",
        r"^\s*(?:(?i:\[error\]|(?:error|erreur|fehler|ошибка|خطأ|त्रुटि|ข้อผิดพลาด|错误|錯誤|エラー|오류)\s*[:：])|"
        r"Traceback \(most|(?:\w+\.)*\w+(?:Error|Exception|Timeout)\b\s*[:(])",
        "if the system failed there, write null: it is counted as missing, and not as wrong",
    ),
    _Kind(
        "\\n in place of a line end",
        r"\\n(?:\\|\s|[A-Z0-9*•-]|[^\x00-\x7F]|$)",
        r"in pandas: frame[column].str.replace(r'\n', '\n')",
    ),
    _Kind(
        "lost letters, or those of another encoding",
        r"Ã[\x{80}-\x{bf}\x{152}-\x{192}\x{2013}-\x{2122}]|â€|Â[\x{a0}-\x{bf}]|Ð[\x{80}-\x{bf}]Ñ|ï¿½|\x{fffd}|[\x{0}-\x{8}]",
        "write the data again from their source as UTF-8",
        _COLUMNS,
    ),
)
_LOOKED_AT = 10_000
"""Texts of a column that are looked at for what they look like."""
_LOOKS = "RG-NOTE-181 {name}: {words} in {count}, as {example!r}, and read as it is; {advice}"
_TOTALS = (
    "total|totals|sum|average|mean|gesamt|summe|durchschnitt|mittelwert|somme|moyenne|suma|promedio|totale|media|итого|"
    "всего|сумма|среднее|合计|总计|總計|小计|合計|小計|平均|합계|총계|평균|المجموع|الإجمالي|المتوسط|कुल|योग|औसत|รวม|ผลรวม|ค่าเฉลี่ย|toplam|"
    "ortalama|razem|celkem|tổng"
)
_TOTAL = lazy_pattern(_TOTALS, re.IGNORECASE)
_NUMBER = lazy_pattern(r"([-+]?[\d.,]+\s*%?)?")
_SHOWN = 40  # characters of an example
_A_TOTAL = (
    "RG-NOTE-182 the last row looks like totals, as {example!r}, and is counted as a sample; if it is no sample, "
    "remove it, or pass {limit}"
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
        found += _nothing_in(tables) if name == "answer" else []
        notes += [
            Message(_READ_AS_TEXT, name, Counted(found.count(word), "field is", "fields are"), word)
            for word in dict.fromkeys(found)
        ]
    return [
        *notes,
        *_on_nothing(tables),
        *chain.from_iterable(map(_on_kind, _KINDS, repeat(tables))),
        *_on_totals(tables),
    ]


def _nothing_in(tables: Sequence[pa.Table]) -> list[str]:
    """Return the answers that say that there is none, where no reference says so."""
    said = [pc.filter(texts, pc.is_in(texts, value_set=_NOTHING)).to_pylist() for texts in
            (_first_texts(tables, "answer"), _first_texts(tables, "references"))]  # fmt: skip
    return [] if said[1] else said[0]


def _on_kind(kind: _Kind, tables: Sequence[pa.Table]) -> Iterator[Message]:
    """Yield a note for each column with texts of a kind; none where references are of it, as the data mean it then."""
    for name in kind.columns:
        texts = _first_texts(tables, name)
        found = pc.filter(texts, pc.match_substring_regex(texts, kind.pattern))
        expected = _first_texts(tables, "references") if len(found) and kind.columns == ("answer",) else texts[:0]
        if len(found) and not pc.any(pc.match_substring_regex(expected, kind.meant or kind.pattern)).as_py():
            count = Counted(len(found), "field", "fields")
            yield Message(_LOOKS, name, Message(kind.words), count, found[0].as_py()[:_SHOWN], Message(kind.advice))


def _first_texts(tables: Sequence[pa.Table], name: str) -> pa.ChunkedArray:
    """Return the first texts of a column; none of it where it holds something else."""
    parts: list[pa.Array] = []
    for column in (table[name] for table in tables if name in table.column_names):
        texts = pc.list_flatten(column) if pa.types.is_list(column.type) else column
        if pa.types.is_string(texts.type) and sum(map(len, parts)) < _LOOKED_AT:
            parts += texts[:_LOOKED_AT].chunks
    return pa.chunked_array(parts, pa.string())


def _on_totals(tables: Sequence[pa.Table]) -> list[Message]:
    """Return a note where a text of the last row is a word for totals, and all others of it are numbers."""
    [row] = tables[-1][-1:].to_pylist() or [{}]
    flat = chain.from_iterable([one if isinstance(one, list) else [one] for one in row.values()])
    texts = [one.strip(" :：*") for one in flat if isinstance(one, str)]
    others = [one for one in texts if not _TOTAL.fullmatch(one) and not _NUMBER.fullmatch(one)]
    rows = sum(map(len, tables))
    is_total = len(texts) > len(others) == 0 and rows > 1 and any(map(_TOTAL.fullmatch, texts))
    return [Message(_A_TOTAL, next(filter(_TOTAL.fullmatch, texts)), Argument("limit", rows - 1))] if is_total else []


def _on_nothing(tables: Sequence[pa.Table]) -> list[Message]:
    columns = [table["answer"] for table in tables if "answer" in table.column_names]
    texts = [column for column in columns if pa.types.is_string(column.type)]
    empty = sum([pc.sum(pc.equal(column, scalar("", column.type))).as_py() or 0 for column in texts])
    return [Message(_EMPTY, "answer", Counted(empty, "field is", "fields are"))] if empty else []
