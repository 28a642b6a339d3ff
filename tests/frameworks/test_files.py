"""Folders, logs and tables that frameworks write, and their runs and judgements."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import ragauge
from ragauge.errors import DataError
from ragauge.formats import read
from tests.frameworks.reading import ANSWER, FIRST, GOLD, QUESTION, SECOND, framework, parts, rows

ROW = {"question": QUESTION, "answer": ANSWER, "references": [GOLD], "contexts": [FIRST, SECOND]}


def test_save_to_disk(tmp_path: Path) -> None:
    datasets = framework("datasets", "datasets")
    data = datasets.Dataset.from_list([ROW] * 5)
    data.save_to_disk(str(tmp_path / "whole"), num_shards=2)
    assert rows(tmp_path / "whole") == [ROW] * 5
    assert rows(data) == [ROW] * 5
    datasets.DatasetDict({"train": data, "test": data}).save_to_disk(str(tmp_path / "splits"))
    with pytest.raises(DataError, match="holds the splits train, test; name the folder of one"):
        rows(tmp_path / "splits")
    assert rows(tmp_path / "splits" / "test") == [ROW] * 5


@pytest.mark.parametrize("form", ["eval", "json"])
def test_a_log_of_inspect(form: str, tmp_path: Path) -> None:
    inspect_ai = framework("inspect_ai", "inspect-ai")
    dataset, scorer = framework("inspect_ai.dataset", "inspect-ai"), framework("inspect_ai.scorer", "inspect-ai")
    model, solver = framework("inspect_ai.model", "inspect-ai"), framework("inspect_ai.solver", "inspect-ai")
    sample = dataset.Sample(input=QUESTION, target=GOLD, id="s1", metadata={"contexts": [FIRST, SECOND], "level": 2})

    # A model, also a mocked one, would count tokens by a table that is downloaded.
    def answer() -> Any:
        async def solve(state: Any, generate: Any) -> Any:
            state.output = model.ModelOutput.from_content("mockllm/model", ANSWER)
            return state

        return solve

    task = inspect_ai.Task(dataset=[sample], solver=solver.solver(answer)(), scorer=scorer.includes())
    [log] = inspect_ai.eval(task, model="mockllm/model", log_dir=str(tmp_path), log_format=form, display="none")
    for source in (Path(log.location), log):
        assert parts(source) == ROW
        [row] = rows(source)
        assert row["level"] == 2


@pytest.mark.parametrize("form", ["frame", "parquet"])
def test_a_frame_of_inspect(form: str, tmp_path: Path) -> None:
    inspect_ai, analysis = framework("inspect_ai", "inspect-ai"), framework("inspect_ai.analysis", "inspect-ai")
    dataset, scorer = framework("inspect_ai.dataset", "inspect-ai"), framework("inspect_ai.scorer", "inspect-ai")
    model, solver = framework("inspect_ai.model", "inspect-ai"), framework("inspect_ai.solver", "inspect-ai")
    system = model.ChatMessageSystem(content="Be short.")
    sample = dataset.Sample(
        input=[system, model.ChatMessageUser(content=QUESTION)], target=GOLD, id="s1", metadata={"contexts": [FIRST]}
    )

    def answer() -> Any:
        async def solve(state: Any, generate: Any) -> Any:
            state.messages.append(model.ChatMessageAssistant(content=ANSWER))
            return state

        return solve

    task = inspect_ai.Task(dataset=[sample], solver=solver.solver(answer)(), scorer=scorer.includes())
    inspect_ai.eval(task, model="mockllm/model", log_dir=str(tmp_path), epochs=2, display="none")

    def source(columns: Any) -> Any:
        frame = analysis.samples_df(str(tmp_path), columns=columns, quiet=True)
        if form == "frame":
            return frame
        frame.to_parquet(tmp_path / "frame.parquet")
        return tmp_path / "frame.parquet"

    of_sample = {"question": QUESTION, "references": [GOLD], "contexts": [FIRST]}
    whole = source([*analysis.SampleSummary, *analysis.SampleMessages])
    for row in rows(whole):
        assert {name: row[name] for name in (*of_sample, "answer")} == {**of_sample, "answer": ANSWER}
    assert sorted(next(iter(read(whole).batches())).column("id").to_pylist()) == ["s1", "s1-2"]
    without = source(analysis.SampleSummary)
    assert all({name: row[name] for name in of_sample} == of_sample and "answer" not in row for row in rows(without))
    assert any(note.startswith("the frame has no answers") for note in read(without).notes)


RUN = {"q1": {"d1": 0.5, "d2": 0.25}, "q2": {"d3": 1.0}}
QRELS = {"q1": {"d2": 1}, "q2": {"d3": 2, "d4": 1}}


def ndcg(run: Any, qrels: Any) -> float:
    return ragauge.evaluate(run=run, qrels=qrels, metrics="ndcg@10", resamples=0)["ndcg@10"].value


def pairs(scores: Mapping[str, Mapping[str, float]]) -> list[tuple[str, str, float]]:
    return [(query, document, number) for query, one in scores.items() for document, number in one.items()]


def test_ranx() -> None:
    ranx = framework("ranx", "ranx")
    assert ndcg(ranx.Run(RUN), ranx.Qrels(QRELS)) == ndcg(RUN, QRELS)


def test_ir_measures() -> None:
    measures = framework("ir_measures", "ir-measures")
    run = [measures.ScoredDoc(*one) for one in pairs(RUN)]
    qrels = [measures.Qrel(*one) for one in pairs(QRELS)]
    assert ndcg(run, qrels) == ndcg(iter(run), iter(qrels)) == ndcg(RUN, QRELS)


def test_ir_datasets() -> None:
    formats = framework("ir_datasets.formats", "ir-datasets")
    run = (formats.GenericScoredDoc(*one) for one in pairs(RUN))
    qrels = (formats.TrecQrel(query, document, int(grade), "0") for query, document, grade in pairs(QRELS))
    assert ndcg(run, qrels) == ndcg(RUN, QRELS)


def test_judgements_as_mteb_holds_them() -> None:
    datasets = framework("datasets", "datasets")
    qrels = datasets.Dataset.from_list(
        [{"query-id": query, "corpus-id": document, "score": number} for query, document, number in pairs(QRELS)]
    )
    assert ndcg(RUN, qrels) == ndcg(RUN, QRELS)
