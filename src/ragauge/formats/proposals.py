"""The probable meaning of columns: by their fields, and of a file's first rows also by words in their names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ragauge import languages
from ragauge.core.lazy import lazy_pattern
from ragauge.core.messages import codes_in
from ragauge.core.sample import SCHEMA
from ragauge.errors import DataError, at
from ragauge.formats.column_names import (
    BY_VALUES,
    CONTEXT,
    FOUND,
    RELEVANT,
    RELEVANT_IDS,
    folded,
    known_for_certain,
    known_name,
    order_of,
    suggests_passages,
    suggests_right_documents,
)
from ragauge.formats.encodings import NOT_UTF_8, encoding_advice, encoding_shown
from ragauge.formats.fields import BadFieldError, is_list, is_missing, is_number, parsed, plain
from ragauge.formats.file_formats import opened_source
from ragauge.formats.long_tables import code_of_samples, one_document_a_row
from ragauge.formats.recognised_ids import are_names, flat, ids_of_documents
from ragauge.formats.source import Chunk, Values
from ragauge.formats.splitting import separator_of
from ragauge.formats.written_lists import is_written, list_in

_LOOKED_AT = 100
"""Rows whose fields are looked at."""
_TEXTS = ("page_content", "content", "text", "chunk_text", "passage_text", "snippet", "kwargs", "node", "document")
"""Keys of a document as programs write it: such a list is what was retrieved, also under the name ``context``."""
_LONG = 40
"""Characters from which a text without spaces is a passage and no id."""
_WORDS = 4
_OF_DOCUMENTS = ("relevance", "reference_contexts", "references", "contexts", "retrieved")
_SUGGESTED = (*_OF_DOCUMENTS, "answer", "question", "failure", "language")
"""Known columns that words in a header suggest, in the order in which they are tried."""
_IDS = ("relevance", "retrieved")
_FEW = 4
"""Fewer texts may be distinct by chance, or repeated."""
_MOST_LABELS = 3
_WITHOUT_SPACES = lazy_pattern(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
"""Thai, kana and Han, which are written without spaces."""
_NUMBER = lazy_pattern(r"\s*[-+]?\d[\d.,]*\s*%?\s*")
_ASKS = lazy_pattern(r"[?？؟]\s*$|か。?\s*$")
_WORDS_OF = languages.table("columns")["suggest"]
_ACTUAL, _PREDICTED = (languages.table("columns")["pairs"][kind] for kind in ("actual", "predicted"))
_VERDICTS = frozenset(map(folded, languages.table("columns")["labels"]["verdicts"].split()))
"""Labels of a person: what is good or bad is no answer."""


def meanings(columns: Mapping[str, Values], *, written: bool) -> dict[str, str]:
    """Return those of ``columns`` whose fields are passages -> ``contexts``; or relevant documents -> ``relevance``.

    Passages under a name of relevant ids are ``reference_contexts``.

    ``written``: fields are texts as CSV files have them.

    >>> meanings({"docs": [["Tea is grown in Yunnan."]], "sources": [["a.md", "b.md"]]}, written=False)
    {'docs': 'contexts'}
    >>> meanings({"relevant_docs": [["Tea is grown in Yunnan."]]}, written=False)
    {'relevant_docs': 'reference_contexts'}
    """
    chosen: dict[str, str] = {}
    for name, values in columns.items():
        fields = [one for one in plain(values[:_LOOKED_AT]) if not is_missing(one)]
        if folded(name) in RELEVANT:
            chosen |= {name: "relevance"} if fields and all(map(_is_judged, fields)) else {}
        elif fields and all(_are_passages(one, written=written, as_objects=folded(name) in CONTEXT) for one in fields):
            chosen[name] = "reference_contexts" if folded(name) in RELEVANT_IDS else "contexts"
    return chosen


def known_by_fields(columns: Mapping[str, Values], *, written: bool) -> dict[str, str]:
    """Return those of ``columns`` whose names do not say alone what they are -> the known column of their fields.

    ``written``: fields are texts as CSV files have them.

    >>> known_by_fields({"docs": [["Tea is grown in Yunnan."]], "chunks": [["d1", "d2"]]}, written=False)
    {'docs': 'contexts'}
    >>> known_by_fields({"search_results": ["d1, d2"], "relevant": ["d2"]}, written=False)
    {'relevant': 'relevance', 'search_results': 'retrieved'}
    """
    # Beside what was retrieved, passages may stand for the ids of documents.
    of_ids = frozenset() if any(known_name(name) == "retrieved" for name in columns) else RELEVANT_IDS
    several = {name for name, values in columns.items() if any(is_list(one) and len(one) > 1 for one in values)}
    wanted = [BY_VALUES | of_ids, BY_VALUES | of_ids | FOUND]
    unclear = {name: values for name, values in columns.items() if folded(name) in wanted[name in several]}
    return meanings(unclear, written=written) | ids_of_documents(columns)


def _are_passages(field: Any, *, written: bool, as_objects: bool) -> bool:
    """Return whether a field holds passages; ``as_objects``: only as objects, which retrievers return."""
    if written and isinstance(field, str):
        try:
            field = parsed(field, "texts")
        except BadFieldError:
            return False
    field = [field] if isinstance(field, Mapping) else field
    if not is_list(field):
        return False
    passages = list(flat(field))
    if as_objects:
        return bool(passages) and all(isinstance(one, Mapping) and _has_text(one) for one in passages)
    texts = [one for one in passages if isinstance(one, str)]
    objects = [one for one in passages if isinstance(one, Mapping) and _has_text(one)]
    if len(texts) + len(objects) < len(passages):
        return False
    return not texts or sum(map(_is_prose, texts)) * 2 > len(texts)


def _is_judged(field: Any) -> bool:
    """Return whether a field names or grades documents, rather than to say whether something is relevant."""
    if isinstance(field, str):
        return field.strip().startswith(("[", "{")) or are_names([field])
    return isinstance(field, Mapping) or (is_list(field) and len(field) > 0)


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
    the name, or several names with a comma between. ``split``: column -> the probable separator of its texts.
    ``encoding``: of the file, where it must be named. ``documents``: the column of a row's document, and code
    that makes samples, where each row is one document of a question, and no sample. ``numbers``: the columns whose
    fields are numbers or ids, and so neither questions nor answers.
    """

    columns: tuple[str, ...]
    known: Mapping[str, str]
    guessed: Mapping[str, str]
    split: Mapping[str, str]
    encoding: str | None = None
    documents: tuple[str, str, str] | None = None
    numbers: frozenset[str] = frozenset()

    @property
    def unused(self) -> list[str]:
        """The columns that are neither known nor guessed."""
        used = set(", ".join([*self.known.values(), *self.guessed.values()]).split(", "))
        return [one for one in self.columns if one not in used and one not in self.known.values()]


def peek(path: str, encoding: str | None = None) -> Proposal:
    """Return a proposal from the first rows of a file, in ``encoding`` or the one that they show.

    Raises:
        DataError: it cannot be read, or is not UTF-8 and could be in several encodings.
    """
    with opened_source(path, encoding=encoding) as source:
        # A first chunk may hold notes alone.
        chunk = next((one for one in source.chunks if one.columns or one.problems), Chunk({}, ()))
    wrong = [one for one in chunk.problems if NOT_UTF_8 in codes_in(one.what)]
    if wrong:
        shown = encoding_shown(what for _, what in wrong)
        if shown is not None:
            return peek(path, shown)
        problems = [at(source.unit, *one) for one in wrong]
        raise DataError.of(source.name, problems, advice=encoding_advice([what for _, what in wrong]))
    columns = {name: plain(values[:_LOOKED_AT]) for name, values in chunk.columns.items()}
    certain = known_for_certain(list(columns))
    right = {name: one for name, one in columns.items() if folded(name) in RELEVANT_IDS and "retrieved" not in certain}
    by_fields = meanings(right, written=source.written) | ids_of_documents(columns)
    ids = {known: name for name, known in by_fields.items() if known not in certain}
    known = {**{name: source for name, source in certain.items() if source not in ids.values()}, **ids}
    likely = guessed(columns, known)
    split = {}
    for name in ("contexts", "reference_contexts"):
        source_name = known.get(name, likely.get(name, ""))
        separator = separator_of(columns[source_name]) if source_name in columns else None
        if separator is not None:
            split[name] = separator
    found = one_document_a_row(columns, known.get("question", known.get("id")))
    documents = None if found is None else (found[1], *code_of_samples(columns, *found))
    if documents is not None and source.frame:
        documents = (documents[0], f"{source.frame}; {documents[1]}", documents[2])
    likely = {name: one for name, one in likely.items() if name != "retrieved" or documents is None}
    numbers = frozenset(name for name, values in columns.items() if _are_numbers(values))
    return Proposal(tuple(columns), known, likely, split, encoding, documents, numbers)


def guessed(columns: Mapping[str, Sequence[Any]], known: Mapping[str, str], *, clear: bool = False) -> dict[str, str]:
    """Return known column -> the name of a column that is not ``known`` but has a fitting word and fitting fields.

    The one column whose texts end as questions do is the question, whatever its name. A column of what was actual is
    the right answer beside a prediction, and the system's beside what was expected.

    ``clear``: where several columns fit, only the one whose fields are texts of its kind: passages are prose, questions
    and answers no numbers or ids; none where several are, and no scores and labels.
    """
    chosen: dict[str, str] = {}
    for name in _SUGGESTED:
        taken = set(", ".join([*known.values(), *chosen.values()]).split(", "))
        free = [one for one in columns if one not in taken]
        pairs = _of_pairs([*columns, *taken], {*known, *chosen, *columns})
        meant = [one for one in free if pairs.get(one) == name]
        meant += [one for one in free if one not in pairs and _suggests(folded(one), name)]
        fitting = [one for one in meant if _holds(columns[one], name)]
        fitting = _clearest(fitting, columns, name) if clear else fitting
        if name not in known and name not in columns and fitting:
            chosen[name] = ", ".join(_together(fitting[0], columns, name))
    if "question" not in {*known, *chosen, *columns}:
        free = [one for one in columns if one not in known.values() and one not in chosen.values()]
        asking = [one for one in free if _are_questions(columns[one])]
        chosen |= {"question": asking[0]} if len(asking) == 1 else {}
    return {name: chosen[name] for name in (*SCHEMA, "failure") if name in chosen}


def is_actual(name: str) -> bool:
    """Return whether a header says what was actual, alone or with a word for answers.

    >>> is_actual("Actual"), is_actual("actual_output"), is_actual("实际回答"), is_actual("actual cost")
    (True, True, True, False)
    """
    rest = re.sub(_ACTUAL, "", folded(name)).strip("_")
    return rest != folded(name) and (not rest or _suggests(rest, "answer"))


def _of_pairs(names: Iterable[str], known: Collection[str]) -> dict[str, str]:
    """Return column -> known column of what was actual, and of a prediction beside it, among ``names``."""
    actual = list(filter(is_actual, names))
    predicted = [one for one in names if re.search(_PREDICTED, folded(one))]
    if actual and predicted:
        return {**dict.fromkeys(actual, "references"), **dict.fromkeys(predicted, "answer")}
    return dict.fromkeys(actual, "answer") if "references" in known else {}


def suggested(names: Iterable[str], known: str) -> list[str]:
    """Return those of ``names`` that have a word for the column ``known``, whatever their fields.

    >>> suggested(["gold note", "Was der Bot sagte", "Datum"], "references")
    ['gold note']
    """
    return [one for one in names if _suggests(folded(one), known) and not _measures(folded(one))]


def _clearest(fitting: Sequence[str], columns: Mapping[str, Sequence[Any]], name: str) -> list[str]:
    """Return the only column of ``fitting``, else the only one with typical fields; none where several are as good.

    Scores of answers, their times and costs are none, nor are columns of few texts that are repeated.
    """
    texts = [one for one in fitting if name == "failure" or not _measures(folded(one))]
    first = list({_together(one, columns, name)[0]: one for one in texts if not _is_label(columns[one], name)})
    typical = [one for one in first if _is_typical(columns[one], name)]
    return next((some for some in (first, typical) if len(some) == 1), [])


def _measures(header: str) -> bool:
    """Return whether a header, as `folded` writes it, has a word for scores, grades, times, costs or numbers of tokens.

    >>> _measures("answer_score"), _measures("response_time"), _measures("antwort_bewertung"), _measures("bot_said")
    (True, True, True, False)
    """
    measured = languages.table("columns")["measured"].values()
    return order_of(header) is not None or any(re.search("".join(one.split()), header) for one in measured)


def _together(one: str, columns: Iterable[str], name: str) -> list[str]:
    """Return the columns that are the known column ``name`` together: of passages there may be one a column."""
    return _numbered_like(one, columns) if name == "contexts" else [one]


def _suggests(header: str, name: str) -> bool:
    """Return whether a header, as `folded` writes it, has a word for the known column."""
    is_right = suggests_right_documents(header)
    if name == "retrieved":
        return suggests_passages(header) and not is_right
    if is_right and name == "contexts":
        return False
    if is_right and name in ("reference_contexts", "references", "answer"):
        return name == "reference_contexts"
    if name == "answer" and re.search("".join(_WORDS_OF["references"].split()), header):
        return False
    words = "".join(_WORDS_OF.get(name, "").split())
    return (is_right and name == "relevance") or bool(words and re.search(words, header))


def _numbered_like(name: str, columns: Iterable[str]) -> list[str]:
    """Return the columns that differ from ``name`` in the number at their ends; itself where it has none."""
    base = name.rstrip("0123456789")
    return [one for one in columns if one.rstrip("0123456789") == base] if base != name else [name]


def _are_numbers(values: Sequence[Any]) -> bool:
    return are_names(values) or all(_NUMBER.fullmatch(str(one)) for one in values if one is not None)


def _are_questions(values: Sequence[Any]) -> bool:
    texts = [value for value in values if isinstance(value, str)]
    return sum(_ASKS.search(text) is not None for text in texts) * 2 > len(texts)


def _texts_of(values: Sequence[Any]) -> list[Any]:
    return [text for value in values for text in ([value] if isinstance(value, str) else value or ())]


def _is_label(values: Sequence[Any], name: str) -> bool:
    """Return whether few texts are repeated, as those of a label or a name are, in a column of questions or answers."""
    texts = _texts_of(values) if name in ("question", "answer", "references") else []
    return len(texts) >= _FEW and len(set(map(str, texts))) * 2 <= len(texts)


def _is_typical(values: Sequence[Any], name: str) -> bool:
    """Return whether the fields are as those of the column ``name`` are: prose, or texts that are no numbers or ids."""
    texts = _texts_of(values)
    if name in ("contexts", "reference_contexts"):
        return sum(isinstance(text, str) and _is_prose(text) for text in texts) * 2 > len(texts)
    return name not in ("question", "answer", "references") or not _are_numbers(texts)


def _holds(values: Sequence[Any], name: str) -> bool:
    """Return whether the fields fit the column: texts, or for passages, references and ids also lists."""
    kinds = (str, list) if name in _OF_DOCUMENTS else (str,)
    given = [value for value in values if value is not None]
    if not given or not all(isinstance(value, kinds) for value in given):
        return False
    if name in _OF_DOCUMENTS:
        lists = [list_in(one) if isinstance(one, str) and is_written(one) else one for one in given]
        items = [one for one in flat([each for each in lists if is_list(each)]) if one is not None]
        # Numbers in a list are no passages; they may be right answers.
        are_ids = are_names(lists) or (name != "references" and bool(items) and all(map(is_number, items)))
        objects = any(isinstance(one, Mapping) and not _has_text(one) for one in items)
        if are_ids != (name in _IDS) or (name == "references" and objects):
            return False
    judged = name in ("references", "answer")
    few = judged and _is_label(given, name) and len(set(map(str, given))) <= _MOST_LABELS
    return not few and not (judged and all(isinstance(one, str) and folded(one) in _VERDICTS for one in given))
