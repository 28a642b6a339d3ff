"""A page for each public function and class: its call with types, what it returns and raises, and an example."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from inspect import cleandoc, isclass, isfunction
from textwrap import dedent
from types import SimpleNamespace
from typing import Any, get_origin, get_type_hints

import ragauge
from docs.generator.docstrings import example_of, items, prose_of, returned
from docs.generator.examples import with_imports
from docs.generator.tables import NOTE, paragraphs, section, table

_WIDE = 100


@cache
def functions() -> dict[str, Callable[..., Any]]:
    """Return the public functions by name."""
    return {name: of for name in ragauge.__all__ if isfunction(of := getattr(ragauge, name))}


@cache
def classes() -> dict[str, type]:
    """Return the public classes by name, without errors, which are a table of the page of all names."""
    found = {name: of for name in ragauge.__all__ if isclass(of := getattr(ragauge, name))}
    return {name: of for name, of in found.items() if not issubclass(of, Exception)}


def path(name: str) -> str:
    """Return where the page of a public name lies below ``reference``.

    Functions and classes are in two folders, because some file systems take ``gate.md`` for ``Gate.md``.
    """
    return f"{'functions' if name in functions() else 'classes'}/{name}.md"


def pages() -> dict[str, str]:
    """Return the page of each public function and class, by its path below ``docs``."""
    written = {name: _function(name, of) for name, of in functions().items()}
    written |= {name: _class(name, of) for name, of in classes().items()}
    return {f"reference/{path(name)}": _linked(paragraphs(parts), name) for name, parts in written.items()}


def _function(name: str, function: Callable[..., Any]) -> list[str]:
    note = NOTE.format(source=f"the docstring in `{_file(function)}`")
    return [note, f"# {name}", *_called(f"ragauge.{name}", function), section("Example", _example(function))]


def _class(name: str, cls: type) -> list[str]:
    members = {key: of for key, of in vars(cls).items() if not key.startswith("_")}
    methods = {key: _plain(of) for key, of in members.items() if isfunction(_plain(of)) and inspect.getdoc(_plain(of))}
    made = items(inspect.getdoc(cls) or "", "Args")
    attributes = [row for row in _attributes(cls) if row[0].strip("`") not in made]
    head = _called(f"ragauge.{name}", cls) if made else prose_of(inspect.getdoc(cls) or "")
    return [
        NOTE.format(source=f"docstrings in `{_file(cls)}`"),
        f"# {name}",
        *head,
        section("Attributes", table(("attribute", "type", "what it is"), attributes)) if attributes else "",
        section("Example", _example(cls)),
        *(part for key, of in methods.items() for part in (f"## {key}", *_called(key, of), _example(of))),
    ]


def _called(name: str, of: Any) -> list[str]:
    """Return what a docstring says of a call: prose, signature, arguments, what comes back, and errors."""
    doc = inspect.getdoc(of) or ""
    types = inspect.signature(of).parameters
    rows = [(f"`{key}`", _type(types, key), text) for key, text in items(doc, "Args").items()]
    errors = [(f"`{error}`", text) for error, text in items(doc, "Raises").items()]
    return [
        *prose_of(doc),
        f"```py\n{name}{signature(of)}\n```",
        table(("argument", "type", "what it is"), rows) if rows else "",
        _aliases(of),
        _back(of, returned(doc)),
        table(("raises", "when"), errors) if errors else "",
    ]


def _back(of: Any, said: str) -> str:
    """Return what comes back: a public class, which has a page, and what the docstring says of it."""
    kind = "" if isclass(of) else _written(inspect.signature(of).return_annotation)
    shown = [part for part in (f"`{kind}`" if kind in classes() else "", said) if part]
    return f"**Returns** {': '.join(shown)}" if shown else ""


def _aliases(of: Any) -> str:
    """Say what the names of types are that the module of a function gives to others."""
    around = vars(sys.modules[of.__module__])
    written = " ".join(_written(each.annotation) for each in inspect.signature(of).parameters.values())
    names = dict.fromkeys(re.findall(r"\b[A-Z]\w+", written))
    found = {name: around[name] for name in names if get_origin(around.get(name)) is not None}
    return "; ".join(f"`{name}`: `{_short(alias)}`" for name, alias in found.items())


def _short(alias: object) -> str:
    """Return a type without its checks, and without the modules that its parts come from."""
    bare = get_type_hints(SimpleNamespace(__annotations__={"it": alias}))["it"]
    return re.sub(r"\b(?:\w+\.)+(\w+)", r"\1", inspect.formatannotation(bare))


def signature(of: Any) -> str:
    """Write the parameters of a call with their types, one a line where they are long, and the type that it returns."""
    found = inspect.signature(of)
    texts, keyword_only = [], False
    for name, parameter in found.parameters.items():
        if name in ("self", "cls"):
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            texts.append("*")
        keyword_only |= parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        texts.append(_parameter(parameter))
    back = "" if isclass(of) or found.return_annotation is found.empty else f" -> {_written(found.return_annotation)}"
    line = f"({', '.join(texts)}){back}"
    return line if len(line) < _WIDE else "(\n    " + ",\n    ".join(texts) + f",\n){back}"


def _parameter(parameter: inspect.Parameter) -> str:
    """Write a parameter with its type; a default that has no short text, such as a function, as three dots."""
    default = parameter.default
    shown = default is None or isinstance(default, str | int | float | tuple)
    stars = "*" * (parameter.kind is parameter.VAR_POSITIONAL) + "**" * (parameter.kind is parameter.VAR_KEYWORD)
    annotation = "" if parameter.annotation is parameter.empty else f": {_written(parameter.annotation)}"
    ending = "" if default is parameter.empty else f" = {default!r}" if shown else " = ..."
    return f"{stars}{parameter.name}{annotation}{ending}"


def _written(annotation: object) -> str:
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def _type(types: Any, name: str) -> str:
    """Return the type of an argument as the code writes it; a sign that parts cells of a table in words."""
    parameter = types.get(name.lstrip("*"))
    if parameter is None or parameter.annotation is parameter.empty:
        return ""
    return f"`{_written(parameter.annotation)}`".replace("|", "or")


def _attributes(cls: type) -> Iterator[tuple[str, str, str]]:
    """Yield the fields and properties of a class that say what they are."""
    [tree] = ast.parse(dedent(inspect.getsource(cls))).body
    body = tree.body if isinstance(tree, ast.ClassDef) else []
    for node, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id[0] != "_":
            said = str(ast.literal_eval(after.value)) if isinstance(after, ast.Expr) else ""
            yield _attribute(node.target.id, ast.unparse(node.annotation), said)
    for name, of in vars(cls).items():
        if isinstance(of, property) and not name.startswith("_"):
            yield _attribute(name, _written(inspect.signature(of.fget).return_annotation), inspect.getdoc(of) or "")  # type: ignore[arg-type]


def _attribute(name: str, kind: str, said: str) -> tuple[str, str, str]:
    first = " ".join(cleandoc(said).partition("\n\n")[0].split()).replace("``", "`")
    return f"`{name}`", f"`{kind}`".replace("|", "or"), first


def _example(of: Any) -> str:
    example = example_of(inspect.getdoc(of) or "")
    return f"```python\n{with_imports(example, of)}\n\n```" if example else ""


def _plain(of: Any) -> Any:
    """Return the function of a static or class method."""
    return of.__func__ if isinstance(of, staticmethod | classmethod) else of


def _file(of: Any) -> str:
    return f"src/{of.__module__.replace('.', '/')}.py"


def _linked(page: str, name: str) -> str:
    """Lead from other public names in the text to their pages."""

    def link(found: re.Match[str]) -> str:
        other = found[1]
        there = other != name and other in {**functions(), **classes()}
        return f"[`{other}`](../{path(other)})" if there and other[0].isupper() else found[0]

    code_or_text = re.split(r"(```.*?```)", page, flags=re.DOTALL)
    code_or_text[::2] = [re.sub(r"`(?:ragauge\.)?(\w+)`", link, text) for text in code_or_text[::2]]
    return "".join(code_or_text)
