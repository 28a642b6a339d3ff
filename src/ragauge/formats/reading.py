"""Read samples from any source, all rows checked before the first is scored; and look at the first rows of a file."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from numbers import Integral
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pyarrow as pa

from ragauge.core.batch import Dataset
from ragauge.core.sample import SCHEMA
from ragauge.errors import ColumnError, DataError, OptionError
from ragauge.formats.arrow_types import TEXT, conformed, narrowest, wider
from ragauge.formats.column_names import (
    CONTEXT,
    ColumnMap,
    as_map,
    check_mapping,
    folded,
    known_name,
    resolve,
    unnested,
)
from ragauge.formats.convert import JoinedPassages, canonical, check_split, separator_of
from ragauge.formats.fields import plain
from ragauge.formats.file_formats import opened_path
from ragauge.formats.ids import Identity
from ragauge.formats.opening import ADVICE
from ragauge.formats.source import Chunk, Problem, Source
from ragauge.formats.spool import SPOOL_ABOVE, Batches, Spool
from ragauge.formats.tables import opened_object

_NOTHING: Mapping[str, str] = MappingProxyType({})
_MOST_PROBLEMS = 10_000
"""Rows with problems after which reading stops: more of them tell nothing new and fill memory."""


def read(
    source: Any,
    *,
    mapping: Mapping[str, str] | None = None,
    split: Mapping[str, str] | None = None,
    limit: int | None = None,
    format: str | None = None,  # noqa: A002 - the word that other libraries use
    batch_size: int = 8192,
    spool_above: int = SPOOL_ABOVE,
) -> Dataset:
    """Read samples and check every row of them.

    Args:
        source: a path to JSON Lines, JSON (a list of rows, an object of columns, RAGChecker's results, mlflow's rows),
            CSV, TSV, Parquet or Arrow, each also compressed (``.gz``, ``.zst``); ``-`` for JSON from standard input;
            a list of dicts or of `Sample`; a dict of columns; one row; or a table of pandas, Polars, DuckDB, pyarrow,
            datasets. Other file formats: see `register_format`.
        mapping: known column -> its name in the source, for names that are not recognised or are ambiguous. A dotted
            name (``inputs.question``) points into an object.
        split: column of texts -> the separator between the texts, where a field holds them all in one.
        limit: the greatest number of rows to read.
        format: the name of a file's format; None: by the suffix, else by the first bytes. See `register_format`.
        batch_size: the greatest number of rows in a batch.
        spool_above: bytes above which rows are kept in a temporary file, not in memory.

    Raises:
        DataError: rows are wrong; the message names each of them with its line.
        ColumnError: several columns could be the same known column.
        OptionError: ``limit`` or ``batch_size`` is less than 1, ``split`` names no column of texts, or ``format`` is
            given for data that are not a file.
        UnknownNameError: no format is named ``format``.

    Known columns have the types of the data contract, whatever the source; all others are kept. Rows without an id
    get one that is made from their content and is the same in any order of the rows.

    >>> data = read([{"user_input": "Who?", "response": "Anna."}])
    >>> data.rows, data.columns, dict(data.mapping)
    (1, ('id', 'question', 'answer'), {'question': 'user_input', 'answer': 'response'})
    """
    for option, number in (("limit", limit), ("batch_size", batch_size)):
        if number is not None and (not isinstance(number, Integral) or number < 1):
            raise OptionError.value("read", option, "a whole number from 1 on", number)
    check_split(split or _NOTHING)
    with _opened(source, format) as opened, Spool(math.inf if opened.resident else spool_above) as spool:
        reading = _Reading(opened, mapping or _NOTHING, split or _NOTHING, spool)
        reading.take_all(limit)
        return reading.dataset(batch_size)


@contextmanager
def _opened(source: Any, file_format: str | None) -> Iterator[Source]:
    if isinstance(source, str | PathLike):
        with opened_path(str(source) if source == "-" else str(Path(source)), file_format) as opened:
            yield opened
    elif file_format is not None:
        raise OptionError.value("read", "format", "left out unless the data are a file", file_format)
    else:
        yield opened_object(source)


class _Reading:
    """The rows of a source that are read so far."""

    def __init__(self, source: Source, mapping: Mapping[str, str], split: Mapping[str, str], spool: Spool) -> None:
        self._source = source
        self._mapping = mapping
        self._split = split
        self._spool = spool
        self._joined = JoinedPassages(split)
        self._identity = Identity(source.unit)
        self._names: ColumnMap | None = None
        self._source_names: dict[str, None] = {}
        self._types: dict[str, pa.DataType] = {}
        self._problems: list[Problem] = []

    def take_all(self, limit: int | None) -> None:
        """Read the source to its end, or to ``limit`` rows.

        Raises:
            ColumnError: several columns could be the same known column.
            DataError: rows are wrong, or there are none.
        """
        for chunk in self._source.chunks:
            self._take(chunk if limit is None else chunk.head(limit - self._identity.rows))
            if len(self._problems) >= _MOST_PROBLEMS or self._identity.rows == limit:
                break
        if self._source_names:
            check_mapping(self._mapping, list(self._source_names))
        problems = sorted(self._problems + self._identity.problems(self._spool.tables), key=lambda one: one.place)
        if problems:
            messages = [f"{self._source.unit} {place}: {what}" for place, what in problems]
            raise DataError.of(self._source.name, messages, advice=self._advice(problems))
        if not self._identity.rows:
            raise DataError(f"{self._source.name}: has no rows; give at least one")
        if not self._types:
            raise DataError(f"{self._source.name}: the rows have no columns; give at least one")

    def _advice(self, problems: Sequence[Problem]) -> str:
        if self._source.written and any(what.startswith("not UTF-8") for _, what in problems):
            return ADVICE
        if not any(what.startswith("id ") and "is already that of" in what for _, what in problems):
            return ""
        source = self._names.sources.get("id", "id") if self._names else "id"
        return f"If {source} names something else than samples, pass {as_map('document', source)}"

    def dataset(self, batch_size: int) -> Dataset:
        """Return all rows; nothing can be read after this."""
        names = self._names or ColumnMap({}, {})
        known = (name for name in SCHEMA if name != "id" or self._identity.has_ids)
        others = (name for name in self._types if name not in SCHEMA)
        types = {name: self._types[name] for name in (*known, *others) if name in self._types}
        batches = Batches.of(self._spool.tables(), types, batch_size)
        notes = (*names.notes(), *self._joined.notes())
        return Dataset(self._source.name, self._identity.rows, batches.columns, batches, names.renamed, notes)

    def _take(self, chunk: Chunk) -> None:
        self._problems += chunk.problems
        if not len(chunk):
            return
        opened = unnested(chunk, self._mapping.values())
        names = self._resolved(opened)
        batch, problems = canonical(opened, names, written=self._source.written, split=self._split)
        self._problems += problems
        if self._source.written:
            self._joined.add(batch)
        self._identity.add(batch, chunk.places)
        # The other columns of CSV stay text until all of it is read.
        texts = set(batch.schema.names) - set(SCHEMA) if self._source.written else set()
        stored = {}
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            kind = narrowest(column) if name in texts else column.type
            self._types[name] = wider(self._types.get(name, kind), kind)
            stored[name] = TEXT if name in texts else self._types[name]
        self._spool.add(conformed(batch, stored))

    def _resolved(self, chunk: Chunk) -> ColumnMap:
        """Return the map of all columns so far.

        Raises:
            ColumnError: a column that comes late changes the known column of an earlier one, which was then misread.
        """
        if self._names is not None and all(name in self._source_names for name in chunk.columns):
            return self._names
        self._source_names.update(dict.fromkeys(chunk.columns))
        before, self._names = self._names, resolve(list(self._source_names), self._mapping)
        for name, source in before.sources.items() if before else ():
            now = self._names.sources.get(name)
            if now != source:
                maps = "\n".join(f"  {as_map(name, one)}" for one in (source, now) if one)
                raise ColumnError(f"{source} was read as {name} until column {now} came; choose one:\n{maps}")
        return self._names


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
