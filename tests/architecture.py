"""Rules of imports and files: functions from the sources of a package to what breaks them."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path

PACKAGE = "ragauge"
LINES_AT_MOST = 350
OF_ROOMS = {"errors": "core", "_version": "core", "__main__": "cli"}
"""Files beside the rooms -> the room that they are part of: errors name what core defines, and core raises them."""


class Sources:
    """The modules of the package in a folder, by dotted name; a stub counts as what its package imports."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def texts(self) -> dict[str, str]:
        return {
            self._name(path): path.read_text(encoding="utf-8") for path in sorted((self.folder / PACKAGE).rglob("*.py"))
        }

    @cached_property
    def trees(self) -> dict[str, list[ast.Module]]:
        stubs = {self._name(path): path.read_text(encoding="utf-8") for path in self.folder.rglob("__init__.pyi")}
        return {name: [ast.parse(one) for one in (text, stubs.get(name, ""))] for name, text in self.texts.items()}

    def _name(self, path: Path) -> str:
        return ".".join(path.relative_to(self.folder).with_suffix("").parts).removesuffix(".__init__")

    @cached_property
    def imports(self) -> dict[str, set[str]]:
        """Module -> the modules of the package that it imports: in functions, for types, and by a string too."""
        return {name: set(self._imported(name)) - {name} for name in self.texts}

    def _imported(self, name: str) -> Iterator[str]:
        for node in (node for tree in self.trees[name] for node in ast.walk(tree)):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names if alias.name in self.texts)
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{name}: imports must be absolute"
                full = [f"{node.module}.{alias.name}" for alias in node.names]
                taken = {one if one in self.texts else str(node.module) for one in full}
                yield from taken & self.texts.keys()
            elif isinstance(node, ast.Constant) and node.value in self.texts and not within(name, str(node.value)):
                yield str(node.value)


def within(module: str, package: str) -> bool:
    """Return whether ``module`` is ``package`` or in it."""
    return f"{module}.".startswith(f"{package}.")


def room(module: str) -> str:
    """Return the room of a module, a folder or a file below the package; nothing for the package itself."""
    name = module.split(".")[1] if "." in module else ""
    return OF_ROOMS.get(name, name)


def circle(graph: Mapping[str, set[str]]) -> list[str]:
    """Return the nodes of one circle in order, the first again at the end; an empty list if there is none."""
    done: set[str] = set()

    def walk(node: str, path: list[str]) -> list[str]:
        if node in path:
            return [*path[path.index(node) :], node]
        if node not in done:
            for target in sorted(graph.get(node, ())):
                if found := walk(target, [*path, node]):
                    return found
            done.add(node)
        return []

    return next((found for node in sorted(graph) if (found := walk(node, []))), [])


def rooms(sources: Sources) -> dict[str, set[str]]:
    """Return which other rooms each room imports."""
    graph: dict[str, set[str]] = defaultdict(set)
    for module, imported in sources.imports.items():
        if room(module):
            graph[room(module)] |= {room(one) for one in imported} - {room(module), ""}
    return graph


def circle_of_files(sources: Sources) -> list[str]:
    return circle(sources.imports)


def circle_of_rooms(sources: Sources, but: Mapping[str, set[str]]) -> list[str]:
    """Return a circle of rooms; ``but``: importing room -> imported rooms that are left out."""
    return circle({one: imported - but.get(one, set()) for one, imported in rooms(sources).items()})


def upward(sources: Sources, floors: Sequence[set[str]]) -> set[str]:
    """Return the imports of a room on a higher floor, ``room -> room``; rooms on no floor are named by themselves."""
    height = {room: floor for floor, members in enumerate(floors) for room in members}
    graph = rooms(sources)
    nowhere = {room for room in {*graph, *[one for many in graph.values() for one in many]} if room not in height}
    pairs = [(one, other) for one, many in graph.items() for other in many if not {one, other} & nowhere]
    return nowhere | {f"{one} -> {other}" for one, other in pairs if height[other] > height[one]}


def private(sources: Sources) -> set[str]:
    """Return the imports of a ``_module`` from outside of its folder, ``importing folder -> module``."""
    return {
        f"{folder_of(module, sources)} -> {one}"
        for module, imported in sources.imports.items()
        for one in imported
        if any(part.startswith("_") for part in one.split(".")) and not within(module, home_of(one))
    }


def home_of(module: str) -> str:
    """Return the package that the first private part of a module's name belongs to."""
    parts = module.split(".")
    return ".".join(parts[: next(place for place, part in enumerate(parts) if part.startswith("_"))])


def folder_of(module: str, sources: Sources) -> str:
    """Return the package that a module lies in; a package lies in itself."""
    is_package = any(one.startswith(f"{module}.") for one in sources.texts)
    return module if is_package else module.rpartition(".")[0]


def without_a_test(sources: Sources, tests: Path, rooms: Sequence[str]) -> set[str]:
    """Return the public modules of ``rooms`` that have no ``test_NAME.py`` in the room's folder of ``tests``."""
    public = [
        module
        for module in sources.texts
        if room(module) in rooms and "._" not in module and folder_of(module, sources) != module
    ]
    names = {one: {path.stem for path in (tests / one).rglob("test_*.py")} for one in rooms}
    top = {path.stem for path in tests.glob("test_*.py")}
    return {module for module in public if f"test_{module.rpartition('.')[2]}" not in names[room(module)] | top}


def long_files(sources: Sources) -> set[str]:
    return {module for module, text in sources.texts.items() if text.count("\n") > LINES_AT_MOST}


def twin_classes(sources: Sources) -> dict[str, list[str]]:
    """Return the names that several classes have: name -> modules."""
    places: dict[str, list[str]] = defaultdict(list)
    for module, (tree, _) in sources.trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(module)
    return {name: modules for name, modules in places.items() if len(modules) > 1}


def as_lines(found: Sequence[str]) -> str:
    """Write a circle as its imports, one a line."""
    return "\n".join([f"{one} imports {other}" for one, other in pairwise(found)])
