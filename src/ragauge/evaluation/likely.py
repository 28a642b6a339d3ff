"""What the columns of data probably are, where no metric could be computed without: by words in their names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from os import PathLike
from pathlib import Path

import pyarrow as pa

from ragauge.core.batch import Batch, Dataset
from ragauge.core.messages import Argument, Message, codes_in, is_of
from ragauge.core.protocol import ABSENT_COLUMNS, FAILURE, Metric, failures
from ragauge.core.sample import SCHEMA
from ragauge.display.numbers import printable
from ragauge.errors import ColumnError, DataError
from ragauge.evaluation.request import RunRequest
from ragauge.formats.column_names import AMBIGUOUS_CONTEXT, as_map
from ragauge.formats.convert import TYPES
from ragauge.formats.encodings import NOT_UTF_8, encoding_shown, fits
from ragauge.formats.file_formats import opened_source
from ragauge.formats.frames import with_frame
from ragauge.formats.long_tables import advice_on_documents, one_document_a_row
from ragauge.formats.proposals import guessed, is_actual, peek
from ragauge.formats.shapes import PASSAGES_WITHIN
from ragauge.formats.workbook import OTHER_SHEET

_GUESSED = (
    "RG-NOTE-036 column {source} was read as {known}, a guess by its name; if it is something else, pass {map}; "
    "{strict} guesses nothing"
)
_PAIRED = (
    "RG-NOTE-285 column {source} was read as {known}: beside a prediction, what was actual is the right answer, and "
    "beside what was expected it is the system's; if it is something else, pass {map}; {strict} guesses nothing"
)
_UNREAD = (
    "RG-NOTE-184 column {context} was kept but not read: it may hold what was retrieved or what should have been, and "
    "no metric reads either"
)
_RETRIEVED = (
    "RG-NOTE-270 column {context} was read as the passages that the system retrieved; if they are those that it should "
    "have retrieved, pass {map}"
)
_LOOKED_AT = 100
_TAKEN = ("question", "answer", "references", "contexts", "reference_contexts", "retrieved", "relevance", FAILURE)


def likely_columns(request: RunRequest, data: Dataset) -> dict[str, str]:
    """Return known column -> the one of ``data`` that its name and its fields suggest; none where several may be it.

    Nothing is guessed of data that can be read only once, of rankings, of a system's questions, of rows with a document
    each, or with ``strict``; nor of columns that the request names.
    """
    again = isinstance(request.data, str | PathLike | list | tuple | dict) or hasattr(
        request.data, "__arrow_c_stream__"
    )
    is_stream = isinstance(request.data, str) and request.data == "-"
    if request.strict or request.run is not None or request.system is not None or not again or is_stream:
        return {}
    named = {*(request.map or {}).values(), *request.by, request.cluster}
    table = next(iter(data.batches())).table()
    known = {name: data.mapping.get(name, name) for name in data.columns if name in SCHEMA or name == FAILURE}
    fields = {name: table[name][:_LOOKED_AT].to_pylist() for name in data.columns if name not in {*known, *named}}
    if one_document_a_row(fields, data.mapping.get("question", "question")) is not None:
        return {}
    likely = {name: source for name, source in guessed(fields, known, clear=True).items() if name in _TAKEN}
    # Ids of passages say nothing without the right ones.
    with_right = "relevance" in {*known, *likely}
    return {name: source for name, source in likely.items() if name != "retrieved" or with_right}


def context_of(request: RunRequest, error: ColumnError) -> tuple[dict[str, str], Message] | None:
    """Return how to read the column of passages that ``error`` says is ambiguous, and a note; None for other errors.

    It is kept where no metric reads passages, and else what was retrieved, unless the request is ``strict``.
    """
    message = error.message
    once = isinstance(request.data, Iterator) or request.data == "-"
    if not is_of(message, AMBIGUOUS_CONTEXT) or not isinstance(message, Message) or once:
        return None
    source = str(message.values["context"])
    needs = [columns for metric in (request.requested_metrics or {}).values() for columns in metric.needs]
    if needs and not {"contexts", "reference_contexts"} & {*chain.from_iterable(needs)}:
        return {source: source}, Message(_UNREAD, source)
    if request.strict:
        return None
    return {"contexts": source}, Message(_RETRIEVED, source, as_map("reference_contexts", source))


def encoding_of(request: RunRequest, error: DataError) -> str | None:
    """Return the encoding of a file whose lines with other letters than ASCII are all not UTF-8, where one is clear.

    None where the request names one or is ``strict``, or ``error`` is another one; JSON is UTF-8 by its definition.
    """
    problems = [one for one in error.problems if isinstance(one, Message) and NOT_UTF_8 in codes_in(one)]
    path = request.data
    if not problems or request.strict or request.encoding or not isinstance(path, str | PathLike) or path == "-":
        return None
    encoding = encoding_shown([one.values["what"] for one in problems])
    if encoding is None or not Path(path).is_file() or {*Path(path).suffixes} & {".json", ".jsonl", ".ndjson"}:
        return None
    with Path(path).open("rb") as lines:
        return encoding if fits(encoding, lines) else None


def with_advice(error: ColumnError, request: RunRequest, data: Dataset) -> ColumnError:
    """Return ``error``, with what to type where a row of ``data`` is one document, or another sheet has the samples."""
    sheets = [note for note in data.notes if OTHER_SHEET in codes_in(note)]
    if sheets:
        return ColumnError("RG-DATA-140 {problem}\n{advice}", error.message, sheets[0])
    message = error.message
    if isinstance(message, Message) and is_of(message, ABSENT_COLUMNS) and "contexts" in message.values["absent"]:
        within = [note for note in data.notes if is_of(note, PASSAGES_WITHIN)]
        if within:
            unhinted = Message(message.template, *{**message.values, "hint": ""}.values())
            return ColumnError("RG-DATA-140 {problem}\n{advice}", unhinted, within[0])
    table = next(iter(data.batches())).table()
    there = {data.mapping.get(name, name): table[name][:_LOOKED_AT].to_pylist() for name in data.columns}
    question = data.mapping.get("question", "question")
    found = one_document_a_row(there, question)
    if found is None:
        return error
    advice = with_frame(advice_on_documents(there, *found), _frame_of(request))
    return ColumnError("RG-DATA-140 {problem}\n{advice}", error.message, advice)


def _frame_of(request: RunRequest) -> str:
    """Return code with which pandas reads the file that was asked for; "" where that needs no options."""
    if not isinstance(request.data, str | PathLike) or request.data == "-":
        return ""
    encoding = request.encoding or peek(str(request.data)).encoding
    with opened_source(request.data, request.format, encoding) as source:
        return source.frame


def no_questions(questions: Dataset, taken: Mapping[str, str], metrics: Iterable[Metric]) -> ColumnError:
    """Return the error of data without a column of questions, with the names to type for it and for right answers."""
    needs_references = any("references" in chain.from_iterable(metric.needs) for metric in metrics)
    table = next(iter(questions.batches())).table()
    own = {questions.mapping.get(one, one): table[one][:_LOOKED_AT].to_pylist() for one in questions.columns}
    free = [name for name in own if name != questions.mapping.get("id", "id")]
    likely = guessed({name: own[name] for name in free}, taken)
    rest = [name for name in (*free, *taken.values()) if name != likely.get("references")]
    mapped = {"question": likely.get("question") or next(iter(rest), "COLUMN")}
    right = likely.get("references", taken.get("answer"))
    if right not in (None, mapped["question"]) and "references" not in questions.columns and needs_references:
        mapped["references"] = right
    template = "RG-SYSTEM-050 {source} has no column of questions that is recognised, but {columns}; name it: {map}"
    columns = ", ".join([*free, *taken.values()])
    return ColumnError(template, questions.source, columns, Argument("map", mapped))


def notes_on(likely: Mapping[str, str]) -> list[Message]:
    """Return a note for each column that was guessed."""
    strict = Argument("strict", value=True)
    undone = {known: Argument("map", {one: one for one in source.split(", ")}) for known, source in likely.items()}
    return [
        Message(_PAIRED if is_actual(source) else _GUESSED, printable(source), known, undone[known], strict)
        for known, source in likely.items()
    ]


def with_nulls_if_failed(data: Dataset) -> Dataset:
    """Return ``data`` with the columns that a system gives, all null, where every sample failed and so has none.

    Without them each metric would be an error, and why the samples failed would be lost.
    """
    if FAILURE not in data.columns:
        return data
    from ragauge.systems.outputs import GIVEN

    absent = [name for name in GIVEN if name not in data.columns]
    if not absent or not all(failures(one)[0].all() for one in data.batches()):
        return data

    def batches() -> Iterator[Batch]:
        for batch in data.batches():
            table = batch.table()
            for name in absent:
                table = table.append_column(name, pa.nulls(len(batch), TYPES[SCHEMA[name]]))
            yield Batch(table)

    return replace(data, columns=(*data.columns, *absent), batches=batches)
