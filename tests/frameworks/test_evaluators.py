"""Samples of ragas, deepeval, DSPy and LlamaIndex, and what Haystack returns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ragauge.formats import read
from tests.frameworks.reading import ANSWER, FIRST, GOLD, QUESTION, SECOND, framework, parts

READ = {"question": QUESTION, "answer": ANSWER, "references": [GOLD], "contexts": [FIRST, SECOND]}


def test_ragas() -> None:
    ragas = framework("ragas", "'ragas==0.4.3' 'langchain-community<0.4'")
    sample = ragas.SingleTurnSample(
        user_input=QUESTION, response=ANSWER, reference=GOLD, retrieved_contexts=[FIRST, SECOND]
    )
    data = ragas.EvaluationDataset(samples=[sample])
    for source in (sample, [sample], data, data.samples):
        assert parts(source) == READ


def deepeval_case(**others: Any) -> Any:
    test_case = framework("deepeval.test_case", "deepeval")
    return test_case.LLMTestCase(
        input=QUESTION,
        actual_output=ANSWER,
        expected_output=GOLD,
        retrieval_context=[FIRST, SECOND],
        context=[FIRST],
        **others,
    )


def test_deepeval() -> None:
    dataset = framework("deepeval.dataset", "deepeval")
    for source in (deepeval_case(), [deepeval_case()]):
        assert parts(source) == {**READ, "reference_contexts": [FIRST]}
    golden = dataset.Golden(
        input=QUESTION, actual_output=ANSWER, expected_output=GOLD, retrieval_context=[FIRST, SECOND], context=[FIRST]
    )
    assert parts(dataset.EvaluationDataset(goldens=[golden])) == {**READ, "reference_contexts": [FIRST]}


def test_goldens_of_deepeval_say_what_should_be_retrieved() -> None:
    dataset = framework("deepeval.dataset", "deepeval")
    golden = dataset.Golden(input=QUESTION, expected_output=GOLD, context=[FIRST])
    expected = {"question": QUESTION, "references": [GOLD], "reference_contexts": [FIRST]}
    for source in ([golden], dataset.EvaluationDataset(goldens=[golden])):
        assert parts(source) == expected


def test_retrieved_contexts_of_deepeval_with_their_source() -> None:
    test_case = framework("deepeval.test_case", "deepeval")
    with_source = getattr(test_case, "RetrievedContextData", None)
    texts = (FIRST, SECOND)
    # Version 2 has texts alone.
    retrieved = [text if with_source is None else with_source(context=text, source="tea.md") for text in texts]
    case = test_case.LLMTestCase(input=QUESTION, actual_output=ANSWER, retrieval_context=retrieved)
    assert parts(case) == {"question": QUESTION, "answer": ANSWER, "contexts": [FIRST, SECOND]}


def test_deepeval_files(tmp_path: Path) -> None:
    dataset = framework("deepeval.dataset", "deepeval")
    golden = dataset.Golden(
        input=QUESTION, actual_output=ANSWER, expected_output=GOLD, retrieval_context=[FIRST, SECOND], context=[FIRST]
    )
    data = dataset.EvaluationDataset(goldens=[golden])
    assert parts(data.save_as("json", str(tmp_path))) == {**READ, "reference_contexts": [FIRST]}
    joined = data.save_as("csv", str(tmp_path))
    # Its CSV joins passages by a bar, which passages may hold too, so the user decides.
    assert any("split={'contexts': '|'}" in note for note in read(joined).notes)
    assert parts(joined, split={"contexts": "|"})["contexts"] == [FIRST, SECOND]


def test_dspy() -> None:
    dspy = framework("dspy", "dspy")
    example = dspy.Example(question=QUESTION, answer=ANSWER, context=[FIRST, SECOND]).with_inputs("question")
    assert parts([example], mapping={"contexts": "context"}) == {k: READ[k] for k in ("question", "answer", "contexts")}


def test_llama_index() -> None:
    schema = framework("llama_index.core.schema", "llama-index-core")
    responses = framework("llama_index.core.base.response.schema", "llama-index-core")
    nodes = [
        schema.NodeWithScore(node=schema.TextNode(text=text, id_=name), score=score)
        for text, name, score in ((FIRST, "n1", 0.5), (SECOND, "n2", 0.25))
    ]
    response = responses.Response(response=ANSWER, source_nodes=nodes, metadata={})
    expected = {
        "answer": ANSWER,
        "contexts": [FIRST, SECOND],
        "retrieved": ["n1", "n2"],
        "retrieved_scores": [0.5, 0.25],
    }
    assert parts(response) == expected
    assert parts([response]) == expected
    assert any("does not hold its question" in note for note in read(response).notes)
    assert parts([{"query": QUESTION, **response.__dict__}]) == {"question": QUESTION, **expected}
    assert parts([{"query": QUESTION, "answer": ANSWER, "contexts": nodes}]) == {"question": QUESTION, **expected}


def test_haystack() -> None:
    haystack = framework("haystack", "haystack-ai")
    found = [
        haystack.Document(content=FIRST, id="d1", score=0.5),
        haystack.Document(content=SECOND, id="d2", score=0.25),
    ]
    answer = haystack.GeneratedAnswer(data=ANSWER, query=QUESTION, documents=found, meta={})
    ranked = {"retrieved": ["d1", "d2"], "retrieved_scores": [0.5, 0.25]}
    expected = {"question": QUESTION, "answer": ANSWER, "contexts": [FIRST, SECOND], **ranked}
    for source in (answer, [answer], {"answer_builder": {"answers": [answer]}}):
        assert parts(source) == expected
    replies = [haystack.dataclasses.ChatMessage.from_assistant(ANSWER)]
    outputs = {"retriever": {"documents": found}, "llm": {"replies": replies}}
    assert parts(outputs) == {name: expected[name] for name in expected if name != "question"}


def test_haystack_evaluation() -> None:
    evaluation = framework("haystack.evaluation", "haystack-ai")
    inputs = {"question": [QUESTION], "contexts": [[FIRST, SECOND]], "answer": [GOLD], "predicted_answer": [ANSWER]}
    result = evaluation.EvaluationRunResult(
        "run", inputs=inputs, results={"sas": {"score": 0.5, "individual_scores": [0.5]}}
    )
    assert parts(result) == READ
    # The report as columns: `answer` is the right one, and `predicted_answer` the system's.
    assert parts(result.detailed_report("json")) == READ
