"""Plain functions of users as ingredients: a tokenizer, a matcher, an embedder or a judge needs no class."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar

from ragauge.core.function_names import name_of_function
from ragauge.core.loading import object_at
from ragauge.core.registry import Signed
from ragauge.errors import UsageError, excerpt, is_interrupt


@dataclass(frozen=True)
class OfFunction(Signed):
    """An ingredient that is a function, with its place and a digest of its source as its name.

    The digest is of the function alone and not of what it calls; of what it is bound to it has numbers and texts.
    An object of a framework is its method.

    Args:
        function: the function or object; None: that which ``name`` names.
        name: ``module:function`` or ``file.py:function``, and behind ``@`` the digest, which may be left out; empty:
            where the function is.
    """

    methods: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Methods by which frameworks name what the function does -> the function to write; empty: the method itself."""

    function: Callable[..., Any] | None = field(default=None, repr=False, metadata={"option": False})
    name: str = ""

    def __post_init__(self) -> None:
        place = self.name.partition("@")[0]
        value = object_at(place) if self.function is None else self.function
        method = self.method_of(value)
        if method and self.methods[method]:
            template = "RG-SYSTEM-055 a {kind} is asked by a function here; write {line}"
            raise UsageError(template, type(value).__name__, self.methods[method])
        if self.function is None:
            object.__setattr__(self, "name", name_of_function(value, place))
        elif not self.name:
            object.__setattr__(self, "name", _name_of_model(value, method) if method else name_of_function(value))
        self._take(value, method)

    def _take(self, value: Any, method: str) -> None:
        """Keep the function that ``value`` is, or its ``method``."""
        object.__setattr__(self, "function", getattr(value, method) if method else value)

    @classmethod
    def method_of(cls, value: object) -> str:
        """Return the first of `methods` that an object has; empty for none."""
        return next((name for name in cls.methods if callable(getattr(value, name, None))), "")

    def called(self, *arguments: Any) -> Any:
        """Return what the function returns; UsageError for whatever it raises."""
        try:
            return self.function(*arguments)  # type: ignore[misc]  # it is there from the beginning
        except BaseException as error:
            if is_interrupt(error):
                raise
            raise UsageError("RG-CORE-038 {name} raised {error}. Correct it.", self.name, excerpt(error)) from error


_MODELS = ("model_name", "model", "model_id", "name_or_path")
"""Attributes in which objects of frameworks say which model they are."""


def _name_of_model(value: object, method: str) -> str:
    """Return the class of an object of a framework and its model; UsageError where it does not say which that is."""
    # A model of PyTorch has it in one of its modules.
    modules = value.modules() if callable(getattr(value, "modules", None)) else ()  # type: ignore[attr-defined]
    named = (getattr(one, name, None) for one in (value, *modules) for name in _MODELS)
    model = next((name for name in named if isinstance(name, str) and name not in ("", "unknown")), None)
    kind = type(value)
    if model is None:
        template = (
            "RG-SYSTEM-056 a {kind} does not say which model it is, and what another gives must not be taken for its: "
            "after from ragauge.embedders.function import FunctionEmbedder write {line}"
        )
        line = f"embedder=FunctionEmbedder(model.{method}, 'NAME-OF-MODEL')"
        raise UsageError(template, kind.__name__, line)
    return f"{kind.__module__}:{kind.__qualname__}@{model}"
