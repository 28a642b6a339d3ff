"""Names of functions, by their sources and by what these do not show: closures, defaults, arguments, their objects."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from functools import partial
from hashlib import sha256
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

_CONSTANTS = (str, bytes, int, float, complex, type(None))
# Objects in objects are looked into so far.
_DEEPEST = 5


def name_of_function(function: Any, place: str | None = None) -> str:
    """Return where a function is, and eight digits of a SHA-256: another function has another name.

    The digest is of its source, and of the numbers and texts that it is bound to.

    >>> name_of_function(described).partition("@")[0]
    'ragauge.core.function_names:described'
    """
    written = written_in(function)
    own = f"{getattr(written, '__module__', '')}:{getattr(written, '__qualname__', type(written).__qualname__)}"
    try:
        source = inspect.getsource(written).encode("utf-8", "surrogatepass")
    except (OSError, TypeError):
        # It was typed into a shell, or is compiled.
        code = getattr(written, "__code__", None)
        source = own.encode() if code is None else repr((code.co_code, code.co_names, code.co_consts)).encode()
    bound = repr(constants).encode("utf-8", "surrogatepass") if (constants := constants_of(function)) else b""
    return f"{place or own}@{sha256(source + bound).hexdigest()[:8]}"


def written_in(function: Any) -> Any:
    """Return the function in whose source one is written: within a partial, of a bound method, or of an object."""
    if isinstance(function, partial):
        return written_in(function.func)
    if isinstance(function, MethodType):
        return written_in(function.__func__)
    if isinstance(function, FunctionType | BuiltinFunctionType | type):
        return function
    called = [vars(one)["__call__"] for one in type(function).__mro__ if "__call__" in vars(one)]
    return called[0] if called and isinstance(called[0], FunctionType) else function


def constants_of(function: Any) -> list[tuple[str, Any]]:
    """Return the numbers and texts that a function is bound to, by their names; none that it changes itself.

    >>> constants_of(partial(round, 2.5))
    [('argument 0', 2.5)]
    """
    return [(name, value) for name, value in _bound(function) if _is_constant(value)]


def described(function: Any) -> str | None:
    """Return what tells a function from others of its source: the values that are bound to it, by their content.

    So do the functions of its module that it calls, and that these call. Empty where nothing does; None where a value
    cannot be told from others, as a connection to a server. What is read from modules, classes, lists and mappings of
    the module, files or the environment is left out.
    """
    values = dict(_bound(function))
    texts = {name: _told(value, _DEEPEST) for name, value in values.items()}
    called = sorted(map(name_of_function, _called_by(written_in(function))))
    return None if None in texts.values() else repr([*sorted(texts.items()), *called]) if texts or called else ""


def _called_by(function: Any) -> list[FunctionType]:
    """Return the functions of its module that a function names, and that these name."""
    found: list[FunctionType] = []
    to_read = [function]
    while to_read:
        one = to_read.pop()
        if isinstance(one, FunctionType):
            named = [one.__globals__.get(name) for name in one.__code__.co_names]
            own = [other for other in named if getattr(other, "__module__", None) == function.__module__]
            new = [other for other in own if isinstance(other, FunctionType) and other not in (function, *found)]
            found += new
            to_read += new
    return found


def _is_constant(value: Any) -> bool:
    return isinstance(value, _CONSTANTS) or (isinstance(value, tuple) and all(map(_is_constant, value)))


def _bound(function: Any) -> Iterator[tuple[str, Any]]:
    """Yield names and values that a function is bound to."""
    if isinstance(function, partial):
        yield from ((f"argument {place}", value) for place, value in enumerate(function.args))
        yield from ((f"argument {name}", value) for name, value in function.keywords.items())
        yield from _bound(function.func)
        return
    inner = written_in(function)
    if inner is not function:
        yield "self", getattr(function, "__self__", function)
    if not isinstance(inner, FunctionType):
        return
    yield from ((f"default {place}", value) for place, value in enumerate(inner.__defaults__ or ()))
    yield from ((f"default {name}", value) for name, value in (inner.__kwdefaults__ or {}).items())
    code, changed = inner.__code__, _changed_by(inner)
    for name, cell in zip(code.co_freevars, inner.__closure__ or (), strict=True):
        # A cell may be empty, as that of a function that is defined later.
        values = [] if name in changed else [one for one in _contents(cell) if one is not function]
        yield from ((name, value) for value in values)
    there = {name: inner.__globals__[name] for name in code.co_names if name in inner.__globals__}
    yield from ((name, value) for name, value in there.items() if _is_constant(value) and name not in changed)


def _changed_by(function: FunctionType) -> set[str]:
    """Return the variables outside of a function that it assigns to, as a counter of its calls."""
    import dis

    stores = ("STORE_DEREF", "STORE_GLOBAL")
    return {str(one.argval) for one in dis.get_instructions(function) if one.opname in stores}


def _contents(cell: Any) -> list[Any]:
    try:
        return [cell.cell_contents]
    except ValueError:
        return []


def _told(value: Any, depth: int) -> str | None:  # noqa: PLR0911 - a kind each
    """Return a text that another value has not; None where there is none."""
    if _is_constant(value):
        return repr(value)
    if not depth:
        return None
    if isinstance(value, ModuleType | type):
        return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', value.__name__)}"
    if isinstance(value, FunctionType | MethodType | BuiltinFunctionType | partial):
        return _all_told(name_of_function(value), dict(_bound(value)), depth)
    if isinstance(value, Mapping):
        return _all_told(type(value).__name__, {repr(key): one for key, one in value.items()}, depth)
    if isinstance(value, list | tuple | set | frozenset):
        ordered = sorted(value, key=repr) if isinstance(value, set | frozenset) else value
        return _all_told(type(value).__name__, {str(place): one for place, one in enumerate(ordered)}, depth)
    if hasattr(value, "tobytes") and hasattr(value, "dtype") and not getattr(value.dtype, "hasobject", True):
        return f"{value.dtype} {value.shape} {sha256(value.tobytes()).hexdigest()}"
    has_slots = any("__slots__" in vars(one) for one in type(value).__mro__)
    if has_slots or not hasattr(value, "__dict__"):
        return None
    return _all_told(f"{type(value).__module__}.{type(value).__qualname__}", vars(value), depth)


def _all_told(name: str, values: Mapping[str, Any], depth: int) -> str | None:
    texts = {key: _told(value, depth - 1) for key, value in values.items()}
    return None if None in texts.values() else f"{name} {sorted(texts.items())!r}"
