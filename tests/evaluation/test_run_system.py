"""Asking a system: what it gives is recorded, what it raises is a failure, and what can be checked is checked first."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import ragauge
from ragauge.core.sample import Sample
from ragauge.errors import ColumnError, DataError, OptionError, UsageError
from ragauge.results.result import Result
from tests.approved import pattern

QUESTIONS = [{"id": f"q{i}", "question": f"{i}?", "relevance": {"d": 1}} for i in range(5)]


def evaluated(
    system: Any, questions: Any = QUESTIONS, metrics: Any = ("mrr", "column:name=latency"), **more: Any
) -> Result:
    return ragauge.evaluate(questions, metrics, system=system, resamples=0, retries=0, **more)


def rows(result: Result) -> list[dict[str, Any]]:
    return list(result.to_arrow().to_pylist())


@pytest.mark.parametrize(
    "output",
    [
        "text",
        {"answer": "text", "contexts": ["p"]},
        Sample(answer="text", contexts=["p"], tags={"cost": 0.5}),
    ],
)
def test_text_mapping_and_sample_are_answers(output: Any) -> None:
    [row] = rows(evaluated(lambda question: output, ["q"], "column:name=latency"))
    assert (row["answer"], row["failure"]) == ("text", None)
    assert row["latency"] >= 0
    assert row.get("cost") == (0.5 if isinstance(output, Sample) else None)


def test_ids_and_latency_reach_the_metrics() -> None:
    result = evaluated(lambda question: {"retrieved": ["e", "d"], "latency": 2.5})
    assert (result["mrr"].value, result["column:name=latency"].value) == (0.5, 2.5)
    assert result.ids[0].to_pylist() == [row["id"] for row in QUESTIONS]


def test_columns_beyond_the_limit_are_left_out_with_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"tag{place}" for place in range(3)]

    def system(question: str) -> dict[str, Any]:
        """Give one tag for the question 0, two for 1, three for the others."""
        return {"retrieved": ["d"], **dict.fromkeys(names[: int(question[0]) + 1], "x")}

    noted = "columns that few answers have are left out"
    assert not [note for note in evaluated(system).data.notes if noted in note]
    kept = {"id", "question", "relevance", "retrieved", "latency", "failure"}
    monkeypatch.setattr("ragauge.evaluation.run_system.MOST_COLUMNS", len(kept) + 1)
    result = evaluated(system)
    assert [note for note in result.data.notes if noted in note] == [f"2 {noted}: there are more than data may have"]
    assert set(result.data.columns) == {*kept, "tag0"}


def test_exceptions_fail_their_sample_with_the_reason() -> None:
    def system(question: str) -> dict[str, Any]:
        if question == "3?":
            raise TimeoutError("too slow")
        return {"retrieved": ["d"]}

    result = evaluated(system)
    assert (result["mrr"].scored, result["mrr"].failed) == (4, 1)
    assert dict(result.reasons("mrr")) == {3: "TimeoutError: too slow"}
    assert result["mrr"].bounds == (0.8, 1.0)
    assert "mrr: 1 failed: TimeoutError: too slow" in repr(result) or "1 failed: TimeoutError: too slow" in repr(result)


def test_an_interrupt_keeps_what_was_answered() -> None:
    questions: list[str] = []

    def system(question: str) -> dict[str, Any]:
        questions.append(question)
        if len(questions) == 3:
            raise KeyboardInterrupt
        return {"retrieved": ["d"]}

    result = evaluated(system)
    assert len(questions) == 3
    assert result.statuses("mrr").tolist() == ["ok", "ok", "failed", "failed", "failed"]
    assert set(result.reasons("mrr").values()) == {"interrupted", "not asked: interrupted"}


def test_an_interrupt_is_raised_where_a_file_keeps_the_answers(tmp_path: Path) -> None:
    calls: list[str] = []

    def system(question: str) -> dict[str, Any]:
        calls.append(question)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return {"retrieved": ["d"], "latency": 0.5}

    answers = tmp_path / "answers.jsonl"
    with pytest.raises(KeyboardInterrupt):
        evaluated(system, answers=answers)
    with pytest.raises(UsageError, match="has 2 answers of an earlier run already"):
        evaluated(system, answers=answers)
    resumed = evaluated(system, answers=answers, resume=True)
    assert calls == ["0?", "1?", "2?", "2?", "3?", "4?"]
    calls[:] = ["0?"] * 3
    unbroken = evaluated(system)
    assert rows(resumed) == rows(unbroken)
    assert resumed.to_dict() == unbroken.to_dict()


def test_where_everything_fails_there_is_a_result_without_a_number() -> None:
    def system(question: str) -> str:
        raise ConnectionError("down")

    result = evaluated(system)
    assert np.isnan(result["mrr"].value)
    assert (result["mrr"].scored, result["mrr"].failed, result["mrr"].bounds) == (0, 5, (0.0, 1.0))


def test_a_system_cannot_choose_what_it_is_judged_by() -> None:
    result = evaluated(lambda question: {"id": "same", "retrieved": ["e"], "relevance": {"e": 1}})
    assert result["mrr"].value == 0.0


def test_the_right_answers_of_the_questions_are_never_scored_as_those_of_the_system() -> None:
    questions = [{"question": "问题", "answer": "标准", "references": ["标准"], "contexts": ["标准"]}]
    result = evaluated(lambda question: {"answer": "别的"}, questions, "exact-match")
    assert result["exact-match"].value == 0.0
    assert "columns of the questions not used, since the system gives them: answer, contexts" in result.data.notes
    assert "contexts" not in result.data.columns


def test_what_is_no_answer_is_a_failure() -> None:
    result = evaluated(lambda question: None, ["q"], "column:name=latency")
    assert "the system returned None" in result.reasons("column:name=latency")[0]


def test_the_users_own_names_of_columns_are_said() -> None:
    with pytest.raises(ColumnError, match=r"if 답변 holds the right answers: map=\{'references': '답변'\}"):
        evaluated(str.upper, [{"질문": "수도는?", "답변": "서울"}], "bleu")
    result = evaluated(str.upper, [{"질문": "수도는?", "답변": "서울", "n": 1}], "column:name=n")
    assert any(note.endswith("the system gives them: 답변") for note in map(str, result.data.notes))
    with pytest.raises(ColumnError, match=r"but gold, 고객 문의, 답변; name it: map=\{'question': '고객 문의'\}"):
        evaluated(str.upper, [{"고객 문의": "수도는?", "gold": "서울", "답변": "부산"}], "exact-match")


def test_rows_without_a_question_are_refused_before_any_is_asked() -> None:
    calls: list[str] = []
    with pytest.raises(DataError, match=pattern("evaluation.questions_sample_no_question_every_sample_needs")):
        evaluated(calls.append, [{"question": "q"}, {"question": ""}], "column:name=latency")
    assert calls == []


@pytest.mark.parametrize(
    ("metric", "more", "message"),
    [
        ("ndcg", {}, "ndcg needs relevance, which no system gives: the questions must have it"),
        (
            "bleu",
            {},
            r"references, which no system gives: .* if answer holds the right answers: map=\{'references': 'answer'\}",
        ),
        ("nonsense", {}, "unknown metric"),
        ("column:name=topik", {}, "did you mean topic"),
        (
            "column:name=latency",
            {"by": "topik"},
            "by='topik': the questions have no column 'topik'; did you mean topic",
        ),
        ("column:name=latency", {"cluster": "book"}, "cluster='book': the questions have no column 'book'"),
        ("column:name=latency", {"rate": "fast"}, "option 'rate' of evaluate must be"),
        ("column:name=latency", {"resume": True}, "resume needs answers"),
    ],
)
def test_metrics_and_columns_are_checked_before_the_first_call(metric: str, more: dict[str, Any], message: str) -> None:
    calls: list[str] = []
    with pytest.raises(UsageError, match=message):
        evaluated(calls.append, [{"question": "q", "answer": "a", "topic": "t"}], metric, **more)
    assert calls == []


def test_a_column_that_no_answer_has_is_missing_and_named() -> None:
    result = evaluated(lambda question: {"answer": question, "pages": ["p"]}, ["q"], "groundedness")
    assert (result["groundedness"].scored, result["groundedness"].missing) == (0, 1)
    assert (
        "no answer has contexts, which groundedness needs; if pages is it: map={'contexts': 'pages'}"
        in result.data.notes
    )
    plain = evaluated(lambda question: question, ["q"], "groundedness")
    assert (
        "no answer has contexts, which groundedness needs; have the system return it under that name"
        in plain.data.notes
    )
    mapped = evaluated(
        lambda question: {"answer": question, "pages": ["q"]}, ["q"], "groundedness", map={"contexts": "pages"}
    )
    assert mapped["groundedness"].value == 1.0


NODES = [{"node": {"text": "茶", "id_": "n1"}, "score": 0.5}]
ODD: list[dict[str, Any]] = [
    {"response": "茶", "source_nodes": NODES}, {"answer": "茶", "run": 1, "example": {}, "run_type": "x", "inputs": {}},
    {"answer": "茶", "inputs": {"question": "?", "k": 3}, "outputs": {"response": "b"}, "expectations": {"answer": 1}},
    {"answer": "茶", "traceId": "t", "spanId": "s", "attributes": {}, "observations": [], "input": "z", "type": "y"},
    {"answer": "茶", "resourceSpans": [], "vars": {}, "prompt": {}, "question.x": 1, "a.b": {"c": [1, {"d": None}]}},
    {"answer": "茶", "passage": 1, "passage_id": 2, "source": 3, "Question": 4, "": 5, "Références": 6, "status": []},
    {"answer": "茶", "query": "q", "result": "r", "source_documents": [], "data": {}, "documents": [], "k": [1, "a"]},
    {"answer": "茶", "results": {}, "qrels": {}, "language": "zh", "failure": "none", "k": {"a": float("inf")}},
    {"llm": {"replies": ["茶"]}, "retriever": {"documents": [{"content": "茶", "id": "n1"}]}},
]  # fmt: skip
"""What systems return beside answers has the names that exports of frameworks have."""


@pytest.mark.parametrize("outputs", [[one] for one in ODD] + [ODD], ids=str)
def test_whatever_comes_back_ends_in_a_saved_run(outputs: list[dict[str, Any]], tmp_path: Path) -> None:
    answers = iter([*outputs, *outputs])
    questions = [{"question": f"{number}?", "references": ["茶"]} for number in range(len(outputs))]
    for resume in (False, True):
        result = evaluated(
            lambda _: next(answers), questions, ["exact-match", "groundedness"], answers=tmp_path / "a", resume=resume
        )
        assert (result["exact-match"].value, result["exact-match"].scored) == (1.0, len(outputs))
        result.save(tmp_path / "run", force=True)
    assert len(list(answers)) == len(outputs)


def test_a_response_is_read_beside_the_question() -> None:
    response = SimpleNamespace(response="茶", source_nodes=NODES)
    [row] = rows(evaluated(lambda question: {"query": question, "response": response}, ["q"], "column:name=latency"))
    assert (row["answer"], row["contexts"], row["retrieved"]) == ("茶", ["茶"], ["n1"])


def test_a_column_of_answers_that_none_has_is_missing() -> None:
    def failing(question: str) -> str:
        raise KeyError("no entry")

    for system, missing, failed in ((str.upper, 1, 0), (failing, 0, 1)):
        result = evaluated(system, ["q"], "column:name=cost")
        assert (result["column:name=cost"].missing, result["column:name=cost"].failed) == (missing, failed)
        assert "no answer has cost, which column:name=cost needs" in result.data.notes


def test_names_that_the_answers_use_are_in_the_mapping(tmp_path: Path) -> None:
    kept = tmp_path / "answers.jsonl"
    options: dict[str, Any] = {"metrics": "groundedness", "answers": kept}
    first = evaluated(
        lambda question: {"output": question, "context": [question]},
        [{"Frage": "q"}],
        **options,
        map={"question": "Frage"},
    )
    again = evaluated(str.upper, [{"Frage": "q"}], "groundedness", map={"question": "Frage"})
    assert dict(first.data.mapping) == {"question": "Frage", "answer": "output", "contexts": "context"}
    assert dict(again.data.mapping) == {"question": "Frage"}


def test_columns_that_a_system_adds_can_be_metrics() -> None:
    result = evaluated(lambda question: {"answer": "a", "hops": 3}, ["q"], "column:name=hops")
    assert result["column:name=hops"].value == 3.0


def test_a_half_character_in_the_name_of_a_field_ends_no_run() -> None:
    result = evaluated(
        lambda _: {"answer": "good", "\ud800": 0.5}, metrics=["column:name=latency", r"column:name=\ud800"]
    )
    assert result[r"column:name=\ud800"].value == 0.5


def test_the_questions_own_columns_stay() -> None:
    result = evaluated(
        lambda question: {"retrieved": ["d"], "topic": "mine"}, [{**QUESTIONS[0], "topic": "tea"}], by="topic"
    )
    assert list(result.groups("mrr", "topic")) == ["tea"]


def test_questions_may_be_a_list_of_texts_or_a_mapped_table() -> None:
    texts = evaluated(str.upper, ["a?", "b?"], "column:name=latency")
    assert [row["answer"] for row in rows(texts)] == ["A?", "B?"]
    mapped = evaluated(str.upper, [{"Frage": "a?"}], "column:name=latency", map={"question": "Frage"})
    assert dict(mapped.data.mapping) == {"question": "Frage"}


@pytest.mark.parametrize("option", ["concurrency", "timeout", "retries", "rate", "repeats", "answers", "resume"])
def test_options_of_asking_need_a_system(option: str) -> None:
    given: dict[str, Any] = {option: {"rate": "1/s", "answers": "x", "resume": True}.get(option, 5)}
    with pytest.raises(UsageError, match=f"{option} has no effect without a system"):
        ragauge.evaluate(QUESTIONS, "mrr", **given)


def test_each_question_several_times(tmp_path: Path) -> None:
    asked: list[str] = []

    def system(question: str) -> dict[str, Any]:
        asked.append(question)
        return {"retrieved": ["d"] if len(asked) % 2 else ["e"]}

    result = evaluated(system, QUESTIONS[:2], "mrr", repeats=3, answers=tmp_path / "answers.jsonl")
    assert asked == ["0?", "1?"] * 3
    assert [(row["id"], row["question_id"], row["repeat"], row["mrr"]) for row in rows(result)] == [
        (f"q{question}#{repeat}", f"q{question}", repeat, 1.0 - question) for repeat in (1, 2, 3) for question in (0, 1)
    ]
    assert result.options["cluster"] == "question_id"
    assert ragauge.repeats(result)["mrr"].all_of.value == 0.5
    more = evaluated(system, QUESTIONS[:2], "mrr", repeats=4, answers=tmp_path / "answers.jsonl", resume=True)
    assert (len(asked), more.samples) == (8, 8)
    assert evaluated(system, QUESTIONS[:2], "mrr", repeats=2, cluster="question").options["cluster"] == "question"


def test_questions_that_have_the_columns_of_repeats() -> None:
    with pytest.raises(DataError, match="makes the columns question_id and repeat, and the questions have repeat"):
        evaluated(str.upper, [{"id": "q", "question": "?", "repeat": 1}], repeats=2)


@pytest.mark.parametrize("system", [3, Sample, object()])
def test_what_cannot_be_asked_is_refused(system: Any) -> None:
    with pytest.raises(UsageError, match="system must be a function"):
        evaluated(system)
    with pytest.raises(OptionError, match="option 'resume' of evaluate must be True or False"):
        evaluated(str.upper, resume="yes")


def test_progress_of_asking_and_then_of_scoring() -> None:
    steps: list[tuple[int, int]] = []
    evaluated(str.upper, progress=lambda done, total: steps.append((done, total)), metrics="column:name=latency")
    assert steps == [(0, 5), (1, 5), (2, 5), (3, 5), (4, 5), (5, 5), (0, 5), (5, 5)]


def test_notes_say_what_it_cost() -> None:
    answers = iter([0.1, 0.2, 0.3, 0.4])
    result = evaluated(
        lambda question: {"retrieved": ["d"], "latency": next(answers), "usage": {"input_tokens": 10}, "cost": 0.25},
        QUESTIONS[:4],
    )
    notes = result.data.notes
    assert "latency of 4 answers in seconds: half within 0.2, 90 % 0.4, 95 % 0.4, 99 % 0.4, slowest 0.4" in notes
    assert "tokens in: 40, 10 an answer" in notes
    assert "cost: 1, 0.25 an answer" in notes
    assert not [note for note in notes if note.startswith("unused")]


def test_in_a_running_event_loop() -> None:
    async def system(question: str) -> dict[str, Any]:
        await asyncio.sleep(0.001)
        return {"retrieved": ["d"]}

    async def notebook() -> Result:
        return evaluated(system, concurrency=4)

    assert asyncio.run(notebook())["mrr"].value == 1.0


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("茶馆几点开门？", "九点。"), ("茶室は何時に開きますか。", "九時です。"), ("찻집은 언제 여나요?", "아홉 시."),
        ("Когда открывается?", "В девять."), ("متى يفتح؟", "في التاسعة."), ("कब खुलता है?", "नौ बजे।"),
        ("เปิดกี่โมง", "เก้าโมง"),
    ],
)  # fmt: skip
def test_languages(question: str, answer: str, tmp_path: Path) -> None:
    questions = [{"question": question, "references": [answer]}]
    first = evaluated(lambda _: answer, questions, "token-f1", answers=tmp_path / "a.jsonl")
    again = evaluated(lambda _: "?", questions, "token-f1", answers=tmp_path / "b.jsonl")
    assert (first["token-f1"].value, again["token-f1"].value) == (1.0, 0.0)
    assert question in (tmp_path / "a.jsonl").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("encoding", "named"), [("utf-8", None), ("utf-8-sig", None), ("gb18030", None), ("cp949", "cp949")]
)
def test_questions_may_be_the_lines_of_a_file(encoding: str, named: str | None, tmp_path: Path) -> None:
    path = tmp_path / "질문.txt"
    lines = ["谁种茶？", "什么时候开门？"] if encoding == "gb18030" else ["차는 어디서?", "언제 여나?"]
    path.write_text("\n".join([lines[0], "", f"  {lines[1]}", ""]), encoding=encoding)
    result = ragauge.evaluate(path, "column:name=latency", system=str.upper, resamples=0, encoding=named)
    assert [row["question"] for row in result.to_arrow().to_pylist()] == lines
    assert result.data.source == str(path)
    if named:
        clear = ragauge.evaluate(path, "column:name=latency", system=str.upper, resamples=0)
        assert "read as cp949 and not as UTF-8" in clear.data.notes
        path.write_text("질문", encoding=encoding)
        with pytest.raises(DataError, match=r"질문\.txt: .*in cp949 \(Korean\) it reads '질문'"):
            ragauge.evaluate(path, "column:name=latency", system=str.upper)


def test_where_documents_have_ids_is_told_by_the_place_of_the_passages() -> None:
    def system(question: str) -> dict[str, Any]:
        passage = {"page_content": "茶。", "metadata": {"source": "a.pdf"}}
        return {"answer": question, "docs": [passage, {**passage, "page_content": "Milk."}]}

    rows = [{"question": "茶？", "relevant_ids": ["a.pdf"]}]
    result = ragauge.evaluate(rows, metrics=["hit-rate"], system=system)
    assert any("as in map={'retrieved': 'docs.metadata.source'}" in note for note in result.data.notes)
    mapping = {"retrieved": "docs.metadata.source"}
    result = ragauge.evaluate(rows, metrics=["hit-rate"], system=system, map=mapping, duplicates="first")
    assert float(result["hit-rate"].value) == 1.0
