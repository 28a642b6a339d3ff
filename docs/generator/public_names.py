"""The page of the Python names."""

from __future__ import annotations

import inspect
from inspect import cleandoc, isclass, isfunction, ismodule
from typing import get_origin

import ragauge
from docs.generator.docstrings import items
from docs.generator.tables import NOTE, paragraphs, section, table

_INTRO = (
    "Everything public is a name of the package itself: `import ragauge`. `help(ragauge.evaluate)` prints the whole"
    " docstring of a name, with its arguments, its errors and an example that the tests run."
)


def page() -> str:
    """Write functions with their signatures, classes with what they offer, and errors."""
    found = {name: getattr(ragauge, name) for name in ragauge.__all__ if not name.startswith("_")}
    errors = {name: of for name, of in found.items() if isclass(of) and issubclass(of, Exception)}
    classes = {name: of for name, of in found.items() if isclass(of) and name not in errors}
    packages = {name: of for name, of in found.items() if ismodule(of)}
    functions = {name: of for name, of in found.items() if isfunction(of)}
    types = {name: of for name, of in found.items() if get_origin(of)}
    return paragraphs(
        [
            NOTE.format(source="`ragauge.__all__` and docstrings"),
            "# Python",
            _INTRO,
            *(part for name, of in functions.items() for part in _function(name, of)),
            *(part for name, of in classes.items() for part in _class(name, of)),
            section("Types", table(("type", "what it is"), [_alias(name, of) for name, of in types.items()])),
            section("Packages", table(("package", "what is in it"), [_row(name, of) for name, of in packages.items()])),
            section("Errors", table(("error", "raised when"), [_row(name, of) for name, of in errors.items()])),
        ]
    )


def _function(name: str, function: object) -> list[str]:
    doc = inspect.getdoc(function) or ""
    types = inspect.signature(function).parameters  # type: ignore[arg-type]
    rows = [(f"`{name}`", _type(types.get(name)), text) for name, text in items(doc, "Args").items()]
    errors = [(f"`{error}`", text) for error, text in items(doc, "Raises").items()]
    return [
        f"## {name}",
        _first(function),
        f"```text\n{name}{_signature(function)}\n```",
        table(("argument", "type", "what it is"), rows) if rows else "",
        table(("raises", "when"), errors) if errors else "",
    ]


def _type(parameter: inspect.Parameter | None) -> str:
    """Return the type of an argument as the code writes it; a sign that parts cells of a table in words."""
    if parameter is None or parameter.annotation is parameter.empty:
        return ""
    return f"`{parameter.annotation}`".replace("|", "or")


def _class(name: str, cls: type) -> list[str]:
    members = {key: of for key, of in vars(cls).items() if not key.startswith("_") and inspect.getdoc(of)}
    rows = [(f"`{key}`", _first(of)) for key, of in members.items() if callable(of) or isinstance(of, property)]
    return [f"## {name}", _first(cls), table(("member", "what it is"), rows) if rows else ""]


def _row(name: str, of: object) -> tuple[str, str]:
    return f"`{name}`", _first(of)


def _signature(function: object) -> str:
    """Write the parameters, one a line where there are many."""
    parameters = list(inspect.signature(function).parameters.values())  # type: ignore[arg-type]
    texts, keyword_only = [], False
    for parameter in parameters:
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            texts.append("*")
        keyword_only |= parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        texts.append(_parameter(parameter))
    return f"({', '.join(texts)})" if len(texts) < 5 else "(\n    " + ",\n    ".join(texts) + ",\n)"


def _parameter(parameter: inspect.Parameter) -> str:
    """Write a parameter; a default that has no short text, such as a function, as three dots."""
    bare = parameter.replace(annotation=parameter.empty)
    shown = bare.default is bare.empty or bare.default is None or isinstance(bare.default, str | int | float | tuple)
    return str(bare) if shown else f"{bare.name}=..."


def _alias(name: str, of: object) -> tuple[str, str]:
    return f"`{name}`", f"`{of}`".replace("typing.", "")


def _first(of: object) -> str:
    text = cleandoc(inspect.getdoc(of) or "").partition("\n\n")[0]
    return " ".join(text.split()).replace("``", "`")
