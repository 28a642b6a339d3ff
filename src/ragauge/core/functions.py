"""Plain functions of users as ingredients: a tokenizer, a matcher, an embedder or a judge needs no class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ragauge.core.function_names import name_of_function
from ragauge.core.loading import object_at
from ragauge.core.registry import Signed
from ragauge.errors import UsageError, excerpt, is_interrupt


@dataclass(frozen=True)
class OfFunction(Signed):
    """An ingredient that is a function, with its place and a digest of its source as its name.

    The digest is of the function alone and not of what it calls; of what it is bound to it has numbers and texts.

    Args:
        function: the function; None: that which ``name`` names.
        name: ``module:function`` or ``file.py:function``, and behind ``@`` the digest, which may be left out; empty:
            where the function is.
    """

    function: Callable[..., Any] | None = field(default=None, repr=False, metadata={"option": False})
    name: str = ""

    def __post_init__(self) -> None:
        place = self.name.partition("@")[0]
        if self.function is None:
            object.__setattr__(self, "function", object_at(place))
            object.__setattr__(self, "name", name_of_function(self.function, place))
        elif not self.name:
            object.__setattr__(self, "name", name_of_function(self.function))

    def called(self, *arguments: Any) -> Any:
        """Return what the function returns; UsageError for whatever it raises."""
        try:
            return self.function(*arguments)  # type: ignore[misc]  # it is there from the beginning
        except BaseException as error:
            if is_interrupt(error):
                raise
            raise UsageError("RG-CORE-038 {name} raised {error}. Correct it.", self.name, excerpt(error)) from error
