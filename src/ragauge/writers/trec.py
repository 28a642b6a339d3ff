"""``trec``: answers, nuggets and grades of a run in the forms of TREC."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Container, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import pyarrow as pa

from ragauge.core.arrow import to_arrow
from ragauge.core.batch import Batch
from ragauge.core.lazy import lazy_pattern
from ragauge.core.messages import Counted, Joined, Message
from ragauge.core.registry import ingredient
from ragauge.errors import UsageError
from ragauge.grounding.citations import Citations, beside
from ragauge.metrics.judged.judged_passage_relevance import GRADED, MOST
from ragauge.metrics.nuggets import ASSIGNMENTS, COLUMN, IN_PART, nuggets_of
from ragauge.sentences import split
from ragauge.writers.writer import FinishedRun, Written, new_file

_IMPORTANCE = {"vital nugget": "vital", "okay nugget": "okay"}
_BEFORE_MARK = lazy_pattern(r"\s{2,}(?=[^\w\s])")
_BLANKS = lazy_pattern(r"\s+")
_JUDGE = lazy_pattern(r"judge=\w+\[[^|]*?\b(?:model|name)=\"?([^,\]\"|]+)")
_WORDS = {value: word for word, value in ASSIGNMENTS.items()}


@ingredient("writer", "trec")
@dataclass(frozen=True)
class TrecWriter:
    """The samples of a run as TREC RAG and nuggetizer have them, in JSON Lines, or as qrels; ragauge reads all three.

    Answers are those of TREC RAG 2025: sentences with what each cites, by place in ``references``, the ids of column
    ``retrieved``. Citations come from the markers in the answer, or from a column ``citations``. A sample without an
    answer has no sentence.

    Nuggets have ``importance`` and, where the data or a metric of the run tell it, ``assignment``, as nuggetizer writes
    them. What a metric found is kept where the run has evidence, ``partial_support`` among it.

    ``qrels`` are the grades of ``judged-passage-relevance``, ``question judge document grade``: the judge's name is in
    the second field, which trec_eval passes over; a document is one of the column ``retrieved``, or else the number of
    its passage.

    Args:
        path: the file to write, as in ``answers.jsonl``.
        what: ``answers``, ``nuggets`` or ``qrels``.
        team: ``team_id`` of the answers; their ``run_id`` is the name of the run.
        metric: the metric whose evidence assigns nuggets or grades; by default the first that does.
        force: replace an existing file.

    Raises:
        UsageError: the run lacks a column that is written, or the file cannot be written.
    """

    path: str = ""
    what: Literal["answers", "nuggets", "qrels"] = "answers"
    team: str = ""
    metric: str = ""
    force: bool = False

    def write(self, run: FinishedRun) -> Written:
        """Write ``run``; errors as of the class."""
        notes: list[str] = []
        if self.what == "qrels":
            lines = list(self._grades(run, notes))
        else:
            rows = self._nuggets(run) if self.what == "nuggets" else self._answers(run, notes)
            lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
        with new_file(self.path, "trec", "answers.jsonl", force=self.force) as new:
            new.write_text("".join(lines), encoding="utf-8", errors="backslashreplace", newline="\n")
        return Written(str(self.path), tuple(notes))

    def _answers(self, run: FinishedRun, notes: list[str]) -> Iterator[dict[str, Any]]:
        _require(run, "answer", "retrieved")
        dangling = 0
        for name, question, ids, several in zip(
            run.ids(), run.column("question"), run.column("retrieved"), _sentences(run), strict=True
        ):
            sentences = []
            for text, cited in several:
                dangling += sum(place < 0 for place in cited)
                sentences.append({"text": text, "citations": [place for place in cited if place >= 0]})
            about = {"team_id": self.team, "run_id": run.name, "type": "automatic", "narrative_id": name}
            yield {"metadata": {**about, "narrative": question or ""}, "references": ids or [], "answer": sentences}
        if dangling:
            notes.append(Message("left out: {citations} of no passage", Counted(dangling, "citation")))

    def _nuggets(self, run: FinishedRun) -> Iterator[dict[str, Any]]:
        found = self._found(run)
        if not found:
            _require(run, COLUMN)
        given = _given(run) if COLUMN in run.result.data.columns else {}
        for name, question, answer in zip(run.ids(), run.column("question"), run.column("answer"), strict=True):
            nuggets = found.get(name, given.get(name, []))
            answered = {} if answer is None else {"answer_text": answer, "run_id": run.name}
            yield {"query": question or "", "qid": name, **answered, "nuggets": nuggets}

    def _found(self, run: FinishedRun) -> dict[str, list[dict[str, str]]]:
        """Return the nuggets of samples as the evidence of one metric has them, by id."""
        found: dict[str, list[dict[str, str]]] = {}
        for row in self._evidence(run, _IMPORTANCE):
            degree = {True: 1.0, False: 0.5 if row["why"] == IN_PART else 0.0, None: None}[row["supported"]]
            found.setdefault(row["id"], []).append(_nugget(row["text"], _IMPORTANCE[row["what"]], degree))
        return found

    def _evidence(self, run: FinishedRun, kinds: Container[str]) -> list[dict[str, Any]]:
        """Return the rows of evidence of some kinds, those of one metric."""
        rows = [] if run.result.evidence is None else run.result.evidence.rows(run.result.sample_ids())
        kept = [row for row in rows if row["what"] in kinds]
        metric = run.result.name(self.metric) if self.metric else kept[0]["metric"] if kept else ""
        return [row for row in kept if row["metric"] == metric]

    def _grades(self, run: FinishedRun, notes: list[str]) -> Iterator[str]:
        rows = self._evidence(run, (GRADED,))
        if not rows:
            template = "RG-WRITE-033 writer 'trec' with what=qrels needs the evidence of {metric}, scored by this run"
            raise UsageError(template, "judged-passage-relevance")
        judge = _JUDGE.search(run.result[rows[0]["metric"]].signature)
        name = _BLANKS.sub("-", judge[1] if judge else rows[0]["metric"])
        retrieved = dict(zip(run.ids(), run.column("retrieved"), strict=True))
        seen: Counter[str] = Counter()
        for row in rows:
            place, ids = seen[row["id"]], retrieved[row["id"]] or ()
            seen[row["id"]] += 1
            document = str(ids[place]) if place < len(ids) else str(place + 1)
            fields = [_BLANKS.sub("_", one) for one in (row["id"], document)]
            yield f"{fields[0]} {name} {fields[1]} {round(MOST * row['similarity'])}\n"
        if len(seen) < run.result.samples:
            notes.append(
                Message("left out: {samples} without grades", Counted(run.result.samples - len(seen), "sample"))
            )


def _sentences(run: FinishedRun) -> Iterator[list[tuple[str, list[int]]]]:
    """Yield of each sample its sentences without markers, each with the places of what it cites; -1 for no passage."""
    # Of each sample one text that is split, or sentences that are known already.
    texts: list[list[Citations]] = []
    for answer, retrieved, citations in zip(*map(run.column, ("answer", "retrieved", "citations")), strict=True):
        ids, known = list(map(str, retrieved or ())), beside(citations)
        several = [Citations(one[0], ids, len(ids), [one]) for one in known]
        texts.append(several or [Citations(answer or "", ids, len(ids))])
    flat = [one for several in texts for one in several]
    starts, ends = (found.to_lists() for found in split(to_arrow([one.plain for one in flat], pa.large_string())))
    places = iter(zip(flat, starts, ends, strict=True))
    for several, are_known in zip(texts, map(bool, map(beside, run.column("citations"))), strict=True):
        own = [next(places) for _ in several]
        if are_known:
            own = [(one, [0], [len(one.text)]) for one in several]
        yield [
            (_without_gaps(one.plain[start:end]), cited)
            for one, first, last in own
            for start, end, cited in zip(first, last, one.of_sentences(first, last), strict=True)
        ]


def _without_gaps(text: str) -> str:
    """Return ``text`` with one blank in place of several, and none before a mark, where a marker was."""
    return " ".join(_BEFORE_MARK.sub("", text).split())


def _given(run: FinishedRun) -> dict[str, list[dict[str, str]]]:
    """Return the nuggets of samples as the data have them, by id."""
    ids = run.ids()
    nuggets = nuggets_of(Batch(pa.table({"id": ids, COLUMN: run.result.column(COLUMN)})))
    given: dict[str, list[dict[str, str]]] = {name: [] for name in ids}
    for row, text, vital, degree in zip(
        nuggets.texts.rows.tolist(), nuggets.texts.values, nuggets.vital, nuggets.given.tolist(), strict=True
    ):
        given[ids[row]].append(_nugget(text, "vital" if vital else "okay", degree))
    return given


def _nugget(text: str, importance: str, degree: float | None) -> dict[str, str]:
    """Return a nugget as nuggetizer writes it; without an assignment where ``degree`` is None or NaN."""
    word = _WORDS.get(degree) if degree is not None else None
    return {"text": text, "importance": importance, **({"assignment": word} if word else {})}


def _require(run: FinishedRun, *columns: str) -> None:
    lacking = [name for name in columns if name not in run.result.data.columns]
    if lacking:
        template = "RG-WRITE-032 writer 'trec' needs column {lacking}, which the run lacks; its columns: {columns}"
        raise UsageError(template, Joined(lacking, " and "), Joined(run.result.data.columns, ", "))
