"""Chains, query engines, pipelines and modules of frameworks are asked, and what they return is read."""

# The frameworks are not there where types are checked.
# mypy: disable-error-code="name-defined,untyped-decorator,misc,no-any-unimported"

from __future__ import annotations

from typing import Any, TypedDict

import pytest

import ragauge
from ragauge.systems.outputs import read_output
from tests.frameworks.reading import ANSWER, FIRST, QUESTION, SECOND, framework


def columns_of(output: object) -> dict[str, Any]:
    return read_output(output).columns


def row(system: Any, **options: Any) -> dict[str, Any]:
    """Ask a system one question, two times at once, and return the row of the first."""
    questions = [{"id": name, "question": QUESTION} for name in ("a", "b")]
    result = ragauge.evaluate(questions, "column:name=latency", system=system, concurrency=2, retries=0, **options)
    assert result.failures() == []
    first, second = (
        {name: row[name] for name in row if "latency" not in name} for row in result.to_arrow().to_pylist()
    )
    assert first | {"id": "b"} == second
    return first


def test_a_chain_of_langchain() -> None:
    runnables = framework("langchain_core.runnables", "langchain-core")
    documents = framework("langchain_core.documents", "langchain-core")
    messages = framework("langchain_core.messages", "langchain-core")
    found = [documents.Document(page_content=FIRST, id="d1"), documents.Document(page_content=SECOND, id="d2")]
    reply = messages.AIMessage(ANSWER, usage_metadata={"input_tokens": 7, "output_tokens": 2, "total_tokens": 9})
    chain = runnables.RunnableParallel(
        context=lambda _: found, input=runnables.RunnablePassthrough(), answer=lambda _: reply
    )
    expected = {"answer": ANSWER, "contexts": [FIRST, SECOND], "retrieved": ["d1", "d2"]}
    assert row(chain).items() >= expected.items()
    assert columns_of(reply) == {"answer": ANSWER, "input_tokens": 7, "output_tokens": 2}
    assert columns_of(found) == {"contexts": [FIRST, SECOND], "retrieved": ["d1", "d2"]}
    old = {"query": QUESTION, "result": ANSWER, "source_documents": found}
    assert columns_of(old).items() >= expected.items()


class State(TypedDict):
    """What a graph keeps: its question, and what its nodes add."""

    question: str
    context: list[Any]
    answer: str


def test_a_graph_of_langgraph() -> None:
    graph = framework("langgraph.graph", "langgraph")
    documents = framework("langchain_core.documents", "langchain-core")
    found = [documents.Document(page_content=FIRST, id="d1"), documents.Document(page_content=SECOND, id="d2")]
    steps = graph.StateGraph(State)
    steps.add_node("retrieve", lambda state: {"context": found if state["question"] == QUESTION else []})
    steps.add_node("generate", lambda state: {"answer": ANSWER if state["context"] else ""})
    steps.add_edge("__start__", "retrieve")
    steps.add_edge("retrieve", "generate")
    asked = row(steps.compile())
    assert asked.items() >= {"answer": ANSWER, "contexts": [FIRST, SECOND], "retrieved": ["d1", "d2"]}.items()


def test_a_graph_of_messages_that_keeps_threads() -> None:
    graph = framework("langgraph.graph", "langgraph")
    checkpoints = framework("langgraph.checkpoint.memory", "langgraph")
    messages = framework("langchain_core.messages", "langchain-core")
    steps = graph.StateGraph(graph.MessagesState)
    steps.add_node("say", lambda state: {"messages": [messages.AIMessage(f"{len(state['messages'])} {ANSWER}")]})
    steps.add_edge("__start__", "say")
    for system in (steps.compile(), steps.compile(checkpointer=checkpoints.MemorySaver())):
        # Each question is the first message of its own thread.
        assert row(system)["answer"] == f"1 {ANSWER}"


def test_a_query_engine_of_llama_index() -> None:
    engines = framework("llama_index.core.query_engine", "llama-index-core")
    schema = framework("llama_index.core.schema", "llama-index-core")
    responses = framework("llama_index.core.base.response.schema", "llama-index-core")
    nodes = [schema.NodeWithScore(node=schema.TextNode(text=FIRST, id_="n1"), score=0.75)]

    class Engine(engines.CustomQueryEngine):
        def custom_query(self, query_str: str) -> Any:
            assert query_str == QUESTION
            return responses.Response(response=ANSWER, source_nodes=nodes)

    expected = {"answer": ANSWER, "contexts": [FIRST], "retrieved": ["n1"], "retrieved_scores": [0.75]}
    assert row(Engine()).items() >= expected.items()
    assert columns_of(nodes) == {name: value for name, value in expected.items() if name != "answer"}


def test_a_retriever_and_a_streamed_response_of_llama_index() -> None:
    retrievers = framework("llama_index.core.base.base_retriever", "llama-index-core")
    schema = framework("llama_index.core.schema", "llama-index-core")
    responses = framework("llama_index.core.base.response.schema", "llama-index-core")
    nodes = [schema.NodeWithScore(node=schema.TextNode(text=FIRST, id_="n1"), score=0.75)]

    class Retriever(retrievers.BaseRetriever):
        def _retrieve(self, query_bundle: Any) -> Any:  # noqa: ARG002 - the name that it is called with
            return nodes

    expected = {"contexts": [FIRST], "retrieved": ["n1"], "retrieved_scores": [0.75]}
    assert row(Retriever()).items() >= expected.items()
    streamed = responses.StreamingResponse(response_gen=(part for part in ANSWER), source_nodes=nodes)
    assert columns_of(streamed) == {"answer": ANSWER, **expected}


def test_chains_of_langchain_that_want_an_object() -> None:
    runnables = framework("langchain_core.runnables", "langchain-core")
    prompts = framework("langchain_core.prompts", "langchain-core")
    answer = runnables.RunnableLambda(lambda _: ANSWER)
    prompt = prompts.ChatPromptTemplate.from_template("{question}")
    assign = runnables.RunnablePassthrough.assign
    for chain in (prompt | answer, assign(k=lambda given: given["input"]) | assign(answer=answer)):
        assert row(chain)["answer"] == ANSWER


def test_a_pipeline_of_haystack() -> None:
    haystack = framework("haystack", "haystack-ai")
    classes = framework("haystack.dataclasses", "haystack-ai")
    found = [haystack.Document(content=FIRST, id="d1", score=0.5)]

    @haystack.component
    class Retriever:
        @haystack.component.output_types(documents=list[classes.Document])
        def run(self, query: str) -> dict[str, Any]:
            assert query == QUESTION
            return {"documents": found}

    @haystack.component
    class Generator:
        @haystack.component.output_types(replies=list[str])
        def run(self, query: str) -> dict[str, Any]:
            assert query == QUESTION
            return {"replies": [ANSWER]}

    pipeline = haystack.Pipeline()
    pipeline.add_component("retriever", Retriever())
    pipeline.add_component("llm", Generator())
    expected = {"answer": ANSWER, "contexts": [FIRST], "retrieved": ["d1"], "retrieved_scores": [0.5]}
    # A pipeline runs one question at a time.
    of_one = ragauge.evaluate(
        [QUESTION],
        "column:name=latency",
        system=lambda question: pipeline.run({"retriever": {"query": question}, "llm": {"query": question}}),
        retries=0,
    )
    assert of_one.to_arrow().to_pylist()[0].items() >= expected.items()
    itself = ragauge.evaluate([QUESTION], "column:name=latency", system=pipeline, retries=0)
    assert itself.to_arrow().to_pylist()[0].items() >= expected.items()
    # Where another component takes the documents, the pipeline alone returns the reply.
    prompt = framework("haystack.components.builders", "haystack-ai").PromptBuilder(
        "{{documents}} {{query}}", required_variables="*"
    )
    connected = haystack.Pipeline()
    for name, component in (("retriever", Retriever()), ("prompt", prompt), ("llm", Generator())):
        connected.add_component(name, component)
    connected.connect("retriever.documents", "prompt.documents")
    of_all = ragauge.evaluate([QUESTION], "column:name=latency", system=connected, retries=0)
    assert of_all.to_arrow().to_pylist()[0].items() >= expected.items()
    answer = classes.GeneratedAnswer(data=ANSWER, query=QUESTION, documents=found)
    assert columns_of(answer) == expected
    assert columns_of(classes.ChatMessage.from_assistant(ANSWER)) == {"answer": ANSWER}


def test_a_module_of_dspy() -> None:
    dspy = framework("dspy", "dspy")

    class Program(dspy.Module):
        def forward(self, question: str) -> Any:
            assert question == QUESTION
            return dspy.Prediction(answer=ANSWER, context=[FIRST, SECOND], reasoning="...")

    expected = {"answer": ANSWER, "contexts": [FIRST, SECOND], "reasoning": "..."}
    assert row(Program()).items() >= expected.items()


def test_a_chat_engine_of_llama_index_begins_anew_with_each_question() -> None:
    chat_engine = framework("llama_index.core.chat_engine", "llama-index-core")
    llms = framework("llama_index.core.llms", "llama-index-core")
    # The model repeats all that it is given, so also what was asked before.
    engine = chat_engine.SimpleChatEngine.from_defaults(llm=llms.MockLLM())
    questions = [f"What opens at {hour}?" for hour in range(1, 9)]
    for system in (engine, engine.chat, engine.achat):
        result = ragauge.evaluate(questions, "column:name=latency", system=system, concurrency=8, retries=0)
        answers = result.to_arrow().column("answer").to_pylist()
        assert [answer.count("What opens") for answer in answers] == [1] * 8
        assert all(question in answer for question, answer in zip(questions, answers, strict=True))


def answers_in_turn(system: Any, note: str, **options: Any) -> None:
    """Ask a system that answers with the number of messages it knows; each question must be its first."""
    result = ragauge.evaluate([f"q{n}" for n in range(4)], "column:name=latency", system=system, retries=0, **options)
    assert result.failures() == []
    assert result.to_arrow()["answer"].to_pylist() == ["1"] * 4
    assert [one for one in result.data.notes if note in one]


@pytest.mark.parametrize("kind", ["itself", "bound", "within a sequence"])
def test_a_chain_of_langchain_with_sessions_gets_one_for_each_question(kind: str) -> None:
    history = framework("langchain_core.runnables.history", "langchain-core")
    chats = framework("langchain_core.chat_history", "langchain-core")
    runnables = framework("langchain_core.runnables", "langchain-core")
    prompts = framework("langchain_core.prompts", "langchain-core")
    store: dict[str, Any] = {}
    prompt = prompts.ChatPromptTemplate.from_messages([prompts.MessagesPlaceholder("history"), ("human", "{question}")])
    chain = history.RunnableWithMessageHistory(
        prompt | runnables.RunnableLambda(lambda filled: str(len(filled.to_messages()))),
        lambda session_id: store.setdefault(session_id, chats.InMemoryChatMessageHistory()),
        input_messages_key="question",
        history_messages_key="history",
    )
    forms = {
        "itself": chain,
        "bound": chain.with_config(configurable={"session_id": "one"}),
        "within a sequence": chain | runnables.RunnableLambda(lambda answer: answer),
    }
    answers_in_turn(forms[kind], "a new session_id", concurrency=2)
