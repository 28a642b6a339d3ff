"""Systems that keep a conversation: each question begins a new one, or its answer depends on those before."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from ragauge.core.messages import Message

_MEMORIES = ("chat_history", "memory", "messages", "conversation")
"""Attributes in which an object keeps what was said."""
_THREAD = "thread_id"
_SESSIONS = frozenset({"session_id", _THREAD, "conversation_id"})
"""Keys of a chain's configuration that name a conversation."""


@dataclass
class Said:
    """What was said in a conversation so far, and the arguments by which a system knows the conversation again."""

    history: list[dict[str, Any]] = field(default_factory=list)
    beside: dict[str, Any] | None = None

    def messages(self, question: str) -> list[dict[str, Any]]:
        """Return what was said, and a question behind it.

        >>> Said().messages("Tea?")
        [{'role': 'user', 'content': 'Tea?'}]
        """
        return [*self.history, {"role": "user", "content": question}]


@dataclass(frozen=True)
class Conversation:
    """How each question begins a new conversation.

    ``note``: what a user should know. ``reset``: forgets what was said; questions are then asked one at a time.
    ``sessions``: keys of the configuration of a chain, each of which gets a new name for each question.
    ``is_shared``: all questions go to one conversation, so that only one may be asked at a time.
    """

    note: str
    reset: Callable[[], Any] | None = None
    sessions: tuple[str, ...] = ()

    @property
    def is_shared(self) -> bool:
        """Whether all questions go to the same object with the same memory."""
        return not self.sessions

    def begin(self) -> dict[str, Any]:
        """Begin a new conversation, and return the arguments that a call needs beside the question."""
        if self.reset is not None:
            self.reset()
        names = {name: str(uuid4()) for name in self.sessions}
        return {"config": {"configurable": names}} if names else {}


def conversation_of(system: Any) -> Conversation | None:
    """Return how each question begins a new conversation; None for a system that keeps none.

    A chat engine of LlamaIndex is reset, as is the memory of a chain; a chain with sessions, or a graph with a
    checkpointer, gets one of its own for each question. An object that keeps what was said, and cannot be reset, gets a
    note.

    >>> conversation_of(str.upper) is None
    True
    """
    owner = getattr(system, "__self__", system)
    sessions = _sessions(owner)
    if sessions:
        template = "RG-NOTE-071 each question was asked in a conversation of its own: a new {sessions}"
        return Conversation(Message(template, " and ".join(sessions)), sessions=sessions)
    memories = [(name, kept) for name in _MEMORIES if (kept := _attribute(owner, name)) is not None]
    if not memories or isinstance(owner, type):
        return None
    name, memory = memories[0]
    # Only the memory of a chain of LangChain is cleared: that of another object may be a store that is to last.
    of_chain = hasattr(memory, "memory_variables")
    own = (getattr(owner, "reset", None), getattr(memory, "clear", None) if of_chain else None)
    reset = next(filter(callable, own), None)
    if reset is None:
        template = (
            "RG-NOTE-072 the system seems to keep a conversation ({name}), and has no reset(): an answer may depend on "
            "the questions before it. Give a function that makes a new one each time. It was asked one at a time."
        )
        return Conversation(Message(template, name))
    template = "RG-NOTE-070 the system keeps a conversation ({name}): it was reset before each question, one at a time"
    return Conversation(Message(template, name), reset)


def _attribute(owner: Any, name: str) -> Any:
    # A property may be code of the system, which fails; a function of that name is an action.
    with suppress(Exception):
        found = getattr(owner, name, None)
        return None if callable(found) and not hasattr(found, "clear") else found
    return None


def _sessions(system: Any) -> tuple[str, ...]:
    """Return the keys of the configuration of a chain of LangChain, or a graph of LangGraph, that name a conversation.

    A graph with a checkpointer keeps each conversation by its thread.
    """
    with suppress(Exception):
        if hasattr(getattr(system, "checkpointer", None), "get_tuple"):
            return (_THREAD,)
        own = [one.id for one in getattr(system, "history_factory_config", ())]
        specs: Iterable[Any] = getattr(system, "config_specs", ())
        named = [*own, *(one.id for one in specs if one.id in _SESSIONS)]
        return tuple(dict.fromkeys(name for name in named if isinstance(name, str)))
    return ()
