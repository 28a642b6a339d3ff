"""The input that a system of a framework wants: the question as a text, or an object with the question in it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any

from ragauge.core.lazy import lazy_pattern
from ragauge.errors import UsageError, excerpt

NAMES = ("input", "question", "query", "user_input", "prompt", "text")
"""Names of a question among the inputs of a chain, in the order in which they are looked for."""
_QUOTED = lazy_pattern(r"'([^']+)'")
WANTS_OBJECT = ("string indices must be integers", "'str' object has no attribute")
"""So begins the error of a system that looks for a key in a text."""


def as_object(question: str) -> dict[str, str]:
    """Return an object with the question under each name that it may have."""
    return dict.fromkeys(NAMES, question)


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
            name = _of_schema(graph or system.get_input_jsonschema())
            return str if name is None else lambda question: {name: question}
        if hasattr(system, "inputs") and hasattr(system, "add_component"):
            wanted = {component: _texts_of(inputs) for component, inputs in system.inputs().items()}
            return lambda question: {
                component: dict.fromkeys(names, question) for component, names in wanted.items() if names
            }
    return str


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
    named = [name for name in NAMES if name in properties]
    return (named or properties or [None])[0] if schema.get("type") == "object" else None


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
    keys = ", ".join([f"{asked!r}: question", *(f"{name!r}: 'VALUE'" for name in lacking)])
    method = getattr(call, "__name__", "") if getattr(call, "__self__", None) is not None else ""
    system = f"system.{method}" if method.isidentifier() else "system"
    own = f"lambda question: {system}({{{keys}}})"
    return (
        f"KeyError: {', '.join(map(repr, lacking))}: it was given {', '.join(given)}; give it all keys by a function, "
        f"{own}, with the question under the key where it reads it"
    )
