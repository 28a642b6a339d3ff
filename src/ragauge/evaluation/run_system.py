"""Questions with the answers of a system, as data to evaluate; all that can be is checked before the first call."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, chdir
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, cast

from ragauge.core.arrow import to_arrow
from ragauge.core.batch import Batch, Dataset
from ragauge.core.loading import loaded
from ragauge.core.messages import Argument, Counted, Joined, Message
from ragauge.core.protocol import FAILURE, Metric, columns_lacked, columns_read
from ragauge.core.sample import SCHEMA
from ragauge.endpoints.address import check_scheme, is_address
from ragauge.errors import ColumnError, DataError, UsageError, alternatives, did_you_mean
from ragauge.evaluation.answered import ANSWERED
from ragauge.evaluation.evaluator import Progress
from ragauge.evaluation.kept_samples import Read, read_samples
from ragauge.evaluation.likely import no_questions
from ragauge.evaluation.request import QUESTION_ID, RunRequest
from ragauge.evaluation.turns import conversations, in_conversation, read_turns
from ragauge.formats import read
from ragauge.formats.reading import read_known
from ragauge.formats.source import MOST_ABSENT, MOST_COLUMNS
from ragauge.formats.transcoding import lines_of
from ragauge.systems.answers import SystemAnswer, answer_file, notes_on
from ragauge.systems.ask import AskingProgress, Questions, answers_to
from ragauge.systems.calling import TOLD, System, function_of, name_of
from ragauge.systems.conversation import conversation_of
from ragauge.systems.http import HttpSystem
from ragauge.systems.measures import MEASURED
from ragauge.systems.outputs import GIVEN
from ragauge.systems.pace import Asking

_FROM_SYSTEM = (*GIVEN, *MEASURED, FAILURE)
_WITHIN = "; have the system return it under that name, or map where its documents have ids, as in {map}"
_MISSPELT = 0.8
"""Similarity, by difflib, from which the name of a column is another one, misspelt."""


def answered(request: RunRequest) -> Dataset:
    """Ask a system each question of the data of ``request``, and return the questions with its answers.

    A list of strings is a list of questions. ``map`` and ``split`` apply to the answers for columns that a system gives
    (answer, contexts, retrieved), and to the questions for all others. A ``progress`` with methods ``asking`` and
    ``stopping`` is called with the number of failures too.

    Raises:
        UsageError: there is no such system, or an argument that says how to ask it is wrong.
        ColumnError: the questions lack a column that a metric needs and no system gives. Nothing was asked then.
        DataError: a question is missing.
        KeyboardInterrupt: the user interrupted, and the answers are in the file.

    A question's failure is the column ``failure`` of its row: an exception, or why the output is not an answer. The
    row's own columns of the task (question, references, judgements) stay, whatever the system returns. ``latency`` is
    in seconds.

    A system that changes the folder, as some do when they are imported, is asked in its own; all paths are of this one.
    """
    with chdir(os.curdir), ExitStack() as keeping:
        return _answered(request, Path.cwd(), keeping)


def _answered(request: RunRequest, folder: Path, keeping: ExitStack) -> Dataset:
    system, name = _system(request)
    asking = Asking(**{name: getattr(request, name) for name in ("concurrency", "timeout", "retries", "rate")})
    metrics = tuple((request.requested_metrics or {}).values())
    reading = request.reading
    with chdir(folder):
        questions, taken = _questions(request.data, reading, partial(read_turns, read) if request.turns else read)
    if "question" not in questions.columns:
        raise no_questions(questions, taken, metrics)
    questions = questions if request.repeats == 1 else _repeated(questions, request.repeats)
    _check(metrics, request, questions, taken)
    rows = [row for batch in questions.batches() for row in batch.table().to_pylist()]
    ids, texts = [row["id"] for row in rows], [row.get("question") for row in rows]
    silent = [
        Message("RG-SYSTEM-020 sample {place}: no question", place) for place, text in enumerate(texts, 1) if not text
    ]
    if silent:
        raise DataError.of(questions.source, silent, advice="every sample needs a question to ask the system")
    together = conversations(rows, questions.source) if request.turns else []
    inputs = _inputs(system, questions, rows, TOLD if request.turns else ())
    file = None
    if request.answers is not None:
        with chdir(folder):
            opening = answer_file(Path(request.answers), name, resume=bool(request.resume), questions=len(ids))
            file = keeping.enter_context(opening)
    with keeping:
        to_ask = Questions(ids, texts, reading["mapping"] or {}, reading["split"] or {}, inputs, together)
        result = answers_to(to_ask, system, asking, file, _heard(request.progress))
    if result.interrupted and request.answers is not None:
        raise KeyboardInterrupt
    joined, left_out = _joined(rows, result.answers)
    notes: list[str] = [Message("RG-NOTE-015 answers of {name}", name)]
    if taken:
        unused = "RG-NOTE-016 columns of the questions not used, since the system gives them: {names}"
        notes.append(Message(unused, ", ".join(taken.values())))
    if left_out:
        sparse = "RG-NOTE-017 {n:,} columns that few answers have are left out: there are more than data may have"
        notes.append(Message(sparse, left_out))
    if result.again:
        again = "RG-NOTE-018 {questions} asked again, because the question, or what is sent with it, has changed"
        notes.append(Message(again, Counted(result.again, "question was", "questions were")))
    renamed = {known: name for answer in reversed(result.answers) for known, name in answer.renamed.items()}
    notes += [*_on_conversations(system, together), *_with_lacking(joined, metrics, renamed)]
    notes += notes_on(result.answers, asking)
    # All names are known by now. Answers that were paid for are scored, whatever names came back beside them.
    dataset = read_known(joined, questions.source)
    notes = [*questions.notes, *notes, *dataset.notes]
    mapping = {**questions.mapping, **renamed}
    return replace(dataset, mapping=mapping, notes=tuple(notes))


def _system(request: RunRequest) -> tuple[System, str]:
    """Return the system, loaded where the request names it, and its name in the file and in messages."""
    system: Any = request.system
    if is_address(system):
        system = HttpSystem(url=system)
    if isinstance(system, HttpSystem):
        # A mistake in its headers is an error before the first question.
        system = replace(system, pieces=system.pieces or (request.map or {}).get("answer", ""))
        _ = system.endpoint
        system.say_what_is_sent()
        system = system.with_model()
    elif isinstance(system, str):
        check_scheme(system)
        system = loaded(system, "system", alternatives(("app:answer", "src/app.py:answer")))
    function_of(system)
    if request.turns:
        system = in_conversation(system)
    if request.resume and request.answers is None:
        raise UsageError("RG-EVAL-017 resume needs answers, the file that keeps answers as they come. Pass both.")
    if isinstance(system, HttpSystem):
        return system, system.name
    return system, request.system if isinstance(request.system, str) else name_of(system)


def _on_conversations(system: System, together: Sequence[Sequence[int]]) -> list[str]:
    if together:
        return [Message("RG-NOTE-221 {n:,} conversations were led, each from its beginning", len(together))]
    conversation = conversation_of(system)
    return [] if conversation is None else [conversation.note]


def _inputs(
    system: System, questions: Dataset, rows: Sequence[Mapping[str, Any]], told: Sequence[str]
) -> list[dict[str, Any]] | None:
    """Return the columns with which each row fills the body of a request; None where it has no place for them.

    ``told``: places that what was said before fills.
    """
    places = [name for name in system.places if name not in told] if isinstance(system, HttpSystem) else []
    places = [name for name in places if questions.known(name) in questions.columns or " " not in name]
    unknown = [name for name in places if questions.known(name) not in questions.columns]
    if unknown:
        raise UsageError(
            "RG-SYSTEM-025 the body has {places}, which nothing fills: the columns of the questions are {columns}",
            ", ".join(f"{{{name}}}" for name in unknown),
            ", ".join(questions.columns),
        )
    own = {name: questions.known(name) for name in ("question", *places)}
    return [{name: row[column] for name, column in own.items()} for row in rows] if places else None


def _questions(data: object, reading: Mapping[str, Any], read: Read) -> tuple[Dataset, dict[str, str]]:
    """Read questions without the columns that a system gives; return these, too, with their names in the source."""
    file = Path(data) if isinstance(data, str | os.PathLike) and not reading.get("format") else Path()
    is_text = file.suffix.lower() == ".txt" and file.is_file()
    given, notes = lines_of(file, reading.get("encoding")) if is_text else (data, [])
    if isinstance(given, list) and all(isinstance(item, str) for item in given):
        data = [{"question": item} for item in given]
    of_task = {
        name: {column: value for column, value in (reading[name] or {}).items() if column not in (*GIVEN, *MEASURED)}
        for name in ("mapping", "split")
    }
    of_text = {"encoding": None} if is_text else {}
    questions = read_samples(data, read, **{**reading, **of_task, **of_text})
    source = str(file) if is_text else questions.source
    questions = replace(questions, source=source, notes=(*notes, *questions.notes))
    taken = {name: questions.mapping.get(name, name) for name in questions.columns if name in _FROM_SYSTEM}
    if not taken:
        return questions, {}

    def batches() -> Iterator[Batch]:
        return (Batch(batch.table().drop_columns([*taken])) for batch in questions.batches())

    kept = tuple(name for name in questions.columns if name not in taken)
    mapping = {known: name for known, name in questions.mapping.items() if known not in taken}
    return replace(questions, columns=kept, batches=batches, mapping=mapping), taken


def _repeated(questions: Dataset, repeats: int) -> Dataset:
    """Return each question so often, all once before any is there again: ``q1#1``, whose ``question_id`` is ``q1``."""
    added = (QUESTION_ID, "repeat")
    known = [name for name in added if name in questions.columns]
    if known:
        template = "RG-DATA-160 {given} makes the columns {added}, and the questions have {known}; rename it there"
        given = Argument("repeats", repeats)
        raise DataError(template, given, Joined(added, " and "), Joined(known, " and "))

    def batches() -> Iterator[Batch]:
        for number in range(1, repeats + 1):
            for batch in questions.batches():
                ids = batch.column("id")
                own = to_arrow([f"{one}#{number}" for one in ids.to_pylist()])
                table = batch.table().drop_columns(["id"]).append_column("id", own).append_column(QUESTION_ID, ids)
                yield Batch(table.append_column("repeat", to_arrow([number] * len(batch))))

    return replace(questions, columns=(*questions.columns, *added), rows=questions.rows * repeats, batches=batches)


def _check(metrics: Iterable[Metric], request: RunRequest, questions: Dataset, taken: Mapping[str, str]) -> None:
    """Raise ColumnError for what the questions lack; other columns that metrics read may come with the answers."""
    names = [*questions.columns, *_FROM_SYSTEM]

    def may_come(name: str) -> bool:
        return name not in SCHEMA and not get_close_matches(name, names, n=1, cutoff=_MISSPELT)

    for metric in metrics:
        needed = set(chain.from_iterable(metric.needs))
        try:
            columns_read(metric, [*names, *filter(may_come, needed)])
        except ColumnError:
            lacked = columns_lacked(metric, names)
            missing = [name for name in lacked if name in SCHEMA]
            if not missing:
                raise
            if "references" in lacked and "answer" in taken:
                own, named = taken["answer"], Argument("map", {"references": taken["answer"]})
                hint = Message("if {name} holds the right answers: {map}", own, named)
            else:
                free = [name for name in questions.columns if name not in SCHEMA] or questions.columns
                named = Argument("map", {missing[0]: free[0]})
                hint = Message("if it has another name: {map}", named)
            raise ColumnError(
                "RG-EVAL-019 {metric} needs {missing}, which no system gives: the questions must have it, and "
                "have {columns}; {hint}",
                metric,
                Joined(missing, " and "),
                ", ".join(questions.columns),
                hint,
            ) from None
    for option, name in [*[("by", name) for name in request.by], ("cluster", request.cluster)]:
        if name not in (None, ANSWERED) and questions.known(name) not in questions.columns:
            near = did_you_mean(name, questions.columns)
            raise ColumnError(
                "RG-EVAL-018 {given}: the questions have no column {name!r}{hint}", Argument(option, name), name, near
            )


def _heard(progress: Any) -> AskingProgress | None:
    if progress is None or hasattr(progress, "asking"):
        return cast("AskingProgress | None", progress)
    return _Counting(progress)


@dataclass(frozen=True)
class _Counting:
    """Calls a function with the numbers of questions that are done and of all."""

    progress: Progress

    def asking(self, done: int, failed: int, total: int) -> None:  # noqa: ARG002 - of AskingProgress
        self.progress(done, total)

    def stopping(self, running: int) -> None:
        """Do nothing: the function takes only numbers."""


def _joined(rows: Sequence[Mapping[str, Any]], answers: Sequence[SystemAnswer]) -> tuple[list[dict[str, Any]], int]:
    """Return rows with their answers, and how many columns were left out because few answers have them.

    Each row has the columns that any has; the questions' own columns stay.
    """
    joined: list[dict[str, Any]] = []
    for row, answer in zip(rows, answers, strict=True):
        # The time to a failure is not the latency of an answer.
        # A half of a pair of characters in a name becomes its escape, because tables hold whole characters only.
        columns = {
            name.encode("utf-8", "backslashreplace").decode(): own for name, own in (answer.columns or {}).items()
        }
        answered_in = {} if answer.columns is None else {"latency": answer.latency, **columns}
        joined.append({FAILURE: answer.failure, **answered_in, **row})
    names, left_out = _frequent(joined, {FAILURE, "latency", *GIVEN, *MEASURED, *rows[0]})
    if all(answer.columns is None for answer in answers):
        names |= dict.fromkeys(("answer", "contexts", "retrieved", "latency"))
    ordered = [*(name for name in SCHEMA if name in names), *(name for name in names if name not in SCHEMA)]
    return [{name: row.get(name) for name in ordered} for row in joined], left_out


def _frequent(rows: Sequence[Mapping[str, Any]], always: set[str]) -> tuple[dict[str, None], int]:
    """Return the names of columns of ``rows`` within the limits of data, and how many other names there are.

    Names that few rows have are left out first: each answer may be within the limits, and all together above them.
    """
    names = dict.fromkeys(chain.from_iterable(rows))
    counts = Counter(name for row in rows for name in row if name not in always)
    most, absent = MOST_COLUMNS - len(names.keys() & always), 0
    left_out = set()
    for place, (name, count) in enumerate(counts.most_common()):
        absent += len(rows) - count
        if place >= most or absent > MOST_ABSENT + 16 * len(rows):
            left_out.add(name)
    return {name: None for name in names if name not in left_out}, len(left_out)


def _with_lacking(rows: list[dict[str, Any]], metrics: Iterable[Metric], renamed: Mapping[str, str]) -> list[str]:
    """Add columns that no answer has though metrics need them, all null, and return a note on each.

    Without them the metric would be an error, and all answers would be lost. ``renamed``: known column -> its name in
    what the system returned.
    """
    notes: list[str] = []
    for metric in metrics:
        if any(rows[0].keys() >= {*alternative} for alternative in metric.needs):
            continue
        lacked = columns_lacked(metric, rows[0])
        own = [name for name in rows[0] if name not in (*SCHEMA, *MEASURED, FAILURE)]
        others = [name for name in own if any(isinstance(row.get(name), str | list | dict) for row in rows)]
        hint: str = Message("; have the system return it under that name") if lacked[0] in GIVEN else ""
        if others and lacked[0] in GIVEN:
            hint = Message("; if {name} is it: {map}", others[0], Argument("map", {lacked[0]: others[0]}))
        if lacked[0] == "retrieved" and "contexts" in rows[0]:
            hint = Message(
                _WITHIN, Argument("map", {"retrieved": f"{renamed.get('contexts', 'contexts')}.metadata.source"})
            )
        for row in rows:
            row.update(dict.fromkeys(lacked))
        template = "RG-NOTE-019 no answer has {name}, which {metric} needs{hint}"
        notes += [Message(template, name, str(metric), hint) for name in lacked]
    return notes
