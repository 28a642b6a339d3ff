"""Each question begins a new conversation, or a note says that it does not."""

from __future__ import annotations

from typing import Any

import pytest

import ragauge
from ragauge.systems.conversation import conversation_of


class Chat:
    """Answers with the number of messages that it has heard."""

    def __init__(self) -> None:
        self.chat_history: list[str] = []

    def chat(self, question: str) -> str:
        self.chat_history.append(question)
        return str(len(self.chat_history))


class ResettableChat(Chat):
    def reset(self) -> None:
        self.chat_history.clear()


def asked(system: Any, **options: Any) -> tuple[list[Any], str]:
    result = ragauge.evaluate(["一", "二", "三"], "column:name=latency", system=system, resamples=0, **options)
    assert result.failures() == []
    return result.to_arrow()["answer"].to_pylist(), "\n".join(result.data.notes)


@pytest.mark.parametrize("options", [{}, {"concurrency": 3}, {"concurrency": 3, "timeout": 30}])
@pytest.mark.parametrize("is_bound", [False, True])
def test_an_object_that_can_be_reset_is_reset_before_each_question(options: dict[str, Any], is_bound: bool) -> None:
    chat = ResettableChat()
    answers, notes = asked(chat.chat if is_bound else chat, **options)
    assert answers == ["1", "1", "1"]
    assert "keeps a conversation (chat_history): it was reset before each question, one at a time" in notes


def test_an_object_that_cannot_be_reset_gets_a_note_and_is_asked_in_turn() -> None:
    answers, notes = asked(Chat(), concurrency=3)
    assert answers == ["1", "2", "3"]
    assert "has no reset(): an answer may depend on the questions before it" in notes


def test_a_store_that_is_to_last_is_not_cleared() -> None:
    class Store:
        cleared = 0

        def clear(self) -> None:
            self.cleared += 1

    class Agent:
        memory = Store()

        def query(self, question: str) -> str:
            return question

    agent = Agent()
    _, notes = asked(agent)
    assert agent.memory.cleared == 0
    assert "has no reset()" in notes


def test_the_memory_of_a_chain_is_cleared() -> None:
    class Memory:
        memory_variables = ("history",)

        def __init__(self) -> None:
            self.heard = 0

        def clear(self) -> None:
            self.heard = 0

    class Chain:
        def __init__(self) -> None:
            self.memory = Memory()

        def invoke(self, question: str) -> str:  # noqa: ARG002 - of a chain
            self.memory.heard += 1
            return str(self.memory.heard)

    assert asked(Chain())[0] == ["1", "1", "1"]


def test_functions_classes_and_objects_without_a_memory_keep_no_conversation() -> None:
    class Plain:
        def query(self, question: str) -> str:
            return question

        def reset(self) -> None:
            raise AssertionError

    assert conversation_of(Plain()) is conversation_of(str.upper) is conversation_of(ResettableChat) is None
    assert asked(Plain())[0] == ["一", "二", "三"]
