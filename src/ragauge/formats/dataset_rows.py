"""Columns of objects and lists as data sets of questions have them, and of JSON texts as tools export them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import pyarrow as pa

from ragauge.formats.column_names import folded
from ragauge.formats.fields import is_list, is_missing, items, plain
from ragauge.formats.source import Values
from ragauge.formats.sources.payloads import (
    CONTEXTS,
    answer_of,
    first_of,
    passages_of,
    question_of,
    references_of,
    unwritten,
)

Found = dict[str, list[Any]]
"""Known column -> one value for each row."""


class DataSetForm(NamedTuple):
    """The form of a data set's rows.

    ``key``: the column of lists or objects by which it is known. ``others``: columns that may be beside it, all of them
    where ``needs_all``. ``read``: returns the known columns of a row, None where the row has another form.
    ``origins``: known column -> the names of those that it is made of.
    """

    key: str
    others: tuple[str, ...]
    read: Callable[[Mapping[str, Any]], dict[str, Any] | None]
    origins: Mapping[str, tuple[str, ...]]
    needs_all: bool = False


def of_data_set(columns: Mapping[str, Values]) -> dict[str, tuple[list[Any], str]]:
    """Return known column -> its values and the columns that it is made of, of rows as data sets have them.

    >>> of_data_set({"question": ["Who?"], "answers": [{"text": ["Anna", "Anna"], "answer_start": [0, 0]}]})
    {'references': ([['Anna']], 'answers')}
    """
    names = {folded(name): name for name in columns}
    made: dict[str, tuple[list[Any], str]] = {}
    for form in _FORMS:
        for known, values in _read(form, columns, names).items():
            origin = ", ".join([names[name] for name in form.origins[known] if name in names])
            made.setdefault(known, (values, origin))
    return made


def _read(form: DataSetForm, columns: Mapping[str, Values], names: Mapping[str, str]) -> Found:
    """Return what a form makes of the columns; nothing where they have another."""
    wanted = [name for name in (form.key, *form.others) if name in names]
    is_complete = len(wanted) == 1 + len(form.others) or not form.needs_all
    if form.key not in names or not is_complete or not _is_nested(columns[names[form.key]]):
        return {}
    fields = zip(*[plain(columns[names[name]]) for name in wanted], strict=True)
    rows = [dict(zip(wanted, row, strict=True)) for row in fields]
    read = [{} if is_missing(row[form.key]) else form.read(row) for row in rows]
    if None in read:
        return {}
    found = {known: [(one or {}).get(known) for one in read] for known in form.origins}
    return {known: values for known, values in found.items() if any(value is not None for value in values)}


def _is_nested(values: Values) -> bool:
    if isinstance(values, pa.Array):
        return bool(pa.types.is_nested(values.type))
    first = next((one for one in values if not is_missing(one)), None)
    return isinstance(first, Mapping) or is_list(first)


def _texts(value: Any) -> list[str] | None:
    """Return the texts of a list of texts or of objects with a text; None for anything else."""
    if not is_list(value):
        return None
    texts = [one.get("text") if isinstance(one, Mapping) else one for one in items(value)]
    found = [text for text in texts if isinstance(text, str)]
    return found if len(found) == len(texts) else None


def _distinct(texts: list[str] | None) -> list[str] | None:
    return None if texts is None else list(dict.fromkeys(texts))


def _of_answers(row: Mapping[str, Any]) -> dict[str, Any] | None:
    """SQuAD, MS MARCO, Natural Questions: the right answers; where they have places, these are in the context."""
    answers, context = row["answers"], row.get("context")
    texts = _distinct(_texts(answers.get("text") if isinstance(answers, Mapping) else answers))
    within = items(answers)[:1] if is_list(answers) else [answers]
    has_places = isinstance(context, str) and any(isinstance(one, Mapping) and "answer_start" in one for one in within)
    return None if texts is None else {"references": texts, "reference_contexts": [context] if has_places else None}


def _of_answer(row: Mapping[str, Any]) -> dict[str, Any] | None:
    """TriviaQA: a right answer with its other forms. Natural Questions: a list of right answers."""
    answer = row["answer"]
    if isinstance(answer, Mapping):
        answer = [answer["value"], *items(answer.get("aliases") or [])] if "value" in answer else None
    texts = _distinct(_texts(answer))
    return {"references": texts} if texts else None


def _of_ctxs(row: Mapping[str, Any]) -> dict[str, Any] | None:
    """DPR, and programs that read its files: the passages that were retrieved."""
    texts = _texts(row["ctxs"])
    return None if texts is None else {"contexts": texts}


def _of_passages(row: Mapping[str, Any]) -> dict[str, Any] | None:
    """MS MARCO: the passages that a search engine found, and those among them that a person chose."""
    passages = row["passages"]
    texts = _texts(passages.get("passage_text")) if isinstance(passages, Mapping) else None
    if texts is None:
        return None
    chosen = [text for text, mark in zip(texts, items(passages.get("is_selected") or []), strict=False) if mark]
    return {"contexts": texts, "reference_contexts": chosen or None}


def _of_facts(row: Mapping[str, Any]) -> dict[str, Any] | None:
    """HotpotQA: the right answer, and the paragraphs that it rests on."""
    paragraphs = list(_pairs(row["context"], "sentences"))
    titles = {title for title, _ in _pairs(row["supporting_facts"], "sent_id")}
    if not paragraphs or not isinstance(row["answer"], str):
        return None
    chosen = ["".join(items(sentences)) for title, sentences in paragraphs if title in titles]
    return {"references": [row["answer"]], "reference_contexts": chosen or None}


def _pairs(value: Any, name: str) -> Iterator[tuple[Any, Any]]:
    """Yield titles and what belongs to them: lists of pairs, or an object of two lists."""
    if isinstance(value, Mapping):
        yield from zip(items(value.get("title") or []), items(value.get(name) or []), strict=False)
    elif is_list(value):
        yield from [tuple(items(one)) for one in items(value) if is_list(one) and len(one) == 2]


_FORMS = (
    DataSetForm(
        "supporting_facts",
        ("context", "answer"),
        _of_facts,
        {"references": ("answer",), "reference_contexts": ("context", "supporting_facts")},
        needs_all=True,
    ),
    DataSetForm("answers", ("context",), _of_answers, {"references": ("answers",), "reference_contexts": ("context",)}),
    DataSetForm("answer", (), _of_answer, {"references": ("answer",)}),
    DataSetForm("ctxs", (), _of_ctxs, {"contexts": ("ctxs",)}),
    DataSetForm("passages", (), _of_passages, {"contexts": ("passages",), "reference_contexts": ("passages",)}),
)
_INPUTS = ("inputs", "input")
_OUTPUTS = ("outputs", "output")
_EXPECTED = ("reference_outputs", "expectations", "expected_output")
_OF_EXAMPLES = frozenset({"dataset_id", "source_run_id"})
"""Columns beside inputs and outputs by which rows are examples of a data set of LangSmith."""
_SPLIT = "dataset_split"
"""What their metadata have."""
_OF_RUNS = frozenset({"run_type", "trace_id", "reference_example_id", "reference_outputs"})
"""Columns of runs, whose outputs are the system's."""


def of_payloads(columns: Mapping[str, Values]) -> dict[str, tuple[list[Any], str]]:
    """Return what JSON texts hold in columns of inputs and outputs, as LangSmith and Langfuse write them into tables.

    >>> of_payloads({"input": ['{"question": "Who?"}'], "output": ['{"answer": "Anna."}'], "name": ["rag"]})
    {'question': (['Who?'], 'input'), 'answer': (['Anna.'], 'output')}
    """
    names = {folded(name): name for name in columns}
    inputs, outputs, wanted = (
        next((names[one] for one in some if one in names), None) for some in (_INPUTS, _OUTPUTS, _EXPECTED)
    )
    references = [] if wanted is None else _payloads(columns[wanted], references_of)
    made = {"references": (references, str(wanted))} if any(references) and _has_objects(columns[str(wanted)]) else {}
    questions = [] if inputs is None or not (outputs or wanted) else _payloads(columns[inputs], question_of)
    if inputs is None or not any(questions):
        return made
    made |= {"references": (references, str(wanted))} if any(references) else {}
    made["question"] = (questions, inputs)
    if outputs is None:
        return made
    answers = _payloads(columns[outputs], answer_of)
    made |= {"answer": (answers, outputs)} if any(answers) else {}
    contexts = _payloads(columns[outputs], lambda value: passages_of(first_of(value, CONTEXTS)))
    made |= {"contexts": (contexts, outputs)} if any(contexts) else {}
    errors = plain(columns[names["error"]]) if "error" in names else []
    return made | ({"failure": (list(errors), names["error"])} if any(errors) else {})


def of_examples(columns: Mapping[str, Values]) -> dict[str, tuple[list[Any], str]]:
    """Return the right answers in rows of a data set of LangSmith, whose ``outputs`` are those and no system's.

    >>> rows = {"inputs": [{"question": "Who?"}], "outputs": [{"answer": "Anna."}], "dataset_id": ["d"]}
    >>> of_examples(rows)
    {'references': ([['Anna.']], 'outputs')}
    """
    splits = [unwritten(one) for one in plain(columns["metadata"])] if "metadata" in columns else []
    is_example = not _OF_EXAMPLES.isdisjoint(columns) or any(
        isinstance(one, Mapping) and _SPLIT in one for one in splits
    )
    if not is_example or not {"inputs", "outputs"} <= columns.keys() or not _OF_RUNS.isdisjoint(columns):
        return {}
    references = _payloads(columns["outputs"], references_of)
    made = {"references": (references, "outputs")} if any(references) else {}
    questions = [] if _has_objects(columns["inputs"]) else _payloads(columns["inputs"], question_of)
    return made | ({"question": (questions, "inputs")} if made and any(questions) else {})


def _has_objects(values: Values) -> bool:
    """Return whether a column has objects, and no texts of them."""
    return _is_nested(values) and not any(is_list(one) for one in plain(values)[:1])


def _payloads(values: Values, read: Callable[[Any], Any]) -> list[Any]:
    """Return what ``read`` makes of objects written as JSON, null of none; nothing where a field is something else."""
    fields = [None if is_missing(one) or one == "" else unwritten(one) for one in plain(values)]
    if not all(one is None or isinstance(one, Mapping) for one in fields):
        return []
    return [None if one is None else read(one) for one in fields]
