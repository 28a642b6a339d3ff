"""LangChain's and LangSmith's own objects."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ragauge.formats import read
from tests.frameworks.reading import ANSWER, FIRST, GOLD, QUESTION, SECOND, framework, parts, rows

documents = framework("langchain_core.documents", "langchain-core")
FOUND = [documents.Document(page_content=FIRST, id="d1"), documents.Document(page_content=SECOND, id="d2")]
READ = {"question": QUESTION, "answer": ANSWER, "contexts": [FIRST, SECOND], "retrieved": ["d1", "d2"]}


def test_what_a_retrieval_chain_returns() -> None:
    data = read([{"input": QUESTION, "context": FOUND, "answer": ANSWER}])
    assert dict(data.mapping) == {"question": "input", "contexts": "context"}
    assert parts([{"input": QUESTION, "context": FOUND, "answer": ANSWER}]) == READ


def test_one_result_is_one_row() -> None:
    assert parts({"input": QUESTION, "context": FOUND, "answer": ANSWER}) == READ


def test_what_retrieval_qa_returns() -> None:
    assert parts([{"query": QUESTION, "result": ANSWER, "source_documents": FOUND}]) == READ


def test_messages_and_a_dump(tmp_path: Path) -> None:
    messages = framework("langchain_core.messages", "langchain-core")
    dumps = framework("langchain_core.load", "langchain-core").dumps
    row = {"input": [messages.SystemMessage("短"), messages.HumanMessage(QUESTION)], "context": FOUND, "answer": ANSWER}
    assert parts([row]) == READ
    path = tmp_path / "chain.jsonl"
    path.write_text(dumps({"input": QUESTION, "context": FOUND, "answer": ANSWER}) + "\n", encoding="utf-8")
    assert parts(path) == READ


def tree() -> Any:
    run_trees = framework("langsmith.run_trees", "langsmith")
    root = run_trees.RunTree(name="rag", run_type="chain", inputs={"question": QUESTION})
    retriever = root.create_child(name="search", run_type="retriever", inputs={"query": "茶"})
    retriever.end(outputs={"documents": FOUND})
    model = root.create_child(name="model", run_type="llm", inputs={"messages": [[{"role": "user", "content": "..."}]]})
    model.end(outputs={"generations": [[{"text": "not the answer"}]]})
    root.end(outputs={"answer": ANSWER})
    return root


def test_a_run_tree() -> None:
    assert parts(tree()) == READ
    assert len(rows([tree(), tree()])) == 2


def test_runs_as_rows_are_joined(tmp_path: Path) -> None:
    root = tree()
    runs = []
    for run in (*root.child_runs, root):
        dumped = run.model_dump(exclude={"child_runs", "parent_run", "ls_client", "outputs"}, mode="json")
        held = run.outputs
        if "documents" in held:
            held = {"documents": [one.model_dump() for one in FOUND]}
        runs.append({**dumped, "outputs": held, "parent_run_id": dumped.get("parent_run_id")})
    path = tmp_path / "runs.jsonl"
    path.write_text("\n".join(map(json.dumps, runs)), encoding="utf-8")
    assert parts(path) == READ


def test_rows_of_an_experiment() -> None:
    example = {"inputs": {"question": QUESTION}, "outputs": {"answer": GOLD}}
    assert parts([{"run": tree(), "example": example, "evaluation_results": {"results": []}}]) == {
        **READ,
        "references": [GOLD],
    }
