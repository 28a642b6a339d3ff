"""The page of the Python names: what each is, and where its page is."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from inspect import cleandoc, isclass, ismodule
from typing import Any, get_origin

import ragauge
from docs.generator import public_objects
from docs.generator.tables import NOTE, paragraphs, section, table

_INTRO = (
    "Everything public is a name of the package itself: `import ragauge`. `help(ragauge.evaluate)` prints the whole"
    " docstring of a name, as its page has it. The tests run the examples."
)


def page() -> str:
    """Write what functions, classes, types, packages and errors there are."""
    found = {name: getattr(ragauge, name) for name in ragauge.__all__ if not name.startswith("_")}
    errors = {name: of for name, of in found.items() if isclass(of) and issubclass(of, Exception)}
    packages = {name: of for name, of in found.items() if ismodule(of)}
    types = {name: of for name, of in found.items() if get_origin(of)}
    return paragraphs(
        [
            NOTE.format(source="`ragauge.__all__` and docstrings"),
            "# Python",
            _INTRO,
            section("Functions", _leading(public_objects.functions())),
            section("Classes", _leading(public_objects.classes())),
            section("Types", table(("type", "what it is"), [_alias(name, of) for name, of in types.items()])),
            section("Packages", table(("package", "what is in it"), [_row(name, of) for name, of in packages.items()])),
            section("Errors", table(("error", "raised when"), [_row(name, of) for name, of in errors.items()])),
        ]
    )


def _leading(found: Mapping[str, Any]) -> str:
    """Write the names with links to their pages."""
    rows = [(f"[`{name}`]({public_objects.path(name)})", _first(of)) for name, of in found.items()]
    return table(("name", "what it is"), rows)


def _row(name: str, of: object) -> tuple[str, str]:
    return f"`{name}`", _first(of)


def _alias(name: str, of: object) -> tuple[str, str]:
    return f"`{name}`", f"`{of}`".replace("typing.", "")


def _first(of: object) -> str:
    text = cleandoc(inspect.getdoc(of) or "").partition("\n\n")[0]
    return " ".join(text.split()).replace("``", "`")
