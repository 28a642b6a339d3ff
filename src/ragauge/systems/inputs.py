"""The input that a system of a framework wants: the question as a text, or an object with the question in it."""

from __future__ import annotations

import inspect
import logging
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from threading import Lock
from typing import Any, TypeVar

from ragauge.core.lazy import lazy_pattern
from ragauge.errors import UsageError, excerpt
from ragauge.formats.column_names import known_name

Output = TypeVar("Output")

NAMES = ("input", "question", "query", "user_input", "prompt", "text")
"""Names of a question among the inputs of a chain, in the order in which they are looked for."""
_MESSAGES = "messages"
"""The name of a list of messages of a chat, whose last is the question."""
_HISTORIES = ("history", "chat_history")
"""Names of the messages before the question: there are none."""
_QUOTED = lazy_pattern(r"'([^']+)'")
_FIELD = lazy_pattern(r"(\w+) Field required")
"""So pydantic names a field that is not there."""
_LONGEST = 4000
"""Characters of an error that are looked at: it may cite what it was given."""
_WORD = lazy_pattern(r"\w+")
_WANTS_OBJECT = lazy_pattern(
    r"string indices must be|'str' object (?:has no attribute|is not a mapping|does not support item)"
    r"|\bdict(?:s|ionary|ionaries)?\b|\bmapping\b|input keys"
    r"|(?:expect\w*|be|needs?|requires?) (?:an? )?(?:json )?object"
    r"|字典|映射|辞書|マッピング|딕셔너리|Wörterbuch|diccionario|словар",
    re.IGNORECASE,
)
"""What errors say of a text where an object with a key is looked for."""
_LACKS_KEY = lazy_pattern(r"missing|required|must (?:have|contain)|缺少|必須|필수", re.IGNORECASE)
_KEY_TOO_MANY = lazy_pattern(r"unexpected|extra|not permitted|not allowed|unknown|unrecogni[sz]ed|多余", re.IGNORECASE)


class QuestionForm:
    """The form in which a system is given its questions, which the first call may have to show.

    Until a text was taken, a failure that says that an object is wanted has the call made again with one: the question
    under each of the usual names, without those that the system refuses, with the one that it names. What was taken is
    kept for all further questions, and logged.

    Args:
        system: what is asked; one that describes its inputs is given these.
        final: errors that are ours, and say nothing of what a system takes.
    """

    def __init__(self, system: Any, final: tuple[type[Exception], ...] = ()) -> None:
        self._make, self._final = input_of(system), final
        self._is_known = False
        self._lock = Lock()

    def call(self, question: str, call: Callable[[Any], Output]) -> Output:
        """Return what ``call`` makes of the question in the form that the system takes.

        >>> QuestionForm(None).call("Tea?", lambda given: given["query"])
        'Tea?'
        """
        given = self._make(question)
        try:
            output = call(given)
        except self._final:
            raise
        except Exception as error:
            if self._is_known or not isinstance(given, str) or not wants_object(error):
                raise
            names, output = _with_object(question, call, error)
            self._keep(names)
            return output
        self._is_known = True
        return output

    def _keep(self, names: tuple[str, ...]) -> None:
        with self._lock:
            is_news, self._is_known = not self._is_known, True
        if is_news:
            self._make = partial(_under, names)
            template = "the system takes an object, not a text: each question is given under the keys %s"
            logging.getLogger("ragauge").warning(template, ", ".join(names))


def _under(names: Iterable[str], question: str) -> dict[str, Any]:
    """Return a question under names; as the list of its message under that of messages.

    >>> _under(["input", "messages"], "Tea?")
    {'input': 'Tea?', 'messages': [{'role': 'user', 'content': 'Tea?'}]}
    """
    return {name: [{"role": "user", "content": question}] if name == _MESSAGES else question for name in names}


def _with_object(question: str, call: Callable[[Any], Output], error: Exception) -> tuple[tuple[str, ...], Output]:
    """Return the names that a system takes a question under, and its output; its error where it takes none.

    ``error``: what it said of a text, which is raised where it says the same of the type of an object.
    """
    names: tuple[str, ...] = NAMES
    tried: Exception = error
    for _ in range(len(NAMES) + 1):
        try:
            return names, call(_under(names, question))
        except Exception as again:  # noqa: BLE001 - one of them is raised below
            tried = again
        others = _other_names(names, tried.__cause__ or tried)
        if not others:
            break
        names = others
    if isinstance(tried, TypeError | AttributeError) and _MESSAGES not in names:
        raise error
    raise tried


def wants_object(error: BaseException) -> bool:
    """Return whether a failure says that a text was given where an object is wanted, or lacks the key of a question.

    >>> wants_object(TypeError("Expected a dict, got str")), wants_object(KeyError("lang"))
    (True, False)
    """
    return bool(_WANTS_OBJECT.search(excerpt(error, _LONGEST))) or bool(_lacking(error))


def _lacking(error: BaseException) -> list[str]:
    """Return the names of a question that an error says are not there."""
    said = excerpt(error, _LONGEST).partition("Expected:")[0]
    if not isinstance(error, KeyError) and not _LACKS_KEY.search(said):
        return []
    named = [name for name in (*_QUOTED.findall(said.replace('"', "'")), *_FIELD.findall(said)) if _is_question(name)]
    return list(dict.fromkeys(named))


def _is_question(name: str) -> bool:
    return name in (*NAMES, _MESSAGES) or known_name(name) == "question"


def _other_names(names: tuple[str, ...], error: BaseException) -> tuple[str, ...] | None:
    """Return other names to give a question under, as an error asks for them; None where it does not."""
    lacking = [name for name in _lacking(error) if name not in names]
    said = excerpt(error, _LONGEST)
    refused = set(_WORD.findall(said)) if _KEY_TOO_MANY.search(said) else set()
    others = (*(name for name in names if name not in refused), *lacking)
    return others if set(others) != set(names) else None


def input_of(system: Any) -> Callable[[str], Any]:
    """Return what makes the input of a system from a question, as a chain or a pipeline itself describes its inputs.

    A chain of LangChain has a JSON Schema of its input, a graph of LangGraph the names in its state, and a pipeline of
    Haystack the inputs of its components; each that must be given and is a text gets the question. Any other system
    gets the question itself.

    >>> input_of(str.upper)("tea?")
    'tea?'
    """
    # A framework may fail to describe what it takes; the first call shows it then.
    with suppress(Exception):
        if hasattr(system, "get_input_jsonschema"):
            # A graph fails to write the schema of some states, such as a TypedDict before Python 3.12.
            state = getattr(getattr(system, "builder", None), "channels", None)
            graph = None if state is None else {"type": "object", "properties": state}
            schema = graph or system.get_input_jsonschema()
            name = _of_schema(schema)
            if name == _MESSAGES and _is_list(schema, name):
                return partial(_under, [name])
            return str if name is None else lambda question: {name: question}
        if hasattr(system, "inputs") and hasattr(system, "add_component"):
            wanted = {component: _texts_of(inputs) for component, inputs in system.inputs().items()}
            return lambda question: {
                component: dict.fromkeys(names, question) for component, names in wanted.items() if names
            }
    return str


def with_documents(system: Any, method: Callable[..., Any]) -> Callable[..., Any]:
    """Return the method by which a system is asked; that of a pipeline of Haystack returns what it retrieved, too.

    A pipeline returns what its last components return, unless it is told which others count.

    >>> with_documents("tea?", "tea?".upper)()
    'TEA?'
    """
    # Other versions, and objects that are alike, may not say what their components return.
    with suppress(Exception):
        if hasattr(system, "add_component"):
            returned = system.outputs(include_components_with_connected_outputs=True)
            names = {component for component, outputs in returned.items() if "documents" in outputs}
            return partial(method, include_outputs_from=names) if names else method
    return method


def check_signature(function: Callable[..., Any], told: Iterable[str] = ()) -> None:
    """Raise UsageError for a function that cannot be called with a question alone.

    ``told``: names of arguments that are given what was said before.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return
    try:
        signature.bind("", **{name: "" for name in told if name in [*signature.parameters][1:]})
    except TypeError:
        named = [one for one in signature.parameters.values() if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]
        needed = [one for one in named if one.default is one.empty]
        by_name = {one.name: "question" if place == 0 else one.name.upper() for place, one in enumerate(needed)}
        name = getattr(function, "__name__", "")
        own = name if name.isidentifier() else "system"
        line = f"lambda question: {own}({', '.join(f'{one}={value}' for one, value in by_name.items())})"
        template = "RG-SYSTEM-057 {name}{signature}: a system is called with a question alone; write {line}"
        raise UsageError(template, own, str(signature), line) from None


def _of_schema(schema: Mapping[str, Any]) -> str | None:
    """Return the property of an input that takes the question; None where the input is no object."""
    properties = list(schema.get("required") or schema.get("properties") or ())
    if properties == ["root"]:
        # A chain that begins with `assign` takes any object; that of create_retrieval_chain reads this.
        return "input"
    named = [name for name in NAMES if name in properties] or [name for name in properties if name == _MESSAGES]
    return (named or properties or [None])[0] if schema.get("type") == "object" else None


def _is_list(schema: Mapping[str, Any], name: str) -> bool:
    """Return whether a property of an input is a list; that of a graph, which says otherwise, is none."""
    described = schema.get("properties", {}).get(name)
    return isinstance(described, Mapping) and described.get("type") == "array"


def _texts_of(inputs: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return the inputs of a component that must be given and are texts, or of any type and have the name of one."""
    wanted = {name: one.get("type") for name, one in inputs.items() if one.get("is_mandatory")}
    return [name for name, kind in wanted.items() if kind is str or (kind is Any and name in NAMES)]


def function_with_keys(call: Callable[..., Any], error: KeyError, given: Mapping[str, Any]) -> str:
    """Return which keys a system wants that it was not given, and a function to write around it; empty for none.

    ``call``: the function or method by which it is asked. ``given``: what it was given.

    >>> print(function_with_keys({}.get, KeyError("lang"), {"question": "Tea?"}))
    KeyError: 'lang': it was given question; give it all keys by a function, lambda question: \
system.get({'question': question, 'lang': 'VALUE'}), with the question under the key where it reads it
    """
    said = excerpt(error).partition("Expected:")[0]
    # A prompt of LangChain names its variables within a sentence.
    wanted = _QUOTED.findall(said)
    required: Any = ()
    with suppress(Exception):
        required = call.__self__.get_input_jsonschema().get("required", ())  # type: ignore[attr-defined]
    lacking = [name for name in dict.fromkeys((*required, *wanted)) if name not in given]
    if not wanted or wanted[0] not in lacking or (required and wanted[0] not in required) or wanted[0] == "root":
        return ""
    asked = next((name for name in ("question", *given) if name in given), "question")
    keys = ", ".join(
        [f"{asked!r}: {_written(asked, 'question')}", *(f"{name!r}: {_written(name)}" for name in lacking)]
    )
    method = getattr(call, "__name__", "") if getattr(call, "__self__", None) is not None else ""
    system = f"system.{method}" if method.isidentifier() else "system"
    own = f"lambda question: {system}({{{keys}}})"
    return (
        f"KeyError: {', '.join(map(repr, lacking))}: it was given {', '.join(given)}; give it all keys by a function, "
        f"{own}, with the question under the key where it reads it"
    )


def _written(name: str, value: str = "'VALUE'") -> str:
    """Return what to write for a key of an input in a line of Python."""
    if name == _MESSAGES:
        return "[{'role': 'user', 'content': question}]"
    return "[]" if name in _HISTORIES else value
