"""Guess from the first rows of a file which of its columns are the known ones."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from ragauge.core.sample import SCHEMA
from ragauge.errors import ColumnError
from ragauge.formats.column_names import CONTEXT, folded, known_name, resolve
from ragauge.formats.convert import separator_of
from ragauge.formats.fields import plain
from ragauge.formats.file_formats import opened_path

_ROWS = 100

# In the order in which they are tried: a "gold answer" is a reference and no answer.
_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "references": r"gold|truth|reference|expected|correct|standard|ideal|target|label|should|wanted"
        r"|应该|应当|期望|预期|理想|标准|参考|正确|真实|标答|標準|參考|正確|模範|参照|정답|모범|эталон|правильн|答案",
        "contexts": r"context|passage|found|chunk|doc|retriev|evidence|source|snippet"
        r"|上下文|检索|召回|片段|文档|资料|依据|檢索|検索|文書|문맥|검색|документ|контекст",
        "answer": r"answer|response|output|reply|generat|predict|completion|result|^bot|said|assistant"
        r"|机器人|助手|模型|回答|答复|回复|输出|响应|生成|應答|출력|답|ответ|إجابة|उत्तर|ตอบ",
        "question": r"question|query|prompt|ask|input|^q$|问|提问|問|질문|вопрос|запрос|سؤال|प्रश्न|ถาม",
        "language": r"^lang|locale|语言|语种|語言|言語|언어|язык",
    }
)


@dataclass(frozen=True)
class Proposal:
    """The probable meaning of a file's columns.

    ``columns``: their names. ``known``: known column -> name, where it is certain. ``guessed``: the same, by a word in
    the name. ``split``: column -> the probable separator of its texts.
    """

    columns: tuple[str, ...]
    known: Mapping[str, str]
    guessed: Mapping[str, str]
    split: Mapping[str, str]


def peek(path: str) -> Proposal:
    """Return a proposal from the first rows of a file.

    Raises:
        DataError: it cannot be read.
    """
    with opened_path(path) as source:
        chunk = next(iter(source.chunks), None)
    columns: dict[str, Sequence[Any]] = {}
    if chunk is not None:
        columns = {name: plain(values[:_ROWS]) for name, values in chunk.columns.items()}
    known = _known(tuple(columns))
    guessed = _guessed(columns, known)
    split = {
        name: separator
        for name in ("contexts", "reference_contexts")
        if (source_name := {**guessed, **known}.get(name)) is not None
        and (separator := separator_of(columns[source_name])) is not None
    }
    return Proposal(tuple(columns), known, guessed, split)


def _known(names: tuple[str, ...]) -> dict[str, str]:
    """Return known column -> name where it is certain; a column with several candidates is left out."""
    certain = tuple(name for name in names if folded(name) not in CONTEXT)
    candidates: dict[str, list[str]] = {}
    for name in certain:
        known = known_name(name)
        if known is not None:
            candidates.setdefault(known, []).append(name)
    chosen = {}
    for known, several in candidates.items():
        try:
            chosen[known] = resolve(several, {}).sources[known]
        except ColumnError:
            continue
    return chosen


def _guessed(columns: Mapping[str, Sequence[Any]], known: Mapping[str, str]) -> dict[str, str]:
    guessed: dict[str, str] = {}
    for name, words in _WORDS.items():
        free = [one for one in columns if one not in known.values() and one not in guessed.values()]
        fitting = [one for one in free if re.search(words, folded(one)) and _holds(columns[one], name)]
        if name not in known and fitting:
            guessed[name] = fitting[0]
    return {name: guessed[name] for name in SCHEMA if name in guessed}


def _holds(values: Sequence[Any], name: str) -> bool:
    """Return whether the fields fit the column: texts, or for passages and references also lists."""
    kinds = (str, list) if name in ("contexts", "references") else (str,)
    return any(value is not None for value in values) and all(
        value is None or isinstance(value, kinds) for value in values
    )
